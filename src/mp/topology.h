/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies: the shape in which the ranks of a communicator are neighbours. A topology is immutable, reference
 * counted, belongs to a communicator and is inherited by its dups. Ranks are those of that communicator; the order of
 * ranks is never changed, whatever `reorder` says.
 *
 * The functions that make communicators are collective and fail as comm.h says. The faces check dimensions, ranks and
 * counts beforehand; the conditions of the COR_ERR_* below are checked here, the same in all ranks. The queries neither
 * block nor fail: the caller has checked cor_topology_kind_of first.
 */
#ifndef COR_MP_TOPOLOGY_H
#define COR_MP_TOPOLOGY_H

#include "mp/mp.h"

typedef enum cor_topology_kind {
    COR_TOPOLOGY_NONE,
    COR_TOPOLOGY_CART,
    COR_TOPOLOGY_GRAPH,
    COR_TOPOLOGY_DIST_GRAPH
} cor_topology_kind;

typedef struct cor_topology cor_topology;

cor_topology_kind cor_topology_kind_of(const cor_comm *comm);

/* ---- dimensions ------------------------------------------------------------------------------------------------- */

/* Fill in the dimensions that are 0 so that the product of all is `nodes`: as close to each other as can be, the
 * larger first. COR_ERR_ARG: nodes is no multiple of what is given (also when nothing is 0). Nodes are 1 or more,
 * dimensions 0 or more. */
int cor_dims_create(int nodes, int dim_count, int *dims);

/* ---- Cartesian grids (topology_cart.c) -------------------------------------------------------------------------- */

/* The first product-of-dims ranks in row-major order; NULL for the others. Zero dimensions are a grid of one rank.
 * Every dimension is 1 or more. COR_ERR_ARG: the grid is larger than the communicator. */
int cor_cart_create(cor_comm *comm, int dim_count, const int *dims, const int *periods, cor_comm **cart_p);
/* The grid of the dimensions whose `remain` is not 0, one for each choice of the others. */
int cor_cart_sub(cor_comm *cart, const int *remain, cor_comm **sub_p);

int cor_cart_dim_count(const cor_comm *cart);
const int *cor_cart_dims(const cor_comm *cart);
const int *cor_cart_periods(const cor_comm *cart); /* 0 or 1 */
void cor_cart_coords(const cor_comm *cart, int rank, int *coords);
/* The rank at these coordinates, wrapped around where the dimension is periodic; COR_PROC_NULL off the grid. */
int cor_cart_rank(const cor_comm *cart, const int *coords);
/* The ranks to receive from and to send to for a shift by `distance` along `dim`; COR_PROC_NULL off the grid. */
void cor_cart_shift(const cor_comm *cart, int dim, int distance, int *source_p, int *dest_p);
/* The rank this process would have in such a grid, COR_UNDEFINED if none. Local. */
int cor_cart_map(const cor_comm *comm, int dim_count, const int *dims);

/* ---- graphs known to all (topology_graph.c) --------------------------------------------------------------------- */

/* Node i has the neighbours edges[index[i - 1]] .. edges[index[i] - 1], index[-1] being 0. Ranks from node_count on
 * get NULL; with no node all do. index does not decrease and edges are nodes. COR_ERR_ARG: more nodes than ranks. */
int cor_graph_create(cor_comm *comm, int node_count, const int *index, const int *edges, cor_comm **graph_p);

int cor_graph_node_count(const cor_comm *graph);
int cor_graph_edge_count(const cor_comm *graph);
const int *cor_graph_index(const cor_comm *graph);
const int *cor_graph_edges(const cor_comm *graph);
/* The neighbours of a rank, in the order given; returns how many. */
int cor_graph_neighbours(const cor_comm *graph, int rank, const int **neighbours_p);
int cor_graph_map(const cor_comm *comm, int node_count);

/* ---- graphs of which each rank knows a part (topology_dist.c) --------------------------------------------------- */

/* One side of a rank's neighbourhood. `weights` is not read in a graph without weights, nor without a neighbour; the
 * queries below then return NULL for it. */
typedef struct cor_neighbours {
    int count;
    const int *ranks;
    const int *weights;
} cor_neighbours;

/* Every rank names its own neighbours. A graph has weights or not, the same in all ranks, also in those without a
 * neighbour. */
int cor_dist_graph_create_adjacent(cor_comm *comm, int is_weighted, const cor_neighbours *sources,
                                   const cor_neighbours *destinations, cor_comm **graph_p);
/* Every rank names any edges: degrees[i] of them go from sources[i], their ends one after the other in `destinations`.
 * All ranks that name edges give weights or none does, else COR_ERR_ARG. The value of a rank without edges counts only
 * if there is no edge at all; then one rank is enough to make the graph weighted. */
int cor_dist_graph_create(cor_comm *comm, int node_count, const int *sources, const int *degrees,
                          const int *destinations, int is_weighted, const int *weights, cor_comm **graph_p);

int cor_dist_graph_is_weighted(const cor_comm *graph);

/* ---- neighbourhoods of any kind, as the neighbourhood collectives see them -------------------------------------- */

/* This rank's sources and destinations in MPI's order: of a grid (rank below, rank above) for each dimension, with
 * COR_PROC_NULL off the grid; of a graph the neighbours, both ways. Valid as long as the communicator. */
cor_neighbours cor_topology_sources(const cor_comm *comm);
cor_neighbours cor_topology_destinations(const cor_comm *comm);

#endif
