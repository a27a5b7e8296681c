/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed graph topologies. */
#include "mpi/face_topology.h"

#include <string.h>

/* The arguments of one side. */
static const char *const dist_in_names[] = {"sources", "sourceweights"};
static const char *const dist_out_names[] = {"destinations", "destweights"};

/* ---- making ----------------------------------------------------------------------------------------------------- */

/* Ranks of the communicator. */
static int dist_check_ranks(const char *call, face_comm *comm, const char *name, int count, const int ranks[])
{
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= comm->size)
            return face_fail(call, comm, MPI_ERR_RANK, "%s[%d] is %d, but the communicator has %d ranks (0..%d)", name,
                             i, ranks[i], comm->size, comm->size - 1);
    return MPI_SUCCESS;
}

/* Weights, if there are any; `count` may be more than fits an int. */
static int dist_check_weights(const char *call, face_comm *comm, const char *name, long count, const int weights[])
{
    if (weights == MPI_UNWEIGHTED || count == 0)
        return MPI_SUCCESS;
    if (weights == MPI_WEIGHTS_EMPTY || !weights)
        return face_fail(call, comm, MPI_ERR_ARG, "%s is %s, but there are %ld edges", name,
                         weights ? "MPI_WEIGHTS_EMPTY" : "a NULL pointer", count);
    for (long i = 0; i < count; i++)
        if (weights[i] < 0)
            return face_fail(call, comm, MPI_ERR_ARG, "%s[%ld] is %d, but must not be negative", name, i, weights[i]);
    return MPI_SUCCESS;
}

/* Only MPI_UNWEIGHTED, which is not NULL here, means a graph without weights: where there is no edge, NULL means the
 * same as MPI_WEIGHTS_EMPTY, as in MPICH and Open MPI. */
static int dist_is_weighted(const int weights[])
{
    return weights != MPI_UNWEIGHTED;
}

/* One side of the neighbours of a call. */
static int dist_check_side(const char *call, face_comm *comm, const char *const names[2], int degree,
                           const int ranks[], const int weights[])
{
    return dist_check_ranks(call, comm, names[0], degree, ranks)
               ?: dist_check_weights(call, comm, names[1], degree, weights);
}

static int dist_create_adjacent(const char *call, face_comm *comm_old, int indegree, const int sources[],
                                const int sourceweights[], int outdegree, const int destinations[],
                                const int destweights[], cor_info *info, int reorder, MPI_Comm *comm_dist_graph)
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = dist_check_side(call, comm_old, dist_in_names, indegree, sources, sourceweights)
                    ?: dist_check_side(call, comm_old, dist_out_names, outdegree, destinations, destweights);
    if (error != MPI_SUCCESS)
        return error;
    if (dist_is_weighted(sourceweights) != dist_is_weighted(destweights))
        return face_fail(call, comm_old, MPI_ERR_ARG, "only one of sourceweights and destweights is MPI_UNWEIGHTED");
    cor_neighbours in = {indegree, sources, sourceweights}, out = {outdegree, destinations, destweights};
    cor_comm *made = NULL;
    int code = cor_dist_graph_create_adjacent(comm_old->comm, dist_is_weighted(sourceweights), &in, &out, &made);
    return face_topology_made(call, comm_old, code, MPI_ERR_ARG, made, comm_dist_graph);
}

FACE_API(Dist_graph_create_adjacent, dist_create_adjacent)

/* The edges of Dist_graph_create. */
static int dist_check_edges(const char *call, face_comm *comm, int n, const int sources[], const int degrees[],
                            const int destinations[], const int weights[])
{
    int error = dist_check_ranks(call, comm, "sources", n, sources);
    if (error != MPI_SUCCESS)
        return error;
    long count = 0;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return face_fail(call, comm, MPI_ERR_ARG, "degrees[%d] is %d, but must not be negative", i, degrees[i]);
        count += degrees[i];
    }
    if (count > INT32_MAX)
        return face_fail(call, comm, MPI_ERR_ARG, "degrees add up to %ld edges, more than an int can count", count);
    if (count > 0 && !destinations)
        return face_fail_null(call, comm, "destinations");
    error = dist_check_ranks(call, comm, "destinations", (int)count, destinations);
    return error != MPI_SUCCESS ? error : dist_check_weights(call, comm, "weights", count, weights);
}

static int dist_create(const char *call, face_comm *comm_old, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], cor_info *info, int reorder,
                       MPI_Comm *comm_dist_graph)
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = dist_check_edges(call, comm_old, n, sources, degrees, destinations, weights);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_dist_graph_create(comm_old->comm, n, sources, degrees, destinations, dist_is_weighted(weights),
                                     weights, &made);
    return face_topology_made(call, comm_old, code, MPI_ERR_ARG, made, comm_dist_graph);
}

FACE_API(Dist_graph_create, dist_create)

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int dist_neighbors_count(const char *call, face_comm *comm, int *indegree, int *outdegree, int *weighted)
{
    *indegree = cor_topology_sources(comm->comm).count;
    *outdegree = cor_topology_destinations(comm->comm).count;
    *weighted = cor_dist_graph_is_weighted(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Dist_graph_neighbors_count, dist_neighbors_count)

/* Write one side, as far as there is space. Weights are not written where the graph or the caller has none. */
static int dist_write(const char *call, face_comm *comm, const char *const names[2], cor_neighbours side, int room,
                      int ranks[], int weights[])
{
    int count = room < side.count ? room : side.count;
    if (count == 0)
        return MPI_SUCCESS;
    if (!ranks)
        return face_fail_null(call, comm, names[0]);
    memcpy(ranks, side.ranks, (size_t)count * sizeof *ranks);
    if (!side.weights || weights == MPI_UNWEIGHTED)
        return MPI_SUCCESS;
    if (!weights || weights == MPI_WEIGHTS_EMPTY)
        return face_fail(call, comm, MPI_ERR_ARG, "%s is %s, but there are %d edges with weights", names[1],
                         weights ? "MPI_WEIGHTS_EMPTY" : "a NULL pointer", count);
    memcpy(weights, side.weights, (size_t)count * sizeof *weights);
    return MPI_SUCCESS;
}

static int dist_neighbors(const char *call, face_comm *comm, int maxindegree, int sources[], int sourceweights[],
                          int maxoutdegree, int destinations[], int destweights[])
{
    cor_neighbours in = cor_topology_sources(comm->comm), out = cor_topology_destinations(comm->comm);
    return dist_write(call, comm, dist_in_names, in, maxindegree, sources, sourceweights)
               ?: dist_write(call, comm, dist_out_names, out, maxoutdegree, destinations, destweights);
}

FACE_API(Dist_graph_neighbors, dist_neighbors)
