/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of which each rank knows its own neighbours. */
#include "mp/create/comm.h"
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- making from the neighbours --------------------------------------------------------------------------------- */

/* Copy one side's numbers to `room`, which moves on. */
static cor_neighbours dist_copy(const cor_neighbours *from, int is_weighted, int **room)
{
    cor_neighbours to = {.count = from->count, .ranks = *room};
    size_t bytes = (size_t)from->count * sizeof(int);
    if (from->count == 0)
        return to;
    memcpy(*room, from->ranks, bytes);
    *room += from->count;
    if (is_weighted) {
        to.weights = memcpy(*room, from->weights, bytes);
        *room += from->count;
    }
    return to;
}

static cor_topology *dist_make(int is_weighted, const cor_neighbours *sources, const cor_neighbours *destinations)
{
    size_t count = 2 * ((size_t)sources->count + (size_t)destinations->count);
    cor_topology *graph = cor_topology_make(COR_TOPOLOGY_DIST_GRAPH, count);
    if (!graph)
        return NULL;
    int *room = graph->numbers;
    graph->sources = dist_copy(sources, is_weighted, &room);
    graph->destinations = dist_copy(destinations, is_weighted, &room);
    graph->is_weighted = is_weighted;
    return graph;
}

static int dist_attach(cor_comm *comm, int is_weighted, const cor_neighbours *sources,
                       const cor_neighbours *destinations, cor_comm **graph_p)
{
    cor_comm *made;
    int rc = cor_comm_split(comm, 0, 0, &made);
    if (rc != COR_OK)
        return rc;
    cor_topology *graph = dist_make(is_weighted, sources, destinations);
    if (!graph) {
        cor_comm_unref(made);
        return cor_topology_no_memory(comm);
    }
    cor_topology_attach(made, graph);
    *graph_p = made;
    return COR_OK;
}

int cor_dist_graph_create_adjacent(cor_comm *comm, int is_weighted, const cor_neighbours *sources,
                                   const cor_neighbours *destinations, cor_comm **graph_p)
{
    return dist_attach(comm, is_weighted, sources, destinations, graph_p);
}

/* ---- making from edges that any rank named ---------------------------------------------------------------------- */

typedef struct dist_edge {
    int from, to, weight;
} dist_edge;

/* What one rank has to say before the edges themselves. */
typedef struct dist_count {
    long edges;
    int is_weighted;
} dist_count;

static long dist_write_edges(int node_count, const int *sources, const int *degrees, const int *destinations,
                             const int *weights, dist_edge *edges)
{
    long count = 0;
    for (int i = 0; i < node_count; i++)
        for (int j = 0; j < degrees[i]; j++, count++)
            if (edges)
                edges[count] = (dist_edge){sources[i], destinations[count], weights ? weights[count] : 0};
    return count;
}

/* Every rank gets every rank's edges, by rank, each as many as the counts say. */
static int dist_gather_edges(cor_comm *comm, const dist_count *counts, const dist_edge *mine, dist_edge *all)
{
    int rc = COR_OK;
    for (int root = 0; root < comm->size && rc == COR_OK; root++) {
        size_t bytes = (size_t)counts[root].edges * sizeof *all;
        if (root == comm->rank) {
            if (bytes)
                memcpy(all, mine, bytes);
            for (int i = 0; bytes && i < comm->size && rc == COR_OK; i++)
                if (i != root)
                    rc = cor_internal_send(comm, mine, bytes, i, COR_INTERNAL_TAG_GRAPH);
        } else if (bytes) {
            rc = cor_internal_recv(comm, all, bytes, root, COR_INTERNAL_TAG_GRAPH);
        }
        all += counts[root].edges;
    }
    return rc;
}

/* This rank's neighbours among all edges, in two blocks of `total` numbers each way. */
static void dist_pick(int rank, long total, const dist_edge *edges, int *numbers, cor_neighbours *sources,
                      cor_neighbours *destinations)
{
    int *in = numbers, *in_weights = in + total, *out = in_weights + total, *out_weights = out + total;
    *sources = (cor_neighbours){.ranks = in, .weights = in_weights};
    *destinations = (cor_neighbours){.ranks = out, .weights = out_weights};
    for (long i = 0; i < total; i++) {
        if (edges[i].to == rank) {
            in[sources->count] = edges[i].from;
            in_weights[sources->count++] = edges[i].weight;
        }
        if (edges[i].from == rank) {
            out[destinations->count] = edges[i].to;
            out_weights[destinations->count++] = edges[i].weight;
        }
    }
}

/* With the counts known to all. */
static int dist_create(cor_comm *comm, const dist_count *counts, const dist_edge *mine, cor_comm **graph_p)
{
    long total = 0, weighted = 0;
    int is_weighted = 0;
    for (int i = 0; i < comm->size; i++) {
        total += counts[i].edges;
        weighted += counts[i].is_weighted ? counts[i].edges : 0;
        is_weighted |= counts[i].is_weighted;
    }
    if (total > 0)
        is_weighted = weighted > 0;
    if (is_weighted && weighted < total)
        return cor_fault_set(comm->owner->fault, COR_ERR_ARG, "some ranks passed weights and some passed none");
    dist_edge *edges = malloc(((size_t)total + 1) * sizeof *edges);
    int *numbers = malloc(((size_t)total * 4 + 1) * sizeof *numbers);
    cor_neighbours sources, destinations;
    int rc = edges && numbers ? COR_OK : cor_topology_no_memory(comm);
    if (rc == COR_OK)
        rc = dist_gather_edges(comm, counts, mine, edges);
    if (rc == COR_OK) {
        dist_pick(comm->rank, total, edges, numbers, &sources, &destinations);
        rc = dist_attach(comm, is_weighted, &sources, &destinations, graph_p);
    }
    free(edges);
    free(numbers);
    return rc;
}

int cor_dist_graph_create(cor_comm *comm, int node_count, const int *sources, const int *degrees,
                          const int *destinations, int is_weighted, const int *weights, cor_comm **graph_p)
{
    const int *given = is_weighted ? weights : NULL;
    long count = dist_write_edges(node_count, sources, degrees, destinations, given, NULL);
    dist_count own = {.edges = count, .is_weighted = is_weighted};
    dist_count *counts = malloc((size_t)comm->size * sizeof *counts);
    dist_edge *mine = malloc(((size_t)count + 1) * sizeof *mine);
    int rc = counts && mine ? COR_OK : cor_topology_no_memory(comm);
    if (rc == COR_OK) {
        dist_write_edges(node_count, sources, degrees, destinations, given, mine);
        rc = cor_internal_gather_all(comm, &own, sizeof own, counts);
    }
    if (rc == COR_OK)
        rc = dist_create(comm, counts, mine, graph_p);
    free(counts);
    free(mine);
    return rc;
}

int cor_dist_graph_is_weighted(const cor_comm *graph)
{
    return graph->topology->is_weighted;
}
