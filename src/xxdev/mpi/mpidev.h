/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpidev: messages go through an MPI library that is installed on the system, Open MPI or MPICH, and so over any
 * network that library supports. That library's launcher starts the ranks, and its MPI_Init connects them.
 *
 * Matching is done here, because MPI cannot receive by context. A message up to mpi.eager_max is one MPI message, for
 * which the receiver has wildcard receives posted. A longer one, and every synchronous one, is announced that way, and
 * its data go by an MPI_Issend of their own, directly from memory to memory, once a receive has matched the
 * announcement.
 *
 * It cannot cancel sends; survive the loss of a peer, because the other launcher then ends the job; or run ranks as
 * threads of one process. An MPI can be started once in a process, so a process can be a rank once. A receiver stores
 * unexpected messages without a limit, as those libraries do.
 */
#ifndef COR_XXDEV_MPIDEV_H
#define COR_XXDEV_MPIDEV_H

#include "base/knob.h"
#include "xxdev/xxdev.h"

struct cor_boot;

typedef struct cor_mpidev_config {
    int library; /* 0: auto, else an MPI by its place in the choices */
    size_t eager_max_bytes;
} cor_mpidev_config;

extern const cor_knob_table cor_mpidev_knobs;

/* Start the MPI and learn from it which rank this is. Once in a process. */
int cor_mpidev_boot(const cor_mpidev_config *config, const cor_log *log, struct cor_boot **boot_p, cor_fault *fault);

/* options->settings is a cor_mpidev_config, options->boot what cor_mpidev_boot made. */
int cor_mpidev_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault);

/* Can the MPI's library be loaded? COR_ERR_UNSUPPORTED. */
int cor_mpidev_check(const cor_mpidev_config *config, cor_fault *fault);

/* The MPI whose launcher starts the ranks: "openmpi" or "mpich"; NULL and the fault: none can be used. */
const char *cor_mpidev_launcher(const cor_mpidev_config *config, cor_fault *fault);

#endif
