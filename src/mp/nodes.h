/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks are on which node. A node is a set of ranks that can share memory; the wires decide which (wire.h). The
 * knob coll.node_ranks overrides it with blocks of that many consecutive ranks, to try out algorithms for several nodes
 * on one.
 */
#ifndef COR_MP_NODES_H
#define COR_MP_NODES_H

#include "mp/mp.h"

typedef struct cor_nodes {
    int count;      /* nodes that have members */
    int largest;    /* members of the largest */
    int is_blocked; /* every node's members have consecutive ranks */
    int node_of[];  /* member (of this side) -> node, numbered by first member */
} cor_nodes;

/* The nodes of the communicator's members on this side; kept with the communicator. NULL: no memory. Any thread; takes
 * no lock on the second call. */
const cor_nodes *cor_comm_nodes(cor_comm *comm);

/* Can all members share memory, really (whatever the knob says)? Are they threads of one process? */
int cor_comm_is_one_node(const cor_comm *comm);
int cor_comm_is_one_process(const cor_comm *comm);

/* rank.c: number the job's ranks by node. `addresses` are the first wire's. COR_ERR_MEMORY. */
int cor_rank_find_nodes(cor_rank *rank, const char *const *addresses, cor_fault *fault);

#endif
