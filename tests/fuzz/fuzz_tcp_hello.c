/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stranger may say to a rank that listens, and what a peer's address may look like: any bytes.
 *
 * FUZZ_SOURCES: src/base/hello.c src/base/place.c src/xxdev/soft/tcp/tcp_address.c src/base/error.c src/base/sha256.c
 */
#include "xxdev/soft/tcp/tcp_state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fuzz_hello(const unsigned char *data)
{
    static const uint8_t secret[COR_SECRET_BYTES] = {1};
    cor_hello hello, ours = cor_hello_make(secret, 0, 1);
    uint8_t again[COR_HELLO_BYTES];
    cor_fault fault;
    if (cor_hello_decode(data, &hello, &fault) != COR_OK || cor_hello_check(&hello, &ours, &fault) != COR_OK)
        return;
    cor_hello_encode(&hello, again);
    if (memcmp(again, data, sizeof again) != 0)
        abort();
}

static void fuzz_welcome(const unsigned char *data)
{
    cor_hello_verdict verdict;
    uint32_t received;
    uint8_t again[COR_WELCOME_BYTES];
    cor_fault fault;
    if (cor_welcome_decode(data, &verdict, &received, &fault) != COR_OK)
        return;
    cor_welcome_encode(verdict, received, again);
    if (memcmp(again, data, sizeof again) != 0)
        abort();
}

/* What is understood is told in a way that is understood as the same. */
static void fuzz_address(const unsigned char *data, size_t size)
{
    char text[COR_WIRE_ADDRESS_MAX] = "", told[COR_WIRE_ADDRESS_MAX];
    tcp_address address, again;
    cor_fault fault;
    memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
    if (tcp_address_parse(text, &address, &fault) != COR_OK)
        return;
    tcp_address_print(&address, told);
    if (strlen(told) < sizeof told - 60 &&
        (tcp_address_parse(told, &again, &fault) != COR_OK || again.place_count != address.place_count ||
         memcmp(again.places, address.places, sizeof again.places) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size >= COR_HELLO_BYTES)
        fuzz_hello(data);
    if (size >= COR_WELCOME_BYTES)
        fuzz_welcome(data);
    fuzz_address(data, size);
    return 0;
}
