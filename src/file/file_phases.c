/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a collective access. */
#include "file/file_collective_state.h"

#include <stdlib.h>
#include <string.h>

enum { PHASE_SAMPLE = 32 /* pieces, to know how long they are */ };

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

static file_part phase_part(const file_job *job)
{
    const file_hints *hints = &job->hints;
    file_part part = {.error = job->result.error,
                      .bytes = job->result.error == COR_OK ? job->bytes : 0,
                      .buffer_bytes = hints->cb_buffer_size,
                      .nodes = hints->cb_nodes,
                      .align = hints->striping_unit,
                      .is_write = job->is_write,
                      .is_atomic = job->is_atomic,
                      .choice = job->is_write ? hints->cb_write : hints->cb_read};
    if (part.bytes == 0)
        return part;
    file_piece pieces[PHASE_SAMPLE];
    file_walk walk = {&job->view, job->position};
    size_t bytes, most = job->bytes < SIZE_MAX ? (size_t)job->bytes : SIZE_MAX;
    size_t count = file_walk_next(&walk, pieces, PHASE_SAMPLE, most, &bytes);
    part.first = pieces[0].at;
    part.end = file_walk_offset(&job->view, job->position + job->bytes - 1) + 1;
    part.pieces = bytes > 0 ? job->bytes / bytes * count + job->bytes % bytes * count / bytes + 1 : 1;
    part.is_mixed = job->view.is_mixed != 0;
    return part;
}

void file_phase_begin(file_collective *c, file_job *job)
{
    c->job = job;
    c->number++;
    c->lost_seen = 0;
    c->rule = NULL;
    c->is_stopping = c->has_stopped = 0;
    c->parts[0] = phase_part(job);
    file_gather_begin(&c->gather, c->file->comm, file_collective_tag(c, FILE_TAG_BEGIN), c->parts, sizeof *c->parts);
    c->phase = FILE_PHASE_BEGIN;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static void phase_done(file_collective *c)
{
    file_job *job = c->job;
    cor_list_remove(&job->together);
    c->job = NULL;
    c->phase = FILE_PHASE_NONE;
    if (cor_list_is_empty(&c->queue))
        cor_list_remove(&c->follower.link);
    file_job_end(job);
}

/* What this member says of its part. */
static file_outcome phase_outcome(const file_collective *c)
{
    const file_result *failed = &c->aggregator.failed, *alone = &c->job->result;
    if (c->rule->strategy == FILE_EACH_ALONE)
        return (file_outcome){alone->error, alone->os_error, alone->at, INT64_MAX, 0};
    /* This member's own failure is that of a conversion. */
    file_outcome outcome = {.error = alone->error, .sound = INT64_MAX, .has_stopped = c->has_stopped};
    if (c->aggregator.number >= 0)
        outcome.sound = c->aggregator.sound;
    if (c->aggregator.number >= 0 && c->aggregator.has_failed) {
        outcome.error = failed->error;
        outcome.os_error = failed->os_error;
        outcome.at = failed->at;
    }
    return outcome;
}

/* What was read is converted first, since the others have to know if that fails. */
static void phase_end_begin(file_collective *c)
{
    if (!c->job->is_write)
        file_job_deliver(c->job, c->rule->strategy == FILE_EACH_ALONE ? c->job->result.bytes : c->sender.sound);
    c->outcomes[0] = phase_outcome(c);
    file_gather_begin(&c->gather, c->file->comm, file_collective_tag(c, FILE_TAG_END), c->outcomes,
                      sizeof *c->outcomes);
    c->phase = FILE_PHASE_END;
}

/* This member's bytes, from the beginning, that have been moved for certain. */
static uint64_t phase_sound(const file_collective *c)
{
    const file_job *job = c->job;
    int64_t at = INT64_MAX;
    if (!job->is_write)
        return c->sender.sound;
    for (int i = 0; i < c->file->size; i++) {
        const file_outcome *outcome = file_gather_of(&c->gather, i);
        at = outcome->sound < at ? outcome->sound : at;
    }
    if (at == INT64_MAX)
        return c->sender.sound;
    uint64_t position = file_walk_position(&job->view, at);
    if (position <= job->position)
        return 0;
    return position - job->position < c->sender.sound ? position - job->position : c->sender.sound;
}

static const char *phase_why(const file_outcome *outcome)
{
    return outcome->os_error ? strerror(outcome->os_error) : cor_error_text(outcome->error);
}

/* Receive what members have sent to stop this one. */
static int phase_receive_stops(file_collective *c)
{
    cor_payload nothing = cor_payload_plain(NULL, 0);
    int rc = COR_OK;
    c->phase = FILE_PHASE_STOPPED;
    for (int i = 0; i < c->file->size && rc == COR_OK; i++) {
        const file_outcome *outcome = file_gather_of(&c->gather, i);
        if (i != c->file->me && outcome->has_stopped)
            rc = file_collective_irecv(c, &c->stops[i], i, FILE_TAG_STOP, &nothing);
    }
    return rc;
}

/* All members know what came of it: the first that has failed gives the error. */
static void phase_settle(file_collective *c)
{
    file_job *job = c->job;
    const char *verb = job->is_write ? "write" : "read", *done = job->is_write ? "written" : "read";
    const file_outcome *outcome = NULL;
    int is_alone = c->rule->strategy == FILE_EACH_ALONE, first = -1;
    if (!is_alone)
        job->result = (file_result){.bytes = phase_sound(c)};
    for (int i = 0; i < c->file->size && first < 0; i++) {
        outcome = file_gather_of(&c->gather, i);
        first = outcome->error != COR_OK ? i : -1;
    }
    if (first < 0 || (is_alone && first == c->file->me))
        return;
    /* Whatever this member's own error was: all have the same. */
    free(job->fault);
    job->fault = NULL;
    job->result.error = COR_OK;
    file_job_fail(job, outcome->error,
                  "rank %d cannot %s at %lld: %s; of the %llu bytes of rank %d at least %llu are %s", first, verb,
                  (long long)outcome->at, phase_why(outcome), (unsigned long long)job->bytes, c->file->me,
                  (unsigned long long)job->result.bytes, done);
    job->result.error = outcome->error;
    job->result.os_error = outcome->os_error;
    job->result.at = outcome->at;
}

static void phase_ended(file_collective *c)
{
    phase_settle(c);
    int rc = phase_receive_stops(c);
    if (rc != COR_OK)
        file_collective_give_up(c, rc);
    else if (!file_collective_stops_are_moving(c))
        phase_done(c);
}

/* Nobody moves data: a member has failed before, or their calls differ. */
static int phase_refuse(file_collective *c)
{
    file_job *job = c->job;
    for (int i = 0; i < c->file->size; i++) {
        const file_part *part = c->part_of[i];
        int rc = part->error;
        if (rc == COR_OK && part->is_write == c->part_of[0]->is_write)
            continue;
        if (rc == COR_OK)
            file_job_fail(job, rc = COR_ERR_NOT_SAME,
                          "rank 0 %s, and rank %d %s: all members must call the same function",
                          part->is_write ? "reads" : "writes", i, part->is_write ? "writes" : "reads");
        else if (i != c->file->me) {
            job->result.error = COR_OK;
            file_job_fail(job, rc, "rank %d cannot begin the access: %s", i, cor_error_text(rc));
        }
        job->result.error = rc;
        phase_done(c);
        return 1;
    }
    return 0;
}

/* ---- a lost member ---------------------------------------------------------------------------------------------- */

static void phase_notify(const file_collective *c)
{
    const cor_comm *comm = c->file->comm;
    for (int member = 0; member < c->file->size; member++)
        for (int kind = 0; kind < FILE_TAG_KINDS && member != c->file->me; kind++)
            comm->device->ops->notify_failure(comm->device, cor_comm_peer(comm, member), comm->context,
                                              file_collective_tag(c, kind));
}

void file_collective_give_up(file_collective *c, int error)
{
    file_job *job = c->job;
    const cor_fault *said = cor_comm_fault_place(c->file->comm);
    if (c->phase == FILE_PHASE_LOST)
        return;
    c->phase = FILE_PHASE_LOST;
    for (int i = 0; i < c->file->size; i++)
        if (!c->stops[i].is_done)
            cor_internal_cancel(c->file->comm, &c->stops[i]);
    free(job->fault);
    job->fault = said->code == error ? malloc(sizeof *job->fault) : NULL;
    if (job->fault)
        *job->fault = *said;
    job->result.error = error;
    phase_notify(c);
    file_gather_cancel(&c->gather);
    file_sender_cancel(c);
    file_aggregator_cancel(c);
    if (c->alone.state == FILE_IO_READY)
        c->alone.state = FILE_IO_NONE;
}

static int phase_is_moving(const file_collective *c)
{
    return file_gather_is_moving(&c->gather) || file_sender_is_moving(c) || file_aggregator_is_moving(c) ||
           file_collective_stops_are_moving(c) || c->alone.state == FILE_IO_RUNNING;
}

static void phase_find_lost(file_collective *c)
{
    c->lost_seen = cor_comm_lost_count(c->file->comm);
    int rc = cor_comm_find_lost(c->file->comm);
    if (rc != COR_OK)
        file_collective_give_up(c, rc);
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

static void alone_run(file_io *io)
{
    file_independent_run(io->owner->job);
}

/* All members know the parts of all. */
static void phase_choose(file_collective *c)
{
    for (int i = 0; i < c->file->size; i++)
        c->part_of[i] = file_gather_of(&c->gather, i);
    if (phase_refuse(c))
        return;
    file_situation_init(&c->situation, c->part_of, c->file->size, c->nodes, c->ranges);
    c->range_count = 0;
    for (int i = 0; i < c->file->size; i++)
        c->range_count += c->part_of[i]->bytes > 0;
    c->rule = file_rule_for(&c->situation);
    c->aggregator.number = -1;
    if (c->rule->strategy == FILE_EACH_ALONE) {
        c->phase = FILE_PHASE_ALONE;
        /* What lies between long pieces is not worth reading. */
        if (c->situation.piece_bytes >= FILE_PIECE_LONG && c->job->hints.ds_read == FILE_AUTOMATIC)
            c->job->hints.ds_read = FILE_DISABLE;
        if (!c->job->request || file_job_make_native(c->job) == COR_OK)
            file_collective_submit(c, &c->alone, alone_run);
        else
            c->alone = (file_io){.task = c->alone.task, .owner = c, .state = FILE_IO_DONE};
        return;
    }
    c->division = file_division_of(&c->situation);
    for (int i = 0; i < c->division.aggregators; i++)
        c->aggregator_members[i] = file_division_member(&c->situation, &c->division, c->node_of, i);
    c->phase = FILE_PHASE_ROUNDS;
    file_sender_begin(c);
    file_aggregator_begin(c);
}

static int phase_step_gather(file_collective *c)
{
    int has = c->gather.has, was_moving = c->gather.is_moving, rc = file_gather_step(&c->gather);
    if (rc == COR_AGAIN)
        return c->gather.has != has || c->gather.is_moving != was_moving;
    if (rc != COR_OK)
        file_collective_give_up(c, rc);
    else if (c->phase == FILE_PHASE_BEGIN)
        phase_choose(c);
    else
        phase_ended(c);
    return 1;
}

static int phase_step_alone(file_collective *c)
{
    if (c->alone.state != FILE_IO_DONE)
        return 0;
    c->alone.state = FILE_IO_NONE;
    if (c->alone.result.error != COR_OK)
        file_job_fail(c->job, c->alone.result.error, "rank %d cannot start the thread of the file", c->file->me);
    phase_end_begin(c);
    return 1;
}

static int phase_step_rounds(file_collective *c)
{
    int events = file_sender_step(c);
    if (c->phase == FILE_PHASE_ROUNDS)
        events += file_aggregator_step(c);
    if (c->phase != FILE_PHASE_ROUNDS || !file_sender_is_over(c) || !file_aggregator_is_over(c) ||
        file_collective_stops_are_moving(c))
        return events;
    phase_end_begin(c);
    return events + 1;
}

static int phase_step_stopped(file_collective *c)
{
    if (file_collective_stops_are_moving(c))
        return 0;
    phase_done(c);
    return 1;
}

static int phase_step_lost(file_collective *c)
{
    if (phase_is_moving(c))
        return 0;
    c->alone.state = FILE_IO_NONE;
    phase_done(c);
    return 1;
}

int file_phase_step(file_collective *c)
{
    if (COR_UNLIKELY(cor_comm_lost_count(c->file->comm) != c->lost_seen) && c->phase != FILE_PHASE_LOST)
        phase_find_lost(c);
    switch (c->phase) {
    case FILE_PHASE_NONE:
        return 0;
    case FILE_PHASE_BEGIN:
    case FILE_PHASE_END:
        return phase_step_gather(c);
    case FILE_PHASE_ALONE:
        return phase_step_alone(c);
    case FILE_PHASE_ROUNDS:
        return phase_step_rounds(c);
    case FILE_PHASE_STOPPED:
        return phase_step_stopped(c);
    case FILE_PHASE_LOST:
        return phase_step_lost(c);
    }
    return 0;
}
