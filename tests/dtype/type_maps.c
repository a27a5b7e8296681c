/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every constructor against type maps worked out by hand, the standard's own examples among them; and what belongs to
 * datatypes beside their data: names, matching sizes, Fortran's ranges, copies, the life of handles.
 */
#include "check.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- maps ------------------------------------------------------------------------------------------------------- */

enum { MAP_MAX = 32 };

/* The ints that a type picks out of memory, by their index, in order. */
typedef struct int_map {
    int count;
    int places[MAP_MAX];
} int_map;

/* size, lb, extent, true lb and true extent */
static void check_bounds(int line, MPI_Datatype type, MPI_Aint size, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb,
                         MPI_Aint true_extent)
{
    int got_size;
    MPI_Aint got[4];
    MPI_Count large[5];
    CHECK_OK(MPI_Type_size(type, &got_size));
    CHECK_OK(MPI_Type_get_extent(type, &got[0], &got[1]));
    CHECK_OK(MPI_Type_get_true_extent(type, &got[2], &got[3]));
    CHECK_OK(MPI_Type_size_x(type, &large[0]));
    CHECK_OK(MPI_Type_get_extent_x(type, &large[1], &large[2]));
    CHECK_OK(MPI_Type_get_true_extent_x(type, &large[3], &large[4]));
    int is_right = got_size == size && got[0] == lb && got[1] == extent && got[2] == true_lb && got[3] == true_extent;
    if (!is_right)
        fprintf(stderr, "line %d: size %d lb %td extent %td true lb %td true extent %td\n", line, got_size, got[0],
                got[1], got[2], got[3]);
    CHECK(is_right);
    CHECK(large[0] == size && large[1] == lb && large[2] == extent && large[3] == true_lb && large[4] == true_extent);
}

#define BOUNDS(type, ...) check_bounds(__LINE__, type, __VA_ARGS__)

/* Pack one element out of numbered ints and compare. Frees the type. */
static void check_ints(int line, MPI_Datatype type, int_map map)
{
    int memory[2 * MAP_MAX], packed[MAP_MAX], position = 0, is_right = 1;
    for (int i = 0; i < 2 * MAP_MAX; i++)
        memory[i] = i - MAP_MAX;
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Pack(memory + MAP_MAX, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
    CHECK(position == map.count * (int)sizeof(int));
    for (int i = 0; i < map.count; i++)
        is_right = is_right && packed[i] == map.places[i];
    if (!is_right)
        for (int i = 0; i < map.count; i++)
            fprintf(stderr, "line %d: place %d is %d, not %d\n", line, i, packed[i], map.places[i]);
    CHECK(is_right);
    CHECK(MPI_Type_free(&type) == MPI_SUCCESS && type == MPI_DATATYPE_NULL);
}

#define INTS(type, n, ...) check_ints(__LINE__, type, (int_map){n, {__VA_ARGS__}})

/* ---- constructors ----------------------------------------------------------------------------------------------- */

static void test_vectors(void)
{
    MPI_Datatype type, inner;
    MPI_Type_contiguous(3, MPI_INT, &type);
    BOUNDS(type, 12, 0, 12, 0, 12);
    INTS(type, 3, 0, 1, 2);

    MPI_Type_vector(2, 3, 4, MPI_INT, &type);
    BOUNDS(type, 24, 0, 28, 0, 28);
    INTS(type, 6, 0, 1, 2, 4, 5, 6);

    MPI_Type_vector(3, 1, -2, MPI_INT, &type);
    BOUNDS(type, 12, -16, 20, -16, 20);
    INTS(type, 3, 0, -2, -4);

    MPI_Type_create_hvector(3, 2, 20, MPI_INT, &type);
    BOUNDS(type, 24, 0, 48, 0, 48);
    INTS(type, 6, 0, 1, 5, 6, 10, 11);

    /* Rows whose elements are columns: two loops. */
    MPI_Type_vector(3, 1, 4, MPI_INT, &inner);
    MPI_Type_create_hvector(2, 1, 4, inner, &type);
    MPI_Type_free(&inner);
    BOUNDS(type, 24, 0, 40, 0, 40);
    INTS(type, 6, 0, 4, 8, 1, 5, 9);

    MPI_Type_vector(0, 3, 4, MPI_INT, &type);
    BOUNDS(type, 0, 0, 0, 0, 0);
    INTS(type, 0, 0);

    MPI_Type_vector(5, 0, 4, MPI_INT, &type);
    BOUNDS(type, 0, 0, 0, 0, 0);
    MPI_Type_free(&type);
}

static void test_blocks(void)
{
    MPI_Datatype type;
    const int lengths[] = {3, 1, 0, 2}, places[] = {4, 0, 100, -3};
    const MPI_Aint bytes[] = {16, 0, 400, -12};
    MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
    BOUNDS(type, 24, -12, 40, -12, 40);
    INTS(type, 6, 4, 5, 6, 0, -3, -2);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &type);
    BOUNDS(type, 24, -12, 40, -12, 40);
    INTS(type, 6, 4, 5, 6, 0, -3, -2);

    const int starts[] = {9, 0, 5};
    const MPI_Aint byte_starts[] = {36, 0, 20};
    MPI_Type_create_indexed_block(3, 2, starts, MPI_INT, &type);
    BOUNDS(type, 24, 0, 44, 0, 44);
    INTS(type, 6, 9, 10, 0, 1, 5, 6);
    MPI_Type_create_hindexed_block(3, 2, byte_starts, MPI_INT, &type);
    INTS(type, 6, 9, 10, 0, 1, 5, 6);

    /* The upper triangle of a matrix of 4 by 4. */
    const int rows[] = {4, 3, 2, 1}, diagonal[] = {0, 5, 10, 15};
    MPI_Type_indexed(4, rows, diagonal, MPI_INT, &type);
    BOUNDS(type, 40, 0, 64, 0, 64);
    INTS(type, 10, 0, 1, 2, 3, 5, 6, 7, 10, 11, 15);
}

static void test_struct(void)
{
    /* The example of the standard: a double and a char take 16 bytes, with what alignment adds. */
    MPI_Datatype pair, type, inner;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &pair);
    BOUNDS(pair, 9, 0, 16, 0, 9);

    /* Its next: two floats, one such pair, three chars at 0, 16 and 26. */
    MPI_Type_create_struct(3, (int[]){2, 1, 3}, (MPI_Aint[]){0, 16, 26}, (MPI_Datatype[]){MPI_FLOAT, pair, MPI_CHAR},
                           &type);
    BOUNDS(type, 8 + 9 + 3, 0, 32, 0, 29);
    MPI_Type_free(&type);

    /* Copies of the pair: contiguous and vector. */
    MPI_Type_contiguous(3, pair, &type);
    BOUNDS(type, 27, 0, 48, 0, 41);
    MPI_Type_free(&type);
    MPI_Type_vector(2, 3, 4, pair, &type);
    BOUNDS(type, 54, 0, 112, 0, 105);
    MPI_Type_free(&type);

    /* Where the pair does not suit: it keeps its 16 bytes, and the whole is padded again. */
    MPI_Type_create_hindexed_block(2, 1, (MPI_Aint[]){0, 17}, pair, &type);
    BOUNDS(type, 18, 0, 40, 0, 26); /* 17 + 16 */
    MPI_Type_free(&type);
    MPI_Type_create_hvector(2, 1, 20, pair, &type);
    BOUNDS(type, 18, 0, 40, 0, 29); /* 20 + 16 */
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 1}, (MPI_Datatype[]){MPI_CHAR, pair}, &type);
    BOUNDS(type, 10, 0, 24, 0, 10); /* 1 + 16 */
    MPI_Type_contiguous(2, type, &inner);
    BOUNDS(inner, 20, 0, 48, 0, 34);
    MPI_Type_free(&inner);
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){1, 20}, (MPI_Datatype[]){MPI_CHAR, pair}, &type);
    BOUNDS(type, 10, 1, 40, 1, 28); /* from 1 to 20 + 16 */
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 1}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE_INT}, &type);
    BOUNDS(type, 13, 0, 24, 0, 13); /* 1 + 16 */
    MPI_Type_free(&type);
    /* Where it does, there is nothing to add: a char may stand in what another one leaves. */
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 12}, (MPI_Datatype[]){pair, MPI_CHAR}, &type);
    BOUNDS(type, 10, 0, 16, 0, 13);
    MPI_Type_free(&type);
    /* Single values have no padding of their own. */
    MPI_Type_create_hvector(2, 1, 9, MPI_DOUBLE, &type);
    BOUNDS(type, 16, 0, 24, 0, 17);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);

    /* Explicit bounds win, also from inside. */
    MPI_Type_create_resized(MPI_INT, -3, 9, &inner);
    BOUNDS(inner, 4, -3, 9, 0, 4);
    MPI_Type_contiguous(2, inner, &type);
    BOUNDS(type, 8, -3, 18, 0, 13);
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 40}, (MPI_Datatype[]){inner, MPI_DOUBLE}, &type);
    BOUNDS(type, 12, -3, 9, 0, 48);
    MPI_Type_free(&type);
    MPI_Type_free(&inner);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &type);
    BOUNDS(type, 0, 0, 0, 0, 0);
    MPI_Type_free(&type);
}

static void test_resized(void)
{
    MPI_Datatype column, type, copy;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &type);
    BOUNDS(type, 12, 0, 4, 0, 36);
    MPI_Type_free(&column);
    MPI_Type_dup(type, &copy);
    BOUNDS(copy, 12, 0, 4, 0, 36);
    MPI_Type_free(&type);
    /* Several columns: a transposed matrix. */
    MPI_Type_contiguous(4, copy, &type);
    BOUNDS(type, 48, 0, 16, 0, 48);
    MPI_Type_free(&copy);
    INTS(type, 12, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11);
}

static void test_arrays(void)
{
    MPI_Datatype type;
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &type);
    BOUNDS(type, 24, 0, 80, 24, 32);
    INTS(type, 6, 6, 7, 8, 11, 12, 13);
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_FORTRAN, MPI_INT, &type);
    BOUNDS(type, 24, 0, 80, 20, 40);
    INTS(type, 6, 5, 6, 9, 10, 13, 14);
    /* A face of a cube of 3. */
    MPI_Type_create_subarray(3, (int[]){3, 3, 3}, (int[]){3, 3, 1}, (int[]){0, 0, 2}, MPI_ORDER_C, MPI_INT, &type);
    BOUNDS(type, 36, 0, 108, 8, 100);
    INTS(type, 9, 2, 5, 8, 11, 14, 17, 20, 23, 26);

    /* 5 by 3 in rows of blocks of 2, dealt to 2; columns whole; rank 1. */
    MPI_Type_create_darray(2, 1, 2, (int[]){5, 3}, (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                           (int[]){2, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1}, MPI_ORDER_C, MPI_INT, &type);
    BOUNDS(type, 24, 0, 60, 24, 24);
    INTS(type, 6, 6, 7, 8, 9, 10, 11);
    /* Rank 0 has the last row too. */
    MPI_Type_create_darray(2, 0, 2, (int[]){5, 3}, (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                           (int[]){2, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1}, MPI_ORDER_C, MPI_INT, &type);
    INTS(type, 9, 0, 1, 2, 3, 4, 5, 12, 13, 14);
    /* Blocks in both dimensions on a grid of 2 by 2; rank 2 is at (1, 0) whatever the order of the array. */
    MPI_Type_create_darray(4, 2, 2, (int[]){4, 4}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
                           (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 2}, MPI_ORDER_C,
                           MPI_INT, &type);
    INTS(type, 4, 8, 9, 12, 13);
    MPI_Type_create_darray(4, 2, 2, (int[]){4, 4}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
                           (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 2},
                           MPI_ORDER_FORTRAN, MPI_INT, &type);
    INTS(type, 4, 2, 3, 6, 7);
    /* A process may get nothing. */
    MPI_Type_create_darray(3, 2, 1, (int[]){2}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){1}, (int[]){3}, MPI_ORDER_C,
                           MPI_INT, &type);
    BOUNDS(type, 0, 0, 8, 0, 0);
    INTS(type, 0, 0);
}

/* From MPI_BOTTOM, displacements are addresses. */
static void test_bottom(void)
{
    double value = 3.5, value_back = 0;
    int number = 7, number_back = 0, position = 0;
    char packed[16];
    MPI_Datatype type, back;
    MPI_Aint addresses[2];
    MPI_Get_address(&value, &addresses[0]);
    MPI_Get_address(&number, &addresses[1]);
    MPI_Type_create_struct(2, (int[]){1, 1}, addresses, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type);
    MPI_Get_address(&value_back, &addresses[0]);
    MPI_Get_address(&number_back, &addresses[1]);
    MPI_Type_create_struct(2, (int[]){1, 1}, addresses, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &back);
    MPI_Type_commit(&type);
    MPI_Type_commit(&back);
    CHECK_OK(MPI_Pack(MPI_BOTTOM, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
    CHECK(position == 12 && memcmp(packed, &value, 8) == 0 && memcmp(packed + 8, &number, 4) == 0);
    CHECK(MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 5, MPI_BOTTOM, 1, back, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
    CHECK(value_back == 3.5 && number_back == 7);
    MPI_Aint bytes = 0;
    char external[12];
    CHECK(MPI_Pack_external("external32", MPI_BOTTOM, 1, type, external, 12, &bytes) == MPI_SUCCESS && bytes == 12);
    MPI_Type_free(&type);
    MPI_Type_free(&back);
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

/* The counts that a message of `bytes` bytes gives under a type. */
static void check_counts(int line, MPI_Datatype type, MPI_Count bytes, int count, int elements)
{
    MPI_Status status;
    int got_count = -1, got_elements = -1;
    MPI_Count large = -1;
    CHECK_OK(MPI_Status_set_elements_x(&status, MPI_BYTE, bytes));
    CHECK_OK(MPI_Get_count(&status, type, &got_count));
    CHECK_OK(MPI_Get_elements(&status, type, &got_elements));
    CHECK(MPI_Get_elements_c(&status, type, &large) == MPI_SUCCESS && large == got_elements);
    CHECK(MPI_Get_elements_x(&status, type, &large) == MPI_SUCCESS && large == got_elements);
    if (got_count != count || got_elements != elements)
        fprintf(stderr, "line %d: count %d, elements %d\n", line, got_count, got_elements);
    CHECK(got_count == count && got_elements == elements);
    /* And the other way: so many elements of the type are so many bytes. */
    if (elements >= 0) {
        CHECK_OK(MPI_Status_set_elements(&status, type, elements));
        CHECK(MPI_Get_elements(&status, type, &got_elements) == MPI_SUCCESS && got_elements == elements);
    }
}

#define COUNTS(type, ...) check_counts(__LINE__, type, __VA_ARGS__)

static void test_elements(void)
{
    MPI_Datatype pairs, mixed, type;
    /* The standard's example: 3 reals sent to pairs of reals. */
    MPI_Type_contiguous(2, MPI_FLOAT, &pairs);
    COUNTS(pairs, 8, 1, 2);
    COUNTS(pairs, 12, MPI_UNDEFINED, 3);
    COUNTS(pairs, 14, MPI_UNDEFINED, MPI_UNDEFINED);
    COUNTS(pairs, 0, 0, 0);
    MPI_Type_free(&pairs);

    /* char, 2 ints, a pair of double and int; twice, with gaps. */
    MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 4, 16},
                           (MPI_Datatype[]){MPI_CHAR, MPI_INT, MPI_DOUBLE_INT}, &mixed);
    MPI_Type_vector(2, 1, 3, mixed, &type);
    COUNTS(type, 42, 1, 10);
    COUNTS(type, 1, MPI_UNDEFINED, 1);
    COUNTS(type, 5, MPI_UNDEFINED, 2);
    COUNTS(type, 9, MPI_UNDEFINED, 3);
    COUNTS(type, 17, MPI_UNDEFINED, 4); /* the double of the pair */
    COUNTS(type, 13, MPI_UNDEFINED, MPI_UNDEFINED);
    COUNTS(type, 21, MPI_UNDEFINED, 5);
    COUNTS(type, 22, MPI_UNDEFINED, 6);
    COUNTS(type, 23, MPI_UNDEFINED, MPI_UNDEFINED);
    COUNTS(type, 42 + 17, MPI_UNDEFINED, 14);
    MPI_Type_free(&type);
    MPI_Type_free(&mixed);

    MPI_Type_contiguous(0, MPI_INT, &type);
    COUNTS(type, 0, 0, 0);
    COUNTS(type, 4, MPI_UNDEFINED, MPI_UNDEFINED);
    MPI_Type_free(&type);
}

/* ---- found types ------------------------------------------------------------------------------------------------ */

static void test_found(void)
{
    MPI_Datatype type, same, other;
    int size;
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type) == MPI_SUCCESS && type == MPI_REAL8);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type) == MPI_SUCCESS && type == MPI_INTEGER2);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &type) == MPI_SUCCESS && type == MPI_COMPLEX16);

    CHECK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type) == MPI_SUCCESS && type == MPI_DOUBLE_INT);
    CHECK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &type) == MPI_SUCCESS && type == MPI_2INT);
    CHECK(MPI_Type_get_value_index(MPI_CHAR, MPI_DOUBLE, &type) == MPI_SUCCESS && type == MPI_DATATYPE_NULL);

    CHECK_OK(MPI_Type_create_f90_integer(9, &type));
    CHECK(MPI_Type_size(type, &size) == MPI_SUCCESS && size == 4);
    CHECK(MPI_Type_create_f90_integer(9, &same) == MPI_SUCCESS && same == type);
    CHECK(MPI_Type_create_f90_integer(10, &other) == MPI_SUCCESS && other != type);
    CHECK(MPI_Type_size(other, &size) == MPI_SUCCESS && size == 8);
    CHECK_OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type));
    CHECK(MPI_Type_size(type, &size) == MPI_SUCCESS && size == 8);
    CHECK_OK(MPI_Type_create_f90_real(6, 100, &type));
    CHECK(MPI_Type_size(type, &size) == MPI_SUCCESS && size == 8);
    CHECK_OK(MPI_Type_create_f90_complex(MPI_UNDEFINED, 37, &type));
    CHECK(MPI_Type_size(type, &size) == MPI_SUCCESS && size == 8);
    /* They are committed already, know how they were made, and are found again as a part of others. */
    int integers, addresses, types, combiner, values[2];
    double value = 1, back = 0;
    CHECK_OK(MPI_Sendrecv(&value, 1, type, 0, 6, &back, 1, type, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(back == 1);
    CHECK_OK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK(integers == 2 && addresses == 0 && types == 0 && combiner == MPI_COMBINER_F90_COMPLEX);
    CHECK_OK(MPI_Type_get_contents(type, 2, 0, 0, values, NULL, NULL));
    CHECK(values[0] == MPI_UNDEFINED && values[1] == 37);
    MPI_Type_contiguous(3, type, &other);
    CHECK(MPI_Type_get_contents(other, 1, 0, 1, values, NULL, &same) == MPI_SUCCESS && same == type && values[0] == 3);
    MPI_Type_free(&other);
}

/* ---- names and lives -------------------------------------------------------------------------------------------- */

static void test_life(void)
{
    MPI_Datatype type, copy, inner, outer;
    char name[MPI_MAX_OBJECT_NAME];
    int length, integers, addresses, types, combiner;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    CHECK(MPI_Type_get_name(type, name, &length) == MPI_SUCCESS && length == 0 && name[0] == 0);
    CHECK_OK(MPI_Type_set_name(type, "every other"));
    CHECK(MPI_Type_get_name(type, name, &length) == MPI_SUCCESS && strcmp(name, "every other") == 0);
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &copy);
    CHECK_OK(MPI_Type_get_envelope(copy, &integers, &addresses, &types, &combiner));
    CHECK(integers == 0 && addresses == 0 && types == 1 && combiner == MPI_COMBINER_DUP);
    /* A copy of a committed type is committed; it and types made of it outlive the original. */
    MPI_Type_free(&type);
    int numbers[] = {1, 2, 3, 4}, back[4] = {0};
    CHECK_OK(MPI_Sendrecv(numbers, 1, copy, 0, 7, back, 1, copy, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(back[0] == 1 && back[1] == 0 && back[2] == 3 && back[3] == 0);
    MPI_Type_contiguous(2, copy, &outer);
    MPI_Type_free(&copy);
    CHECK(MPI_Type_get_contents(outer, 1, 0, 1, &integers, NULL, &inner) == MPI_SUCCESS && integers == 2);
    MPI_Type_free(&outer);
    CHECK_OK(MPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner));
    CHECK(combiner == MPI_COMBINER_DUP);
    MPI_Type_free(&inner);
    /* The library frees types that the program does not free; the sanitizer checks that. */
    MPI_Type_contiguous(2, MPI_INT, &outer);
    CHECK_OK(MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner));
    CHECK(integers == 0 && addresses == 0 && types == 0 && combiner == MPI_COMBINER_NAMED);
}

/* Chains of types that would overflow the stack in a recursion. */
static void test_long_chain(void)
{
    MPI_Datatype type, next;
    int value = 5, back = 0, elements;
    MPI_Status status;
    MPI_Type_dup(MPI_INT, &type);
    for (int i = 0; i < 100000; i++) {
        MPI_Type_contiguous(1, type, &next);
        MPI_Type_free(&type);
        type = next;
    }
    MPI_Type_commit(&type);
    CHECK_OK(MPI_Sendrecv(&value, 1, type, 0, 8, &back, 1, type, 0, 8, MPI_COMM_SELF, &status));
    CHECK(back == 5);
    CHECK(MPI_Get_elements(&status, type, &elements) == MPI_SUCCESS && elements == 1);
    char external[4];
    MPI_Aint position = 0;
    CHECK(MPI_Pack_external("external32", &value, 1, type, external, 4, &position) == MPI_SUCCESS && external[3] == 5);
    MPI_Type_free(&type);
}

/* Counts beyond an int: a type that spans more than 4 GiB without touching it. */
static void test_large(void)
{
    MPI_Datatype type, wide;
    MPI_Count size, lb, extent, large[3];
    int number, integers;
    MPI_Count counts[4];
    MPI_Type_contiguous_c(3000000000, MPI_DOUBLE, &type);
    CHECK(MPI_Type_size_c(type, &size) == MPI_SUCCESS && size == 24000000000);
    CHECK(MPI_Type_size(type, &number) == MPI_SUCCESS && number == MPI_UNDEFINED);
    MPI_Type_vector_c(2, 1, 5000000000, MPI_CHAR, &wide);
    CHECK(MPI_Type_get_extent_c(wide, &lb, &extent) == MPI_SUCCESS && lb == 0 && extent == 5000000001);
    CHECK_OK(MPI_Type_get_envelope_c(wide, &counts[0], &counts[1], &counts[2], &counts[3], &number));
    CHECK(counts[0] == 0 && counts[1] == 0 && counts[2] == 3 && counts[3] == 1 && number == MPI_COMBINER_VECTOR);
    MPI_Datatype base;
    CHECK_OK(MPI_Type_get_contents_c(wide, 0, 0, 3, 1, &integers, NULL, large, &base));
    CHECK(large[0] == 2 && large[1] == 1 && large[2] == 5000000000 && base == MPI_CHAR);
    MPI_Type_commit(&type);
    MPI_Count bytes;
    CHECK(MPI_Pack_size_c(2, type, MPI_COMM_SELF, &bytes) == MPI_SUCCESS && bytes == 48000000000);
    CHECK(MPI_Pack_size(2, type, MPI_COMM_SELF, &number) == MPI_SUCCESS && number == MPI_UNDEFINED);
    MPI_Type_free(&type);
    MPI_Type_free(&wide);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    test_vectors();
    test_blocks();
    test_struct();
    test_resized();
    test_arrays();
    test_bottom();
    test_elements();
    test_found();
    test_life();
    test_long_chain();
    test_large();
    MPI_Finalize();
    puts("type_maps: passed");
    return 0;
}
