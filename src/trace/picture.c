/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/picture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_STILL_NS = 1000000000 }; /* a rank that has not moved for this time is stuck, for the last line */

int cor_picture_take(cor_picture *picture, const cor_record *record)
{
    uint32_t size = record->header.size;
    *picture = (cor_picture){.size = size, .ranks = calloc(size, sizeof *picture->ranks)};
    if (!picture->ranks)
        return -1;
    for (uint32_t rank = 0; rank < size; rank++) {
        const cor_record_slot *slot = cor_record_slot_of(record, rank);
        cor_picture_rank *seen = &picture->ranks[rank];
        seen->state = cor_record_state_of(slot);
        /* A launcher writes pid and host before it starts a rank; a rank that has its own
         * record, before it is open. */
        if (seen->state != COR_RANK_ABSENT || !(record->header.flags & COR_RECORD_IS_OWN)) {
            seen->pid = slot->pid;
            seen->face = slot->face;
            cor_record_host(slot, seen->host);
            seen->now = cor_record_now(slot);
        }
    }
    picture->now_ns = cor_clock_ns();
    return 0;
}

void cor_picture_fini(cor_picture *picture)
{
    free(picture->ranks);
    picture->ranks = NULL;
}

int cor_picture_is_stalled(const cor_picture *picture, uint64_t for_ns)
{
    uint32_t waiting = 0;
    for (uint32_t rank = 0; rank < picture->size; rank++) {
        const cor_picture_rank *seen = &picture->ranks[rank];
        if (seen->state == COR_RANK_ENDED)
            continue;
        if (seen->state != COR_RANK_OPEN || !seen->now.is_waiting || seen->now.moved_ns + for_ns > picture->now_ns)
            return 0;
        waiting++;
    }
    return waiting > 0;
}

static int picture_is_collective(const cor_now *now)
{
    return now->call >= COR_TRACED_FINALIZE;
}

static void picture_add(char *out, size_t out_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void picture_add(char *out, size_t out_bytes, const char *format, ...)
{
    size_t at = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + at, out_bytes - at, format, arguments);
    va_end(arguments);
}

static void picture_add_peer(char *out, size_t out_bytes, const cor_now *now)
{
    const char *word = now->way == COR_WAY_TO ? " to" : now->way == COR_WAY_FROM ? " from" : ", waiting for";
    if (picture_is_collective(now))
        picture_add(out, out_bytes, " of %" PRIu32 " ranks", now->comm_size);
    if (now->peer >= 0)
        picture_add(out, out_bytes, "%s %d", word, now->peer);
    else if (now->peer == COR_NOW_ANY)
        picture_add(out, out_bytes, "%s any rank", word);
    if (now->way != COR_WAY_NONE && now->tag >= 0)
        picture_add(out, out_bytes, ", tag %d", now->tag);
}

void cor_picture_phrase(const cor_picture *picture, uint32_t rank, char *out, size_t out_bytes)
{
    static const char *const words[COR_RANK_STATES] = {
        [COR_RANK_ABSENT] = "not in MPI yet",
        [COR_RANK_OPEN] = "computing",
        [COR_RANK_CLOSED] = "done with MPI",
        [COR_RANK_ENDED] = "ended",
    };
    const cor_picture_rank *seen = &picture->ranks[rank];
    const cor_now *now = &seen->now;
    if (seen->state != COR_RANK_OPEN || !now->is_waiting) {
        snprintf(out, out_bytes, "%s", words[seen->state]);
        return;
    }
    double since_s = now->since_ns < picture->now_ns ? (double)(picture->now_ns - now->since_ns) / 1e9 : 0;
    snprintf(out, out_bytes, "in %s", cor_traced_name(now->call, seen->face));
    picture_add_peer(out, out_bytes, now);
    if (now->bytes > 0)
        picture_add(out, out_bytes, ", %" PRIu64 " B", now->bytes);
    if (now->comm_size != picture->size && !picture_is_collective(now))
        picture_add(out, out_bytes, ", in a communicator of %" PRIu32, now->comm_size);
    picture_add(out, out_bytes, ", since %.1f s", since_s);
    if (now->threads > 1)
        picture_add(out, out_bytes, " (%" PRIu32 " threads wait)", now->threads);
    if (now->queued_messages > 0)
        picture_add(out, out_bytes, "; %" PRIu64 " message%s (%" PRIu64 " B) queued", now->queued_messages,
                    now->queued_messages == 1 ? "" : "s", now->queued_bytes);
}

void cor_picture_print(const cor_picture *picture, FILE *out, const char *prefix, uint32_t most)
{
    char text[1024];
    for (uint32_t rank = 0; rank < picture->size && rank < most; rank++) {
        const cor_picture_rank *seen = &picture->ranks[rank];
        cor_picture_phrase(picture, rank, text, sizeof text);
        fprintf(out, "%srank %" PRIu32, prefix, rank);
        if (seen->pid != 0)
            fprintf(out, " on %s, pid %d", seen->host, seen->pid);
        fprintf(out, ": %s\n", text);
    }
    if (picture->size > most)
        fprintf(out, "%sand %" PRIu32 " more ranks; `corunna ps JOB` shows all\n", prefix, picture->size - most);
    if (cor_waits_explain(picture, PICTURE_STILL_NS, text, sizeof text))
        fprintf(out, "%s%s\n", prefix, text);
}
