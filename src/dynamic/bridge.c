/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dynamic/bridge.h"

#include "base/clock.h"
#include "base/little.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BRIDGE_POLL_MS = 2, BRIDGE_PIECE = 128 * COR_SHA256_BYTES };

/* One direction of a sealed connection. */
typedef struct bridge_seal {
    cor_hmac cipher, mac; /* with their keys, to be copied */
    uint64_t frame;       /* the number of the next */
} bridge_seal;

struct dynamic_bridge {
    int fd;
    int is_sealed;
    bridge_seal out, in;
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void bridge_seal_init(bridge_seal *seal, const uint8_t *key, int is_callers)
{
    static const char *const words[2][2] = {{"answerer's cipher", "answerer's mac"},
                                            {"caller's cipher", "caller's mac"}};
    cor_hmac *hmacs[2] = {&seal->cipher, &seal->mac};
    for (int i = 0; i < 2; i++) {
        uint8_t own[COR_SHA256_BYTES];
        cor_hmac derive;
        cor_hmac_init(&derive, key, COR_SHA256_BYTES);
        cor_hmac_add(&derive, words[is_callers][i], strlen(words[is_callers][i]));
        cor_hmac_end(&derive, own);
        cor_hmac_init(hmacs[i], own, sizeof own);
    }
}

dynamic_bridge *bridge_create(int fd, const uint8_t key[COR_SHA256_BYTES], int is_caller)
{
    dynamic_bridge *bridge = calloc(1, sizeof *bridge);
    if (!bridge)
        return NULL;
    bridge->fd = fd;
    bridge->is_sealed = key != NULL;
    if (key) {
        bridge_seal_init(&bridge->out, key, is_caller);
        bridge_seal_init(&bridge->in, key, !is_caller);
    }
    return bridge;
}

void bridge_destroy(dynamic_bridge *bridge)
{
    if (!bridge)
        return;
    close(bridge->fd);
    explicit_bzero(bridge, sizeof *bridge);
    free(bridge);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

uint64_t bridge_limit(int seconds)
{
    return cor_clock_ns() + (uint64_t)seconds * UINT64_C(1000000000);
}

int bridge_wait(cor_rank *rank, int fd, int is_writing, uint64_t limit_ns)
{
    struct pollfd one = {.fd = fd, .events = is_writing ? POLLOUT : POLLIN};
    while (poll(&one, 1, BRIDGE_POLL_MS) <= 0) {
        cor_rank_step(rank);
        if (limit_ns && cor_clock_ns() > limit_ns)
            return 0;
    }
    return 1;
}

static int bridge_fail(cor_fault *fault, const char *what, const char *why)
{
    return cor_fault_set(fault, COR_ERR_PEER, "the connection with the other job %s: %s", what, why);
}

static int bridge_move(cor_rank *rank, int fd, void *data, size_t bytes, int is_writing, cor_fault *fault)
{
    char *at = data;
    for (size_t moved = 0; moved < bytes;) {
        ssize_t count = is_writing ? send(fd, at + moved, bytes - moved, MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : recv(fd, at + moved, bytes - moved, MSG_DONTWAIT);
        if (count > 0)
            moved += (size_t)count;
        else if (count == 0 && !is_writing)
            return bridge_fail(fault, "is closed", "that job has ended, or given up");
        else if (errno == EINTR)
            continue;
        else if (errno != EAGAIN && errno != EWOULDBLOCK)
            return bridge_fail(fault, "is lost", strerror(errno));
        else if (!bridge_wait(rank, fd, is_writing, bridge_limit(BRIDGE_TIMEOUT_S)))
            return bridge_fail(fault, "is silent", "no answer for two minutes");
    }
    return COR_OK;
}

/* ---- the seal --------------------------------------------------------------------------------------------------- */

/* Encrypt, or decrypt, a piece whose first block has this number. */
static void bridge_cipher(const bridge_seal *seal, uint64_t block, uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += COR_SHA256_BYTES, block++) {
        uint8_t numbers[16], stream[COR_SHA256_BYTES];
        cor_hmac hmac = seal->cipher;
        cor_put64(numbers, seal->frame);
        cor_put64(numbers + 8, block);
        cor_hmac_add(&hmac, numbers, sizeof numbers);
        cor_hmac_end(&hmac, stream);
        for (size_t i = 0; i < sizeof stream && at + i < bytes; i++)
            data[at + i] ^= stream[i];
    }
}

static cor_hmac bridge_mac_begin(const bridge_seal *seal, uint32_t length)
{
    uint8_t number[8];
    cor_hmac hmac = seal->mac;
    cor_put64(number, seal->frame);
    cor_hmac_add(&hmac, number, sizeof number);
    cor_hmac_add(&hmac, &length, sizeof length);
    return hmac;
}

static int bridge_send_sealed(cor_rank *rank, dynamic_bridge *bridge, uint32_t length, const uint8_t *data,
                              size_t bytes, cor_fault *fault)
{
    bridge_seal *seal = &bridge->out;
    cor_hmac hmac = bridge_mac_begin(seal, length);
    uint8_t piece[BRIDGE_PIECE], mac[COR_SHA256_BYTES];
    int rc = COR_OK;
    for (size_t at = 0, count; rc == COR_OK && at < bytes; at += count) {
        count = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        memcpy(piece, data + at, count);
        bridge_cipher(seal, at / COR_SHA256_BYTES, piece, count);
        cor_hmac_add(&hmac, piece, count);
        rc = bridge_move(rank, bridge->fd, piece, count, 1, fault);
    }
    cor_hmac_end(&hmac, mac);
    seal->frame++;
    return rc == COR_OK ? bridge_move(rank, bridge->fd, mac, sizeof mac, 1, fault) : rc;
}

static int bridge_open_sealed(cor_rank *rank, dynamic_bridge *bridge, uint32_t length, uint8_t *data, size_t bytes,
                              cor_fault *fault)
{
    bridge_seal *seal = &bridge->in;
    cor_hmac hmac = bridge_mac_begin(seal, length);
    uint8_t ours[COR_SHA256_BYTES], theirs[COR_SHA256_BYTES];
    int rc = bridge_move(rank, bridge->fd, theirs, sizeof theirs, 0, fault);
    if (rc != COR_OK)
        return rc;
    cor_hmac_add(&hmac, data, bytes);
    cor_hmac_end(&hmac, ours);
    if (!cor_bytes_are_equal(ours, theirs, sizeof ours)) {
        memset(data, 0, bytes);
        return cor_fault_set(fault, COR_ERR_PROTOCOL,
                             "what the other job sent was changed on its way: somebody is in between");
    }
    bridge_cipher(seal, 0, data, bytes);
    seal->frame++;
    return COR_OK;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

int bridge_send(cor_rank *rank, dynamic_bridge *bridge, const void *data, size_t bytes, cor_fault *fault)
{
    uint32_t length = htonl((uint32_t)bytes);
    int rc = bridge_move(rank, bridge->fd, &length, sizeof length, 1, fault);
    if (rc != COR_OK)
        return rc;
    return bridge->is_sealed ? bridge_send_sealed(rank, bridge, length, data, bytes, fault)
                             : bridge_move(rank, bridge->fd, (void *)(uintptr_t)data, bytes, 1, fault);
}

int bridge_receive(cor_rank *rank, dynamic_bridge *bridge, void *data, size_t bytes, cor_fault *fault)
{
    uint32_t length;
    int rc = bridge_move(rank, bridge->fd, &length, sizeof length, 0, fault);
    if (rc == COR_OK && ntohl(length) != bytes)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the other job sent %u bytes where %zu were expected",
                             ntohl(length), bytes);
    if (rc == COR_OK)
        rc = bridge_move(rank, bridge->fd, data, bytes, 0, fault);
    return rc == COR_OK && bridge->is_sealed ? bridge_open_sealed(rank, bridge, length, data, bytes, fault) : rc;
}
