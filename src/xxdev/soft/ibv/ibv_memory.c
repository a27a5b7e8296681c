/* SPDX-License-Identifier: Apache-2.0 */
/* Remote memory: registering it, reading and writing it. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- registrations ---------------------------------------------------------------------------------------------- */

/* What is sent may be constant, and no peer writes to it. What is received into is kept for both. */
enum { MEMORY_READ = 1, MEMORY_WRITE = 2, MEMORY_UPDATE = 4 };

/* Messages must not lock what connections will need. */
static void *memory_add(void *subject, uintptr_t start, size_t bytes, int rights)
{
    ibw_wire *wire = subject;
    int access = IBV_ACCESS_REMOTE_READ;
    if (bytes > wire->registered_max_bytes - wire->registered_bytes) {
        errno = ENOMEM;
        return NULL;
    }
    if (rights & MEMORY_WRITE)
        access |= IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    if (rights & MEMORY_UPDATE)
        access |= IBV_ACCESS_REMOTE_ATOMIC;
    struct ibv_mr *region = wire->library.do_ibv_reg_mr(wire->domain, (void *)start, bytes, access);
    if (region) {
        wire->registered_bytes += bytes;
        wire->counts.registrations++;
    }
    return region;
}

static void memory_remove(void *subject, void *handle)
{
    ibw_wire *wire = subject;
    wire->registered_bytes -= ((const struct ibv_mr *)handle)->length;
    wire->library.do_ibv_dereg_mr(handle);
}

static void memory_gone(void *subject, uintptr_t start, uintptr_t end)
{
    ibw_cache_forget(&((ibw_wire *)subject)->cache, start, end);
}

static int memory_watch(void *subject, uintptr_t start, size_t bytes)
{
    ibw_wire *wire = subject;
    cor_fault why;
    if (!wire->mappings &&
        ibw_mappings_open(&wire->cache.lock, memory_gone, wire, 1, &wire->mappings, &why) != COR_OK) {
        COR_LOG(wire->options.log, INFO, "ibv: registrations of memory are not kept: %s", why.text);
        wire->cache.kind = IBW_CACHE_OFF;
        return 0;
    }
    if (ibw_mappings_add(wire->mappings, start, bytes))
        return 1;
    if (!wire->has_told_unwatched)
        COR_LOG(wire->options.log, INFO,
                "ibv: the registration of %zu bytes at %p is not kept, nor are others like it: it is no private "
                "anonymous memory, or another rank of this process watches it",
                bytes, (void *)start);
    wire->has_told_unwatched = 1;
    return 0;
}

static void memory_unwatch(void *subject, uintptr_t start, size_t bytes)
{
    const ibw_wire *wire = subject;
    if (wire->mappings)
        ibw_mappings_remove(wire->mappings, start, bytes);
}

static int memory_is_changing(void *subject)
{
    const ibw_wire *wire = subject;
    return !wire->mappings || ibw_mappings_are_changing(wire->mappings);
}

static const ibw_cache_ops memory_cache_ops = {memory_add, memory_remove, memory_watch, memory_unwatch,
                                               memory_is_changing};

void ibw_memory_open(ibw_wire *wire)
{
    wire->cache = (ibw_cache){.kind = (ibw_cache_kind)wire->config.cache,
                              .entries_max = wire->config.cache_entries,
                              .bytes_max = wire->config.cache_bytes,
                              .misses_max = wire->config.cache_misses,
                              .ops = &memory_cache_ops,
                              .subject = wire};
    wire->registered_max_bytes = ibw_buffers_leave(wire);
    ibw_cache_init(&wire->cache);
}

static void memory_log_counts(const ibw_wire *wire)
{
    const ibw_counts *counts = &wire->counts;
    const ibw_cache_counts *cache = &wire->cache.counts;
    COR_LOG(wire->options.log, DEBUG,
            "ibv: packets %llu (bytes %llu, pieces %llu, overlapped %llu, mails %llu), reads %llu, writes %llu (bytes "
            "%llu), "
            "registrations %llu (hits %llu, misses %llu, bypassed %llu, unwatched %llu, stale %llu, evicted %llu)",
            (unsigned long long)counts->packets, (unsigned long long)counts->packet_bytes,
            (unsigned long long)counts->pieces, (unsigned long long)counts->overlapped,
            (unsigned long long)counts->mails, (unsigned long long)counts->reads, (unsigned long long)counts->writes,
            (unsigned long long)counts->copied_bytes, (unsigned long long)counts->registrations,
            (unsigned long long)cache->hits, (unsigned long long)cache->misses, (unsigned long long)cache->bypassed,
            (unsigned long long)cache->unwatched, (unsigned long long)cache->stale,
            (unsigned long long)cache->evicted);
}

/* Mappings first: they refer to the cache. */
void ibw_memory_close(ibw_wire *wire)
{
    if (wire->mappings)
        ibw_mappings_close(wire->mappings);
    wire->mappings = NULL;
    ibw_results_close(wire);
    if (wire->completions)
        memory_log_counts(wire);
    ibw_cache_fini(&wire->cache);
}

/* In pieces: what is not mapped so that it can be written, and what there is too much of. The latter is told, once. */
static int memory_refused(ibw_wire *wire, size_t bytes, int error)
{
    cor_fault why;
    if (error == ENOMEM && !wire->has_told_refused) {
        ibw_no_memory(error, bytes, &why);
        COR_LOG(wire->options.log, WARN, "%s; such messages are copied in pieces", why.text);
        wire->has_told_refused = 1;
    }
    return COR_AGAIN;
}

/* What the peer is told. */
typedef struct memory_key {
    uint64_t address, remote_key, bytes;
} memory_key;

static int memory_rights(const ibw_wire *wire, cor_wire_use use)
{
    if (use == COR_WIRE_READ)
        return MEMORY_READ;
    return MEMORY_READ | MEMORY_WRITE | (use == COR_WIRE_SHARED && wire->has_atomics ? MEMORY_UPDATE : 0);
}

static int memory_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                        void **registration_p)
{
    ibw_wire *wire = ibw_of(base);
    ibw_entry *entry = ibw_cache_get(&wire->cache, memory, bytes, memory_rights(wire, use));
    if (!entry)
        return memory_refused(wire, bytes, errno);
    const struct ibv_mr *region = entry->handle;
    const memory_key key = {.address = (uintptr_t)memory, .remote_key = region->rkey, .bytes = bytes};
    key_p->bytes = sizeof key;
    memcpy(key_p->data, &key, sizeof key);
    *registration_p = entry;
    return COR_OK;
}

static void memory_leave(cor_wire *base, void *registration)
{
    ibw_cache_put(&ibw_of(base)->cache, registration);
}

static uint32_t memory_local_key(const void *registration)
{
    const ibw_entry *entry = registration;
    return ((const struct ibv_mr *)entry->handle)->lkey;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static int copy_is_at_end(const ibw_wire *wire, const ibw_copy *copy)
{
    return copy->bytes - copy->posted <= wire->segment_max_bytes;
}

/* A read, if the adapter may have one more on the way. The end of a write that tells the peer takes one of its
 * receives, as a frame does: the last is for credits. */
static int copy_may_go(const ibw_wire *wire, const ibw_link *link, const ibw_copy *copy)
{
    if (copy->is_get)
        return link->reads < link->reads_max;
    return !copy->tells || !copy_is_at_end(wire, copy) || link->credits >= 2;
}

static int copy_post_segment(ibw_wire *wire, ibw_link *link, ibw_copy *copy)
{
    int tells = copy->tells && copy_is_at_end(wire, copy);
    size_t left = copy->bytes - copy->posted;
    uint32_t segment = (uint32_t)(left < wire->segment_max_bytes ? left : wire->segment_max_bytes);
    struct ibv_sge place = {.addr = (uintptr_t)copy->local + copy->posted, .length = segment, .lkey = copy->local_key};
    struct ibv_send_wr request = {.sg_list = &place,
                                  .num_sge = 1,
                                  .opcode = copy->is_get ? IBV_WR_RDMA_READ
                                            : tells      ? IBV_WR_RDMA_WRITE_WITH_IMM
                                                         : IBV_WR_RDMA_WRITE,
                                  .imm_data = htonl(copy->id),
                                  .wr.rdma = {.remote_addr = copy->remote + copy->posted, .rkey = copy->remote_key}};
    if (copy->is_update)
        ibw_atomic_fill(copy, &request);
    copy->posted += segment;
    copy->pending++;
    link->reads += copy->is_get;
    link->credits -= (uint32_t)tells;
    link->frames_sent += (uint32_t)tells;
    wire->counts.reads += (uint64_t)copy->is_get;
    wire->counts.writes += !copy->is_get;
    wire->counts.copied_bytes += segment;
    if (!ibw_post(wire, link, &request, (ibw_sent){.copy = copy}))
        return 0;
    if (copy->posted == copy->bytes)
        cor_list_remove(&copy->link);
    return 1;
}

/* In the order they were asked for, as far as the send queue, the adapter's limit of reads and credits allow. */
void ibw_copies_start(ibw_wire *wire, ibw_link *link)
{
    while (link->state == IBW_OPEN && !cor_list_is_empty(&link->copies) && ibw_send_room(wire, link) >= 2) {
        ibw_copy *copy = COR_OWNER(link->copies.next, ibw_copy, link);
        if (!copy_may_go(wire, link, copy) || !copy_post_segment(wire, link, copy))
            return;
    }
}

void ibw_copy_free(ibw_wire *wire, ibw_copy *copy)
{
    if (copy->is_update)
        ibw_result_free(wire, copy);
    free(copy);
}

void ibw_copy_done(ibw_wire *wire, ibw_link *link, ibw_copy *copy, int is_fine)
{
    link->reads -= copy->is_get;
    if (--copy->pending > 0 || copy->posted < copy->bytes)
        return;
    void *context = copy->context;
    is_fine = is_fine && link->state != IBW_LOST; /* else its loss is told */
    if (is_fine && copy->is_update)
        ibw_result_take(copy);
    ibw_copy_free(wire, copy);
    if (is_fine)
        wire->options.copied(wire->options.sink, context, COR_OK);
}

/* A peer that nothing was sent to yet is called. */
int ibw_copy_begin(ibw_wire *wire, int rank, const cor_wire_key *key, size_t offset, ibw_copy asked)
{
    ibw_link *link = ibw_link_get(wire, rank);
    memory_key remote;
    if (link && link->state == IBW_IDLE)
        ibw_call(wire, link);
    if (!link || link->state != IBW_OPEN)
        return COR_AGAIN;
    if (key->bytes != sizeof remote)
        return COR_ERR_PROTOCOL;
    memcpy(&remote, key->data, sizeof remote);
    asked.remote = remote.address + offset;
    asked.remote_key = (uint32_t)remote.remote_key;
    ibw_copy *copy = malloc(sizeof *copy);
    if (!copy)
        return COR_ERR_MEMORY;
    *copy = asked;
    cor_list_append(&link->copies, &copy->link);
    ibw_copies_start(wire, link);
    return COR_OK;
}

static int memory_get(cor_wire *base, int rank, const cor_wire_key *from, size_t offset, void *to, void *registration,
                      size_t bytes, void *context)
{
    return ibw_copy_begin(ibw_of(base), rank, from, offset,
                          (ibw_copy){.is_get = 1,
                                     .local_key = memory_local_key(registration),
                                     .local = to,
                                     .bytes = bytes,
                                     .context = context});
}

/* iWARP has no immediate data; there the protocol tells the peer. */
int ibw_puts_tell(const ibw_wire *wire)
{
    return wire->context && wire->context->device->transport_type == IBV_TRANSPORT_IB;
}

static int memory_put(cor_wire *base, int rank, const cor_wire_key *to, size_t offset, const void *from,
                      void *registration, size_t bytes, uint32_t id, void *context)
{
    return ibw_copy_begin(ibw_of(base), rank, to, offset,
                          (ibw_copy){.tells = id && ibw_puts_tell(ibw_of(base)),
                                     .id = id,
                                     .local_key = memory_local_key(registration),
                                     .local = (char *)(uintptr_t)from,
                                     .bytes = bytes,
                                     .context = context});
}

const cor_wire_memory_ops ibw_memory = {
    .enter = memory_enter, .leave = memory_leave, .get = memory_get, .put = memory_put, .update = ibw_update};
