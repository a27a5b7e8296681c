/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed graph topologies. */
#include "mpi/face_topology.h"

#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

/* Ranks of the communicator. */
static int dist_check_ranks(const char *call, face_comm *comm, const char *name, int count, const int ranks[])
{
    if (count > 0 && !ranks)
        return face_fail_null(call, comm, name);
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
static int dist_check_side(const char *call, face_comm *comm, const char *const names[3], int degree,
                           const int ranks[], const int weights[])
{
    if (degree < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "%s is %d, but must not be negative", names[0], degree);
    int error = dist_check_ranks(call, comm, names[1], degree, ranks);
    return error != MPI_SUCCESS ? error : dist_check_weights(call, comm, names[2], degree, weights);
}

COR_API(int, Dist_graph_create_adjacent,
        (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree,
         const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph))
{
    static const char *const in_names[] = {"indegree", "sources", "sourceweights"};
    static const char *const out_names[] = {"outdegree", "destinations", "destweights"};
    const char *call = "MPI_Dist_graph_create_adjacent";
    (void)reorder; /* no reordering, which MPI allows */
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra(call, "comm_old", comm_old, "comm_dist_graph", comm_dist_graph, &error);
    if (!face || !face_info_is_usable(call, face, info, &error))
        return error;
    error = dist_check_side(call, face, in_names, indegree, sources, sourceweights)
                ?: dist_check_side(call, face, out_names, outdegree, destinations, destweights);
    if (error != MPI_SUCCESS)
        return error;
    if (dist_is_weighted(sourceweights) != dist_is_weighted(destweights))
        return face_fail(call, face, MPI_ERR_ARG, "only one of sourceweights and destweights is MPI_UNWEIGHTED");
    cor_neighbours in = {indegree, sources, sourceweights}, out = {outdegree, destinations, destweights};
    cor_comm *made = NULL;
    int code = cor_dist_graph_create_adjacent(face->comm, dist_is_weighted(sourceweights), &in, &out, &made);
    return face_topology_made(call, face, code, MPI_ERR_ARG, made, comm_dist_graph);
}

/* The edges of Dist_graph_create. */
static int dist_check_edges(const char *call, face_comm *comm, int n, const int sources[], const int degrees[],
                            const int destinations[], const int weights[])
{
    if (n < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "n is %d, but must not be negative", n);
    int error = dist_check_ranks(call, comm, "sources", n, sources);
    if (error != MPI_SUCCESS)
        return error;
    if (n > 0 && !degrees)
        return face_fail_null(call, comm, "degrees");
    long count = 0;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return face_fail(call, comm, MPI_ERR_ARG, "degrees[%d] is %d, but must not be negative", i, degrees[i]);
        count += degrees[i];
    }
    if (count > INT32_MAX)
        return face_fail(call, comm, MPI_ERR_ARG, "degrees add up to %ld edges, more than an int can count", count);
    error = dist_check_ranks(call, comm, "destinations", (int)count, destinations);
    return error != MPI_SUCCESS ? error : dist_check_weights(call, comm, "weights", count, weights);
}

COR_API(int, Dist_graph_create,
        (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
         const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph))
{
    const char *call = "MPI_Dist_graph_create";
    (void)reorder; /* no reordering, which MPI allows */
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra(call, "comm_old", comm_old, "comm_dist_graph", comm_dist_graph, &error);
    if (!face || !face_info_is_usable(call, face, info, &error))
        return error;
    error = dist_check_edges(call, face, n, sources, degrees, destinations, weights);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_dist_graph_create(face->comm, n, sources, degrees, destinations, dist_is_weighted(weights), weights,
                                     &made);
    return face_topology_made(call, face, code, MPI_ERR_ARG, made, comm_dist_graph);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

COR_API(int, Dist_graph_neighbors_count, (MPI_Comm comm, int *indegree, int *outdegree, int *weighted))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Dist_graph_neighbors_count", comm, COR_TOPOLOGY_DIST_GRAPH, &error);
    if (!face)
        return error;
    if (!indegree || !outdegree || !weighted)
        return face_fail_null("MPI_Dist_graph_neighbors_count", face,
                              !indegree    ? "indegree"
                              : !outdegree ? "outdegree"
                                           : "weighted");
    *indegree = cor_topology_sources(face->comm).count;
    *outdegree = cor_topology_destinations(face->comm).count;
    *weighted = cor_dist_graph_is_weighted(face->comm);
    return MPI_SUCCESS;
}

/* Write one side, as far as there is space. Weights are not written where the graph or the caller has none. */
static int dist_write(face_comm *comm, const char *const names[3], cor_neighbours side, int room, int ranks[],
                      int weights[])
{
    const char *call = "MPI_Dist_graph_neighbors";
    if (room < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "%s is %d, but must not be negative", names[0], room);
    int count = room < side.count ? room : side.count;
    if (count == 0)
        return MPI_SUCCESS;
    if (!ranks)
        return face_fail_null(call, comm, names[1]);
    memcpy(ranks, side.ranks, (size_t)count * sizeof *ranks);
    if (!side.weights || weights == MPI_UNWEIGHTED)
        return MPI_SUCCESS;
    if (!weights || weights == MPI_WEIGHTS_EMPTY)
        return face_fail(call, comm, MPI_ERR_ARG, "%s is %s, but there are %d edges with weights", names[2],
                         weights ? "MPI_WEIGHTS_EMPTY" : "a NULL pointer", count);
    memcpy(weights, side.weights, (size_t)count * sizeof *weights);
    return MPI_SUCCESS;
}

COR_API(int, Dist_graph_neighbors,
        (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
         int destweights[]))
{
    static const char *const in_names[] = {"maxindegree", "sources", "sourceweights"};
    static const char *const out_names[] = {"maxoutdegree", "destinations", "destweights"};
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Dist_graph_neighbors", comm, COR_TOPOLOGY_DIST_GRAPH, &error);
    if (!face)
        return error;
    return dist_write(face, in_names, cor_topology_sources(face->comm), maxindegree, sources, sourceweights)
               ?: dist_write(face, out_names, cor_topology_destinations(face->comm), maxoutdegree, destinations,
                             destweights);
}
