/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of DT. Nodes are numbered so that edges lead to higher numbers, and node i runs on rank i. */
#ifndef DT_GRAPH_H
#define DT_GRAPH_H

#include "npb.h"

enum { DT_EDGES_MAX = 1024 };

typedef struct dt_graph {
    const char *name;
    int kind; /* place in dt_graph_names */
    int nodes, edges;
    int tails[DT_EDGES_MAX]; /* of edges, in the order in which nodes send and receive */
    int heads[DT_EDGES_MAX];
} dt_graph;

extern const char *const dt_graph_names[]; /* BH, WH, SH, NULL */

int dt_graph_find(const char *name); /* its kind; -1: there is none */
void dt_graph_build(dt_graph *graph, int kind, int sources);
int dt_graph_degree(const int *ends, int edges, int node); /* how many edges have this end */

#endif
