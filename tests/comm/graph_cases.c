/* SPDX-License-Identifier: Apache-2.0 */
/* Graph topologies. */
#include "comm_suite.h"

#include <string.h>

/* Node i has as neighbours the next one, the one before, and itself i % 3 times. */
static int ring_edges(int nodes, int *index, int *edges)
{
    int count = 0;
    for (int i = 0; i < nodes; i++) {
        edges[count++] = (i + 1) % nodes;
        edges[count++] = (i + nodes - 1) % nodes;
        for (int j = 0; j < i % 3; j++)
            edges[count++] = i;
        index[i] = count;
    }
    return count;
}

void case_graph_ring(const test *t)
{
    int index[64], edges[256], got_index[64], got_edges[256], neighbours[4], number, other;
    for (int nodes = t->size; nodes >= t->size - 1 && nodes > 0; nodes--) {
        MPI_Comm graph, dup;
        int count = ring_edges(nodes, index, edges);
        CHECK_OK(MPI_Graph_create(t->comm, nodes, index, edges, 0, &graph));
        CHECK_OK(MPI_Graph_map(t->comm, nodes, index, edges, &number));
        CHECK_EQUAL(t->rank < nodes ? t->rank : MPI_UNDEFINED, number);
        CHECK_EQUAL(t->rank >= nodes, graph == MPI_COMM_NULL);
        if (graph == MPI_COMM_NULL)
            continue;
        CHECK_OK(MPI_Comm_dup(graph, &dup));
        CHECK_OK(MPI_Comm_free(&graph));
        CHECK_OK(MPI_Topo_test(dup, &number));
        CHECK_EQUAL(MPI_GRAPH, number);
        CHECK_OK(MPI_Graphdims_get(dup, &number, &other));
        CHECK_EQUAL(nodes, number);
        CHECK_EQUAL(count, other);
        CHECK_OK(MPI_Graph_get(dup, nodes, count, got_index, got_edges));
        CHECK_EQUAL(0, memcmp(index, got_index, (size_t)nodes * sizeof *index));
        CHECK_EQUAL(0, memcmp(edges, got_edges, (size_t)count * sizeof *edges));
        for (int node = 0; node < nodes; node++) {
            CHECK_OK(MPI_Graph_neighbors_count(dup, node, &number));
            CHECK_EQUAL(2 + node % 3, number);
            CHECK_OK(MPI_Graph_neighbors(dup, node, number, neighbours));
            CHECK_EQUAL((node + 1) % nodes, neighbours[0]);
            CHECK_EQUAL((node + nodes - 1) % nodes, neighbours[1]);
            for (int j = 2; j < number; j++)
                CHECK_EQUAL(node, neighbours[j]);
        }
        CHECK_EQUAL(MPI_ERR_ARG, MPI_Graph_neighbors(dup, 0, 1, neighbours));
        CHECK_EQUAL(MPI_ERR_RANK, MPI_Graph_neighbors_count(dup, nodes, &number));
        CHECK_EQUAL(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(dup, &number));
        CHECK_OK(MPI_Comm_free(&dup));
    }
    memset(index, 0, sizeof index);
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Graph_create(t->comm, t->size + 1, index, edges, 0, &(MPI_Comm){0}));
}

void case_graph_none(const test *t)
{
    MPI_Comm graph;
    int number;
    CHECK_OK(MPI_Graph_create(t->comm, 0, NULL, NULL, 0, &graph));
    CHECK(graph == MPI_COMM_NULL);
    CHECK_OK(MPI_Topo_test(t->comm, &number));
    CHECK_EQUAL(MPI_UNDEFINED, number);
    /* Nodes without edges. */
    int index[64] = {0};
    CHECK_OK(MPI_Graph_create(t->comm, t->size, index, NULL, 0, &graph));
    CHECK_OK(MPI_Graph_neighbors_count(graph, t->rank, &number));
    CHECK_EQUAL(0, number);
    CHECK_OK(MPI_Comm_free(&graph));
}

/* Send to every destination, receive from every source: the graph is one and the same for all. */
static void expect_traffic(const test *t, MPI_Comm graph)
{
    int in, out, weighted, sources[256], destinations[256], in_weights[256], out_weights[256], got;
    MPI_Request requests[256];
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_OK(MPI_Dist_graph_neighbors(graph, in, sources, in_weights, out, destinations, out_weights));
    for (int i = 0; i < out; i++)
        CHECK_OK(MPI_Isend(weighted ? &out_weights[i] : &t->rank, 1, MPI_INT, destinations[i],
                           weighted ? out_weights[i] : 0, graph, &requests[i]));
    for (int i = 0; i < in; i++) {
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, sources[i], weighted ? in_weights[i] : 0, graph, MPI_STATUS_IGNORE));
        CHECK_EQUAL(weighted ? in_weights[i] : sources[i], got);
    }
    CHECK_OK(MPI_Waitall(out, requests, MPI_STATUSES_IGNORE));
    int flag;
    CHECK_OK(MPI_Barrier(graph));
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, graph, &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(0, flag);
}

void case_graph_dist_adjacent(const test *t)
{
    MPI_Comm graph, dup;
    int right = (t->rank + 1) % t->size, left = (t->rank + t->size - 1) % t->size, number, in, out, weighted;
    /* From the left and from myself; to the right and to myself. */
    int sources[2] = {left, t->rank}, destinations[2] = {t->rank, right};
    CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &graph));
    CHECK_OK(MPI_Topo_test(graph, &number));
    CHECK_EQUAL(MPI_DIST_GRAPH, number);
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_EQUAL(2, in);
    CHECK_EQUAL(2, out);
    CHECK_EQUAL(0, weighted);
    int got[4] = {-1, -1, -1, -1};
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 2, got, MPI_UNWEIGHTED, 1, got + 2, MPI_UNWEIGHTED));
    CHECK_EQUAL(left, got[0]);
    CHECK_EQUAL(t->rank, got[1]);
    CHECK_EQUAL(t->rank, got[2]);
    CHECK_EQUAL(-1, got[3]);
    expect_traffic(t, graph);
    CHECK_OK(MPI_Comm_free(&graph));

    /* Weights; and a rank without neighbours in a graph with weights. */
    int in_weights[2] = {100 + left, 7}, out_weights[2] = {7, 100 + t->rank}, is_out = t->size > 2 && t->rank == 0;
    if (t->size > 2 && (t->rank == 1 || t->rank == t->size - 1)) {
        /* Rank 0 is left out: its neighbours have only themselves on that side. */
        int self = t->rank, weight = 7;
        if (t->rank == 1)
            CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, 1, &self, &weight, 2, destinations, out_weights,
                                                    MPI_INFO_NULL, 1, &graph));
        else
            CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, 2, sources, in_weights, 1, &self, &weight, MPI_INFO_NULL,
                                                    1, &graph));
    } else {
        CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, is_out ? 0 : 2, sources,
                                                is_out ? MPI_WEIGHTS_EMPTY : in_weights, is_out ? 0 : 2, destinations,
                                                is_out ? MPI_WEIGHTS_EMPTY : out_weights, MPI_INFO_NULL, 1, &graph));
    }
    CHECK_OK(MPI_Comm_dup(graph, &dup));
    CHECK_OK(MPI_Comm_free(&graph));
    CHECK_OK(MPI_Dist_graph_neighbors_count(dup, &in, &out, &weighted));
    CHECK_EQUAL(1, weighted);
    CHECK_EQUAL(is_out, in == 0 && out == 0);
    expect_traffic(t, dup);
    CHECK_OK(MPI_Comm_free(&dup));
}

/* The edges i -> i+1 and i -> i/2 (weights 10 and 20 above i), each named by a rank that has nothing to do with it. */
void case_graph_dist_any_edges(const test *t)
{
    for (int has_weights = 0; has_weights < 2; has_weights++) {
        MPI_Comm graph;
        int sources[64], degrees[64], destinations[128], weights[128], count = 0;
        for (int node = 0; node < t->size; node++) {
            if ((node * 5 + 2) % t->size != t->rank)
                continue;
            sources[count] = node;
            degrees[count] = 2;
            destinations[2 * count] = (node + 1) % t->size;
            destinations[2 * count + 1] = node / 2;
            weights[2 * count] = 10 + node;
            weights[2 * count + 1] = 2000 + node;
            count++;
        }
        CHECK_OK(MPI_Dist_graph_create(t->comm, count, sources, degrees, destinations,
                                       has_weights ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
        int in, out, weighted, expected_in = 0;
        for (int node = 0; node < t->size; node++)
            expected_in += ((node + 1) % t->size == t->rank) + (node / 2 == t->rank);
        CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
        CHECK_EQUAL(expected_in, in);
        CHECK_EQUAL(2, out);
        CHECK_EQUAL(has_weights, weighted);
        expect_traffic(t, graph);
        CHECK_OK(MPI_Comm_free(&graph));
    }
    /* Some with weights and some without is told to all. */
    if (t->size > 1) {
        int one = 1, weight = 3, to = 0;
        CHECK_EQUAL(MPI_ERR_ARG,
                    MPI_Dist_graph_create(t->comm, 1, &t->rank, &one, &to, t->rank ? MPI_UNWEIGHTED : &weight,
                                          MPI_INFO_NULL, 0, &(MPI_Comm){0}));
    }
}

/* Make a graph without any edge by both calls; is it weighted? */
static void expect_weighted(const test *t, const int *weights, int expected)
{
    for (int is_adjacent = 0; is_adjacent < 2; is_adjacent++) {
        MPI_Comm graph, dup;
        int in, out, weighted = -1;
        if (is_adjacent)
            CHECK_OK(
                MPI_Dist_graph_create_adjacent(t->comm, 0, NULL, weights, 0, NULL, weights, MPI_INFO_NULL, 0, &graph));
        else
            CHECK_OK(MPI_Dist_graph_create(t->comm, 0, NULL, NULL, NULL, weights, MPI_INFO_NULL, 0, &graph));
        CHECK_OK(MPI_Comm_dup(graph, &dup));
        CHECK_OK(MPI_Dist_graph_neighbors_count(dup, &in, &out, &weighted));
        CHECK_EQUAL(0, in + out);
        CHECK_EQUAL(expected, weighted);
        CHECK_OK(MPI_Comm_free(&graph));
        CHECK_OK(MPI_Comm_free(&dup));
    }
}

void case_graph_dist_weighted(const test *t)
{
    MPI_Comm graph;
    int in, out, weighted, one = 1, weight = 9, is_first = t->rank == 0, none = 3;
    expect_weighted(t, MPI_UNWEIGHTED, 0);
    expect_weighted(t, MPI_WEIGHTS_EMPTY, 1);
    expect_weighted(t, NULL, 1);
    expect_weighted(t, &none, 1);
    /* Rank 0 has an edge to itself and the others nothing but NULL: weighted for all. */
    CHECK_OK(MPI_Dist_graph_create_adjacent(t->comm, is_first, &t->rank, is_first ? &weight : NULL, is_first, &t->rank,
                                            is_first ? &weight : NULL, MPI_INFO_NULL, 0, &graph));
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_EQUAL(1, weighted);
    CHECK_EQUAL(is_first, out);
    CHECK_OK(MPI_Comm_free(&graph));
    /* Where there are edges, ranks without one have no say. */
    for (int has_weights = 0; has_weights < 2; has_weights++) {
        const int *other = has_weights ? MPI_UNWEIGHTED : MPI_WEIGHTS_EMPTY,
                  *own = has_weights ? &weight : MPI_UNWEIGHTED;
        CHECK_OK(MPI_Dist_graph_create(t->comm, is_first, &t->rank, &one, &t->rank, is_first ? own : other,
                                       MPI_INFO_NULL, 0, &graph));
        CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
        CHECK_EQUAL(has_weights, weighted);
        CHECK_EQUAL(is_first, in);
        CHECK_OK(MPI_Comm_free(&graph));
    }
}
