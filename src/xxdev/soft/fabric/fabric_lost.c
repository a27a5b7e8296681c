/* SPDX-License-Identifier: Apache-2.0 */
/* Peers that are lost: noticed by the library, by what they send, or by a look once a second. */
#include "base/clock.h"
#include "xxdev/soft/fabric/fabric_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOST_LAST_EVENTS = 10000, LOST_PATIENCE_MS = 500 };

/* ---- noticed ---------------------------------------------------------------------------------------------------- */

/* Not every error of a library names its cause, and too many open files is a frequent one. 0: this process has what it
 * needs. */
static int lost_find_own_cause(const fabric_wire *wire, int error)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        return errno;
    if (fd >= 0)
        close(fd);
    return wire->ops->is_own(error) ? -1 : 0;
}

/* To lose a peer takes calls of the library that are not made in its progress: the poll under way, or the next, makes
 * them. */
void fabric_unreached(void *subject, int peer, int error)
{
    fabric_wire *wire = subject;
    fabric_peer *p = &wire->peers[peer];
    if ((wire->is_ending && !wire->failure[0]) || p->is_lost || p->error || p->rejected)
        return;
    p->error = error ? error : -1;
    p->is_own = wire->failure[0] ? 0 : lost_find_own_cause(wire, error);
    p->since_ns = cor_clock_ns();
    wire->troubled++;
}

void fabric_reject(void *subject, int peer, const char *what)
{
    fabric_wire *wire = subject;
    fabric_peer *p = &wire->peers[peer];
    if (p->is_lost || p->rejected)
        return;
    wire->troubled += p->error == 0;
    p->rejected = strdup(what);
    p->error = p->rejected ? 0 : -1;
}

/* This rank reaches no peer any more, for this reason, and loses them all. */
static void lost_fail(fabric_wire *wire, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void lost_fail(fabric_wire *wire, const char *format, ...)
{
    va_list arguments;
    if (wire->failure[0])
        return;
    va_start(arguments, format);
    vsnprintf(wire->failure, sizeof wire->failure, format, arguments);
    va_end(arguments);
    COR_LOG(wire->options.log, WARN, "%s: %s", wire->base.ops->name, wire->failure);
    for (int peer = 0; peer < wire->size; peer++)
        if (peer != wire->rank)
            fabric_unreached(wire, peer, -1);
}

void fabric_failed(void *subject, const char *what, int error)
{
    fabric_wire *wire = subject;
    char text[120];
    wire->ops->explain(error, text, sizeof text);
    lost_fail(wire, "this rank cannot %s any more: %s reports: %s", what, wire->ops->name, text);
}

void fabric_warn(void *subject, const char *what, int error)
{
    const fabric_wire *wire = subject;
    char text[120];
    wire->ops->explain(error, text, sizeof text);
    COR_LOG(wire->options.log, WARN, "%s: %s: %s", wire->base.ops->name, what, text);
}

void cor_fabric_reject(cor_wire *base, int peer, const char *what)
{
    fabric_reject(fabric_of(base), peer, what);
}

/* ---- told ------------------------------------------------------------------------------------------------------- */

static void lost_stop(fabric_wire *wire)
{
    wire->is_stopped = 1;
    wire->ops->stop(wire->library);
}

/* Is there memory of the program that the library may still read or write for a lost peer? */
static int lost_refers(const fabric_wire *wire, int peer)
{
    return wire->peers[peer].referring > 0 || (wire->ops->refers && wire->ops->refers(wire->library, peer));
}

/* The program is given its memory back when it is told of a loss, so what goes on with the peer ends first. That a dead
 * process of this host left something that does not end is no danger: by then all that it had written was read. What
 * another host sends may come at any time, so the library is stopped then. */
static void lost_drain(fabric_wire *wire, int peer, int has_ended)
{
    uint64_t limit_ns = cor_clock_ns() + wire->patience_ns;
    while (!wire->is_stopped && lost_refers(wire, peer) && cor_clock_ns() < limit_ns)
        wire->ops->progress(wire->library);
    if (wire->is_stopped || !lost_refers(wire, peer) || (has_ended && wire->peers[peer].is_near))
        return;
    lost_stop(wire);
    lost_fail(wire, "this rank has closed %s, where a transfer with rank %d did not end", wire->ops->name, peer);
}

/* The device learns it from elsewhere. */
static void lost_forget(fabric_wire *wire, int peer, int has_ended)
{
    fabric_peer *p = &wire->peers[peer];
    wire->troubled -= p->error != 0 || p->rejected;
    p->is_lost = 1;
    p->error = 0;
    free(p->rejected);
    p->rejected = NULL;
    fabric_forget_packets(wire, peer);
    fabric_forget_copies(wire, peer);
    wire->ops->lose(wire->library, peer);
    lost_drain(wire, peer, has_ended);
}

static void lost_tell(fabric_wire *wire, int peer, int has_ended, const cor_fault *why)
{
    if (wire->peers[peer].is_lost)
        return;
    lost_forget(wire, peer, has_ended);
    wire->options.lost(wire->options.sink, peer, why);
}

/* The peer may be well. */
static void lost_explain_own(const fabric_wire *wire, int peer, const char *text, cor_fault *why)
{
    const fabric_peer *p = &wire->peers[peer];
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (p->is_own == EMFILE)
        cor_fault_set(
            why, COR_ERR_PEER,
            "no connection to rank %d: this rank has too many open files (ulimit -n is %llu); %s reports: %s", peer,
            (unsigned long long)limit.rlim_cur, wire->ops->name, text);
    else
        cor_fault_set(why, COR_ERR_PEER, "no connection to rank %d: this rank has no room for it: %s reports: %s",
                      peer, wire->ops->name, p->is_own > 0 ? strerror(p->is_own) : text);
}

static void lost_explain(const fabric_wire *wire, int peer, cor_fault *why)
{
    const fabric_peer *p = &wire->peers[peer];
    char text[160];
    if (p->rejected) {
        cor_fault_set(why, COR_ERR_PEER, "rank %d is lost: it sent %s", peer, p->rejected);
        return;
    }
    if (wire->failure[0]) {
        cor_fault_set(why, COR_ERR_PEER, "rank %d is lost: %s", peer, wire->failure);
        return;
    }
    wire->ops->explain(p->error, text, sizeof text);
    if (p->is_own)
        lost_explain_own(wire, peer, text, why);
    else
        cor_fault_set(why, COR_ERR_PEER, "rank %d is lost: %s reports: %s", peer, wire->ops->name, text);
}

/* A library may notice a death before the kernel tells of it, which says more. */
static int lost_may_be_told_better(fabric_wire *wire, int peer, uint64_t now_ns)
{
    fabric_peer *p = &wire->peers[peer];
    if (!p->is_near || p->rejected || p->is_own || wire->failure[0] ||
        now_ns - p->since_ns > LOST_PATIENCE_MS * UINT64_C(1000000))
        return 0;
    cor_host_look(wire->options.host);
    return 1;
}

int fabric_tell_troubled(fabric_wire *wire)
{
    uint64_t now_ns = cor_clock_ns();
    int count = 0;
    if (wire->failure[0] && !wire->is_stopped)
        lost_stop(wire);
    for (int peer = 0; wire->troubled > 0 && peer < wire->size; peer++) {
        const fabric_peer *p = &wire->peers[peer];
        cor_fault why;
        if ((!p->error && !p->rejected) || lost_may_be_told_better(wire, peer, now_ns))
            continue;
        lost_explain(wire, peer, &why);
        lost_tell(wire, peer, 0, &why);
        count++;
    }
    return count;
}

/* The process of a peer on this host has ended; what it sent is delivered first. */
void cor_fabric_peer_ended(cor_wire *base, int peer)
{
    fabric_wire *wire = fabric_of(base);
    if (wire->peers[peer].is_lost)
        return;
    for (int i = 0; i < LOST_LAST_EVENTS && wire->ops->progress(wire->library) > 0; i++)
        ;
    lost_forget(wire, peer, 1);
}

/* ---- looked for ------------------------------------------------------------------------------------------------- */

/* Has the library lost a packet of this peer? A provider that keeps no order may deliver another one first, and a peer
 * that computes leaves a long packet half sent; but then no others come, again and again. */
static int lost_has_hole(fabric_peer *p)
{
    if (p->hole != p->taken || cor_list_is_empty(&p->early))
        p->hole_looks = 0;
    p->hole = p->taken;
    p->hole_looks += p->has_come_early && !cor_list_is_empty(&p->early);
    p->has_come_early = 0;
    return p->hole_looks > FABRIC_HOLE_LOOKS;
}

static int lost_is_looked_at(const fabric_wire *wire, int peer)
{
    const fabric_peer *p = &wire->peers[peer];
    /* What was sent early may still wait for a connection, though nothing above waits for it. */
    return peer != wire->rank && !p->is_lost &&
           (wire->awaited[peer] || p->under_way > 0 || !cor_list_is_empty(&p->early));
}

static int lost_has_connection(const fabric_peer *p)
{
    return p->is_met || p->sent > 0 || p->taken > 0;
}

/* To look at a peer makes a connection to it. Who waits for any of many ranks shall not make one to each. */
static int lost_may_connect(const fabric_wire *wire)
{
    int count = 0;
    for (int i = 0; i < wire->size; i++)
        count += lost_is_looked_at(wire, i) && !lost_has_connection(&wire->peers[i]);
    return count <= FABRIC_LOOKS;
}

/* Is a peer that something waits for still there, and has all come that it sent? It is asked to answer, so that what it
 * sends now shows what is lacking before. */
void fabric_look(fabric_wire *wire, uint64_t now_ns)
{
    int first = wire->next_looked, looks = 0;
    wire->looked_ns = now_ns;
    if (wire->is_ending)
        return;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    int may_connect = lost_may_connect(wire);
    for (int i = 0; i < wire->size && looks < FABRIC_LOOKS; i++) {
        int peer = (first + i) % wire->size;
        fabric_peer *p = &wire->peers[peer];
        cor_fault why;
        if (!lost_is_looked_at(wire, peer))
            continue;
        looks++;
        wire->next_looked = peer + 1;
        if (wire->options.has_ended(wire->options.sink, peer)) {
            cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: its process has ended", peer);
            lost_tell(wire, peer, 1, &why);
        } else if (lost_has_hole(p)) {
            cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: %s has lost its packet %u, though later ones came",
                          peer, wire->ops->name, (unsigned)p->taken);
            lost_tell(wire, peer, 0, &why);
        } else if (p->under_way == 0 && (may_connect || lost_has_connection(p))) {
            fabric_send_nothing(wire, peer, FABRIC_ASKS);
        }
    }
}
