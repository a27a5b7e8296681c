/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_kind.h"

#include "base/error.h"

#include <string.h>

/* Numbers of the MPI ABI. */
enum {
    ABI_SUM = 0x21,
    ABI_MAX = 0x23,
    ABI_BXOR = 0x2a,
    ABI_INT = 0x209,
    ABI_DOUBLE = 0x214,
    ABI_INT8 = 0x240,
    ABI_CHAR = 0x243,
    ABI_UINT32 = 0x251,
};

/* ---- operators of a user ---------------------------------------------------------------------------------------- */

/* As the datatypes below lay them out. */
enum { PAIR_A = 4, PAIR_B = 12, PAIR_EXTENT = 20, MATRIX_ROW = 12, MATRIX_EXTENT = 28 };

static uint32_t kind_word(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void kind_put(char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

static void kind_apply_pair(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                            void *handle)
{
    (void)op, (void)type, (void)handle;
    const char *a = in;
    char *b = inout;
    for (size_t i = 0; i < count; i++, a += PAIR_EXTENT, b += PAIR_EXTENT) {
        kind_put(b + PAIR_A, kind_word(a + PAIR_A) + kind_word(b + PAIR_A));
        kind_put(b + PAIR_B, kind_word(a + PAIR_B) ^ kind_word(b + PAIR_B));
    }
}

static void kind_apply_affine(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                              void *handle)
{
    (void)op, (void)type, (void)handle;
    const char *a = in;
    char *b = inout;
    for (size_t i = 0; i < count; i++, a += PAIR_EXTENT, b += PAIR_EXTENT) {
        uint32_t factor = kind_word(a + PAIR_A);
        kind_put(b + PAIR_B, factor * kind_word(b + PAIR_B) + kind_word(a + PAIR_B));
        kind_put(b + PAIR_A, factor * kind_word(b + PAIR_A));
    }
}

static void kind_product(const uint32_t a[4], const uint32_t b[4], uint32_t out[4])
{
    out[0] = a[0] * b[0] + a[1] * b[2];
    out[1] = a[0] * b[1] + a[1] * b[3];
    out[2] = a[2] * b[0] + a[3] * b[2];
    out[3] = a[2] * b[1] + a[3] * b[3];
}

static void kind_apply_matrix(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                              void *handle)
{
    (void)op, (void)type, (void)handle;
    const char *left = in;
    char *right = inout;
    for (size_t i = 0; i < count; i++, left += MATRIX_EXTENT, right += MATRIX_EXTENT) {
        uint32_t a[4], b[4], product[4];
        memcpy(a, left, 8);
        memcpy(a + 2, left + MATRIX_ROW, 8);
        memcpy(b, right, 8);
        memcpy(b + 2, right + MATRIX_ROW, 8);
        kind_product(a, b, product);
        memcpy(right, product, 8);
        memcpy(right + MATRIX_ROW, product + 2, 8);
    }
}

/* ---- datatypes -------------------------------------------------------------------------------------------------- */

/* With other bounds; the base is given up. */
static const cor_dtype *kind_resized(const cor_dtype *base, ptrdiff_t extent)
{
    const cor_dtype *type = NULL;
    if (!base || cor_dtype_resized(base, 0, extent, &type) != COR_OK)
        type = NULL;
    if (base)
        cor_dtype_unref(base);
    return type;
}

/* Three blocks of two ints, an int's gap between them and behind. */
static const cor_dtype *kind_make_vector(void)
{
    const cor_dtype *type = NULL;
    if (cor_dtype_vector(3, 2, 3, cor_dtype_predefined(ABI_INT), &type) != COR_OK)
        return NULL;
    return kind_resized(type, 36);
}

/* An int, a gap, a double, a gap, three ints, a gap. */
static const cor_dtype *kind_make_struct(void)
{
    const cor_dtype *type = NULL, *ints = cor_dtype_predefined(ABI_INT);
    const cor_dtype *types[] = {ints, cor_dtype_predefined(ABI_DOUBLE), ints};
    if (cor_dtype_struct(3, (size_t[]){1, 1, 3}, (ptrdiff_t[]){0, 8, 20}, types, &type) != COR_OK)
        return NULL;
    return kind_resized(type, 40);
}

static const cor_dtype *kind_make_pair(void)
{
    const cor_dtype *type = NULL, *word = cor_dtype_predefined(ABI_UINT32);
    const cor_dtype *types[] = {word, word};
    if (cor_dtype_struct(2, (size_t[]){1, 1}, (ptrdiff_t[]){PAIR_A, PAIR_B}, types, &type) != COR_OK)
        return NULL;
    return kind_resized(type, PAIR_EXTENT);
}

static const cor_dtype *kind_make_matrix(void)
{
    const cor_dtype *type = NULL;
    if (cor_dtype_vector(2, 2, MATRIX_ROW / 4, cor_dtype_predefined(ABI_UINT32), &type) != COR_OK)
        return NULL;
    return kind_resized(type, MATRIX_EXTENT);
}

int coll_kinds_init(coll_kinds *kinds)
{
    *kinds = (coll_kinds){
        .types = {[KIND_CHAR] = cor_dtype_predefined(ABI_CHAR),
                  [KIND_DOUBLE] = cor_dtype_predefined(ABI_DOUBLE),
                  [KIND_VECTOR] = kind_make_vector(),
                  [KIND_STRUCT] = kind_make_struct(),
                  [KIND_INT_SUM] = cor_dtype_predefined(ABI_INT),
                  [KIND_CHAR_MAX] = cor_dtype_predefined(ABI_INT8),
                  [KIND_DOUBLE_SUM] = cor_dtype_predefined(ABI_DOUBLE),
                  [KIND_WORD_XOR] = cor_dtype_predefined(ABI_UINT32),
                  [KIND_PAIR] = kind_make_pair(),
                  [KIND_AFFINE] = kind_make_pair(),
                  [KIND_MATRIX] = kind_make_matrix()},
        .ops = {[KIND_INT_SUM] = cor_op_predefined(ABI_SUM),
                [KIND_CHAR_MAX] = cor_op_predefined(ABI_MAX),
                [KIND_DOUBLE_SUM] = cor_op_predefined(ABI_SUM),
                [KIND_WORD_XOR] = cor_op_predefined(ABI_BXOR),
                [KIND_PAIR] = cor_op_create(kind_apply_pair, 1, NULL, NULL),
                [KIND_AFFINE] = cor_op_create(kind_apply_affine, 0, NULL, NULL),
                [KIND_MATRIX] = cor_op_create(kind_apply_matrix, 0, NULL, NULL)},
    };
    for (int kind = 0; kind < KINDS; kind++)
        if ((kind != KIND_MIXED && !kinds->types[kind]) || (kind >= KIND_MOVED_END && !kinds->ops[kind]))
            return 0;
    return 1;
}

void coll_kinds_fini(coll_kinds *kinds)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (kinds->types[kind])
            cor_dtype_unref(kinds->types[kind]);
        if (kinds->ops[kind])
            cor_op_unref(kinds->ops[kind]);
    }
}

/* ---- what they are ---------------------------------------------------------------------------------------------- */

typedef struct kind_row {
    const char *name;
    size_t bytes;
    int is_commutative;
} kind_row;

static const kind_row kind_rows[KINDS] = {
    [KIND_CHAR] = {"char", 1, 1},
    [KIND_DOUBLE] = {"double", 8, 1},
    [KIND_VECTOR] = {"vector", 24, 1},
    [KIND_STRUCT] = {"struct", 24, 1},
    [KIND_MIXED] = {"mixed", KIND_MOVED_BYTES, 1},
    [KIND_INT_SUM] = {"int sum", 4, 1},
    [KIND_CHAR_MAX] = {"char max", 1, 1},
    [KIND_DOUBLE_SUM] = {"double sum", 8, 1},
    [KIND_WORD_XOR] = {"word xor", 4, 1},
    [KIND_PAIR] = {"user's pair", 8, 1},
    [KIND_AFFINE] = {"user's affine map (not commutative)", 8, 0},
    [KIND_MATRIX] = {"user's matrix (not commutative)", 16, 0},
};

const char *coll_kind_name(coll_kind kind)
{
    return kind_rows[kind].name;
}

int coll_kind_is_commutative(coll_kind kind)
{
    return kind_rows[kind].is_commutative;
}

size_t coll_kind_bytes(coll_kind kind)
{
    return kind_rows[kind].bytes;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Cheap, because tests make hundreds of megabytes of it. */
static uint64_t kind_value(uint64_t key, size_t place)
{
    uint64_t value = (key + place) * 0x9e3779b97f4a7c15u;
    return value ^ (value >> 29);
}

/* Bytes of a stream that does not know its elements. */
static void kind_fill_bytes(uint64_t key, size_t first, size_t bytes, char *packed)
{
    size_t within = first % 8, place = first / 8;
    char words[16];
    uint64_t word;
    for (; bytes >= 8 && within == 0; packed += 8, bytes -= 8) {
        word = kind_value(key, place++);
        memcpy(packed, &word, 8);
    }
    while (bytes > 0) {
        size_t length = bytes < 8 ? bytes : 8;
        word = kind_value(key, place++);
        memcpy(words, &word, 8);
        word = kind_value(key, place);
        memcpy(words + 8, &word, 8);
        memcpy(packed, words + within, length);
        packed += length;
        bytes -= length;
    }
}

void coll_kind_fill(coll_kind kind, uint64_t key, size_t first, size_t count, void *packed)
{
    size_t bytes = coll_kind_bytes(kind);
    char *at = packed;
    if (kind == KIND_INT_SUM) {
        /* Small enough that no sum overflows. */
        for (size_t i = 0; i < count; i++)
            kind_put(at + i * 4, (uint32_t)(kind_value(key, first + i) & 0xfffff));
    } else if (kind == KIND_DOUBLE_SUM) {
        /* Whole and small: every order of adding gives the same. */
        for (size_t i = 0; i < count; i++) {
            double value = (double)(kind_value(key, first + i) & 0xfffff) - 1000;
            memcpy(at + i * 8, &value, 8);
        }
    } else {
        kind_fill_bytes(key, first * bytes, count * bytes, packed);
    }
}

static double kind_double(const char *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The loops are short so that the compiler makes something of them. */
void coll_kind_combine(coll_kind kind, void *into, const void *next, size_t count)
{
    char *a = into;
    const char *b = next;
    if (kind == KIND_CHAR_MAX) {
        for (size_t i = 0; i < count; i++)
            a[i] = (signed char)a[i] > (signed char)b[i] ? a[i] : b[i];
    } else if (kind == KIND_DOUBLE_SUM) {
        for (size_t i = 0; i < count * 8; i += 8) {
            double sum = kind_double(a + i) + kind_double(b + i);
            memcpy(a + i, &sum, 8);
        }
    } else if (kind == KIND_INT_SUM) {
        for (size_t i = 0; i < count * 4; i += 4)
            kind_put(a + i, kind_word(a + i) + kind_word(b + i));
    } else if (kind == KIND_WORD_XOR) {
        for (size_t i = 0; i < count * 4; i += 4)
            kind_put(a + i, kind_word(a + i) ^ kind_word(b + i));
    } else if (kind == KIND_PAIR) {
        for (size_t i = 0; i < count * 8; i += 8) {
            kind_put(a + i, kind_word(a + i) + kind_word(b + i));
            kind_put(a + i + 4, kind_word(a + i + 4) ^ kind_word(b + i + 4));
        }
    } else if (kind == KIND_AFFINE) {
        for (size_t i = 0; i < count * 8; i += 8) {
            uint32_t factor = kind_word(a + i);
            kind_put(a + i + 4, factor * kind_word(b + i + 4) + kind_word(a + i + 4));
            kind_put(a + i, factor * kind_word(b + i));
        }
    } else {
        for (size_t i = 0; i < count * 16; i += 16) {
            uint32_t left[4], right[4], product[4];
            memcpy(left, a + i, 16);
            memcpy(right, b + i, 16);
            kind_product(left, right, product);
            memcpy(a + i, product, 16);
        }
    }
}
