/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's operators: products of matrices, which do not commute, on types of every shape. The function sees memory as
 * the type lays it out, aligned, and may touch all of an element between its bounds. Also the life of operators.
 */
#include "check.h"
#include "unit_random.h"

#include "base/error.h"
#include "dtype/op.h"

#include <string.h>

enum { INT = 0x209, DOUBLE = 0x214, ELEMENTS_MAX = 9000, HANDLE = 77 };

/* Four numbers: the packed form of every type here. */
typedef struct matrix {
    unsigned cell[4];
} matrix;

static matrix matrix_product(matrix a, matrix b)
{
    return (matrix){{a.cell[0] * b.cell[0] + a.cell[1] * b.cell[2], a.cell[0] * b.cell[1] + a.cell[1] * b.cell[3],
                     a.cell[2] * b.cell[0] + a.cell[3] * b.cell[2], a.cell[2] * b.cell[1] + a.cell[3] * b.cell[3]}};
}

static matrix matrix_sum(matrix a, matrix b)
{
    for (int i = 0; i < 4; i++)
        a.cell[i] += b.cell[i];
    return a;
}

/* ---- the function ----------------------------------------------------------------------------------------------- */

/* What an operator is asked to look at, and what it saw. */
typedef struct watch {
    int is_product;
    size_t calls, elements;
    int freed;
} watch;

/* Read and write everything between the bounds, as the copy of a struct does. The element may begin outside memory. */
static void touch(char *element, const cor_dtype *type)
{
    for (ptrdiff_t at = type->lb; at < type->lb + type->extent; at++) {
        volatile char *byte = (char *)((uintptr_t)element + (uintptr_t)at);
        *byte = *byte;
    }
}

static void apply(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type, void *handle)
{
    watch *seen = op->context;
    CHECK_EQUAL(HANDLE, (intptr_t)handle);
    CHECK_EQUAL(0, (uintptr_t)in % type->alignment);
    CHECK_EQUAL(0, (uintptr_t)inout % type->alignment);
    seen->calls++;
    seen->elements += count;
    for (size_t i = 0; i < count; i++) {
        matrix a, b;
        char *left = (char *)(uintptr_t)in + (ptrdiff_t)i * type->extent;
        char *right = (char *)inout + (ptrdiff_t)i * type->extent;
        touch(left, type);
        touch(right, type);
        cor_dtype_pack(type, left, 1, 0, &a, sizeof a);
        cor_dtype_pack(type, right, 1, 0, &b, sizeof b);
        matrix result = seen->is_product ? matrix_product(a, b) : matrix_sum(a, b);
        cor_dtype_unpack(type, right, 1, 0, &result, sizeof result);
    }
}

static void free_watch(void *context)
{
    ((watch *)context)->freed++;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* Every shape has four ints an element. */
static const cor_dtype *make_shape(int shape)
{
    const cor_dtype *base = cor_dtype_predefined(INT), *made = NULL, *resized = NULL;
    static const size_t ones[] = {1, 1, 1, 1};
    static const ptrdiff_t mixed[] = {12, -20, 0, 40}, far[] = {0, 100000, 50000, 150000};
    int code = COR_ERR_ARG;
    switch (shape) {
    case 0: /* no gaps */
        return cor_dtype_contiguous(4, base, &made) == COR_OK ? made : NULL;
    case 1: /* every other int */
        return cor_dtype_vector(4, 1, 2, base, &made) == COR_OK ? made : NULL;
    case 2: /* out of order, and before its own address */
        return cor_dtype_hindexed(4, ones, mixed, base, &made) == COR_OK ? made : NULL;
    case 3: /* larger than the scratch memory */
        return cor_dtype_hindexed(4, ones, far, base, &made) == COR_OK ? made : NULL;
    case 4: /* a column of a matrix: the elements lie between each other */
        code = cor_dtype_vector(4, 1, 100, base, &made);
        code = code == COR_OK ? cor_dtype_resized(made, 0, 4, &resized) : code;
        break;
    case 5: /* backwards */
        code = cor_dtype_contiguous(4, base, &made);
        code = code == COR_OK ? cor_dtype_resized(made, 0, -32, &resized) : code;
        break;
    case 6: /* bounds around the data, and not aligned */
        code = cor_dtype_contiguous(4, base, &made);
        code = code == COR_OK ? cor_dtype_resized(made, -22, 64, &resized) : code;
        break;
    case 7: /* as if from MPI_BOTTOM: displacements are addresses */
        code = cor_dtype_vector(4, 1, 3, base, &made);
        if (code == COR_OK) {
            ptrdiff_t address = 0x7f0012345678;
            code = cor_dtype_hindexed_block(1, 1, &address, made, &resized);
        }
        break;
    default:
        return NULL;
    }
    CHECK_OK(code);
    cor_dtype_unref(made);
    return resized;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

typedef struct arena {
    char a[ELEMENTS_MAX * sizeof(matrix) + 64], b[ELEMENTS_MAX * sizeof(matrix) + 64];
    char out[ELEMENTS_MAX * sizeof(matrix) + 64];
} arena;

static void fill(char *stream, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < 4 * count; i++) {
        unsigned cell = (unsigned)unit_random(random);
        memcpy(stream + i * sizeof cell, &cell, sizeof cell);
    }
}

/* `shift` bytes off the alignment; the result apart, in place of b, or of a. */
static void test_packed(const cor_op *op, const cor_dtype *type, arena *room, size_t count, size_t shift, int where,
                        uint64_t *random)
{
    static matrix expected[ELEMENTS_MAX];
    const watch *seen = op->context;
    char *a = room->a + shift, *b = room->b + shift, *out = where == 0 ? room->out + shift : where == 1 ? b : a;
    cor_reducer reducer;
    fill(a, count, random);
    fill(b, count, random);
    for (size_t i = 0; i < count; i++) {
        matrix left, right;
        memcpy(&left, a + i * sizeof left, sizeof left);
        memcpy(&right, b + i * sizeof right, sizeof right);
        expected[i] = seen->is_product ? matrix_product(left, right) : matrix_sum(left, right);
    }
    memset(out + count * sizeof(matrix), 0x5a, 8);
    size_t elements = seen->elements;
    CHECK_OK(cor_reducer_init(&reducer, op, type, (void *)HANDLE));
    CHECK_OK(cor_reduce_packed(&reducer, a, b, out, count * sizeof(matrix)));
    CHECK_EQUAL(count, seen->elements - elements);
    CHECK_EQUAL(0, memcmp(expected, out, count * sizeof(matrix)));
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(0x5a, out[count * sizeof(matrix) + (size_t)i]);
}

static void test_shapes(uint64_t *random)
{
    static arena room;
    static const size_t counts[] = {0, 1, 2, 3, 17, 100, 1000, ELEMENTS_MAX};
    watch product = {.is_product = 1}, sum = {0};
    cor_op *ops[] = {cor_op_create(apply, 0, &product, free_watch), cor_op_create(apply, 1, &sum, free_watch)};
    const cor_dtype *type;
    int shapes = 0;
    for (; (type = make_shape(shapes)); shapes++) {
        CHECK_EQUAL(sizeof(matrix), type->size);
        /* Every byte of an element is touched: few of the large ones will do. */
        size_t some = type->extent > 1000 ? 5 : sizeof counts / sizeof counts[0];
        for (size_t i = 0; i < some; i++)
            for (size_t shift = 0; shift < 4; shift++)
                for (int is_sum = 0; is_sum < 2; is_sum++)
                    for (int where = 0; where < 2 + is_sum; where++)
                        test_packed(ops[is_sum], type, &room, counts[i], shift, where, random);
        cor_dtype_unref(type);
    }
    CHECK_EQUAL(8, shapes);
    for (int i = 0; i < 2; i++)
        cor_op_unref(ops[i]);
    CHECK_EQUAL(1, product.freed);
    CHECK_EQUAL(1, sum.freed);
}

/* MPI_Reduce_local hands the user's own memory to the function, once. */
static void test_local(uint64_t *random)
{
    enum { COUNT = 50 };
    static int in[COUNT * 8], inout[COUNT * 8];
    watch seen = {.is_product = 1};
    const cor_dtype *type = make_shape(1);
    cor_op *op = cor_op_create(apply, 0, &seen, free_watch);
    matrix a[COUNT], b[COUNT], got[COUNT];
    cor_reducer reducer;
    fill((char *)a, COUNT, random);
    fill((char *)b, COUNT, random);
    cor_dtype_unpack(type, in, COUNT, 0, a, sizeof a);
    cor_dtype_unpack(type, inout, COUNT, 0, b, sizeof b);
    CHECK_OK(cor_reducer_init(&reducer, op, type, (void *)HANDLE));
    CHECK_OK(cor_reduce_local(&reducer, in, inout, COUNT));
    CHECK_EQUAL(1, seen.calls);
    cor_dtype_pack(type, inout, COUNT, 0, got, sizeof got);
    for (int i = 0; i < COUNT; i++) {
        matrix expected = matrix_product(a[i], b[i]);
        CHECK_EQUAL(0, memcmp(&expected, &got[i], sizeof expected));
    }
    CHECK_OK(cor_reduce_local(&reducer, in, inout, 0));
    CHECK_EQUAL(1, seen.calls);
    cor_op_unref(op);
    cor_dtype_unref(type);
}

/* A type without data has nothing to reduce. */
static void test_empty(void)
{
    watch seen = {0};
    const cor_dtype *type;
    cor_op *op = cor_op_create(apply, 1, &seen, NULL);
    cor_reducer reducer;
    CHECK_OK(cor_dtype_contiguous(0, cor_dtype_predefined(DOUBLE), &type));
    CHECK_OK(cor_reducer_init(&reducer, op, type, (void *)HANDLE));
    CHECK_OK(cor_reduce_packed(&reducer, &seen, &seen, &seen, 0));
    CHECK_OK(cor_reduce_local(&reducer, &seen, &seen, 3));
    CHECK_EQUAL(0, seen.calls);
    cor_dtype_unref(type);
    cor_op_unref(op);
}

static void test_life(void)
{
    watch seen = {0};
    cor_op *op = cor_op_create(apply, 1, &seen, free_watch);
    CHECK_EQUAL(1, op->is_commutative);
    CHECK(op->name == NULL);
    cor_op_ref(op);
    cor_op_unref(op);
    CHECK_EQUAL(0, seen.freed);
    cor_op_unref(op);
    CHECK_EQUAL(1, seen.freed);
}

int main(void)
{
    uint64_t random = unit_seed();
    test_shapes(&random);
    test_local(&random);
    test_empty();
    test_life();
    puts("ok");
    return 0;
}
