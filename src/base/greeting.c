/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of hello.h on a socket: messages of a fixed length, and their processing. */
#include "base/hello.h"
#include "base/little.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int cor_greeting_begin(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], int from, int to,
                       cor_fault *fault)
{
    cor_hello hello = cor_hello_make(secret, from, to);
    if (cor_random_bytes(hello.nonce, sizeof hello.nonce) != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the kernel gives no random bytes: %s", strerror(errno));
    cor_hello_encode(&hello, greeting->ours);
    return COR_OK;
}

int cor_greeting_read(cor_greeting *greeting, size_t bytes)
{
    while (greeting->filled < bytes) {
        ssize_t got = recv(greeting->fd, greeting->in + greeting->filled, bytes - greeting->filled, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (got <= 0)
            return -1;
        greeting->filled += (size_t)got;
    }
    greeting->filled = 0;
    return 1;
}

int cor_greeting_write(const cor_greeting *greeting, const void *data, size_t bytes)
{
    ssize_t sent = send(greeting->fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent == (ssize_t)bytes;
}

/* The proof of one of the two roles. */
static void greeting_mac(const cor_greeting *greeting, const uint8_t *secret, cor_hello_role role, uint32_t number,
                         uint8_t mac[COR_SHA256_BYTES])
{
    int is_caller = greeting->role == COR_HELLO_CALLER;
    cor_hello_prove(secret, role, is_caller ? greeting->ours : greeting->theirs,
                    is_caller ? greeting->theirs : greeting->ours, number, mac);
}

int cor_greeting_answer(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES])
{
    uint8_t answer[COR_ANSWER_BYTES];
    memcpy(greeting->theirs, greeting->in, sizeof greeting->theirs);
    memcpy(answer, greeting->ours, COR_HELLO_BYTES);
    greeting_mac(greeting, secret, COR_HELLO_ANSWERER, 0, answer + COR_HELLO_BYTES);
    return cor_greeting_write(greeting, answer, sizeof answer);
}

int cor_greeting_check_answer(cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], cor_fault *fault)
{
    cor_hello ours, theirs;
    uint8_t mac[COR_SHA256_BYTES];
    cor_hello_decode(greeting->ours, &ours, NULL); /* as it was begun */
    int rc = cor_hello_decode(greeting->in, &theirs, fault);
    if (rc == COR_OK)
        rc = cor_hello_check(&theirs, &ours, fault);
    if (rc == COR_OK && (theirs.from != ours.to || theirs.to != ours.from))
        rc = cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %u answers", theirs.from);
    memcpy(greeting->theirs, greeting->in, sizeof greeting->theirs);
    greeting_mac(greeting, secret, COR_HELLO_ANSWERER, 0, mac);
    if (rc == COR_OK && !cor_bytes_are_equal(mac, greeting->in + COR_HELLO_BYTES, sizeof mac))
        rc = cor_fault_set(fault, COR_ERR_PROTOCOL, "it does not know the secret");
    return rc;
}

int cor_greeting_prove(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], uint32_t number)
{
    uint8_t proof[COR_PROOF_BYTES] = {0};
    greeting_mac(greeting, secret, COR_HELLO_CALLER, number, proof);
    cor_put32(proof + COR_SHA256_BYTES, number);
    return cor_greeting_write(greeting, proof, sizeof proof);
}

int cor_greeting_check_proof(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES], uint32_t *number_p)
{
    uint8_t mac[COR_SHA256_BYTES];
    *number_p = cor_get32(greeting->in + COR_SHA256_BYTES);
    greeting_mac(greeting, secret, COR_HELLO_CALLER, *number_p, mac);
    return cor_bytes_are_equal(mac, greeting->in, sizeof mac);
}

void cor_greeting_key(const cor_greeting *greeting, const uint8_t secret[COR_SECRET_BYTES],
                      uint8_t key[COR_SHA256_BYTES])
{
    int is_caller = greeting->role == COR_HELLO_CALLER;
    cor_hmac hmac;
    cor_hmac_init(&hmac, secret, COR_SECRET_BYTES);
    cor_hmac_add(&hmac, "the key ", 8);
    cor_hmac_add(&hmac, is_caller ? greeting->ours : greeting->theirs, COR_HELLO_BYTES);
    cor_hmac_add(&hmac, is_caller ? greeting->theirs : greeting->ours, COR_HELLO_BYTES);
    cor_hmac_end(&hmac, key);
}
