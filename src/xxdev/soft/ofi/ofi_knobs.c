/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and row of the wire over libfabric; there also where its bridge is not built. */
#include "xxdev/soft/ofi/ofi.h"

#include "xxdev/soft/fabric/fabric_bridge.h"

#include <stdio.h>

#define OFI_FIELD(field) offsetof(cor_fabric_config, field)

static const cor_knob ofi_knob_rows[] = {
    {"ofi.provider", COR_KNOB_TEXT, OFI_FIELD(transports), "", "a provider of libfabric", 0, COR_FABRIC_TEXT_MAX,
     "provider of libfabric, in its own words; empty: what FI_PROVIDER says, or the first that will do"},
    {"ofi.domain", COR_KNOB_TEXT, OFI_FIELD(interface), "", "a domain of libfabric", 0, COR_FABRIC_TEXT_MAX,
     "domain of libfabric, mostly the name of an interface or adapter; empty: the provider's first"},
    {"ofi.eager_max", COR_KNOB_SIZE, OFI_FIELD(eager_max_bytes), "16k", NULL, 0, 1 << 20,
     "longest message that is sent at once, with 32 bytes of header; the same on all ranks; best what the provider "
     "itself "
     "sends at once (16k with ofi_rxm)"},
    {"ofi.get_max", COR_KNOB_SIZE, OFI_FIELD(get_max_bytes), "1024G", NULL, 0, 1L << 50,
     "of messages by remote memory, the receiver reads those up to this size and the sender writes longer ones"},
    {"ofi.rendezvous", COR_KNOB_CHOICE, OFI_FIELD(rendezvous), "auto", "auto|pieces", 0, 0,
     "way of long messages of plain memory: by remote memory where the provider has it, or always in packets"},
    {"ofi.sleep", COR_KNOB_BOOL, OFI_FIELD(sleeps), "yes", NULL, 0, 0,
     "a rank that waits long sleeps; no: it looks every 50 us, for which short messages are faster with some "
     "providers"},
};

const cor_knob_table cor_ofi_knobs = {ofi_knob_rows, sizeof ofi_knob_rows / sizeof *ofi_knob_rows};

/* Queues for as many peers as there are, not for 256, which not every adapter has. Of receives of 16 KiB, ofi_rxm posts
 * 128 for each connection, which takes 2 MiB; so many as the wire has packets under way will do. libfabric reads this
 * when it is loaded. */
static void ofi_prepare(int size)
{
    char ranks[16];
    snprintf(ranks, sizeof ranks, "%d", size);
    cor_fabric_set_default("FI_UNIVERSE_SIZE", ranks);
    cor_fabric_set_default("FI_OFI_RXM_MSG_RX_SIZE", "16");
}

const cor_fabric_kind cor_ofi_kind = {
    {"ofidev", "ofi", "libfabric", "libfabric-dev", COR_FABRIC_SYMBOL, COR_FABRIC_VERSION, 0}, "ofi", ofi_prepare};

static int ofi_open_wire(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    return cor_fabric_open(options, &cor_ofi_wire, &cor_ofi_kind, wire_p, fault);
}

const cor_wire_ops cor_ofi_wire = COR_FABRIC_WIRE("ofi", "what libfabric knows", ofi_open_wire);
