/* Watching the processes of the peers: sm.h says who looks, when, and what it costs. */
#define _GNU_SOURCE
#include "base/process.h"
#include "xxdev/soft/sm/sm_state.h"

#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    SM_DESCRIPTOR_SHARE = 4, /* of the descriptors this process may have, at most a quarter are for watching */
    SM_PEERS_A_LOOK = 16,    /* among very many ranks, each looking at all others, nothing else would be done */
};

static int sm_watch_may_use_fds(const sm_wire *wire)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           (rlim_t)wire->process_count <= limit.rlim_cur / SM_DESCRIPTOR_SHARE;
}

/* With the first look at it. */
static void sm_watch_begin(const sm_wire *wire, sm_peer *peer)
{
    peer->is_watched = 1;
    /* First the descriptor, then the question whose it is: a process that takes the number over later does not become
     * readable in its place. */
    peer->process_fd = sm_watch_may_use_fds(wire) ? cor_process_open(peer->pid) : -1;
    if (peer->process_fd >= 0 && cor_process_is_gone(peer->pid, peer->seat->started)) {
        close(peer->process_fd);
        peer->process_fd = -1;
    }
    COR_LOG(wire->options.log, TRACE, "sm: watching rank %d by %s", peer->rank,
            peer->process_fd >= 0 ? "a descriptor of its process" : "its line in /proc");
}

static int sm_watch_is_gone(const sm_peer *peer)
{
    if (peer->process_fd < 0)
        return cor_process_is_gone(peer->pid, peer->seat->started);
    struct pollfd fd = {.fd = peer->process_fd, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

/* Whom the peer had lost itself: that is then why it ended. */
static const char *sm_watch_reason(const sm_peer *peer, char *text, size_t text_bytes)
{
    /* relaxed: it was written by a process that has ended. */
    int mourned = atomic_load_explicit(&peer->seat->mourned, memory_order_relaxed);
    text[0] = 0;
    if (mourned)
        snprintf(text, text_bytes, ", after it had lost rank %d", mourned - 1);
    return text;
}

static void sm_watch_lose(sm_wire *wire, sm_peer *peer)
{
    char reason[48];
    cor_fault why;
    sm_seat *theirs = peer->seat;
    peer->is_lost = 1;
    if (peer->process_fd >= 0)
        close(peer->process_fd);
    peer->process_fd = -1;
    /* What it wrote to the end is delivered; a packet that it was writing when it died is never seen. */
    sm_drain(wire, peer);
    sm_writer_close(wire, &peer->writer);
    /* All relaxed: of the two sides of these words one has ended, and our own is read when we have. */
    atomic_store_explicit(&theirs->cpu, -1, memory_order_relaxed);
    if (atomic_load_explicit(&wire->seat->mourned, memory_order_relaxed) == 0)
        atomic_store_explicit(&wire->seat->mourned, peer->rank + 1, memory_order_relaxed);
    int has_left = (int)atomic_load_explicit(&theirs->has_left, memory_order_relaxed);
    cor_fault_set(&why, COR_ERR_PEER, "rank %d %s: its process %d on this host has ended%s%s", peer->rank,
                  has_left ? "has left the job" : "is lost", (int)peer->pid, has_left ? "" : " without MPI_Finalize",
                  sm_watch_reason(peer, reason, sizeof reason));
    wire->options.lost(wire->options.sink, peer->rank, &why);
}

void sm_reject(cor_wire *base, int rank, const char *what)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_peer *peer = &wire->peers[wire->peer_of_rank[rank]];
    cor_fault why;
    peer->is_lost = 1;
    sm_writer_close(wire, &peer->writer);
    /* Half of all numbers away from the next packet's: nothing of it is taken, and it finds no room for more. */
    peer->reader.taken ^= 1u << 31;
    cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: its process %d on this host sent %s", rank, (int)peer->pid,
                  what);
    wire->options.lost(wire->options.sink, rank, &why);
}

int sm_look(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (wire->process_count == 0)
        return 0;
    int count = 0, looks = wire->peer_count < SM_PEERS_A_LOOK ? wire->peer_count : SM_PEERS_A_LOOK;
    for (int i = 0; i < looks; i++) {
        sm_peer *peer = &wire->peers[wire->next_watched];
        wire->next_watched = (wire->next_watched + 1) % wire->peer_count;
        if (peer->is_same_memory || peer->is_lost)
            continue;
        if (!peer->is_watched)
            sm_watch_begin(wire, peer);
        if (sm_watch_is_gone(peer)) {
            sm_watch_lose(wire, peer);
            count++;
        }
    }
    return count;
}

void sm_watch_end(sm_wire *wire)
{
    for (int i = 0; i < wire->peer_count; i++)
        if (wire->peers[i].process_fd >= 0)
            close(wire->peers[i].process_fd);
    if (wire->seat)
        /* relaxed: read when we have ended. */
        atomic_store_explicit(&wire->seat->has_left, 1, memory_order_relaxed);
}
