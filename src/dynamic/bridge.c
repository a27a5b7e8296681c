/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dynamic/bridge.h"

#include "base/clock.h"
#include "base/seal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BRIDGE_POLL_MS = 2, BRIDGE_PIECE = 128 * COR_SHA256_BYTES };

struct dynamic_bridge {
    int fd;
    int is_sealed;
    cor_seal out, in;
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

dynamic_bridge *bridge_create(int fd, const uint8_t key[COR_SHA256_BYTES], int is_caller)
{
    dynamic_bridge *bridge = calloc(1, sizeof *bridge);
    if (!bridge)
        return NULL;
    bridge->fd = fd;
    bridge->is_sealed = key != NULL;
    if (key) {
        cor_seal_init(&bridge->out, key, is_caller ? "caller's" : "answerer's");
        cor_seal_init(&bridge->in, key, is_caller ? "answerer's" : "caller's");
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

static int bridge_send_sealed(cor_rank *rank, dynamic_bridge *bridge, const uint8_t *data, size_t bytes,
                              cor_fault *fault)
{
    uint8_t piece[BRIDGE_PIECE], mac[COR_SHA256_BYTES];
    int rc = COR_OK;
    cor_seal_begin(&bridge->out, (uint32_t)bytes);
    for (size_t at = 0, count; rc == COR_OK && at < bytes; at += count) {
        count = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        memcpy(piece, data + at, count);
        cor_seal_piece(&bridge->out, piece, count);
        rc = bridge_move(rank, bridge->fd, piece, count, 1, fault);
    }
    cor_seal_end(&bridge->out, mac);
    return rc == COR_OK ? bridge_move(rank, bridge->fd, mac, sizeof mac, 1, fault) : rc;
}

static int bridge_open_sealed(cor_rank *rank, dynamic_bridge *bridge, uint8_t *data, size_t bytes, cor_fault *fault)
{
    uint8_t mac[COR_SHA256_BYTES];
    int rc = bridge_move(rank, bridge->fd, mac, sizeof mac, 0, fault);
    if (rc == COR_OK && !cor_seal_open(&bridge->in, data, bytes, mac))
        rc = cor_fault_set(fault, COR_ERR_PROTOCOL,
                           "what the other job sent was changed on its way: somebody is in between");
    return rc;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

int bridge_send(cor_rank *rank, dynamic_bridge *bridge, const void *data, size_t bytes, cor_fault *fault)
{
    uint32_t length = htonl((uint32_t)bytes);
    int rc = bridge_move(rank, bridge->fd, &length, sizeof length, 1, fault);
    if (rc != COR_OK)
        return rc;
    return bridge->is_sealed ? bridge_send_sealed(rank, bridge, data, bytes, fault)
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
    return rc == COR_OK && bridge->is_sealed ? bridge_open_sealed(rank, bridge, data, bytes, fault) : rc;
}
