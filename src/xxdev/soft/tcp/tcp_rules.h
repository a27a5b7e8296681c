/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a link, the path from one rank to another: its states, its transitions, and how it ends. The rules that
 * decide are the functions below; they read no clock and no socket, so that a test can walk through all states
 * (tcp_rules_test.c). A "call" is an attempt to connect.
 *
 *   UNUSED    no packet was sent to the peer or awaited from it
 *   CALLING   a call is under way
 *   BROKEN    no call is under way; the next one is scheduled
 *   OPEN      there is a connection, as far as this end knows
 *   LOST      the final state
 *
 *   UNUSED  -> CALLING    a packet for the peer, or a wait for it that has lasted a second
 *   CALLING -> OPEN       the peer has accepted the call; every state except LOST also becomes OPEN by accepting a call
 *                         of the peer
 *   CALLING -> BROKEN     the call has failed
 *   BROKEN  -> CALLING    the scheduled time has come
 *   OPEN    -> BROKEN     this end finds the connection broken; the other end may find it earlier, later, or by
 *                         this end's call
 *   any     -> LOST       as follows
 *
 * What ends a link at once:
 *   - the peer reports its end (BYE), or that it has lost this rank (GIVEN_UP), or violates the protocol;
 *   - this host's kernel or the launcher knows that its process has ended. They are queried after every call that was
 *     refused or dropped.
 *
 * What ends a link in time (tcp_clock). Each of the two has a limit of its own (tcp_rule_limits):
 *   - silence: no call gets an answer. The host or the network may be down.
 *   - refusals: the host is up, and nothing listens at the address. A dead process causes this, and a firewall while
 *     its rules are replaced. So one refusal is not a sign of death; refusals for a second are, if neither kernel nor
 *     launcher reports otherwise. tcp.reconnect_s is added to both limits.
 * A call that the host accepts resets both: something listens, and the peer's program may be busy for any time.
 *
 * Neither end waits for the other for ever:
 *   1. An end that is not OPEN calls, until it is LOST.
 *   2. An end that is LOST answers every call with GIVEN_UP, whatever else may be wrong with the call: its packets are
 *      lost, so the caller must not wait for them any longer.
 *   3. An end that is OPEN on a connection which the other has given up finds it broken by the kernel's keep-alive, or
 *      by the other's call, and then 1 holds.
 *   4. Every loss is reported to the rank, and all operations that wait for the peer fail.
 *
 * The end of the job (begin_shutdown) is the last fence at the launcher. A rank there needs no packet any more, but
 * others may need its own, so it continues to make and accept calls:
 *   5. BYE is not reported: the peer has passed the fence.
 *   6. Silence ends nothing: the peer may have passed, and the launcher's message be late by the same network.
 *   7. GIVEN_UP is reported: the peer has failed and will not reach the fence, so the fence fails.
 *   8. Refusals may mean that the peer has passed and the launcher's message is still on its way, so their limit is
 *      longer, and neither kernel nor launcher is queried whether the process has ended. Beyond the limit the peer has
 *      failed, and the fence fails.
 */
#ifndef COR_TCP_RULES_H
#define COR_TCP_RULES_H

#include "base/hello.h"

typedef enum tcp_link_state {
    TCP_UNUSED,
    TCP_CALLING,
    TCP_OPEN,
    TCP_BROKEN,
    TCP_LOST,
} tcp_link_state;

#define TCP_SECOND_NS 1000000000ull

enum {
    TCP_CALL_S = 5,               /* timeout of an address at the first connection */
    TCP_FIRST_S = 2 * TCP_CALL_S, /* minimum timeout of the first connection, whatever the knobs are */
    TCP_REFUSED_S = 1,            /* refused for this long: the process has ended */
    TCP_REFUSED_AT_END_S = 10,    /* likewise in the last fence: longer than the launcher's message can be late */
};

/* How long the peer was silent or refused calls; counted only while this rank polls. */
typedef struct tcp_clock {
    uint64_t silent_ns;  /* since the last sign of life of its host */
    uint64_t refused_ns; /* time of refused calls, since a call was last accepted */
} tcp_clock;

typedef struct tcp_limits {
    uint64_t silent_ns, refused_ns; /* UINT64_MAX: for ever */
} tcp_limits;

typedef enum tcp_end {
    TCP_GOES_ON,
    TCP_SILENT,
    TCP_REFUSED,
} tcp_end;

static inline tcp_limits tcp_rule_limits(int heartbeat_s, int reconnect_s, int has_been_open, int is_ending)
{
    uint64_t silent_s = (uint64_t)heartbeat_s + (uint64_t)reconnect_s;
    uint64_t refused_s = (is_ending ? TCP_REFUSED_AT_END_S : TCP_REFUSED_S) + (uint64_t)reconnect_s;
    tcp_limits limits = {.refused_ns = refused_s * TCP_SECOND_NS};
    if (!has_been_open && silent_s < TCP_FIRST_S)
        silent_s = TCP_FIRST_S;
    limits.silent_ns = is_ending || (heartbeat_s == 0 && has_been_open) ? UINT64_MAX : silent_s * TCP_SECOND_NS;
    return limits;
}

static inline tcp_end tcp_rule_end(const tcp_clock *clock, const tcp_limits *limits)
{
    if (clock->refused_ns >= limits->refused_ns)
        return TCP_REFUSED;
    return clock->silent_ns >= limits->silent_ns ? TCP_SILENT : TCP_GOES_ON;
}

static inline void tcp_clock_pass(tcp_clock *clock, uint64_t passed_ns)
{
    clock->silent_ns += passed_ns;
}

/* The time since the last event counts as refusal up to a second, because refused calls follow each other within a
 * second. */
static inline void tcp_clock_refused(tcp_clock *clock)
{
    clock->refused_ns += clock->silent_ns < TCP_SECOND_NS ? clock->silent_ns : TCP_SECOND_NS;
    clock->silent_ns = 0;
}

static inline void tcp_clock_taken(tcp_clock *clock)
{
    *clock = (tcp_clock){0, 0};
}

/* A call of an authenticated peer, as this end sees it. */
typedef struct tcp_caller {
    tcp_link_state state; /* of this end's link to it */
    int is_stale;      /* it has received less than it once acknowledged: the call is older than the last connection */
    int is_called;     /* a call to it is under way */
    int is_call_stuck; /* and gets no answer at once, as it should */
    int is_higher;     /* this rank is the higher one */
} tcp_caller;

enum { TCP_UNANSWERED = COR_HELLO_VERDICTS };

/* A cor_hello_verdict, or TCP_UNANSWERED: close the connection without an answer. If both call at once, the lower
 * rank's call is used, unless it is stuck. */
static inline int tcp_rule_answer(const tcp_caller *caller)
{
    if (caller->state == TCP_LOST)
        return COR_HELLO_GIVEN_UP;
    if (caller->is_stale)
        return TCP_UNANSWERED;
    return caller->is_called && !caller->is_higher && !caller->is_call_stuck ? COR_HELLO_MINE_INSTEAD
                                                                             : COR_HELLO_TAKEN;
}

/* Is a loss reported to the rank? is_bye: the peer has reported its end. */
static inline int tcp_rule_is_news(int is_ending, int is_bye)
{
    return !(is_ending && is_bye);
}

#endif
