/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/soft/tcp/tcp_hello.h"

#include "xxdev/soft/tcp/tcp_frame.h"

static const uint8_t hello_magic[4] = {'C', 'O', 'R', 'U'}, welcome_magic[4] = {'N', 'N', 'A', '!'};

static uint64_t hello_job(const uint8_t secret[TCP_SECRET_BYTES])
{
    uint8_t digest[COR_SHA256_BYTES];
    cor_hmac hmac;
    cor_hmac_init(&hmac, secret, TCP_SECRET_BYTES);
    cor_hmac_add(&hmac, "job", 3);
    cor_hmac_end(&hmac, digest);
    return tcp_get32(digest) | (uint64_t)tcp_get32(digest + 4) << 32;
}

tcp_hello tcp_hello_make(const uint8_t secret[TCP_SECRET_BYTES], int from, int to)
{
    return (tcp_hello){
        .version = TCP_VERSION,
        .word_bytes = sizeof(void *),
        .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
        .job = hello_job(secret),
        .from = (uint32_t)from,
        .to = (uint32_t)to,
    };
}

/* 0 magic   4 version (16 bits)   6 word   7 order   8 flags   12 zero   16 job   24 from   28 to   32 nonce */
void tcp_hello_encode(const tcp_hello *hello, uint8_t out[TCP_HELLO_BYTES])
{
    memcpy(out, hello_magic, sizeof hello_magic);
    tcp_put16(out + 4, hello->version);
    out[6] = hello->word_bytes;
    out[7] = hello->is_big_endian;
    tcp_put32(out + 8, hello->flags);
    tcp_put32(out + 12, 0);
    tcp_put32(out + 16, (uint32_t)hello->job);
    tcp_put32(out + 20, (uint32_t)(hello->job >> 32));
    tcp_put32(out + 24, hello->from);
    tcp_put32(out + 28, hello->to);
    memcpy(out + 32, hello->nonce, TCP_NONCE_BYTES);
}

int tcp_hello_decode(const uint8_t in[TCP_HELLO_BYTES], tcp_hello *hello_p, cor_fault *fault)
{
    if (memcmp(in, hello_magic, sizeof hello_magic) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it does not begin as a rank of ours does");
    tcp_hello hello = {
        .version = tcp_get16(in + 4),
        .word_bytes = in[6],
        .is_big_endian = in[7],
        .flags = tcp_get32(in + 8),
        .job = tcp_get32(in + 16) | (uint64_t)tcp_get32(in + 20) << 32,
        .from = tcp_get32(in + 24),
        .to = tcp_get32(in + 28),
    };
    memcpy(hello.nonce, in + 32, TCP_NONCE_BYTES);
    /* What another version says beyond its number we cannot know. */
    if (hello.version == TCP_VERSION && (hello.is_big_endian > 1 || hello.flags != 0 || tcp_get32(in + 12) != 0))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "its hello has byte order %d and flags %08x", in[7],
                             hello.flags);
    *hello_p = hello;
    return COR_OK;
}

int tcp_hello_check(const tcp_hello *theirs, const tcp_hello *ours, cor_fault *fault)
{
    if (theirs->version != ours->version)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it speaks version %d of the protocol, this side version %d",
                             theirs->version, ours->version);
    if (theirs->word_bytes != ours->word_bytes || theirs->is_big_endian != ours->is_big_endian)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it is a %d-bit %s-endian program, this side %d-bit %s-endian",
                             theirs->word_bytes * 8, theirs->is_big_endian ? "big" : "little", ours->word_bytes * 8,
                             ours->is_big_endian ? "big" : "little");
    if (theirs->job != ours->job)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it belongs to another job");
    return COR_OK;
}

void tcp_prove(const uint8_t secret[TCP_SECRET_BYTES], tcp_role role, const uint8_t caller[TCP_HELLO_BYTES],
               const uint8_t answerer[TCP_HELLO_BYTES], uint32_t number, uint8_t mac[COR_SHA256_BYTES])
{
    cor_hmac hmac;
    uint8_t tail[4];
    tcp_put32(tail, number);
    cor_hmac_init(&hmac, secret, TCP_SECRET_BYTES);
    cor_hmac_add(&hmac, role == TCP_CALLER ? "caller  " : "answerer", 8);
    cor_hmac_add(&hmac, caller, TCP_HELLO_BYTES);
    cor_hmac_add(&hmac, answerer, TCP_HELLO_BYTES);
    cor_hmac_add(&hmac, tail, sizeof tail);
    cor_hmac_end(&hmac, mac);
}

void tcp_welcome_encode(tcp_verdict verdict, uint32_t received, uint8_t out[TCP_WELCOME_BYTES])
{
    memcpy(out, welcome_magic, sizeof welcome_magic);
    tcp_put32(out + 4, (uint32_t)verdict);
    tcp_put32(out + 8, received);
    tcp_put32(out + 12, 0);
}

int tcp_welcome_decode(const uint8_t in[TCP_WELCOME_BYTES], tcp_verdict *verdict_p, uint32_t *received_p,
                       cor_fault *fault)
{
    uint32_t verdict = tcp_get32(in + 4);
    if (memcmp(in, welcome_magic, sizeof welcome_magic) != 0 || verdict >= TCP_VERDICTS || tcp_get32(in + 12) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "its welcome is none");
    *verdict_p = (tcp_verdict)verdict;
    *received_p = tcp_get32(in + 8);
    return COR_OK;
}
