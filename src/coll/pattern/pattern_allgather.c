/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks to all: around a ring, and by recursive doubling. */
#include "coll/pattern/pattern.h"

/* ---- a ring ----------------------------------------------------------------------------------------------------- */

/* In step k every member forwards block me - k, which it received in the step before. Empty blocks are not sent: every
 * rank knows which they are. */
typedef struct bucket_ring {
    cor_plan *plan;
    const cor_party *party;
    cor_ref all;
    const size_t *starts;
} bucket_ring;

static cor_ref bucket_block(const bucket_ring *ring, int back)
{
    int size = ring->party->size;
    return cor_ref_block(ring->all, ring->starts, (ring->party->me - back + size) % size);
}

static int bucket_recv(const bucket_ring *ring, int step)
{
    int size = ring->party->size;
    cor_ref in = bucket_block(ring, step + 1);
    return in.bytes > 0 ? cor_plan_recv(ring->plan, ring->party, (ring->party->me - 1 + size) % size, in) : -1;
}

void cor_allgather_bucket(cor_plan *plan, const cor_party *party, cor_ref all, const size_t *starts, int is_posted)
{
    int last = party->size - 1;
    if (party->me < 0 || last == 0)
        return;
    bucket_ring ring = {plan, party, all, starts};
    int *received = cor_plan_note(plan, (size_t)last * sizeof *received);
    if (!received)
        return;
    for (int step = 0; is_posted && step < last; step++)
        received[step] = bucket_recv(&ring, step);
    for (int step = 0; step < last; step++) {
        cor_ref out = bucket_block(&ring, step);
        if (!is_posted)
            received[step] = bucket_recv(&ring, step);
        if (out.bytes > 0)
            cor_plan_send(plan, party, (party->me + 1) % party->size, out);
        if (received[step] >= 0)
            cor_plan_wait(plan, received[step]);
    }
    cor_plan_wait_all(plan);
}

/* ---- recursive doubling ----------------------------------------------------------------------------------------- */

/* Members [low, high) halve until one is left. On the way back member i of the left half and member i of the right
 * half exchange the blocks of their halves: always one piece of the stream. A left half that is longer by one has a
 * member without partner, which gets it from the last of the right half. */
static void doubling_within(cor_plan *plan, const cor_party *party, cor_ref all, const size_t *starts, int low,
                            int high)
{
    if (high - low < 2)
        return;
    int middle = low + (high - low + 1) / 2, me = party->me;
    cor_ref left = cor_ref_part(all, starts[low], starts[middle] - starts[low]);
    cor_ref right = cor_ref_part(all, starts[middle], starts[high] - starts[middle]);
    if (me < middle) {
        doubling_within(plan, party, all, starts, low, middle);
        int partner = me + middle - low;
        int is_odd = partner >= high;
        if (right.bytes > 0)
            cor_plan_recv(plan, party, is_odd ? high - 1 : partner, right);
        if (left.bytes > 0 && !is_odd)
            cor_plan_send(plan, party, partner, left);
    } else {
        doubling_within(plan, party, all, starts, middle, high);
        int partner = me - middle + low;
        if (left.bytes > 0)
            cor_plan_recv(plan, party, partner, left);
        if (right.bytes > 0)
            cor_plan_send(plan, party, partner, right);
        if (right.bytes > 0 && me == high - 1 && partner + 1 < middle)
            cor_plan_send(plan, party, partner + 1, right);
    }
    cor_plan_wait_all(plan);
}

void cor_allgather_bde(cor_plan *plan, const cor_party *party, cor_ref all, const size_t *starts)
{
    if (party->me >= 0)
        doubling_within(plan, party, all, starts, 0, party->size);
}
