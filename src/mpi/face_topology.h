/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of all topologies share. */
#ifndef COR_MPI_FACE_TOPOLOGY_H
#define COR_MPI_FACE_TOPOLOGY_H

#include "mpi/face_comm.h"

#include "mp/topology.h"

/* The communicator of a call that needs a topology of this kind, or NULL with the error reported in *error_p. */
face_comm *face_topology_ask(const char *call, MPI_Comm handle, cor_topology_kind kind, int *error_p);

/* The result of making a topology: COR_ERR_ARG becomes this class. */
int face_topology_made(const char *call, face_comm *parent, int code, int class_of_argument, cor_comm *made,
                       MPI_Comm *handle_p);

#endif
