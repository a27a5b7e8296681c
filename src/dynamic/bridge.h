/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection between the roots of two jobs that meet: frames of a length and so many bytes, in turns. What comes
 * from it is not trusted further than its length allows.
 *
 * A connection that began with a greeting (port.h) is sealed: all that goes over it, the secret of the joint job among
 * it, is encrypted and authenticated under a key that both sides derive from the port's secret and the random bytes of
 * both hellos, and that never crosses (base/seal.h):
 *
 *    4 length, of the data, in network order
 *    . the data, encrypted
 *   32 a MAC
 *
 * So a frame that was changed, cut, repeated, left out, or sent back to where it came from is refused:
 * COR_ERR_PROTOCOL. Nothing of a frame is handed out before its MAC was compared. Who learns the port's secret later
 * can read what was recorded.
 *
 * A connection without a key (MPI_Comm_join, where the program has made it) carries length and data alone, and is as
 * private as the program's socket.
 *
 * Waiting lets messages of the rank move on (cor_rank_step), and ends when the connection breaks or after
 * BRIDGE_TIMEOUT_S: the other root answers as soon as its members have come.
 */
#ifndef COR_DYNAMIC_BRIDGE_H
#define COR_DYNAMIC_BRIDGE_H

#include "base/sha256.h"
#include "mp/mp.h"

#include <sys/types.h>

enum { BRIDGE_TIMEOUT_S = 120 };

typedef struct dynamic_bridge dynamic_bridge;

/* Takes over the descriptor on success; NULL: no memory. `key` is both sides', NULL: the frames are not sealed. Of the
 * two sides one is is_caller, which counts only with a key. */
dynamic_bridge *bridge_create(int fd, const uint8_t key[COR_SHA256_BYTES], int is_caller);
/* Also closes the connection. NULL is allowed. */
void bridge_destroy(dynamic_bridge *bridge);

/* Wait until the descriptor is readable (or, is_writing, writable). 1; 0: not before limit_ns of base/clock.h, if that
 * is not 0. */
int bridge_wait(cor_rank *rank, int fd, int is_writing, uint64_t limit_ns);
/* The limit that is so many seconds from now. */
uint64_t bridge_limit(int seconds);

int bridge_send(cor_rank *rank, dynamic_bridge *bridge, const void *data, size_t bytes, cor_fault *fault);
/* A frame of exactly so many bytes. */
int bridge_receive(cor_rank *rank, dynamic_bridge *bridge, void *data, size_t bytes, cor_fault *fault);

#endif
