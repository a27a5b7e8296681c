/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104) with it, to prove that two ends know one secret; and random bytes, and a
 * comparison in constant time.
 */
#ifndef COR_BASE_SHA256_H
#define COR_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { COR_SHA256_BYTES = 32 };

typedef struct cor_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} cor_sha256;

void cor_sha256_init(cor_sha256 *hash);
void cor_sha256_add(cor_sha256 *hash, const void *data, size_t bytes);
void cor_sha256_end(cor_sha256 *hash, uint8_t digest[COR_SHA256_BYTES]);

typedef struct cor_hmac {
    cor_sha256 inner, outer;
} cor_hmac;

void cor_hmac_init(cor_hmac *hmac, const void *key, size_t key_bytes);
void cor_hmac_add(cor_hmac *hmac, const void *data, size_t bytes);
void cor_hmac_end(cor_hmac *hmac, uint8_t mac[COR_SHA256_BYTES]);

/* 1 if equal. */
int cor_bytes_are_equal(const void *a, const void *b, size_t bytes);

/* From the kernel. COR_OK or COR_ERR_SYSTEM. */
int cor_random_bytes(void *out, size_t bytes);

#endif
