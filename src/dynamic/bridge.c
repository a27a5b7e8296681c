/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dynamic/bridge.h"

#include "base/clock.h"
#include "base/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BRIDGE_POLL_MS = 2 };

uint64_t bridge_limit(int seconds)
{
    return cor_clock_ns() + (uint64_t)seconds * UINT64_C(1000000000);
}

int bridge_wait(cor_rank *rank, int fd, int is_writing, uint64_t limit_ns, pid_t pid)
{
    struct pollfd one = {.fd = fd, .events = is_writing ? POLLOUT : POLLIN};
    while (poll(&one, 1, BRIDGE_POLL_MS) <= 0) {
        cor_rank_step(rank);
        if (pid && cor_process_is_gone(pid, 0))
            return -1;
        if (limit_ns && cor_clock_ns() > limit_ns)
            return 0;
    }
    return 1;
}

static int bridge_fail(cor_fault *fault, const char *what, const char *why)
{
    return cor_fault_set(fault, COR_ERR_PEER, "the connection with the other job %s: %s", what, why);
}

static int bridge_move(cor_rank *rank, int fd, char *data, size_t bytes, int is_writing, cor_fault *fault)
{
    for (size_t moved = 0; moved < bytes;) {
        ssize_t count = is_writing ? send(fd, data + moved, bytes - moved, MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : recv(fd, data + moved, bytes - moved, MSG_DONTWAIT);
        if (count > 0)
            moved += (size_t)count;
        else if (count == 0 && !is_writing)
            return bridge_fail(fault, "is closed", "that job has ended, or given up");
        else if (errno == EINTR)
            continue;
        else if (errno != EAGAIN && errno != EWOULDBLOCK)
            return bridge_fail(fault, "is lost", strerror(errno));
        else if (bridge_wait(rank, fd, is_writing, bridge_limit(BRIDGE_TIMEOUT_S), 0) <= 0)
            return bridge_fail(fault, "is silent", "no answer for two minutes");
    }
    return COR_OK;
}

int bridge_send(cor_rank *rank, int fd, const void *data, size_t bytes, cor_fault *fault)
{
    uint32_t length = htonl((uint32_t)bytes);
    int rc = bridge_move(rank, fd, (char *)&length, sizeof length, 1, fault);
    return rc == COR_OK ? bridge_move(rank, fd, (char *)(uintptr_t)data, bytes, 1, fault) : rc;
}

int bridge_receive(cor_rank *rank, int fd, void *data, size_t bytes, cor_fault *fault)
{
    uint32_t length;
    int rc = bridge_move(rank, fd, (char *)&length, sizeof length, 0, fault);
    if (rc == COR_OK && ntohl(length) != bytes)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the other job sent %u bytes where %zu were expected",
                             ntohl(length), bytes);
    return rc == COR_OK ? bridge_move(rank, fd, data, bytes, 0, fault) : rc;
}
