/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COR_MPI_FACE_PART_H
#define COR_MPI_FACE_PART_H

#include "mpi/face.h"

int part_request_is_ours(const cor_request *request);

#endif
