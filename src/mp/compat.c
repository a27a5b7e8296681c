/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/compat.h"

#include "base/sha256.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- which settings --------------------------------------------------------------------------------------------- */

/* A name; or, ending with a dot, all names that begin so. The others a rank may set for itself. */
static const char *const compat_common[] = {"dev",      "check",     "coll.",      "hyb.library",  "sm.ring",
                                            "sm.slots", "sm.memory", "tcp.packet", "tcp.eager_max"};

int cor_compat_is_common(const char *name)
{
    for (size_t i = 0; i < sizeof compat_common / sizeof *compat_common; i++) {
        const char *word = compat_common[i];
        size_t length = strlen(word);
        if (strncmp(name, word, length) == 0 && (word[length - 1] == '.' || !name[length]))
            return 1;
    }
    return 0;
}

/* The setting of this number, counted over all parts, and its part's struct; NULL: there are fewer. */
static const cor_knob *compat_knob(const cor_config *config, size_t number, const void **values_p)
{
    for (size_t i = 0; i < COR_CONFIG_PARTS; i++) {
        cor_config_part part = cor_config_part_at(i);
        *values_p = (const char *)config + part.offset;
        if (number < part.table->count)
            return &part.table->rows[number];
        number -= part.table->count;
    }
    return NULL;
}

static int compat_add_file(cor_sha256 *hash, const char *path, cor_fault *fault)
{
    char piece[1024];
    size_t length;
    FILE *file = fopen(path, "re");
    int has_failed = !file;
    while (file && (length = fread(piece, 1, sizeof piece, file)) > 0)
        cor_sha256_add(hash, piece, length);
    int cause = errno;
    if (file) {
        has_failed = ferror(file);
        fclose(file);
    }
    return has_failed ? cor_fault_set(fault, COR_ERR_KNOB, "cannot open the rules file %s: %s", path, strerror(cause))
                      : COR_OK;
}

/* A digest of the value. */
static int compat_digest(const cor_knob *knob, const void *values, uint32_t *digest_p, cor_fault *fault)
{
    const char *field = (const char *)values + knob->offset;
    uint8_t digest[COR_SHA256_BYTES];
    cor_sha256 hash;
    int rc = COR_OK;
    cor_sha256_init(&hash);
    if (strcmp(knob->name, "coll.rules") == 0)
        rc = compat_add_file(&hash, field, fault);
    else if (knob->type == COR_KNOB_TEXT || knob->type == COR_KNOB_MAP)
        cor_sha256_add(&hash, field, strlen(field));
    else
        cor_sha256_add(&hash, field, knob->type == COR_KNOB_SIZE ? sizeof(size_t) : sizeof(int));
    cor_sha256_end(&hash, digest);
    memcpy(digest_p, digest, sizeof *digest_p);
    return rc;
}

/* Behind all settings, as if it were one. Ranks on different processors may have different long doubles; nothing else
 * that a message could hold differs between those of one word size and byte order. */
enum { COMPAT_LONG_DOUBLE = 0xffff };

/* ---- telling ---------------------------------------------------------------------------------------------------- */

/* A host's name is for messages; characters that the text's format does not allow are replaced. */
static void compat_print_host(const char *host, char *out, size_t room)
{
    snprintf(out, room, "%s", host[0] ? host : "unknown");
    for (; *out; out++)
        if (*out <= ' ' || *out >= 127 || *out == ',' || *out == ';')
            *out = '_';
}

enum { COMPAT_VERSION_MAX = 32 };

int cor_compat_write(const cor_config *config, const char *host, int long_double_bits, char text[COR_COMPAT_MAX],
                     cor_fault *fault)
{
    char name[COR_COMPAT_HOST_MAX];
    const void *values;
    compat_print_host(host, name, sizeof name);
    int at = snprintf(text, COR_COMPAT_MAX, "corunna-%s,%c%d,%s", COR_VERSION,
                      __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 'b' : 'l', (int)sizeof(void *), name);
    const cor_knob *knob;
    for (unsigned number = 0; (knob = compat_knob(config, number, &values)) != NULL; number++) {
        uint32_t digest;
        if (!cor_compat_is_common(knob->name) || cor_knob_is_default(knob, values))
            continue;
        int rc = compat_digest(knob, values, &digest, fault);
        if (rc != COR_OK)
            return rc;
        at += snprintf(text + at, (size_t)(COR_COMPAT_MAX - at), ",%x:%08x", number, digest);
        COR_ASSERT(at < COR_COMPAT_MAX - 1);
    }
    if (long_double_bits != 0)
        at += snprintf(text + at, (size_t)(COR_COMPAT_MAX - at), ",%x:%08x", COMPAT_LONG_DOUBLE,
                       (unsigned)long_double_bits);
    COR_ASSERT(at < COR_COMPAT_MAX - 1);
    text[at] = ';';
    text[at + 1] = 0;
    return COR_OK;
}

const char *cor_compat_end(const char *text)
{
    const char *end = strchr(text, ';');
    return end ? end + 1 : text;
}

int cor_compat_host(const char *text, char host[COR_COMPAT_HOST_MAX])
{
    return sscanf(text, "%*[^,;],%*[^,;],%39[^,;]", host) == 1;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

typedef struct compat {
    char version[COMPAT_VERSION_MAX], host[COR_COMPAT_HOST_MAX];
    char order;
    int word_bytes;
    unsigned long_double_bits; /* 0: none */
    const char *settings;
} compat;

typedef struct compat_setting {
    unsigned number, digest;
} compat_setting;

/* Take the next setting; behind the last one comes one of number UINT_MAX. */
static compat_setting compat_take(const char **settings)
{
    compat_setting setting;
    int length = 0;
    if (sscanf(*settings, ",%8x:%8x%n", &setting.number, &setting.digest, &length) < 2 || length == 0)
        return (compat_setting){.number = UINT_MAX};
    *settings += length;
    return setting;
}

static unsigned compat_long_double(const char *settings)
{
    compat_setting setting;
    do
        setting = compat_take(&settings);
    while (setting.number < COMPAT_LONG_DOUBLE);
    return setting.number == COMPAT_LONG_DOUBLE ? setting.digest : 0;
}

static int compat_read(const char *text, int rank, compat *compat_p, cor_fault *fault)
{
    int at = 0;
    if (sscanf(text, "corunna-%31[^,;],%c%2d,%39[^,;]%n", compat_p->version, &compat_p->order, &compat_p->word_bytes,
               compat_p->host, &at) != 4 ||
        !strchr(text + at, ';'))
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d does not give its version of Corunna, this rank uses %s: all ranks of a job "
                             "need the same version",
                             rank, COR_VERSION);
    compat_p->settings = text + at;
    compat_p->long_double_bits = compat_long_double(compat_p->settings);
    return COR_OK;
}

/* The number of the first setting that is not the same, or UINT_MAX. Long doubles are no setting. */
static unsigned compat_find_difference(const char *settings, const char *others)
{
    compat_setting setting, other;
    do {
        setting = compat_take(&settings);
        other = compat_take(&others);
        if (setting.number != other.number)
            break;
    } while (setting.number < COMPAT_LONG_DOUBLE && setting.digest == other.digest);
    unsigned number = setting.number < other.number ? setting.number : other.number;
    return number < COMPAT_LONG_DOUBLE ? number : UINT_MAX;
}

static int compat_compare(const compat *other, int rank, const compat *first, const cor_config *config,
                          cor_fault *fault)
{
    if (strcmp(other->version, first->version) != 0)
        return cor_fault_set(
            fault, COR_ERR_UNREACHABLE,
            "rank %d on %s uses Corunna %s, rank 0 on %s Corunna %s: all ranks of a job need the same "
            "version",
            rank, other->host, other->version, first->host, first->version);
    if (other->word_bytes != first->word_bytes || other->order != first->order)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d on %s is a %d-bit %s-endian program, rank 0 on %s a %d-bit %s-endian one: they "
                             "cannot exchange messages",
                             rank, other->host, other->word_bytes * 8, other->order == 'b' ? "big" : "little",
                             first->host, first->word_bytes * 8, first->order == 'b' ? "big" : "little");
    unsigned number = compat_find_difference(other->settings, first->settings);
    if (number == UINT_MAX)
        return COR_OK;
    const void *values;
    const cor_knob *knob = compat_knob(config, number, &values);
    const char *name = knob ? knob->name : "setting";
    char value[64] = "";
    if (knob)
        cor_knob_print(knob, values, value);
    if (strcmp(name, "coll.rules") == 0)
        name = "rules file (coll.rules)";
    return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                         "rank %d on %s has a different %s than rank 0 on %s (this rank: \"%.40s\"): it must be the "
                         "same on all ranks of a job",
                         rank, other->host, name, first->host, value);
}

/* The first rank that has long doubles, against which those of others are compared. */
typedef struct compat_floats {
    int rank;
    compat who;
} compat_floats;

/* A rank without long doubles, as in Java, is compatible with every other. */
static int compat_compare_floats(const compat *other, int rank, compat_floats *floats, cor_fault *fault)
{
    if (other->long_double_bits == 0)
        return COR_OK;
    if (floats->who.long_double_bits == 0)
        *floats = (compat_floats){rank, *other};
    if (other->long_double_bits == floats->who.long_double_bits)
        return COR_OK;
    return cor_fault_set(
        fault, COR_ERR_UNREACHABLE,
        "rank %d on %s has a different long double than rank %d on %s, because their processors differ: "
        "they cannot exchange messages",
        rank, other->host, floats->rank, floats->who.host);
}

int cor_compat_compare(const char *const *texts, int size, const cor_config *config, cor_fault *fault)
{
    compat first = {.long_double_bits = 0}, other;
    int rc = compat_read(texts[0], 0, &first, fault);
    compat_floats floats = {0, first};
    const char *good =
        texts[0]; /* the last one that was compared; mostly the next is the same, and need not be read */
    for (int rank = 1; rc == COR_OK && rank < size; rank++) {
        if (strncmp(texts[rank], good, (size_t)(cor_compat_end(good) - good)) == 0)
            continue;
        rc = compat_read(texts[rank], rank, &other, fault);
        if (rc == COR_OK)
            rc = compat_compare(&other, rank, &first, config, fault);
        if (rc == COR_OK)
            rc = compat_compare_floats(&other, rank, &floats, fault);
        good = texts[rank];
    }
    return rc;
}
