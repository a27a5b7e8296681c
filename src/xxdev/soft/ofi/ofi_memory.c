/* SPDX-License-Identifier: Apache-2.0 */
/* Remote memory: registering it, reading, writing and updating it. */
#include "xxdev/soft/ofi/ofi_state.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { MEMORY_SLAB = 64 };

void ofi_close_one(const cor_fabric_library *library, struct fid *fid, const char *what)
{
    int error = fi_close(fid);
    if (error != 0)
        library->options.warn(library->options.wire, what, error);
}

/* ---- registrations ---------------------------------------------------------------------------------------------- */

int ofi_register(cor_fabric_library *library, void *memory, size_t bytes, uint64_t access, struct fid_mr **region_p)
{
    int error = fi_mr_reg(library->domain, memory, bytes, access, 0, library->next_key++, 0, region_p, NULL);
    if (error != 0 || !(library->info->domain_attr->mr_mode & FI_MR_ENDPOINT))
        return error;
    error = fi_mr_bind(*region_p, &library->endpoint->fid, 0);
    error = error ? error : fi_mr_enable(*region_p);
    if (error != 0)
        ofi_close_one(library, &(*region_p)->fid, "closing memory that was not registered");
    return error;
}

static uint64_t memory_access(cor_wire_use use)
{
    switch (use) {
    case COR_WIRE_READ:
        return FI_REMOTE_READ | FI_WRITE;
    case COR_WIRE_WRITTEN:
        return FI_REMOTE_WRITE | FI_READ;
    default:
        return FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE;
    }
}

/* What the peer is told. */
typedef struct memory_key {
    uint64_t address, key;
} memory_key;

int ofi_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
              void **registration_p)
{
    struct fid_mr *region;
    int error = ofi_register(library, memory, bytes, memory_access(use), &region);
    if (error != 0)
        return error;
    int is_virtual = (library->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    const memory_key key = {.address = is_virtual ? (uintptr_t)memory : 0, .key = fi_mr_key(region)};
    key_p->bytes = sizeof key;
    memcpy(key_p->data, &key, sizeof key);
    *registration_p = region;
    return 0;
}

void ofi_leave(cor_fabric_library *library, void *registration)
{
    ofi_close_one(library, &((struct fid_mr *)registration)->fid, "closing registered memory");
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static void memory_make_copies(cor_fabric_library *library)
{
    char *slab = calloc(1, sizeof(max_align_t) + MEMORY_SLAB * sizeof(ofi_copy));
    ofi_copy *copies = (ofi_copy *)(void *)(slab + sizeof(max_align_t));
    if (!slab)
        return;
    *(void **)(void *)slab = library->slabs;
    library->slabs = slab;
    for (int i = 0; i < MEMORY_SLAB; i++)
        cor_list_append(&library->copies, &copies[i].link);
}

void ofi_memory_close(cor_fabric_library *library)
{
    while (library->slabs) {
        void *slab = library->slabs;
        library->slabs = *(void **)slab;
        free(slab);
    }
}

/* Its remote end is set; NULL: no memory, or a key that no rank can have made. */
static ofi_copy *memory_take(cor_fabric_library *library, int peer, const cor_wire_key *remote, size_t offset,
                             cor_fabric_job *job)
{
    memory_key key;
    if (remote->bytes != sizeof key)
        return NULL;
    memcpy(&key, remote->data, sizeof key);
    if (cor_list_is_empty(&library->copies))
        memory_make_copies(library);
    if (cor_list_is_empty(&library->copies))
        return NULL;
    ofi_copy *copy = COR_OWNER(library->copies.next, ofi_copy, link);
    cor_list_remove(&copy->link);
    copy->base.kind = OFI_COPY;
    copy->base.peer = peer;
    copy->job = job;
    copy->address = key.address + offset;
    copy->key = key.key;
    return copy;
}

static void memory_give_back(cor_fabric_library *library, ofi_copy *copy)
{
    cor_list_prepend(&library->copies, &copy->link);
}

static ssize_t memory_update(cor_fabric_library *library, ofi_copy *copy)
{
    const struct fi_ioc operand = {.addr = &copy->operand, .count = 1}, compare = {.addr = &copy->compare, .count = 1};
    const struct fi_rma_ioc remote = {.addr = copy->address, .count = 1, .key = copy->key};
    struct fi_ioc result = {.addr = &copy->result, .count = 1};
    struct fi_msg_atomic message = {.msg_iov = &operand,
                                    .iov_count = 1,
                                    .addr = library->peers[copy->base.peer].address,
                                    .rma_iov = &remote,
                                    .rma_iov_count = 1,
                                    .datatype = FI_UINT64,
                                    .op = copy->atomic.kind == COR_WIRE_COMPARE ? FI_CSWAP
                                          : copy->atomic.kind == COR_WIRE_SWAP  ? FI_ATOMIC_WRITE
                                                                                : FI_SUM,
                                    .context = &copy->base.context};
    if (copy->atomic.kind == COR_WIRE_COMPARE)
        return fi_compare_atomicmsg(library->endpoint, &message, &compare, NULL, 1, &result, NULL, 1, FI_COMPLETION);
    return fi_fetch_atomicmsg(library->endpoint, &message, &result, NULL, 1, FI_COMPLETION);
}

/* The next part. What is written must be there when it ends. */
static ssize_t memory_begin_part(cor_fabric_library *library, ofi_copy *copy)
{
    size_t most = library->info->ep_attr->max_msg_size;
    if (library->is_stopped)
        return -FI_ESHUTDOWN;
    if (copy->what == OFI_UPDATE)
        return memory_update(library, copy);
    copy->part = copy->left < most ? copy->left : most;
    const struct iovec own = {copy->memory, copy->part};
    const struct fi_rma_iov remote = {.addr = copy->address, .len = copy->part, .key = copy->key};
    const struct fi_msg_rma message = {.msg_iov = &own,
                                       .desc = &copy->description,
                                       .iov_count = 1,
                                       .addr = library->peers[copy->base.peer].address,
                                       .rma_iov = &remote,
                                       .rma_iov_count = 1,
                                       .context = &copy->base.context};
    return copy->what == OFI_GET ? fi_readmsg(library->endpoint, &message, FI_COMPLETION)
                                 : fi_writemsg(library->endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

/* 0: it goes on. */
static int memory_begin(cor_fabric_library *library, ofi_copy *copy)
{
    ssize_t rc = memory_begin_part(library, copy);
    if (rc == -FI_EAGAIN)
        cor_list_append(&library->waiting, &copy->link);
    return rc == -FI_EAGAIN ? 0 : (int)rc;
}

static int memory_start(cor_fabric_library *library, ofi_copy *copy)
{
    int error = memory_begin(library, copy);
    if (error == 0)
        return COR_FABRIC_STARTED;
    memory_give_back(library, copy);
    return error;
}

void ofi_copy_ended(cor_fabric_library *library, ofi_copy *copy, int error)
{
    if (copy->what != OFI_UPDATE) {
        copy->left -= copy->part;
        copy->memory += copy->part;
        copy->address += copy->part;
        if (error == 0 && copy->left > 0 && !library->peers[copy->base.peer].is_lost) {
            error = memory_begin(library, copy);
            if (error == 0)
                return;
        }
    } else if (error == 0 && copy->atomic.result_p && !library->peers[copy->base.peer].is_lost) {
        *copy->atomic.result_p = copy->result;
    }
    cor_fabric_job *job = copy->job;
    memory_give_back(library, copy);
    library->options.copied(job, error);
}

/* Those that the provider had no room for. */
int ofi_copy_again(cor_fabric_library *library)
{
    int count = 0;
    for (cor_link *link = library->waiting.next, *next; link != &library->waiting; link = next) {
        ofi_copy *copy = COR_OWNER(link, ofi_copy, link);
        next = link->next;
        int is_lost = library->peers[copy->base.peer].is_lost;
        ssize_t rc = is_lost ? -FI_ECONNABORTED : memory_begin_part(library, copy);
        if (rc == -FI_EAGAIN)
            continue;
        cor_list_remove(link);
        count++;
        if (rc != 0) {
            copy->part = 0;
            ofi_copy_ended(library, copy, (int)rc);
            return count; /* what was told may have changed the list */
        }
    }
    return count;
}

int ofi_get(cor_fabric_library *library, int peer, const cor_wire_key *from, size_t offset, void *to,
            void *registration, size_t bytes, cor_fabric_job *job)
{
    ofi_copy *copy = memory_take(library, peer, from, offset, job);
    if (!copy)
        return COR_FABRIC_AGAIN;
    copy->what = OFI_GET;
    copy->memory = to;
    copy->left = bytes;
    copy->description = fi_mr_desc(registration);
    return memory_start(library, copy);
}

int ofi_put(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
            void *registration, size_t bytes, uint32_t id, cor_fabric_job *job)
{
    ofi_copy *copy = memory_take(library, peer, to, offset, job);
    (void)id; /* the protocol tells the peer */
    if (!copy)
        return COR_FABRIC_AGAIN;
    copy->what = OFI_PUT;
    copy->memory = (char *)(uintptr_t)from;
    copy->left = bytes;
    copy->description = fi_mr_desc(registration);
    return memory_start(library, copy);
}

int ofi_update(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset,
               const cor_wire_atomic *atomic, cor_fabric_job *job)
{
    ofi_copy *copy = memory_take(library, peer, to, offset, job);
    if (!copy)
        return COR_FABRIC_AGAIN;
    copy->what = OFI_UPDATE;
    copy->atomic = *atomic;
    copy->operand = atomic->operand;
    copy->compare = atomic->compare;
    return memory_start(library, copy);
}

/* As of a route. The numbers at this end lie in memory that is not registered. */
unsigned ofi_find_atomics(const cor_fabric_library *library)
{
    size_t count = 0;
    if (library->wants_registered || !(library->info->caps & FI_ATOMIC))
        return 0;
    unsigned atomics = 0;
    if (fi_fetch_atomicvalid(library->endpoint, FI_UINT64, FI_SUM, &count) == 0 && count > 0)
        atomics |= 1u << COR_WIRE_ADD | 1u << COR_WIRE_FETCH_ADD;
    if (fi_fetch_atomicvalid(library->endpoint, FI_UINT64, FI_ATOMIC_WRITE, &count) == 0 && count > 0)
        atomics |= 1u << COR_WIRE_SWAP;
    if (fi_compare_atomicvalid(library->endpoint, FI_UINT64, FI_CSWAP, &count) == 0 && count > 0)
        atomics |= 1u << COR_WIRE_COMPARE;
    return atomics;
}
