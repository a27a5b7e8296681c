/* SPDX-License-Identifier: Apache-2.0 */
/* A tree over several nodes: first among the leaders, one of each node (the root for its own), then inside the
 * nodes. */
#ifndef COR_COLL_NODE_TREE_H
#define COR_COLL_NODE_TREE_H

#include "coll/pattern/coll_tree.h"
#include "coll/pattern/node_parties.h"

/* The tree over all ranks that connects the leaders, k-nomially with this radix (0: as a minimum-spanning tree), and
 * then down every node as a minimum-spanning tree. With radix 0, and if nodes are blocks, it keeps order in the sense
 * of cor_tree_reduce. */
cor_tree cor_tree_nodes(cor_plan *plan, const cor_node_parties *parties, int radix);

#endif
