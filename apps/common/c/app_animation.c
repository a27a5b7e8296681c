/* SPDX-License-Identifier: Apache-2.0 */
#include "app_animation.h"
#include "app_crc.h"
#include "app_file.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANIMATION_SIDE_MAX = 480 /* larger fields are thinned out */, ANIMATION_FRAMES_A_SECOND = 20 };
enum { ANIMATION_BLOCK_MAX = 65535, ANIMATION_BLOCK_HEAD = 5 };

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static unsigned char *animation_put(unsigned char *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (unsigned char)(value >> shift);
    return to;
}

static void animation_chunk(FILE *out, const char *type, const unsigned char *data, size_t bytes)
{
    unsigned char word[4];
    uint32_t crc = app_crc(app_crc(0, (const unsigned char *)type, 4), data, bytes);
    animation_put(word, (uint32_t)bytes);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    fwrite(data, 1, bytes, out);
    animation_put(word, crc);
    fwrite(word, 1, 4, out);
}

/* Rows as a zlib stream of stored blocks, after so many bytes of head room. Returns where it ends. */
static unsigned char *animation_store(unsigned char *to, const unsigned char *rows, size_t bytes)
{
    uint32_t a = 1, b = 0;
    *to++ = 0x78;
    *to++ = 0x01;
    for (size_t i = 0; i < bytes; i++) {
        a = (a + rows[i]) % 65521;
        b = (b + a) % 65521;
    }
    for (size_t done = 0; done < bytes;) {
        size_t part = bytes - done < ANIMATION_BLOCK_MAX ? bytes - done : ANIMATION_BLOCK_MAX;
        *to++ = done + part == bytes;
        *to++ = (unsigned char)part;
        *to++ = (unsigned char)(part >> 8);
        *to++ = (unsigned char)~part;
        *to++ = (unsigned char)(~part >> 8);
        memcpy(to, rows + done, part);
        to += part;
        done += part;
    }
    return animation_put(to, b << 16 | a);
}

static unsigned char animation_byte(double share)
{
    return (unsigned char)lround(255 * fmin(1, share));
}

static void animation_palette(unsigned char colours[3 * 256], int is_glowing)
{
    for (int i = 0; i < 256; i++) {
        double value = (i - 127.5) / 127.5, fade = 1 - fabs(value), light = fmax(0, value);
        unsigned char *colour = colours + (size_t)i * 3;
        colour[0] = animation_byte(is_glowing ? 1.6 * light : value > 0 ? 1 - 0.3 * value : fade);
        colour[1] = animation_byte(is_glowing ? 1.2 * light * sqrt(light) : fade);
        colour[2] = animation_byte(is_glowing ? 0.15 + 1.1 * light * light : value < 0 ? 1 + 0.3 * value : fade);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void animation_write_frame(FILE *out, const app_animation *animation, int i, int count, uint32_t *sequence,
                                  unsigned char *scratch)
{
    size_t bytes = (size_t)animation->side * (size_t)(animation->side + 1);
    unsigned char control[26];
    if (count > 1) { /* at 0, 0; shown for 1/20 s; nothing is disposed of or blended */
        unsigned char *end = animation_put(control, (*sequence)++);
        end = animation_put(end, (uint32_t)animation->side);
        end = animation_put(end, (uint32_t)animation->side);
        memset(end, 0, 14);
        end[9] = 1;
        end[11] = ANIMATION_FRAMES_A_SECOND;
        animation_chunk(out, "fcTL", control, sizeof control);
    }
    unsigned char *start = i == 0 ? scratch : animation_put(scratch, (*sequence)++);
    unsigned char *end = animation_store(start, animation->frames[i], bytes);
    animation_chunk(out, i == 0 ? "IDAT" : "fdAT", scratch, (size_t)(end - scratch));
}

static void animation_write_all(FILE *out, const app_animation *animation, int first, int count,
                                unsigned char *scratch)
{
    app_animation shown = *animation;
    unsigned char head[13], colours[3 * 256], control[8];
    uint32_t sequence = 0;
    shown.frames += first;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
    memcpy(animation_put(animation_put(head, (uint32_t)shown.side), (uint32_t)shown.side), "\x08\x03\0\0\0", 5);
    animation_chunk(out, "IHDR", head, sizeof head);
    animation_palette(colours, shown.is_glowing);
    animation_chunk(out, "PLTE", colours, sizeof colours);
    if (count > 1) {
        animation_put(animation_put(control, (uint32_t)count), 0);
        animation_chunk(out, "acTL", control, sizeof control);
    }
    for (int i = 0; i < count; i++)
        animation_write_frame(out, &shown, i, count, &sequence, scratch);
    animation_chunk(out, "IEND", head, 0);
}

static int animation_write(const app_animation *animation, const char *path, int first, int count)
{
    app_file file;
    size_t bytes = (size_t)animation->side * (size_t)(animation->side + 1);
    unsigned char *scratch = malloc(bytes + 16 + (bytes / ANIMATION_BLOCK_MAX + 1) * ANIMATION_BLOCK_HEAD);
    int is_fine = scratch && app_file_begin(&file, path);
    if (is_fine) {
        animation_write_all(file.out, animation, first, count, scratch);
        is_fine = app_file_end(&file);
    }
    free(scratch);
    return is_fine;
}

int app_animation_add(app_animation *animation, const double *field, int elements, double brightest)
{
    int step = (elements + ANIMATION_SIDE_MAX - 1) / ANIMATION_SIDE_MAX, side = (elements + step - 1) / step;
    if (animation->count == animation->room) {
        int room = animation->room ? 2 * animation->room : 64;
        unsigned char **frames = realloc(animation->frames, (size_t)room * sizeof *frames);
        if (!frames)
            return 0;
        animation->frames = frames;
        animation->room = room;
    }
    unsigned char *rows = calloc((size_t)side, (size_t)side + 1); /* a row's first byte says that it is not filtered */
    if (!rows)
        return 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double value =
                field[(size_t)(elements - 1 - y * step) * (size_t)elements + (size_t)(x * step)] / brightest;
            double shade = copysign(sqrt(fmin(1, fabs(value))), value);
            rows[(size_t)y * (size_t)(side + 1) + 1 + (size_t)x] = (unsigned char)lround(127.5 + 127.5 * shade);
        }
    animation->side = side;
    animation->frames[animation->count++] = rows;
    if (!animation->folder)
        return 1;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/frame%04d.png", animation->folder, animation->count - 1);
    return animation_write(animation, path, animation->count - 1, 1);
}

int app_animation_finish(const app_animation *animation)
{
    return !animation->file || animation->count == 0 ||
           animation_write(animation, animation->file, 0, animation->count);
}

void app_animation_fini(app_animation *animation)
{
    for (int i = 0; i < animation->count; i++)
        free(animation->frames[i]);
    free(animation->frames);
}
