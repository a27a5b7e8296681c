/* SPDX-License-Identifier: Apache-2.0 */
/* An aggregator's side of two-phase: its windows, one after the other, and the members whose data go through them. */
#include "dtype/payload_view.h"
#include "file/file_collective_state.h"

#include <stdlib.h>

/* ---- windows ---------------------------------------------------------------------------------------------------- */

static int slot_is_met(const file_collective *c, int64_t begin, size_t bytes)
{
    for (size_t i = 0; i < c->range_count; i++)
        if (c->ranges[i].end > begin && c->ranges[i].first - (int64_t)bytes < begin)
            return 1;
    return 0;
}

/* The first window from `window` on that is this aggregator's and that a member's range meets. */
static uint64_t aggregator_next(const file_collective *c, uint64_t window)
{
    const file_division *division = &c->division;
    uint64_t count = (uint64_t)division->aggregators, number = (uint64_t)c->aggregator.number;
    while (window < c->aggregator.windows) {
        int64_t begin = file_window_begin(division, window), first = INT64_MAX;
        if (window % count == number && slot_is_met(c, begin, file_window_bytes(division, window)))
            return window;
        /* Where the next range is. */
        for (size_t i = 0; i < c->range_count; i++)
            if (c->ranges[i].end > begin)
                first = c->ranges[i].first < first ? c->ranges[i].first : first;
        uint64_t next = first > begin ? (uint64_t)(first - division->base) / division->window : 0;
        window = next > window ? next : window + 1;
        window += (number + count - window % count) % count;
    }
    return window;
}

/* Memory for a window: it stays for the next access. */
static int slot_get_room(file_slot *slot, size_t bytes)
{
    if (slot->room >= bytes)
        return COR_OK;
    free(slot->memory);
    free(slot->words);
    slot->memory = malloc(bytes);
    slot->words = malloc(file_cover_words(bytes) * sizeof *slot->words);
    slot->room = slot->memory && slot->words ? bytes : 0;
    return slot->room > 0 ? COR_OK : COR_ERR_MEMORY;
}

/* From here on nothing is done. */
static void aggregator_end_at(file_aggregator *aggregator, int64_t at)
{
    aggregator->sound = at < aggregator->sound ? at : aggregator->sound;
}

static void aggregator_failed(file_collective *c, const file_result *result)
{
    file_aggregator *aggregator = &c->aggregator;
    if (!aggregator->has_failed || result->at < aggregator->failed.at)
        aggregator->failed = *result;
    aggregator->has_failed = 1;
    aggregator_end_at(aggregator, result->at);
    file_collective_stop(c);
}

/* ---- reading and writing, without the lock ---------------------------------------------------------------------- */

static void slot_write(file_io *io)
{
    file_slot *slot = COR_OWNER(io, file_slot, io);
    size_t at = 0, bytes;
    while (io->result.error == COR_OK && (bytes = file_cover_next(&slot->cover, &at)) > 0) {
        file_piece piece = {slot->begin + (int64_t)at, bytes};
        file_transfer_run(io->owner->file->fd, 1, &piece, 1, slot->memory + at, &io->result);
        at += bytes;
    }
}

/* Read what lies in the ranges of members, which are sorted, in one piece where they touch each other. */
static void slot_read(file_io *io)
{
    file_slot *slot = COR_OWNER(io, file_slot, io);
    const file_collective *c = io->owner;
    int64_t stop = slot->begin + (int64_t)slot->bytes, at = slot->begin;
    for (size_t i = 0; i < c->range_count && c->ranges[i].first < stop;) {
        if (c->ranges[i].end <= at) {
            i++;
            continue;
        }
        int64_t first = c->ranges[i].first > at ? c->ranges[i].first : at, end = first;
        for (; i < c->range_count && c->ranges[i].first <= end; i++)
            end = c->ranges[i].end > end ? c->ranges[i].end : end;
        end = end < stop ? end : stop;
        file_piece piece = {first, (size_t)(end - first)};
        file_transfer_run(c->file->fd, 0, &piece, 1, slot->memory + (first - slot->begin), &io->result);
        if (io->result.bytes < piece.bytes) {
            slot->valid = (size_t)(first - slot->begin) + io->result.bytes;
            return;
        }
        at = end;
    }
    slot->valid = slot->bytes;
}

/* ---- the members of a window ------------------------------------------------------------------------------------ */

static file_slot *aggregator_turn(file_aggregator *aggregator)
{
    return &aggregator->slots[aggregator->exchanged % FILE_SLOTS];
}

/* This member's own blocks, which need no message. */
static void lane_copy_own(file_collective *c, file_slot *slot, file_lane *lane)
{
    file_job *job = c->job;
    file_walk walk = {&job->view, file_walk_position(&job->view, slot->begin)};
    uint64_t end = job->position + job->bytes;
    walk.position = walk.position > job->position ? walk.position : job->position;
    do {
        size_t position = walk.position - job->position;
        file_list_make(&lane->list, &walk, end, slot->begin, slot->bytes);
        if ((slot->is_quiet && job->is_write) || lane->list.bytes == 0)
            continue;
        cor_payload blocks = file_blocks_payload(&lane->blocks, slot->memory, &lane->list);
        cor_payload own = cor_payload_slice(&job->memory, position, lane->list.bytes);
        if (job->is_write) {
            cor_payload_copy(&blocks, &own, own.bytes);
            file_cover_add(&slot->cover, &lane->list);
            continue;
        }
        size_t there = file_list_before(&lane->list, slot->valid);
        cor_payload_copy(&own, &blocks, there);
        if (there < lane->list.bytes && position + there < c->sender.sound)
            c->sender.sound = position + there;
    } while (!lane->list.is_last);
}

static int lane_ask(file_collective *c, file_lane *lane)
{
    cor_payload list = cor_payload_plain(&lane->list, sizeof lane->list);
    lane->state = FILE_LANE_LIST;
    return file_collective_irecv(c, &lane->transfer, lane->member, FILE_TAG_LIST, &list);
}

/* Give the lane a member that has not been asked yet. */
static int lane_begin(file_collective *c, file_slot *slot, file_lane *lane)
{
    file_aggregator *aggregator = &c->aggregator;
    int size = c->file->size;
    while (aggregator->asked < size) {
        int member = (c->file->me + 1 + aggregator->asked++) % size;
        if (!file_part_meets(c->part_of[member], slot->begin, slot->bytes))
            continue;
        if (member == c->file->me) {
            lane_copy_own(c, slot, lane);
            continue;
        }
        lane->member = member;
        aggregator->open++;
        return lane_ask(c, lane);
    }
    return COR_OK;
}

/* One list of a member is done. */
static int lane_next(file_collective *c, file_slot *slot, file_lane *lane)
{
    if (!lane->list.is_last)
        return lane_ask(c, lane);
    lane->state = FILE_LANE_IDLE;
    c->aggregator.open--;
    return lane_begin(c, slot, lane);
}

/* A list has come: move its data. */
static int lane_listed(file_collective *c, file_slot *slot, file_lane *lane)
{
    int is_write = c->job->is_write;
    uint64_t window = (uint64_t)(slot->begin - c->division.base) / c->division.window;
    if (lane->transfer.error != COR_OK)
        return lane->transfer.error;
    if (lane->transfer.is_cancelled || !file_list_is_valid(&lane->list, lane->transfer.bytes, slot->bytes) ||
        lane->list.window != (uint32_t)window)
        return COR_ERR_PROTOCOL;
    if (lane->list.bytes == 0)
        return lane_next(c, slot, lane);
    lane->state = FILE_LANE_DATA;
    cor_payload data = cor_payload_plain(NULL, 0);
    if (is_write ? !slot->is_quiet : slot->valid > 0) {
        data = file_blocks_payload(&lane->blocks, slot->memory, &lane->list);
        if (is_write)
            file_cover_add(&slot->cover, &lane->list);
        else
            data.bytes = file_list_before(&lane->list, slot->valid);
    }
    return is_write ? file_collective_irecv(c, &lane->transfer, lane->member, FILE_TAG_DATA, &data)
                    : file_collective_isend(c, &lane->transfer, lane->member, FILE_TAG_DATA, &data);
}

static int lane_moved(file_collective *c, file_slot *slot, file_lane *lane)
{
    int error = lane->transfer.error;
    if (error == COR_ERR_TRUNCATE && slot->is_quiet)
        error = COR_OK;
    if (error == COR_OK && c->job->is_write && lane->transfer.message_bytes != lane->list.bytes)
        error = COR_ERR_PROTOCOL;
    return error != COR_OK ? error : lane_next(c, slot, lane);
}

/* Go on with all lanes. */
static int lanes_step(file_collective *c, file_slot *slot, int *events_p)
{
    int rc = COR_OK;
    for (int i = 0; i < FILE_LANES && rc == COR_OK; i++) {
        file_lane *lane = &c->aggregator.lanes[i];
        if (lane->state == FILE_LANE_IDLE && c->aggregator.asked < c->file->size) {
            rc = lane_begin(c, slot, lane);
            (*events_p)++;
        }
        while (rc == COR_OK && lane->state != FILE_LANE_IDLE && lane->transfer.is_done) {
            rc = lane->state == FILE_LANE_LIST ? lane_listed(c, slot, lane) : lane_moved(c, slot, lane);
            (*events_p)++;
        }
    }
    return rc;
}

/* ---- the steps of a window -------------------------------------------------------------------------------------- */

static int aggregator_has_exchange(const file_aggregator *aggregator)
{
    return aggregator->exchanged < aggregator->opened &&
           aggregator->slots[aggregator->exchanged % FILE_SLOTS].state == FILE_SLOT_EXCHANGE;
}

/* Take the next window into a free slot. */
static int aggregator_open(file_collective *c)
{
    file_aggregator *aggregator = &c->aggregator;
    file_slot *slot = &aggregator->slots[aggregator->opened % FILE_SLOTS];
    if (aggregator->window >= aggregator->windows || slot->state != FILE_SLOT_FREE)
        return 0;
    /* A window of a write is collected when the one before it has been. */
    if (c->job->is_write && aggregator->exchanged < aggregator->opened)
        return 0;
    slot->begin = file_window_begin(&c->division, aggregator->window);
    slot->bytes = file_window_bytes(&c->division, aggregator->window);
    slot->valid = 0;
    aggregator->window = aggregator_next(c, aggregator->window + 1);
    if (slot_get_room(slot, slot->bytes) != COR_OK)
        aggregator_failed(c, &(file_result){.error = COR_ERR_MEMORY, .at = slot->begin});
    slot->is_quiet = aggregator->has_failed || file_collective_is_stopping(c);
    aggregator->opened++;
    slot->state = FILE_SLOT_EXCHANGE;
    if (slot->is_quiet) {
        aggregator_end_at(aggregator, slot->begin);
        return 1;
    }
    if (c->job->is_write) {
        file_cover_begin(&slot->cover, slot->words, slot->bytes);
    } else {
        slot->state = FILE_SLOT_IO;
        file_collective_submit(c, &slot->io, slot_read);
    }
    return 1;
}

/* All members have been asked, and their data are there. */
static void aggregator_exchanged(file_collective *c, file_slot *slot)
{
    file_aggregator *aggregator = &c->aggregator;
    aggregator->exchanged++;
    aggregator->asked = 0;
    slot->state = FILE_SLOT_FREE;
    if (!c->job->is_write)
        return;
    if (slot->is_quiet || aggregator->has_failed || c->is_stopping) {
        aggregator_end_at(aggregator, slot->begin);
        return;
    }
    slot->state = FILE_SLOT_IO;
    file_collective_submit(c, &slot->io, slot_write);
}

static int aggregator_take_result(file_collective *c, file_slot *slot)
{
    if (slot->state != FILE_SLOT_IO || slot->io.state != FILE_IO_DONE)
        return 0;
    slot->io.state = FILE_IO_NONE;
    if (slot->io.result.error != COR_OK)
        aggregator_failed(c, &slot->io.result);
    slot->state = c->job->is_write ? FILE_SLOT_FREE : FILE_SLOT_EXCHANGE;
    return 1;
}

int file_aggregator_step(file_collective *c)
{
    file_aggregator *aggregator = &c->aggregator;
    int events = 0, rc = COR_OK;
    if (aggregator->number < 0)
        return 0;
    for (int i = 0; i < FILE_SLOTS; i++)
        events += aggregator_take_result(c, &aggregator->slots[i]);
    while (aggregator_open(c))
        events++;
    while (rc == COR_OK && aggregator_has_exchange(aggregator)) {
        file_slot *slot = aggregator_turn(aggregator);
        rc = lanes_step(c, slot, &events);
        if (rc != COR_OK || aggregator->open > 0 || aggregator->asked < c->file->size)
            break;
        aggregator_exchanged(c, slot);
        while (aggregator_open(c))
            events++;
    }
    if (rc != COR_OK)
        file_collective_give_up(c, rc);
    return events;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

void file_aggregator_begin(file_collective *c)
{
    file_aggregator *aggregator = &c->aggregator;
    aggregator->number = -1;
    for (int i = 0; i < c->division.aggregators; i++)
        if (c->aggregator_members[i] == c->file->me)
            aggregator->number = i;
    aggregator->opened = aggregator->exchanged = 0;
    aggregator->asked = aggregator->open = 0;
    aggregator->has_failed = 0;
    aggregator->sound = INT64_MAX;
    for (int i = 0; i < FILE_SLOTS; i++)
        aggregator->slots[i].state = FILE_SLOT_FREE;
    for (int i = 0; i < FILE_LANES; i++)
        aggregator->lanes[i].state = FILE_LANE_IDLE;
    uint64_t range = (uint64_t)(c->division.end - c->division.base);
    aggregator->windows = (range + c->division.window - 1) / c->division.window;
    if (aggregator->number >= 0)
        aggregator->window = aggregator_next(c, 0);
}

int file_aggregator_is_over(const file_collective *c)
{
    const file_aggregator *aggregator = &c->aggregator;
    if (aggregator->number < 0)
        return 1;
    if (aggregator->window < aggregator->windows)
        return 0;
    for (int i = 0; i < FILE_SLOTS; i++)
        if (aggregator->slots[i].state != FILE_SLOT_FREE)
            return 0;
    return 1;
}

int file_aggregator_is_moving(const file_collective *c)
{
    for (int i = 0; i < FILE_SLOTS; i++)
        if (c->aggregator.slots[i].io.state == FILE_IO_RUNNING)
            return 1;
    for (int i = 0; i < FILE_LANES; i++)
        if (c->aggregator.lanes[i].state != FILE_LANE_IDLE && !c->aggregator.lanes[i].transfer.is_done)
            return 1;
    return 0;
}

void file_aggregator_cancel(file_collective *c)
{
    cor_device *device = c->file->comm->device;
    for (int i = 0; i < FILE_SLOTS; i++)
        if (c->aggregator.slots[i].io.state != FILE_IO_RUNNING)
            c->aggregator.slots[i].io.state = FILE_IO_NONE;
    for (int i = 0; i < FILE_LANES; i++) {
        file_lane *lane = &c->aggregator.lanes[i];
        if (lane->state != FILE_LANE_IDLE && !lane->transfer.is_done)
            device->ops->cancel(device, &lane->transfer);
    }
}

void file_aggregator_fini(file_aggregator *aggregator)
{
    for (int i = 0; i < FILE_SLOTS; i++) {
        free(aggregator->slots[i].memory);
        free(aggregator->slots[i].words);
    }
}
