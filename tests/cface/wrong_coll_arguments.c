/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments to collective operations, on one rank. Those that need several are in coll_wrong_calls.c. */
#include "wrong.h"

#include <stdint.h>

#define WORLD MPI_COMM_WORLD
#define OTHER_TYPE ((MPI_Datatype)MPI_COMM_WORLD)

/* Counts and displacements of two blocks, of which most calls need one: for functions with ints (small) and with large
 * counts. */
static const int small_one[] = {1, 1}, small_two[] = {2, 2}, small_less[] = {-1, -1}, small_zero[] = {0, 0};
static const MPI_Count large_one[] = {1, 1}, large_two[] = {2, 2}, large_less[] = {-1, -1};
static const MPI_Aint large_zero[] = {0, 0};

static int room[16], more[16];
static MPI_Datatype uncommitted, overlapping, ints[] = {MPI_INT, MPI_INT}, others[] = {OTHER_TYPE, OTHER_TYPE};
static MPI_Comm loop; /* a grid: this rank below and above itself */
static MPI_Request request;

/* The rows of a primitive for its six functions: rows(name, width of the arrays, last arguments). */
#define WRONG_SIX(rows, blocking, blocking_c, started, started_c, persistent, persistent_c)                           \
    rows(blocking, small);                                                                                            \
    rows(blocking_c, large);                                                                                          \
    rows(started, small, &request);                                                                                   \
    rows(started_c, large, &request);                                                                                 \
    rows(persistent, small, MPI_INFO_NULL, &request);                                                                 \
    rows(persistent_c, large, MPI_INFO_NULL, &request)

/* ---- barrier and broadcast -------------------------------------------------------------------------------------- */

#define WRONG_BCAST(name, w, t...)                                                                                    \
    WRONG(MPI_ERR_ROOT, "root is -1", name(room, 1, MPI_INT, -1, WORLD, ##t));                                        \
    WRONG(MPI_ERR_ROOT, "root is MPI_ROOT, which is valid on", name(room, 1, MPI_INT, MPI_ROOT, WORLD, ##t))

static void wrong_first(void)
{
    WRONG_SIX(WRONG_BCAST, MPI_Bcast, MPI_Bcast_c, MPI_Ibcast, MPI_Ibcast_c, MPI_Bcast_init, MPI_Bcast_init_c);
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Bcast_c(room, INT64_MAX, MPI_INT, 0, WORLD));
}

/* ---- gather and scatter ----------------------------------------------------------------------------------------- */

/* Both have the same arguments. */
#define WRONG_BOTH(name, w, t...)                                                                                     \
    WRONG(MPI_ERR_TYPE, "recvtype has blocks", name(room, 2, MPI_INT, more, 1, overlapping, 0, WORLD, ##t));          \
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",                                                  \
          name(room, 2, MPI_INT, more, 1, MPI_INT, 0, WORLD, ##t));                                                   \
    WRONG(MPI_ERR_COUNT, "send 4 bytes to itself, but receive 8",                                                     \
          name(room, 1, MPI_INT, more, 2, MPI_INT, 0, WORLD, ##t));                                                   \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap", name(room, 2, MPI_INT, room + 1, 2, MPI_INT, 0, WORLD, ##t))

#define WRONG_GATHERV(name, w, t...)                                                                                  \
    WRONG(MPI_ERR_BUFFER, "recvbuf is a NULL pointer, but recvcounts[0] is 1",                                        \
          name(room, 1, MPI_INT, NULL, w##_one, w##_zero, MPI_INT, 0, WORLD, ##t));                                   \
    WRONG(MPI_ERR_COUNT, "recvcounts[0] is -1",                                                                       \
          name(room, 1, MPI_INT, more, w##_less, w##_zero, MPI_INT, 0, WORLD, ##t));                                  \
    WRONG(MPI_ERR_TYPE, "recvtype overlap",                                                                           \
          name(room, 2, MPI_INT, more, w##_one, w##_zero, overlapping, 0, WORLD, ##t));                               \
    WRONG(MPI_ERR_COUNT, "send 4 bytes to itself, but receive 8",                                                     \
          name(room, 1, MPI_INT, more, w##_two, w##_zero, MPI_INT, 0, WORLD, ##t));                                   \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",                                                              \
          name(room, 1, MPI_INT, room, w##_one, w##_zero, MPI_INT, 0, WORLD, ##t))

#define WRONG_SCATTERV(name, w, t...)                                                                                 \
    WRONG(MPI_ERR_BUFFER, "sendbuf is a NULL pointer, but sendcounts[0] is 1",                                        \
          name(NULL, w##_one, w##_zero, MPI_INT, more, 1, MPI_INT, 0, WORLD, ##t));                                   \
    WRONG(MPI_ERR_COUNT, "sendcounts[0] is -1",                                                                       \
          name(room, w##_less, w##_zero, MPI_INT, more, 1, MPI_INT, 0, WORLD, ##t));                                  \
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",                                                  \
          name(room, w##_two, w##_zero, MPI_INT, more, 1, MPI_INT, 0, WORLD, ##t));                                   \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",                                                              \
          name(room, w##_one, w##_zero, MPI_INT, room, 1, MPI_INT, 0, WORLD, ##t))

static void wrong_rooted(void)
{
    WRONG_SIX(WRONG_BOTH, MPI_Gather, MPI_Gather_c, MPI_Igather, MPI_Igather_c, MPI_Gather_init, MPI_Gather_init_c);
    WRONG_SIX(WRONG_BOTH, MPI_Scatter, MPI_Scatter_c, MPI_Iscatter, MPI_Iscatter_c, MPI_Scatter_init,
              MPI_Scatter_init_c);
    WRONG_SIX(WRONG_GATHERV, MPI_Gatherv, MPI_Gatherv_c, MPI_Igatherv, MPI_Igatherv_c, MPI_Gatherv_init,
              MPI_Gatherv_init_c);
    WRONG_SIX(WRONG_SCATTERV, MPI_Scatterv, MPI_Scatterv_c, MPI_Iscatterv, MPI_Iscatterv_c, MPI_Scatterv_init,
              MPI_Scatterv_init_c);
}

/* ---- from all --------------------------------------------------------------------------------------------------- */

/* What all without a root have, also among neighbours: `comm` with two blocks on the loop. */
#define WRONG_EVEN(name, comm, t...)                                                                                  \
    WRONG(MPI_ERR_TYPE, "recvtype has blocks", name(room, 2, MPI_INT, more, 1, overlapping, comm, ##t));              \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap", name(room, 1, MPI_INT, room, 1, MPI_INT, comm, ##t))

#define WRONG_ALL(name, w, t...)                                                                                      \
    WRONG_EVEN(name, WORLD, ##t);                                                                                     \
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",                                                  \
          name(room, 2, MPI_INT, more, 1, MPI_INT, WORLD, ##t));                                                      \
    WRONG(MPI_ERR_COUNT, "send 4 bytes to itself, but receive 8", name(room, 1, MPI_INT, more, 2, MPI_INT, WORLD, ##t))

/* A send of one block, receives in blocks. */
#define WRONG_RECVS(name, w, comm, t...)                                                                              \
    WRONG(MPI_ERR_COUNT, "recvcounts[0] is", name(room, 1, MPI_INT, more, w##_less, w##_zero, MPI_INT, comm, ##t));   \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",                                                              \
          name(room, 1, MPI_INT, room, w##_one, w##_zero, MPI_INT, comm, ##t))

#define WRONG_ALLGATHERV(name, w, t...)                                                                               \
    WRONG_RECVS(name, w, WORLD, ##t);                                                                                 \
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",                                                  \
          name(room, 2, MPI_INT, more, w##_one, w##_zero, MPI_INT, WORLD, ##t))

/* Blocks on both sides. */
#define WRONG_PAIRS(name, w, comm, t...)                                                                              \
    WRONG(MPI_ERR_COUNT, "sendcounts[0] is -1",                                                                       \
          name(room, w##_less, w##_zero, MPI_INT, more, w##_one, w##_zero, MPI_INT, comm, ##t));                      \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap",                                                              \
          name(room, w##_one, w##_zero, MPI_INT, room, w##_one, w##_zero, MPI_INT, comm, ##t))

#define WRONG_ALLTOALLV(name, w, t...)                                                                                \
    WRONG_PAIRS(name, w, WORLD, ##t);                                                                                 \
    WRONG(MPI_ERR_TRUNCATE, "send 8 bytes to itself, but receive 4",                                                  \
          name(room, w##_two, w##_zero, MPI_INT, more, w##_one, w##_zero, MPI_INT, WORLD, ##t))

/* And with a datatype for each; `p` is the width of the displacements. */
#define WRONG_TYPED(name, w, p, comm, t...)                                                                           \
    WRONG(MPI_ERR_TYPE, "recvtypes[0] is",                                                                            \
          name(room, w##_one, p##_zero, ints, more, w##_one, p##_zero, others, comm, ##t));                           \
    WRONG(MPI_ERR_TYPE, "sendtypes[0] is",                                                                            \
          name(room, w##_one, p##_zero, others, more, w##_one, p##_zero, ints, comm, ##t));                           \
    WRONG(MPI_ERR_COUNT, "recvcounts[0] is -1",                                                                       \
          name(room, w##_one, p##_zero, ints, more, w##_less, p##_zero, ints, comm, ##t))

#define WRONG_ALLTOALLW(name, w, t...) WRONG_TYPED(name, w, w, WORLD, ##t)

static void wrong_all(void)
{
    WRONG_SIX(WRONG_ALL, MPI_Allgather, MPI_Allgather_c, MPI_Iallgather, MPI_Iallgather_c, MPI_Allgather_init,
              MPI_Allgather_init_c);
    WRONG_SIX(WRONG_ALL, MPI_Alltoall, MPI_Alltoall_c, MPI_Ialltoall, MPI_Ialltoall_c, MPI_Alltoall_init,
              MPI_Alltoall_init_c);
    WRONG_SIX(WRONG_ALLGATHERV, MPI_Allgatherv, MPI_Allgatherv_c, MPI_Iallgatherv, MPI_Iallgatherv_c,
              MPI_Allgatherv_init, MPI_Allgatherv_init_c);
    WRONG_SIX(WRONG_ALLTOALLV, MPI_Alltoallv, MPI_Alltoallv_c, MPI_Ialltoallv, MPI_Ialltoallv_c, MPI_Alltoallv_init,
              MPI_Alltoallv_init_c);
    WRONG_SIX(WRONG_ALLTOALLW, MPI_Alltoallw, MPI_Alltoallw_c, MPI_Ialltoallw, MPI_Ialltoallw_c, MPI_Alltoallw_init,
              MPI_Alltoallw_init_c);
}

/* ---- among neighbours ------------------------------------------------------------------------------------------- */

#define WRONG_NEIGHBOR(name, w, t...) WRONG_EVEN(name, loop, ##t)

#define WRONG_NEIGHBOR_ALLGATHERV(name, w, t...) WRONG_RECVS(name, w, loop, ##t)

#define WRONG_NEIGHBOR_ALLTOALLV(name, w, t...) WRONG_PAIRS(name, w, loop, ##t)

#define WRONG_NEIGHBOR_ALLTOALLW(name, w, t...) WRONG_TYPED(name, w, large, loop, ##t)

static void wrong_neighbors(void)
{
    static const MPI_Count huge[] = {INT64_MAX / 4, INT64_MAX / 4};
    static const MPI_Aint far[] = {INT64_MAX / 4, 0};
    WRONG_SIX(WRONG_NEIGHBOR, MPI_Neighbor_allgather, MPI_Neighbor_allgather_c, MPI_Ineighbor_allgather,
              MPI_Ineighbor_allgather_c, MPI_Neighbor_allgather_init, MPI_Neighbor_allgather_init_c);
    WRONG_SIX(WRONG_NEIGHBOR, MPI_Neighbor_alltoall, MPI_Neighbor_alltoall_c, MPI_Ineighbor_alltoall,
              MPI_Ineighbor_alltoall_c, MPI_Neighbor_alltoall_init, MPI_Neighbor_alltoall_init_c);
    WRONG_SIX(WRONG_NEIGHBOR_ALLGATHERV, MPI_Neighbor_allgatherv, MPI_Neighbor_allgatherv_c, MPI_Ineighbor_allgatherv,
              MPI_Ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init, MPI_Neighbor_allgatherv_init_c);
    WRONG_SIX(WRONG_NEIGHBOR_ALLTOALLV, MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallv_c, MPI_Ineighbor_alltoallv,
              MPI_Ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init, MPI_Neighbor_alltoallv_init_c);
    WRONG_SIX(WRONG_NEIGHBOR_ALLTOALLW, MPI_Neighbor_alltoallw, MPI_Neighbor_alltoallw_c, MPI_Ineighbor_alltoallw,
              MPI_Ineighbor_alltoallw_c, MPI_Neighbor_alltoallw_init, MPI_Neighbor_alltoallw_init_c);
    WRONG(MPI_ERR_COUNT, "in each of 2 blocks, more than memory",
          MPI_Neighbor_allgather_c(room, 1, MPI_INT, more, INT64_MAX / 4, MPI_INT, loop));
    WRONG(MPI_ERR_COUNT, "recvcounts[1] is",
          MPI_Neighbor_allgatherv_c(room, 1, MPI_INT, more, huge, large_zero, MPI_INT, loop));
    WRONG(MPI_ERR_ARG, "displs[0] is 2305843009213693951 elements",
          MPI_Neighbor_allgatherv_c(room, 1, MPI_INT, more, large_one, far, MPI_INT64_T, loop));
}

/* ---- reductions ------------------------------------------------------------------------------------------------- */

/* `c` is the argument for one element, `bad` that for less than none. */
#define WRONG_OPERATOR(name, c, bad, bad_text, t...)                                                                  \
    WRONG(MPI_ERR_OP, "MPI_BAND", name(room, more, c, MPI_DOUBLE, MPI_BAND, ##t));                                    \
    WRONG(MPI_ERR_COUNT, bad_text " is -1", name(room, more, bad, MPI_INT, MPI_SUM, ##t));                            \
    WRONG(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap", name(room, room, c, MPI_INT, MPI_SUM, ##t))

#define WRONG_REDUCE(name, w, t...) WRONG_OPERATOR(name, 1, -1, "count", 0, WORLD, ##t)

#define WRONG_ALLREDUCE(name, w, t...) WRONG_OPERATOR(name, 1, -1, "count", WORLD, ##t)

#define WRONG_REDUCE_SCATTER_BLOCK(name, w, t...) WRONG_OPERATOR(name, 1, -1, "recvcount", WORLD, ##t)

#define WRONG_REDUCE_SCATTER(name, w, t...) WRONG_OPERATOR(name, w##_one, w##_less, "recvcounts[0]", WORLD, ##t)

static void wrong_reductions(void)
{
    WRONG_SIX(WRONG_REDUCE, MPI_Reduce, MPI_Reduce_c, MPI_Ireduce, MPI_Ireduce_c, MPI_Reduce_init, MPI_Reduce_init_c);
    WRONG_SIX(WRONG_ALLREDUCE, MPI_Allreduce, MPI_Allreduce_c, MPI_Iallreduce, MPI_Iallreduce_c, MPI_Allreduce_init,
              MPI_Allreduce_init_c);
    WRONG_SIX(WRONG_REDUCE_SCATTER_BLOCK, MPI_Reduce_scatter_block, MPI_Reduce_scatter_block_c,
              MPI_Ireduce_scatter_block, MPI_Ireduce_scatter_block_c, MPI_Reduce_scatter_block_init,
              MPI_Reduce_scatter_block_init_c);
    WRONG_SIX(WRONG_REDUCE_SCATTER, MPI_Reduce_scatter, MPI_Reduce_scatter_c, MPI_Ireduce_scatter,
              MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init, MPI_Reduce_scatter_init_c);
    WRONG_SIX(WRONG_ALLREDUCE, MPI_Scan, MPI_Scan_c, MPI_Iscan, MPI_Iscan_c, MPI_Scan_init, MPI_Scan_init_c);
}

int main(int argc, char **argv)
{
    int one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Type_create_indexed_block(2, 1, (const int[]){0, 0}, MPI_INT, &overlapping);
    MPI_Type_commit(&overlapping);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &loop);
    wrong_first();
    wrong_rooted();
    wrong_all();
    wrong_neighbors();
    wrong_reductions();
    MPI_Comm_free(&loop);
    MPI_Type_free(&overlapping);
    MPI_Type_free(&uncommitted);
    MPI_Finalize();
    puts("wrong_coll_arguments: passed");
    return 0;
}
