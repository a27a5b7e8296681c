/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes sealed under a key that two ends share: encrypted, and rejected when they were changed, truncated, repeated,
 * omitted or reordered. Frame n of one direction, n from 0 on, is
 *
 *    . the data, each 32 bytes of it XORed with HMAC-SHA256 under the direction's cipher key over n and the block's
 *    number
 *   32 HMAC-SHA256 under the direction's other key over n, the length (in network order) and the encrypted data
 *
 * The two directions of a connection have different names, from which their keys are derived; a key is used for one
 * connection, or for one message with a random number in its name.
 */
#ifndef COR_BASE_SEAL_H
#define COR_BASE_SEAL_H

#include "base/sha256.h"

/* One direction. */
typedef struct cor_seal {
    cor_hmac cipher, mac; /* initialised with their keys; copied for each use */
    uint64_t frame;       /* the number of the next */
    uint64_t block;       /* of the current frame: the next block's number */
    cor_hmac sum;         /* likewise: its MAC so far */
} cor_seal;

void cor_seal_init(cor_seal *seal, const uint8_t key[COR_SHA256_BYTES], const char *name);

/* Seal a frame of `bytes` in pieces, each encrypted in place; all but the last are of whole blocks of
 * COR_SHA256_BYTES. */
void cor_seal_begin(cor_seal *seal, uint32_t bytes);
void cor_seal_piece(cor_seal *seal, uint8_t *data, size_t bytes);
void cor_seal_end(cor_seal *seal, uint8_t mac[COR_SHA256_BYTES]);

/* Open the next frame, in place. Returns 1, or 0 if the other end has not sealed these data, which are then zeroed. */
int cor_seal_open(cor_seal *seal, uint8_t *data, size_t bytes, const uint8_t mac[COR_SHA256_BYTES]);

#endif
