/* SPDX-License-Identifier: Apache-2.0 */
/* Remote memory: landings for one message, and shared memory, which UCX reaches by its own operations. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- registrations ---------------------------------------------------------------------------------------------- */

typedef struct memory_region {
    ucx_registration base;
    ucp_mem_h handle;
} memory_region;

/* What is only sent needs nothing: UCX does what it needs then. */
static const ucx_registration memory_sent;

static int memory_print_key(cor_fabric_library *library, void *memory, ucp_mem_h handle, cor_wire_key *key_p)
{
    void *packed;
    size_t packed_bytes;
    ucs_status_t status = ucp_rkey_pack(library->context, handle, &packed, &packed_bytes);
    if (status != UCS_OK)
        return status;
    if (packed_bytes <= COR_WIRE_KEY_MAX - sizeof memory) {
        key_p->bytes = sizeof memory + packed_bytes;
        memcpy(key_p->data, &memory, sizeof memory);
        memcpy(key_p->data + sizeof memory, packed, packed_bytes);
    } else {
        status = UCS_ERR_EXCEEDS_LIMIT;
    }
    ucp_rkey_buffer_release(packed);
    return status;
}

static int memory_share(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_key *key_p,
                        void **registration_p)
{
    const ucp_mem_map_params_t params = {.field_mask =
                                             UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                         .address = memory,
                                         .length = bytes};
    memory_region *region = calloc(1, sizeof *region);
    int status = region ? (int)ucp_mem_map(library->context, &params, &region->handle) : (int)UCS_ERR_NO_MEMORY;
    if (status == UCS_OK) {
        status = memory_print_key(library, memory, region->handle, key_p);
        if (status != UCS_OK)
            ucp_mem_unmap(library->context, region->handle);
    }
    if (status != UCS_OK) {
        free(region);
        return status;
    }
    region->base.is_region = 1;
    *registration_p = region;
    return 0;
}

int ucx_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
              void **registration_p)
{
    switch (use) {
    case COR_WIRE_WRITTEN:
        return ucx_landing_enter(library, memory, bytes, key_p, registration_p);
    case COR_WIRE_SHARED:
        return memory_share(library, memory, bytes, key_p, registration_p);
    default:
        key_p->bytes = 0;
        *registration_p = (void *)(uintptr_t)&memory_sent;
        return 0;
    }
}

void ucx_leave(cor_fabric_library *library, void *registration)
{
    const ucx_registration *base = registration;
    if (base == &memory_sent)
        return;
    if (!base->is_region) {
        ucx_landing_leave(library, registration);
        return;
    }
    ucp_mem_unmap(library->context, ((memory_region *)registration)->handle);
    free(registration);
}

/* ---- keys of peers ---------------------------------------------------------------------------------------------- */

static void memory_key_free_unused(ucx_key *key)
{
    if (key->users > 0 || key->is_kept)
        return;
    ucp_rkey_destroy(key->key);
    free(key);
}

static void memory_key_release(ucx_key *key)
{
    key->users--;
    memory_key_free_unused(key);
}

static void memory_key_forget(ucx_key **place)
{
    ucx_key *key = *place;
    *place = NULL;
    if (!key)
        return;
    key->is_kept = 0;
    memory_key_free_unused(key);
}

void ucx_forget_keys(cor_fabric_library *library, int peer)
{
    for (int i = 0; i < UCX_KEYS; i++)
        if (library->keys[i] && (peer < 0 || library->keys[i]->peer == peer))
            memory_key_forget(&library->keys[i]);
}

static ucx_key **memory_key_place(cor_fabric_library *library, int peer, const cor_wire_key *packed)
{
    uint32_t hash = (uint32_t)peer;
    for (uint64_t i = 0; i < packed->bytes; i++)
        hash = hash * 31 + packed->data[i];
    return &library->keys[hash % UCX_KEYS];
}

static int memory_key_fits(const ucx_key *key, int peer, const cor_wire_key *packed)
{
    return key && key->peer == peer && key->packed.bytes == packed->bytes &&
           memcmp(key->packed.data, packed->data, packed->bytes) == 0;
}

enum {
    MEMORY_PACKED_MAX =
        32 << 10, /* 64 keys of UCX's memory domains with a byte of length each, and what goes with them */
};

/* UCX reads as many bytes as the key itself says, and a key is what a peer says: behind it there are zeros, as far as
 * lengths in it can lead. */
static int memory_key_unpack(cor_fabric_library *library, int peer, const cor_wire_key *packed, ucp_rkey_h *key_p)
{
    _Alignas(8) char whole[MEMORY_PACKED_MAX] = {0};
    memcpy(whole, packed->data + sizeof(void *), packed->bytes - sizeof(void *));
    return ucp_ep_rkey_unpack(library->peers[peer].endpoint, whole, key_p);
}

/* There is an endpoint. The caller becomes a user. */
static int memory_key_find(cor_fabric_library *library, int peer, const cor_wire_key *packed, ucx_key **key_p)
{
    ucx_key **place = memory_key_place(library, peer, packed);
    if (!memory_key_fits(*place, peer, packed)) {
        ucx_key *key = calloc(1, sizeof *key);
        if (!key)
            return UCS_ERR_NO_MEMORY;
        int status = memory_key_unpack(library, peer, packed, &key->key);
        if (status != UCS_OK) {
            free(key);
            return status;
        }
        memory_key_forget(place);
        key->peer = peer;
        key->is_kept = 1;
        key->packed.bytes = packed->bytes;
        memcpy(key->packed.data, packed->data, packed->bytes);
        *place = key;
    }
    (*place)->users++;
    *key_p = *place;
    return 0;
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

typedef struct memory_job {
    cor_fabric_library *library;
    ucx_key *key;
    int peer;
    uint64_t *result_p;
    uint64_t operand, result;
    int pending, error;
} memory_job;

_Static_assert(sizeof(memory_job) <= sizeof(cor_fabric_job), "it has room in a job");

static memory_job *memory_own(cor_fabric_job *job)
{
    return (memory_job *)(void *)job->own;
}

/* One of its requests is over. 1: so is the job. */
static int memory_end(memory_job *own, ucs_status_t status)
{
    if (status != UCS_OK && own->error == 0)
        own->error = ucx_end(status);
    if (--own->pending > 0)
        return 0;
    memory_key_release(own->key);
    if (own->error == 0 && own->result_p && !own->library->peers[own->peer].is_lost)
        *own->result_p = own->result;
    return 1;
}

static void memory_done(void *request, ucs_status_t status, void *job)
{
    memory_job *own = memory_own(job);
    const cor_fabric_library *library = own->library;
    ucp_request_free(request);
    if (memory_end(own, status))
        library->options.copied(job, own->error);
}

/* Where the memory is, and by which key. */
static int memory_begin(cor_fabric_library *library, int peer, const cor_wire_key *remote, size_t offset,
                        cor_fabric_job *job, uint64_t *address_p)
{
    memory_job *own = memory_own(job);
    uintptr_t base;
    *own = (memory_job){.library = library, .peer = peer, .pending = 1};
    if (remote->bytes <= sizeof base || remote->bytes > COR_WIRE_KEY_MAX)
        return UCS_ERR_INVALID_PARAM;
    int error = ucx_reach(library, peer);
    error = error ? error : memory_key_find(library, peer, remote, &own->key);
    if (error)
        return error;
    memcpy(&base, remote->data, sizeof base);
    *address_p = base + offset;
    return 0;
}

/* UCX has returned from the last call for this job, which holds one pending itself. */
static int memory_started(cor_fabric_job *job, ucs_status_ptr_t request)
{
    memory_job *own = memory_own(job);
    if (UCS_PTR_IS_PTR(request))
        return COR_FABRIC_STARTED;
    return memory_end(own, UCS_PTR_STATUS(request)) ? own->error : COR_FABRIC_STARTED;
}

static ucp_request_param_t memory_param(cor_fabric_job *job)
{
    return (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = memory_done,
                                 .user_data = job};
}

int ucx_get(cor_fabric_library *library, int peer, const cor_wire_key *from, size_t offset, void *to,
            void *registration, size_t bytes, cor_fabric_job *job)
{
    uint64_t address;
    int error = memory_begin(library, peer, from, offset, job, &address);
    (void)registration;
    if (error)
        return error;
    const ucp_request_param_t param = memory_param(job);
    return memory_started(
        job, ucp_get_nbx(library->peers[peer].endpoint, to, bytes, address, memory_own(job)->key->key, &param));
}

/* UCX says when the memory at this end may be used again; that the peer has it, says a flush. */
int ucx_put(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
            void *registration, size_t bytes, uint32_t id, cor_fabric_job *job)
{
    uint64_t address;
    (void)registration;
    if (ucx_is_landing_key(to))
        return ucx_message_send(library, peer, to, from, bytes, id, job);
    int error = memory_begin(library, peer, to, offset, job, &address);
    if (error)
        return error;
    memory_job *own = memory_own(job);
    const ucp_request_param_t param = memory_param(job);
    ucp_ep_h endpoint = library->peers[peer].endpoint;
    own->pending = 2;
    ucs_status_ptr_t request = ucp_put_nbx(endpoint, from, bytes, address, own->key->key, &param);
    if (!UCS_PTR_IS_PTR(request))
        memory_end(own, UCS_PTR_STATUS(request));
    return memory_started(job, ucp_ep_flush_nbx(endpoint, &param));
}

static ucp_atomic_op_t memory_operation(cor_wire_atomic_kind kind)
{
    return kind == COR_WIRE_SWAP      ? UCP_ATOMIC_OP_SWAP
           : kind == COR_WIRE_COMPARE ? UCP_ATOMIC_OP_CSWAP
                                      : UCP_ATOMIC_OP_ADD;
}

/* All with a result: it says that the peer's memory has changed. */
int ucx_update(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset,
               const cor_wire_atomic *atomic, cor_fabric_job *job)
{
    uint64_t address;
    int error = memory_begin(library, peer, to, offset, job, &address);
    if (error)
        return error;
    memory_job *own = memory_own(job);
    int is_compare = atomic->kind == COR_WIRE_COMPARE;
    ucp_request_param_t param = memory_param(job);
    own->operand = is_compare ? atomic->compare : atomic->operand;
    own->result = atomic->operand; /* of a compare: what is swapped in */
    own->result_p = atomic->result_p;
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    param.datatype = ucp_dt_make_contig(sizeof own->operand);
    param.reply_buffer = &own->result;
    return memory_started(job, ucp_atomic_op_nbx(library->peers[peer].endpoint, memory_operation(atomic->kind),
                                                 &own->operand, 1, address, own->key->key, &param));
}
