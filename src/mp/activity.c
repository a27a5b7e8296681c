/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mp/activity.h"

#include "base/clock.h"
#include "mp/mp_state.h"
#include "mp/own_record.h"
#include "xxdev/closing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- telling ---------------------------------------------------------------------------------------------------- */

enum { ACTIVITY_COUNT_SHARE = 50 }; /* of the time may be spent on counting what is queued one part */

static void activity_count(void *subject, uint32_t context, const cor_envelope *envelope)
{
    cor_now *now = subject;
    if (context % 2 != 0) /* messages of the library's own */
        return;
    now->queued_messages++;
    now->queued_bytes += envelope->bytes;
}

/* Messages that wait for a receive. To count very many takes long, and is not done at every wait then. */
static void activity_count_queued(cor_rank *rank, uint64_t now_ns)
{
    cor_now *now = &rank->now;
    if (now_ns < rank->next_count_ns)
        return;
    now->queued_messages = now->queued_bytes = 0;
    rank->device->ops->visit(rank->device, activity_count, now);
    uint64_t end_ns = cor_clock_ns();
    rank->next_count_ns = end_ns + (end_ns - now_ns) * ACTIVITY_COUNT_SHARE;
}

static void activity_members(const cor_group *group, cor_now *now)
{
    for (int i = 0; i < group->size; i++) {
        int peer = cor_group_peer(group, i);
        if (peer >= COR_RECORD_MEMBER_WORDS * 64)
            now->has_members = 0;
        else
            now->members[peer / 64] |= UINT64_C(1) << peer % 64;
    }
}

/* The rank of the job that a rank waits for in a call with a root, unless it is the root; else the others. */
static int activity_awaited(const cor_activity *activity)
{
    const cor_comm *comm = activity->comm;
    int root = activity->tag, call = activity->call;
    int is_rooted = (call >= COR_TRACED_BCAST && call <= COR_TRACED_SCATTERV) || call == COR_TRACED_REDUCE;
    int is_root = !cor_comm_is_inter(comm) && root == comm->rank;
    return !is_rooted || root < 0 || is_root ? COR_NOW_MEMBERS : cor_comm_peer(comm, root);
}

/* The record says this from now on. */
static void activity_publish(cor_rank *rank, const cor_activity *activity, int peer, uint64_t now_ns)
{
    cor_now *now = &rank->now;
    const cor_comm *comm = activity->comm;
    now->is_waiting = 1;
    now->call = activity->call;
    now->way = activity->way;
    now->peer = peer == COR_NOW_MEMBERS ? activity_awaited(activity) : peer;
    now->tag = activity->tag;
    now->coll_context = (uint32_t)rank->monitor.coll_last;
    now->coll_number = (uint32_t)(rank->monitor.coll_last >> 32);
    now->bytes = activity->call < COR_TRACED_BARRIER ? activity->bytes : 0;
    now->context = comm->context;
    now->comm_size = (uint32_t)(cor_comm_is_inter(comm) ? comm->size + comm->remote_size : comm->size);
    now->since_ns = activity->since_ns;
    now->moved_ns = now_ns;
    now->threads = rank->told_count;
    now->has_members = 1;
    memset(now->members, 0, sizeof now->members);
    activity_members(comm->group, now);
    if (cor_comm_is_inter(comm))
        activity_members(comm->remote_group, now);
    cor_record_tell(rank->record.slot, now);
}

/* cor_wait_watch.lasts */
static void activity_tell(cor_wait_watch *watch)
{
    cor_rank *rank = COR_OWNER(watch, cor_rank, monitor.waits);
    cor_activity *activity = watch->wait;
    if (!activity)
        return;
    /* Of a call that consists of others, its own name, and the peer of the wait inside, if that has one. */
    int inner_peer = activity->peer;
    while (activity->outer)
        activity = activity->outer;
    uint64_t now_ns = cor_clock_ns();
    if (!activity->is_told) {
        activity->is_told = 1;
        activity->since_ns = now_ns;
        cor_list_append(&rank->told, &activity->link);
        rank->told_count++;
    }
    activity_count_queued(rank, now_ns);
    activity_publish(rank, activity, inner_peer >= 0 ? inner_peer : activity->peer, now_ns);
}

void cor_activity_forget(cor_monitor *monitor, cor_activity *activity)
{
    cor_rank *rank = COR_OWNER(monitor, cor_rank, monitor);
    cor_list_remove(&activity->link);
    rank->told_count--;
    uint64_t now_ns = cor_clock_ns();
    if (!cor_list_is_empty(&rank->told)) {
        const cor_activity *other = COR_OWNER(rank->told.prev, cor_activity, link);
        activity_publish(rank, other, other->peer, now_ns);
        return;
    }
    rank->now.is_waiting = 0;
    rank->now.moved_ns = now_ns;
    cor_record_tell(rank->record.slot, &rank->now);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

uint64_t cor_measure_ticks(const cor_monitor *monitor)
{
    const cor_rank *rank = COR_OWNER(monitor, cor_rank, monitor);
    return cor_ticks(rank->has_counter);
}

uint64_t cor_measure_start(cor_monitor *monitor)
{
    cor_rank *rank = COR_OWNER(monitor, cor_rank, monitor);
    rank->waited = 0;
    rank->wait_begin = 0;
    rank->algorithm = 0;
    return cor_ticks(rank->has_counter) | 1; /* 0 means that nothing is measured */
}

void cor_measure_wait(cor_monitor *monitor)
{
    cor_rank *rank = COR_OWNER(monitor, cor_rank, monitor);
    if (rank->wait_begin == 0)
        rank->wait_begin = cor_ticks(rank->has_counter);
}

void cor_measure_waited(cor_monitor *monitor, uint64_t since)
{
    cor_rank *rank = COR_OWNER(monitor, cor_rank, monitor);
    rank->waited += cor_ticks(rank->has_counter) - since;
}

/* Of this rank, as nanoseconds. */
static uint64_t activity_ns(const cor_rank *rank, uint64_t ticks)
{
    if (!rank->has_counter)
        return ticks;
    const cor_ticks_pair first = rank->record.slot->first, now = cor_ticks_look(1);
    return (uint64_t)(cor_ticks_ns(first.ticks + ticks, first, now) - (double)first.ns);
}

/* The lock is released, and the thread is outside (closing.h): the listener may call anything but MPI_Finalize, also
 * what waits, and another thread even that. */
static void activity_report(cor_rank *rank, cor_traced call, int peer, int tag, size_t bytes, uint64_t ticks)
{
    cor_device *device = rank->device;
    cor_monitor *monitor = &rank->monitor;
    cor_listen_fn listener = monitor->listener;
    void *subject = monitor->listener_subject;
    const cor_call_report report = {.kind = (int)call,
                                    .peer = peer,
                                    .tag = tag,
                                    .bytes = bytes,
                                    .end_ns = cor_clock_ns(),
                                    .ns = activity_ns(rank, ticks),
                                    .waited_ns = activity_ns(rank, rank->waited)};
    void *mine = monitor->waits.wait;
    monitor->waits.wait = NULL; /* the listener's calls, and other threads, have their own */
    cor_device_step_out(device);
    cor_device_leave(device);
    listener(subject, &report);
    cor_device_enter(device);
    cor_device_step_in(device);
    monitor->waits.wait = mine;
}

void cor_measure_stop(const cor_comm *comm, uint64_t begin, cor_traced call, int peer, int tag, size_t bytes)
{
    cor_rank *rank = comm->owner;
    cor_record_part *part = &rank->record;
    cor_record_slot *slot = part->slot;
    uint64_t end = cor_ticks(rank->has_counter), ticks = end - begin;
    if (rank->wait_begin)
        rank->waited += end - rank->wait_begin;
    rank->monitor.calls++;
    rank->monitor.ticks += ticks;
    rank->monitor.waited += rank->waited;
    if (part->flags & COR_RECORD_STATS) {
        cor_record_count *count = &slot->counts[call];
        count->calls++;
        count->ticks += ticks;
        count->waited += rank->waited;
        count->bytes += bytes;
    }
    if (part->events) {
        uint64_t number =
            atomic_load_explicit(&slot->event_count, memory_order_relaxed); /* only this rank writes it */
        part->events[number % part->event_max] = (cor_event){.begin = begin,
                                                             .ticks = ticks,
                                                             .waited = rank->waited,
                                                             .bytes = bytes,
                                                             .peer = peer,
                                                             .tag = tag,
                                                             .call = (uint16_t)call,
                                                             .algorithm = rank->algorithm,
                                                             .comm_size = (uint32_t)comm->size};
        /* release: the event is seen before it is counted. */
        atomic_store_explicit(&slot->event_count, number + 1, memory_order_release);
    }
    if (COR_UNLIKELY(rank->monitor.listener != NULL))
        activity_report(rank, call, peer, tag, bytes, ticks);
}

void cor_measure_send(const cor_comm *comm, int peer, size_t bytes)
{
    cor_record_pair *row = comm->owner->record.row;
    if (row && peer >= 0) {
        row[peer].messages++;
        row[peer].bytes += bytes;
    }
}

void cor_measure_algorithm(const cor_comm *comm, const char *name)
{
    cor_rank *rank = comm->owner;
    cor_record_slot *slot = rank->record.slot;
    if (!slot)
        return;
    uint32_t count = slot->algorithm_count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(slot->algorithms[i], name) == 0) {
            rank->algorithm = (uint16_t)(i + 1);
            return;
        }
    if (count == COR_RECORD_ALGORITHMS)
        return;
    snprintf(slot->algorithms[count], sizeof slot->algorithms[count], "%s", name);
    slot->algorithm_count = count + 1;
    rank->algorithm = (uint16_t)(count + 1);
}

/* ---- tools ------------------------------------------------------------------------------------------------------ */

static int activity_is_recorded(const cor_rank *rank)
{
    return (rank->record.flags & (COR_RECORD_STATS | COR_RECORD_EVENTS)) != 0;
}

void cor_rank_listen(cor_rank *rank, int is_measured, cor_listen_fn listener, void *subject)
{
    cor_device_enter(rank->device);
    if (!cor_device_is_closed(rank->device)) {
        rank->monitor.listener = listener;
        rank->monitor.listener_subject = subject;
        rank->monitor.is_measured = is_measured || listener || activity_is_recorded(rank);
    }
    cor_device_leave(rank->device);
}

uint64_t cor_rank_measured_ns(const cor_rank *rank, uint64_t ticks)
{
    return activity_ns(rank, ticks);
}

const char *cor_call_kind_name(int kind)
{
    /* These only wait, and are not measured. */
    if (kind == COR_TRACED_BUFFER_DETACH || kind == COR_TRACED_COMM_CREATE || kind == COR_TRACED_FINALIZE)
        return NULL;
    return kind >= 0 && kind < COR_TRACED_CALLS ? cor_traced_name((unsigned)kind, COR_FACE_C) : NULL;
}

/* ---- the record ------------------------------------------------------------------------------------------------- */

/* The descriptor that the launcher passed, or -1. It is not for the programs that this one starts. */
static int activity_inherited(const cor_rank *rank)
{
    const char *text = getenv(COR_RECORD_VARIABLE);
    char *end = NULL;
    if (!text || strcmp(rank->boot->ops->name, "pmi1") != 0)
        return -1;
    long fd = strtol(text, &end, 10);
    if (fd <= 2 || fd > 1 << 20 || *end || fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
        return -1;
    return (int)fd;
}

void cor_rank_record_open(cor_rank *rank, cor_face face)
{
    cor_record_part *part = &rank->record;
    cor_fault fault = {0};
    uint32_t number = (uint32_t)rank->known.rank, size = (uint32_t)rank->known.size;
    cor_list_init(&rank->told);
    int fd = rank->is_in_team ? -1 : activity_inherited(rank);
    if (fd < 0)
        fd = cor_own_record_join(rank);
    if (fd < 0)
        return;
    int rc = cor_record_part_open(part, fd, number, size, &fault);
    if (rc != COR_OK) {
        COR_LOG(&rank->log, INFO, "`corunna ps` does not see this rank: %s", fault.text);
        return;
    }
    cor_record_slot *slot = part->slot;
    rank->has_counter = part->flags & (COR_RECORD_STATS | COR_RECORD_EVENTS) ? cor_ticks_has_counter() : 0;
    slot->pid = (int32_t)getpid();
    slot->face = face;
    slot->has_counter = (uint32_t)rank->has_counter;
    if (!slot->host[0]) /* the launcher knows it by the name that the user gave */
        snprintf(slot->host, sizeof slot->host, "%.*s", (int)sizeof slot->host - 1, rank->host);
    slot->first = cor_ticks_look(rank->has_counter);
    slot->last = (cor_ticks_pair){0, 0};
    rank->now.moved_ns = slot->first.ns;
    cor_record_tell(slot, &rank->now);
    /* release: what was written above is seen before. */
    atomic_store_explicit(&slot->state, COR_RANK_OPEN, memory_order_release);
    rank->monitor.waits.lasts = activity_tell;
    rank->monitor.is_measured = activity_is_recorded(rank);
}

void cor_rank_record_finalize(cor_rank *rank)
{
    cor_device_enter(rank->device);
    rank->is_closing = 1;
    cor_device_leave(rank->device);
}

void cor_rank_record_close(cor_rank *rank)
{
    cor_record_slot *slot = rank->record.slot;
    if (slot) {
        rank->monitor.waits.lasts = NULL;
        rank->monitor.is_measured = 0;
        slot->last = cor_ticks_look(rank->has_counter);
        /* release: the last look, events and counters are seen before. */
        atomic_store_explicit(&slot->state, COR_RANK_CLOSED, memory_order_release);
        cor_record_part_close(&rank->record);
    }
    if (rank->own_record)
        cor_own_record_leave(rank);
}

void cor_rank_record_abort(cor_rank *rank)
{
    if (rank->own_record)
        cor_own_record_abort(rank);
}
