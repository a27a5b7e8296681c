/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of cor_host, shared by its files. */
#ifndef COR_WAIT_HOST_STATE_H
#define COR_WAIT_HOST_STATE_H

#include "wait/host.h"

/* host_segment.c: the memory. */
void host_segment_create(cor_host *host); /* or choose the name of its file */
/* The first local rank sets the size of its segment for all; the others drop theirs. */
int host_segment_size(cor_host *host, cor_fault *fault);
int host_segment_map(cor_host *host, cor_fault *fault);
int host_segment_map_private(cor_host *host, cor_fault *fault); /* memory of this process, for this rank alone */
void host_segment_bury(const cor_host *host); /* the file of a rank that has died before all was settled */
void host_segment_settle(cor_host *host);

/* host_watch.c */
void host_watch_end(cor_host *host);

/* host_bell.c */
void host_bell_close(cor_host *host);

/* host_spread.c: placing ranks on CPUs. On a host with more than HOST_SPREAD_RANKS_MAX ranks none moves. */
enum { HOST_SPREAD_RANKS_MAX = 256 };
void host_spread_init(cor_host *host);
void host_spread_look(cor_host *host, int cpu); /* the CPU it runs on */
/* The CPU that rank `me` should move to, or -1. `cpus`: where the ranks are, -1: not known. */
int host_spread_target(const int32_t *cpus, int count, int me, const cor_cpu_set *allowed);

#endif
