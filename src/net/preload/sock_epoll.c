/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll: the rings cannot be in the kernel's sets, but the descriptors are.
 *
 * A young connection is a plain member, until it is about to move: then it is tagged. One-shots and exclusive members
 * are tagged at once, since the kernel does not tell what became of them.
 *
 * A fast member is registered with the kernel edge-triggered, with a tag and its descriptor instead of the program's
 * data: a bell, the end, and the end of connect() make one event each. Levels, edges and one-shots of the program are
 * made here from what the rings say.
 *
 * A member is hot while it has been busy lately: it is looked at in every wait, armed before the wait sleeps, and
 * disarmed when it wakes, so that one bell is enough for all. After some sleeps with nothing to report it becomes cold:
 * it stays armed, and costs nothing until its bell. So a set of thousands of idle connections is as cheap as the
 * kernel's, and one that is busy makes no system call.
 */
#define _GNU_SOURCE
#include "net/preload/sock_epoll.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    EPOLL_KERNEL = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET,
    EPOLL_CHUNKS = 1024,
    EPOLL_CHUNK = 1024,
    EPOLL_TRIES = 1000, /* of a handler, each of which lets the owner run */
};

/* What a descriptor is to epoll. Written under the lock of the process. */
typedef struct epoll_entry {
    _Atomic(sock_epoll *) set; /* it is one of the descriptors of this set */
    _Atomic int members;       /* of so many sets it is a member */
} epoll_entry;

static struct {
    sock_epoll_lock lock;
    sock_epoll *all;
    _Atomic(epoll_entry *) chunks[EPOLL_CHUNKS];
} epoll_process;

_Thread_local sock_epoll_locks sock_epoll_mine;

static int epoll_try(sock_epoll_lock *lock)
{
    uint32_t expected = 0;
    sock_epoll_note(lock);
    /* As in cor_lock_acquire: these locks have no bias. */
    if (atomic_compare_exchange_strong_explicit(&lock->lock.state, &expected, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return 1;
    sock_epoll_mine.count--;
    return 0;
}

/* Has this thread such a lock, and is this a handler that has interrupted it? */
static int epoll_is_inside(void)
{
    return sock_epoll_mine.count > 0;
}

/* As acquire, but not for ever where the thread is inside: two threads of which each has a lock, and whose handlers
 * want the other's, would wait for each other. 0: not to be had, and what was to be done under it is left. */
static int epoll_enter(sock_epoll_lock *lock, int is_inside)
{
    if (sock_epoll_is_mine(lock))
        return 0;
    if (!is_inside) {
        sock_epoll_acquire(lock);
        return 1;
    }
    for (int i = 0; i < EPOLL_TRIES; i++, sched_yield())
        if (epoll_try(lock))
            return 1;
    return 0;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

static epoll_entry *epoll_entry_find(int fd)
{
    if ((unsigned)fd >= EPOLL_CHUNKS * EPOLL_CHUNK)
        return NULL;
    /* seq_cst: not before what tells that a connection moves; see epoll_ctl. */
    epoll_entry *chunk = atomic_load(&epoll_process.chunks[fd / EPOLL_CHUNK]);
    return chunk ? &chunk[fd % EPOLL_CHUNK] : NULL;
}

static epoll_entry *epoll_entry_find_or_make(int fd)
{
    epoll_entry *entry = epoll_entry_find(fd), *none = NULL;
    if (entry || (unsigned)fd >= EPOLL_CHUNKS * EPOLL_CHUNK)
        return entry;
    void *memory =
        mmap(NULL, EPOLL_CHUNK * sizeof(epoll_entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!atomic_compare_exchange_strong(&epoll_process.chunks[fd / EPOLL_CHUNK], &none, memory))
        munmap(memory, EPOLL_CHUNK * sizeof(epoll_entry));
    return epoll_entry_find(fd);
}

/* ---- sets ------------------------------------------------------------------------------------------------------- */

sock_epoll *sock_epoll_find(int fd)
{
    epoll_entry *entry = epoll_entry_find(fd);
    return entry ? atomic_load_explicit(&entry->set, memory_order_acquire) : NULL;
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

sock_epoll *sock_epoll_find_or_make(int fd)
{
    sock_epoll *set = sock_epoll_find(fd);
    epoll_entry *entry = set ? NULL : epoll_entry_find_or_make(fd);
    if (!entry)
        return set;
    sock_epoll_acquire(&epoll_process.lock);
    set = atomic_load_explicit(&entry->set, memory_order_acquire);
    if (!set && (set = epoll_unused()) != NULL) {
        set->fd = fd;
        set->descriptors = 1;
        atomic_store(&set->is_watched, 0);
        atomic_store(&set->is_forked, 0);
        atomic_store_explicit(&entry->set, set, memory_order_release);
    }
    sock_epoll_release(&epoll_process.lock);
    return set;
}

void sock_epoll_share(int from, int to)
{
    sock_epoll *set = sock_epoll_find(from);
    epoll_entry *entry = set ? epoll_entry_find_or_make(to) : NULL;
    if (!entry || !epoll_enter(&epoll_process.lock, epoll_is_inside()))
        return;
    if (atomic_load_explicit(&entry->set, memory_order_relaxed) == NULL) {
        set->descriptors++;
        atomic_store_explicit(&entry->set, set, memory_order_release);
    }
    sock_epoll_release(&epoll_process.lock);
}

/* Known from the beginning: a descriptor of it may be copied before anything is put into it. */
static int epoll_created(int fd)
{
    if (fd >= 0 && !sock_is_borrowed()) {
        sock_epoll_forget(fd); /* closed by a way that we do not see */
        sock_epoll_find_or_make(fd);
    }
    return fd;
}

SOCK_EXPORT int epoll_create1(int flags)
{
    return epoll_created(sock_real()->epoll_create1(flags));
}

SOCK_EXPORT int epoll_create(int size)
{
    return epoll_created(sock_real()->epoll_create(size));
}

/* ---- members, under the set's lock ------------------------------------------------------------------------------ */

sock_epoll_member *sock_epoll_member_find(const sock_epoll *set, int fd)
{
    return fd >= 0 && fd < set->room ? set->members[fd] : NULL;
}

void sock_epoll_heat(sock_epoll *set, sock_epoll_member *member)
{
    if (member->hot_at >= 0 || !member->conn)
        return;
    if (set->hot_count == set->hot_room) {
        int room = set->hot_room ? 2 * set->hot_room : 16;
        sock_epoll_member **more = realloc(set->hot, (size_t)room * sizeof *more);
        if (!more)
            return;
        set->hot = more;
        set->hot_room = room;
    }
    member->hot_at = set->hot_count;
    member->quiet_sleeps = 0;
    set->hot[set->hot_count++] = member;
}

void sock_epoll_cool(sock_epoll *set, sock_epoll_member *member)
{
    if (member->hot_at < 0)
        return;
    sock_epoll_member *last = set->hot[--set->hot_count];
    set->hot[member->hot_at] = last;
    last->hot_at = member->hot_at;
    member->hot_at = -1;
}

void sock_epoll_arm(sock_epoll_member *member, int is_armed)
{
    if (member->is_armed == is_armed)
        return;
    member->is_armed = is_armed;
    cor_conn_watch(member->conn, is_armed);
}

static void epoll_make_plain(sock_epoll *set, sock_epoll_member *member)
{
    if (!member->conn)
        return;
    sock_epoll_cool(set, member);
    sock_epoll_arm(member, 0);
    cor_conn_hold(member->conn, 0);
    cor_conn_unref(member->conn);
    member->conn = NULL;
    set->fast_count--;
}

static void epoll_make_fast(sock_epoll *set, sock_epoll_member *member, cor_conn *conn)
{
    if (member->conn || !cor_conn_ref(conn))
        return;
    cor_conn_hold(conn, 1);
    member->conn = conn;
    set->fast_count++;
    atomic_fetch_add(&set->upgrades, 1);
    sock_epoll_heat(set, member);
}

static sock_epoll_member *epoll_member_make(sock_epoll *set, int fd)
{
    if (fd >= set->room) {
        int room = set->room ? set->room : 64;
        while (room <= fd)
            room *= 2;
        sock_epoll_member **more = realloc(set->members, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + set->room, 0, (size_t)(room - set->room) * sizeof *more);
        set->members = more;
        set->room = room;
    }
    epoll_entry *entry = epoll_entry_find_or_make(fd);
    sock_epoll_member *member = entry && !set->members[fd] ? calloc(1, sizeof *member) : set->members[fd];
    if (member && !set->members[fd]) {
        *member = (sock_epoll_member){.fd = fd, .hot_at = -1, .is_set = sock_epoll_find(fd) != NULL};
        set->members[fd] = member;
        atomic_fetch_add(&set->set_count, member->is_set);
        atomic_fetch_add(&entry->members, 1);
    }
    return member;
}

static void epoll_member_remove(sock_epoll *set, sock_epoll_member *member)
{
    if (!member)
        return;
    epoll_make_plain(set, member);
    set->members[member->fd] = NULL;
    atomic_fetch_sub(&set->set_count, member->is_set);
    atomic_fetch_sub(&epoll_entry_find(member->fd)->members, 1);
    free(member);
}

static void epoll_renew(sock_epoll_member *member, const struct epoll_event *event)
{
    member->events = event->events;
    member->data = event->data;
    member->is_off = member->in_told = member->out_told = 0;
}

struct epoll_event sock_epoll_tagged(int fd)
{
    return (struct epoll_event){.events = EPOLL_KERNEL, .data.u64 = SOCK_EPOLL_TAG << 32 | (uint32_t)fd};
}

/* ---- what happens to descriptors -------------------------------------------------------------------------------- */

/* 0: a handler could not look at all sets. */
static int epoll_each(int fd, void (*each)(sock_epoll *set, sock_epoll_member *member, cor_conn *conn), cor_conn *conn)
{
    epoll_entry *entry = epoll_entry_find(fd);
    int is_inside = epoll_is_inside(), is_whole = 1;
    if (!entry || atomic_load(&entry->members) == 0)
        return 1;
    if (!epoll_enter(&epoll_process.lock, is_inside))
        return 0;
    for (sock_epoll *set = epoll_process.all; set; set = set->next) {
        /* What stays in it is found again: a closed descriptor by the next of its number, a plain connection by a
         * wait. */
        if (!epoll_enter(&set->lock, is_inside)) {
            is_whole = 0;
            continue;
        }
        sock_epoll_member *member = set->fd >= 0 ? sock_epoll_member_find(set, fd) : NULL;
        if (member)
            each(set, member, conn);
        sock_epoll_release(&set->lock);
    }
    sock_epoll_release(&epoll_process.lock);
    return is_whole;
}

static void epoll_upgrade(sock_epoll *set, sock_epoll_member *member, cor_conn *conn)
{
    struct epoll_event event = sock_epoll_tagged(member->fd);
    if (member->conn == conn && member->is_off && atomic_load(&set->is_forked))
        return; /* it was claimed */
    member->is_off = sock_epoll_is_over(set, member);
    int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, member->fd, &event);
    if (rc != 0 && (member->events & EPOLLEXCLUSIVE) &&
        sock_real()->epoll_ctl(set->fd, EPOLL_CTL_DEL, member->fd, NULL) == 0) /* which cannot be modified */
        rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_ADD, member->fd, &event);
    if (rc == 0) {
        epoll_make_fast(set, member, conn);
        sock_epoll_claim_off(set, member);
    } else {
        epoll_member_remove(set, member); /* of an earlier descriptor of this number */
    }
}

int sock_epoll_upgrade(int fd, cor_conn *conn)
{
    int saved = errno, is_whole = epoll_each(fd, epoll_upgrade, conn);
    errno = saved;
    return is_whole;
}

void sock_epoll_downgrade_member(sock_epoll *set, sock_epoll_member *member)
{
    uint32_t events = member->is_off ? EPOLLONESHOT : member->events;
    struct epoll_event event = {.events = events & ~(uint32_t)EPOLLEXCLUSIVE,
                                .data = member->data}; /* none can change to it */
    if (!member->conn)
        return;
    epoll_make_plain(set, member);
    sock_epoll_kernel_modify(set, member->fd, &event);
}

static void epoll_downgrade(sock_epoll *set, sock_epoll_member *member, cor_conn *conn)
{
    (void)conn;
    sock_epoll_downgrade_member(set, member);
}

void sock_epoll_downgrade(int fd)
{
    int saved = errno;
    epoll_each(fd, epoll_downgrade, NULL);
    errno = saved;
}

static void epoll_forget(sock_epoll *set, sock_epoll_member *member, cor_conn *conn)
{
    (void)conn;
    epoll_member_remove(set, member);
}

int sock_epoll_knows(int fd)
{
    epoll_entry *entry = epoll_entry_find(fd);
    return entry && (atomic_load(&entry->set) || atomic_load(&entry->members) > 0);
}

/* Another descriptor of a set. Under the lock of the process. */
static int epoll_other(const sock_epoll *set)
{
    for (int i = 0; i < EPOLL_CHUNKS; i++) {
        epoll_entry *chunk = atomic_load_explicit(&epoll_process.chunks[i], memory_order_acquire);
        for (int j = 0; chunk && j < EPOLL_CHUNK; j++)
            if (atomic_load_explicit(&chunk[j].set, memory_order_relaxed) == set)
                return i * EPOLL_CHUNK + j;
    }
    return -1;
}

void sock_epoll_forget(int fd)
{
    epoll_each(fd, epoll_forget, NULL);
    sock_epoll *set = sock_epoll_find(fd);
    int is_inside = epoll_is_inside();
    if (!set || !epoll_enter(&epoll_process.lock, is_inside))
        return;
    if (!epoll_enter(&set->lock, is_inside)) {
        sock_epoll_release(&epoll_process.lock);
        return;
    }
    atomic_store_explicit(&epoll_entry_find(fd)->set, NULL, memory_order_release);
    if (--set->descriptors > 0) {
        set->fd = set->fd == fd ? epoll_other(set) : set->fd;
    } else {
        for (int i = 0; i < set->room; i++)
            epoll_member_remove(set, set->members[i]);
        set->fd = -1;
    }
    sock_epoll_release(&set->lock);
    sock_epoll_release(&epoll_process.lock);
}

void sock_epoll_forget_range(int first, int last)
{
    int limit = EPOLL_CHUNKS * EPOLL_CHUNK;
    for (int fd = first; fd < limit && fd <= last; fd++) {
        if (!epoll_entry_find(fd))
            fd |= EPOLL_CHUNK - 1;
        else if (sock_epoll_knows(fd))
            sock_epoll_forget(fd);
    }
}

void sock_epoll_before_fork(void)
{
    sock_epoll_acquire(&epoll_process.lock);
    for (sock_epoll *set = epoll_process.all; set; set = set->next) {
        sock_epoll_acquire(&set->lock);
        atomic_store(&set->is_forked, 1);
        for (int i = 0; set->fd >= 0 && set->fast_count > 0 && i < set->room; i++)
            sock_epoll_claim_off(set, set->members[i]);
    }
}

void sock_epoll_after_fork(void)
{
    for (sock_epoll *set = epoll_process.all; set; set = set->next)
        sock_epoll_release(&set->lock);
    sock_epoll_release(&epoll_process.lock);
}

/* ---- epoll_ctl -------------------------------------------------------------------------------------------------- */

/* conn: it becomes a fast member; may_move: or perhaps later. */
static int epoll_add(sock_epoll *set, int fd, const struct epoll_event *event, cor_conn *conn, int may_move)
{
    const uint32_t exclusive =
        EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE; /* together */
    int is_wrong = (event->events & EPOLLEXCLUSIVE) && (event->events & ~exclusive);
    struct epoll_event own = conn && !is_wrong ? sock_epoll_tagged(fd) : *event;
    int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_ADD, fd, &own);
    if (rc != 0)
        return rc;
    epoll_member_remove(set, sock_epoll_member_find(set, fd)); /* of an earlier descriptor of this number */
    sock_epoll_member *member = epoll_member_make(set, fd);
    if (member)
        epoll_renew(member, event);
    if (member && conn)
        epoll_make_fast(set, member, conn);
    if ((may_move && !member) || (conn && !member->conn)) { /* its bells would be told to nobody */
        sock_real()->epoll_ctl(set->fd, EPOLL_CTL_DEL, fd, NULL);
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

static int epoll_modify(sock_epoll *set, int fd, const struct epoll_event *event, cor_conn *conn)
{
    sock_epoll_member *member = sock_epoll_member_find(set, fd);
    struct epoll_event own = *event;
    if (member && !member->conn && conn) {
        own = sock_epoll_tagged(fd);
        int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &own);
        if (rc == 0) {
            epoll_renew(member, event);
            epoll_make_fast(set, member, conn);
        }
        return rc;
    }
    if (!member || !member->conn) {
        int rc = sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &own);
        if (rc == 0 && member)
            epoll_renew(member, event);
        return rc;
    }
    if ((member->events | event->events) & EPOLLEXCLUSIVE) { /* as the kernel has it */
        errno = EINVAL;
        return -1;
    }
    epoll_renew(member, event);
    member->has_edge = 1;
    sock_epoll_heat(set, member);
    /* A thread that sleeps must look anew: this makes an event, since the socket is writable. */
    own = sock_epoll_tagged(fd);
    int is_claimed = (event->events & EPOLLONESHOT) && atomic_load(&set->is_forked);
    return is_claimed || sock_epoll_is_relied_on(set) ? sock_epoll_kernel_modify(set, fd, &own) : 0;
}

SOCK_EXPORT int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    sock_epoll *set = op == EPOLL_CTL_DEL || !sock_is_bad(event, sizeof *event) ? sock_epoll_find_or_make(epfd) : NULL;
    if (!set)
        return sock_real()->epoll_ctl(epfd, op, fd, event);
    cor_conn *conn = sock_get(fd);
    int rc;
    sock_epoll_acquire(&set->lock);
    /* Under the lock: a connection that is tagged at this moment becomes a fast member after that. */
    int is_fast = conn && !cor_conn_is_plain(conn) && op != EPOLL_CTL_DEL &&
                  (cor_conn_is_tagged(conn) || (event->events & (EPOLLONESHOT | EPOLLEXCLUSIVE)));
    if (op == EPOLL_CTL_ADD) {
        rc = epoll_add(set, fd, event, is_fast ? conn : NULL, conn && !cor_conn_is_plain(conn));
        /* The thread that moves the connection tells of that, then looks for members; this one made a member, then
         * looks. */
        sock_epoll_member *member = rc == 0 && conn && !is_fast ? sock_epoll_member_find(set, fd) : NULL;
        if (member && !cor_conn_is_plain(conn) && cor_conn_is_tagged(conn))
            epoll_upgrade(set, member, conn);
    } else if (op == EPOLL_CTL_MOD) {
        rc = epoll_modify(set, fd, event, is_fast ? conn : NULL);
    } else {
        sock_epoll_member *member = sock_epoll_member_find(set, fd);
        rc = sock_real()->epoll_ctl(epfd, op, fd, event);
        if (rc != 0 && errno == ENOENT && member && member->conn && member->is_off && atomic_load(&set->is_forked))
            rc = 0; /* it was claimed */
        if (rc == 0 && op == EPOLL_CTL_DEL)
            epoll_member_remove(set, member);
    }
    sock_epoll_release(&set->lock);
    /* Not under the lock: it takes that of the other set. After the kernel has it: what comes from now on makes an
     * event. */
    if (rc == 0 && !conn && op != EPOLL_CTL_DEL && sock_epoll_find(fd))
        sock_epoll_watch(fd, set);
    if (conn)
        cor_conn_unref(conn);
    return rc;
}
