/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remote memory of every wire that has it here: reads, writes and updates of shared memory at any offset, between two
 * ranks in one process. Of UCX and libfabric what this build has. Also, how long a packet may be that leaves at once.
 */
#include "check.h"
#include "host_pair.h"
#include "xxdev/soft/fabric/fabric_state.h"
#include "xxdev/soft/ofi/ofi.h"
#include "xxdev/soft/sm/sm.h"
#include "xxdev/soft/ucx/ucx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 2, SHARED_BYTES = 3 << 20, LIMIT_S = 60 };

typedef struct end {
    cor_wire *wire;
    int copied, delivered;
    size_t awaited_bytes; /* of a packet */
} end;

typedef struct memory_case {
    const char *title;
    const cor_wire_ops *ops;
    const cor_knob_table *knobs;
    const char *overrides[4];
    int is_apart, is_ucx;
    size_t short_bytes; /* a packet up to here needs no frame, with a connection; 0: unchecked */
} memory_case;

/* ---- what the wire tells ---------------------------------------------------------------------------------------- */

static void end_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes)
{
    end *self = sink;
    (void)peer, (void)header;
    CHECK_EQUAL(self->awaited_bytes, bytes);
    CHECK_EQUAL(0, memcmp(data, "short", 5));
    self->delivered++;
}

static void end_copied(void *sink, void *context, int error)
{
    CHECK_EQUAL(COR_OK, error);
    CHECK(context == sink);
    ((end *)sink)->copied++;
}

static void end_lost(void *sink, int peer, const cor_fault *why)
{
    (void)sink, (void)peer;
    CHECK_FAIL("%s", why->text);
}

static void end_awaited(void *sink, const cor_wire *wire, uint8_t *peers)
{
    (void)sink, (void)wire;
    memset(peers, 0, RANKS);
}

static int end_has_ended(void *sink, int peer)
{
    (void)sink, (void)peer;
    return 0;
}

static void end_connecting(void *sink)
{
    (void)sink;
}

/* ---- two ends --------------------------------------------------------------------------------------------------- */

static void must(int rc, const cor_fault *fault)
{
    if (rc != COR_OK)
        CHECK_FAIL("%s", fault->text);
}

static void ends_exchange(end ends[RANKS], int round)
{
    cor_fault fault = {0};
    char texts[RANKS][COR_WIRE_ADDRESS_MAX];
    const char *all[RANKS] = {texts[0], texts[1]};
    uint8_t reached[RANKS];
    for (int i = 0; i < RANKS; i++) {
        cor_wire *wire = ends[i].wire;
        if (round == 0)
            wire->ops->address(wire, texts[i]);
        else if (!wire->ops->address_more || !wire->ops->address_more(wire, round, texts[i]))
            return;
    }
    for (int i = 0; i < RANKS; i++) {
        cor_wire *wire = ends[i].wire;
        must(round == 0 ? wire->ops->connect(wire, all, reached, &fault)
                        : wire->ops->connect_more(wire, round, all, &fault),
             &fault);
    }
    ends_exchange(ends, round + 1);
}

static void ends_open(end ends[RANKS], const memory_case *memory, host_pair *hosts, const cor_log *log,
                      const void *config)
{
    cor_fault fault = {0};
    host_pair_open(hosts, memory->is_apart, log);
    for (int i = 0; i < RANKS; i++) {
        const cor_wire_options options = {.rank = i,
                                          .size = RANKS,
                                          .device = "unit",
                                          .host = hosts->host[i],
                                          .log = log,
                                          .config = config,
                                          .deliver = end_deliver,
                                          .copied = end_copied,
                                          .lost = end_lost,
                                          .awaited = end_awaited,
                                          .has_ended = end_has_ended,
                                          .connecting = end_connecting,
                                          .sink = &ends[i]};
        ends[i] = (end){0};
        must(memory->ops->open(&options, &ends[i].wire, &fault), &fault);
    }
    ends_exchange(ends, 0);
    host_pair_attach(hosts);
    for (int i = 0; i < RANKS; i++)
        must(ends[i].wire->ops->attach(ends[i].wire, &fault), &fault);
    for (int i = 0; i < RANKS; i++)
        ends[i].wire->ops->settle(ends[i].wire);
}

static void ends_wait(end ends[RANKS], int copied)
{
    time_t limit = time(NULL) + LIMIT_S;
    while (ends[0].copied < copied) {
        for (int i = 0; i < RANKS; i++)
            ends[i].wire->ops->poll(ends[i].wire, -1);
        if (time(NULL) > limit)
            CHECK_FAIL("%d of %d copies are done", ends[0].copied, copied);
    }
    CHECK_EQUAL(copied, ends[0].copied);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static _Alignas(64) unsigned char shared[SHARED_BYTES], own[SHARED_BYTES];

static void fill(unsigned char *memory, unsigned seed)
{
    for (size_t i = 0; i < SHARED_BYTES; i++)
        memory[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

/* COR_AGAIN: the wire has no room, or no connection yet. */
static void try_again(end ends[RANKS], int rc)
{
    CHECK_EQUAL(COR_AGAIN, rc);
    for (int i = 0; i < RANKS; i++)
        ends[i].wire->ops->poll(ends[i].wire, -1);
}

static void test_copies(end ends[RANKS], const cor_wire_key *key, void *registration)
{
    static const struct {
        size_t offset, bytes;
    } pieces[] = {{0, 8}, {1, 1}, {100, 1000}, {4096, 20000}, {12345, SHARED_BYTES - 12345}, {0, SHARED_BYTES}};
    cor_wire *wire = ends[0].wire;
    const cor_wire_memory_ops *memory = wire->ops->memory;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t offset = pieces[i].offset, bytes = pieces[i].bytes;
        fill(shared, 1);
        fill(own, 2);
        int done = ends[0].copied, rc;
        while ((rc = memory->get(wire, 1, key, offset, own, registration, bytes, &ends[0])) != COR_OK)
            try_again(ends, rc);
        ends_wait(ends, done + 1);
        CHECK_EQUAL(0, memcmp(own, shared + offset, bytes));
        fill(own, 3);
        while ((rc = memory->put(wire, 1, key, offset, own, registration, bytes, 0, &ends[0])) != COR_OK)
            try_again(ends, rc);
        ends_wait(ends, done + 2);
        CHECK_EQUAL(0, memcmp(own, shared + offset, bytes));
        fill(own, 1);
        CHECK_EQUAL(0, memcmp(own, shared, offset));
        CHECK_EQUAL(0, memcmp(own + offset + bytes, shared + offset + bytes, SHARED_BYTES - offset - bytes));
    }
}

/* Many at a time. */
static void test_many(end ends[RANKS], const cor_wire_key *key, void *registration)
{
    enum { COUNT = 200, BYTES = 3000 };
    cor_wire *wire = ends[0].wire;
    int done = ends[0].copied, rc;
    fill(shared, 4);
    memset(own, 0, sizeof own);
    for (size_t i = 0; i < COUNT; i++)
        while ((rc = wire->ops->memory->get(wire, 1, key, i * BYTES, own + i * BYTES, registration, BYTES,
                                            &ends[0])) != COR_OK)
            try_again(ends, rc);
    ends_wait(ends, done + COUNT);
    CHECK_EQUAL(0, memcmp(own, shared, COUNT * BYTES));
}

/* ---- updates ---------------------------------------------------------------------------------------------------- */

static uint64_t update(end ends[RANKS], const cor_wire_key *key, size_t offset, cor_wire_atomic atomic)
{
    cor_wire *wire = ends[0].wire;
    uint64_t result = 99;
    int done = ends[0].copied, rc;
    atomic.result_p = atomic.kind == COR_WIRE_ADD ? NULL : &result;
    while ((rc = wire->ops->memory->update(wire, 1, key, offset, &atomic, &ends[0])) != COR_OK)
        try_again(ends, rc);
    ends_wait(ends, done + 1);
    return result;
}

static void test_updates(end ends[RANKS], const cor_wire_key *key, unsigned kinds)
{
    uint64_t number = UINT64_C(0xfffffffffffffff0);
    const size_t offset = 4096 + 8;
    memcpy(shared + offset, &number, sizeof number);
    if (kinds & 1u << COR_WIRE_ADD) {
        update(ends, key, offset, (cor_wire_atomic){.kind = COR_WIRE_ADD, .operand = 0x11});
        memcpy(&number, shared + offset, sizeof number);
        CHECK_EQUAL(1, number);
    }
    memset(shared + offset, 0, sizeof number);
    if (kinds & 1u << COR_WIRE_FETCH_ADD)
        for (uint64_t i = 0; i < 10; i++)
            CHECK_EQUAL(3 * i, update(ends, key, offset, (cor_wire_atomic){.kind = COR_WIRE_FETCH_ADD, .operand = 3}));
    number = 30;
    memcpy(shared + offset, &number, sizeof number);
    if (kinds & 1u << COR_WIRE_SWAP)
        CHECK_EQUAL(30, update(ends, key, offset, (cor_wire_atomic){.kind = COR_WIRE_SWAP, .operand = 41}));
    number = 41;
    memcpy(shared + offset, &number, sizeof number);
    if (kinds & 1u << COR_WIRE_COMPARE) {
        CHECK_EQUAL(
            41, update(ends, key, offset, (cor_wire_atomic){.kind = COR_WIRE_COMPARE, .operand = 50, .compare = 40}));
        CHECK_EQUAL(
            41, update(ends, key, offset, (cor_wire_atomic){.kind = COR_WIRE_COMPARE, .operand = 50, .compare = 41}));
        memcpy(&number, shared + offset, sizeof number);
        CHECK_EQUAL(50, number);
    }
}

/* ---- keys that say wrong lengths -------------------------------------------------------------------------------- */

/* A key of UCX has a bit for each of 64 memory domains, the type of memory, and for each of these a byte of length and
 * as many bytes. Nothing can be read behind this one, which ends with what those lengths skip; the domains are none
 * that this host has. */
static void test_lying_key(end ends[RANKS], void *registration)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK_EQUAL(0, mprotect(pages + page, page, PROT_NONE));
    cor_wire_key *key = (cor_wire_key *)(void *)(pages + page - sizeof *key);
    const void *address = shared;
    uint64_t domains = ~UINT64_C(0) << 32;
    int done = ends[0].copied, rc;
    key->bytes = COR_WIRE_KEY_MAX;
    memset(key->data, 0xff, sizeof key->data);
    memcpy(key->data, &address, sizeof address);
    memcpy(key->data + sizeof address, &domains, sizeof domains);
    key->data[sizeof address + sizeof domains] = 0; /* memory of the host */
    fill(shared, 5);
    while ((rc = ends[0].wire->ops->memory->get(ends[0].wire, 1, key, 0, own, registration, 8, &ends[0])) != COR_OK)
        try_again(ends, rc);
    ends_wait(ends, done + 1);
    CHECK_EQUAL(0, memcmp(own, shared, 8));
    munmap(pages, 2 * page);
}

/* ---- short packets ---------------------------------------------------------------------------------------------- */

static void test_short(end ends[RANKS], size_t bytes)
{
    static char text[512] = "short";
    const cor_header header = {.kind = 1};
    const cor_payload payload = cor_payload_plain(text, bytes);
    const fabric_wire *wire = fabric_of(ends[0].wire);
    time_t limit = time(NULL) + LIMIT_S;
    int rc;
    CHECK(wire->small.slabs == NULL); /* no frame was needed yet */
    ends[1].awaited_bytes = bytes;
    while ((rc = ends[0].wire->ops->send(ends[0].wire, 1, &header, &payload, 0, bytes)) != COR_OK)
        try_again(ends, rc);
    CHECK(wire->small.slabs == NULL);
    while (ends[1].delivered == 0) {
        for (int i = 0; i < RANKS; i++)
            ends[i].wire->ops->poll(ends[i].wire, -1);
        CHECK(time(NULL) < limit);
    }
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static const memory_case cases[] = {
    {"sm", &cor_sm_wire, &cor_sm_knobs, {NULL}, 0, 0, 0},
#ifdef HAS_UCX
    {"ucx, TCP", &cor_ucx_wire, &cor_ucx_knobs, {"ucx.transports=tcp", "ucx.interface=lo", NULL}, 1, 1, 0},
    {"ucx, shared memory", &cor_ucx_wire, &cor_ucx_knobs, {"ucx.transports=shm,self", NULL}, 0, 1, 188},
#endif
#ifdef HAS_OFI
    {"ofi, TCP", &cor_ofi_wire, &cor_ofi_knobs, {"ofi.provider=tcp;ofi_rxm", "ofi.domain=lo", NULL}, 1, 0, 0},
    {"ofi, sockets", &cor_ofi_wire, &cor_ofi_knobs, {"ofi.provider=sockets", "ofi.domain=lo", NULL}, 1, 0, 0},
#endif
};

static void test_case(const memory_case *memory)
{
    _Alignas(16) unsigned char config[1024];
    cor_fault fault = {0};
    const cor_log log = {.level = COR_LOG_WARN};
    host_pair hosts;
    end ends[RANKS];
    cor_wire_key key, unused;
    cor_wire_route route;
    void *remote, *local;
    must(cor_knobs_load(memory->knobs, memory->overrides, config, NULL, &fault), &fault);
    ends_open(ends, memory, &hosts, &log, config);
    ends[0].wire->ops->route(ends[0].wire, 1, &route);
    const cor_wire_memory_ops *ops = ends[1].wire->ops->memory;
    CHECK_EQUAL(COR_OK, ops->enter(ends[1].wire, shared, sizeof shared, COR_WIRE_SHARED, &key, &remote));
    CHECK_EQUAL(COR_OK, ops->enter(ends[0].wire, own, sizeof own, COR_WIRE_SHARED, &unused, &local));
    CHECK(key.bytes <= COR_WIRE_KEY_MAX);
    test_copies(ends, &key, local);
    test_many(ends, &key, local);
    test_updates(ends, &key, route.atomics);
    if (memory->is_ucx)
        test_lying_key(ends, local);
    if (memory->short_bytes > 0)
        test_short(ends, memory->short_bytes);
    ops->leave(ends[0].wire, local);
    ops->leave(ends[1].wire, remote);
    for (int i = 0; i < RANKS; i++)
        ends[i].wire->ops->close(ends[i].wire);
    host_pair_close(&hosts);
    printf("%s: a key of %d bytes, updates %#x\n", memory->title, (int)key.bytes, route.atomics);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_case(&cases[i]);
    return 0;
}
