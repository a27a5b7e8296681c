/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection between the roots of two jobs that connect: frames of a length and that many bytes, sent in turns.
 * Input is not trusted: only frames of the expected length are accepted.
 *
 * A connection that began with a greeting (port.h) is sealed: everything sent over it, including the secret of the
 * joint job, is encrypted and authenticated under a key that both sides derive from the port's secret and the random
 * bytes of both hellos, and that is never sent (base/seal.h):
 *
 *    4 length, of the data, in network order
 *    . the data, encrypted
 *   32 a MAC
 *
 * So a frame that was changed, truncated, repeated, omitted, or reflected to its sender is rejected: COR_ERR_PROTOCOL.
 * No byte of a frame is returned before its MAC was compared. There is no forward secrecy: with the port's secret,
 * recorded traffic can be decrypted later.
 *
 * A connection without a key (MPI_Comm_join, where the program has made it) has frames of length and data alone, and is
 * as private as the program's socket.
 *
 * Waiting makes progress on the rank's messages (cor_rank_step), and ends when the connection breaks or after
 * BRIDGE_TIMEOUT_S: the other root answers as soon as its members have called.
 */
#ifndef COR_DYNAMIC_BRIDGE_H
#define COR_DYNAMIC_BRIDGE_H

#include "base/sha256.h"
#include "mp/mp.h"

#include <sys/types.h>

enum { BRIDGE_TIMEOUT_S = 120 };

typedef struct dynamic_bridge dynamic_bridge;

/* Takes over the descriptor on success; NULL: no memory. Both sides pass the same `key`; NULL: frames are not sealed.
 * One of the two sides passes is_caller 1, which counts only with a key. */
dynamic_bridge *bridge_create(int fd, const uint8_t key[COR_SHA256_BYTES], int is_caller);
/* Also closes the connection. NULL is allowed. */
void bridge_destroy(dynamic_bridge *bridge);

/* Wait until the descriptor is readable (or, is_writing, writable). Returns 1, or 0 if it is not before limit_ns
 * (base/clock.h); limit_ns 0: no limit. */
int bridge_wait(cor_rank *rank, int fd, int is_writing, uint64_t limit_ns);
/* The limit that is `seconds` from now. */
uint64_t bridge_limit(int seconds);

int bridge_send(cor_rank *rank, dynamic_bridge *bridge, const void *data, size_t bytes, cor_fault *fault);
/* Receive a frame of exactly `bytes` bytes. */
int bridge_receive(cor_rank *rank, dynamic_bridge *bridge, void *data, size_t bytes, cor_fault *fault);

#endif
