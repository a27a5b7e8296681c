/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_watch.h"

#include "base/clock.h"
#include "trace/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WATCH_SEND_NS = 500 * 1000 * 1000, /* how often an agent sends what has changed */
    WATCH_LOOK_SHARE = 50,             /* of the time is spent on looking for a stall one part at most */
};

int cor_run_watch_load(run_plan *plan, const char *const *overrides)
{
    cor_fault fault = {0};
    int rc = cor_knobs_load(&cor_trace_knobs, overrides, &plan->trace, NULL, &fault);
    if (rc == COR_OK)
        rc = cor_report_check(&plan->trace, &fault);
    plan->record_flags = (int)cor_trace_flags(&plan->trace);
    if (rc != COR_OK)
        fprintf(stderr, "%s: %s\n", plan->command_name, fault.text);
    return rc == COR_OK ? 0 : -1;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

int cor_run_watch_open(run_job *job)
{
    const run_plan *plan = job->plan;
    cor_fault fault = {0};
    uint32_t flags = (uint32_t)plan->record_flags | (job->up ? 0 : COR_RECORD_IS_ROOT);
    int rc =
        cor_record_create(&job->record, job->inherited.job, (uint32_t)plan->size, flags, plan->trace.events, &fault);
    job->inherited.record_fd = job->record.fd;
    if (rc != COR_OK && plan->record_flags) {
        cor_run_job_print(job, "%s", fault.text);
        return -1;
    }
    return 0;
}

void cor_run_watch_close(run_job *job)
{
    if (cor_record_is_open(&job->record))
        cor_record_close(&job->record);
    free(job->versions_sent);
    job->versions_sent = NULL;
}

void cor_run_watch_started(run_job *job, int rank)
{
    if (!cor_record_is_open(&job->record))
        return;
    cor_record_slot *slot = cor_record_slot_of(&job->record, (uint32_t)rank);
    slot->pid = job->ranks[rank].pid;
    snprintf(slot->host, sizeof slot->host, "%.*s", (int)sizeof slot->host - 1, job->ranks[rank].host);
}

void cor_run_watch_ended(run_job *job, int rank)
{
    if (!cor_record_is_open(&job->record))
        return;
    cor_record_slot *slot = cor_record_slot_of(&job->record, (uint32_t)rank);
    int is_here = job->ranks[rank].branch < 0;
    if (is_here && slot->first.ns > 0 && slot->last.ns == 0)
        slot->last = cor_ticks_look(slot->has_counter != 0); /* it did not call MPI_Finalize */
    /* release: what was written above is seen before. */
    atomic_store_explicit(&slot->state, COR_RANK_ENDED, memory_order_release);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* A text of several lines, in order with the ranks' own. */
static void watch_print(run_job *job, char *text, size_t length)
{
    if (text && length > 0) {
        cor_run_sink_put(job->error_sink, job, text, length);
        cor_run_sink_flush(job->error_sink);
    }
    free(text);
}

void cor_run_watch_picture(run_job *job)
{
    char *text = NULL, prefix[80];
    size_t length = 0;
    if (!cor_record_is_open(&job->record)) {
        cor_run_job_print(job, "what the ranks are doing is not known: the system has no memory files");
        return;
    }
    FILE *stream = open_memstream(&text, &length);
    snprintf(prefix, sizeof prefix, "%.70s: ", job->plan->command_name);
    if (stream) {
        cor_report_picture(&job->record, stream, prefix);
        fclose(stream);
    }
    watch_print(job, text, length);
}

void cor_run_watch_continued(run_job *job)
{
    job->stall_ns = cor_clock_ns() + (uint64_t)job->plan->trace.stall_s * 1000000000;
}

static void watch_stall(run_job *job, uint64_t now_ns, uint64_t *when_ns)
{
    int stall_s = job->plan->trace.stall_s;
    if (job->up || stall_s == 0 || job->is_stall_told || job->phase != RUN_RUNNING || job->alive == 0 ||
        job->stopped_ns)
        return;
    uint64_t pause_ns = cor_report_stall_pause_ns(stall_s);
    if (job->stall_ns == 0)
        job->stall_ns = now_ns + pause_ns;
    if (now_ns >= job->stall_ns) {
        char *text = NULL, prefix[80];
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);
        snprintf(prefix, sizeof prefix, "%.70s: ", job->plan->command_name);
        if (stream) {
            job->is_stall_told = cor_report_stall(&job->record, stall_s, stream, prefix);
            fclose(stream);
        }
        watch_print(job, text, length);
        /* Checking very many ranks takes long. */
        uint64_t end_ns = cor_clock_ns(), rest_ns = (end_ns - now_ns) * WATCH_LOOK_SHARE;
        job->stall_ns = end_ns + (rest_ns > pause_ns ? rest_ns : pause_ns);
    }
    if (*when_ns > job->stall_ns)
        *when_ns = job->stall_ns;
}

/* ---- what ranks of other hosts do ------------------------------------------------------------------------------- */

/* The bytes of a STATE. Hosts of a job have the same byte order, as the programs have that they run. */
typedef struct watch_state {
    uint32_t state, face;
    int32_t pid, zero;
    char host[COR_RECORD_HOST_MAX];
    cor_now now;
} watch_state;

static void watch_send_state(run_job *job, int rank, const cor_record_slot *slot)
{
    watch_state state = {.state = cor_record_state_of(slot), .face = slot->face, .pid = slot->pid};
    state.now = cor_record_now(slot);
    memcpy(state.host, slot->host, sizeof state.host);
    cor_run_link_send(job->up, AGENT_STATE, rank, 0, (const char *)&state, sizeof state);
}

/* An agent sends the ranks of its host whose state or version has changed. */
static void watch_send_changes(run_job *job)
{
    if (!job->versions_sent)
        job->versions_sent = calloc((size_t)job->here_count + 1, sizeof *job->versions_sent);
    for (int i = 0; job->versions_sent && i < job->here_count; i++) {
        const cor_record_slot *slot = cor_record_slot_of(&job->record, (uint32_t)job->here[i]);
        uint64_t version =
            (uint64_t)cor_record_state_of(slot) << 32 |
            atomic_load_explicit(&slot->version, memory_order_relaxed); /* read again at the next turn */
        if (version == job->versions_sent[i])
            continue;
        job->versions_sent[i] = version;
        watch_send_state(job, job->here[i], slot);
    }
}

void cor_run_watch_time(run_job *job, uint64_t now_ns, uint64_t *when_ns)
{
    if (!cor_record_is_open(&job->record))
        return;
    watch_stall(job, now_ns, when_ns);
    if (!job->up && job->branch_count == 0)
        return;
    if (now_ns >= job->send_ns) {
        if (job->up && cor_run_link_is_open(job->up))
            watch_send_changes(job);
        for (int i = 0; i < job->branch_count; i++)
            if (job->branches[i].state == BRANCH_RUNNING)
                cor_run_watch_ask_clock(&job->branches[i]);
        job->send_ns = now_ns + WATCH_SEND_NS;
    }
    if (*when_ns > job->send_ns)
        *when_ns = job->send_ns;
}

static int watch_receive_state(run_job *job, const run_branch *branch, const agent_frame *frame)
{
    watch_state state;
    if (frame->length != sizeof state)
        return -1;
    memcpy(&state, frame->bytes, sizeof state);
    if (state.state >= COR_RANK_STATES)
        return -1;
    if (!cor_run_clock_is_set(&branch->clock))
        return 0; /* a later one comes */
    state.now.since_ns = cor_run_clock_ours(state.now.since_ns, branch->clock.last_ns);
    state.now.moved_ns = cor_run_clock_ours(state.now.moved_ns, branch->clock.last_ns);
    if (job->up) {
        cor_run_link_send(job->up, AGENT_STATE, frame->subject, 0, (const char *)&state, sizeof state);
        return 0;
    }
    cor_record_slot *slot = cor_record_slot_of(&job->record, (uint32_t)frame->subject);
    slot->pid = state.pid;
    slot->face = state.face;
    memcpy(slot->host, state.host, sizeof slot->host);
    cor_record_tell(slot, &state.now);
    /* release: what was written above is seen before. */
    atomic_store_explicit(&slot->state, state.state, memory_order_release);
    return 0;
}

/* ---- clocks ----------------------------------------------------------------------------------------------------- */

void cor_run_watch_ask_clock(run_branch *branch)
{
    uint64_t now_ns = cor_clock_ns();
    cor_run_link_send(&branch->link, AGENT_CLOCK, 0, 0, (const char *)&now_ns, sizeof now_ns);
    cor_run_link_flush(&branch->link);
}

void cor_run_watch_answer_clock(run_job *job, const agent_frame *frame)
{
    uint64_t times[2] = {0, cor_clock_ns()};
    if (frame->length != sizeof times[0])
        return;
    memcpy(&times[0], frame->bytes, sizeof times[0]);
    cor_run_link_send(job->up, AGENT_CLOCK, 0, 0, (const char *)times, sizeof times);
    cor_run_link_flush(job->up);
}

static int watch_receive_clock(run_branch *branch, const agent_frame *frame)
{
    uint64_t times[2];
    if (frame->length != sizeof times)
        return -1;
    memcpy(times, frame->bytes, sizeof times);
    cor_run_clock_add(&branch->clock, times[0], times[1], cor_clock_ns());
    if (!cor_run_clock_is_set(&branch->clock))
        cor_run_watch_ask_clock(branch);
    return 0;
}

/* ---- all that was recorded -------------------------------------------------------------------------------------- */

/* The bytes of a rank's record are its slot and its tail, in one row. A RECORD has a part of them; its number is the
 * page where that begins. */
enum { WATCH_PART = 256 * 1024, WATCH_FLUSH_MS = 5000 };

static uint64_t watch_place(const cor_record_header *header, uint32_t rank, uint64_t offset)
{
    return offset < COR_RECORD_SLOT ? cor_record_slot_at(rank) + offset
                                    : cor_record_tail_at(header, rank) + offset - COR_RECORD_SLOT;
}

/* Of `end` bytes of a rank's record. 0: the link is closed, or its other end does not read. */
static int watch_send_record(run_job *job, int rank, uint64_t begin, uint64_t end, char *room)
{
    const cor_record *record = &job->record;
    for (uint64_t at = begin; at < end;) {
        uint64_t limit = at < COR_RECORD_SLOT ? COR_RECORD_SLOT : end;
        size_t length = limit - at < WATCH_PART ? (size_t)(limit - at) : WATCH_PART;
        ssize_t got = pread(record->fd, room, length, (off_t)watch_place(&record->header, (uint32_t)rank, at));
        if (got != (ssize_t)length)
            return 0;
        cor_run_link_send(job->up, AGENT_RECORD, rank, (int)(at / COR_RECORD_PAGE), room, length);
        cor_run_link_flush_wait(job->up, WATCH_FLUSH_MS);
        if (!cor_run_link_is_empty(job->up) || !cor_run_link_is_open(job->up))
            return 0;
        at += length;
    }
    return 1;
}

/* Where the events end that were written. */
static uint64_t watch_record_end(const cor_record *record, int rank)
{
    const cor_record_header *header = &record->header;
    uint64_t end = COR_RECORD_SLOT + cor_record_row_bytes(header);
    uint64_t events =
        atomic_load_explicit(&cor_record_slot_of(record, (uint32_t)rank)->event_count, memory_order_acquire);
    events = events < header->event_max ? events : header->event_max;
    return header->flags & COR_RECORD_EVENTS ? end + events * sizeof(cor_event) : end;
}

void cor_run_watch_send_all(run_job *job)
{
    if (!cor_record_is_open(&job->record) || !job->plan->record_flags || !cor_run_link_is_open(job->up))
        return;
    char *room = malloc(WATCH_PART);
    int goes_on = room != NULL;
    for (int i = 0; goes_on && i < job->here_count; i++)
        goes_on = watch_send_record(job, job->here[i], 0, watch_record_end(&job->record, job->here[i]), room);
    free(room);
}

static int watch_receive_record(run_job *job, const run_branch *branch, const agent_frame *frame)
{
    const cor_record_header *header = &job->record.header;
    uint64_t offset = (uint64_t)frame->number * COR_RECORD_PAGE;
    uint64_t whole = COR_RECORD_SLOT + cor_record_tail_bytes(header);
    cor_record_slot slot;
    const char *bytes = frame->bytes;
    /* A part is of the slot, whole, or of the tail. */
    int is_slot = frame->number == 0 && frame->length == COR_RECORD_SLOT;
    int is_tail = offset >= COR_RECORD_SLOT && offset <= whole && frame->length <= whole - offset;
    if (frame->number < 0 || (!is_slot && !is_tail))
        return -1;
    job->give_up_ns = job->is_finishing ? cor_clock_ns() + (uint64_t)RUN_GIVE_UP_MS * 1000000 : job->give_up_ns;
    char *changed = NULL;
    if (is_slot) {
        changed = malloc(frame->length);
        if (!changed)
            return 0;
        memcpy(changed, bytes, frame->length);
        memcpy(&slot, bytes, sizeof slot);
        slot.first.ns = cor_run_clock_ours(slot.first.ns, branch->clock.first_ns);
        slot.last.ns = cor_run_clock_ours(slot.last.ns, branch->clock.last_ns);
        memcpy(changed, &slot, sizeof slot);
        bytes = changed;
    }
    if (job->up) {
        cor_run_link_send(job->up, AGENT_RECORD, frame->subject, frame->number, bytes, frame->length);
    } else if (cor_record_is_open(&job->record)) {
        ssize_t put =
            pwrite(job->record.fd, bytes, frame->length, (off_t)watch_place(header, (uint32_t)frame->subject, offset));
        (void)put; /* without memory the timeline lacks it */
    }
    free(changed);
    return 0;
}

int cor_run_watch_receive(run_job *job, run_branch *branch, const agent_frame *frame)
{
    if (frame->kind == AGENT_CLOCK)
        return watch_receive_clock(branch, frame);
    if (!cor_record_is_open(&job->record))
        return 0;
    return frame->kind == AGENT_STATE ? watch_receive_state(job, branch, frame)
                                      : watch_receive_record(job, branch, frame);
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

int cor_run_watch_report(run_job *job, int status)
{
    char prefix[80];
    if (job->up || !cor_record_is_open(&job->record))
        return status;
    snprintf(prefix, sizeof prefix, "%.70s: ", job->plan->command_name);
    int rc = cor_report_end(&job->record, &job->plan->trace, stderr, prefix);
    return rc != COR_OK && status == 0 ? 1 : status;
}
