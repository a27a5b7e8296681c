/* SPDX-License-Identifier: Apache-2.0 */
/* The sender of a partitioned message. */
#include "part/part_state.h"

#include "base/cpu.h"

#include <stdlib.h>

enum { SEND_POLLS = 200 }; /* of the lock that another thread has, before waiting for it */

static uint32_t send_piece_partitions(const part *p)
{
    if (p->partitions == 0)
        return 1;
    size_t least = (PART_PIECE_LEAST + p->partition_bytes - 1) / (p->partition_bytes ? p->partition_bytes : 1);
    size_t few = ((size_t)p->partitions + PART_PIECES_MAX - 1) / PART_PIECES_MAX;
    size_t partitions = p->partition_bytes == 0 ? (size_t)p->partitions : least > few ? least : few;
    return (uint32_t)(partitions < (size_t)p->partitions ? partitions : (size_t)p->partitions);
}

/* How far tags from `first` on must move to leave out those of the other one; 0: they have none in common. */
static uint32_t send_tags_move(const part *other, uint32_t first, uint32_t count)
{
    uint32_t ahead = (other->card.first_tag - first) % PART_TAGS, behind = (first - other->card.first_tag) % PART_TAGS;
    if (ahead < count)
        return ahead + other->card.piece_count;
    return behind < other->card.piece_count ? other->card.piece_count - behind : 0;
}

/* Take tags that no other request to this rank has. Only from the second round on do the others have to be asked. */
static int send_take_tags(part *p, uint32_t count, uint32_t *first_p)
{
    cor_comm *comm = p->comm;
    uint64_t first = comm->partitioned_tags, start = first;
    int has_moved = first + count > PART_TAGS;
    while (has_moved && first - start < PART_TAGS) {
        has_moved = 0;
        for (cor_link *link = comm->partitioned_sends.next; link != &comm->partitioned_sends; link = link->next) {
            const part *other = COR_OWNER(link, part, in_sends);
            uint32_t move = other->peer == p->peer ? send_tags_move(other, (uint32_t)first, count) : 0;
            first += move;
            has_moved |= move > 0;
        }
    }
    if (has_moved)
        return COR_ERR_MEMORY;
    *first_p = (uint32_t)(first % PART_TAGS);
    comm->partitioned_tags = first + count;
    return COR_OK;
}

int part_send_prepare(part *p)
{
    p->piece_partitions = send_piece_partitions(p);
    uint32_t count = p->partitions ? ((uint32_t)p->partitions - 1) / p->piece_partitions + 1 : 1;
    p->card = (part_card){
        .bytes = p->whole.bytes, .piece_bytes = p->piece_partitions * p->partition_bytes, .piece_count = count};
    if (send_take_tags(p, count, &p->card.first_tag) != COR_OK)
        return COR_ERR_MEMORY;
    cor_list_append(&p->comm->partitioned_sends, &p->in_sends);
    p->transfers = calloc(count, sizeof *p->transfers);
    p->missing = calloc(count, sizeof *p->missing);
    p->next = calloc(count, sizeof *p->next);
    p->marked = calloc((size_t)p->partitions, sizeof *p->marked);
    return p->transfers && p->missing && p->next && p->marked ? COR_OK : COR_ERR_MEMORY;
}

static void send_piece(part *p, uint32_t piece)
{
    cor_transfer *t = &p->transfers[piece];
    cor_payload payload =
        cor_payload_slice(&p->whole, (size_t)(piece * p->card.piece_bytes), part_piece_bytes(p, piece));
    int rc = p->device->ops->isend(p->device, t, p->peer, part_piece_context(p), part_piece_tag(p, piece), &payload);
    if (rc != COR_OK)
        *t = (cor_transfer){.is_done = 1, .error = rc};
    p->started++;
}

int part_send_ready(part *p)
{
    /* acquire: what the threads that marked the pieces have written to the buffer. */
    uint32_t top = atomic_exchange_explicit(&p->ready, 0, memory_order_acquire);
    int count = 0;
    for (; top; top = p->next[top - 1], count++)
        send_piece(p, top - 1);
    return count;
}

static void send_push(part *p, uint32_t piece)
{
    uint32_t top = atomic_load_explicit(&p->ready, memory_order_relaxed);
    do
        p->next[piece] = top;
    /* release: the buffer, and `next`. The stack is only ever emptied as a whole, so a number cannot come back. */
    while (!atomic_compare_exchange_weak_explicit(&p->ready, &top, piece + 1, memory_order_release,
                                                  memory_order_relaxed));
}

void part_send_start(part *p)
{
    for (int i = 0; i < p->partitions; i++)
        atomic_store_explicit(&p->marked[i], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < p->card.piece_count; i++) {
        uint32_t rest = (uint32_t)p->partitions - i * p->piece_partitions;
        uint32_t count = rest < p->piece_partitions ? rest : p->piece_partitions;
        atomic_store_explicit(&p->missing[i], count, memory_order_relaxed);
    }
    p->is_marked = p->partitions == 0;
    atomic_store_explicit(&p->open, (uint64_t)p->partitions, memory_order_relaxed);
    if (p->is_marked)
        send_push(p, 0);
}

/* Returns 1 if its piece is complete now, 0 if not, -1 if it was marked before. */
static int send_mark(part *p, uint32_t partition)
{
    uint32_t piece = partition / p->piece_partitions;
    if (atomic_exchange_explicit(&p->marked[partition], 1, memory_order_relaxed))
        return -1;
    /* acq_rel: the thread that completes the piece passes on what the others have written. */
    if (atomic_fetch_sub_explicit(&p->missing[piece], 1, memory_order_acq_rel) > 1)
        return 0;
    send_push(p, piece);
    return 1;
}

/* Take the lock in order to send what is ready. 0: the thread that had the lock has sent it. That one waits or marks,
 * as a rule, and sends all that it finds; but it may also be in a short call that makes no progress, and not come
 * back. */
static int send_enter(part *p)
{
    cor_device *device = p->device;
    if (!device->lock || cor_lock_try(device->lock))
        return 1;
    cor_device_post(device);
    for (int i = 0; i < SEND_POLLS; i++) {
        cor_cpu_relax();
        if (!atomic_load_explicit(&p->ready, memory_order_relaxed))
            return 0;
        if (cor_lock_try(device->lock))
            return 1;
    }
    cor_device_enter(device);
    return 1;
}

/* Send what is ready, if no other thread does. What is pushed while this thread has the lock is seen by the look after
 * its release: both the push and the release come before a full fence, and the try and the look after it. */
static void send_soon(part *p)
{
    cor_device *device = p->device;
    for (;;) {
        atomic_thread_fence(memory_order_seq_cst);
        if (!atomic_load_explicit(&p->ready, memory_order_relaxed) || !send_enter(p))
            return;
        if (!cor_device_is_closed(device)) {
            part_send_ready(p);
            cor_device_flush(device);
        }
        cor_device_leave(device);
    }
}

/* All are marked, and no other thread uses the request but under the lock. */
static void send_last(part *p)
{
    cor_device *device = p->device;
    cor_device_enter(device);
    if (!cor_device_is_closed(device)) {
        part_send_ready(p);
        cor_device_flush(device);
        p->is_marked = 1;
        part_end_if_done(p);
    }
    cor_device_leave(device);
}

int cor_part_ready(cor_request *request, int first, int last, int *wrong_p)
{
    part *p = cor_job_of(request);
    uint32_t marked = 0;
    int has_piece = 0, is_complete = 0;
    if (p->peer == COR_PROC_NULL)
        return COR_OK;
    /* relaxed: an active request is not complete before this thread has left the count. */
    atomic_fetch_add_explicit(&p->open, PART_MARKER, memory_order_relaxed);
    for (int i = first; i <= last && is_complete >= 0; i++) {
        is_complete = send_mark(p, (uint32_t)i);
        marked += is_complete >= 0;
        has_piece |= is_complete > 0;
        *wrong_p = i;
    }
    if (has_piece)
        send_soon(p);
    /* acq_rel: the last one comes after all that the others have done. */
    uint64_t mine = PART_MARKER + marked;
    if (atomic_fetch_sub_explicit(&p->open, mine, memory_order_acq_rel) == mine)
        send_last(p);
    return is_complete < 0 ? COR_ERR_ARG : COR_OK;
}
