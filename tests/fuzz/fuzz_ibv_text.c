/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ranks that talk over RDMA tell each other: the text of an address, the private data of a connection, a datagram,
 * a frame.
 *
 * FUZZ_SOURCES: src/xxdev/soft/ibv/ibv_text.c src/base/error.c src/base/sha256.c
 */
#include "xxdev/soft/ibv/ibv_text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* An address that is understood, and told again, is understood alike. */
static void fuzz_address(const unsigned char *data, size_t size)
{
    char text[COR_WIRE_ADDRESS_MAX] = "", again[COR_WIRE_ADDRESS_MAX], third[COR_WIRE_ADDRESS_MAX];
    ibw_address address;
    memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
    if (ibw_address_parse(text, &address, NULL) != COR_OK)
        return;
    ibw_address_print(&address, again);
    if (ibw_address_parse(again, &address, NULL) != COR_OK)
        abort();
    ibw_address_print(&address, third);
    if (strcmp(again, third) != 0)
        abort();
}

/* Nobody without the secret makes a greeting that is believed. */
static void fuzz_greeting(const unsigned char *data, size_t size)
{
    static const uint8_t secret[IBW_SECRET_BYTES] = {91, 17, 5};
    ibw_greeting greeting = {.to = 1};
    if (ibw_greeting_read(&greeting, secret, data, size))
        abort();
}

/* A datagram is believed only with the secret; and one that a rank has signed only if it makes sense. */
static void fuzz_datagram(const unsigned char *data, size_t size)
{
    static const uint8_t secret[IBW_SECRET_BYTES] = {91, 17, 5};
    enum { RANK = 1, RANKS = 8 };
    uint8_t bytes[IBW_DATAGRAM_BYTES];
    ibw_datagram said = {0}, heard;
    if (ibw_datagram_read(&heard, secret, RANK, RANKS, data, size))
        abort();
    memcpy(&said, data, size < sizeof said ? size : sizeof said);
    ibw_datagram_write(&said, secret, bytes);
    if (!ibw_datagram_read(&heard, secret, RANK, RANKS, bytes, sizeof bytes))
        return;
    if (heard.to != RANK || heard.from >= RANKS || heard.from == RANK || heard.call != said.call || heard.call == 0 ||
        heard.kind < IBW_CALL || heard.kind > IBW_REFUSAL)
        abort();
    if (heard.kind != IBW_REFUSAL &&
        (heard.credits < 4 || heard.queue < 2 || heard.queue > IBW_NUMBER_MAX || heard.packet > IBW_NUMBER_MAX))
        abort();
}

static void fuzz_frame(const unsigned char *data, size_t size)
{
    ibw_frame frame;
    if (size < sizeof frame)
        return;
    memcpy(&frame, data, sizeof frame);
    if (ibw_frame_is_sound(&frame, size) && sizeof frame + frame.bytes != size)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    fuzz_address(data, size);
    fuzz_greeting(data, size);
    fuzz_datagram(data, size);
    fuzz_frame(data, size);
    return 0;
}
