/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective calls of many kinds on the world and on parts of it, each checked: for learn_test.sh, which lets them be
 * learnt about.
 *   learning ROUNDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 3000, RANKS_MAX = 16 };

static void expect(int condition, const char *call, int round)
{
    if (condition)
        return;
    printf("wrong: %s in round %d\n", call, round);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Maps x -> a x + b modulo 2^32, one after the other: not commutative. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    unsigned *first = in, *second = inout;
    (void)type;
    for (int i = 0; i < *length; i++, first += 2, second += 2) {
        second[1] = second[0] * first[1] + second[1];
        second[0] *= first[0];
    }
}

typedef struct bench {
    MPI_Comm comm;
    int rank, size;
    MPI_Op composing;
    MPI_Datatype map;
} bench;

static void rooted(const bench *b, int round, int count)
{
    static int one[LONGEST], all[RANKS_MAX * LONGEST];
    int root = round % b->size;
    for (int i = 0; i < count; i++)
        one[i] = b->rank == root ? round + i : -1;
    MPI_Bcast(one, count, MPI_INT, root, b->comm);
    expect(one[0] == round && one[count - 1] == round + count - 1, "bcast", round);
    for (int i = 0; i < count; i++)
        one[i] = b->rank * 7 + i;
    MPI_Gather(one, count, MPI_INT, all, count, MPI_INT, root, b->comm);
    if (b->rank == root)
        for (int i = 0; i < b->size; i++)
            expect(all[i * count + count - 1] == i * 7 + count - 1, "gather", round);
    MPI_Scatter(all, count, MPI_INT, one, count, MPI_INT, root, b->comm);
    expect(one[count - 1] == b->rank * 7 + count - 1, "scatter", round);
    MPI_Reduce(one, all, count, MPI_INT, MPI_MAX, root, b->comm);
    expect(b->rank != root || all[0] == (b->size - 1) * 7, "reduce", round);
}

static void everywhere(const bench *b, int round, int count)
{
    static int one[RANKS_MAX * LONGEST], all[RANKS_MAX * LONGEST];
    int size = b->size, counts[RANKS_MAX], starts[RANKS_MAX];
    for (int i = 0; i < count * size; i++)
        one[i] = b->rank + i;
    MPI_Allreduce(one, all, count, MPI_INT, MPI_SUM, b->comm);
    expect(all[count - 1] == size * (size - 1) / 2 + size * (count - 1), "allreduce", round);
    MPI_Allgather(one, count, MPI_INT, all, count, MPI_INT, b->comm);
    for (int i = 0; i < size; i++)
        expect(all[i * count] == i && all[i * count + count - 1] == i + count - 1, "allgather", round);
    MPI_Alltoall(one, count, MPI_INT, all, count, MPI_INT, b->comm);
    for (int i = 0; i < size; i++)
        expect(all[i * count] == i + b->rank * count, "alltoall", round);
    MPI_Reduce_scatter_block(one, all, count, MPI_INT, MPI_SUM, b->comm);
    expect(all[0] == size * (size - 1) / 2 + size * b->rank * count, "reduce_scatter_block", round);
    MPI_Scan(one, all, count, MPI_INT, MPI_MAX, b->comm);
    expect(all[0] == b->rank, "scan", round);
    for (int i = 0; i < size; i++) {
        counts[i] = (i + round) % 3;
        starts[i] = i * 3;
    }
    MPI_Allgatherv(one, counts[b->rank], MPI_INT, all, counts, starts, MPI_INT, b->comm);
    for (int i = 0; i < size; i++)
        expect(counts[i] == 0 || all[i * 3] == i, "allgatherv", round);
}

/* A result that depends on the order of the ranks. */
static void ordered(const bench *b, int round)
{
    unsigned map[2] = {(unsigned)b->rank * 2 + 3, (unsigned)(round + b->rank)}, result[2], expected[2] = {1, 0};
    MPI_Allreduce(map, result, 1, b->map, b->composing, b->comm);
    for (int i = 0; i < b->size; i++) {
        expected[1] = ((unsigned)i * 2 + 3) * expected[1] + (unsigned)(round + i);
        expected[0] *= (unsigned)i * 2 + 3;
    }
    expect(result[0] == expected[0] && result[1] == expected[1], "an operator that is not commutative", round);
}

/* What is left to the rules, between the others. */
static void left_alone(const bench *b, int round)
{
    int counts[RANKS_MAX], starts[RANKS_MAX], all[3 * RANKS_MAX], mine[3] = {b->rank, b->rank, b->rank}, sum = 0,
                                                                  is_set = 0;
    MPI_Request request;
    for (int i = 0; i < b->size; i++) {
        counts[i] = (i + round) % 4 ? 2 : 0;
        starts[i] = i * 3;
    }
    MPI_Gatherv(mine, counts[b->rank], MPI_INT, all, counts, starts, MPI_INT, 0, b->comm);
    for (int i = 0; i < b->size && b->rank == 0; i++)
        expect(counts[i] == 0 || all[starts[i] + 1] == i, "gatherv", round);
    MPI_Iallreduce(&b->rank, &sum, 1, MPI_INT, MPI_SUM, b->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum == b->size * (b->size - 1) / 2, "iallreduce", round);
    is_set = b->rank == 0 ? round : -1;
    MPI_Bcast_init(&is_set, 1, MPI_INT, 0, b->comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    expect(is_set == round, "a persistent bcast", round);
}

static void all_calls(const bench *b, int round)
{
    static const int counts[] = {1, 40, 2500};
    for (int i = 0; i < 3; i++) {
        rooted(b, round, counts[i]);
        everywhere(b, round, counts[i]);
    }
    ordered(b, round);
    left_alone(b, round);
    MPI_Barrier(b->comm);
}

static bench bench_on(MPI_Comm comm, const bench *like)
{
    bench b = *like;
    b.comm = comm;
    MPI_Comm_rank(comm, &b.rank);
    MPI_Comm_size(comm, &b.size);
    return b;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, rank;
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    bench like = {.comm = MPI_COMM_WORLD};
    MPI_Op_create(compose, 0, &like.composing);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &like.map);
    MPI_Type_commit(&like.map);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Of the sizes 1, 2 and more, where there are enough. */
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : rank < 3 ? 1 : 2, -rank, &part);
    bench world = bench_on(MPI_COMM_WORLD, &like), some = bench_on(part, &like);
    for (int round = 0; round < rounds; round++) {
        all_calls(&world, round);
        all_calls(&some, round);
    }
    MPI_Comm_free(&part);
    MPI_Op_free(&like.composing);
    MPI_Type_free(&like.map);
    if (rank == 0)
        printf("right\n");
    MPI_Finalize();
    return 0;
}
