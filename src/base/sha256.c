/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t sha256_turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void sha256_expand(const uint8_t *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = sha256_turn(w[i - 15], 7) ^ sha256_turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = sha256_turn(w[i - 2], 17) ^ sha256_turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void sha256_block(cor_sha256 *hash, const uint8_t *block)
{
    uint32_t w[64], v[8];
    sha256_expand(block, w);
    memcpy(v, hash->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + sha256_constants[i] + w[i];
        uint32_t t2 =
            (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        hash->state[i] += v[i];
}

void cor_sha256_init(cor_sha256 *hash)
{
    *hash = (cor_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cor_sha256_add(cor_sha256 *hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    while (bytes > 0) {
        size_t filled = hash->bytes % sizeof hash->block, room = sizeof hash->block - filled;
        size_t piece = bytes < room ? bytes : room;
        memcpy(hash->block + filled, at, piece);
        hash->bytes += piece;
        at += piece;
        bytes -= piece;
        if (piece == room)
            sha256_block(hash, hash->block);
    }
}

void cor_sha256_end(cor_sha256 *hash, uint8_t digest[COR_SHA256_BYTES])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = hash->bytes * 8;
    size_t filled = hash->bytes % 64;
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    cor_sha256_add(hash, padding, filled < 56 ? 56 - filled : 120 - filled);
    cor_sha256_add(hash, length, sizeof length);
    for (int i = 0; i < COR_SHA256_BYTES; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void cor_hmac_init(cor_hmac *hmac, const void *key, size_t key_bytes)
{
    uint8_t block[64] = {0}, inner[64], outer[64];
    if (key_bytes > sizeof block) {
        cor_sha256 hash;
        cor_sha256_init(&hash);
        cor_sha256_add(&hash, key, key_bytes);
        cor_sha256_end(&hash, block);
    } else if (key_bytes) {
        memcpy(block, key, key_bytes);
    }
    for (size_t i = 0; i < sizeof block; i++) {
        inner[i] = block[i] ^ 0x36;
        outer[i] = block[i] ^ 0x5c;
    }
    cor_sha256_init(&hmac->inner);
    cor_sha256_add(&hmac->inner, inner, sizeof inner);
    cor_sha256_init(&hmac->outer);
    cor_sha256_add(&hmac->outer, outer, sizeof outer);
}

void cor_hmac_add(cor_hmac *hmac, const void *data, size_t bytes)
{
    cor_sha256_add(&hmac->inner, data, bytes);
}

void cor_hmac_end(cor_hmac *hmac, uint8_t mac[COR_SHA256_BYTES])
{
    uint8_t digest[COR_SHA256_BYTES];
    cor_sha256_end(&hmac->inner, digest);
    cor_sha256_add(&hmac->outer, digest, sizeof digest);
    cor_sha256_end(&hmac->outer, mac);
}

int cor_bytes_are_equal(const void *a, const void *b, size_t bytes)
{
    const volatile uint8_t *x = a, *y = b;
    uint8_t difference = 0;
    for (size_t i = 0; i < bytes; i++)
        difference |= x[i] ^ y[i];
    return difference == 0;
}

int cor_random_bytes(void *out, size_t bytes)
{
    char *at = out;
    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return COR_ERR_SYSTEM;
        at += got;
        bytes -= (size_t)got;
    }
    return COR_OK;
}
