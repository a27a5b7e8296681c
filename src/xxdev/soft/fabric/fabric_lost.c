/* SPDX-License-Identifier: Apache-2.0 */
/* Peers that are lost: noticed by the library, by what they send, or by a look once a second. */
#include "base/clock.h"
#include "xxdev/soft/fabric/fabric_state.h"

#include <stdlib.h>
#include <string.h>

enum { LOST_LAST_EVENTS = 10000, LOST_PATIENCE_MS = 500 };

/* The device learns it from elsewhere. */
static void lost_forget(fabric_wire *wire, int peer)
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
}

static void lost_tell(fabric_wire *wire, int peer, const cor_fault *why)
{
    if (wire->peers[peer].is_lost)
        return;
    lost_forget(wire, peer);
    wire->options.lost(wire->options.sink, peer, why);
}

/* ---- noticed ---------------------------------------------------------------------------------------------------- */

/* To lose a peer takes calls of the library that are not made in its progress: the poll under way, or the next, makes
 * them. */
void fabric_unreached(void *subject, int peer, int error)
{
    fabric_wire *wire = subject;
    fabric_peer *p = &wire->peers[peer];
    if (wire->is_ending || p->is_lost || p->error || p->rejected)
        return;
    p->error = error ? error : -1;
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

void cor_fabric_reject(cor_wire *base, int peer, const char *what)
{
    fabric_reject(fabric_of(base), peer, what);
}

static void lost_explain(const fabric_wire *wire, int peer, cor_fault *why)
{
    const fabric_peer *p = &wire->peers[peer];
    char text[160];
    if (p->rejected) {
        cor_fault_set(why, COR_ERR_PEER, "rank %d is lost: it sent %s", peer, p->rejected);
        return;
    }
    wire->ops->explain(p->error, text, sizeof text);
    cor_fault_set(why, COR_ERR_PEER, "rank %d is lost: %s reports: %s", peer, wire->ops->name, text);
}

/* A library may notice a death before the kernel tells of it, which says more. */
static int lost_may_be_told_better(fabric_wire *wire, int peer, uint64_t now_ns)
{
    fabric_peer *p = &wire->peers[peer];
    if (!p->is_near || p->rejected || now_ns - p->since_ns > LOST_PATIENCE_MS * UINT64_C(1000000))
        return 0;
    cor_host_look(wire->options.host);
    return 1;
}

int fabric_tell_troubled(fabric_wire *wire)
{
    uint64_t now_ns = cor_clock_ns();
    int count = 0;
    for (int peer = 0; wire->troubled > 0 && peer < wire->size; peer++) {
        const fabric_peer *p = &wire->peers[peer];
        cor_fault why;
        if ((!p->error && !p->rejected) || lost_may_be_told_better(wire, peer, now_ns))
            continue;
        lost_explain(wire, peer, &why);
        lost_tell(wire, peer, &why);
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
    lost_forget(wire, peer);
}

/* ---- looked for ------------------------------------------------------------------------------------------------- */

/* Is a peer that something waits for still there? */
void fabric_look(fabric_wire *wire, uint64_t now_ns)
{
    int first = wire->next_looked, looks = 0;
    wire->looked_ns = now_ns;
    if (wire->is_ending)
        return;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int i = 0; i < wire->size && looks < FABRIC_LOOKS; i++) {
        int peer = (first + i) % wire->size;
        cor_fault why;
        /* What was sent early may still wait for a connection, though nothing above waits for it. */
        if ((!wire->awaited[peer] && wire->peers[peer].under_way == 0) || wire->peers[peer].is_lost ||
            peer == wire->rank)
            continue;
        looks++;
        wire->next_looked = peer + 1;
        if (wire->options.has_ended(wire->options.sink, peer)) {
            cor_fault_set(&why, COR_ERR_PEER, "rank %d is lost: its process has ended", peer);
            lost_tell(wire, peer, &why);
        } else if (wire->peers[peer].under_way == 0) {
            fabric_send_nothing(wire, peer);
        }
    }
}
