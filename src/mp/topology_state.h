/* SPDX-License-Identifier: Apache-2.0 */
/* What a topology is made of; for the files of the topologies and of communicators only. */
#ifndef COR_MP_TOPOLOGY_STATE_H
#define COR_MP_TOPOLOGY_STATE_H

#include "mp/topology.h"

#include <stdatomic.h>

struct cor_topology {
    cor_topology_kind kind;
    _Atomic int references;
    cor_neighbours sources, destinations; /* this rank's */
    /* Of a grid. */
    int dim_count;
    int *dims, *periods;
    /* Of a graph known to all. */
    int node_count;
    int *index, *edges;
    int is_weighted; /* of a distributed graph */
    int numbers[];   /* all arrays above point in here */
};

/* With room for number_count numbers. NULL: no memory. */
cor_topology *cor_topology_make(cor_topology_kind kind, size_t number_count);
void cor_topology_ref(cor_topology *topology);
void cor_topology_unref(cor_topology *topology);

/* Attach a topology to a new communicator; takes over the reference. */
void cor_topology_attach(cor_comm *comm, cor_topology *topology);

int cor_topology_no_memory(cor_comm *comm);

#endif
