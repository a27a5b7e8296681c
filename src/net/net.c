/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/futex.h"
#include "base/segment.h"
#include "net/net_state.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NET_FIELD(field) offsetof(cor_net_config, field)

static const cor_knob net_knob_rows[] = {
    {"net.on", COR_KNOB_BOOL, NET_FIELD(is_on), "yes", NULL, 0, 0,
     "fast sockets: connections inside a host go through shared memory"},
    {"net.ring", COR_KNOB_SIZE, NET_FIELD(ring_bytes), "256k", NULL, 4096, 1L << 30,
     "bytes of the ring of each direction of a fast socket, rounded up to a power of two"},
    {"net.buffer", COR_KNOB_SIZE, NET_FIELD(far_bytes), "16m", NULL, 0, 1L << 30,
     "bytes that a writer may be ahead of its reader besides, rounded up to a power of two; used when it would wait"},
    {"net.turns", COR_KNOB_INT, NET_FIELD(turns), "16", NULL, 0, 1000000,
     "messages and answers after which a connection moves to memory, of which 16 KiB count as one; 0: at once"},
    {"net.spin_us", COR_KNOB_INT, NET_FIELD(spin_us), "50", NULL, 0, 1000000,
     "microseconds that a fast socket spins before it sleeps, where that pays; 0: not at all"},
    {"net.futex_ms", COR_KNOB_INT, NET_FIELD(futex_ms), "10", NULL, 0, 1000,
     "milliseconds that a blocking read sleeps where its writer wakes it cheaply, before it waits for the kernel; 0: "
     "not at all"},
    {"log", COR_KNOB_CHOICE, NET_FIELD(log_level), "warn", COR_LOG_LEVELS, 0, 0, "what to log"},
};

enum { NET_KNOBS = sizeof net_knob_rows / sizeof *net_knob_rows, NET_KNOB_LOG = NET_KNOBS - 1 };

const cor_knob_table cor_net_knobs = {net_knob_rows, NET_KNOBS};

enum { NET_SLAB_LOCALS = 64 };

void cor_net_note(cor_net *net, cor_net_why why)
{
    atomic_fetch_add_explicit(&net->counters->reasons[why], 1, memory_order_relaxed);
}

void net_count_plain(cor_net *net, cor_net_why why)
{
    atomic_fetch_add_explicit(&net->counters->plain, 1, memory_order_relaxed);
    cor_net_note(net, why);
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

/* A forked process may be in another namespace than its parent. */
static void net_set_process(cor_net *net)
{
    int is_stopped = cor_net_is_stopped(net);
    net->process = getpid();
    net->pids = is_stopped ? net->pids : cor_net_name_pids(); /* a filter may forbid that */
    net->pid = net_who(net_spaces_number(net->spaces, net->pids), (uint32_t)net->process);
    if (!net->pids && !is_stopped) {
        atomic_store_explicit(&net->is_stopped, 1, memory_order_relaxed);
        cor_net_log_write(&net->log, COR_LOG_INFO,
                          ": no new connection goes through shared memory: /proc does not show this process");
    }
}

static size_t net_round_up(size_t bytes)
{
    size_t ring = 4096;
    while (ring < bytes)
        ring *= 2;
    return ring;
}

int cor_net_create(cor_net **net_p, const char *const *overrides, cor_fault *fault)
{
    cor_net_config config;
    cor_knob_origin origins[NET_KNOBS];
    int rc = cor_knobs_load(&cor_net_knobs, overrides, &config, origins, fault);
    if (rc != COR_OK)
        return rc;
    cor_net *net = calloc(1, sizeof *net);
    void *spaces =
        net ? mmap(NULL, sizeof *net->spaces, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (spaces == MAP_FAILED) {
        free(net);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for fast sockets");
    }
    net->spaces = spaces;
    config.ring_bytes = net_round_up(config.ring_bytes);
    config.far_bytes = config.far_bytes == 0 ? 0 : net_round_up(config.far_bytes);
    net->config = config;
    /* Others read a program's words: what it did not ask for is an error, or not said. */
    net->log = cor_net_log_begin(origins[NET_KNOB_LOG] == COR_KNOB_DEFAULT ? (int)COR_LOG_ERROR : config.log_level);
    net->counters = &net->own_counters;
    atomic_store_explicit(&net->is_stopped, !config.is_on, memory_order_relaxed);
    net_set_process(net);
    net->maps_most = net_own_maps_most();
    net->is_strict = net_own_memory_is_strict();
    cor_cpu_set allowed;
    cor_cpu_allowed(&allowed);
    net->can_spin = cor_cpu_count(&allowed) > 1 && config.spin_us > 0;
    net->can_sleep_on_futex = config.futex_ms > 0 && cor_futex_can_wait_as_call();
    cor_net_name_sweep();
    *net_p = net;
    return COR_OK;
}

static void net_conn_unmap(cor_conn *conn)
{
    char *far = atomic_load_explicit(&conn->far_map, memory_order_relaxed);
    if (far)
        munmap(far, net_all_bytes(conn->ring_bytes, conn->far_bytes));
    if (conn->segment)
        munmap(conn->segment, net_near_bytes(conn->ring_bytes));
    atomic_fetch_sub_explicit(&conn->net->maps, (far != NULL) + (conn->segment != NULL), memory_order_relaxed);
    atomic_store_explicit(&conn->far_map, NULL, memory_order_relaxed);
    conn->segment = NULL;
}

void cor_net_destroy(cor_net *net)
{
    net_announce_end(net);
    for (cor_conn *conn = net->conns; conn; conn = conn->next)
        if (atomic_load_explicit(&conn->refs, memory_order_relaxed) > 0)
            net_offer_close(conn);
    while (net->conns) {
        cor_conn *next = net->conns->next;
        net_conn_unmap(net->conns);
        free(net->conns);
        net->conns = next;
    }
    while (net->slabs) {
        net_slab *next = net->slabs->next;
        munmap(net->slabs->locals, NET_SLAB_LOCALS * sizeof(net_local));
        free(net->slabs);
        net->slabs = next;
    }
    munmap(net->spaces, sizeof *net->spaces);
    free(net);
}

void cor_net_stop(cor_net *net, const char *reason)
{
    if (atomic_exchange_explicit(&net->is_stopped, 1, memory_order_relaxed))
        return;
    cor_net_log_write(&net->log, COR_LOG_INFO, ": no new connection goes through shared memory: %s", reason);
    cor_lock_acquire(&net->lock);
    net_announce_end(net);
    cor_lock_release(&net->lock);
}

int cor_net_is_stopped(const cor_net *net)
{
    return atomic_load_explicit(&net->is_stopped, memory_order_relaxed);
}

int cor_net_publish(cor_net *net)
{
    int low = memfd_create(COR_NET_COUNTERS_NAME, MFD_CLOEXEC);
    int fd = low < 0 ? -1 : net_sys_fcntl(low, F_DUPFD_CLOEXEC, cor_net_own_base());
    if (low >= 0)
        net_sys_close(low);
    if (fd < 0)
        return -1;
    void *page = cor_segment_size(fd, sizeof(cor_net_counters), 1) == 0
                     ? mmap(NULL, sizeof(cor_net_counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
    if (page == MAP_FAILED) {
        net_sys_close(fd);
        return -1;
    }
    net->counters = page;
    net->counters->magic = COR_NET_COUNTERS_MAGIC;
    net->counters->pid = (int64_t)net->process;
    return fd;
}

void cor_net_leave(cor_net *net)
{
    cor_net_stop(net, "the process ends");
    cor_lock_acquire(&net->lock);
    for (cor_conn *conn = net->conns; conn; conn = conn->next)
        if (cor_conn_ref(conn)) {
            net_offer_close(conn);
            cor_conn_unref(conn);
        }
    cor_lock_release(&net->lock);
}

cor_net_counters *cor_net_get_counters(cor_net *net)
{
    return net->counters;
}

/* The lower of two descriptors, of which either may be none or below `from`. */
static int net_lower(int lowest, int fd, int from)
{
    return fd >= from && (lowest < 0 || fd < lowest) ? fd : lowest;
}

int cor_net_next_own(cor_net *net, int from)
{
    int lowest = -1;
    cor_lock_acquire(&net->lock);
    for (const net_announced *one = net->announced; one; one = one->next)
        lowest = net_lower(lowest, one->fd, from);
    for (cor_conn *conn = net->offers; conn; conn = conn->next_offer)
        if (atomic_load_explicit(&conn->refs, memory_order_relaxed) > 0)
            lowest = net_lower(lowest, atomic_load_explicit(&conn->offer_fd, memory_order_relaxed), from);
    int kept = atomic_load_explicit(&net->kept, memory_order_relaxed);
    for (cor_conn *conn = kept > 0 ? net->conns : NULL; conn; conn = conn->next)
        if (atomic_load_explicit(&conn->refs, memory_order_relaxed) > 0)
            lowest = net_lower(lowest, atomic_load_explicit(&conn->kept_fd, memory_order_relaxed), from);
    cor_lock_release(&net->lock);
    return lowest;
}

const cor_net_config *cor_net_get_config(const cor_net *net)
{
    return &net->config;
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

uint64_t cor_net_before_fork(cor_net *net)
{
    cor_lock_acquire(&net->lock);
    net->forks++;
    for (cor_conn *conn = net->conns; conn; conn = conn->next)
        if (atomic_load_explicit(&conn->refs, memory_order_relaxed) > 0) {
            atomic_fetch_add_explicit(&conn->local->users, 1, memory_order_relaxed);
            net_watch_twice(conn);
            conn->forked = net->forks;
        }
    return net->forks;
}

void cor_net_fork_failed(cor_net *net, uint64_t number)
{
    cor_lock_acquire(&net->lock);
    for (cor_conn *conn = net->conns; conn; conn = conn->next) {
        if (conn->forked != number) /* new, or counted by a fork of another thread since: then it stays so */
            continue;
        conn->forked = 0;
        if (!cor_conn_ref(conn)) /* it has ended meanwhile; its place goes with the slab */
            continue;
        net_watch_once(conn);
        atomic_fetch_sub_explicit(&conn->local->users, 1, memory_order_release);
        cor_conn_unref(conn);
    }
    cor_lock_release(&net->lock);
}

/* In the child: the calls of other threads are the parent's. */
static void net_leave_calls(cor_net *net)
{
    for (cor_conn *conn = net->conns; conn; conn = conn->next) {
        int held = atomic_load_explicit(&conn->held, memory_order_relaxed);
        int is_closed = atomic_load_explicit(&conn->kept_fd, memory_order_relaxed) != NET_OWN_FD;
        if (atomic_load_explicit(&conn->refs, memory_order_relaxed) <= held || (held == 0 && !is_closed))
            continue;
        atomic_store_explicit(&conn->refs, held > 0 ? held : 1, memory_order_relaxed);
        if (held == 0) /* its descriptors were closed before */
            cor_conn_unref(conn);
    }
}

void cor_net_after_fork(cor_net *net, int is_child)
{
    if (is_child) {
        net_set_process(net);
        /* Free places of the parent's memory are the parent's. */
        net->slabs = NULL;
        net->own_counters = (cor_net_counters){0};
        net->counters = &net->own_counters;
        net_leave_calls(net);
        for (cor_conn *conn = net->conns; conn; conn = conn->next)
            net_young_forked(conn);
    }
    cor_lock_release(&net->lock);
}

/* ---- connections ------------------------------------------------------------------------------------------------ */

/* A forked process that ends gives its places back to no other: they go with the whole slab, once no connection of this
 * process is in it. Processes that still use it keep its memory. Under the lock. */
static void net_slabs_free(cor_net *net)
{
    for (net_slab **place = &net->slabs; *place;) {
        net_slab *slab = *place;
        /* acquire: a connection that is gone has let its place go. */
        if (atomic_load_explicit(&slab->conns, memory_order_acquire) > 0) {
            place = &slab->next;
            continue;
        }
        *place = slab->next;
        munmap(slab->locals, NET_SLAB_LOCALS * sizeof(net_local));
        free(slab);
    }
}

static net_slab *net_slab_new(cor_net *net)
{
    net_slab *slab = malloc(sizeof *slab);
    void *memory = slab ? mmap(NULL, NET_SLAB_LOCALS * sizeof(net_local), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                        : MAP_FAILED;
    if (memory == MAP_FAILED) {
        free(slab);
        return NULL;
    }
    *slab = (net_slab){.next = net->slabs, .locals = memory};
    net->slabs = slab;
    return slab;
}

/* A place that forked processes will share. Under the lock. */
static net_local *net_local_new(cor_net *net, net_slab **slab_p)
{
    for (net_slab *slab = net->slabs; slab; slab = slab->next) {
        if (atomic_load_explicit(&slab->conns, memory_order_relaxed) == NET_SLAB_LOCALS)
            continue;
        *slab_p = slab;
        for (int i = 0; i < NET_SLAB_LOCALS; i++)
            /* acquire: what the last user stored is behind us. */
            if (atomic_load_explicit(&slab->locals[i].users, memory_order_acquire) == 0)
                return &slab->locals[i];
    }
    net_slabs_free(net);
    *slab_p = net_slab_new(net);
    return *slab_p ? (*slab_p)->locals : NULL;
}

/* Under the lock, so that no other thread takes one meanwhile. */
static cor_conn *net_conn_unused(cor_net *net)
{
    /* acquire: the last user has done with it. */
    cor_conn *conn = atomic_load_explicit(&net->free_conns, memory_order_acquire);
    while (conn && !atomic_compare_exchange_weak_explicit(&net->free_conns, &conn, conn->next_free,
                                                          memory_order_acquire, memory_order_acquire))
        ;
    if (conn)
        return conn;
    conn = calloc(1, sizeof *conn);
    if (conn) {
        conn->net = net;
        conn->next = net->conns;
        net->conns = conn;
    }
    return conn;
}

static void net_conn_give_back(cor_conn *conn)
{
    _Atomic(cor_conn *) *first = &conn->net->free_conns;
    conn->next_free = atomic_load_explicit(first, memory_order_relaxed);
    /* release: the other side of net_conn_unused. */
    while (!atomic_compare_exchange_weak_explicit(first, &conn->next_free, conn, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

cor_conn *net_conn_new(cor_net *net, int side)
{
    cor_lock_acquire(&net->lock);
    cor_conn *conn = net_conn_unused(net);
    net_slab *slab = NULL;
    net_local *local = conn ? net_local_new(net, &slab) : NULL;
    if (local) {
        memset(local, 0, sizeof *local);
        atomic_store_explicit(&local->users, 1, memory_order_relaxed);
        atomic_store_explicit(&local->spin_score, 8, memory_order_relaxed);
        atomic_store_explicit(&local->write_score, 8, memory_order_relaxed);
        atomic_fetch_add_explicit(&slab->conns, 1, memory_order_relaxed);
        conn->side = side;
        conn->local = local;
        conn->slab = slab;
        conn->segment = NULL;
        atomic_store_explicit(&conn->far_map, NULL, memory_order_relaxed);
        atomic_store_explicit(&conn->has_no_far, 0, memory_order_relaxed);
        conn->path[0] = '\0';
        atomic_store_explicit(&conn->is_young, 1, memory_order_relaxed);
        atomic_store_explicit(&conn->gate, 0, memory_order_relaxed);
        atomic_store_explicit(&conn->is_tagged, 0, memory_order_relaxed);
        atomic_store_explicit(&conn->has_looked, 0, memory_order_relaxed);
        atomic_store_explicit(&conn->due, (uint64_t)net->config.turns, memory_order_relaxed);
        atomic_store_explicit(&conn->offer_fd, -1, memory_order_relaxed);
        atomic_store_explicit(&conn->looked_ns, 0, memory_order_relaxed);
        conn->watches = 0;
        conn->forked = 0;
        atomic_store_explicit(&conn->held, 0, memory_order_relaxed);
        atomic_store_explicit(&conn->kept_fd, NET_OWN_FD, memory_order_relaxed);
        /* release: a thread that takes a reference sees the above. */
        atomic_store_explicit(&conn->refs, 1, memory_order_release);
    } else if (conn) {
        net_conn_give_back(conn);
    }
    cor_lock_release(&net->lock);
    return local ? conn : NULL;
}

void net_conn_map(cor_conn *conn, cor_net_segment *segment)
{
    atomic_fetch_add_explicit(&conn->net->maps, 1, memory_order_relaxed);
    conn->segment = segment;
    conn->in = &segment->dirs[conn->side == NET_CLIENT];
    conn->out = &segment->dirs[conn->side == NET_SERVER];
    /* release: the other side of net_is_young. */
    atomic_store_explicit(&conn->is_young, 0, memory_order_release);
}

cor_conn *cor_conn_connecting(cor_net *net, const struct sockaddr *to, socklen_t length)
{
    int is_ip = (to->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
                (to->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6));
    cor_net_why why = cor_net_is_stopped(net) ? COR_NET_WHY_STOPPED : COR_NET_WHY_SERVER;
    if (is_ip && why != COR_NET_WHY_STOPPED && net_is_announced(net, to))
        return net_conn_new(net, NET_CLIENT);
    if (is_ip)
        net_count_plain(net, why);
    return NULL;
}

cor_conn *cor_conn_accepted(cor_net *net)
{
    if (!cor_net_is_stopped(net))
        return net_conn_new(net, NET_SERVER);
    net_count_plain(net, COR_NET_WHY_STOPPED);
    return NULL;
}

void cor_net_on_move(cor_net *net, cor_net_move_fn fn)
{
    net->on_move = fn;
}

void cor_conn_set_tagged(cor_conn *conn)
{
    atomic_store(&conn->is_tagged, 1);
}

int cor_conn_is_tagged(const cor_conn *conn)
{
    return atomic_load(&conn->is_tagged) || !net_is_young(conn);
}

int cor_conn_ref(cor_conn *conn)
{
    int refs = atomic_load_explicit(&conn->refs, memory_order_relaxed);
    /* acquire: as in net_conn_new. seq_cst: as in closing_calls. */
    while (refs > 0)
        if (atomic_compare_exchange_weak_explicit(&conn->refs, &refs, refs + 1, memory_order_seq_cst,
                                                  memory_order_relaxed))
            return 1;
    return 0;
}

/* The last reference is given up: the object is in use until refs is 0, which makes it free for the next connection. */
static void net_conn_free(cor_conn *conn)
{
    int saved = errno;
    if (net_is_young(conn) && !net_load(&conn->local->is_plain))
        net_count_plain(conn->net, atomic_load_explicit(&conn->has_looked, memory_order_relaxed) ? COR_NET_WHY_CLIENT
                                                                                                 : COR_NET_WHY_YOUNG);
    net_offer_close(conn);
    net_conn_unmap(conn);
    int kept = atomic_load_explicit(&conn->kept_fd, memory_order_relaxed);
    if (kept >= 0) {
        net_back_flush(conn, kept, NET_BACK_CLOSE_MS, 1);
        atomic_fetch_sub_explicit(&conn->net->kept, 1, memory_order_relaxed);
        net_sys_close(kept);
    }
    NET_COUNT(conn, closed, 1);
    atomic_fetch_sub_explicit(&conn->local->users, 1, memory_order_release);
    /* release: the other side of net_slabs_free. */
    atomic_fetch_sub_explicit(&conn->slab->conns, 1, memory_order_release);
    atomic_store_explicit(&conn->refs, 0, memory_order_release);
    net_conn_give_back(conn);
    errno = saved;
}

void cor_conn_hold(cor_conn *conn, int is_on)
{
    atomic_fetch_add_explicit(&conn->held, is_on ? 1 : -1, memory_order_relaxed);
}

void cor_conn_unref(cor_conn *conn)
{
    int refs = atomic_load_explicit(&conn->refs, memory_order_relaxed);
    for (;;) {
        /* The last one goes by way of -1, which no thread can take a reference from. */
        int next = refs == 1 ? -1 : refs - 1;
        if (atomic_compare_exchange_weak_explicit(&conn->refs, &refs, next, memory_order_acq_rel,
                                                  memory_order_relaxed))
            break;
    }
    if (refs == 1)
        net_conn_free(conn);
}
