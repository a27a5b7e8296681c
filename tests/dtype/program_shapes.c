/* SPDX-License-Identifier: Apache-2.0 */
/* What datatypes are compiled into: few loops, and none where bytes lie side by side. */
#include "check.h"

#include "base/error.h"
#include "dtype/program.h"

#include <stdlib.h>
#include <string.h>

static const cor_dtype *predefined(uint32_t number)
{
    return cor_dtype_predefined(number);
}

#define DOUBLE predefined(0x214)
#define INT predefined(0x209)
#define CHAR predefined(0x243)

/* One nest over blocks of `block` bytes with these loops: count, stride, count, stride... from the outermost. */
static void check_nest(int line, const cor_dtype *type, size_t block, uint32_t depth, const ptrdiff_t *loops)
{
    const cor_nest *nest = type->nest;
    int is_right = nest && !nest->body && nest->body_bytes == block && nest->depth == depth;
    for (uint32_t i = 0; is_right && i < depth; i++)
        is_right = (ptrdiff_t)nest->loops[i].count == loops[2 * i] && nest->loops[i].stride == loops[2 * i + 1];
    if (!is_right && nest)
        fprintf(stderr, "line %d: %s of %zu bytes under %u loops, the outermost %zu times %td\n", line,
                nest->body ? "a list" : "blocks", nest->body_bytes, nest->depth, nest->loops[0].count,
                nest->loops[0].stride);
    CHECK(is_right);
}

#define NEST(type, block, depth, ...) check_nest(__LINE__, type, block, depth, (const ptrdiff_t[]){__VA_ARGS__, 0})

/* Keep the last type only. */
static const cor_dtype *instead(const cor_dtype *old, const cor_dtype *type)
{
    cor_dtype_unref(old);
    return type;
}

static void test_rows(void)
{
    const cor_dtype *type, *outer;
    CHECK_OK(cor_dtype_vector(100, 1, 50, DOUBLE, &type));
    NEST(type, 8, 1, 100, 400);
    /* Columns of columns of a matrix of 50: the loops stay loops. */
    CHECK_OK(cor_dtype_hvector(7, 1, 8, type, &outer));
    NEST(outer, 8, 2, 7, 8, 100, 400);
    cor_dtype_unref(outer);
    /* One below the other: one loop. */
    CHECK_OK(cor_dtype_hvector(3, 1, 100 * 400, type, &outer));
    NEST(outer, 8, 1, 300, 400);
    cor_dtype_unref(outer);
    cor_dtype_unref(type);
    /* Blocks without gaps are one block. */
    CHECK_OK(cor_dtype_vector(10, 3, 3, INT, &type));
    CHECK(type->is_contiguous);
    NEST(type, 120, 0, 0);
    cor_dtype_unref(type);
    /* Elements that go on where the last one ended are one loop at run time. */
    CHECK_OK(cor_dtype_vector(4, 1, 2, INT, &outer));
    CHECK_OK(cor_dtype_resized(outer, 0, 32, &type));
    CHECK(type->level == 1 && type->step == 8 && outer->level == 0);
    cor_dtype_unref(outer);
    cor_dtype_unref(type);
}

static void test_faces(void)
{
    const cor_dtype *type;
    size_t sizes[] = {20, 30, 40};
    CHECK_OK(cor_dtype_subarray(3, sizes, (size_t[]){1, 30, 40}, (size_t[]){5, 0, 0}, 0, DOUBLE, &type));
    NEST(type, 30 * 40 * 8, 0, 0);
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_subarray(3, sizes, (size_t[]){20, 1, 40}, (size_t[]){0, 3, 0}, 0, DOUBLE, &type));
    NEST(type, 320, 1, 20, 9600);
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_subarray(3, sizes, (size_t[]){20, 30, 1}, (size_t[]){0, 0, 39}, 0, DOUBLE, &type));
    NEST(type, 8, 1, 600, 320);
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_subarray(3, sizes, (size_t[]){18, 28, 1}, (size_t[]){1, 1, 1}, 0, DOUBLE, &type));
    NEST(type, 8, 2, 18, 9600, 28, 320);
    cor_dtype_unref(type);
}

static void test_lists(void)
{
    const cor_dtype *type, *pair;
    ptrdiff_t regular[] = {5, 10, 15, 20, 25}, touching[] = {0, 8, 16};
    size_t lengths[] = {8, 7, 6, 5, 4, 3, 2, 1};
    ptrdiff_t diagonal[] = {0, 9, 18, 27, 36, 45, 54, 63};
    CHECK_OK(cor_dtype_indexed_block(5, 2, regular, INT, &type));
    NEST(type, 8, 1, 5, 20);
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_hindexed_block(3, 1, touching, DOUBLE, &type));
    CHECK(type->is_contiguous);
    cor_dtype_unref(type);
    /* An upper triangle is a list of eight blocks, and stays one when it is repeated. */
    CHECK_OK(cor_dtype_indexed(8, lengths, diagonal, DOUBLE, &type));
    CHECK(type->nest->body && type->nest->body->count == 8 && type->nest->body->is_flat && type->nest->depth == 0);
    CHECK_OK(cor_dtype_contiguous(1000, type, &pair));
    CHECK(pair->nest->body == type->nest->body && pair->nest->depth == 1 && pair->nest->loops[0].count == 1000);
    cor_dtype_unref(type);
    cor_dtype_unref(pair);
    /* A struct without gaps is one block whatever it is made of. */
    CHECK_OK(cor_dtype_struct(3, (size_t[]){1, 1, 4}, (ptrdiff_t[]){0, 8, 12},
                              (const cor_dtype *[]){DOUBLE, INT, CHAR}, &type));
    CHECK(type->is_contiguous && type->size == 16);
    cor_dtype_unref(type);
    /* With a gap in the middle, many times: one list under one loop. */
    CHECK(cor_dtype_struct(2, (size_t[]){1, 1}, (ptrdiff_t[]){0, 8}, (const cor_dtype *[]){CHAR, DOUBLE}, &pair) ==
          COR_OK);
    CHECK_OK(cor_dtype_contiguous(1000, pair, &type));
    type = instead(pair, type);
    CHECK(type->nest->body && type->nest->body->count == 2 && type->nest->depth == 1);
    cor_dtype_unref(type);
}

/* More loops than one nest has: a nest of a nest, still right. */
static void test_deep(void)
{
    enum { DEEP = 7 };
    const cor_dtype *type = CHAR, *outer;
    ptrdiff_t stride = 2, reach = 1;
    for (int i = 0; i < DEEP; i++) {
        CHECK_OK(cor_dtype_hvector(2, 1, stride, type, &outer));
        type = instead(type, outer);
        reach += stride;
        stride = 3 * stride + 1;
    }
    CHECK(type->size == 1u << DEEP && type->nest->body && type->nest->body->count == 1);
    unsigned char *memory = malloc((size_t)reach), packed[1 << DEEP], back[1 << DEEP];
    for (ptrdiff_t i = 0; i < reach; i++)
        memory[i] = (unsigned char)(i * 7);
    cor_dtype_pack(type, memory, 1, 0, packed, sizeof packed);
    for (unsigned i = 0; i < sizeof packed; i++) {
        ptrdiff_t offset = 0, step = 2;
        for (int bit = 0; bit < DEEP; bit++, step = 3 * step + 1)
            offset += i >> bit & 1 ? step : 0;
        CHECK(packed[i] == memory[offset]);
        cor_dtype_pack(type, memory, 1, i, back, sizeof packed - i);
        CHECK(memcmp(back, packed + i, sizeof packed - i) == 0);
    }
    free(memory);
    cor_dtype_unref(type);
}

/* Where the limits of memory are. */
static void test_limits(void)
{
    const cor_dtype *type = NULL, *wide;
    CHECK(cor_dtype_contiguous(SIZE_MAX, CHAR, &type) == COR_ERR_COUNT);
    CHECK_OK(cor_dtype_contiguous(PTRDIFF_MAX, CHAR, &wide));
    CHECK(cor_dtype_contiguous(2, wide, &type) == COR_ERR_COUNT);
    CHECK(cor_dtype_struct(2, (size_t[]){1, 1}, (ptrdiff_t[]){0, 1}, (const cor_dtype *[]){wide, wide}, &type) ==
          COR_ERR_COUNT);
    cor_dtype_unref(wide);
    CHECK(cor_dtype_hvector(2, 1, PTRDIFF_MAX, CHAR, &type) == COR_ERR_COUNT);
    CHECK(cor_dtype_hvector(2, 1, PTRDIFF_MIN, CHAR, &type) == COR_ERR_COUNT);
    CHECK_OK(cor_dtype_hvector(2, 1, PTRDIFF_MIN / 2, CHAR, &type));
    cor_dtype_unref(type);
    CHECK(cor_dtype_vector(3, 1, PTRDIFF_MAX / 8, DOUBLE, &type) == COR_ERR_COUNT);
    CHECK(cor_dtype_hindexed_block(2, 1, (ptrdiff_t[]){PTRDIFF_MIN, PTRDIFF_MAX - 8}, CHAR, &type) == COR_ERR_COUNT);
    CHECK(cor_dtype_resized(INT, PTRDIFF_MAX, 1, &type) == COR_ERR_COUNT);
    CHECK(cor_dtype_subarray(2, (size_t[]){(size_t)1 << 40, (size_t)1 << 40}, (size_t[]){1, 1}, (size_t[]){0, 0}, 0,
                             CHAR, &type) == COR_ERR_COUNT);
}

int main(void)
{
    test_rows();
    test_faces();
    test_lists();
    test_deep();
    test_limits();
    puts("program_shapes: passed");
    return 0;
}
