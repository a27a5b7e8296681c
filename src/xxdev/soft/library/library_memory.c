/* SPDX-License-Identifier: Apache-2.0 */
/* Long messages: memory that a message of its own is received to. */
#include "xxdev/soft/library/library_state.h"

#include <string.h>

/* What a sender registers needs nothing: the library does what it needs when it sends. */
static const char library_readable;

static void library_landing_free(library_item *item)
{
    item->wire->free_numbers[item->wire->free_count++] = (uint16_t)item->number;
    library_give_back(item);
}

static int library_land(library_item *item)
{
    return library_receive(item, library_tag(LIBRARY_MEMORY | item->number, 0, 0), item->memory, item->bytes);
}

static int library_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                         void **registration_p)
{
    library_wire *wire = library_of(base);
    key_p->bytes = 0;
    *registration_p = (void *)(uintptr_t)&library_readable;
    if (use == COR_WIRE_READ)
        return COR_OK;
    library_item *item = wire->free_count > 0 ? library_take(wire, LIBRARY_LANDING) : NULL;
    if (!item)
        return COR_AGAIN;
    item->number = wire->free_numbers[--wire->free_count];
    item->memory = memory;
    item->bytes = bytes;
    if (library_land(item) != 0) {
        library_landing_free(item);
        return COR_ERR_SYSTEM;
    }
    key_p->bytes = sizeof item->number;
    memcpy(key_p->data, &item->number, sizeof item->number);
    *registration_p = item;
    return COR_OK;
}

/* A message that has landed, or did not come by this way, or whose sender is lost. */
static void library_leave(cor_wire *base, void *registration)
{
    const library_wire *wire = library_of(base);
    library_item *item = registration;
    if (registration == &library_readable)
        return;
    item->is_left = 1;
    if (item->has_landed)
        library_landing_free(item);
    else if (!item->is_ended)
        wire->meeting.ops->cancel(wire->meeting.library, &item->transfer);
}

static void library_land_again(library_item *item)
{
    const library_wire *wire = item->wire;
    item->has_landed = library_land(item) != 0;
    if (item->has_landed)
        COR_LOG(wire->options.log, ERROR, "%s takes no receive again; a message may not end", wire->meeting.ops->name);
}

void library_landed(library_item *item)
{
    library_wire *wire = item->wire;
    const cor_tagged_result *result = &item->result;
    int peer = library_sender(item);
    if (item->is_left) {
        library_landing_free(item);
        return;
    }
    item->has_landed = 1;
    if (peer < 0) /* its sender will be found to be lost */
        return;
    if (wire->peers[peer].is_lost) /* perhaps it was for what had this number before */
        library_land_again(item);
    else if (result->end == COR_TAGGED_FAILED)
        library_unreached(wire, peer, result->error);
    else if (result->end == COR_TAGGED_TRUNCATED || result->bytes != item->bytes)
        library_reject(&wire->base, peer, "a message of another length than was agreed upon");
    else
        wire->options.written(wire->options.sink, peer, (uint32_t)result->tag);
}

static int library_put(cor_wire *base, int peer, const cor_wire_key *to, size_t offset, const void *from,
                       void *registration, size_t bytes, uint32_t id, void *context)
{
    library_wire *wire = library_of(base);
    const cor_tagged_meeting *meeting = &wire->meeting;
    uint32_t number;
    (void)registration;
    if (wire->peers[peer].is_lost || to->bytes != sizeof number || offset != 0)
        return COR_ERR_PEER;
    memcpy(&number, to->data, sizeof number);
    if (number >= LIBRARY_MEMORIES)
        return COR_ERR_PEER;
    library_item *item = library_take(wire, LIBRARY_PUT);
    if (!item)
        return COR_AGAIN;
    item->peer = peer;
    item->context = context;
    wire->under_way++;
    int rc =
        meeting->ops->send(meeting->library, peer, library_tag(LIBRARY_MEMORY | number, wire->options.rank, id),
                           (cor_tagged_data){.memory = (void *)(uintptr_t)from, .bytes = bytes}, 0, &item->transfer);
    if (rc == COR_TAGGED_STARTED) {
        cor_list_append(&wire->started, &item->link);
        return COR_OK;
    }
    item->result = (cor_tagged_result){.end = rc < 0 ? COR_TAGGED_FAILED : COR_TAGGED_OK, .error = rc};
    library_end(item);
    return COR_OK;
}

void library_put_ended(library_item *item)
{
    library_wire *wire = item->wire;
    const library_item ended = *item;
    library_give_back(item);
    wire->under_way -= !ended.is_forgotten;
    if (ended.result.end != COR_TAGGED_OK)
        library_unreached(wire, ended.peer, ended.result.error); /* this poll tells, and the transfer fails by that */
    else if (!ended.is_forgotten)
        wire->options.copied(wire->options.sink, ended.context, COR_OK);
}

const cor_wire_memory_ops library_memory = {.enter = library_enter, .leave = library_leave, .put = library_put};
