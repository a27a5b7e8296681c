/* SPDX-License-Identifier: Apache-2.0 */
/* The supported MPI libraries, which one to use, and opening the bridge to it. */
#ifndef COR_XXDEV_MPIDEV_LIBRARY_H
#define COR_XXDEV_MPIDEV_LIBRARY_H

#include "xxdev/mpi/mpidev.h"
#include "xxdev/mpi/mpidev_bridge.h"

/* Find and load the bridge to the MPI that the setting names or, if that is auto, the launcher's environment. It stays
 * loaded. */
int mpidev_library_open(const cor_mpidev_config *config, const cor_log *log, const cor_bridge_ops **ops_p,
                        cor_fault *fault);

#endif
