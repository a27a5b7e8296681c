/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hello.h"

#include "base/little.h"

static const uint8_t hello_magic[4] = {'C', 'O', 'R', 'U'}, welcome_magic[4] = {'N', 'N', 'A', '!'};

static uint64_t hello_job(const uint8_t secret[COR_SECRET_BYTES])
{
    uint8_t digest[COR_SHA256_BYTES];
    cor_hmac hmac;
    cor_hmac_init(&hmac, secret, COR_SECRET_BYTES);
    cor_hmac_add(&hmac, "job", 3);
    cor_hmac_end(&hmac, digest);
    return cor_get32(digest) | (uint64_t)cor_get32(digest + 4) << 32;
}

cor_hello cor_hello_make(const uint8_t secret[COR_SECRET_BYTES], int from, int to)
{
    return (cor_hello){
        .version = COR_HELLO_VERSION,
        .word_bytes = sizeof(void *),
        .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
        .job = hello_job(secret),
        .from = (uint32_t)from,
        .to = (uint32_t)to,
    };
}

/* 0 magic   4 version (16 bits)   6 word   7 order   8 flags   12 zero   16 job   24 from   28 to   32 nonce */
void cor_hello_encode(const cor_hello *hello, uint8_t out[COR_HELLO_BYTES])
{
    memcpy(out, hello_magic, sizeof hello_magic);
    cor_put16(out + 4, hello->version);
    out[6] = hello->word_bytes;
    out[7] = hello->is_big_endian;
    cor_put32(out + 8, hello->flags);
    cor_put32(out + 12, 0);
    cor_put32(out + 16, (uint32_t)hello->job);
    cor_put32(out + 20, (uint32_t)(hello->job >> 32));
    cor_put32(out + 24, hello->from);
    cor_put32(out + 28, hello->to);
    memcpy(out + 32, hello->nonce, COR_NONCE_BYTES);
}

int cor_hello_decode(const uint8_t in[COR_HELLO_BYTES], cor_hello *hello_p, cor_fault *fault)
{
    if (memcmp(in, hello_magic, sizeof hello_magic) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "it does not begin as a rank of ours does");
    cor_hello hello = {
        .version = cor_get16(in + 4),
        .word_bytes = in[6],
        .is_big_endian = in[7],
        .flags = cor_get32(in + 8),
        .job = cor_get32(in + 16) | (uint64_t)cor_get32(in + 20) << 32,
        .from = cor_get32(in + 24),
        .to = cor_get32(in + 28),
    };
    memcpy(hello.nonce, in + 32, COR_NONCE_BYTES);
    /* What another version says beyond its number we cannot know. */
    if (hello.version == COR_HELLO_VERSION && (hello.is_big_endian > 1 || hello.flags != 0 || cor_get32(in + 12) != 0))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "its hello has byte order %d and flags %08x", in[7],
                             hello.flags);
    *hello_p = hello;
    return COR_OK;
}

int cor_hello_check(const cor_hello *theirs, const cor_hello *ours, cor_fault *fault)
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

void cor_hello_prove(const uint8_t secret[COR_SECRET_BYTES], cor_hello_role role,
                     const uint8_t caller[COR_HELLO_BYTES], const uint8_t answerer[COR_HELLO_BYTES], uint32_t number,
                     uint8_t mac[COR_SHA256_BYTES])
{
    cor_hmac hmac;
    uint8_t tail[4];
    cor_put32(tail, number);
    cor_hmac_init(&hmac, secret, COR_SECRET_BYTES);
    cor_hmac_add(&hmac, role == COR_HELLO_CALLER ? "caller  " : "answerer", 8);
    cor_hmac_add(&hmac, caller, COR_HELLO_BYTES);
    cor_hmac_add(&hmac, answerer, COR_HELLO_BYTES);
    cor_hmac_add(&hmac, tail, sizeof tail);
    cor_hmac_end(&hmac, mac);
}

void cor_welcome_encode(cor_hello_verdict verdict, uint32_t received, uint8_t out[COR_WELCOME_BYTES])
{
    memcpy(out, welcome_magic, sizeof welcome_magic);
    cor_put32(out + 4, (uint32_t)verdict);
    cor_put32(out + 8, received);
    cor_put32(out + 12, 0);
}

int cor_welcome_decode(const uint8_t in[COR_WELCOME_BYTES], cor_hello_verdict *verdict_p, uint32_t *received_p,
                       cor_fault *fault)
{
    uint32_t verdict = cor_get32(in + 4);
    if (memcmp(in, welcome_magic, sizeof welcome_magic) != 0 || verdict >= COR_HELLO_VERDICTS ||
        cor_get32(in + 12) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "its welcome is none");
    *verdict_p = (cor_hello_verdict)verdict;
    *received_p = cor_get32(in + 8);
    return COR_OK;
}
