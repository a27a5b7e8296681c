/* SPDX-License-Identifier: Apache-2.0 */
/* Graph topologies. */
#include "mpi/face_topology.h"

#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

static int graph_check(const char *call, face_comm *comm, int nnodes, const int index[], const int edges[])
{
    if (nnodes < 0)
        return face_fail(call, comm, MPI_ERR_ARG, "nnodes is %d, but must not be negative", nnodes);
    if (nnodes > 0 && !index)
        return face_fail_null(call, comm, "index");
    for (int i = 0; i < nnodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return face_fail(call, comm, MPI_ERR_ARG, "index[%d] is %d, which is less than the element before it", i,
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

COR_API(int, Graph_create,
        (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *comm_graph))
{
    (void)reorder; /* no reordering, which MPI allows */
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra("MPI_Graph_create", "comm_old", comm_old, "comm_graph", comm_graph, &error);
    if (face)
        error = graph_check("MPI_Graph_create", face, nnodes, index, edges);
    if (!face || error != MPI_SUCCESS)
        return error;
    cor_comm *made = NULL;
    int code = cor_graph_create(face->comm, nnodes, index, edges, &made);
    return face_topology_made("MPI_Graph_create", face, code, MPI_ERR_ARG, made, comm_graph);
}

COR_API(int, Graph_map, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask_intra("MPI_Graph_map", "comm", comm, "newrank", newrank, &error);
    if (!face)
        return error;
    error = graph_check("MPI_Graph_map", face, nnodes, index, edges);
    if (error == MPI_SUCCESS)
        *newrank = cor_graph_map(face->comm, nnodes);
    return error;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

COR_API(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Graphdims_get", comm, COR_TOPOLOGY_GRAPH, &error);
    if (!face)
        return error;
    if (!nnodes || !nedges)
        return face_fail_null("MPI_Graphdims_get", face, nnodes ? "nedges" : "nnodes");
    *nnodes = cor_graph_node_count(face->comm);
    *nedges = cor_graph_edge_count(face->comm);
    return MPI_SUCCESS;
}

COR_API(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_topology_ask("MPI_Graph_get", comm, COR_TOPOLOGY_GRAPH, &error);
    if (!face)
        return error;
    int nodes = cor_graph_node_count(face->comm), count = cor_graph_edge_count(face->comm);
    if (maxindex < nodes)
        return face_fail("MPI_Graph_get", face, MPI_ERR_ARG, "maxindex is %d, but the graph has %d nodes", maxindex,
                         nodes);
    if (maxedges < count)
        return face_fail("MPI_Graph_get", face, MPI_ERR_ARG, "maxedges is %d, but the graph has %d edges", maxedges,
                         count);
    if (!index || (count > 0 && !edges))
        return face_fail_null("MPI_Graph_get", face, index ? "edges" : "index");
    memcpy(index, cor_graph_index(face->comm), (size_t)nodes * sizeof *index);
    if (count > 0)
        memcpy(edges, cor_graph_edges(face->comm), (size_t)count * sizeof *edges);
    return MPI_SUCCESS;
}

/* The graph communicator of a call about one rank, or NULL with the error reported in *error_p. */
static face_comm *graph_ask_rank(const char *call, MPI_Comm handle, int rank, int *error_p)
{
    face_comm *comm = face_topology_ask(call, handle, COR_TOPOLOGY_GRAPH, error_p);
    if (!comm || (rank >= 0 && rank < comm->size))
        return comm;
    *error_p = face_fail(call, comm, MPI_ERR_RANK, "rank is %d, but the graph has %d nodes (0..%d)", rank, comm->size,
                         comm->size - 1);
    return NULL;
}

COR_API(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *nneighbors))
{
    int error = MPI_SUCCESS;
    const int *neighbours;
    face_comm *face = graph_ask_rank("MPI_Graph_neighbors_count", comm, rank, &error);
    if (!face)
        return error;
    if (!nneighbors)
        return face_fail_null("MPI_Graph_neighbors_count", face, "nneighbors");
    *nneighbors = cor_graph_neighbours(face->comm, rank, &neighbours);
    return MPI_SUCCESS;
}

COR_API(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]))
{
    int error = MPI_SUCCESS;
    const int *neighbours;
    face_comm *face = graph_ask_rank("MPI_Graph_neighbors", comm, rank, &error);
    if (!face)
        return error;
    int count = cor_graph_neighbours(face->comm, rank, &neighbours);
    if (maxneighbors < count)
        return face_fail("MPI_Graph_neighbors", face, MPI_ERR_ARG, "maxneighbors is %d, but rank %d has %d neighbours",
                         maxneighbors, rank, count);
    if (count > 0 && !neighbors)
        return face_fail_null("MPI_Graph_neighbors", face, "neighbors");
    if (count > 0)
        memcpy(neighbors, neighbours, (size_t)count * sizeof *neighbors);
    return MPI_SUCCESS;
}
