/* Rooted collectives over several nodes: first among the leaders, one a node and the root for its own, then inside. */
#ifndef COR_COLL_NODE_TREE_H
#define COR_COLL_NODE_TREE_H

#include "coll/pattern/coll_tree.h"
#include "coll/pattern/node_parties.h"

/* The node that a leader leads: a member of parties->leaders. */
int cor_node_led_by(const cor_node_parties *parties, int rank);

/* The tree over all ranks that goes from leader to leader, k-nomially with this radix (0: as a minimum-spanning tree),
 * and then down every node as a minimum-spanning tree. With radix 0, and if nodes are blocks, it keeps order in the
 * sense of cor_tree_reduce. */
cor_tree cor_tree_nodes(cor_plan *plan, const cor_node_parties *parties, int root, int radix);

/* The blocks of gather and scatter in the order of the nodes. If nodes are blocks that is the order of the ranks. */
typedef struct cor_node_blocks {
    size_t *inside;  /* starts of the blocks of parties->inside, in the stream of their node */
    size_t *leaders; /* starts of the nodes' streams in the stream of all */
} cor_node_blocks;

/* `starts` are the ranks'. 0: no memory, and the plan has failed. */
int cor_node_blocks_init(cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties,
                         const size_t *starts);

#endif
