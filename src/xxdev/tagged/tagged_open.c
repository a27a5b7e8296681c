/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up and end of the tagged device, and the devices that it is. */
#include "base/clock.h"
#include "base/hex.h"
#include "xxdev/tagged/tagged_state.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An address of the library is bytes, and often longer than one text: round 0 tells how long it is, the others bring
 * it in hexadecimal digits. */
enum {
    TAGGED_PREFIX_MAX = 16,
    TAGGED_ROUND_BYTES = (COR_DEVICE_ADDRESS_MAX - TAGGED_PREFIX_MAX) / 2,
    TAGGED_ADDRESS_MAX = 1 << 20
};

static size_t tagged_rounds(const tagged *self)
{
    return (self->address_max_bytes + TAGGED_ROUND_BYTES - 1) / TAGGED_ROUND_BYTES;
}

/* How many of so many bytes the round that begins there brings. */
static size_t tagged_part(size_t bytes, size_t from)
{
    return bytes - from < TAGGED_ROUND_BYTES ? bytes - from : TAGGED_ROUND_BYTES;
}

static int tagged_open_library(tagged *self, cor_fault *fault)
{
    cor_tagged_options options = {
        .rank = self->rank,
        .size = self->size,
        .transports = self->config.transports,
        .interface = self->config.interface,
        .eager_max_bytes = self->config.eager_max,
        .handles_errors = self->config.handles_errors,
        .sleeps = self->config.sleeps,
        .tag_bits = TAGGED_BITS,
        .tag_peer_shift = TAGGED_PEER_SHIFT,
        .tag_peer_bits = TAGGED_PEER_BITS,
        .read = tagged_read,
        .write = tagged_write,
        .done = tagged_done,
        .unreached = tagged_unreached,
        .device = self,
    };
    char why[200] = "";
    if (self->ops->open(&options, &self->library, why, sizeof why) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "%s cannot start %s: %s", self->base.name, self->ops->name, why);
    return COR_OK;
}

/* What all ranks must have alike beside the build, told in round 0. The version of the library stands for its protocol,
 * which no library promises to keep. */
typedef struct tagged_terms {
    char version[24], choice[COR_TAGGED_TEXT_MAX];
    size_t address_bytes, eager_max;
    int handles_errors;
} tagged_terms;

static void tagged_terms_print(const tagged_terms *terms, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%zu,%zu,%d,%s,%s", terms->address_bytes, terms->eager_max, terms->handles_errors,
             terms->version, terms->choice);
}

static int tagged_terms_parse(const char *text, tagged_terms *terms_p)
{
    *terms_p = (tagged_terms){0};
    return text && sscanf(text, ",%zu,%zu,%d,%23[^,],%63s", &terms_p->address_bytes, &terms_p->eager_max,
                          &terms_p->handles_errors, terms_p->version, terms_p->choice) >= 4;
}

static void tagged_terms_of(const tagged *self, tagged_terms *terms_p)
{
    *terms_p = (tagged_terms){.eager_max = self->config.eager_max, .handles_errors = self->config.handles_errors};
    self->ops->address(self->library, &terms_p->address_bytes);
    self->ops->library_version(terms_p->version, sizeof terms_p->version);
    self->ops->choice(self->library, terms_p->choice, sizeof terms_p->choice);
    for (char *at = terms_p->choice; *at; at++) /* an address has no spaces */
        *at = *at > ' ' && *at < 127 ? *at : '_';
}

int tagged_address(cor_device *device, int round, char *text, cor_fault *fault)
{
    tagged *self = tagged_of(device);
    size_t bytes, from = (size_t)(round - 1) * TAGGED_ROUND_BYTES;
    int rc = round == 0 ? tagged_open_library(self, fault) : COR_OK;
    if (rc != COR_OK)
        return rc;
    if (round > 0 && (size_t)round > tagged_rounds(self))
        return 0;
    int length = snprintf(text, TAGGED_PREFIX_MAX, "%s3,", self->plugin->name);
    if (round == 0) {
        tagged_terms terms;
        tagged_terms_of(self, &terms);
        tagged_terms_print(&terms, text + length, (size_t)(COR_DEVICE_ADDRESS_MAX - length));
        return 1;
    }
    const unsigned char *address = self->ops->address(self->library, &bytes);
    if (from < bytes)
        cor_hex_print(address + from, tagged_part(bytes, from), text + length);
    return 1;
}

static int tagged_bad_address(const tagged *self, int peer, const char *text, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "rank %d tells %s \"%.100s\"", peer, self->base.name, text);
}

/* Does a rank have what rank 0 has? */
static int tagged_compare(const tagged *self, int peer, const tagged_terms *other, const tagged_terms *first,
                          cor_fault *fault)
{
    const cor_tagged_ops *ops = self->ops;
    if (strcmp(other->version, first->version) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s %s, rank 0 %s %s: all ranks of a job need the same version of it", peer,
                             ops->name, other->version, ops->name, first->version);
    if (strcmp(other->choice, first->choice) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s of %s, rank 0 %s: set %s alike on all ranks of a job", peer,
                             other->choice, ops->name, first->choice, ops->choice_settings);
    if (other->eager_max != first->eager_max)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "ofi.eager_max is %zu on rank 0 and %zu on rank %d: set it alike on all ranks of a job",
                             first->eager_max, other->eager_max, peer);
    if (other->handles_errors != first->handles_errors)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "ucx.errors is %s on rank 0 and %s on rank %d: set it alike on all ranks of a job",
                             first->handles_errors ? "yes" : "no", other->handles_errors ? "yes" : "no", peer);
    return COR_OK;
}

static int tagged_learn_terms(tagged *self, const char *const *texts, cor_fault *fault)
{
    tagged_terms first = {0}, other;
    for (int i = 0; i < self->size; i++) {
        if (!tagged_terms_parse(strchr(texts[i], ','), &other) || other.address_bytes > TAGGED_ADDRESS_MAX)
            return tagged_bad_address(self, i, texts[i], fault);
        first = i == 0 ? other : first;
        int rc = tagged_compare(self, i, &other, &first, fault);
        if (rc != COR_OK)
            return rc;
        self->address_bytes[i] = other.address_bytes;
        if (self->address_bytes[i] > self->address_max_bytes)
            self->address_max_bytes = self->address_bytes[i];
    }
    self->addresses = calloc((size_t)self->size, self->address_max_bytes);
    if (!self->addresses)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", self->size);
    return COR_OK;
}

static int tagged_learn_part(tagged *self, int peer, size_t from, const char *text, cor_fault *fault)
{
    const char *comma = strchr(text, ',');
    uint8_t *address = self->addresses + (size_t)peer * self->address_max_bytes;
    size_t bytes = self->address_bytes[peer];
    if (from >= bytes)
        return COR_OK;
    if (!comma || !cor_hex_parse(comma + 1, tagged_part(bytes, from), address + from))
        return tagged_bad_address(self, peer, text, fault);
    return COR_OK;
}

int tagged_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault)
{
    tagged *self = tagged_of(device);
    if (round == 0)
        return tagged_learn_terms(self, texts, fault);
    int rc = COR_OK;
    for (int i = 0; rc == COR_OK && i < self->size; i++)
        rc = tagged_learn_part(self, i, (size_t)(round - 1) * TAGGED_ROUND_BYTES, texts[i], fault);
    return rc;
}

int tagged_attach(cor_device *device, cor_fault *fault)
{
    tagged *self = tagged_of(device);
    char why[160];
    int rc = 0;
    for (int i = 0; rc == 0 && i < self->size; i++)
        rc = self->ops->connect(self->library, i, self->addresses + (size_t)i * self->address_max_bytes,
                                self->address_bytes[i], device->host->index_of[i] >= 0);
    free(self->addresses);
    self->addresses = NULL;
    if (rc == 0)
        return COR_OK;
    self->ops->explain(rc, why, sizeof why);
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "%s cannot connect: %s: %s", device->name, self->ops->name, why);
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

static int tagged_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    tagged *self = tagged_of_source(source);
    (void)room;
    fds[0] = (struct pollfd){.fd = self->ops->descriptor(self->library), .events = POLLIN};
    *timeout_ms_p = -1;
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

int tagged_open(const cor_device_options *options, const char *name, const cor_plugin *plugin, cor_device **device_p,
                cor_fault *fault)
{
    const void *table = NULL;
    if (options->size > 1 << TAGGED_PEER_BITS)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s can have %d ranks at most, not %d", name,
                             1 << TAGGED_PEER_BITS, options->size);
    int rc = cor_plugin_open(plugin, &table, fault);
    if (rc != COR_OK)
        return rc;
    tagged *self = calloc(1, sizeof *self);
    size_t *address_bytes = calloc((size_t)options->size, sizeof *address_bytes);
    int *unreached = calloc((size_t)options->size, sizeof *unreached);
    if (!self || !address_bytes || !unreached) {
        free(self);
        free(address_bytes);
        free(unreached);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for device %s", name);
    }
    cor_device_init(&self->base, &tagged_ops, name, options);
    self->base.tag_max = (1 << TAGGED_TAG_BITS) - 1;
    self->source = (cor_wait_source){.arm = tagged_arm, .fds = tagged_fds};
    self->rank = options->rank;
    self->size = options->size;
    self->log = options->log;
    self->plugin = plugin;
    self->config = *(const cor_tagged_config *)options->settings;
    self->ops = table;
    self->address_bytes = address_bytes;
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
    if (self->library)
        self->ops->close(self->library);
    cor_pool_fini(&self->requests);
    cor_pool_fini(&self->messages);
    free(self->addresses);
    free(self->address_bytes);
    free(self->unreached);
    cor_device_fini(device);
    free(self);
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

static const cor_plugin ucx_plugin = {"ucxdev", "ucx", "UCX", "libucx-dev", COR_TAGGED_SYMBOL, COR_TAGGED_VERSION, 0};
static const cor_plugin ofi_plugin = {"ofidev",           "ofi", "libfabric", "libfabric-dev", COR_TAGGED_SYMBOL,
                                      COR_TAGGED_VERSION, 0};

int cor_ofi_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    char ranks[16];
    /* Room for more receives than the 2048 of ofi_rxm; and queues for as many peers as there are, not for 256, which not
     * every adapter has. It reads this when it is loaded. */
    snprintf(ranks, sizeof ranks, "%d", options->size);
    setenv("FI_OFI_RXM_RX_SIZE", "16384", 0);
    setenv("FI_UNIVERSE_SIZE", ranks, 0);
    return tagged_open(options, "ofidev", &ofi_plugin, device_p, fault);
}

int cor_ucx_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    /* UCX would take the signals by which a JVM works. It reads this when it is loaded. */
    setenv("UCX_ERROR_SIGNALS", "", 0);
    return tagged_open(options, "ucxdev", &ucx_plugin, device_p, fault);
}

int cor_ucx_check(cor_fault *fault)
{
    const void *table;
    return cor_plugin_open(&ucx_plugin, &table, fault);
}

int cor_ofi_check(cor_fault *fault)
{
    const void *table;
    return cor_plugin_open(&ofi_plugin, &table, fault);
}
