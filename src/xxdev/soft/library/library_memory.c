/* SPDX-License-Identifier: Apache-2.0 */
/* Long messages: memory that a message of its own is received to. */
#include "xxdev/soft/library/library_state.h"

/* What a sender registers needs nothing: the library does what it needs when it sends. */
static const char library_readable;

static int library_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                         void **registration_p)
{
    library_wire *wire = library_of(base);
    *key_p = (cor_wire_key){0};
    *registration_p = (void *)(uintptr_t)&library_readable;
    if (use == COR_WIRE_READ)
        return COR_OK;
    library_item *item = wire->free_count > 0 ? library_take(wire, LIBRARY_LANDING) : NULL;
    if (!item)
        return COR_AGAIN;
    item->number = wire->free_numbers[--wire->free_count];
    if (library_receive(item, library_tag(LIBRARY_MEMORY | item->number, 0, 0), memory, bytes) != 0) {
        wire->free_numbers[wire->free_count++] = (uint16_t)item->number;
        library_give_back(item);
        return COR_ERR_SYSTEM;
    }
    key_p->words[0] = item->number;
    *registration_p = item;
    return COR_OK;
}

static void library_landing_free(library_item *item)
{
    item->wire->free_numbers[item->wire->free_count++] = (uint16_t)item->number;
    library_give_back(item);
}

/* A message that did not come by this way, or whose sender is lost. */
static void library_leave(cor_wire *base, void *registration)
{
    library_wire *wire = library_of(base);
    library_item *item = registration;
    if (registration == &library_readable)
        return;
    if (item->is_left) { /* it has landed */
        library_landing_free(item);
        return;
    }
    item->is_left = 1;
    wire->meeting.ops->cancel(wire->meeting.library, &item->transfer);
}

void library_landed(library_item *item)
{
    library_wire *wire = item->wire;
    const cor_tagged_result *result = &item->result;
    int peer = (int)(result->tag >> LIBRARY_PEER_SHIFT & ((1 << LIBRARY_PEER_BITS) - 1));
    if (item->is_left) {
        library_landing_free(item);
        return;
    }
    item->is_left = 1; /* leave() gives it back */
    if (result->end == COR_TAGGED_OK && peer < wire->options.size && !wire->peers[peer].is_lost)
        wire->options.written(wire->options.sink, peer, (uint32_t)result->tag);
    /* Else its sender is lost, or will be found to be. */
}

static int library_put(cor_wire *base, int peer, const cor_wire_key *to, const void *from, void *registration,
                       size_t bytes, uint32_t id, void *context)
{
    library_wire *wire = library_of(base);
    const cor_tagged_meeting *meeting = &wire->meeting;
    (void)registration;
    if (wire->peers[peer].is_lost || to->words[0] >= LIBRARY_MEMORIES)
        return COR_ERR_PEER;
    library_item *item = library_take(wire, LIBRARY_PUT);
    if (!item)
        return COR_AGAIN;
    item->peer = peer;
    item->context = context;
    wire->under_way++;
    int rc = meeting->ops->send(
        meeting->library, peer, library_tag(LIBRARY_MEMORY | (unsigned)to->words[0], wire->options.rank, id),
        (cor_tagged_data){.memory = (void *)(uintptr_t)from, .bytes = bytes}, 0, &item->transfer);
    if (rc == COR_TAGGED_STARTED) {
        cor_list_append(&wire->started, &item->link);
        return COR_OK;
    }
    item->result = (cor_tagged_result){.end = rc < 0 ? COR_TAGGED_FAILED : COR_TAGGED_OK, .error = rc};
    cor_list_append(&wire->ended, &item->link);
    return COR_OK;
}

void library_put_ended(library_item *item)
{
    library_wire *wire = item->wire;
    void *context = item->context;
    int peer = item->peer, is_ok = item->result.end == COR_TAGGED_OK, error = item->result.error;
    wire->under_way--;
    library_give_back(item);
    if (!is_ok)
        library_unreached(wire, peer, error);
    if (context)
        wire->options.copied(wire->options.sink, context, is_ok ? COR_OK : COR_ERR_PEER);
}

const cor_wire_memory_ops library_memory = {.enter = library_enter, .leave = library_leave, .put = library_put};
