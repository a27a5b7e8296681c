/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered sends. The user's buffer is a chain of blocks, free or in use; a block in use holds the transfer and the
 * copy of the message. Blocks whose transfer is done are free again; adjacent free blocks are coalesced on allocation.
 * First fit is used, because users attach room for a handful of messages. An automatic buffer allocates memory for
 * every message instead.
 */
#include "mp/activity.h"
#include "mp/mp_state.h"

#include <stdlib.h>

typedef struct cor_block {
    struct cor_block *next;
    uint64_t sequence; /* of the message, in the buffer */
    size_t bytes;      /* of room behind the block */
    int is_used;
    cor_comm *comm;
    cor_transfer transfer;
} cor_block;

enum { BUFFER_ALIGN = 16, BUFFER_BLOCK_BYTES = (sizeof(cor_block) + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN };

/* Alignment of the buffer may cost one unit, rounding a message another. */
_Static_assert(BUFFER_BLOCK_BYTES + 2 * BUFFER_ALIGN <= COR_BUFFER_OVERHEAD,
               "a block and its alignment fit what MPI_BSEND_OVERHEAD promises");

static inline void *block_data(cor_block *block)
{
    return (char *)block + BUFFER_BLOCK_BYTES;
}

static void block_reclaim(cor_block *block)
{
    if (block->is_used && block->transfer.is_done) {
        block->is_used = 0;
        cor_comm_drop_locked(block->comm);
    }
}

/* Of an automatic buffer: free the blocks that are done, and return whether any is still in use. */
static int buffer_reclaim_automatic(cor_buffer *buffer)
{
    cor_block **link = &buffer->first;
    while (*link) {
        cor_block *block = *link;
        block_reclaim(block);
        if (block->is_used) {
            link = &block->next;
        } else {
            *link = block->next;
            free(block);
        }
    }
    return buffer->first != NULL;
}

/* Free blocks that are done, coalesce adjacent free ones, and return whether any is still in use. */
static int buffer_reclaim(cor_buffer *buffer)
{
    if (buffer->is_automatic)
        return buffer_reclaim_automatic(buffer);
    int is_used = 0;
    for (cor_block *block = buffer->first; block; block = block->next) {
        block_reclaim(block);
        while (!block->is_used && block->next && (block_reclaim(block->next), !block->next->is_used)) {
            block->bytes += BUFFER_BLOCK_BYTES + block->next->bytes;
            block->next = block->next->next;
        }
        is_used = is_used || block->is_used;
    }
    return is_used;
}

static cor_block *buffer_find(cor_buffer *buffer, size_t bytes)
{
    for (cor_block *block = buffer->first; block; block = block->next) {
        if (block->is_used || block->bytes < bytes)
            continue;
        if (block->bytes >= bytes + BUFFER_BLOCK_BYTES + BUFFER_ALIGN) {
            cor_block *rest = (cor_block *)(void *)((char *)block_data(block) + bytes);
            *rest = (cor_block){.next = block->next, .bytes = block->bytes - bytes - BUFFER_BLOCK_BYTES};
            block->next = rest;
            block->bytes = bytes;
        }
        return block;
    }
    return NULL;
}

/* Room of its own for one message. */
static cor_block *buffer_grow_automatic(cor_buffer *buffer, size_t bytes)
{
    cor_block *block = malloc(BUFFER_BLOCK_BYTES + bytes);
    if (block) {
        *block = (cor_block){.next = buffer->first, .bytes = bytes};
        buffer->first = block;
    }
    return block;
}

/* A free block of this size, or NULL. */
static cor_block *buffer_take(cor_rank *rank, cor_buffer *buffer, size_t bytes)
{
    buffer_reclaim(buffer);
    if (buffer->is_automatic)
        return buffer_grow_automatic(buffer, bytes);
    cor_block *block = buffer_find(buffer, bytes);
    if (!block) {
        /* Something may have left meanwhile. */
        cor_device_progress(rank->device, -1);
        buffer_reclaim(buffer);
        block = buffer_find(buffer, bytes);
    }
    return block;
}

static cor_buffer *buffer_of(cor_rank *rank, cor_comm *comm)
{
    return comm && comm->buffer ? comm->buffer : &rank->origin->buffer;
}

/* The communicator's own, or else its session's, or else the rank's. */
static cor_buffer *buffer_for(const cor_comm *comm)
{
    if (comm->buffer && comm->buffer->is_attached)
        return comm->buffer;
    if (comm->session && comm->session->buffer.is_attached)
        return &comm->session->buffer;
    return &comm->owner->origin->buffer;
}

int cor_buffer_send(cor_comm *comm, const cor_payload *payload, int dest, int tag)
{
    cor_rank *rank = comm->owner;
    cor_device *device = comm->device;
    size_t bytes = (payload->bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    cor_buffer *buffer = buffer_for(comm);
    if (!buffer->is_attached)
        return cor_fault_set(rank->fault, COR_ERR_BUFFER, "a buffered send of %zu bytes, but no buffer is attached",
                             payload->bytes);
    cor_block *block = buffer_take(rank, buffer, bytes);
    if (!block && buffer->is_automatic)
        return cor_fault_set(rank->fault, COR_ERR_MEMORY, "no memory for a buffered send of %zu bytes",
                             payload->bytes);
    if (!block)
        return cor_fault_set(rank->fault, COR_ERR_BUFFER,
                             "no room for a buffered send of %zu bytes in the attached buffer of %zu bytes",
                             payload->bytes, buffer->bytes);
    cor_payload_read(payload, 0, block_data(block), payload->bytes);
    cor_payload copy = cor_payload_plain(block_data(block), payload->bytes);
    copy.type_class = payload->type_class;
    int rc = device->ops->isend(device, &block->transfer, cor_comm_peer(comm, dest), comm->context, tag, &copy);
    if (rc != COR_OK)
        return rc;
    block->is_used = 1;
    block->sequence = ++buffer->sequence;
    block->comm = comm;
    cor_comm_ref(comm);
    return COR_OK;
}

/* ---- attaching and detaching ------------------------------------------------------------------------------------ */

/* Make one free block of the memory. */
static void buffer_lay_out(cor_buffer *buffer)
{
    uintptr_t start = ((uintptr_t)buffer->memory + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    size_t lost = start - (uintptr_t)buffer->memory;
    if (buffer->bytes >= lost + BUFFER_BLOCK_BYTES) {
        buffer->first = (cor_block *)start;
        *buffer->first =
            (cor_block){.bytes = (buffer->bytes - lost - BUFFER_BLOCK_BYTES) / BUFFER_ALIGN * BUFFER_ALIGN};
    }
}

/* A communicator gets a buffer of its own; NULL: no memory. */
static cor_buffer *buffer_add(cor_comm *comm)
{
    comm->buffer = calloc(1, sizeof *comm->buffer);
    if (comm->buffer) {
        comm->buffer->comm = comm;
        cor_list_append(&comm->owner->buffers, &comm->buffer->link);
    }
    return comm->buffer;
}

void cor_buffer_remove(cor_comm *comm)
{
    cor_list_remove(&comm->buffer->link);
    free(comm->buffer);
    comm->buffer = NULL;
}

/* Under the lock. */
static int buffer_attach(cor_rank *rank, cor_buffer *buffer, void *memory, size_t bytes, int is_automatic)
{
    if (buffer->is_attached)
        return cor_fault_set(rank->fault, COR_ERR_BUFFER, "a buffer of %zu bytes is already attached", buffer->bytes);
    buffer->memory = memory;
    buffer->bytes = bytes;
    buffer->is_attached = memory != NULL;
    buffer->is_automatic = is_automatic;
    if (!is_automatic)
        buffer_lay_out(buffer);
    return COR_OK;
}

int cor_buffer_attach_to(cor_rank *rank, cor_comm *comm, void *memory, size_t bytes, int is_automatic)
{
    cor_device_enter(rank->device);
    int rc = comm && !comm->buffer && !buffer_add(comm)
                 ? cor_fault_set(rank->fault, COR_ERR_MEMORY, "no memory for a buffer")
                 : buffer_attach(rank, buffer_of(rank, comm), memory, bytes, is_automatic);
    cor_device_leave(rank->device);
    return rc;
}

int cor_session_buffer_attach(cor_session *session, void *memory, size_t bytes, int is_automatic)
{
    cor_device_enter(session->rank->device);
    int rc = buffer_attach(session->rank, &session->buffer, memory, bytes, is_automatic);
    cor_device_leave(session->rank->device);
    return rc;
}

int cor_buffer_attach(cor_rank *rank, void *memory, size_t bytes)
{
    return cor_buffer_attach_to(rank, NULL, memory, bytes, 0);
}

/* Wait, under the lock, until everything has left. */
static void buffer_wait(cor_rank *rank, cor_buffer *buffer)
{
    cor_device *device = rank->device;
    cor_idle_state idle = {0};
    cor_activity activity;
    cor_activity_begin(&rank->monitor, &activity, rank->world, COR_TRACED_BUFFER_DETACH, COR_WAY_NONE, COR_NOW_UNKNOWN,
                       0, 0);
    while (!cor_device_is_closed(device) && buffer_reclaim(buffer)) {
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    cor_activity_end(&rank->monitor, &activity);
}

/* Under the lock. */
static void buffer_detach(cor_rank *rank, cor_buffer *buffer, void **memory_p, size_t *bytes_p)
{
    buffer_wait(rank, buffer);
    *memory_p = buffer->memory;
    *bytes_p = buffer->bytes;
    buffer->memory = NULL;
    buffer->bytes = 0;
    buffer->first = NULL;
    buffer->is_attached = buffer->is_automatic = 0;
}

int cor_buffer_detach_from(cor_rank *rank, cor_comm *comm, void **memory_p, size_t *bytes_p)
{
    *memory_p = NULL;
    *bytes_p = 0;
    cor_device_enter(rank->device);
    if (!comm || comm->buffer)
        buffer_detach(rank, buffer_of(rank, comm), memory_p, bytes_p);
    cor_device_leave(rank->device);
    return COR_OK;
}

int cor_session_buffer_detach(cor_session *session, void **memory_p, size_t *bytes_p)
{
    cor_device_enter(session->rank->device);
    buffer_detach(session->rank, &session->buffer, memory_p, bytes_p);
    cor_device_leave(session->rank->device);
    return COR_OK;
}

int cor_buffer_detach(cor_rank *rank, void **memory_p, size_t *bytes_p)
{
    return cor_buffer_detach_from(rank, NULL, memory_p, bytes_p);
}

void cor_buffer_end(cor_rank *rank, cor_comm *comm)
{
    void *memory;
    size_t bytes;
    cor_buffer_detach_from(rank, comm, &memory, &bytes);
}

void cor_buffer_drain(cor_rank *rank)
{
    if (rank->origin == rank)
        cor_buffer_end(rank, NULL);
    else
        cor_buffer_flush(rank, NULL);
    cor_device_enter(rank->device);
    while (!cor_list_is_empty(&rank->buffers)) {
        cor_buffer *buffer = COR_OWNER(rank->buffers.next, cor_buffer, link);
        cor_comm *comm = buffer->comm;
        /* The last message in it may be the last that holds the communicator. */
        cor_comm_ref(comm);
        buffer_wait(rank, buffer);
        cor_list_remove(&buffer->link);
        cor_comm_drop_locked(comm);
    }
    cor_device_leave(rank->device);
}

/* ---- flushing --------------------------------------------------------------------------------------------------- */

int cor_buffer_flush(cor_rank *rank, cor_comm *comm)
{
    cor_device_enter(rank->device);
    if (!comm || comm->buffer)
        buffer_wait(rank, buffer_of(rank, comm));
    cor_device_leave(rank->device);
    return COR_OK;
}

int cor_session_buffer_flush(cor_session *session)
{
    cor_device_enter(session->rank->device);
    buffer_wait(session->rank, &session->buffer);
    cor_device_leave(session->rank->device);
    return COR_OK;
}

/* A flush in the background: done when the messages of its beginning are. */
typedef struct flush_job {
    cor_follower follower;
    cor_buffer *buffer;
    cor_session *session; /* that has the buffer: a reference; NULL: none has */
    uint64_t sequence;
    cor_request *request;
} flush_job;

static int flush_step(cor_follower *follower)
{
    flush_job *flush = COR_OWNER(follower, flush_job, follower);
    for (cor_block *block = flush->buffer ? flush->buffer->first : NULL; block; block = block->next)
        if (block->is_used && block->sequence <= flush->sequence && !block->transfer.is_done)
            return 0;
    flush->request->transfer = (cor_transfer){.is_done = 1, .peer = COR_UNDEFINED};
    cor_list_remove(&follower->link);
    cor_session_unref(flush->session);
    free(flush);
    return 1;
}

/* `buffer` is NULL if the communicator never had one. */
static int buffer_iflush(cor_rank *rank, cor_comm *comm, cor_buffer *buffer, cor_session *session,
                         cor_request **request_p)
{
    flush_job *flush = malloc(sizeof *flush);
    cor_device_enter(rank->device);
    cor_request *request = flush ? cor_request_make(comm, COR_REQUEST_JOB) : NULL;
    if (request) {
        request->transfer = (cor_transfer){.peer = -1};
        request->is_active = 1;
        cor_session_ref(session);
        *flush = (flush_job){.follower.step = flush_step,
                             .buffer = buffer,
                             .session = session,
                             .sequence = buffer ? buffer->sequence : 0,
                             .request = request};
        *request_p = request;
        cor_list_append(&rank->device->followers, &flush->follower.link);
        flush_step(&flush->follower);
    } else {
        free(flush);
        cor_fault_set(rank->fault, COR_ERR_MEMORY, "no memory for a request");
    }
    cor_device_leave(rank->device);
    return request ? COR_OK : COR_ERR_MEMORY;
}

int cor_buffer_iflush(cor_rank *rank, cor_comm *comm, cor_request **request_p)
{
    return buffer_iflush(rank, comm ? comm : rank->self, comm ? comm->buffer : &rank->origin->buffer, NULL, request_p);
}

int cor_session_buffer_iflush(cor_session *session, cor_request **request_p)
{
    return buffer_iflush(session->rank, session->rank->self, &session->buffer, session, request_p);
}
