/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the verbs wire; there also where it is not built. */
#include "xxdev/soft/ibv/ibv.h"
#include "xxdev/soft/ibv/ibv_cache.h"

#define IBW_FIELD(field) offsetof(cor_ibv_config, field)

static const cor_knob ibw_knob_rows[] = {
    {"ibv.device", COR_KNOB_TEXT, IBW_FIELD(device), "", "the name of an RDMA device, such as mlx5_0", 0,
     COR_IBV_DEVICE_MAX, "name of the RDMA device; empty: the first that has an IP address, or else an active port"},
    {"ibv.setup", COR_KNOB_CHOICE, IBW_FIELD(setup), "auto", "auto|cm|exchange", 0, 0,
     "how connections are made: by RDMA CM, or by addresses that ranks exchange; auto: cm if the device has an IP "
     "address"},
    {"ibv.port", COR_KNOB_INT, IBW_FIELD(port), "0", NULL, 0, 255,
     "the port of the RDMA device; 0: the first that has an IP address, or else is active"},
    {"ibv.gid_index", COR_KNOB_INT, IBW_FIELD(gid_index), "-1", NULL, -1, 255,
     "index of the port's GID for exchange; -1: RoCE v2 with an IPv4 address before others, InfiniBand's first"},
    {"ibv.mtu", COR_KNOB_CHOICE, IBW_FIELD(mtu), "auto", "auto|256|512|1024|2048|4096", 0, 0,
     "MTU of connections in bytes, with exchange; auto: the smaller one of the ports of both ranks"},
    {"ibv.service_level", COR_KNOB_INT, IBW_FIELD(service_level), "0", NULL, 0, 15,
     "InfiniBand's service level, or RoCE's priority, with exchange"},
    {"ibv.buffer", COR_KNOB_SIZE, IBW_FIELD(buffer_bytes), "8k", NULL, 1 << 9, 1 << 20,
     "bytes of a registered buffer; longer messages go by remote memory, after the receive is posted"},
    {"ibv.credits", COR_KNOB_INT, IBW_FIELD(credits), "32", NULL, 4, 1 << 14,
     "packets under way from one rank to another, for which buffers are posted when they connect"},
    {"ibv.send_queue", COR_KNOB_INT, IBW_FIELD(send_queue), "64", NULL, 4, 1 << 14,
     "entries in the send queue of a connection; rounded down to a power of two"},
    {"ibv.send_buffers", COR_KNOB_INT, IBW_FIELD(send_buffers), "128", NULL, 4, 1 << 16,
     "number of buffers to send from, for all connections together"},
    {"ibv.inline_max", COR_KNOB_SIZE, IBW_FIELD(inline_max_bytes), "256", NULL, 0, 1 << 12,
     "bytes of the longest inline packet, with 32 bytes of header; less if the adapter supports less"},
    {"ibv.get_max", COR_KNOB_SIZE, IBW_FIELD(get_max_bytes), "4M", NULL, 0, 1L << 50,
     "bytes of the longest message by remote memory that the receiver reads; the sender writes longer ones"},
    {"ibv.cache", COR_KNOB_CHOICE, IBW_FIELD(cache), "tree", IBW_CACHE_KINDS, 0, 0,
     "how kept registrations of long messages' memory are found, by a tree or as a stack; off: each message "
     "registers again"},
    {"ibv.cache_entries", COR_KNOB_INT, IBW_FIELD(cache_entries), "1024", NULL, 1, 1 << 20,
     "number of registrations that are kept"},
    {"ibv.cache_bytes", COR_KNOB_SIZE, IBW_FIELD(cache_bytes), "512M", NULL, 0, 1L << 50,
     "bytes of memory whose registration is kept, and which stays pinned"},
    {"ibv.cache_misses", COR_KNOB_INT, IBW_FIELD(cache_misses), "32", NULL, 1, 1 << 20,
     "requests in a row that miss in a full stack, before as many bypass it"},
    {"ibv.signal_every", COR_KNOB_INT, IBW_FIELD(signal_every), "16", NULL, 1, 1 << 14,
     "number of sends from one that requests a completion to the next; at most half of ibv.send_queue, and 1 on "
     "soft-iWARP"},
    {"ibv.ack_timeout", COR_KNOB_INT, IBW_FIELD(ack_timeout), "0", NULL, 0, 31,
     "exponent of the time before the adapter sends again, 4 microseconds times 2 to this power; 0: as RDMA CM "
     "says, 18 with exchange"},
    {"ibv.retries", COR_KNOB_INT, IBW_FIELD(retries), "6", NULL, 0, 7,
     "number of times to send again before a peer is declared failed; 7 is without end on Soft-RoCE"},
    {"ibv.traffic_class", COR_KNOB_INT, IBW_FIELD(traffic_class), "0", NULL, 0, 255,
     "type of service of the connections, which fabrics map to service level or priority"},
    {"ibv.connect_s", COR_KNOB_INT, IBW_FIELD(connect_s), "0", NULL, 0, 1 << 20,
     "seconds to retry connecting before a peer is declared failed, if nothing reports that it has ended; 0: no "
     "limit, since a rank that computes does not answer"},
    {"ibv.connect_all", COR_KNOB_BOOL, IBW_FIELD(connects_all), "no", NULL, 0, 0,
     "connect to all ranks when the job starts, instead of to each with the first message to it"},
    {"ibv.mailbox", COR_KNOB_SIZE, IBW_FIELD(mailbox_max_bytes), "0", NULL, 0, 1 << 14,
     "bytes of the longest packet that is written to a mailbox, which the receiver polls; 0: none. Needs an "
     "adapter that writes in order"},
    {"ibv.mailbox_bytes", COR_KNOB_SIZE, IBW_FIELD(mailbox_bytes), "4M", NULL, 0, 1L << 40,
     "bytes of memory for the mailboxes of a rank from all others; the more ranks, the smaller each mailbox"},
    {"ibv.hybrid", COR_KNOB_BOOL, IBW_FIELD(is_in_hybrid), "yes", NULL, 0, 0,
     "hybdev uses RDMA between hosts if every rank of the job has a device; else TCP"},
};

const cor_knob_table cor_ibv_knobs = {ibw_knob_rows, sizeof ibw_knob_rows / sizeof *ibw_knob_rows};
