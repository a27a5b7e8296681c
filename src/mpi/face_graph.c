/* SPDX-License-Identifier: Apache-2.0 */
/* Graph topologies. */
#include "mpi/face_topology.h"

#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

static int graph_check(const char *call, face_comm *comm, int nnodes, const int index[], const int edges[])
{
    for (int i = 0; i < nnodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return face_fail(call, comm, MPI_ERR_ARG, "indx[%d] is %d, which is less than the element before it", i,
                             index[i]);
    int count = nnodes ? index[nnodes - 1] : 0;
    if (count > 0 && !edges)
        return face_fail_null(call, comm, "edges");
    for (int i = 0; i < count; i++)
        if (edges[i] < 0 || edges[i] >= nnodes)
            return face_fail(call, comm, MPI_ERR_ARG, "edges[%d] is %d, but the graph has %d nodes", i, edges[i],
                             nnodes);
    return MPI_SUCCESS;
}

static int graph_create(const char *call, face_comm *comm_old, int nnodes, const int index[], const int edges[],
                        int reorder, MPI_Comm *comm_graph)
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = graph_check(call, comm_old, nnodes, index, edges);
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_graph_create(comm_old->comm, nnodes, index, edges, &made);
    return face_topology_made(call, comm_old, code, MPI_ERR_ARG, made, comm_graph);
}

FACE_API(Graph_create, graph_create)

static int graph_map(const char *call, face_comm *comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    int error = graph_check(call, comm, nnodes, index, edges);
    if (error == MPI_SUCCESS)
        *newrank = cor_graph_map(comm->comm, nnodes);
    return error;
}

FACE_API(Graph_map, graph_map)

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int graph_get_counts(const char *call, face_comm *comm, int *nnodes, int *nedges)
{
    *nnodes = cor_graph_node_count(comm->comm);
    *nedges = cor_graph_edge_count(comm->comm);
    return MPI_SUCCESS;
}

FACE_API(Graphdims_get, graph_get_counts)

static int graph_get(const char *call, face_comm *comm, int maxindex, int maxedges, int index[], int edges[])
{
    int nodes = cor_graph_node_count(comm->comm), count = cor_graph_edge_count(comm->comm);
    if (maxindex < nodes)
        return face_fail(call, comm, MPI_ERR_ARG, "maxindex is %d, but the graph has %d nodes", maxindex, nodes);
    if (maxedges < count)
        return face_fail(call, comm, MPI_ERR_ARG, "maxedges is %d, but the graph has %d edges", maxedges, count);
    if (count > 0 && !edges)
        return face_fail_null(call, comm, "edges");
    memcpy(index, cor_graph_index(comm->comm), (size_t)nodes * sizeof *index);
    if (count > 0)
        memcpy(edges, cor_graph_edges(comm->comm), (size_t)count * sizeof *edges);
    return MPI_SUCCESS;
}

FACE_API(Graph_get, graph_get)

static int graph_neighbors_count(const char *call, face_comm *comm, int rank, int *nneighbors)
{
    const int *neighbours;
    *nneighbors = cor_graph_neighbours(comm->comm, rank, &neighbours);
    return MPI_SUCCESS;
}

FACE_API(Graph_neighbors_count, graph_neighbors_count)

static int graph_neighbors(const char *call, face_comm *comm, int rank, int maxneighbors, int neighbors[])
{
    const int *neighbours;
    int count = cor_graph_neighbours(comm->comm, rank, &neighbours);
    if (maxneighbors < count)
        return face_fail(call, comm, MPI_ERR_ARG, "maxneighbors is %d, but rank %d has %d neighbours", maxneighbors,
                         rank, count);
    if (count > 0 && !neighbors)
        return face_fail_null(call, comm, "neighbors");
    if (count > 0)
        memcpy(neighbors, neighbours, (size_t)count * sizeof *neighbors);
    return MPI_SUCCESS;
}

FACE_API(Graph_neighbors, graph_neighbors)
