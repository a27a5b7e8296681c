/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why nothing moves. A rank waits for another one if it cannot go on before that one does something: for the one that a
 * receive, a send or a request names, and in a collective call for every member that has not come to it. A rank that
 * would take a message from any rank waits for none in particular.
 *
 * A cycle of waits never ends, whatever the other ranks do, if each of them is sure. Not sure is a wait between a send
 * and the receive that it matches, whose message is on its way; one of several threads, because the record tells of one
 * of them; and one in a collective call that some members may leave before others have come. Where there is no cycle,
 * but all ranks wait, at last, for a single one, that is the one to look at.
 */
#include "trace/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Is this rank in a call that has not moved for a while? */
static int waits_is_stuck(const cor_picture *picture, uint32_t rank, uint64_t for_ns)
{
    const cor_picture_rank *seen = &picture->ranks[rank];
    return seen->state == COR_RANK_OPEN && seen->now.is_waiting && seen->now.moved_ns + for_ns <= picture->now_ns;
}

static int waits_is_member(const cor_picture *picture, const cor_now *now, uint32_t rank)
{
    if (now->has_members && rank < COR_RECORD_MEMBER_WORDS * 64)
        return now->members[rank / 64] >> rank % 64 & 1;
    return !now->has_members && now->comm_size == picture->size;
}

/* Has the other one come to the collective call that this one is in, or gone beyond it? If its last one was on another
 * communicator, this is not known, and the other one is not blamed. */
static int waits_has_come(const cor_now *one, const cor_picture_rank *other)
{
    const cor_now *now = &other->now;
    if (one->call == COR_TRACED_FINALIZE)
        return other->state != COR_RANK_OPEN || (now->is_waiting && now->call == one->call);
    if (other->state != COR_RANK_OPEN || now->coll_number == 0)
        return 0;
    return now->coll_context != one->coll_context || now->coll_number >= one->coll_number;
}

/* Does `rank`, which is stuck, wait for the other one? */
static int waits_for(const cor_picture *picture, uint32_t rank, uint32_t other)
{
    const cor_now *now = &picture->ranks[rank].now;
    if (now->peer != COR_NOW_MEMBERS)
        return now->peer >= 0 && (uint32_t)now->peer == other;
    return other != rank && waits_is_member(picture, now, other) && !waits_has_come(now, &picture->ranks[other]);
}

/* Can no member leave this call before all have come to it? The members a scan waits for are not known. */
static int waits_for_all(uint32_t call)
{
    static const uint16_t calls[] = {COR_TRACED_FINALIZE,  COR_TRACED_BARRIER,        COR_TRACED_GATHER,
                                     COR_TRACED_ALLGATHER, COR_TRACED_ALLTOALL,       COR_TRACED_REDUCE,
                                     COR_TRACED_ALLREDUCE, COR_TRACED_REDUCE_SCATTER, COR_TRACED_REDUCE_SCATTER_BLOCK};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return 1;
    return 0;
}

/* Is one of them in a send that the receive of the other matches? */
static int waits_meet(const cor_now *one, const cor_now *other)
{
    const cor_now *receive = one->way == COR_WAY_FROM ? one : other;
    int is_pair = (one->way == COR_WAY_TO && other->way == COR_WAY_FROM) ||
                  (one->way == COR_WAY_FROM && other->way == COR_WAY_TO);
    return is_pair && one->context == other->context && (receive->tag < 0 || one->tag == other->tag);
}

/* Does `rank`, which is stuck and waits for the other one, do so until that does something else than it does now? */
static int waits_surely(const cor_picture *picture, uint32_t rank, uint32_t other)
{
    const cor_now *now = &picture->ranks[rank].now, *others = &picture->ranks[other].now;
    int do_meet = others->is_waiting && others->peer >= 0 && (uint32_t)others->peer == rank && waits_meet(now, others);
    return now->threads <= 1 && !do_meet && (now->peer != COR_NOW_MEMBERS || waits_for_all(now->call));
}

/* The first rank from `from` on that `rank`, which is stuck, waits for; picture->size: no more. */
static uint32_t waits_next(const cor_picture *picture, uint32_t rank, uint32_t from, int is_sure)
{
    const cor_now *now = &picture->ranks[rank].now;
    uint32_t other = now->peer >= 0 && (uint32_t)now->peer > from ? (uint32_t)now->peer : from;
    while (other < picture->size &&
           !(waits_for(picture, rank, other) && (!is_sure || waits_surely(picture, rank, other))))
        other++;
    return other < picture->size ? other : picture->size;
}

/* ---- a cycle ---------------------------------------------------------------------------------------------------- */

typedef struct waits_search {
    uint32_t *path, *from; /* the ranks on the way here, and where to look on at each */
    unsigned char *seen;   /* 1: on the path, 2: leads to no cycle */
} waits_search;

/* Walk from `start`. The length of the cycle that was found, whose ranks are the last of path[0..*depth_p), or 0. */
static uint32_t waits_walk(const cor_picture *picture, waits_search *search, uint32_t start, uint64_t for_ns,
                           uint32_t *depth_p)
{
    uint32_t depth = 1;
    search->path[0] = start;
    search->from[0] = 0;
    search->seen[start] = 1;
    while (depth > 0) {
        uint32_t rank = search->path[depth - 1], next = picture->size;
        if (waits_is_stuck(picture, rank, for_ns))
            next = waits_next(picture, rank, search->from[depth - 1], 1);
        if (next == picture->size) {
            search->seen[rank] = 2;
            depth--;
            continue;
        }
        search->from[depth - 1] = next + 1;
        if (search->seen[next] == 1) {
            uint32_t length = 1;
            while (search->path[depth - length] != next)
                length++;
            *depth_p = depth;
            return length;
        }
        if (search->seen[next] == 0) {
            search->path[depth] = next;
            search->from[depth++] = 0;
            search->seen[next] = 1;
        }
    }
    return 0;
}

static void waits_tell_cycle(const cor_picture *picture, const uint32_t *cycle, uint32_t length, char *out,
                             size_t out_bytes)
{
    enum { MOST = 12 };
    size_t at = (size_t)snprintf(out, out_bytes, "deadlock: ");
    if (length == 1)
        snprintf(out + at, out_bytes - at, "rank %" PRIu32 " waits for itself in %s", cycle[0],
                 cor_traced_name(picture->ranks[cycle[0]].now.call, picture->ranks[cycle[0]].face));
    for (uint32_t i = 0; length > 1 && i < length && at < out_bytes; i++) {
        const cor_picture_rank *seen = &picture->ranks[cycle[i]];
        if (i >= MOST && i + 1 < length)
            continue;
        at += (size_t)snprintf(out + at, out_bytes - at, "%s%srank %" PRIu32 " waits for %" PRIu32 " (%s)",
                               i == 0 ? "" : ", ", i + 1 == length && i > MOST ? "..., " : "", cycle[i],
                               cycle[(i + 1) % length], cor_traced_name(seen->now.call, seen->face));
    }
}

/* `out` NULL: nothing is told. */
static int waits_find_cycle(const cor_picture *picture, uint64_t for_ns, waits_search *search, char *out,
                            size_t out_bytes)
{
    for (uint32_t start = 0; start < picture->size; start++) {
        uint32_t depth = 0;
        uint32_t length = search->seen[start] ? 0 : waits_walk(picture, search, start, for_ns, &depth);
        if (length > 0 && out)
            waits_tell_cycle(picture, search->path + depth - length, length, out, out_bytes);
        if (length > 0)
            return 1;
    }
    return 0;
}

/* ---- the one that all wait for ---------------------------------------------------------------------------------- */

/* How many ranks wait, through others or not, for this one? */
static uint32_t waits_count(const cor_picture *picture, uint32_t last, uint64_t for_ns, waits_search *search)
{
    uint32_t count = 0, taken = 0;
    memset(search->seen, 0, picture->size);
    search->seen[last] = 1;
    search->path[count++] = last;
    while (taken < count) {
        uint32_t target = search->path[taken++];
        for (uint32_t rank = 0; rank < picture->size; rank++)
            if (!search->seen[rank] && waits_is_stuck(picture, rank, for_ns) && waits_for(picture, rank, target)) {
                search->seen[rank] = 1;
                search->path[count++] = rank;
            }
    }
    return count - 1;
}

static int waits_find_last(const cor_picture *picture, uint64_t for_ns, waits_search *search, char *out,
                           size_t out_bytes)
{
    uint32_t last = picture->size, ends = 0, others = 0;
    char phrase[512];
    for (uint32_t rank = 0; rank < picture->size; rank++) {
        if (picture->ranks[rank].state != COR_RANK_ENDED)
            others++;
        if (!waits_is_stuck(picture, rank, for_ns) || waits_next(picture, rank, 0, 0) == picture->size) {
            if (picture->ranks[rank].state != COR_RANK_ENDED)
                ends++, last = rank;
        }
    }
    if (ends != 1 || others < 2 || waits_count(picture, last, for_ns, search) != others - 1)
        return 0;
    cor_picture_phrase(picture, last, phrase, sizeof phrase);
    snprintf(out, out_bytes, "all other ranks wait for rank %" PRIu32 ", which is %s", last, phrase);
    return 1;
}

static int waits_search_begin(const cor_picture *picture, waits_search *search)
{
    search->path = malloc((picture->size + 1) * sizeof *search->path);
    search->from = malloc((picture->size + 1) * sizeof *search->from);
    search->seen = calloc(picture->size + 1, 1);
    return search->path && search->from && search->seen;
}

static void waits_search_end(waits_search *search)
{
    free(search->path);
    free(search->from);
    free(search->seen);
}

int cor_waits_explain(const cor_picture *picture, uint64_t for_ns, char *out, size_t out_bytes)
{
    waits_search search;
    int is_found =
        waits_search_begin(picture, &search) && (waits_find_cycle(picture, for_ns, &search, out, out_bytes) ||
                                                 waits_find_last(picture, for_ns, &search, out, out_bytes));
    waits_search_end(&search);
    return is_found;
}

int cor_waits_is_deadlock(const cor_picture *picture, uint64_t for_ns)
{
    waits_search search;
    int is_found = waits_search_begin(picture, &search) && waits_find_cycle(picture, for_ns, &search, NULL, 0);
    waits_search_end(&search);
    return is_found;
}
