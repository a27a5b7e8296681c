/* SPDX-License-Identifier: Apache-2.0 */
/* Registered buffers of one size: to send from, one pool for all connections, and to receive into. */
#define _GNU_SOURCE
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BUFFER_ALIGN = 4096 };

int ibw_no_memory(int error, size_t bytes, cor_fault *fault)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY)
        return cor_fault_set(fault, COR_ERR_MEMORY, "the RDMA device cannot register %zu bytes: %s", bytes,
                             strerror(error));
    return cor_fault_set(
        fault, COR_ERR_MEMORY,
        "the RDMA device cannot register %zu bytes: %s; this process may lock %llu (ulimit -l unlimited "
        "allows more)",
        bytes, strerror(error), (unsigned long long)limit.rlim_cur);
}

static int buffer_is_privileged(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct rights[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capget, &header, rights) == 0 && rights[0].effective & 1u << CAP_IPC_LOCK;
}

static size_t buffer_limit_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || buffer_is_privileged())
        return SIZE_MAX;
    return limit.rlim_cur;
}

static size_t buffer_needed_bytes(const ibw_wire *wire)
{
    size_t peers = (size_t)wire->options.size - 1;
    size_t buffers = (size_t)wire->config.send_buffers + peers * (size_t)wire->config.credits;
    return buffers * wire->config.buffer_bytes + (wire->config.mailbox_max_bytes ? wire->config.mailbox_bytes : 0);
}

int ibw_buffers_are_allowed(const ibw_wire *wire, cor_fault *fault)
{
    size_t limit = buffer_limit_bytes(), needed = buffer_needed_bytes(wire);
    if (limit >= needed)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_MEMORY,
                         "RDMA to %d ranks takes up to %zu bytes of locked memory, and this process may lock %zu "
                         "(ulimit -l unlimited allows more; ibv.credits and ibv.buffer take less)",
                         wire->options.size - 1, needed, limit);
}

size_t ibw_buffers_leave(const ibw_wire *wire)
{
    size_t limit = buffer_limit_bytes(), needed = buffer_needed_bytes(wire);
    return limit == SIZE_MAX ? SIZE_MAX : limit > needed ? limit - needed : 0;
}

static ibw_chunk *buffer_chunk(ibw_wire *wire, int count, cor_fault *fault)
{
    size_t stride = wire->config.buffer_bytes, bytes = stride * (size_t)count;
    ibw_chunk *chunk = calloc(1, sizeof *chunk + (size_t)count * sizeof *chunk->buffers);
    if (!chunk || posix_memalign(&chunk->memory, BUFFER_ALIGN, bytes) != 0) {
        free(chunk);
        cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d buffers of %zu bytes", count, stride);
        return NULL;
    }
    do
        chunk->region = wire->library.do_ibv_reg_mr(wire->domain, chunk->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
    while (!chunk->region && ibw_cache_release(&wire->cache));
    if (!chunk->region) {
        ibw_no_memory(errno, bytes, fault);
        free(chunk->memory);
        free(chunk);
        return NULL;
    }
    for (int i = 0; i < count; i++)
        chunk->buffers[i] =
            (ibw_buffer){.memory = (uint8_t *)chunk->memory + stride * (size_t)i, .lkey = chunk->region->lkey};
    chunk->next = wire->chunks;
    wire->chunks = chunk;
    return chunk;
}

int ibw_buffer_post(ibw_wire *wire, ibw_buffer *buffer)
{
    struct ibv_sge place = {
        .addr = (uintptr_t)buffer->memory, .length = (uint32_t)wire->config.buffer_bytes, .lkey = buffer->lkey};
    struct ibv_recv_wr *bad,
        request = {.wr_id = (uint64_t)1 << IBW_RECEIVE_BIT | (uintptr_t)buffer, .sg_list = &place, .num_sge = 1};
    return ibv_post_srq_recv(wire->receives, &request, &bad);
}

int ibw_buffers_post_receives(ibw_wire *wire, int count, cor_fault *fault)
{
    ibw_chunk *chunk = buffer_chunk(wire, count, fault);
    int error = 0;
    for (int i = 0; chunk && !error && i < count; i++)
        error = ibw_buffer_post(wire, &chunk->buffers[i]);
    if (error)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the RDMA device takes no receives: %s", strerror(error));
    return chunk ? COR_OK : COR_ERR_MEMORY;
}

int ibw_buffers_make_sends(ibw_wire *wire, int count, cor_fault *fault)
{
    ibw_chunk *chunk = buffer_chunk(wire, count, fault);
    for (int i = 0; chunk && i < count; i++)
        ibw_buffer_put(wire, &chunk->buffers[i]);
    return chunk ? COR_OK : COR_ERR_MEMORY;
}

void ibw_buffers_free(ibw_wire *wire)
{
    wire->free = NULL;
    wire->free_count = 0;
    while (wire->chunks) {
        ibw_chunk *chunk = wire->chunks;
        wire->chunks = chunk->next;
        wire->library.do_ibv_dereg_mr(chunk->region);
        free(chunk->memory);
        free(chunk);
    }
}
