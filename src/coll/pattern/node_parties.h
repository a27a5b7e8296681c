/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks by node (mp/nodes.h), for hierarchical algorithms. */
#ifndef COR_COLL_NODE_PARTIES_H
#define COR_COLL_NODE_PARTIES_H

#include "coll/plan/plan.h"

typedef struct cor_node_parties {
    cor_party inside;  /* the members of this rank's node, in order; its leader is `leader` */
    cor_party leaders; /* the leaders of all nodes, by node; this rank may be none of them */
    int leader;        /* of this node, as a member of `inside` */
    int node;          /* of this rank: a member of `leaders` */
    int top;           /* the node that the root leads, or 0: a member of `leaders` */
    int is_blocked;    /* every node's members have consecutive ranks */
    const int *order;  /* all ranks, by node */
    const int *firsts; /* node -> where its members begin in `order`, and where the last ends */
} cor_node_parties;

/* The first member leads a node; `root` leads its own, if it is not negative. Notes of the plan. 0: no memory, and the
 * plan has failed. */
int cor_node_parties_find(cor_plan *plan, int root, cor_node_parties *parties_p);

#endif
