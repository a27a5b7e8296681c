/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, one of each rank, sent by node: in the order of the nodes, so that a node's blocks are contiguous. */
#ifndef COR_COLL_NODE_BLOCKS_H
#define COR_COLL_NODE_BLOCKS_H

#include "coll/pattern/node_parties.h"
#include "coll/pattern/pattern.h"

typedef struct cor_node_blocks {
    const size_t *nodes;  /* where the nodes' pieces begin, one more: where the last ends */
    const size_t *inside; /* where the blocks of parties->inside begin in that stream, one more */
    const size_t *starts; /* where the blocks begin, by parties->order, one more */
} cor_node_blocks;

/* Notes of the plan. 0: no memory, and the plan has failed. */
int cor_node_blocks_init(cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties);

/* Copy all blocks between the order of the ranks, `all`, and that of the nodes, `sorted`: on the way to the root, or
 * to every rank, into `all`, else out of it. */
void cor_node_blocks_sort(const cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties, cor_way way,
                          cor_ref sorted, cor_ref all);

/* Between the root's `all` and every rank's `mine`, by minimum-spanning trees: among the leaders, one of each node, the
 * root for its own, and inside every node. */
void cor_blocks_nodes(cor_plan *plan, cor_way way, cor_ref all, cor_ref mine);

#endif
