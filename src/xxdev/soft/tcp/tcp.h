/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TCP wire: between hosts, and on one host if requested.
 *
 * A pair of ranks has one connection, made when one of them first sends to the other. A peer must first prove that it
 * knows the job's secret: 32 random bytes that rank 0 makes and publishes with its address through the launcher, in no
 * command line and no environment. Connections without this proof (strangers, garbage, silence) are dropped.
 *
 * A packet is kept until the peer has acknowledged it: short ones are copied, long ones stay in the sender's memory. A
 * lost connection is made again and resumes after the last packet that arrived: nothing is lost or delivered twice.
 *
 * When a peer counts as dead, and how soon operations that wait for it fail:
 *
 *   its process has ended      Its host closes its connections and refuses new ones. Where this host's kernel or the
 *                              launcher reports the death, the peer is dead at once; else refusals have to last for a
 *                              second, because a firewall may refuse for a moment, too. The same holds if there never
 *                              was a connection: a rank that has waited for another for a second connects to it.
 *   its host is silent         The kernels of both hosts maintain an open connection (keep-alive, retransmissions),
 *                              also while the programs compute, so a rank may be busy for hours without being taken for
 *                              dead. After half of tcp.heartbeat_s without a sign of life the connection is abandoned
 *                              and reconnecting begins; tcp.heartbeat_s after the last sign of life the peer is dead. A
 *                              shorter interruption (a switch that restarts) has no effect. If the peer has several
 *                              addresses and nothing answers at the one in use, the others are tried in turn: one of
 *                              two networks may be down.
 *   the connection is broken   By something in between: it is made again at once; if that fails, as above.
 *
 * tcp.reconnect_s delays the last step, for networks with longer interruptions: extra seconds to retry connecting
 * before a silent or refusing peer is dead. With tcp.heartbeat_s 0 silence is no sign of death, however long; a process
 * that has ended is still noticed, as soon as its host answers. tcp_rules.h has the rules.
 *
 * All work is done in send and poll, by the caller's thread. Time counts only while the rank polls: after a long
 * computation it first reads what has arrived.
 */
#ifndef COR_TCP_H
#define COR_TCP_H

#include "base/knob.h"
#include "base/listen.h"
#include "xxdev/soft/wire.h"

typedef struct cor_tcp_config {
    size_t eager_max_bytes;
    size_t packet_max_bytes;
    size_t retain_bytes; /* most unacknowledged bytes of a connection, without zero-copy packets; a power of two */
    int reconnect_s;
    int heartbeat_s;
    char interface[COR_LISTEN_INTERFACE_MAX];
    char ports[COR_LISTEN_PORTS_MAX];
} cor_tcp_config;

extern const cor_knob_table cor_tcp_knobs;
extern const cor_wire_ops cor_tcp_wire;

#endif
