/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll: the rings cannot be in the kernel's sets, but the descriptors are.
 *
 * A fast member is registered with the kernel edge-triggered, with a tag and its descriptor instead of the program's data:
 * a bell, the end, and the end of connect() make one event each. Levels, edges and one-shots of the program are made here
 * from what the rings say.
 *
 * A member is hot while it has been busy lately: it is looked at in every wait, armed before the wait sleeps, and disarmed
 * when it wakes, so that one bell is enough for all. After some sleeps with nothing to report it becomes cold: it stays
 * armed, and costs nothing until its bell. So a set of thousands of idle connections is as cheap as the kernel's, and one
 * that is busy makes no system call.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/cpu.h"
#include "base/lock.h"
#include "net/preload/sock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The upper half of the data of a fast member: no pointer, and no small number. */
#define EPOLL_TAG 0xc0c5a5e7ull

enum {
    EPOLL_KERNEL = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
    EPOLL_CHUNKS = 1024,
    EPOLL_CHUNK = 1024,
    EPOLL_PLAIN_ROUNDS = 8, /* the kernel is asked in every so many waits that found something in memory */
    EPOLL_SPINS_A_LOOK = 16,
    EPOLL_QUIET_SLEEPS = 4, /* then a member becomes cold */
};

typedef struct epoll_member {
    int fd;
    uint32_t events;
    epoll_data_t data;
    cor_conn *conn; /* NULL: plain; with a reference */
    int hot_at;     /* place among the hot; -1: cold */
    int is_off;     /* a one-shot that was reported */
    int has_edge;   /* the kernel reported it since */
    int is_armed;
    int quiet_sleeps; /* since it was last reported */
    int in_told, out_told;
    uint64_t arrivals; /* when it was last reported */
    uint32_t refusals;
} epoll_member;

typedef struct sock_epoll {
    struct sock_epoll *next; /* of all; never freed */
    cor_lock lock;
    int fd;                 /* -1: closed, for use by another */
    epoll_member **members; /* by descriptor */
    int room;
    epoll_member **hot;
    int hot_count, hot_room, hot_from;
    int fast_count;
    unsigned rounds;
    _Atomic int sleepers;
} sock_epoll;

typedef _Atomic(sock_epoll *) epoll_entry;

static struct {
    cor_lock lock;
    sock_epoll *all;
    _Atomic(epoll_entry *) chunks[EPOLL_CHUNKS];
} epoll_process;

/* ---- sets ------------------------------------------------------------------------------------------------------- */

static sock_epoll *epoll_find(int fd)
{
    if ((unsigned)fd >= EPOLL_CHUNKS * EPOLL_CHUNK)
        return NULL;
    epoll_entry *chunk = atomic_load_explicit(&epoll_process.chunks[fd / EPOLL_CHUNK], memory_order_acquire);
    return chunk ? atomic_load_explicit(&chunk[fd % EPOLL_CHUNK], memory_order_acquire) : NULL;
}

static sock_epoll *epoll_unused(void)
{
    for (sock_epoll *set = epoll_process.all; set; set = set->next)
        if (set->fd < 0)
            return set;
    sock_epoll *set = calloc(1, sizeof *set);
    if (set) {
        set->next = epoll_process.all;
        epoll_process.all = set;
    }
    return set;
}

static sock_epoll *epoll_find_or_make(int fd)
{
    sock_epoll *set = epoll_find(fd);
    if (set || (unsigned)fd >= EPOLL_CHUNKS * EPOLL_CHUNK)
        return set;
    cor_lock_acquire(&epoll_process.lock);
    epoll_entry *chunk = atomic_load_explicit(&epoll_process.chunks[fd / EPOLL_CHUNK], memory_order_acquire);
    if (!chunk) {
        void *memory =
            mmap(NULL, EPOLL_CHUNK * sizeof(epoll_entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        chunk = memory == MAP_FAILED ? NULL : memory;
        atomic_store_explicit(&epoll_process.chunks[fd / EPOLL_CHUNK], chunk, memory_order_release);
    }
    set = chunk ? atomic_load_explicit(&chunk[fd % EPOLL_CHUNK], memory_order_acquire) : NULL;
    if (chunk && !set && (set = epoll_unused()) != NULL) {
        set->fd = fd;
        atomic_store_explicit(&chunk[fd % EPOLL_CHUNK], set, memory_order_release);
    }
    cor_lock_release(&epoll_process.lock);
    return set;
}

/* ---- members, under the set's lock ------------------------------------------------------------------------------ */

static epoll_member *epoll_member_find(const sock_epoll *set, int fd)
{
    return fd >= 0 && fd < set->room ? set->members[fd] : NULL;
}

static void epoll_heat(sock_epoll *set, epoll_member *member)
{
    if (member->hot_at >= 0 || !member->conn)
        return;
    if (set->hot_count == set->hot_room) {
        int room = set->hot_room ? 2 * set->hot_room : 16;
        epoll_member **more = realloc(set->hot, (size_t)room * sizeof *more);
        if (!more)
            return;
        set->hot = more;
        set->hot_room = room;
    }
    member->hot_at = set->hot_count;
    member->quiet_sleeps = 0;
    set->hot[set->hot_count++] = member;
}

static void epoll_cool(sock_epoll *set, epoll_member *member)
{
    if (member->hot_at < 0)
        return;
    epoll_member *last = set->hot[--set->hot_count];
    set->hot[member->hot_at] = last;
    last->hot_at = member->hot_at;
    member->hot_at = -1;
}

static void epoll_make_plain(sock_epoll *set, epoll_member *member)
{
    if (!member->conn)
        return;
    epoll_cool(set, member);
    cor_conn_unref(member->conn);
    member->conn = NULL;
    set->fast_count--;
}

static void epoll_make_fast(sock_epoll *set, epoll_member *member, cor_conn *conn)
{
    if (member->conn || !cor_conn_ref(conn))
        return;
    member->conn = conn;
    set->fast_count++;
    epoll_heat(set, member);
}

static epoll_member *epoll_member_make(sock_epoll *set, int fd)
{
    if (fd >= set->room) {
        int room = set->room ? set->room : 64;
        while (room <= fd)
            room *= 2;
        epoll_member **more = realloc(set->members, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + set->room, 0, (size_t)(room - set->room) * sizeof *more);
        set->members = more;
        set->room = room;
    }
    if (!set->members[fd] && (set->members[fd] = calloc(1, sizeof(epoll_member))) != NULL) {
        set->members[fd]->fd = fd;
        set->members[fd]->hot_at = -1;
    }
    return set->members[fd];
}

static void epoll_member_remove(sock_epoll *set, epoll_member *member)
{
    if (!member)
        return;
    epoll_make_plain(set, member);
    set->members[member->fd] = NULL;
    free(member);
}

static void epoll_renew(epoll_member *member, const struct epoll_event *event)
{
    member->events = event->events;
    member->data = event->data;
    member->is_off = member->in_told = member->out_told = 0;
}

static struct epoll_event epoll_tagged(int fd)
{
    return (struct epoll_event){.events = EPOLL_KERNEL, .data.u64 = EPOLL_TAG << 32 | (uint32_t)fd};
}

/* ---- what happens to descriptors -------------------------------------------------------------------------------- */

static void epoll_each(int fd, void (*each)(sock_epoll *set, epoll_member *member, cor_conn *conn), cor_conn *conn)
{
    if (!epoll_process.all)
        return;
    cor_lock_acquire(&epoll_process.lock);
    for (sock_epoll *set = epoll_process.all; set; set = set->next) {
        cor_lock_acquire(&set->lock);
        epoll_member *member = set->fd >= 0 ? epoll_member_find(set, fd) : NULL;
        if (member)
            each(set, member, conn);
        cor_lock_release(&set->lock);
    }
    cor_lock_release(&epoll_process.lock);
}

static void epoll_upgrade(sock_epoll *set, epoll_member *member, cor_conn *conn)
{
    struct epoll_event event = epoll_tagged(member->fd);
    if (sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, member->fd, &event) == 0)
        epoll_make_fast(set, member, conn);
    else
        epoll_member_remove(set, member); /* of an earlier descriptor of this number */
}

void sock_epoll_upgrade(int fd, cor_conn *conn)
{
    int saved = errno;
    epoll_each(fd, epoll_upgrade, conn);
    errno = saved;
}

static void epoll_downgrade(sock_epoll *set, epoll_member *member, cor_conn *conn)
{
    (void)conn;
    struct epoll_event event = {.events = member->is_off ? EPOLLONESHOT : member->events, .data = member->data};
    if (!member->conn)
        return;
    epoll_make_plain(set, member);
    sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, member->fd, &event);
}

void sock_epoll_downgrade(int fd)
{
    int saved = errno;
    epoll_each(fd, epoll_downgrade, NULL);
    errno = saved;
}

static void epoll_forget(sock_epoll *set, epoll_member *member, cor_conn *conn)
{
    (void)conn;
    epoll_member_remove(set, member);
}

void sock_epoll_forget(int fd)
{
    epoll_each(fd, epoll_forget, NULL);
    sock_epoll *set = epoll_find(fd);
    if (!set)
        return;
    cor_lock_acquire(&epoll_process.lock);
    cor_lock_acquire(&set->lock);
    for (int i = 0; i < set->room; i++)
        epoll_member_remove(set, set->members[i]);
    set->fd = -1;
    cor_lock_release(&set->lock);
    epoll_entry *chunk = atomic_load_explicit(&epoll_process.chunks[fd / EPOLL_CHUNK], memory_order_acquire);
    atomic_store_explicit(&chunk[fd % EPOLL_CHUNK], NULL, memory_order_release);
    cor_lock_release(&epoll_process.lock);
}

void sock_epoll_before_fork(void)
{
    cor_lock_acquire(&epoll_process.lock);
    for (sock_epoll *set = epoll_process.all; set; set = set->next)
        cor_lock_acquire(&set->lock);
}

void sock_epoll_after_fork(void)
{
    for (sock_epoll *set = epoll_process.all; set; set = set->next)
        cor_lock_release(&set->lock);
    cor_lock_release(&epoll_process.lock);
}

/* ---- epoll_ctl -------------------------------------------------------------------------------------------------- */

static int epoll_add(sock_epoll *set, int fd, const struct epoll_event *event, cor_conn *conn)
{
    struct epoll_event own = conn ? epoll_tagged(fd) : *event;
    int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_ADD, fd, &own);
    if (rc != 0)
        return rc;
    epoll_member_remove(set, epoll_member_find(set, fd)); /* of an earlier descriptor of this number */
    epoll_member *member = epoll_member_make(set, fd);
    if (member) {
        epoll_renew(member, event);
        if (conn)
            epoll_make_fast(set, member, conn);
    }
    return 0;
}

static int epoll_modify(sock_epoll *set, int fd, const struct epoll_event *event)
{
    epoll_member *member = epoll_member_find(set, fd);
    struct epoll_event own = *event;
    if (!member || !member->conn) {
        int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &own);
        if (rc == 0 && member)
            epoll_renew(member, event);
        return rc;
    }
    epoll_renew(member, event);
    member->has_edge = 1;
    epoll_heat(set, member);
    /* A thread that sleeps must look anew: this makes an event, since the socket is writable. */
    own = epoll_tagged(fd);
    return atomic_load(&set->sleepers) > 0 ? sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &own) : 0;
}

SOCK_EXPORT int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    sock_epoll *set = event || op == EPOLL_CTL_DEL ? epoll_find_or_make(epfd) : NULL;
    if (!set)
        return sock_real()->epoll_ctl(epfd, op, fd, event);
    cor_conn *conn = sock_get(fd);
    int rc;
    if (conn)
        cor_conn_ready(conn, fd, 0); /* a server attaches now, if it has not yet */
    cor_lock_acquire(&set->lock);
    if (op == EPOLL_CTL_ADD) {
        rc = epoll_add(set, fd, event, conn && !cor_conn_is_plain(conn) ? conn : NULL);
    } else if (op == EPOLL_CTL_MOD) {
        rc = epoll_modify(set, fd, event);
    } else {
        rc = sock_real()->epoll_ctl(epfd, op, fd, event);
        if (rc == 0 && op == EPOLL_CTL_DEL)
            epoll_member_remove(set, epoll_member_find(set, fd));
    }
    cor_lock_release(&set->lock);
    if (conn)
        cor_conn_unref(conn);
    return rc;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/* POLLIN and EPOLLIN and their kin have the same values on Linux. */
static uint32_t epoll_wanted(const epoll_member *member)
{
    return member->events & (EPOLLIN | EPOLLRDHUP) ? (member->events & EPOLLOUT) | EPOLLIN : member->events & EPOLLOUT;
}

static int epoll_has_new_bytes(const epoll_member *member)
{
    return !member->in_told || member->arrivals != cor_conn_arrivals(member->conn);
}

static int epoll_has_new_room(const epoll_member *member)
{
    return !member->out_told || member->refusals != cor_conn_refusals(member->conn);
}

/* What to report of a member; remembers that it was. */
static uint32_t epoll_report(epoll_member *member)
{
    uint64_t arrivals = cor_conn_arrivals(member->conn);
    uint32_t refusals = cor_conn_refusals(member->conn);
    uint32_t ready = cor_conn_ready(member->conn, member->fd, 0) & (member->events | EPOLLERR | EPOLLHUP);
    /* A connection that has switched tells its edges by counts; before that the kernel does. */
    int has_edge = member->has_edge && !cor_conn_is_switched(member->conn);
    if ((member->events & EPOLLET) && !has_edge) {
        if (!epoll_has_new_bytes(member))
            ready &= ~(uint32_t)(EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP);
        if (!epoll_has_new_room(member))
            ready &= ~(uint32_t)EPOLLOUT;
    }
    member->has_edge = 0;
    if (ready & (EPOLLIN | EPOLLRDHUP)) {
        member->in_told = 1;
        member->arrivals = arrivals;
    }
    if (ready & EPOLLOUT) {
        member->out_told = 1;
        member->refusals = refusals;
    }
    if (ready)
        member->quiet_sleeps = 0;
    if (ready && (member->events & EPOLLONESHOT))
        member->is_off = 1;
    return ready;
}

static int epoll_look(sock_epoll *set, struct epoll_event *events, int room)
{
    int found = 0;
    cor_lock_acquire(&set->lock);
    int from = set->hot_from++;
    for (int i = 0; i < set->hot_count && found < room; i++) {
        epoll_member *member = set->hot[(unsigned)(from + i) % (unsigned)set->hot_count];
        if (member->is_off)
            continue;
        if (cor_conn_is_plain(member->conn)) {
            epoll_downgrade(set, member, NULL);
            i--;
            continue;
        }
        uint32_t ready = epoll_report(member);
        if (ready)
            events[found++] = (struct epoll_event){.events = ready, .data = member->data};
    }
    cor_lock_release(&set->lock);
    return found;
}

/* Before the kernel's wait. 0: something is there. */
static int epoll_arm(sock_epoll *set, int *limit_ms)
{
    int is_quiet = 1;
    cor_lock_acquire(&set->lock);
    for (int i = set->hot_count - 1; i >= 0; i--) {
        epoll_member *member = set->hot[i];
        uint32_t wanted = epoll_wanted(member);
        int tick = -1;
        int is_armed = member->is_off || cor_conn_arm(member->conn, wanted, &tick);
        if (!is_armed && (member->events & EPOLLET)) {
            uint32_t ready = cor_conn_ready(member->conn, member->fd, 0) & wanted;
            is_armed = !((ready & EPOLLIN) && epoll_has_new_bytes(member)) &&
                       !((ready & EPOLLOUT) && epoll_has_new_room(member));
        }
        member->is_armed = 1;
        if (!is_armed)
            is_quiet = 0;
        else if (tick < 0 && (member->is_off || ++member->quiet_sleeps > EPOLL_QUIET_SLEEPS))
            epoll_cool(set, member);
        if (tick >= 0 && !member->is_off && (*limit_ms < 0 || tick < *limit_ms)) {
            cor_conn_ready(member->conn, member->fd, 1); /* is the peer still there? */
            *limit_ms = tick;
        }
    }
    if (is_quiet)
        atomic_fetch_add(&set->sleepers, 1);
    cor_lock_release(&set->lock);
    return is_quiet;
}

/* After the kernel's wait, and under the lock. */
static void epoll_disarm(sock_epoll *set)
{
    for (int i = 0; i < set->hot_count; i++)
        if (set->hot[i]->is_armed) {
            set->hot[i]->is_armed = 0;
            cor_conn_disarm(set->hot[i]->conn);
        }
}

static int epoll_spin(sock_epoll *set)
{
    int has_paid = 0;
    cor_lock_acquire(&set->lock);
    cor_conn *first = set->hot_count > 0 ? set->hot[0]->conn : NULL;
    if (!first || !cor_conn_may_spin(first) || !cor_conn_ref(first)) {
        cor_lock_release(&set->lock);
        return 0;
    }
    uint64_t limit = cor_clock_ns() + (uint64_t)cor_net_get_config(sock_net_if_any())->spin_us * 1000;
    for (uint32_t round = 1; !has_paid && !cor_lock_is_wanted(&set->lock); round++) {
        for (int i = 0; i < set->hot_count && !has_paid; i++)
            has_paid = !set->hot[i]->is_off && (set->hot[i]->events & EPOLLIN) &&
                       cor_conn_has_bytes(set->hot[i]->conn) && epoll_has_new_bytes(set->hot[i]);
        cor_cpu_relax();
        if (round % EPOLL_SPINS_A_LOOK == 0 && cor_clock_ns() > limit)
            break;
    }
    cor_lock_release(&set->lock);
    cor_conn_spun(first, has_paid);
    cor_conn_unref(first);
    return has_paid;
}

/* Events of the kernel: those of plain members stay, fast ones become hot. Returns how many stay. */
static int epoll_sort(sock_epoll *set, struct epoll_event *events, int count)
{
    int kept = 0;
    cor_lock_acquire(&set->lock);
    if (atomic_load(&set->sleepers) <= 1) /* else another thread still waits for bells */
        epoll_disarm(set);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 >> 32 != EPOLL_TAG) {
            events[kept++] = events[i];
            continue;
        }
        epoll_member *member = epoll_member_find(set, (int)(uint32_t)events[i].data.u64);
        if (!member || !member->conn)
            continue;
        if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            cor_conn_take_bells(member->conn, member->fd, events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
        member->has_edge = 1;
        epoll_heat(set, member);
    }
    cor_lock_release(&set->lock);
    return kept;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static int epoll_kernel(sock_epoll *set, int epfd, struct epoll_event *events, int room, int timeout_ms,
                        const sigset_t *mask)
{
    int count = sock_real()->epoll_pwait(epfd, events, room, timeout_ms, mask);
    return count > 0 ? epoll_sort(set, events, count) : count;
}

/* This thread goes to work while another sleeps, which must be woken by what comes meanwhile: bells for all, and an event
 * for what is there and was not reported. */
static void epoll_pass_on(sock_epoll *set)
{
    if (atomic_load(&set->sleepers) == 0)
        return;
    cor_lock_acquire(&set->lock);
    for (int i = 0; i < set->hot_count; i++) {
        epoll_member *member = set->hot[i];
        member->is_armed = 1;
        if (member->is_off || cor_conn_arm(member->conn, epoll_wanted(member), NULL) || !epoll_has_new_bytes(member))
            continue;
        struct epoll_event event = epoll_tagged(member->fd); /* the socket is writable: that makes an event */
        sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, member->fd, &event);
    }
    cor_lock_release(&set->lock);
}

static int epoll_wait_fast(sock_epoll *set, int epfd, struct epoll_event *events, int room, int timeout_ms,
                           const sigset_t *mask)
{
    uint64_t begin = timeout_ms > 0 ? cor_clock_ns() : 0;
    for (int is_first = 1;; is_first = 0) {
        int found = epoll_look(set, events, room);
        if (found > 0) {
            if (found < room && ++set->rounds % EPOLL_PLAIN_ROUNDS == 0) {
                int more = epoll_kernel(set, epfd, events + found, room - found, 0, NULL);
                found += more > 0 ? more : 0;
            }
            epoll_pass_on(set);
            return found;
        }
        int left = timeout_ms;
        if (timeout_ms > 0) {
            int64_t passed = (int64_t)((cor_clock_ns() - begin) / 1000000);
            left = passed >= timeout_ms ? 0 : timeout_ms - (int)passed;
        }
        if (is_first && left != 0 && epoll_spin(set))
            continue;
        int limit_ms = -1;
        if (left != 0 && !epoll_arm(set, &limit_ms))
            continue;
        int sleep_ms = limit_ms >= 0 && (left < 0 || limit_ms < left) ? limit_ms : left;
        int kept = epoll_kernel(set, epfd, events, room, sleep_ms, mask);
        if (left != 0)
            atomic_fetch_sub(&set->sleepers, 1);
        if (kept < 0)
            return -1;
        found = kept < room ? epoll_look(set, events + kept, room - kept) : 0;
        if (kept + found > 0 || left == 0) {
            epoll_pass_on(set);
            return kept + found;
        }
    }
}

SOCK_EXPORT int epoll_pwait(int epfd, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask)
{
    sock_epoll *set = events && room > 0 ? epoll_find_or_make(epfd) : NULL;
    if (!set)
        return sock_real()->epoll_pwait(epfd, events, room, timeout_ms, mask);
    return epoll_wait_fast(set, epfd, events, room, timeout_ms, mask);
}

SOCK_EXPORT int epoll_wait(int epfd, struct epoll_event *events, int room, int timeout_ms)
{
    return epoll_pwait(epfd, events, room, timeout_ms, NULL);
}

SOCK_EXPORT int epoll_pwait2(int epfd, struct epoll_event *events, int room, const struct timespec *timeout,
                             const sigset_t *mask)
{
    int timeout_ms = -1;
    if (timeout)
        timeout_ms = timeout->tv_sec > 1000000 ? 1000000000
                                               : (int)(timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000);
    return epoll_pwait(epfd, events, room, timeout_ms, mask);
}

int sock_epoll_is_ready(int fd)
{
    int limit_ms = -1;
    sock_epoll *set = epoll_find(fd);
    if (!set || set->fast_count == 0)
        return 0;
    if (!epoll_arm(set, &limit_ms))
        return 1;
    atomic_fetch_sub(&set->sleepers, 1);
    return 0;
}
