/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two ends of a new connection authenticate each other. C connects, A answers:
 *
 *    C -> A   hello                    the two ranks, and 32 random bytes
 *    A -> C   hello, proof             the same of A; a MAC over both hellos that only A can make
 *    C -> A   proof, number            likewise of C; the number is the user's (of ranks: packets C received from A)
 *    A -> C   verdict, number          accepted or not, and why; likewise
 *
 * The MAC is HMAC-SHA256 under a secret that both know, over a word for the role, both hellos and the number that goes
 * with it, so a proof is valid for one connection, one direction and one pair of ranks. Only a hello is read from a
 * peer that is not authenticated. The secret itself is never sent. The hello has a version and flags (none yet) for
 * extensions.
 *
 * The data connections of ranks begin this way, under the secret of their job (xxdev/soft/tcp), and the connections
 * between jobs, under the secret of a port (dynamic).
 *
 * All numbers are little-endian. Decoders accept any bytes; the fault of COR_ERR_PROTOCOL names the invalid field.
 */
#ifndef COR_BASE_HELLO_H
#define COR_BASE_HELLO_H

#include "base/error.h"
#include "base/sha256.h"

enum {
    COR_HELLO_VERSION = 3,
    COR_SECRET_BYTES = 32,
    COR_NONCE_BYTES = 32,
    COR_HELLO_BYTES = 64,
    COR_ANSWER_BYTES = COR_HELLO_BYTES + COR_SHA256_BYTES,
    COR_PROOF_BYTES = COR_SHA256_BYTES + 8,
    COR_WELCOME_BYTES = 16,
};

typedef struct cor_hello {
    uint16_t version;
    uint8_t word_bytes;    /* of a pointer */
    uint8_t is_big_endian; /* messages are not converted */
    uint32_t flags;        /* 0 */
    uint64_t job;          /* derived from the secret, but does not reveal it */
    uint32_t from, to;
    uint8_t nonce[COR_NONCE_BYTES];
} cor_hello;

/* The hello of this program. The caller fills `nonce`. */
cor_hello cor_hello_make(const uint8_t secret[COR_SECRET_BYTES], int from, int to);
void cor_hello_encode(const cor_hello *hello, uint8_t out[COR_HELLO_BYTES]);
int cor_hello_decode(const uint8_t in[COR_HELLO_BYTES], cor_hello *hello_p, cor_fault *fault);
/* Is a peer with this hello compatible? Version, word size, byte order, job. */
int cor_hello_check(const cor_hello *theirs, const cor_hello *ours, cor_fault *fault);

typedef enum cor_hello_role { COR_HELLO_CALLER, COR_HELLO_ANSWERER } cor_hello_role;

void cor_hello_prove(const uint8_t secret[COR_SECRET_BYTES], cor_hello_role role,
                     const uint8_t caller[COR_HELLO_BYTES], const uint8_t answerer[COR_HELLO_BYTES], uint32_t number,
                     uint8_t mac[COR_SHA256_BYTES]);

typedef enum cor_hello_verdict {
    COR_HELLO_TAKEN,
    COR_HELLO_MINE_INSTEAD, /* both connect: the connection of the lower rank is used */
    COR_HELLO_GIVEN_UP,     /* the peer has declared the other end lost */
    COR_HELLO_VERDICTS,
} cor_hello_verdict;

void cor_welcome_encode(cor_hello_verdict verdict, uint32_t number, uint8_t out[COR_WELCOME_BYTES]);
int cor_welcome_decode(const uint8_t in[COR_WELCOME_BYTES], cor_hello_verdict *verdict_p, uint32_t *number_p,
                       cor_fault *fault);

/* ---- on a socket ------------------------------------------------------------------------------------------------ */

/* A connection before both ends have authenticated. */
typedef struct cor_greeting {
    int fd; /* -1: none; not closed by these functions */
    cor_hello_role role;
    uint8_t ours[COR_HELLO_BYTES], theirs[COR_HELLO_BYTES];
    uint8_t in[COR_ANSWER_BYTES]; /* what was received */
    size_t filled;
} cor_greeting;

/* Make this end's hello, with fresh random bytes; it is not sent. COR_ERR_SYSTEM: no random bytes. */
int cor_greeting_begin(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], int from, int to,
                       cor_fault *fault);
/* Read up to `bytes` without waiting. 1: all are there; 0: not yet; -1: the connection is closed or broken. */
int cor_greeting_read(cor_greeting *greeting, size_t bytes);
/* Returns 1, or 0 on failure. A new connection always has room for so few bytes. */
int cor_greeting_write(const cor_greeting *greeting, const void *data, size_t bytes);

/* A: a hello has arrived, and the caller has checked it; keep it, and send this end's hello and proof. Returns as
 * cor_greeting_write. */
int cor_greeting_answer(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES]);
/* C: check an answer. COR_OK: it comes from the rank connected to, which knows the secret. */
int cor_greeting_check_answer(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], cor_fault *fault);
/* C: send this end's proof and the number that goes with it. Returns as cor_greeting_write. */
int cor_greeting_prove(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], uint32_t number);
/* A: check a proof. 1: the peer knows the secret; *number_p is set in either case. */
int cor_greeting_check_proof(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], uint32_t *number_p);

/* Both, after the proofs: a key of this connection alone, which cannot be derived without the secret. */
void cor_greeting_key(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES],
                      uint8_t key[COR_SHA256_BYTES]);

#endif
