/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function on datatypes called with wrong arguments under MPI_ERRORS_RETURN: the class must be right and the
 * text must name the call and what is wrong. tests/cface/wrong_arguments_cover.awk checks that none is left out.
 */
#include "cface/wrong.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

static const int one[] = {1, 1, 1}, minus[] = {1, -1}, places[] = {0, 4, 8};
static const MPI_Aint bytes[] = {0, 16, 32}, far[] = {0, PTRDIFF_MAX};
static const MPI_Count one_c[] = {1, 1, 1}, minus_c[] = {1, -1}, places_c[] = {0, 4, 8}, far_c[] = {0, INT64_MAX};
static const MPI_Datatype types[] = {MPI_INT, MPI_INT}, bad_types[] = {MPI_INT, MPI_DATATYPE_NULL};
static MPI_Datatype type, gapped, uncommitted;
static int number, room[16], ints[8];
static MPI_Aint address, addresses[8];
static MPI_Count count, counts[8];

static void wrong_simple(void)
{
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_contiguous_c(INT64_MAX, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_vector_c(INT64_MAX, 2, 1, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_vector_c(3, 1, INT64_MAX / 2, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_create_hvector(3, 1, PTRDIFF_MAX, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory", MPI_Type_create_resized(MPI_INT, PTRDIFF_MAX, PTRDIFF_MAX, &type));
}

static void wrong_blocks(void)
{
    WRONG(MPI_ERR_ARG, "array_of_blocklengths[1] is -1", MPI_Type_indexed(2, minus, places, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_blocklengths[1] is -1", MPI_Type_indexed_c(2, minus_c, places_c, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_indexed_c(2, one_c, far_c, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_blocklengths[1] is -1", MPI_Type_create_hindexed(2, minus, bytes, MPI_INT, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_create_hindexed(2, one, far, MPI_INT, &type));
    WRONG(MPI_ERR_TYPE, "array_of_types[1] is MPI_DATATYPE_NULL",
          MPI_Type_create_struct(2, one, bytes, bad_types, &type));
    WRONG(MPI_ERR_ARG, "array_of_blocklengths[1] is -1", MPI_Type_create_struct(2, minus, bytes, types, &type));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_create_struct_c(2, one_c, far_c, types, &type));
}

static void wrong_arrays(void)
{
    static const int sizes[] = {4, 4}, zero[] = {4, 0}, starts[] = {0, 2};
    static const MPI_Count sizes_c[] = {4, 4}, starts_c[] = {0, 9};
    static const int blocks[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, odd[] = {MPI_DISTRIBUTE_BLOCK, 3};
    static const int whole[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK};
    static const int defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, short_blocks[] = {1, 1};
    static const int grid[] = {2, 1};
    WRONG(MPI_ERR_ARG, "order is 5", MPI_Type_create_subarray(2, sizes, sizes, starts, 5, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_sizes[1] is 0",
          MPI_Type_create_subarray(2, zero, one, places, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_subsizes[1] is 0",
          MPI_Type_create_subarray(2, sizes, zero, starts, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_starts[1] is 2, but must be 0..0",
          MPI_Type_create_subarray(2, sizes, sizes, starts, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_starts[1] is 9",
          MPI_Type_create_subarray_c(2, sizes_c, one_c, starts_c, MPI_ORDER_C, MPI_INT, &type));

    WRONG(MPI_ERR_RANK, "rank is 2, but must be 0..1",
          MPI_Type_create_darray(2, 2, 2, sizes, blocks, defaults, grid, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "product other than size, which is 3",
          MPI_Type_create_darray(3, 0, 2, sizes, blocks, defaults, grid, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_gsizes[1] is 0",
          MPI_Type_create_darray(2, 0, 2, zero, blocks, defaults, grid, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_distribs[1] is 3",
          MPI_Type_create_darray(2, 0, 2, sizes, odd, defaults, grid, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_dargs[0] is 1, but blocks must have 2",
          MPI_Type_create_darray(2, 0, 2, sizes, blocks, short_blocks, grid, MPI_ORDER_C, MPI_INT, &type));
    WRONG(MPI_ERR_ARG, "array_of_psizes[0] is 2, but must be 1",
          MPI_Type_create_darray(2, 0, 2, sizes, whole, defaults, grid, MPI_ORDER_C, MPI_INT, &type));
}

static void wrong_questions(void)
{
    MPI_Datatype large, old = MPI_DATATYPE_NULL;
    WRONG(MPI_ERR_TYPE, "is predefined", MPI_Type_get_contents(MPI_INT, 0, 0, 0, ints, addresses, &old));
    WRONG(MPI_ERR_ARG, "max_integers is 2, but there are 3",
          MPI_Type_get_contents(gapped, 2, 0, 1, ints, addresses, &old));
    WRONG(MPI_ERR_ARG, "max_datatypes is 0, but there are 1",
          MPI_Type_get_contents(gapped, 3, 0, 0, ints, addresses, &old));
    WRONG(MPI_ERR_ARG, "array_of_integers is", MPI_Type_get_contents(gapped, 3, 0, 1, NULL, addresses, &old));
    CHECK_OK(MPI_Type_vector_c(2, 1, 2, MPI_INT, &large));
    WRONG(MPI_ERR_TYPE, "only MPI_Type_get_envelope_c returns", MPI_Type_get_envelope(large, ints, ints, ints, ints));
    WRONG(MPI_ERR_TYPE, "only MPI_Type_get_contents_c returns",
          MPI_Type_get_contents(large, 3, 3, 3, ints, addresses, &old));
    WRONG(MPI_ERR_ARG, "max_large_counts is 1, but there are 3",
          MPI_Type_get_contents_c(large, 0, 0, 1, 1, ints, addresses, counts, &old));
    CHECK_OK(MPI_Type_free(&large));

    WRONG(MPI_ERR_ARG, "size is 3", MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type));
    WRONG(MPI_ERR_ARG, "typeclass is 7", MPI_Type_match_size(7, 4, &type));
    WRONG(MPI_ERR_ARG, "r is 99", MPI_Type_create_f90_integer(99, &type));
    WRONG(MPI_ERR_ARG, "p is 40 and r is 1", MPI_Type_create_f90_real(40, 1, &type));
    WRONG(MPI_ERR_ARG, "both MPI_UNDEFINED", MPI_Type_create_f90_complex(MPI_UNDEFINED, MPI_UNDEFINED, &type));
    CHECK_OK(MPI_Type_create_f90_integer(4, &type));
    WRONG(MPI_ERR_TYPE, "cannot be freed", MPI_Type_free(&type));
}

static void wrong_pack(void)
{
    int at = 0, behind = 60, negative = -1;
    MPI_Aint place = 0;
    MPI_Count place_c = 0;
    char packed[64];
    WRONG(MPI_ERR_TYPE, "MPI_Type_commit", MPI_Pack(room, 1, uncommitted, packed, 64, &at, MPI_COMM_WORLD));
    WRONG(MPI_ERR_ARG, "*position is -1", MPI_Pack(room, 1, MPI_INT, packed, 64, &negative, MPI_COMM_WORLD));
    WRONG(MPI_ERR_TRUNCATE, "8 bytes do not fit outbuf, which has 4",
          MPI_Pack(room, 2, MPI_INT, packed, 64, &behind, MPI_COMM_WORLD));
    CHECK(behind == 60);
    WRONG(MPI_ERR_TRUNCATE, "do not fit outbuf", MPI_Pack_c(room, 1, MPI_INT, packed, 3, &place_c, MPI_COMM_WORLD));
    WRONG(MPI_ERR_TRUNCATE, "do not fit inbuf", MPI_Unpack(packed, 64, &behind, room, 2, MPI_INT, MPI_COMM_WORLD));
    WRONG(MPI_ERR_COUNT, "incount is -1", MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, &number));
    WRONG(MPI_ERR_ARG, "size is", MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, NULL));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Pack_size_c(INT64_MAX, MPI_INT, MPI_COMM_WORLD, &count));
    WRONG(MPI_ERR_ARG, "datarep is \"native\"", MPI_Pack_external("native", room, 1, MPI_INT, packed, 64, &place));
    WRONG(MPI_ERR_TRUNCATE, "do not fit outbuf",
          MPI_Pack_external("external32", room, 1, MPI_LONG, packed, 3, &place));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Pack_external_size("external32", 1, MPI_DATATYPE_NULL, &address));
    WRONG(MPI_ERR_ARG, "size is", MPI_Pack_external_size_c("external32", 1, MPI_INT, NULL));
    WRONG(MPI_ERR_TRUNCATE, "do not fit inbuf",
          MPI_Unpack_external_c("external32", packed, 3, &place_c, room, 1, MPI_INT));
}

/* A receive that would write a byte twice; as a send the same type is fine. */
static void wrong_overlaps(void)
{
    MPI_Datatype twice, dense;
    MPI_Request request;
    int at = 0;
    double memory[64], packed[64];
    CHECK_OK(MPI_Type_indexed(2, (int[]){3, 3}, (int[]){0, 2}, MPI_DOUBLE, &twice));
    CHECK_OK(MPI_Type_create_resized(gapped, 0, 4, &dense));
    CHECK(MPI_Type_commit(&twice) == MPI_SUCCESS && MPI_Type_commit(&dense) == MPI_SUCCESS);
    memset(memory, 0, sizeof memory);
    CHECK_OK(MPI_Pack(memory, 2, twice, packed, sizeof packed, &at, MPI_COMM_WORLD));
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap",
          MPI_Recv(memory, 1, twice, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap",
          MPI_Irecv(memory, 1, twice, 0, 0, MPI_COMM_WORLD, &request));
    at = 0;
    WRONG(MPI_ERR_TYPE, "datatype has blocks that overlap",
          MPI_Unpack(packed, sizeof packed, &at, memory, 1, twice, MPI_COMM_WORLD));
    /* Every other int, four bytes apart: the third element lies on the first. */
    WRONG(MPI_ERR_TYPE, "elements of datatype overlap when count is more than 2, and it is 3",
          MPI_Recv(memory, 3, dense, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    at = 0;
    CHECK_OK(MPI_Unpack(packed, sizeof packed, &at, memory, 2, dense, MPI_COMM_WORLD));
    CHECK(MPI_Type_free(&twice) == MPI_SUCCESS && MPI_Type_free(&dense) == MPI_SUCCESS);
}

static void wrong_handles(void)
{
    MPI_Datatype freed, made;
    WRONG(MPI_ERR_TYPE, "datatype has not been committed", MPI_Send(room, 1, uncommitted, 0, 0, MPI_COMM_WORLD));
    CHECK(MPI_Type_vector(2, 1, 2, MPI_INT, &made) == MPI_SUCCESS && MPI_Type_commit(&made) == MPI_SUCCESS);
    freed = made;
    CHECK_OK(MPI_Type_free(&made));
    WRONG(MPI_ERR_TYPE, "was freed", MPI_Send(room, 1, freed, 0, 0, MPI_COMM_WORLD));
    WRONG(MPI_ERR_TYPE, "was freed", MPI_Type_contiguous(2, freed, &type));
    WRONG(MPI_ERR_TYPE, "was freed", MPI_Type_commit(&freed));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Type_vector(2, 1, 2, MPI_INT, &gapped) == MPI_SUCCESS && MPI_Type_commit(&gapped) == MPI_SUCCESS);
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted));
    wrong_simple();
    wrong_blocks();
    wrong_arrays();
    wrong_questions();
    wrong_pack();
    wrong_overlaps();
    wrong_handles();
    CHECK(MPI_Type_free(&gapped) == MPI_SUCCESS && MPI_Type_free(&uncommitted) == MPI_SUCCESS);
    MPI_Finalize();
    puts("wrong_types: passed");
    return 0;
}
