/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection between the roots of two jobs that meet: frames of a length and so many bytes, in turns. What comes
 * from it is not trusted further than its length allows.
 *
 * Waiting lets messages of the rank move on (cor_rank_step), and ends when the connection breaks or after
 * BRIDGE_TIMEOUT_S: the other root answers as soon as its members have come.
 */
#ifndef COR_DYNAMIC_BRIDGE_H
#define COR_DYNAMIC_BRIDGE_H

#include "mp/mp.h"

#include <sys/types.h>

enum { BRIDGE_TIMEOUT_S = 120 };

/* Wait until the descriptor is readable (or, is_writing, writable). 1; 0: not before limit_ns of base/clock.h, if that is not 0;
 * -1: `pid`, if not 0, has ended. */
int bridge_wait(cor_rank *rank, int fd, int is_writing, uint64_t limit_ns, pid_t pid);
/* The limit that is so many seconds from now. */
uint64_t bridge_limit(int seconds);

int bridge_send(cor_rank *rank, int fd, const void *data, size_t bytes, cor_fault *fault);
/* A frame of exactly so many bytes. */
int bridge_receive(cor_rank *rank, int fd, void *data, size_t bytes, cor_fault *fault);

#endif
