/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a link, the way from one rank to another: its states, what moves it, and how it ends. The rules that
 * decide are the functions below; they read no clock and no socket, so that a test can walk through all they lead to
 * (tcp_rules_test.c).
 *
 *   UNUSED    no packet was sent to the peer, and none was waited for
 *   CALLING   a call is under way
 *   BROKEN    no call is under way; the next one has its time
 *   OPEN      there is a connection, as far as this end knows
 *   LOST      the end, which a link does not leave
 *
 *   UNUSED  -> CALLING    a packet for the peer, or a wait for it that has lasted a second
 *   CALLING -> OPEN       the peer has taken the call; every state but LOST also becomes OPEN by taking a call of the
 *                         peer
 *   CALLING -> BROKEN     the call has failed
 *   BROKEN  -> CALLING    it is time
 *   OPEN    -> BROKEN     this end finds the connection broken; the other end may find it earlier, later, or by
 *                         our call
 *   any     -> LOST       as follows
 *
 * What ends a link at once:
 *   - the peer says that it ends (BYE), or that it has lost us (GIVEN_UP), or it sends what no rank may send;
 *   - this host's kernel or the launcher knows that its process has ended. They are asked after every call that was
 *     refused or dropped.
 *
 * What ends a link in time (tcp_clock). Each of the two has a limit of its own (tcp_rule_limits):
 *   - silence: no call gets an answer. The host may be gone, or the network.
 *   - refusals: the host lives, and nothing listens at the address. That is what a dead process leaves behind, and what
 *     a firewall says while its rules are exchanged. So a refusal is never death; refusals for a second are, if
 *     nobody knows better. tcp.reconnect_s is added to both limits.
 * A call that the host takes ends both: something listens, and the peer's program may be busy for as long as it likes.
 *
 * No end waits for the other for ever:
 *   1. An end that is not OPEN calls, until it is LOST.
 *   2. An end that is LOST answers every call with GIVEN_UP, whatever else may be wrong with the call: its packets are
 *      gone, so the caller must not go on waiting for them.
 *   3. An end that is OPEN on a connection which the other has given up finds it broken by the kernel's keep-alive, or
 *      by the other's call, and then 1 holds.
 *   4. Every loss is told to the rank, and fails what waits for the peer.
 *
 * The end of the job (begin_shutdown) is the last fence at the launcher. A rank there needs no packet any more, but
 * others may need its own, so it goes on calling and being called:
 *   5. BYE is no news: the peer is through the fence.
 *   6. Silence ends nothing: the peer may be through, and the launcher's word late by the same network.
 *   7. GIVEN_UP is news: the peer has failed, will not come to the fence, and the fence fails.
 *   8. Refusals may mean that the peer is through and the launcher's word still on its way, so their limit is longer,
 *      and nobody is asked whether the process has ended. Beyond the limit the peer has failed, and the fence fails.
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
    TCP_CALL_S = 5,               /* how long an address may not answer the first time */
    TCP_FIRST_S = 2 * TCP_CALL_S, /* the first connection may take so long, whatever the knobs say */
    TCP_REFUSED_S = 1,            /* refused for so long: the process has ended */
    TCP_REFUSED_AT_END_S = 10,    /* likewise in the last fence: longer than the launcher's word can be late */
};

/* How long the peer was silent or refused calls; counted only while this rank looks. */
typedef struct tcp_clock {
    uint64_t silent_ns;  /* since the last sign of life of its host */
    uint64_t refused_ns; /* since a call was last taken, by calls that were refused */
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

/* What passed before is silence if it was long: calls that are refused follow each other within a second. */
static inline void tcp_clock_refused(tcp_clock *clock)
{
    clock->refused_ns += clock->silent_ns < TCP_SECOND_NS ? clock->silent_ns : TCP_SECOND_NS;
    clock->silent_ns = 0;
}

static inline void tcp_clock_taken(tcp_clock *clock)
{
    *clock = (tcp_clock){0, 0};
}

/* A call of the peer, which has proved itself, as this end sees it. */
typedef struct tcp_caller {
    tcp_link_state state; /* of our link to it */
    int is_stale;      /* it has received less than it once acknowledged: the call is older than our last connection */
    int is_called;     /* a call of ours is under way to it */
    int is_call_stuck; /* which gets no answer at once, as a good one would */
    int is_higher;     /* our rank is the higher one */
} tcp_caller;

enum { TCP_UNANSWERED = COR_HELLO_VERDICTS };

/* A cor_hello_verdict, or TCP_UNANSWERED: close the connection without a word. Where both call at once, the lower
 * rank's call holds, unless it gets nowhere. */
static inline int tcp_rule_answer(const tcp_caller *caller)
{
    if (caller->state == TCP_LOST)
        return COR_HELLO_GIVEN_UP;
    if (caller->is_stale)
        return TCP_UNANSWERED;
    return caller->is_called && !caller->is_higher && !caller->is_call_stuck ? COR_HELLO_MINE_INSTEAD
                                                                             : COR_HELLO_TAKEN;
}

/* Is a loss to be told to the rank? is_bye: the peer said itself that it ends. */
static inline int tcp_rule_is_news(int is_ending, int is_bye)
{
    return !(is_ending && is_bye);
}

#endif
