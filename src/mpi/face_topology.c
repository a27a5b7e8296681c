/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_topology.h"

int face_fail_topology(const char *call, face_comm *comm, cor_topology_kind kind)
{
    static const char *const names[] = {
        [COR_TOPOLOGY_NONE] = "no topology",
        [COR_TOPOLOGY_CART] = "a Cartesian topology",
        [COR_TOPOLOGY_GRAPH] = "a graph topology",
        [COR_TOPOLOGY_DIST_GRAPH] = "a distributed graph topology",
    };
    return face_fail(call, comm, MPI_ERR_TOPOLOGY, "comm has %s, but the call needs %s",
                     names[cor_topology_kind_of(comm->comm)], names[kind]);
}

int face_topology_made(const char *call, face_comm *parent, int code, int class_of_argument, cor_comm *made,
                       MPI_Comm *handle_p)
{
    if (code == COR_ERR_ARG) {
        cor_fault fault;
        cor_rank_copy_fault(parent->owner->rank, &fault);
        return face_fail(call, parent, class_of_argument, "%s", fault.text);
    }
    if (code != COR_OK)
        return face_fail_engine(call, parent, code, NULL);
    return face_comm_handle(call, parent, made, handle_p);
}

static int topology_test(const char *call, face_comm *comm, int *status)
{
    static const int kinds[] = {
        [COR_TOPOLOGY_NONE] = MPI_UNDEFINED,
        [COR_TOPOLOGY_CART] = MPI_CART,
        [COR_TOPOLOGY_GRAPH] = MPI_GRAPH,
        [COR_TOPOLOGY_DIST_GRAPH] = MPI_DIST_GRAPH,
    };
    *status = kinds[cor_topology_kind_of(comm->comm)];
    return MPI_SUCCESS;
}

FACE_API(Topo_test, topology_test)
