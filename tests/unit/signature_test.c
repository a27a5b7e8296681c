/* SPDX-License-Identifier: Apache-2.0 */
/* Type signatures: equal for equal elements in equal order, however they were put together, and for nothing else. */
#include "dtype/signature.h"

#include "base/error.h"
#include "check.h"
#include "unit_random.h"

#include <string.h>

/* Of the MPI ABI. */
enum {
    PACKED = 0x207,
    SHORT = 0x208,
    INT = 0x209,
    LONG = 0x20a,
    UNSIGNED = 0x20d,
    FLOAT = 0x210,
    FLOAT_COMPLEX = 0x212,
    DOUBLE = 0x214,
    FLOAT_INT = 0x228,
    LONG_DOUBLE_COMPLEX = 0x225,
    TWO_INTS = 0x22b,
    TWO_REALS = 0x230,
    C_BOOL = 0x238,
    CHAR = 0x243,
    BYTE = 0x247,
    INT64 = 0x258
};

enum { ELEMENTS_MAX = 4000, TIMES = 1500 };

static const cor_dtype *basic(uint32_t number)
{
    const cor_dtype *type = cor_dtype_predefined(number);
    CHECK(type != NULL);
    return type;
}

static cor_signature many(uint32_t number, size_t count)
{
    return cor_signature_of(basic(number), count * basic(number)->size);
}

static int fits(uint32_t a, size_t a_count, uint32_t b, size_t b_count)
{
    cor_signature one = many(a, a_count), other = many(b, b_count);
    CHECK_EQUAL(cor_signature_fits(&one, &other), cor_signature_fits(&other, &one));
    return cor_signature_fits(&one, &other);
}

/* ---- what is alike ---------------------------------------------------------------------------------------------- */

static void test_basics(void)
{
    CHECK_EQUAL(1, fits(INT, 4, INT, 4));
    CHECK_EQUAL(0, fits(INT, 4, INT, 3));
    CHECK_EQUAL(0, fits(INT, 4, FLOAT, 4));
    CHECK_EQUAL(0, fits(INT, 2, DOUBLE, 1));
    CHECK_EQUAL(0, fits(LONG, 1, DOUBLE, 1));
    CHECK_EQUAL(0, fits(INT, 2, LONG, 1));
    CHECK_EQUAL(0, fits(C_BOOL, 4, CHAR, 4));
    CHECK_EQUAL(1, fits(INT, 4, UNSIGNED, 4));
    CHECK_EQUAL(1, fits(LONG, 4, INT64, 4));
    CHECK_EQUAL(1, fits(FLOAT_COMPLEX, 2, FLOAT, 4));
    CHECK_EQUAL(1, fits(TWO_INTS, 2, INT, 4));
    CHECK_EQUAL(1, fits(TWO_REALS, 2, FLOAT, 4));
    CHECK_EQUAL(0, fits(FLOAT_INT, 1, FLOAT, 2));
    CHECK_EQUAL(0, fits(FLOAT_INT, 1, INT, 2));
    CHECK_EQUAL(1, fits(BYTE, 4, FLOAT, 1));
    CHECK_EQUAL(1, fits(DOUBLE, 1, PACKED, 8));
    CHECK_EQUAL(1, fits(INT, 0, DOUBLE, 0));
    cor_signature unknown = cor_signature_of(NULL, 12), ints = many(INT, 3);
    CHECK_EQUAL(1, cor_signature_fits(&unknown, &ints));
}

static void check_words(const cor_dtype *type, size_t count, const char *words)
{
    char said[COR_SIGNATURE_WORDS];
    cor_signature signature = cor_signature_of(type, count * type->size);
    cor_signature_print(&signature, said);
    if (strcmp(said, words) != 0)
        printf("expected '%s', got '%s'\n", words, said);
    CHECK_EQUAL(0, strcmp(said, words));
}

static void test_words(void)
{
    const cor_dtype *type;
    const size_t lengths[4] = {2, 1, 3, 1};
    const ptrdiff_t displacements[4] = {0, 8, 16, 100};
    const cor_dtype *types[4] = {basic(INT), basic(INT), basic(DOUBLE), basic(FLOAT_INT)};
    check_words(basic(INT), 4, "4 of MPI_INT");
    check_words(basic(INT), 0, "nothing");
    CHECK_OK(cor_dtype_struct(3, lengths, displacements, types, &type));
    check_words(type, 1, "3 of MPI_INT and 3 of MPI_DOUBLE");
    check_words(type, 2, "3 of MPI_INT, 3 of MPI_DOUBLE, 3 of MPI_INT and so on");
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_struct(4, lengths, displacements, types, &type));
    check_words(type, 1, "3 of MPI_INT, 3 of MPI_DOUBLE and 1 of MPI_FLOAT_INT");
    cor_dtype_unref(type);
    types[0] = types[1] = basic(LONG_DOUBLE_COMPLEX);
    types[3] = basic(LONG_DOUBLE_COMPLEX);
    CHECK_OK(cor_dtype_struct(4, lengths, displacements, types, &type));
    check_words(type, 1, "3 of MPI_CXX_LONG_DOUBLE_COMPLEX, 3 of MPI_DOUBLE and so on");
    cor_dtype_unref(type);
}

/* ---- any structure ---------------------------------------------------------------------------------------------- */

/* A datatype, and its basic elements one by one. */
typedef struct sample {
    const cor_dtype *type;
    size_t count;
    uint32_t numbers[ELEMENTS_MAX];
} sample;

static void sample_add(sample *s, const uint32_t *numbers, size_t count, size_t times)
{
    for (size_t i = 0; i < times; i++)
        for (size_t j = 0; j < count; j++) {
            CHECK(s->count < ELEMENTS_MAX);
            s->numbers[s->count++] = numbers[j];
        }
}

static void sample_make(sample *s, int depth, uint64_t *state);

static void sample_make_struct(sample *s, int depth, uint64_t *state)
{
    sample *part = malloc(sizeof *part);
    size_t count = unit_random(state) % 4, lengths[4] = {0};
    ptrdiff_t displacements[4] = {0};
    const cor_dtype *types[4] = {NULL};
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || unit_random(state) % 2)
            sample_make(part, depth - 1, state);
        else
            cor_dtype_ref(part->type); /* the same once more */
        types[i] = part->type;
        lengths[i] = unit_random(state) % 3;
        displacements[i] = (ptrdiff_t)(unit_random(state) % 100);
        sample_add(s, part->numbers, part->count, lengths[i]);
    }
    CHECK_OK(cor_dtype_struct(count, lengths, displacements, types, &s->type));
    for (size_t i = 0; i < count; i++)
        cor_dtype_unref(types[i]);
    free(part);
}

static void sample_make(sample *s, int depth, uint64_t *state)
{
    static const uint32_t basics[] = {INT, FLOAT, DOUBLE, SHORT, CHAR, C_BOOL};
    uint64_t way = depth > 0 ? unit_random(state) % 4 : 0;
    if (way == 0) {
        s->numbers[0] = basics[unit_random(state) % (sizeof basics / sizeof *basics)];
        s->count = 1;
        s->type = basic(s->numbers[0]);
        return;
    }
    if (way == 1) {
        sample_make_struct(s, depth, state);
        return;
    }
    sample *base = malloc(sizeof *base);
    size_t lengths[3], total = 0;
    ptrdiff_t displacements[3] = {0, 3, 9};
    sample_make(base, depth - 1, state);
    s->count = 0;
    for (size_t i = 0; i < 3; i++)
        total += lengths[i] = unit_random(state) % 3;
    if (way == 2)
        CHECK_OK(cor_dtype_indexed(3, lengths, displacements, base->type, &s->type));
    else
        CHECK_OK(cor_dtype_vector(3, lengths[0], 4, base->type, &s->type));
    sample_add(s, base->numbers, base->count, way == 2 ? total : 3 * lengths[0]);
    cor_dtype_unref(base->type);
    free(base);
}

/* The same elements one by one. */
static cor_signature flat_signature(const uint32_t *numbers, size_t count)
{
    size_t *lengths = malloc(ELEMENTS_MAX * sizeof *lengths);
    ptrdiff_t *displacements = malloc(ELEMENTS_MAX * sizeof *displacements);
    const cor_dtype **types = malloc(ELEMENTS_MAX * sizeof *types), *flat;
    for (size_t i = 0; i < count; i++) {
        lengths[i] = 1;
        displacements[i] = (ptrdiff_t)(16 * i);
        types[i] = basic(numbers[i]);
    }
    CHECK_OK(cor_dtype_struct(count, lengths, displacements, types, &flat));
    cor_signature signature = cor_signature_of(flat, flat->size);
    cor_dtype_unref(flat);
    free(lengths);
    free(displacements);
    free((void *)types);
    return signature;
}

static void test_random(uint64_t *state)
{
    sample *s = malloc(sizeof *s), *whole = malloc(sizeof *whole);
    size_t other_count = 0;
    for (int i = 0; i < TIMES; i++) {
        size_t times = 1 + unit_random(state) % 3;
        sample_make(s, 4, state);
        whole->count = 0;
        sample_add(whole, s->numbers, s->count, times);
        cor_signature made = cor_signature_of(s->type, times * s->type->size);
        cor_signature flat = flat_signature(whole->numbers, whole->count);
        CHECK_EQUAL(1, cor_signature_fits(&made, &flat));
        CHECK_EQUAL(whole->count, made.elements);
        /* Change places, or become something else. */
        if (whole->count > 1) {
            size_t a = unit_random(state) % whole->count, b = unit_random(state) % whole->count;
            uint32_t kept = whole->numbers[a];
            whole->numbers[a] = whole->numbers[b];
            whole->numbers[b] = kept;
            if (whole->numbers[a] == kept)
                whole->numbers[a] = kept == INT ? FLOAT : INT;
            flat = flat_signature(whole->numbers, whole->count);
            CHECK_EQUAL(0, cor_signature_fits(&made, &flat));
            other_count++;
        }
        cor_dtype_unref(s->type);
    }
    CHECK(other_count > TIMES / 4);
    free(s);
    free(whole);
}

/* Every level has the one below twice. */
static const cor_dtype *doubled(int levels)
{
    const cor_dtype *type = basic(INT);
    for (int i = 0; i < levels; i++) {
        const size_t lengths[3] = {1, 1, 1};
        const ptrdiff_t displacements[3] = {0, type->extent, 2 * type->extent};
        const cor_dtype *types[3] = {type, basic(FLOAT), type}, *wider;
        CHECK_OK(cor_dtype_struct(3, lengths, displacements, types, &wider));
        cor_dtype_unref(type);
        type = wider;
    }
    return type;
}

static const cor_dtype *dup_of_dup(int levels)
{
    const cor_dtype *type = basic(INT);
    for (int i = 0; i < levels; i++) {
        const cor_dtype *copy;
        CHECK_OK(cor_dtype_dup(type, &copy));
        cor_dtype_unref(type);
        type = copy;
    }
    return type;
}

/* Counts beyond what can be counted through, and types that are quickly made and slowly walked through. */
static void test_large(void)
{
    const cor_dtype *type;
    CHECK_OK(cor_dtype_contiguous((size_t)1 << 40, basic(INT), &type));
    cor_signature ints = many(INT, (size_t)1 << 42), walked = cor_signature_of(type, 4 * type->size);
    CHECK_EQUAL(1, cor_signature_fits(&ints, &walked));
    ints = many(INT, ((size_t)1 << 42) + 1);
    CHECK_EQUAL(0, cor_signature_fits(&ints, &walked));
    cor_dtype_unref(type);
    for (int levels = 10; levels <= 18; levels += 8) {
        type = doubled(levels);
        walked = cor_signature_of(type, type->size);
        CHECK_EQUAL(levels == 18, walked.is_open);
        CHECK(walked.is_open || walked.elements == ((uint64_t)2 << levels) - 1);
        cor_dtype_unref(type);
    }
    for (int levels = 100; levels <= 1000; levels += 900) {
        type = dup_of_dup(levels);
        walked = cor_signature_of(type, type->size);
        CHECK_EQUAL(levels == 1000, walked.is_open);
        cor_dtype_unref(type);
    }
}

int main(void)
{
    uint64_t state = unit_seed();
    test_basics();
    test_words();
    test_random(&state);
    test_large();
    printf("signatures: passed\n");
    return 0;
}
