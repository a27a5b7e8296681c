/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver of a partitioned message. */
#include "part/part_state.h"

/* Where a piece goes; what does not fit the message gets no room, and is an error of its transfer. */
static cor_payload recv_place(part *p, uint32_t piece)
{
    uint64_t begin = piece * p->card.piece_bytes;
    size_t bytes = part_piece_bytes(p, piece);
    if (begin >= p->whole.bytes)
        return cor_payload_plain(NULL, 0);
    size_t rest = p->whole.bytes - (size_t)begin;
    return cor_payload_slice(&p->whole, (size_t)begin, bytes < rest ? bytes : rest);
}

int part_recv_start(part *p)
{
    if (!p->has_card || p->card_transfer.error != COR_OK)
        return 0;
    for (; p->started < p->card.piece_count; p->started++) {
        cor_transfer *t = &p->transfers[p->started];
        cor_payload payload = recv_place(p, p->started);
        int rc = p->device->ops->irecv(p->device, t, p->peer, part_piece_context(p), part_piece_tag(p, p->started),
                                       &payload);
        if (rc != COR_OK)
            *t = (cor_transfer){.is_done = 1, .error = rc};
    }
    return 1;
}

static int recv_has_pieces(const part *p, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++)
        if (!p->transfers[i].is_done)
            return 0;
    return 1;
}

/* The pieces that lie in the partition are all there. Under the lock. */
static int recv_has(const part *p, int partition)
{
    uint64_t begin = (uint64_t)partition * p->partition_bytes, end = begin + p->partition_bytes;
    if (!p->is_active)
        return 1;
    if (!p->has_card || p->started < p->card.piece_count || p->card.bytes > p->whole.bytes)
        return 0;
    if (end > p->card.bytes)
        return recv_has_pieces(p, 0, p->card.piece_count - 1);
    if (end == begin)
        return recv_has_pieces(p, 0, 0);
    return recv_has_pieces(p, begin / p->card.piece_bytes, (end - 1) / p->card.piece_bytes);
}

int cor_part_arrived(cor_request *request, int partition, int *flag_p)
{
    part *p = cor_job_of(request);
    int rc = cor_comm_enter_open(p->comm);
    if (rc != COR_OK)
        return rc;
    *flag_p = recv_has(p, partition);
    if (!*flag_p) {
        cor_device_poll(p->device);
        if (cor_device_is_closed(p->device)) { /* the lock was released meanwhile */
            cor_comm_leave(p->comm);
            return COR_ERR_FINALIZED;
        }
        *flag_p = recv_has(p, partition);
    }
    cor_comm_leave(p->comm);
    return COR_OK;
}
