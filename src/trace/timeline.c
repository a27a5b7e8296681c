/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/timeline.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of a host in the file: its number is that of its first rank. */
static uint32_t timeline_host(const cor_record *record, uint32_t rank)
{
    char mine[COR_RECORD_HOST_MAX], other[COR_RECORD_HOST_MAX];
    cor_record_host(cor_record_slot_of(record, rank), mine);
    for (uint32_t first = 0; first < rank; first++) {
        const cor_record_slot *slot = cor_record_slot_of(record, first);
        cor_record_host(slot, other);
        if (cor_record_state_of(slot) != COR_RANK_ABSENT && strcmp(mine, other) == 0)
            return first;
    }
    return rank;
}

/* The moment that is 0 in the file: the first rank's beginning. */
static double timeline_begin(const cor_record *record)
{
    double begin = 0;
    for (uint32_t rank = 0; rank < record->header.size; rank++) {
        const cor_record_slot *slot = cor_record_slot_of(record, rank);
        if (slot->first.ns > 0 && (begin == 0 || (double)slot->first.ns < begin))
            begin = (double)slot->first.ns;
    }
    return begin;
}

/* A rank in the file. */
typedef struct timeline_rank {
    FILE *file;
    const cor_record_slot *slot;
    uint32_t rank, host;
    double begin_ns;
    cor_ticks_pair first, last;
} timeline_rank;

static void timeline_name(const timeline_rank *self)
{
    char host[COR_RECORD_HOST_MAX];
    cor_record_host(self->slot, host);
    if (self->host == self->rank)
        fprintf(self->file,
                ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"args\":{\"name\":\"host %s\"}}",
                self->host, host);
    fprintf(self->file,
            ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"name\":\"rank %" PRIu32 "\"}}",
            self->host, self->rank, self->rank);
    fprintf(self->file,
            ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"sort_index\":%" PRIu32 "}}",
            self->host, self->rank, self->rank);
}

static void timeline_span(const timeline_rank *self, const char *name, const char *category, double from_us,
                          double for_us)
{
    fprintf(self->file,
            ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%" PRIu32
            ",\"tid\":%" PRIu32,
            name, category, from_us, for_us, self->host, self->rank);
}

static void timeline_event(const timeline_rank *self, const cor_event *event)
{
    int is_collective = event->call >= COR_TRACED_BARRIER;
    char algorithm[COR_RECORD_ALGORITHM_MAX];
    double from_us = (cor_ticks_ns(event->begin, self->first, self->last) - self->begin_ns) / 1e3;
    double to_us = (cor_ticks_ns(event->begin + event->ticks, self->first, self->last) - self->begin_ns) / 1e3;
    uint64_t waited = event->waited < event->ticks ? event->waited : event->ticks;
    double wait_us = event->ticks > 0 ? (to_us - from_us) * (double)waited / (double)event->ticks : 0;
    timeline_span(self, cor_traced_name(event->call, self->slot->face), is_collective ? "collective" : "p2p", from_us,
                  to_us - from_us);
    fprintf(self->file, ",\"args\":{\"bytes\":%" PRIu64 ",\"ranks\":%" PRIu32 ",\"waiting_us\":%.3f", event->bytes,
            event->comm_size, wait_us);
    if (event->peer >= 0)
        fprintf(self->file, ",\"peer\":%d", event->peer);
    else if (event->peer == COR_NOW_ANY)
        fputs(",\"peer\":\"any\"", self->file);
    if (!is_collective && event->tag >= 0)
        fprintf(self->file, ",\"tag\":%d", event->tag);
    cor_record_algorithm(self->slot, event->algorithm, algorithm);
    if (algorithm[0])
        fprintf(self->file, ",\"algorithm\":\"%s\"", algorithm);
    fputs("}}", self->file);
    /* Waiting ends a call of two ranks; of a collective one it is spread over the call, and no span shows it. */
    if (!is_collective && wait_us > 0) {
        timeline_span(self, "waiting", "waiting", to_us - wait_us, wait_us);
        fputs("}", self->file);
    }
}

/* 0, or -1 when memory is out. */
static int timeline_rank_write(const timeline_rank *self, const cor_record *record, cor_timeline_gaps *gaps)
{
    size_t count;
    uint64_t dropped;
    cor_event *events = cor_record_copy_events(record, self->rank, &count, &dropped);
    timeline_name(self);
    for (size_t i = 0; i < count; i++)
        timeline_event(self, &events[i]);
    if (dropped > 0)
        fprintf(self->file,
                ",\n{\"name\":\"%" PRIu64
                " earlier calls are not here\",\"ph\":\"i\",\"s\":\"t\",\"ts\":%.3f,\"pid\":%" PRIu32
                ",\"tid\":%" PRIu32 "}",
                dropped, (cor_ticks_ns(events[0].begin, self->first, self->last) - self->begin_ns) / 1e3, self->host,
                self->rank);
    gaps->dropped += dropped;
    gaps->ranks += dropped > 0;
    free(events);
    return events ? 0 : -1;
}

int cor_timeline_write(const cor_record *record, const char *path, cor_timeline_gaps *gaps_p, cor_fault *fault)
{
    cor_output output;
    *gaps_p = (cor_timeline_gaps){0};
    int rc = cor_output_open(&output, path, fault);
    if (rc != COR_OK)
        return rc;
    double begin_ns = timeline_begin(record);
    /* The first entry has no comma before it. */
    fprintf(output.file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                         "{\"name\":\"corunna\",\"ph\":\"M\",\"pid\":0,\"args\":{\"version\":\"" COR_VERSION "\"}}");
    for (uint32_t rank = 0; rank < record->header.size && rc == COR_OK; rank++) {
        const cor_record_slot *slot = cor_record_slot_of(record, rank);
        if (cor_record_state_of(slot) == COR_RANK_ABSENT || slot->first.ns == 0)
            continue;
        timeline_rank self = {output.file, slot, rank, timeline_host(record, rank), begin_ns, {0, 0}, {0, 0}};
        cor_record_clocks(slot, &self.first, &self.last);
        if (timeline_rank_write(&self, record, gaps_p) != 0)
            rc = cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the events of rank %" PRIu32, rank);
    }
    fputs("\n]}\n", output.file);
    if (rc == COR_OK)
        return cor_output_commit(&output, fault);
    cor_output_abandon(&output);
    return rc;
}
