/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the calls of all topologies. */
#ifndef COR_MPI_FACE_TOPOLOGY_H
#define COR_MPI_FACE_TOPOLOGY_H

#include "mpi/face_comm.h"

#include "mp/topology.h"

/* Does the communicator have a topology of this kind? And the error if it does not. */
static inline int face_has_topology(const face_comm *comm, cor_topology_kind kind)
{
    return cor_topology_kind_of(comm->comm) == kind;
}
int face_fail_topology(const char *call, face_comm *comm, cor_topology_kind kind) __attribute__((cold));

/* The result of making a topology: COR_ERR_ARG becomes this class. */
int face_topology_made(const char *call, face_comm *parent, int code, int class_of_argument, cor_comm *made,
                       MPI_Comm *handle_p);

#endif
