/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of byte rings that are not used any more, after a phase in which many ranks talked to many.
 *
 * The writer of a ring gives it back: it knows that nothing is in it, and that no byte will be before its own next
 * send. It looks when it is about to sleep, at most once a second, and takes the rings that it has not used since the
 * last look. The slots stay: they are short, and readers poll them. Rings of neighbours go together, since every piece
 * makes the kernel visit all processes that map it.
 */
#include "base/clock.h"
#include "xxdev/soft/sm/sm_state.h"

enum { SM_IDLE_NS = 1000 * 1000 * 1000 };

/* Was nothing written since the last look, and all taken that was written before? */
static int sm_ring_is_idle(sm_idle *idle, const sm_writer *w)
{
    int is_unused = idle->seen == w->bytes_sent;
    idle->seen = w->bytes_sent;
    /* acquire: the reader has copied everything out before it updates its count; only then the pages may be
     * returned. */
    return is_unused && (idle->given_back == w->bytes_sent ||
                         atomic_load_explicit(&w->channel->bytes_taken, memory_order_acquire) == w->bytes_sent);
}

/* The rings to these local ranks, of which all are idle. */
static void sm_give_back_rings(sm_wire *wire, int first, int last)
{
    size_t bytes = (size_t)(last - first + 1) * wire->shape.ring_bytes;
    cor_host_give_back(wire->host, wire->peers[first].writer.ring, bytes);
    for (int i = first; i <= last; i++)
        wire->idle[i].given_back = wire->idle[i].seen;
}

void sm_give_back_idle(sm_wire *wire)
{
    uint64_t now = cor_clock_ns();
    if (now < wire->next_look_ns)
        return;
    wire->next_look_ns = now + SM_IDLE_NS;
    int first = -1, last = -1; /* of those in a row, the outer ones that have pages */
    for (int i = 0; i < wire->host->count; i++) {
        if (!sm_ring_is_idle(&wire->idle[i], &wire->peers[i].writer)) {
            if (first >= 0)
                sm_give_back_rings(wire, first, last);
            first = -1;
        } else if (wire->idle[i].given_back != wire->idle[i].seen) {
            first = first < 0 ? i : first;
            last = i;
        }
    }
    if (first >= 0)
        sm_give_back_rings(wire, first, last);
}
