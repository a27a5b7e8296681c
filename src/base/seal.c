/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/seal.h"

#include "base/little.h"

#include <arpa/inet.h>
#include <string.h>

static void seal_derive(cor_hmac *hmac, const uint8_t *key, const char *name, const char *use)
{
    uint8_t own[COR_SHA256_BYTES];
    cor_hmac derive;
    cor_hmac_init(&derive, key, COR_SHA256_BYTES);
    cor_hmac_add(&derive, name, strlen(name));
    cor_hmac_add(&derive, use, strlen(use));
    cor_hmac_end(&derive, own);
    cor_hmac_init(hmac, own, sizeof own);
    explicit_bzero(own, sizeof own);
}

void cor_seal_init(cor_seal *seal, const uint8_t key[COR_SHA256_BYTES], const char *name)
{
    seal_derive(&seal->cipher, key, name, " cipher");
    seal_derive(&seal->mac, key, name, " mac");
    seal->frame = seal->block = 0;
}

/* Encrypt or decrypt what begins with this block. */
static void seal_cipher(cor_seal *seal, uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += COR_SHA256_BYTES) {
        uint8_t numbers[16], stream[COR_SHA256_BYTES];
        cor_hmac hmac = seal->cipher;
        cor_put64(numbers, seal->frame);
        cor_put64(numbers + 8, seal->block++);
        cor_hmac_add(&hmac, numbers, sizeof numbers);
        cor_hmac_end(&hmac, stream);
        for (size_t i = 0; i < sizeof stream && at + i < bytes; i++)
            data[at + i] ^= stream[i];
    }
}

void cor_seal_begin(cor_seal *seal, uint32_t bytes)
{
    uint8_t number[8];
    uint32_t length = htonl(bytes);
    seal->sum = seal->mac;
    seal->block = 0;
    cor_put64(number, seal->frame);
    cor_hmac_add(&seal->sum, number, sizeof number);
    cor_hmac_add(&seal->sum, &length, sizeof length);
}

void cor_seal_piece(cor_seal *seal, uint8_t *data, size_t bytes)
{
    seal_cipher(seal, data, bytes);
    cor_hmac_add(&seal->sum, data, bytes);
}

void cor_seal_end(cor_seal *seal, uint8_t mac[COR_SHA256_BYTES])
{
    cor_hmac_end(&seal->sum, mac);
    seal->frame++;
}

int cor_seal_open(cor_seal *seal, uint8_t *data, size_t bytes, const uint8_t mac[COR_SHA256_BYTES])
{
    uint8_t ours[COR_SHA256_BYTES];
    cor_seal_begin(seal, (uint32_t)bytes);
    cor_hmac_add(&seal->sum, data, bytes);
    cor_hmac_end(&seal->sum, ours);
    if (!cor_bytes_are_equal(ours, mac, sizeof ours)) {
        memset(data, 0, bytes);
        return 0;
    }
    seal_cipher(seal, data, bytes);
    seal->frame++;
    return 1;
}
