/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all topologies. */
#include "mp/topology.h"

#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <stdlib.h>

cor_topology *cor_topology_make(cor_topology_kind kind, size_t number_count)
{
    cor_topology *topology = calloc(1, sizeof *topology + number_count * sizeof(int));
    if (topology) {
        topology->kind = kind;
        atomic_init(&topology->references, 1);
    }
    return topology;
}

void cor_topology_ref(cor_topology *topology)
{
    /* relaxed: the caller holds a reference already. */
    atomic_fetch_add_explicit(&topology->references, 1, memory_order_relaxed);
}

void cor_topology_unref(cor_topology *topology)
{
    /* acq_rel: all uses come before the free. */
    if (atomic_fetch_sub_explicit(&topology->references, 1, memory_order_acq_rel) == 1)
        free(topology);
}

void cor_topology_attach(cor_comm *comm, cor_topology *topology)
{
    comm->topology = topology;
}

int cor_topology_no_memory(cor_comm *comm)
{
    return cor_fault_set(comm->owner->fault, COR_ERR_MEMORY, "no memory for a topology");
}

cor_topology_kind cor_topology_kind_of(const cor_comm *comm)
{
    return comm->topology ? comm->topology->kind : COR_TOPOLOGY_NONE;
}

cor_neighbours cor_topology_sources(const cor_comm *comm)
{
    return comm->topology->sources;
}

cor_neighbours cor_topology_destinations(const cor_comm *comm)
{
    return comm->topology->destinations;
}
