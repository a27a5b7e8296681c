/* The doorbell: sleeping until a peer writes, and who may spin. */
#define _GNU_SOURCE
#include "base/futex.h"
#include "xxdev/soft/sm/sm_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    SM_NAP_MS = 1,     /* between two looks, where no peer can wake who sleeps on descriptors */
    SM_WATCH_MS = 500, /* the longest sleep where there are processes to watch */
};

/* ---- ringing ---------------------------------------------------------------------------------------------------- */

/* Whoever sleeps on descriptors is woken by a byte in its pipe. Opened for reading too: then there is a reader, and no
 * SIGPIPE, even if the owner has died. */
static void sm_bell_write(sm_wire *wire, sm_peer *peer, int number)
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
        COR_LOG(wire->options.log, DEBUG, "sm: cannot wake rank %d: %s", peer->rank, strerror(errno));
}

void sm_bell_ring(sm_wire *wire, sm_peer *peer)
{
    sm_inbox *inbox = peer->inbox;
    if (COR_UNLIKELY(peer->is_lost)) /* its number may be another process's by now */
        return;
    /* Only the one who turns the bell from odd to even makes the system call. acq_rel: the sleeper that sees the
     * bell turned sees the packet it was turned for; we see how it sleeps, which it wrote before it set the bell. */
    uint32_t bell = atomic_load_explicit(&inbox->bell, memory_order_relaxed);
    while (bell & 1)
        if (atomic_compare_exchange_weak_explicit(&inbox->bell, &bell, bell + 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            /* relaxed: ordered by the exchange above. */
            int number = atomic_load_explicit(&inbox->bell_pipe, memory_order_relaxed);
            if (number)
                sm_bell_write(wire, peer, number - 1);
            else
                cor_futex_wake(&inbox->bell, INT_MAX);
            return;
        }
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

int sm_arm(cor_wire *base, uint32_t *ticket_p)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    wire->is_armed = 1;
    /* seq_cst: the bell is set before we look for packets; see sm_send for the other half. A bell left set by a
     * thread that did not sleep costs the next writer one system call, no more. */
    *ticket_p = atomic_fetch_or_explicit(&wire->inbox->bell, 1, memory_order_seq_cst) | 1;
    if (!wire->has_heavy_fence)
        atomic_thread_fence(memory_order_seq_cst);
    else if (!cor_fence_heavy())
        return 0; /* without it a packet could be missed: stay awake */
    return !sm_has_arrived(wire);
}

void sm_sleep(cor_wire *base, uint32_t ticket)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    cor_futex_wait(&wire->inbox->bell, ticket, wire->process_count > 0 ? SM_WATCH_MS * UINT64_C(1000000) : 0);
}

/* Where others cannot reach our descriptors we look again every millisecond. */
void sm_use_fds(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (wire->is_file || pipe2(wire->bell_pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
        wire->bell_pipe[0] = wire->bell_pipe[1] = -1;
        return;
    }
    /* relaxed: the bell, which is set afterwards, orders this for whoever finds it set. */
    atomic_store_explicit(&wire->inbox->bell_pipe, wire->bell_pipe[1] + 1, memory_order_relaxed);
}

int sm_wait_fds(cor_wire *base, struct pollfd *fds, int room, int *timeout_ms_p)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    (void)room;
    *timeout_ms_p = wire->bell_pipe[0] < 0 ? SM_NAP_MS : wire->process_count > 0 ? SM_WATCH_MS : -1;
    if (wire->bell_pipe[0] < 0)
        return 0;
    fds[0] = (struct pollfd){.fd = wire->bell_pipe[0], .events = POLLIN};
    return 1;
}

/* A byte that comes after our look wakes us once for nothing. */
void sm_hush(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    char bytes[64];
    if (!wire->is_armed || wire->bell_pipe[0] < 0)
        return;
    wire->is_armed = 0;
    while (read(wire->bell_pipe[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        ;
}

void sm_bell_close(sm_wire *wire)
{
    for (int i = 0; i < 2; i++)
        if (wire->bell_pipe[i] >= 0)
            close(wire->bell_pipe[i]);
    for (int i = 0; i < wire->peer_count; i++)
        if (wire->peers[i].bell_fd >= 0)
            close(wire->peers[i].bell_fd);
}

void sm_ring(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_bell_ring(wire, &wire->peers[wire->me]);
}

/* What was written before must be visible before we look whether the reader sleeps: see sm_send. */
void sm_nudge(cor_wire *base, int rank)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_peer *peer = &wire->peers[wire->peer_of_rank[rank]];
    if (COR_LIKELY(wire->has_heavy_fence))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&peer->inbox->bell, memory_order_relaxed) & 1))
        sm_bell_ring(wire, peer);
}

/* ---- the CPU ---------------------------------------------------------------------------------------------------- */

int sm_is_crowded(const cor_wire *base)
{
    return ((const sm_wire *)(const void *)base)->is_crowded;
}

int sm_may_spin(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (wire->is_crowded)
        return 0;
    int cpu = cor_cpu_current();
    /* relaxed: a hint that may be old. */
    atomic_store_explicit(&wire->seat->cpu, cpu, memory_order_relaxed);
    for (int i = 0; i < wire->peer_count; i++)
        if (i != wire->me && atomic_load_explicit(&wire->peers[i].seat->cpu, memory_order_relaxed) == cpu)
            return 0;
    return 1;
}

uint32_t sm_arrivals(const cor_wire *base)
{
    return ((const sm_wire *)(const void *)base)->arrivals_seen;
}

/* A turn on a crowded host is spent on this loop: it touches one line of memory, because after every switch of address
 * space the caches of addresses are cold. */
int sm_yield(cor_wire *base, uint32_t arrivals, int times, const cor_until *until)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (!wire->is_crowded)
        times = 1;
    int done = 0;
    do {
        sched_yield();
        /* relaxed: only asked whether to go and poll, which acquires. */
    } while (++done < times && atomic_load_explicit(&wire->inbox->arrivals, memory_order_relaxed) == arrivals &&
             !cor_until_is_over(until));
    return done;
}
