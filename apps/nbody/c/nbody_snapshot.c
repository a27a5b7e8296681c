/* SPDX-License-Identifier: Apache-2.0 */
#include "nbody_snapshot.h"
#include "../../common/c/app_crc.h"
#include "../../common/c/app_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SNAPSHOT_HEAD = 24, SNAPSHOT_SUM = 8, SNAPSHOT_COUNT_MAX = 1 << 24 };

static const uint64_t snapshot_letters = UINT64_C(0x434f524e42444f31); /* CORNBDO1 */

static unsigned char *snapshot_put(unsigned char *to, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        *to++ = (unsigned char)(value >> shift);
    return to;
}

static uint64_t snapshot_get(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | from[i];
    return value;
}

static size_t snapshot_bytes(uint64_t count)
{
    return SNAPSHOT_HEAD + (size_t)count * sizeof(nbody_body) + SNAPSHOT_SUM;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static unsigned char *snapshot_encode(int64_t step, const nbody_bodies *bodies)
{
    const double *numbers = (const double *)bodies->all;
    size_t count = (size_t)bodies->count * NBODY_NUMBERS, bytes = snapshot_bytes((uint64_t)bodies->count);
    unsigned char *all = nbody_alloc(bytes, 1), *at = snapshot_put(all, snapshot_letters);
    at = snapshot_put(snapshot_put(at, (uint64_t)step), (uint64_t)bodies->count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        at = snapshot_put(at, bits);
    }
    snapshot_put(at, app_crc(0, all, bytes - SNAPSHOT_SUM));
    return all;
}

int nbody_snapshot_write(const char *path, int64_t step, const nbody_bodies *bodies)
{
    app_file file;
    if (!app_file_begin(&file, path))
        return 0;
    unsigned char *all = snapshot_encode(step, bodies);
    fwrite(all, snapshot_bytes((uint64_t)bodies->count), 1, file.out);
    free(all);
    return app_file_end(&file);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The whole file; NULL if it cannot be read. */
static unsigned char *snapshot_load(const char *path, size_t *bytes_p)
{
    struct stat state;
    unsigned char *all = NULL;
    FILE *in = fopen(path, "rb");
    if (in && fstat(fileno(in), &state) == 0 && S_ISREG(state.st_mode)) {
        *bytes_p = (size_t)state.st_size;
        all = nbody_alloc(*bytes_p, 1);
        if (fread(all, 1, *bytes_p, in) != *bytes_p) {
            free(all);
            all = NULL;
        }
    }
    if (in)
        fclose(in);
    return all;
}

/* What is wrong with the bytes of a file; NULL: nothing, so far. */
static const char *snapshot_flaw(const unsigned char *all, size_t bytes)
{
    if (bytes < SNAPSHOT_HEAD + SNAPSHOT_SUM || snapshot_get(all) != snapshot_letters)
        return "is none";
    uint64_t count = snapshot_get(all + 16);
    if (count < 2 || count > SNAPSHOT_COUNT_MAX || bytes != snapshot_bytes(count))
        return "has the wrong length";
    return snapshot_get(all + bytes - SNAPSHOT_SUM) == app_crc(0, all, bytes - SNAPSHOT_SUM) ? NULL : "is damaged";
}

static int snapshot_decode(const unsigned char *all, nbody_bodies *bodies)
{
    int is_fine = 1;
    double *numbers = (double *)bodies->all;
    for (size_t i = 0; i < (size_t)bodies->count * NBODY_NUMBERS; i++) {
        uint64_t bits = snapshot_get(all + SNAPSHOT_HEAD + 8 * i);
        memcpy(&numbers[i], &bits, sizeof bits);
        is_fine &= isfinite(numbers[i]) != 0;
    }
    for (int i = 0; i < bodies->count; i++)
        is_fine &= bodies->all[i].mass > 0 && bodies->all[i].cost > 0;
    return is_fine;
}

int nbody_snapshot_read(const char *path, int64_t *step_p, nbody_bodies *bodies_p, char why[APP_WHY_MAX])
{
    size_t bytes = 0;
    unsigned char *all = snapshot_load(path, &bytes);
    const char *flaw = all ? snapshot_flaw(all, bytes) : "cannot be read";
    nbody_bodies bodies = {0};
    if (!flaw) {
        bodies.count = (int)snapshot_get(all + 16);
        bodies.all = nbody_alloc((size_t)bodies.count, sizeof *bodies.all);
        *step_p = (int64_t)snapshot_get(all + 8);
        if (!snapshot_decode(all, &bodies) || *step_p < 0)
            flaw = "has numbers that bodies do not have";
    }
    free(all);
    if (!flaw) {
        *bodies_p = bodies;
        return 1;
    }
    free(bodies.all);
    snprintf(why, APP_WHY_MAX, "snapshot %.300s %s", path, flaw);
    return 0;
}
