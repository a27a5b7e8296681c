/* SPDX-License-Identifier: Apache-2.0 */
/* The doorbell: sleeping until another rank writes. */
#define _GNU_SOURCE
#include "wait/host_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    HOST_NAP_MS = 1,     /* between two looks, where no peer can wake a rank that sleeps on descriptors */
    HOST_WATCH_MS = 500, /* the longest sleep where there are processes to watch */
};

/* ---- ringing ---------------------------------------------------------------------------------------------------- */

/* A rank that sleeps on descriptors is woken by a byte in its pipe. Opened for reading too: then there is a reader, and
 * no SIGPIPE, even if the owner has died. */
static void host_bell_write(cor_host *host, cor_host_peer *peer, int number)
{
    int fd = number;
    if (!peer->is_same_memory) {
        if (peer->bell_fd < 0) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)peer->pid, number);
            peer->bell_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        }
        fd = peer->bell_fd;
    }
    /* A full pipe wakes as well as one byte does. */
    if ((fd < 0 || write(fd, "", 1) < 0) && errno != EAGAIN)
        COR_LOG(host->options.log, DEBUG, "host: cannot wake rank %d: %s", peer->rank, strerror(errno));
}

void cor_host_ring(cor_host *host, int index)
{
    cor_host_peer *peer = &host->peers[index];
    cor_host_seat *seat = peer->seat;
    if (COR_UNLIKELY(peer->is_lost)) /* its number may be another process's by now */
        return;
    /* Only the rank that turns the bell from odd to even makes the system call. acq_rel: the sleeper that sees the
     * bell turned sees the packet it was turned for; we see how it sleeps, which it wrote before it set the bell. */
    uint32_t bell = atomic_load_explicit(&seat->bell, memory_order_relaxed);
    while (bell & 1)
        if (atomic_compare_exchange_weak_explicit(&seat->bell, &bell, bell + 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            /* relaxed: ordered by the exchange above. */
            int number = atomic_load_explicit(&seat->bell_pipe, memory_order_relaxed);
            if (number)
                host_bell_write(host, peer, number - 1);
            else
                cor_futex_wake(&seat->bell, INT_MAX);
            return;
        }
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

int cor_host_arm(cor_host *host, uint32_t *ticket_p)
{
    host->is_armed = 1;
    /* seq_cst: the bell is set before this rank polls for packets; see cor_host_nudge for the other half. A bell left
     * set by a thread that did not sleep costs the next writer one system call, no more. */
    *ticket_p = atomic_fetch_or_explicit(&host->seat->bell, 1, memory_order_seq_cst) | 1;
    if (!host->has_heavy_fence)
        atomic_thread_fence(memory_order_seq_cst);
    else if (!cor_fence_heavy())
        return 0; /* without it a packet could be missed: stay awake */
    return 1;
}

int cor_host_sleep_ms(const cor_host *host)
{
    return host->process_count > 0 || host->options.look ? HOST_WATCH_MS : -1;
}

void cor_host_sleep(cor_host *host, uint32_t ticket)
{
    int limit_ms = cor_host_sleep_ms(host);
    cor_futex_wait(&host->seat->bell, ticket, limit_ms > 0 ? (uint64_t)limit_ms * 1000000 : 0);
}

/* Where others cannot reach our descriptors we look again every millisecond. */
void cor_host_use_fds(cor_host *host)
{
    if (host->is_file || pipe2(host->bell_pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
        host->bell_pipe[0] = host->bell_pipe[1] = -1;
        return;
    }
    /* relaxed: the bell, which is set afterwards, orders this for a rank that finds it set. */
    atomic_store_explicit(&host->seat->bell_pipe, host->bell_pipe[1] + 1, memory_order_relaxed);
}

int cor_host_fd(const cor_host *host, int *timeout_ms_p)
{
    *timeout_ms_p = host->bell_pipe[0] < 0 ? HOST_NAP_MS : cor_host_sleep_ms(host);
    return host->bell_pipe[0];
}

/* A byte that comes after our look wakes us once for nothing. */
void cor_host_clear_wakeup(cor_host *host)
{
    char bytes[64];
    if (!host->is_armed || host->bell_pipe[0] < 0)
        return;
    host->is_armed = 0;
    while (read(host->bell_pipe[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        ;
}

void host_bell_close(cor_host *host)
{
    for (int i = 0; i < 2; i++)
        if (host->bell_pipe[i] >= 0)
            close(host->bell_pipe[i]);
    for (int i = 0; i < host->count; i++)
        if (host->peers[i].bell_fd >= 0)
            close(host->peers[i].bell_fd);
}
