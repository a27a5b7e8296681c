/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simdev: the ranks of a job on one host run a real program in virtual time, over a network that a model describes
 * (sim_net.h). `corunna run --sim` starts such jobs.
 *
 * The ranks are threads or processes and share one piece of memory, the world: each rank's virtual clock, the messages
 * on their way with their data, and the events to come. A clock advances by the times of the model inside calls, and
 * between them by the CPU time of the rank's thread, times a factor.
 *
 * Order. Events are handled, the earliest first, only when every rank waits; the last rank that begins to wait handles
 * them, until one wakes a rank. So no message arrives in the past, receives with wildcards match the message that
 * arrives first in virtual time, and a program whose CPU time does not count (factor 0) has the same times in every
 * run. A rank that polls (MPI_Test) lets a tenth of a microsecond pass each time.
 *
 * A rank of several threads waits when one of its threads does: its times are approximate.
 */
#ifndef COR_XXDEV_SIMDEV_H
#define COR_XXDEV_SIMDEV_H

#include "base/knob.h"
#include "xxdev/sim/sim_net.h"
#include "xxdev/xxdev.h"

typedef struct cor_simdev_config {
    char net[COR_SIM_NET_TEXT];
    size_t memory_bytes; /* of the world: messages on their way, mostly */
} cor_simdev_config;

extern const cor_knob_table cor_simdev_knobs;

int cor_simdev_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault);

#endif
