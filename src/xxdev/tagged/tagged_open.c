/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up and end of the tagged device, and the devices that it is. */
#include "base/clock.h"
#include "xxdev/tagged/tagged_state.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tagged_address(cor_device *device, int round, char *text, cor_fault *fault)
{
    tagged *self = tagged_of(device);
    const cor_tagged_options options = {
        .rank = self->rank,
        .tag_bits = TAGGED_BITS,
        .tag_peer_shift = TAGGED_PEER_SHIFT,
        .tag_peer_bits = TAGGED_PEER_BITS,
        .read = tagged_read,
        .write = tagged_write,
        .done = tagged_done,
        .unreached = tagged_unreached,
        .device = self,
    };
    int rc = round == 0 ? cor_tagged_meeting_open(&self->meeting, options, fault) : COR_OK;
    self->library = self->meeting.library;
    return rc == COR_OK ? cor_tagged_meeting_address(&self->meeting, round, text) : rc;
}

int tagged_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault)
{
    return cor_tagged_meeting_learn(&tagged_of(device)->meeting, round, texts, fault);
}

int tagged_attach(cor_device *device, cor_fault *fault)
{
    return cor_tagged_meeting_connect(&tagged_of(device)->meeting, device->host, fault);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static tagged *tagged_of_source(cor_wait_source *source)
{
    return COR_OWNER(source, tagged, source);
}

static int tagged_arm(cor_wait_source *source)
{
    tagged *self = tagged_of_source(source);
    uint64_t now_ns = cor_clock_ns();
    self->fruitless = now_ns - self->armed_ns < TAGGED_AT_ONCE_NS ? self->fruitless + 1 : 0;
    self->armed_ns = now_ns;
    if (COR_UNLIKELY(tagged_has_unlucky(self) || self->doomed > 0))
        return 0; /* their time comes without an event */
    return self->ops->arm(self->library);
}

/* What a probe waits for may have come while the probe before was under way, and nothing would wake the rank then. */
enum { TAGGED_PROBE_MS = 1 };

static int tagged_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    tagged *self = tagged_of_source(source);
    (void)room;
    fds[0] = (struct pollfd){.fd = self->ops->descriptor(self->library), .events = POLLIN};
    *timeout_ms_p = self->is_probing && !self->ops->tells_arrivals ? TAGGED_PROBE_MS : -1;
    self->is_probing = 0;
    return 1;
}

int tagged_settle(cor_device *device, cor_fault *fault)
{
    tagged *self = tagged_of(device);
    (void)fault;
    if (self->ops->descriptor(self->library) >= 0)
        cor_waiter_add(&device->waiter, &self->source);
    else
        device->waiter.is_silent = 1;
    device->host->ended = tagged_ended;
    device->host->subject = self;
    return COR_OK;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static int tagged_open(const cor_device_options *options, const char *name, const cor_tagged_kind *kind,
                       cor_device **device_p, cor_fault *fault)
{
    if (options->size > 1 << TAGGED_PEER_BITS)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s can have %d ranks at most, not %d", name,
                             1 << TAGGED_PEER_BITS, options->size);
    tagged *self = calloc(1, sizeof *self);
    int *unreached = calloc((size_t)options->size, sizeof *unreached);
    int rc = self && unreached
                 ? cor_tagged_meeting_init(&self->meeting, name, kind, options->settings, options->size, fault)
                 : cor_fault_set(fault, COR_ERR_MEMORY, "no memory for device %s", name);
    if (rc != COR_OK) {
        if (self)
            cor_tagged_meeting_close(&self->meeting);
        free(self);
        free(unreached);
        return rc;
    }
    cor_device_init(&self->base, &tagged_ops, name, options);
    self->base.tag_max = (1 << TAGGED_TAG_BITS) - 1;
    self->source = (cor_wait_source){.arm = tagged_arm, .fds = tagged_fds};
    self->rank = options->rank;
    self->size = options->size;
    self->log = options->log;
    self->ops = self->meeting.ops;
    self->unreached = unreached;
    cor_pool_init(&self->requests, sizeof(tagged_request));
    cor_pool_init(&self->messages, sizeof(cor_message));
    cor_list_init(&self->started);
    cor_list_init(&self->abandoned);
    cor_list_init(&self->failed);
    *device_p = &self->base;
    return COR_OK;
}

void tagged_close(cor_device *device)
{
    tagged *self = tagged_of(device);
    cor_tagged_meeting_close(&self->meeting);
    cor_pool_fini(&self->requests);
    cor_pool_fini(&self->messages);
    free(self->unreached);
}

/* ---- ucxdev and ofidev ------------------------------------------------------------------------------------------ */

#define TAGGED_FIELD(field) offsetof(cor_tagged_config, field)

static const cor_knob ucx_knob_rows[] = {
    {"ucx.transports", COR_KNOB_TEXT, TAGGED_FIELD(transports), "", "words of UCX_TLS", 0, COR_TAGGED_TEXT_MAX,
     "the transports that ucxdev may use, in UCX's words; empty: what UCX_TLS says, or all"},
    {"ucx.interface", COR_KNOB_TEXT, TAGGED_FIELD(interface), "", "words of UCX_NET_DEVICES", 0, COR_TAGGED_TEXT_MAX,
     "the network interfaces that ucxdev may use, in UCX's words; empty: what UCX_NET_DEVICES says, or all"},
    {"ucx.errors", COR_KNOB_BOOL, TAGGED_FIELD(handles_errors), "yes", NULL, 0, 0,
     "UCX tells of peers that it cannot reach; no: long messages over its TCP are faster, and a death may end the "
     "ranks "
     "that send to the dead one; the same on all ranks"},
};

const cor_knob_table cor_ucx_knobs = {ucx_knob_rows, sizeof ucx_knob_rows / sizeof *ucx_knob_rows};

static const cor_knob ofi_knob_rows[] = {
    {"ofi.provider", COR_KNOB_TEXT, TAGGED_FIELD(transports), "", "a provider of libfabric", 0, COR_TAGGED_TEXT_MAX,
     "the provider that ofidev uses, in libfabric's words; empty: what FI_PROVIDER says, or the first that will do"},
    {"ofi.domain", COR_KNOB_TEXT, TAGGED_FIELD(interface), "", "a domain of libfabric", 0, COR_TAGGED_TEXT_MAX,
     "the domain that ofidev uses, mostly the name of an interface or adapter; empty: the provider's first"},
    {"ofi.eager_max", COR_KNOB_SIZE, TAGGED_FIELD(eager_max), "16k", NULL, 0, 1 << 30,
     "longest message that goes without being announced; the same on all ranks; above what the provider sends at once "
     "(16k with ofi_rxm) a message without room can hang its sender"},
    {"ofi.sleep", COR_KNOB_BOOL, TAGGED_FIELD(sleeps), "yes", NULL, 0, 0,
     "a rank that waits long sleeps; no: it looks every 50 us, for which short messages are faster with some "
     "providers"},
};

const cor_knob_table cor_ofi_knobs = {ofi_knob_rows, sizeof ofi_knob_rows / sizeof *ofi_knob_rows};

/* UCX would take the signals by which a JVM works. It reads this when it is loaded. */
static void ucx_prepare(int size)
{
    (void)size;
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

/* Room for more receives than the 2048 of ofi_rxm and the 256 of tcp; for more messages that no receive has met than the 64 of
 * tcp, which then reads nothing behind them; and queues for as many peers as there are, not for 256, which not every adapter
 * has. It reads this when it is loaded. */
static void ofi_prepare(int size)
{
    char ranks[16];
    snprintf(ranks, sizeof ranks, "%d", size);
    setenv("FI_OFI_RXM_RX_SIZE", "16384", 0);
    setenv("FI_TCP_RX_SIZE", "16384", 0);
    setenv("FI_TCP_MAX_SAVED", "1000000", 0);
    setenv("FI_UNIVERSE_SIZE", ranks, 0);
}

const cor_tagged_kind cor_tagged_ucx = {
    {"ucxdev", "ucx", "UCX", "libucx-dev", COR_TAGGED_SYMBOL, COR_TAGGED_VERSION, 0}, ucx_prepare};
const cor_tagged_kind cor_tagged_ofi = {
    {"ofidev", "ofi", "libfabric", "libfabric-dev", COR_TAGGED_SYMBOL, COR_TAGGED_VERSION, 0}, ofi_prepare};

int cor_ofi_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    return tagged_open(options, "ofidev", &cor_tagged_ofi, device_p, fault);
}

int cor_ucx_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    return tagged_open(options, "ucxdev", &cor_tagged_ucx, device_p, fault);
}
