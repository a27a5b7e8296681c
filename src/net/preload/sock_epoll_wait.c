/* SPDX-License-Identifier: Apache-2.0 */
/* The waits of epoll: what the rings of hot members say, and then the kernel. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/cpu.h"
#include "net/preload/sock_epoll.h"

#include <limits.h>

#define EPOLL_NS_A_MS INT64_C(1000000)
#define EPOLL_NS_A_S INT64_C(1000000000)

enum {
    EPOLL_PLAIN_ROUNDS = 8, /* the kernel is asked in every so many waits that found something in memory */
    EPOLL_SPINS_A_LOOK = 16,
    EPOLL_SPINS_FOR = 64,   /* members at most, as programs may have small stacks */
    EPOLL_QUIET_SLEEPS = 4, /* then a member becomes cold */
};

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/* What to report of a member; remembers that it was. */
static uint32_t epoll_report(sock_epoll *set, sock_epoll_member *member)
{
    uint64_t arrivals = cor_conn_arrivals(member->conn);
    uint32_t refusals = cor_conn_refusals(member->conn);
    uint32_t ready =
        sock_epoll_normal(cor_conn_ready(member->conn, member->fd, 0)) & (member->events | EPOLLERR | EPOLLHUP);
    /* A connection that has switched tells its edges by counts; before that the kernel does. */
    int has_edge = member->has_edge && !cor_conn_is_switched(member->conn);
    if ((member->events & EPOLLET) && !has_edge) {
        uint32_t out = EPOLLOUT | EPOLLWRNORM;
        /* An edge is told with all that is ready. */
        if (!((ready & ~out) && sock_epoll_has_new_bytes(member)) &&
            !((ready & out) && sock_epoll_has_new_room(member)))
            ready = 0;
    }
    if (member->has_urgent && !(net_sys_ready(member->fd, POLLPRI) & POLLPRI))
        member->has_urgent = 0;
    if (member->has_urgent && (has_edge || !(member->events & EPOLLET)))
        ready |= EPOLLPRI & member->events;
    member->has_edge = 0;
    if (ready & (EPOLLIN | EPOLLRDNORM | EPOLLRDHUP)) {
        member->in_told = 1;
        member->arrivals = arrivals;
    }
    if (ready & (EPOLLOUT | EPOLLWRNORM)) {
        member->out_told = 1;
        member->refusals = refusals;
    }
    if (ready)
        member->quiet_sleeps = 0;
    if (ready && (member->events & EPOLLONESHOT)) {
        member->is_off = 1;
        return sock_epoll_claim(set, member) ? ready : 0;
    }
    return ready;
}

static int epoll_look(sock_epoll *set, struct epoll_event *events, int room)
{
    int found = 0;
    sock_epoll_acquire(&set->lock);
    int from = set->hot_from++;
    for (int i = 0; i < set->hot_count && found < room; i++) {
        sock_epoll_member *member = set->hot[(unsigned)(from + i) % (unsigned)set->hot_count];
        if (member->is_off)
            continue;
        if (cor_conn_is_plain(member->conn)) {
            sock_epoll_downgrade_member(set, member);
            i--;
            continue;
        }
        uint32_t ready = epoll_report(set, member);
        if (ready)
            events[found++] = (struct epoll_event){.events = ready, .data = member->data};
    }
    sock_epoll_release(&set->lock);
    return found;
}

/* Members that are sets, whose own members the kernel does not see. events: NULL to tell only whether one has
 * something. *limit_ms_p as in sock_epoll_is_ready. */
static int epoll_look_into_sets(sock_epoll *set, struct epoll_event *events, int room, int *limit_ms_p)
{
    int found = 0, is_off = 0;
    for (int fd = 0; found < room && (fd = sock_epoll_next_set(set, fd, &is_off)) >= 0; fd++) {
        /* Not under the lock: it takes that of the other. Also where that is off: it may be asked for again while this
         * thread sleeps, and the limit counts then. */
        if (!sock_epoll_is_ready(fd, limit_ms_p) || is_off)
            continue;
        if (!events)
            return 1;
        sock_epoll_acquire(&set->lock);
        sock_epoll_member *member = sock_epoll_member_find(set, fd);
        uint32_t ready = member && !member->is_off ? sock_epoll_normal(EPOLLIN) & member->events : 0;
        if (ready)
            events[found++] = (struct epoll_event){.events = ready, .data = member->data};
        if (ready && (member->events & EPOLLONESHOT)) {
            struct epoll_event off = {.events = EPOLLONESHOT, .data = member->data};
            member->is_off = 1;
            sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &off);
        }
        sock_epoll_release(&set->lock);
    }
    return found;
}

/* Of a member that has not switched, whose bytes the kernel has: its event may have come to another thread, while the
 * member was off, or before it was asked for these events. */
static int epoll_has_kernel_news(const sock_epoll_member *member)
{
    uint32_t ready =
        sock_epoll_normal(cor_conn_ready(member->conn, member->fd, 0)) & (member->events | EPOLLERR | EPOLLHUP);
    return ready && (member->has_edge || !(member->events & EPOLLET));
}

/* Before the kernel's wait. 0: something is there. */
static int epoll_arm(sock_epoll *set, int *limit_ms)
{
    int is_quiet = 1;
    sock_epoll_acquire(&set->lock);
    for (int i = set->hot_count - 1; i >= 0; i--) {
        sock_epoll_member *member = set->hot[i];
        uint32_t wanted = sock_epoll_wanted(member);
        int tick = -1;
        sock_epoll_arm(member, 1);
        int is_armed = member->is_off || cor_conn_arm(member->conn, wanted, &tick);
        if (is_armed && !member->is_off && !cor_conn_is_switched(member->conn)) {
            is_armed = !epoll_has_kernel_news(member);
        } else if (!is_armed && (member->events & EPOLLET)) {
            uint32_t ready = cor_conn_ready(member->conn, member->fd, 0) & wanted;
            is_armed = !((ready & EPOLLIN) && sock_epoll_has_new_bytes(member)) &&
                       !((ready & EPOLLOUT) && sock_epoll_has_new_room(member));
        }
        if (!is_armed)
            is_quiet = 0;
        else if (tick < 0 && (member->is_off || ++member->quiet_sleeps > EPOLL_QUIET_SLEEPS))
            sock_epoll_cool(set, member);
        if (tick >= 0 && !member->is_off && (*limit_ms < 0 || tick < *limit_ms)) {
            cor_conn_ready(member->conn, member->fd, 1); /* is the peer still there? */
            *limit_ms = tick;
        }
    }
    if (is_quiet)
        atomic_fetch_add(&set->sleepers, 1);
    sock_epoll_release(&set->lock);
    return is_quiet;
}

/* After the kernel's wait, and under the lock. */
static void epoll_disarm(sock_epoll *set)
{
    for (int i = 0; i < set->hot_count; i++)
        sock_epoll_arm(set->hot[i], 0);
}

/* Of a hot member for whose bytes this thread spins. */
typedef struct epoll_spun {
    cor_conn *conn; /* with a reference */
    int is_wanted;  /* the first keeps the score, also if its bytes are not asked for */
    int in_told;
    uint64_t arrivals;
} epoll_spun;

/* Returns how many; 0: it does not pay to spin. */
static int epoll_spin_begin(sock_epoll *set, epoll_spun *spun)
{
    int count = 0;
    sock_epoll_acquire(&set->lock);
    if (set->hot_count > 0 && cor_conn_may_spin(set->hot[0]->conn))
        for (int i = 0; i < set->hot_count && count < EPOLL_SPINS_FOR; i++) {
            const sock_epoll_member *member = set->hot[i];
            int is_wanted = !member->is_off && (sock_epoll_wanted(member) & EPOLLIN);
            if ((count == 0 || is_wanted) && cor_conn_ref(member->conn))
                spun[count++] = (epoll_spun){member->conn, is_wanted, member->in_told, member->arrivals};
        }
    sock_epoll_release(&set->lock);
    return count;
}

/* Without the lock: other threads go on, and a handler of a signal may jump out of this. Budget: a reference for each
 * hot member. */
static int epoll_spin(sock_epoll *set)
{
    epoll_spun spun[EPOLL_SPINS_FOR];
    int has_paid = 0, count = epoll_spin_begin(set, spun);
    if (count == 0)
        return 0;
    uint64_t limit = cor_clock_ns() + (uint64_t)cor_net_get_config(sock_net_if_any())->spin_us * 1000;
    for (uint32_t round = 1; !has_paid; round++) {
        for (int i = 0; i < count && !has_paid; i++)
            has_paid = spun[i].is_wanted && cor_conn_has_bytes(spun[i].conn) &&
                       (!spun[i].in_told || spun[i].arrivals != cor_conn_arrivals(spun[i].conn));
        cor_cpu_relax();
        if (round % EPOLL_SPINS_A_LOOK == 0 && cor_clock_ns() > limit)
            break;
    }
    cor_conn_spun(spun[0].conn, has_paid);
    for (int i = 0; i < count; i++)
        cor_conn_unref(spun[i].conn);
    return has_paid;
}

/* Events of the kernel: those of plain members stay, fast ones become hot. Returns how many stay. */
static int epoll_sort(sock_epoll *set, struct epoll_event *events, int count)
{
    int kept = 0;
    sock_epoll_acquire(&set->lock);
    if (atomic_load(&set->sleepers) <= 1 && !atomic_load(&set->is_watched)) /* else another thread waits for bells */
        epoll_disarm(set);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 >> 32 != SOCK_EPOLL_TAG) {
            events[kept++] = events[i];
            continue;
        }
        sock_epoll_member *member = sock_epoll_member_find(set, (int)(uint32_t)events[i].data.u64);
        if (!member || !member->conn)
            continue;
        if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            cor_conn_take_bells(member->conn, member->fd, events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
        /* Another process has asked for it again: else the kernel has it no more. */
        if (member->is_off && atomic_load_explicit(&set->is_forked, memory_order_relaxed))
            member->is_off = member->in_told = member->out_told = 0;
        member->has_urgent |= (events[i].events & EPOLLPRI) != 0;
        member->has_edge = 1;
        sock_epoll_heat(set, member);
    }
    sock_epoll_release(&set->lock);
    return kept;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* A wait in the kernel that is cancelled ends here. */
static void epoll_sleep_over(sock_epoll_sleeper *me)
{
    sock_epoll_rely_no_more(me);
    if (me->set)
        atomic_fetch_sub(&me->set->sleepers, 1);
}

/* Finer than a millisecond is asked for by epoll_pwait2 alone, which older systems lack. */
static int epoll_sleep(int epfd, struct epoll_event *events, int room, int64_t timeout_ns, const sigset_t *mask)
{
    int64_t timeout_ms = timeout_ns < 0 ? -1 : (timeout_ns + EPOLL_NS_A_MS - 1) / EPOLL_NS_A_MS;
    if (timeout_ns % EPOLL_NS_A_MS > 0 && sock_late()->epoll_pwait2) {
        const struct timespec limit = {timeout_ns / EPOLL_NS_A_S, timeout_ns % EPOLL_NS_A_S};
        int count = sock_late()->epoll_pwait2(epfd, events, room, &limit, mask);
        if (count >= 0 || errno != ENOSYS)
            return count;
    }
    int limit_ms = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;
    /* A filter of system calls may know the one that the program makes, and no other. */
    return mask ? sock_real()->epoll_pwait(epfd, events, room, limit_ms, mask)
                : sock_real()->epoll_wait(epfd, events, room, limit_ms);
}

static int epoll_kernel(sock_epoll *set, int epfd, struct epoll_event *events, int room, int64_t timeout_ns,
                        const sigset_t *mask, const sock_epoll_sleeper *me)
{
    __attribute__((cleanup(epoll_sleep_over))) sock_epoll_sleeper sleeper = *me;
    (void)sleeper; /* for its end alone */
    int count = epoll_sleep(epfd, events, room, timeout_ns, mask);
    return count > 0 ? epoll_sort(set, events, count) : count;
}

/* Of `more` events, which follow on `found`: a member that has been told of already, by another way, is told of once. A
 * program knows members by their data. Returns how many stay. */
static int epoll_merge(struct epoll_event *events, int found, int more)
{
    int kept = found;
    for (int i = found; i < found + more; i++) {
        int same = 0;
        while (same < found && events[same].data.u64 != events[i].data.u64)
            same++;
        if (same < found)
            events[same].events |= events[i].events;
        else
            events[kept++] = events[i];
    }
    return kept - found;
}

/* 0: something is there. The thread is counted, then looks into the members that are sets: see sock_epoll_rely. */
static int epoll_fall_asleep(sock_epoll *set, int *limit_ms, sock_epoll_sleeper *me)
{
    if (!epoll_arm(set, limit_ms))
        return 0;
    me->set = set;
    if (*limit_ms < 0)
        *limit_ms = sock_epoll_rely(me, set);
    int found = epoll_look_into_sets(set, NULL, 1, limit_ms);
    if (*limit_ms >= 0)
        sock_epoll_rely_no_more(me);
    if (found > 0)
        epoll_sleep_over(me);
    return found == 0;
}

static int epoll_wait_fast(sock_epoll *set, int epfd, struct epoll_event *events, int room, int64_t timeout_ns,
                           const sigset_t *mask)
{
    uint64_t begin = timeout_ns > 0 ? cor_clock_ns() : 0;
    for (int is_first = 1;; is_first = 0) {
        unsigned upgrades = atomic_load_explicit(&set->upgrades, memory_order_relaxed);
        sock_epoll_sleeper me = {0};
        int limit_ms = -1, found = epoll_look(set, events, room);
        int sets = epoll_look_into_sets(set, events + found, room - found, &limit_ms);
        found += sets;
        if (found > 0) {
            if (found < room && ++set->rounds % EPOLL_PLAIN_ROUNDS == 0) {
                int more = epoll_kernel(set, epfd, events + found, room - found, 0, NULL, &me);
                if (more > 0 && (sets > 0 || upgrades != atomic_load(&set->upgrades)))
                    more = epoll_merge(events, found, more);
                found += more > 0 ? more : 0;
            }
            sock_epoll_pass_on(set);
            return found;
        }
        int64_t left = timeout_ns;
        if (timeout_ns > 0) {
            int64_t passed = (int64_t)(cor_clock_ns() - begin);
            left = passed >= timeout_ns ? 0 : timeout_ns - passed;
        }
        if (is_first && left != 0 && epoll_spin(set))
            continue;
        if (left != 0 && !epoll_fall_asleep(set, &limit_ms, &me))
            continue;
        int64_t limit_ns = limit_ms * EPOLL_NS_A_MS,
                sleep_ns = limit_ms >= 0 && (left < 0 || limit_ns < left) ? limit_ns : left;
        int kept = epoll_kernel(set, epfd, events, room, sleep_ns, mask, &me);
        if (kept < 0)
            return -1;
        found = kept < room ? epoll_look(set, events + kept, room - kept) : 0;
        if (kept > 0 && found > 0 && upgrades != atomic_load(&set->upgrades)) /* the kernel's until a moment ago */
            found = epoll_merge(events, kept, found);
        if (kept + found > 0 || left == 0) {
            sock_epoll_pass_on(set);
            return kept + found;
        }
    }
}

/* 1: done, *rc_p is the result; 0: it is the kernel's. */
static int epoll_wait_known(int epfd, struct epoll_event *events, int room, int64_t timeout_ns, const sigset_t *mask,
                            int *rc_p)
{
    struct epoll_event *volatile place = events; /* newer headers promise that it is not NULL, programs do not */
    sock_epoll *set =
        room > 0 && !sock_is_bad(place, (size_t)room * sizeof *place) ? sock_epoll_find_or_make(epfd) : NULL;
    if (set)
        *rc_p = epoll_wait_fast(set, epfd, events, room, timeout_ns, mask);
    return set != NULL;
}

SOCK_EXPORT int epoll_pwait(int epfd, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask)
{
    int rc;
    if (!epoll_wait_known(epfd, events, room, timeout_ms < 0 ? -1 : timeout_ms * EPOLL_NS_A_MS, mask, &rc))
        rc = sock_real()->epoll_pwait(epfd, events, room, timeout_ms, mask);
    return rc;
}

SOCK_EXPORT int epoll_wait(int epfd, struct epoll_event *events, int room, int timeout_ms)
{
    return epoll_pwait(epfd, events, room, timeout_ms, NULL);
}

SOCK_EXPORT int epoll_pwait2(int epfd, struct epoll_event *events, int room, const struct timespec *timeout,
                             const sigset_t *mask)
{
    int rc;
    if (!sock_late()->epoll_pwait2) {
        errno = ENOSYS;
        return -1;
    }
    if (sock_time_is_wrong(timeout) || !epoll_wait_known(epfd, events, room, sock_time_ns(timeout), mask, &rc))
        rc = sock_late()->epoll_pwait2(epfd, events, room, timeout, mask);
    return rc;
}

int sock_epoll_is_ready(int fd, int *limit_ms_p)
{
    sock_epoll *set = sock_epoll_find(fd);
    if (set && !atomic_load_explicit(&set->is_watched, memory_order_relaxed))
        atomic_store(&set->is_watched, 1);
    if (!set || (set->fast_count == 0 && atomic_load_explicit(&set->set_count, memory_order_relaxed) == 0))
        return 0;
    if (!epoll_arm(set, limit_ms_p))
        return 1;
    atomic_fetch_sub(&set->sleepers, 1);
    return epoll_look_into_sets(set, NULL, 1, limit_ms_p);
}
