/* SPDX-License-Identifier: Apache-2.0 */
/* Watching the processes of the local ranks: host.h describes which rank checks, when, and the cost. */
#define _GNU_SOURCE
#include "wait/host_state.h"

#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    HOST_DESCRIPTOR_SHARE = 4, /* of the descriptors this process may have, at most a quarter are for watching */
    HOST_PEERS_A_LOOK = 16,    /* among very many ranks, each looking at all others, nothing else would be done */
};

static int host_watch_may_use_fds(const cor_host *host)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           (rlim_t)host->process_count <= limit.rlim_cur / HOST_DESCRIPTOR_SHARE;
}

/* Called with the first check of the peer. */
static void host_watch_begin(const cor_host *host, cor_host_peer *peer)
{
    peer->is_watched = 1;
    /* First the descriptor, then the question whose it is: a process that takes the number over later does not become
     * readable in its place. */
    peer->process_fd = host_watch_may_use_fds(host) ? cor_process_open(peer->pid) : -1;
    if (peer->process_fd >= 0 && cor_process_is_gone(peer->pid, peer->seat->started)) {
        close(peer->process_fd);
        peer->process_fd = -1;
    }
    COR_LOG(host->options.log, TRACE, "host: watching rank %d by %s", peer->rank,
            peer->process_fd >= 0 ? "a descriptor of its process" : "its line in /proc");
}

static int host_watch_is_gone(const cor_host_peer *peer)
{
    if (peer->process_fd < 0)
        return cor_process_is_gone(peer->pid, peer->seat->started);
    struct pollfd fd = {.fd = peer->process_fd, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

/* The rank that the peer had lost itself: then that is why it ended. */
static const char *host_watch_reason(const cor_host_peer *peer, char *text, size_t text_bytes)
{
    /* relaxed: it was written by a process that has ended. */
    int lost = atomic_load_explicit(&peer->seat->has_lost, memory_order_relaxed);
    text[0] = 0;
    if (lost)
        snprintf(text, text_bytes, ", after it had lost rank %d", lost - 1);
    return text;
}

static void host_watch_lose(cor_host *host, cor_host_peer *peer)
{
    char reason[48];
    cor_fault why;
    cor_host_seat *theirs = peer->seat;
    peer->is_lost = 1;
    if (peer->process_fd >= 0)
        close(peer->process_fd);
    peer->process_fd = -1;
    /* All relaxed: of the two sides of these words one has ended, and our own is read when we have. */
    atomic_store_explicit(&theirs->cpu, -1, memory_order_relaxed);
    if (atomic_load_explicit(&host->seat->has_lost, memory_order_relaxed) == 0)
        atomic_store_explicit(&host->seat->has_lost, peer->rank + 1, memory_order_relaxed);
    int has_left = (int)atomic_load_explicit(&theirs->has_left, memory_order_relaxed);
    cor_fault_set(&why, COR_ERR_PEER, "rank %d %s: its process %d on this host has ended%s%s", peer->rank,
                  has_left ? "has left the job" : "is lost", (int)peer->pid, has_left ? "" : " without MPI_Finalize",
                  host_watch_reason(peer, reason, sizeof reason));
    if (host->ended)
        host->ended(host->subject, peer->rank, &why);
}

void cor_host_forget(cor_host *host, int index)
{
    host->peers[index].is_lost = 1;
}

void cor_host_forget_all(cor_host *host)
{
    for (int i = 0; i < host->count; i++) {
        host->peers[i].is_lost = 1;
        host->peers[i].seat = host->seat;
    }
}

int cor_host_look(cor_host *host)
{
    if (host->options.look)
        host->options.look(host->options.look_subject);
    if (host->process_count == 0)
        return 0;
    int count = 0, looks = host->count < HOST_PEERS_A_LOOK ? host->count : HOST_PEERS_A_LOOK;
    for (int i = 0; i < looks; i++) {
        cor_host_peer *peer = &host->peers[host->next_watched];
        host->next_watched = (host->next_watched + 1) % host->count;
        if (peer->is_same_memory || peer->is_lost)
            continue;
        if (!peer->is_watched)
            host_watch_begin(host, peer);
        if (host_watch_is_gone(peer)) {
            host_watch_lose(host, peer);
            count++;
        }
    }
    return count;
}

void host_watch_end(cor_host *host)
{
    for (int i = 0; i < host->count; i++)
        if (host->peers[i].process_fd >= 0)
            close(host->peers[i].process_fd);
    if (host->seat)
        /* relaxed: read when we have ended. */
        atomic_store_explicit(&host->seat->has_left, 1, memory_order_relaxed);
}
