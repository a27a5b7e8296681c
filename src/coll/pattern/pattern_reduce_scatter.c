/* SPDX-License-Identifier: Apache-2.0 */
/* Every member gets one block of the result: around a ring, and by recursive halving. */
#include "coll/pattern/pattern.h"

/* In place, a member's block of the result may overlap blocks of `in` that are still to be sent to others, or another
 * part of its own: it is then assembled elsewhere and written at the end. */
static int is_overlaid(const cor_plan *plan, cor_ref in, cor_ref mine)
{
    return in.slot == mine.slot || (plan->is_in_place && in.slot != COR_SLOT_TEMP && mine.slot != COR_SLOT_TEMP);
}

/* ---- a ring ----------------------------------------------------------------------------------------------------- */

/* The partial result for block b starts at member b + 1 and goes round, each member adding its own values, until
 * member b adds the last. In step k a member receives the one for block me - 2 - k, in room of its own. */
typedef struct bucket_ring {
    cor_plan *plan;
    const cor_party *party;
    cor_ref in, mine;
    const size_t *starts;
    cor_ref *rooms; /* one a step */
    int *received;
} bucket_ring;

static int bucket_number(const bucket_ring *ring, int step)
{
    int size = ring->party->size;
    return (ring->party->me - 2 - step + 2 * size) % size;
}

static size_t bucket_bytes(const bucket_ring *ring, int step)
{
    return cor_ref_block(ring->in, ring->starts, bucket_number(ring, step)).bytes;
}

/* Where all receives are posted first each needs room of its own; else two take turns. */
static void bucket_make_room(bucket_ring *ring, int last, int is_posted)
{
    size_t largest = 0;
    for (int step = 0; step < last; step++)
        largest = bucket_bytes(ring, step) > largest ? bucket_bytes(ring, step) : largest;
    for (int step = 0; step < last; step++) {
        size_t bytes = bucket_bytes(ring, step);
        if (is_posted || step < 2)
            ring->rooms[step] = cor_plan_temp(ring->plan, is_posted ? bytes : largest);
        else
            ring->rooms[step] = ring->rooms[step - 2];
        ring->rooms[step].bytes = bytes;
    }
}

static void bucket_recv(bucket_ring *ring, int step)
{
    int size = ring->party->size;
    cor_ref room = ring->rooms[step];
    ring->received[step] =
        room.bytes > 0 ? cor_plan_recv(ring->plan, ring->party, (ring->party->me - 1 + size) % size, room) : -1;
}

/* The last partial result lacks only this member's values. */
static void bucket_finish(const bucket_ring *ring, cor_ref partial)
{
    cor_ref own = cor_ref_block(ring->in, ring->starts, ring->party->me);
    if (!is_overlaid(ring->plan, ring->in, ring->mine)) {
        cor_plan_reduce(ring->plan, partial, own, ring->mine);
        cor_plan_wait_all(ring->plan);
        return;
    }
    cor_plan_reduce(ring->plan, partial, own, partial);
    cor_plan_wait_all(ring->plan);
    cor_plan_copy(ring->plan, partial, ring->mine);
}

void cor_reduce_scatter_bucket(cor_plan *plan, const cor_party *party, cor_ref in, const size_t *starts, cor_ref mine,
                               int is_posted)
{
    int last = party->size - 1, me = party->me;
    if (me < 0)
        return;
    bucket_ring ring = {plan, party, in, mine, starts, NULL, NULL};
    ring.rooms = cor_plan_note(plan, (size_t)party->size * sizeof *ring.rooms);
    ring.received = cor_plan_note(plan, (size_t)party->size * sizeof *ring.received);
    if (!ring.rooms || !ring.received)
        return;
    cor_ref out = cor_ref_block(in, starts, (me + last) % party->size);
    if (last == 0) {
        cor_plan_copy(plan, out, mine);
        return;
    }
    bucket_make_room(&ring, last, is_posted);
    for (int step = 0; step < (is_posted ? last : 1); step++)
        bucket_recv(&ring, step);
    for (int step = 0; step < last; step++) {
        cor_ref room = ring.rooms[step];
        int sent = out.bytes > 0 ? cor_plan_send(plan, party, (me + 1) % party->size, out) : -1;
        if (ring.received[step] >= 0)
            cor_plan_wait(plan, ring.received[step]);
        if (!is_posted && sent >= 0)
            cor_plan_wait(plan, sent); /* its room is the next one's */
        if (!is_posted && step + 1 < last)
            bucket_recv(&ring, step + 1);
        if (step + 1 < last)
            cor_plan_reduce(plan, room, cor_ref_block(in, starts, bucket_number(&ring, step)), room);
        out = room;
    }
    bucket_finish(&ring, out);
}

/* ---- recursive halving ------------------------------------------------------------------------------------------ */

/* What a member has combined so far: the stream from byte `from` of it on. */
typedef struct halving_sum {
    cor_ref ref;
    size_t from;
    int is_own;   /* may be written: not the caller's values any more */
    cor_ref mine; /* where the last sum goes, if */
    int may_use_mine;
} halving_sum;

static cor_ref halving_piece(const halving_sum *sum, const size_t *starts, int low, int high)
{
    return cor_ref_part(sum->ref, starts[low] - sum->from, starts[high] - starts[low]);
}

/* Take in the values of `theirs`, for the blocks [low, high). They come from higher ranks, or from lower ones. */
static void halving_add(cor_plan *plan, halving_sum *sum, const size_t *starts, int low, int high, cor_ref theirs,
                        int is_higher)
{
    cor_ref ours = halving_piece(sum, starts, low, high);
    int is_last = high - low == 1 && sum->may_use_mine;
    cor_ref out = is_last ? sum->mine : sum->is_own ? ours : theirs;
    cor_plan_reduce(plan, is_higher ? ours : theirs, is_higher ? theirs : ours, out);
    sum->ref = out;
    sum->from = starts[low];
    sum->is_own = 1;
}

/* One level: members [low, high) with the first half ending before `middle`. Member i of the left half and member i of
 * the right give each other what they have of the other's half. A left half that is longer by one has a member without
 * partner: it gives to the last of the right half, and gets nothing. */
static void halving_level(cor_plan *plan, const cor_party *party, halving_sum *sum, const size_t *starts, int low,
                          int middle, int high)
{
    int me = party->me, is_left = me < middle, width = middle - low;
    int first = is_left ? low : middle, end = is_left ? middle : high;
    cor_ref give = is_left ? halving_piece(sum, starts, middle, high) : halving_piece(sum, starts, low, middle);
    size_t bytes = starts[end] - starts[first];
    int partner = is_left ? me + width : me - width;
    int is_odd = partner >= high;
    int has_two = !is_left && me == high - 1 && partner + 1 < middle;
    cor_ref theirs = {COR_SLOT_TEMP, 0, 0}, more = theirs;
    if (bytes > 0 && !is_odd) {
        theirs = cor_plan_temp(plan, bytes);
        cor_plan_recv(plan, party, partner, theirs);
    }
    if (bytes > 0 && has_two) {
        more = cor_plan_temp(plan, bytes);
        cor_plan_recv(plan, party, partner + 1, more);
    }
    if (give.bytes > 0)
        cor_plan_send(plan, party, is_odd ? high - 1 : partner, give);
    cor_plan_wait_all(plan);
    if (theirs.bytes > 0)
        halving_add(plan, sum, starts, first, end, theirs, is_left);
    if (more.bytes > 0)
        halving_add(plan, sum, starts, first, end, more, 0);
}

void cor_reduce_scatter_halving(cor_plan *plan, const cor_party *party, cor_ref in, const size_t *starts, cor_ref mine)
{
    if (party->me < 0)
        return;
    halving_sum sum = {in, 0, 0, mine, !is_overlaid(plan, in, mine)};
    for (int low = 0, high = party->size; high - low > 1;) {
        int middle = low + (high - low + 1) / 2;
        halving_level(plan, party, &sum, starts, low, middle, high);
        if (party->me < middle)
            high = middle;
        else
            low = middle;
    }
    cor_plan_copy(plan, halving_piece(&sum, starts, party->me, party->me + 1), mine);
}
