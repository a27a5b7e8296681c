/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random datatypes through MPI: made by both forms of the constructors and once more from their contents, packed,
 * unpacked and sent between ranks, always compared with their maps. Ranks are threads, or with "processes" as second
 * argument what the launcher made them.
 */
#include "plan_mpi.h"

#include "check.h"

#include <corunna/threads.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, BYTES_MAX = 4000 };

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Full of random bytes, those around the elements too. */
static plan_field field_make(const plan_map *map, size_t count, unsigned seed)
{
    plan_field f = plan_field_make(map, count);
    for (size_t i = 0; i < f.bytes; i++)
        f.memory[i] = (unsigned char)rand_r(&seed);
    return f;
}

static plan_field field_copy(const plan_field *f)
{
    plan_field copy = {malloc(f->bytes), NULL, f->bytes};
    memcpy(copy.memory, f->memory, f->bytes);
    copy.element = copy.memory + (f->element - f->memory);
    return copy;
}

/* ---- alone ------------------------------------------------------------------------------------------------------ */

static void test_bounds(MPI_Datatype type, const plan_map *map)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    CHECK(MPI_Type_size_c(type, &size) == MPI_SUCCESS && size == (MPI_Count)map->size);
    CHECK(MPI_Type_get_extent_c(type, &lb, &extent) == MPI_SUCCESS && lb == map->lb && extent == map->ub - map->lb);
    CHECK_OK(MPI_Type_get_true_extent_c(type, &true_lb, &true_extent));
    CHECK(map->size == 0 || (true_lb == map->true_lb && true_extent == map->true_ub - map->true_lb));
}

/* Pack two elements behind each other, unpack them into other memory. */
static void test_pack(MPI_Datatype type, const plan_map *map, unsigned *seed)
{
    plan_field from = field_make(map, 2, *seed), to = field_make(map, 2, *seed + 1), expected = field_copy(&to);
    int bytes = 0, position = 3, room;
    CHECK(MPI_Pack_size(2, type, MPI_COMM_WORLD, &bytes) == MPI_SUCCESS && bytes >= (int)(2 * map->size));
    room = bytes + 7;
    unsigned char *packed = malloc((size_t)room), *naive = malloc(2 * map->size + 1);
    plan_pack(map, from.element, 2, naive);
    CHECK_OK(MPI_Pack(from.element, 2, type, packed, room, &position, MPI_COMM_WORLD));
    CHECK(position == 3 + (int)(2 * map->size) && memcmp(packed + 3, naive, 2 * map->size) == 0);
    if (plan_receive_max(map, 2) == 2) {
        MPI_Count place = 3;
        plan_unpack(map, expected.element, 2, naive);
        CHECK_OK(MPI_Unpack_c(packed, room, &place, to.element, 2, type, MPI_COMM_WORLD));
        CHECK(place == position && memcmp(to.memory, expected.memory, to.bytes) == 0);
    }
    free(packed);
    free(naive);
    free(from.memory);
    free(to.memory);
    free(expected.memory);
}

static void test_alone(const plan *p, const plan_map *map, unsigned *seed)
{
    MPI_Datatype first = plan_type(p, 0), large = plan_type(p, 1);
    MPI_Datatype again = plan_type_again(first), again_large = plan_type_again(large);
    MPI_Datatype all[] = {first, large, again, again_large};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(MPI_Type_commit(&all[i]));
        test_bounds(all[i], map);
        test_pack(all[i], map, seed);
    }
    for (int i = 0; i < 4; i++)
        if (all[i] != first || i == 0)
            plan_type_free(&all[i]);
}

/* ---- between ranks ---------------------------------------------------------------------------------------------- */

/* How many elements make a message of about this many bytes. */
static size_t count_for(const plan_map *map, size_t bytes)
{
    size_t count = map->size ? bytes / map->size + 1 : 2;
    size_t max = plan_receive_max(map, count);
    return max < count ? max : count;
}

/* Rank 0 sends elements, rank 1 receives bytes and sends them back; rank 0 receives elements into other memory. */
static void test_there_and_back(const plan *p, const plan_map *map, int rank, size_t size, unsigned *seed)
{
    size_t count = count_for(map, size), bytes = count * map->size;
    if (count == 0)
        return;
    unsigned char *packed = malloc(bytes + 1), *expected = malloc(bytes + 1);
    plan_field from = field_make(map, count, *seed), to = field_make(map, count, *seed + 1), naive = field_copy(&to);
    plan_pack(map, from.element, count, expected);
    plan_unpack(map, naive.element, count, expected);
    MPI_Status status;
    int received;
    if (rank == 0) {
        MPI_Request requests[2];
        MPI_Datatype type = plan_type(p, 0);
        CHECK_OK(MPI_Type_commit(&type));
        CHECK_OK(MPI_Irecv(to.element, (int)count, type, 1, 2, MPI_COMM_WORLD, &requests[0]));
        CHECK_OK(MPI_Isend(from.element, (int)count, type, 1, 1, MPI_COMM_WORLD, &requests[1]));
        /* Pending messages keep their type. */
        plan_type_free(&type);
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(memcmp(to.memory, naive.memory, to.bytes) == 0);
    } else {
        CHECK_OK(MPI_Recv(packed, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status));
        CHECK(MPI_Get_count(&status, MPI_BYTE, &received) == MPI_SUCCESS && received == (int)bytes);
        CHECK(memcmp(packed, expected, bytes) == 0);
        CHECK_OK(MPI_Send(packed, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
    }
    free(packed);
    free(expected);
    free(from.memory);
    free(to.memory);
    free(naive.memory);
}

/* Rank 1 sends one type, rank 0 receives it as the other: only the bytes agree. */
static void test_across(const plan *p, const plan_map *map, int rank, unsigned *seed)
{
    size_t count = count_for(map, 3000), bytes = count * map->size, rows = bytes / 8;
    if (count == 0 || bytes % 8 != 0)
        return;
    /* Every other double of a matrix with two columns. */
    MPI_Datatype column, type = plan_type(p, 1);
    CHECK_OK(MPI_Type_vector((int)rows, 1, 2, MPI_DOUBLE, &column));
    CHECK(MPI_Type_commit(&column) == MPI_SUCCESS && MPI_Type_commit(&type) == MPI_SUCCESS);
    unsigned char *expected = malloc(bytes + 1), *matrix = calloc(2 * rows + 1, 8);
    plan_field from = field_make(map, count, *seed);
    plan_pack(map, from.element, count, expected);
    if (rank == 1) {
        CHECK_OK(MPI_Send(from.element, (int)count, type, 0, 3, MPI_COMM_WORLD));
    } else {
        MPI_Status status;
        int received;
        CHECK_OK(MPI_Recv(matrix, 1, column, 1, 3, MPI_COMM_WORLD, &status));
        CHECK(MPI_Get_count(&status, type, &received) == MPI_SUCCESS && (bytes == 0 || received == (int)count));
        CHECK(MPI_Get_elements(&status, column, &received) == MPI_SUCCESS && received == (int)rows);
        for (size_t i = 0; i < rows; i++)
            CHECK(memcmp(matrix + 16 * i, expected + 8 * i, 8) == 0);
    }
    free(expected);
    free(matrix);
    free(from.memory);
    plan_type_free(&column);
    plan_type_free(&type);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int body(int argc, char **argv)
{
    /* Around what fits a slot, a packet, and what is sent eagerly. */
    static const size_t sizes[] = {1, 40, 200, 4000, 8192, 16384, 70000, 300000};
    unsigned seed = (unsigned)strtoul(argv[1], NULL, 10);
    int types = atoi(argv[2]), rank;
    (void)argc;
    CHECK_OK(MPI_Init(NULL, NULL));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* All ranks draw the same. */
    if (rank == 0)
        CHECK_OK(MPI_Send(&seed, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Recv(&seed, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < types; i++) {
        plan *p = plan_random(&seed, 1 + i % 5, BYTES_MAX);
        plan_map map;
        check_me = (check_who){plan_tell, p};
        plan_map_make(p, &map);
        if (rank == 0)
            test_alone(p, &map, &seed);
        test_there_and_back(p, &map, rank, sizes[(size_t)i % (sizeof sizes / sizeof sizes[0])], &seed);
        test_across(p, &map, rank, &seed);
        plan_map_free(&map);
        plan_free(p);
    }
    CHECK_OK(MPI_Finalize());
    return 0;
}

int main(int argc, char **argv)
{
    char seed[16];
    snprintf(seed, sizeof seed, "%u", plan_seed());
    char *arguments[] = {argv[0], seed, argc > 1 ? argv[1] : "400", NULL};
    if (argc > 2 && strcmp(argv[2], "processes") == 0)
        CHECK(body(3, arguments) == 0);
    else
        CHECK(corunna_threads_run(RANKS, body, 3, arguments) == 0);
    puts("face_random: passed");
    return 0;
}
