/*
 * Buffered sends. The user's buffer is a chain of blocks, free or in use; a block in use holds the transfer and the
 * copy of the message. Blocks whose transfer is done are free again; neighbours melt when room is sought. First fit:
 * users attach room for a handful of messages.
 */
#include "mp/mp_state.h"

typedef struct cor_block {
    struct cor_block *next;
    size_t bytes; /* of room behind the block */
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

/* Free what is done, melt neighbours, and tell whether anything is still in use. */
static int buffer_reclaim(cor_buffer *buffer)
{
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

int cor_buffer_send(cor_comm *comm, const cor_payload *payload, int dest, int tag)
{
    cor_rank *rank = comm->owner;
    cor_device *device = comm->device;
    size_t bytes = (payload->bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    if (!rank->buffer.first)
        return cor_fault_set(&rank->fault, COR_ERR_BUFFER, "a buffered send of %zu bytes, but no buffer is attached",
                             payload->bytes);
    buffer_reclaim(&rank->buffer);
    cor_block *block = buffer_find(&rank->buffer, bytes);
    if (!block) {
        /* Something may have left meanwhile. */
        device->ops->progress(device, -1);
        buffer_reclaim(&rank->buffer);
        block = buffer_find(&rank->buffer, bytes);
    }
    if (!block)
        return cor_fault_set(&rank->fault, COR_ERR_BUFFER,
                             "no room for a buffered send of %zu bytes in the attached buffer of %zu bytes",
                             payload->bytes, rank->buffer.bytes);
    cor_payload_read(payload, 0, block_data(block), payload->bytes);
    cor_payload copy = cor_payload_plain(block_data(block), payload->bytes);
    block->transfer.is_peekable = 0;
    int rc = device->ops->isend(device, &block->transfer, cor_comm_peer(comm, dest), comm->context, tag, &copy);
    if (rc != COR_OK)
        return rc;
    block->is_used = 1;
    block->comm = comm;
    cor_comm_ref(comm);
    return COR_OK;
}

int cor_buffer_attach(cor_rank *rank, void *memory, size_t bytes)
{
    cor_device_enter(rank->device);
    int rc = COR_OK;
    if (rank->buffer.memory) {
        rc = cor_fault_set(&rank->fault, COR_ERR_BUFFER, "a buffer of %zu bytes is attached already",
                           rank->buffer.bytes);
    } else {
        uintptr_t start = ((uintptr_t)memory + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
        size_t lost = start - (uintptr_t)memory;
        rank->buffer = (cor_buffer){.memory = memory, .bytes = bytes};
        if (bytes >= lost + BUFFER_BLOCK_BYTES) {
            rank->buffer.first = (cor_block *)start;
            *rank->buffer.first =
                (cor_block){.bytes = (bytes - lost - BUFFER_BLOCK_BYTES) / BUFFER_ALIGN * BUFFER_ALIGN};
        }
    }
    cor_device_leave(rank->device);
    return rc;
}

int cor_buffer_detach(cor_rank *rank, void **memory_p, size_t *bytes_p)
{
    cor_device *device = rank->device;
    cor_idle_state idle = {0};
    cor_device_enter(device);
    while (buffer_reclaim(&rank->buffer)) {
        if (device->ops->progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            device->ops->idle(device, &idle);
    }
    *memory_p = rank->buffer.memory;
    *bytes_p = rank->buffer.bytes;
    rank->buffer = (cor_buffer){0};
    cor_device_leave(device);
    return COR_OK;
}
