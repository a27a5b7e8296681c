/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank of the job that has gone mad may send to the device of another, once its connection is believed: packets
 * of any sort, at any time. Two such peers speak through a wire that is none; between their packets the program sends,
 * receives, probes and cancels. Whatever comes, when both peers are lost all that was started has ended.
 *
 * The input is a row of actions, each a byte that says which and the bytes it takes.
 *
 * FUZZ_SOURCES: src/xxdev/soft/soft.c src/xxdev/soft/soft_open.c src/xxdev/soft/soft_send.c
 * src/xxdev/soft/soft_receive.c FUZZ_SOURCES: src/xxdev/soft/soft_rendezvous.c
 * FUZZ_SOURCES: src/xxdev/soft/soft_lost.c src/xxdev/soft/soft_flow.c src/xxdev/device.c src/xxdev/match.c
 * src/xxdev/losses.c FUZZ_SOURCES: src/xxdev/closing.c src/xxdev/soft/soft_memory.c
 * FUZZ_SOURCES: src/wait/waiter.c src/wait/host.c src/wait/host_bell.c src/wait/host_cpu.c src/wait/host_spread.c
 * FUZZ_SOURCES: src/wait/host_watch.c src/wait/host_segment.c src/base/segment.c src/base/process.c src/base/cpu.c
 * FUZZ_SOURCES: src/base/pool.c src/base/sha256.c
 * FUZZ_SOURCES: src/base/lock.c src/base/futex.c src/base/log.c src/base/error.c
 */
#include "xxdev/closing.h"
#include "xxdev/soft/soft_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum {
    FUZZ_PEERS = 3,
    FUZZ_TRANSFERS = 64,
    FUZZ_IDS = 64,
    FUZZ_EAGER_MAX = 256,
    FUZZ_PACKET_MAX = 512,
    FUZZ_LENT = 64,
    FUZZ_GET_MAX = 1024
};

/* The wire: what the device sends is looked at for the ids in it, and dropped. */
typedef struct fuzz_wire {
    cor_wire base;
    cor_wire_options options;
    int is_lost[FUZZ_PEERS], is_rejected[FUZZ_PEERS];
    int zcopy_pending[FUZZ_PEERS];
    int has_room;
    void *copy; /* one that is under way, with peer 1 */
    int copy_error, registered;
    uint32_t ids[FUZZ_IDS];
    uint32_t id_count;
} fuzz_wire;

typedef struct fuzz_state {
    const unsigned char *data;
    size_t at, size;
    cor_device *device;
    fuzz_wire *wire;
    cor_transfer transfers[FUZZ_TRANSFERS];
    cor_payload payloads[FUZZ_TRANSFERS];
    int count;
} fuzz_state;

/* No peer shares our memory, whatever it says. */
void cor_payload_copy(const cor_payload *to, const cor_payload *from, size_t bytes)
{
    (void)to;
    (void)from;
    (void)bytes;
    abort();
}

/* ---- the wire --------------------------------------------------------------------------------------------------- */

static fuzz_wire *fuzz_of(cor_wire *base)
{
    return (fuzz_wire *)(void *)base;
}

static int fuzz_arm(cor_wait_source *source)
{
    (void)source;
    return 1;
}

static int fuzz_open(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    extern const cor_wire_ops fuzz_wire_ops;
    (void)fault;
    fuzz_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        abort();
    wire->base = (cor_wire){.ops = &fuzz_wire_ops, .source = {.arm = fuzz_arm}};
    wire->options = *options;
    wire->has_room = 1;
    *wire_p = &wire->base;
    return COR_OK;
}

static void fuzz_close(cor_wire *base)
{
    free(base);
}

/* Peer 1 is a process whose memory can be read, peer 2 one to which memory is lent. */
static void fuzz_route(cor_wire *base, int peer, cor_wire_route *route_p)
{
    (void)base;
    *route_p = (cor_wire_route){.eager_max_bytes = FUZZ_EAGER_MAX,
                                .packet_max_bytes = FUZZ_PACKET_MAX,
                                .has_memory = peer == 1,
                                .get_max_bytes = FUZZ_GET_MAX,
                                .zcopy_min_bytes = peer == 2 ? FUZZ_LENT : 0};
}

static int fuzz_send(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                     size_t bytes)
{
    fuzz_wire *wire = fuzz_of(base);
    char packet[FUZZ_PACKET_MAX];
    if (wire->is_lost[peer])
        return COR_ERR_PEER;
    if (!wire->has_room || bytes > sizeof packet)
        return COR_AGAIN;
    if (bytes)
        cor_payload_read(payload, offset, packet, bytes);
    wire->ids[wire->id_count++ % FUZZ_IDS] = header->kind == SOFT_CTS ? header->id2 : header->id;
    return COR_OK;
}

static int fuzz_send_zcopy(cor_wire *base, int peer, const cor_header *header, const cor_payload *payload,
                           size_t offset, size_t bytes, int is_last)
{
    (void)is_last;
    int rc = fuzz_send(base, peer, header, payload, offset, bytes);
    fuzz_of(base)->zcopy_pending[peer] += rc == COR_OK;
    return rc;
}

static void fuzz_lose(fuzz_wire *wire, int peer, const char *text)
{
    cor_fault why = {.code = COR_ERR_PEER};
    snprintf(why.text, sizeof why.text, "%s", text);
    if (peer == 1)
        wire->copy = NULL;
    wire->options.lost(wire->options.sink, peer, &why);
}

static int fuzz_poll(cor_wire *base, int first)
{
    fuzz_wire *wire = fuzz_of(base);
    int events = 0;
    void *copy = wire->copy;
    (void)first;
    wire->copy = NULL;
    if (copy)
        wire->options.copied(wire->options.sink, copy, wire->copy_error);
    for (int peer = 1; peer < FUZZ_PEERS; peer++)
        if (wire->is_rejected[peer]) {
            wire->is_rejected[peer] = 0;
            fuzz_lose(wire, peer, "rejected");
            events++;
        }
    return events;
}

/* One wire tells at once, the other with its next poll. */
static void fuzz_reject(cor_wire *base, int peer, const char *what)
{
    fuzz_wire *wire = fuzz_of(base);
    if (wire->is_lost[peer] || !*what)
        abort();
    wire->is_lost[peer] = 1;
    wire->is_rejected[peer] = peer != 1;
    wire->zcopy_pending[peer] = 0;
    if (peer == 1)
        fuzz_lose(wire, peer, "rejected");
}

/* Registrations are counted: all are given back in the end. */
static int fuzz_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                      void **registration_p)
{
    (void)bytes;
    (void)use;
    fuzz_of(base)->registered++;
    key_p->bytes = sizeof memory;
    memcpy(key_p->data, &memory, sizeof memory);
    *registration_p = memory;
    return COR_OK;
}

static void fuzz_leave(cor_wire *base, void *registration)
{
    (void)registration;
    fuzz_of(base)->registered--;
}

static unsigned fuzz_key(const cor_wire_key *key)
{
    return key->bytes > 0 ? key->data[0] : 1;
}

/* Some copies are done at once, some later, well or not, and some cannot be started. */
static int fuzz_copy(cor_wire *base, const cor_wire_key *key, void *context)
{
    fuzz_wire *wire = fuzz_of(base);
    switch (fuzz_key(key) % 4) {
    case 0:
        wire->options.copied(wire->options.sink, context, COR_OK);
        return COR_OK;
    case 1:
        return COR_ERR_SYSTEM;
    default:
        if (wire->copy)
            return COR_AGAIN;
        wire->copy = context;
        wire->copy_error = fuzz_key(key) % 4 == 2 ? COR_OK : COR_ERR_SYSTEM;
        return COR_OK;
    }
}

static int fuzz_get(cor_wire *base, int peer, const cor_wire_key *from, size_t offset, void *to, void *registration,
                    size_t bytes, void *context)
{
    (void)peer;
    (void)offset;
    (void)registration;
    memset(to, (int)fuzz_key(from), bytes);
    return fuzz_copy(base, from, context);
}

static int fuzz_put(cor_wire *base, int peer, const cor_wire_key *to, size_t offset, const void *from,
                    void *registration, size_t bytes, uint32_t id, void *context)
{
    (void)peer;
    (void)offset;
    (void)id;
    (void)registration;
    /* All of it must be there to be read. */
    volatile char sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (char)(sum + ((const char *)from)[i]);
    return fuzz_copy(base, to, context);
}

static const cor_wire_memory_ops fuzz_memory = {
    .enter = fuzz_enter, .leave = fuzz_leave, .get = fuzz_get, .put = fuzz_put};

extern const cor_wire_ops fuzz_wire_ops;

static void fuzz_address(cor_wire *base, char *text)
{
    (void)base;
    text[0] = 0;
}

static int fuzz_connect(cor_wire *base, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    (void)base;
    (void)addresses;
    (void)fault;
    for (int peer = 0; peer < FUZZ_PEERS; peer++)
        reached[peer] = 1;
    return COR_OK;
}

static void fuzz_meet(cor_wire *base)
{
    (void)base;
}

const cor_wire_ops fuzz_wire_ops = {
    .name = "fuzz",
    .summary = "a wire that is none",
    .open = fuzz_open,
    .address = fuzz_address,
    .connect = fuzz_connect,
    .settle = fuzz_meet,
    .close = fuzz_close,
    .route = fuzz_route,
    .send = fuzz_send,
    .send_zcopy = fuzz_send_zcopy,
    .poll = fuzz_poll,
    .reject = fuzz_reject,
    .memory = &fuzz_memory,
};

/* ---- the input -------------------------------------------------------------------------------------------------- */

static unsigned fuzz_byte(fuzz_state *state)
{
    return state->at < state->size ? state->data[state->at++] : 0;
}

static int fuzz_peer(fuzz_state *state)
{
    return 1 + (int)(fuzz_byte(state) % 2);
}

/* Small ones, and some that are no tag of a message. */
static int fuzz_tag(fuzz_state *state)
{
    return (signed char)fuzz_byte(state);
}

/* One that the device has told its peers, or any small number. */
static uint32_t fuzz_id(fuzz_state *state)
{
    unsigned which = fuzz_byte(state);
    const fuzz_wire *wire = state->wire;
    uint32_t known = wire->id_count < FUZZ_IDS ? wire->id_count : FUZZ_IDS;
    return which < 192 && known ? wire->ids[which % known] : which;
}

/* A new transfer and memory for it, exactly so long; NULL: there are enough. */
static cor_transfer *fuzz_transfer(fuzz_state *state, size_t bytes, cor_payload *payload_p)
{
    if (state->count == FUZZ_TRANSFERS)
        return NULL;
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    memset(memory, 7, bytes);
    *payload_p = cor_payload_plain(memory, bytes);
    state->payloads[state->count] = *payload_p;
    return &state->transfers[state->count++];
}

/* One that the device did not take is none. */
static void fuzz_settle(fuzz_state *state, int code)
{
    if (code == COR_OK)
        return;
    if (code != COR_ERR_PEER)
        abort();
    free(state->payloads[--state->count].base);
}

/* ---- actions ---------------------------------------------------------------------------------------------------- */

/* As a wire does that reads out of the kernel: into place, where there is one, else out of a buffer. */
static void fuzz_packet(fuzz_state *state)
{
    fuzz_wire *wire = state->wire;
    int peer = fuzz_peer(state), lands = (int)(fuzz_byte(state) & 1);
    cor_header header = {.kind = (uint8_t)(fuzz_byte(state) % 16), .flags = (uint8_t)fuzz_byte(state)};
    header.context = fuzz_byte(state) % 4;
    header.tag = fuzz_tag(state);
    header.credit = fuzz_byte(state);
    header.id = fuzz_id(state);
    header.id2 = fuzz_id(state);
    size_t bytes = fuzz_byte(state) * 2u, left = state->size - state->at;
    bytes = bytes < left ? bytes : left;
    char *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        abort();
    memcpy(copy, state->data + state->at, bytes);
    state->at += bytes;
    cor_wire_landing landing;
    if (!wire->is_lost[peer]) {
        void *sink = wire->options.sink;
        int has_landed = lands && bytes && wire->options.land(sink, peer, &header, bytes, &landing);
        if (has_landed)
            memcpy((char *)landing.payload->base + landing.offset, copy, bytes);
        wire->options.deliver(sink, peer, &header, has_landed ? NULL : copy, bytes);
    }
    free(copy);
}

static void fuzz_receive(fuzz_state *state)
{
    unsigned peer = fuzz_byte(state), context = fuzz_byte(state) % 4, tag = fuzz_byte(state);
    cor_payload payload;
    cor_transfer *t = fuzz_transfer(state, fuzz_byte(state) * 4u, &payload);
    if (t)
        fuzz_settle(state, state->device->ops->irecv(state->device, t, peer % 3 ? (int)(peer % 3) : COR_ANY_PEER,
                                                     context, tag % 4 ? (int)(tag % 4) : COR_ANY_TAG, &payload));
}

static void fuzz_isend(fuzz_state *state)
{
    const cor_device_ops *ops = state->device->ops;
    int is_sync = (int)(fuzz_byte(state) & 1), peer = fuzz_peer(state), tag = (int)(fuzz_byte(state) % 4);
    cor_payload payload;
    cor_transfer *t = fuzz_transfer(state, fuzz_byte(state) * 8u, &payload);
    if (t)
        fuzz_settle(state, (is_sync ? ops->issend : ops->isend)(state->device, t, peer, 1, tag, &payload));
}

static void fuzz_probe(fuzz_state *state)
{
    const cor_device_ops *ops = state->device->ops;
    cor_envelope found;
    cor_message *message;
    unsigned peer = fuzz_byte(state), context = fuzz_byte(state) % 4, tag = fuzz_byte(state);
    cor_payload payload;
    if (state->count < FUZZ_TRANSFERS &&
        ops->improbe(state->device, peer % 3 ? (int)(peer % 3) : COR_ANY_PEER, context,
                     tag % 4 ? (int)(tag % 4) : COR_ANY_TAG, &found, &message) == 1) {
        cor_transfer *t = fuzz_transfer(state, fuzz_byte(state) * 4u, &payload);
        fuzz_settle(state, ops->imrecv(state->device, t, message, &payload));
    }
}

static void fuzz_move(fuzz_state *state)
{
    fuzz_wire *wire = state->wire;
    unsigned what = fuzz_byte(state);
    wire->has_room = what & 1;
    if (what & 2 && wire->zcopy_pending[2] > 0) {
        wire->zcopy_pending[2]--;
        wire->options.zcopy_done(wire->options.sink, 2);
    }
    if (what & 4)
        state->device->ops->notify_failure(state->device, 1 + (int)(what >> 7), 1, 2);
    if (what & 8 && !wire->is_lost[1])
        wire->options.written(wire->options.sink, 1, fuzz_id(state));
    state->device->ops->progress(state->device, -1);
}

static void fuzz_act(fuzz_state *state)
{
    switch (fuzz_byte(state) % 8) {
    case 0:
    case 1:
    case 2:
        fuzz_packet(state);
        break;
    case 3:
        fuzz_receive(state);
        break;
    case 4:
        fuzz_isend(state);
        break;
    case 5:
        fuzz_probe(state);
        break;
    case 6:
        if (state->count)
            state->device->ops->cancel(state->device, &state->transfers[fuzz_byte(state) % (unsigned)state->count]);
        break;
    default:
        fuzz_move(state);
    }
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static void fuzz_end(fuzz_state *state)
{
    fuzz_wire *wire = state->wire;
    state->device->ops->progress(state->device, -1);
    for (int peer = 1; peer < FUZZ_PEERS; peer++)
        if (!wire->is_lost[peer]) {
            wire->is_lost[peer] = 1;
            fuzz_lose(wire, peer, "gone");
        }
    for (int i = 0; i < state->count; i++) {
        const cor_transfer *t = &state->transfers[i];
        if (!t->is_done || t->bytes > state->payloads[i].bytes)
            abort();
        free(state->payloads[i].base);
    }
    if (wire->registered != 0)
        abort();
    cor_device_close(state->device);
    cor_device_destroy(state->device);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const cor_log log = {.level = -1};
    static const cor_soft_config config = {.unexpected_max_bytes = 8192};
    static const cor_soft_wire wire = {.ops = &fuzz_wire_ops};
    static const cor_wait_config wait = {0};
    cor_host host = {0}; /* no rank waits */
    const cor_device_options options = {
        .size = FUZZ_PEERS, .host = &host, .wait = &wait, .log = &log, .settings = &config};
    char address[COR_DEVICE_ADDRESS_MAX];
    fuzz_state *state = calloc(1, sizeof *state);
    cor_fault fault = {0};
    if (!state || cor_soft_open(&options, "fuzz", &wire, 1, &state->device, &fault) != COR_OK ||
        state->device->ops->address(state->device, 0, address, &fault) != 1 ||
        state->device->ops->connect(state->device, 0, NULL, &fault) != COR_OK ||
        cor_device_settle(state->device, &fault) != COR_OK)
        abort();
    state->wire = fuzz_of(cor_soft_wire_at(state->device, 0));
    state->data = data;
    state->size = size;
    while (state->at < size)
        fuzz_act(state);
    fuzz_end(state);
    free(state);
    return 0;
}
