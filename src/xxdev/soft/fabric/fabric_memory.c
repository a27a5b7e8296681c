/* SPDX-License-Identifier: Apache-2.0 */
/* Remote memory: the library's, with an account of what is under way. */
#include "xxdev/soft/fabric/fabric_state.h"

static fabric_copy *memory_take(fabric_wire *wire, int peer, void *context)
{
    fabric_copy *copy = cor_pool_get(&wire->copying);
    if (!copy)
        return NULL;
    copy->wire = wire;
    copy->peer = peer;
    copy->context = context;
    cor_list_append(&wire->copies, &copy->link);
    wire->under_way++;
    return copy;
}

/* The context; NULL: nothing waits for it any more. */
static void *memory_give_back(fabric_copy *copy)
{
    fabric_wire *wire = copy->wire;
    void *context = copy->context;
    if (context) {
        cor_list_remove(&copy->link);
        wire->under_way--;
    } else {
        wire->peers[copy->peer].referring--;
    }
    cor_pool_put(&wire->copying, copy);
    return context;
}

void fabric_copied(cor_fabric_job *job, int error)
{
    fabric_copy *copy = (fabric_copy *)(void *)job;
    fabric_wire *wire = copy->wire;
    int peer = copy->peer;
    void *context = memory_give_back(copy);
    if (!context)
        return;
    if (error != 0)
        fabric_unreached(wire, peer, error); /* the transfer fails by that */
    else
        wire->options.copied(wire->options.sink, context, COR_OK);
    wire->delivered++; /* the rank must not sleep on it */
}

/* What a call of the library that starts a copy has returned. */
static int memory_started(fabric_copy *copy, int rc)
{
    if (rc == COR_FABRIC_AGAIN) {
        memory_give_back(copy);
        return COR_AGAIN;
    }
    if (rc != COR_FABRIC_STARTED)
        fabric_copied(&copy->job, rc);
    return COR_OK;
}

static int memory_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                        void **registration_p)
{
    const fabric_wire *wire = fabric_of(base);
    int rc = wire->ops->enter(wire->library, memory, bytes, use, key_p, registration_p);
    return rc == COR_FABRIC_DONE ? COR_OK : COR_AGAIN;
}

static void memory_leave(cor_wire *base, void *registration)
{
    const fabric_wire *wire = fabric_of(base);
    wire->ops->leave(wire->library, registration);
}

static int memory_get(cor_wire *base, int peer, const cor_wire_key *from, size_t offset, void *to, void *registration,
                      size_t bytes, void *context)
{
    fabric_wire *wire = fabric_of(base);
    fabric_copy *copy = wire->peers[peer].is_lost ? NULL : memory_take(wire, peer, context);
    if (!copy)
        return COR_AGAIN;
    return memory_started(copy,
                          wire->ops->get(wire->library, peer, from, offset, to, registration, bytes, &copy->job));
}

static int memory_put(cor_wire *base, int peer, const cor_wire_key *to, size_t offset, const void *from,
                      void *registration, size_t bytes, uint32_t id, void *context)
{
    fabric_wire *wire = fabric_of(base);
    fabric_copy *copy = wire->peers[peer].is_lost ? NULL : memory_take(wire, peer, context);
    if (!copy)
        return COR_AGAIN;
    return memory_started(copy,
                          wire->ops->put(wire->library, peer, to, offset, from, registration, bytes, id, &copy->job));
}

static int memory_update(cor_wire *base, int peer, const cor_wire_key *to, size_t offset,
                         const cor_wire_atomic *atomic, void *context)
{
    fabric_wire *wire = fabric_of(base);
    fabric_copy *copy = wire->peers[peer].is_lost ? NULL : memory_take(wire, peer, context);
    if (!copy)
        return COR_AGAIN;
    return memory_started(copy, wire->ops->update(wire->library, peer, to, offset, atomic, &copy->job));
}

void fabric_written(void *subject, int peer, uint32_t id)
{
    fabric_wire *wire = subject;
    if (peer < 0 || peer >= wire->size || wire->peers[peer].is_lost || wire->peers[peer].rejected)
        return;
    wire->delivered++;
    wire->options.written(wire->options.sink, peer, id);
}

/* What is under way to a lost peer may end late, or never. */
void fabric_forget_copies(fabric_wire *wire, int peer)
{
    cor_link *link = wire->copies.next;
    while (link != &wire->copies) {
        fabric_copy *copy = COR_OWNER(link, fabric_copy, link);
        link = link->next;
        if (copy->peer != peer)
            continue;
        cor_list_remove(&copy->link);
        copy->context = NULL;
        wire->peers[peer].referring++;
        wire->under_way--;
    }
}

const cor_wire_memory_ops cor_fabric_memory = {
    .enter = memory_enter,
    .leave = memory_leave,
    .get = memory_get,
    .put = memory_put,
    .update = memory_update,
};
