/* SPDX-License-Identifier: Apache-2.0 */
#include "dt_graph.h"

#include <string.h>
#include <strings.h>

enum { GRAPH_BH, GRAPH_WH, GRAPH_SH, GRAPH_DEGREE = 4 /* of a comparator in the trees */ };

const char *const dt_graph_names[] = {"BH", "WH", "SH", NULL};

int dt_graph_find(const char *name)
{
    for (int kind = 0; dt_graph_names[kind]; kind++)
        if (strcasecmp(name, dt_graph_names[kind]) == 0)
            return kind;
    return -1;
}

static void graph_connect(dt_graph *graph, int tail, int head)
{
    graph->tails[graph->edges] = tail;
    graph->heads[graph->edges++] = head;
}

/* Sources, layers of comparators with up to four inputs each, and one sink. */
static void graph_tree(dt_graph *graph, int sources)
{
    int first = 0, width = sources;
    graph->nodes = sources;
    while (width > GRAPH_DEGREE) {
        int comparators = (width + GRAPH_DEGREE - 1) / GRAPH_DEGREE;
        for (int i = 0; i < width; i++)
            graph_connect(graph, first + i, graph->nodes + i / GRAPH_DEGREE);
        first = graph->nodes;
        graph->nodes += comparators;
        width = comparators;
    }
    for (int i = 0; i < width; i++)
        graph_connect(graph, first + i, graph->nodes);
    graph->nodes++;
}

/* Turns all edges around; the last node is the first then. */
static void graph_turn(dt_graph *graph)
{
    for (int edge = 0; edge < graph->edges; edge++) {
        int tail = graph->tails[edge];
        graph->tails[edge] = graph->nodes - 1 - graph->heads[edge];
        graph->heads[edge] = graph->nodes - 1 - tail;
    }
}

/* Layers as wide as there are sources; a node has inputs from two, whose numbers differ in one bit. */
static void graph_shuffle(dt_graph *graph, int sources)
{
    graph->nodes = sources;
    for (int bit = 1; bit < sources; bit *= 2) {
        int first = graph->nodes - sources;
        for (int i = 0; i < sources; i++) {
            graph_connect(graph, first + (i & ~bit), graph->nodes + i);
            graph_connect(graph, first + (i | bit), graph->nodes + i);
        }
        graph->nodes += sources;
    }
}

void dt_graph_build(dt_graph *graph, int kind, int sources)
{
    memset(graph, 0, sizeof *graph);
    graph->kind = kind;
    graph->name = dt_graph_names[kind];
    if (kind == GRAPH_SH)
        graph_shuffle(graph, sources);
    else
        graph_tree(graph, sources);
    if (kind == GRAPH_WH)
        graph_turn(graph);
}

int dt_graph_degree(const int *ends, int edges, int node)
{
    int degree = 0;
    for (int edge = 0; edge < edges; edge++)
        degree += ends[edge] == node;
    return degree;
}
