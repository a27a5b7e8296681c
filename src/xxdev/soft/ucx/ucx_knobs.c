/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and row of the wire over UCX; there also where its bridge is not built. */
#include "xxdev/soft/ucx/ucx.h"

#include "xxdev/soft/fabric/fabric_bridge.h"

#define UCX_FIELD(field) offsetof(cor_fabric_config, field)

static const cor_knob ucx_knob_rows[] = {
    {"ucx.transports", COR_KNOB_TEXT, UCX_FIELD(transports), "", "words of UCX_TLS", 0, COR_FABRIC_TEXT_MAX,
     "transports that UCX may use, in its own words; empty: what UCX_TLS says, or all"},
    {"ucx.interface", COR_KNOB_TEXT, UCX_FIELD(interface), "", "words of UCX_NET_DEVICES", 0, COR_FABRIC_TEXT_MAX,
     "network interfaces that UCX may use, in its own words; empty: what UCX_NET_DEVICES says, or all"},
    {"ucx.eager_max", COR_KNOB_SIZE, UCX_FIELD(eager_max_bytes), "32k", NULL, 0, 1 << 20,
     "longest message that is sent at once, at most a packet (60k over TCP, 8k elsewhere); the same on all ranks"},
    {"ucx.rendezvous", COR_KNOB_CHOICE, UCX_FIELD(rendezvous), "auto", "auto|pieces|ucx", 0, 0,
     "way of long messages of plain memory: in packets, or by UCX's own rendezvous; auto: in packets where UCX would "
     "copy "
     "fragments, which is TCP with ucx.errors"},
    {"ucx.errors", COR_KNOB_BOOL, UCX_FIELD(handles_errors), "yes", NULL, 0, 0,
     "UCX reports peers that it cannot reach; no: long messages over its TCP are faster, and a death may end the "
     "ranks "
     "that send to the dead one; the same on all ranks"},
};

const cor_knob_table cor_ucx_knobs = {ucx_knob_rows, sizeof ucx_knob_rows / sizeof *ucx_knob_rows};

/* UCX would take the signals by which a JVM works. It reads this when it is loaded. */
static void ucx_prepare(int size)
{
    (void)size;
    cor_fabric_set_default("UCX_ERROR_SIGNALS", "");
}

const cor_fabric_kind cor_ucx_kind = {
    {"ucxdev", "ucx", "UCX", "libucx-dev", COR_FABRIC_SYMBOL, COR_FABRIC_VERSION, 0}, "ucx", ucx_prepare};

static int ucx_open_wire(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    return cor_fabric_open(options, &cor_ucx_wire, &cor_ucx_kind, wire_p, fault);
}

const cor_wire_ops cor_ucx_wire = COR_FABRIC_WIRE("ucx", "what UCX knows", ucx_open_wire);
