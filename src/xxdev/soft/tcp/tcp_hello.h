/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two ends of a new connection come to believe each other. C calls, A answers:
 *
 *    C -> A   hello                    who calls whom, and 32 random bytes
 *    A -> C   hello, proof             the same of A; a MAC over both hellos that only A can make
 *    C -> A   proof, received          likewise of C; how many packets C has had from A so far
 *    A -> C   verdict, received        taken or not, and why; likewise
 *
 * The MAC is HMAC-SHA256 under the job's secret over a word for the role, both hellos and the number that goes with
 * it, so a proof is good for one connection, one direction and one pair of ranks. Nothing but a hello is read from a peer that
 * has not proved itself. The hello has a version and flags (none yet) for what may come, encryption for one.
 *
 * All numbers are little-endian. Decoders take any bytes; COR_ERR_PROTOCOL says what cannot be.
 */
#ifndef COR_TCP_HELLO_H
#define COR_TCP_HELLO_H

#include "base/error.h"
#include "base/sha256.h"

enum {
    TCP_VERSION = 3,
    TCP_SECRET_BYTES = 32,
    TCP_NONCE_BYTES = 32,
    TCP_HELLO_BYTES = 64,
    TCP_ANSWER_BYTES = TCP_HELLO_BYTES + COR_SHA256_BYTES,
    TCP_PROOF_BYTES = COR_SHA256_BYTES + 8,
    TCP_WELCOME_BYTES = 16,
    TCP_GREETING_MAX = TCP_ANSWER_BYTES,
};

typedef struct tcp_hello {
    uint16_t version;
    uint8_t word_bytes;    /* of a pointer */
    uint8_t is_big_endian; /* the bytes of messages are not turned around */
    uint32_t flags;        /* 0 */
    uint64_t job;          /* follows from the secret, but does not give it away */
    uint32_t from, to;
    uint8_t nonce[TCP_NONCE_BYTES];
} tcp_hello;

/* What this program is. `nonce` stays to be filled. */
tcp_hello tcp_hello_make(const uint8_t secret[TCP_SECRET_BYTES], int from, int to);
void tcp_hello_encode(const tcp_hello *hello, uint8_t out[TCP_HELLO_BYTES]);
int tcp_hello_decode(const uint8_t in[TCP_HELLO_BYTES], tcp_hello *hello_p, cor_fault *fault);
/* Can we talk with a peer that says this? Version, word size, byte order, job. */
int tcp_hello_check(const tcp_hello *theirs, const tcp_hello *ours, cor_fault *fault);

typedef enum tcp_role { TCP_CALLER, TCP_ANSWERER } tcp_role;

void tcp_prove(const uint8_t secret[TCP_SECRET_BYTES], tcp_role role, const uint8_t caller[TCP_HELLO_BYTES],
               const uint8_t answerer[TCP_HELLO_BYTES], uint32_t number, uint8_t mac[COR_SHA256_BYTES]);

typedef enum tcp_verdict {
    TCP_TAKEN,
    TCP_MINE_INSTEAD, /* both have called: the call of the lower rank holds */
    TCP_GIVEN_UP,     /* you were away too long */
    TCP_VERDICTS,
} tcp_verdict;

void tcp_welcome_encode(tcp_verdict verdict, uint32_t received, uint8_t out[TCP_WELCOME_BYTES]);
int tcp_welcome_decode(const uint8_t in[TCP_WELCOME_BYTES], tcp_verdict *verdict_p, uint32_t *received_p,
                       cor_fault *fault);

#endif
