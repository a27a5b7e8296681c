/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TCP wire: between hosts, and on one host where that is asked for.
 *
 * A pair of ranks has one connection, made when one of them first sends to the other. No peer is believed before it has
 * proved that it knows the job's secret: 32 random bytes that rank 0 makes and that travel with its address through
 * the launcher, in no command line and no environment. A stranger, garbage or a connection that says nothing is
 * dropped.
 *
 * A packet is kept until the peer has acknowledged it: short ones are copied, long ones stay in the sender's memory. A
 * lost connection is made again and goes on from the last packet that arrived: nothing is lost, nothing comes twice.
 *
 * When a peer counts as dead, and how soon what waits for it is told:
 *
 *   its process has ended      Its host closes its connections and refuses new ones. Where this host's kernel or the
 *                              launcher knows of the death it is told at once; else refusals have to last for a
 *                              second, for a firewall may say the same for a moment. So too when there never was a
 *                              connection: a rank that has waited for another for a second calls it.
 *   its host is silent         The kernels of both hosts look after an open connection (keep-alive, retransmissions),
 *                              also while the programs compute, so a rank may be busy for hours without being taken
 *                              for dead. After half of tcp.heartbeat_s without a sign of life the connection is given
 *                              up and the peer called again and again; at tcp.heartbeat_s after the last sign of life
 *                              it is dead. What is back before (a switch that restarts) is not even noticed.
 *                              Where it has several addresses and nothing answers at the one that was in use, the
 *                              others are called in turn: of two networks one may be cut.
 *   the connection is broken   By something in between: it is made again at once; if that cannot be, as above.
 *
 * tcp.reconnect_s makes the last step later, for networks that may be away for longer: the peer is called for so many
 * seconds more before it is dead, silent or refused. With tcp.heartbeat_s 0 silence is no sign of death, however long;
 * a process that has ended is noticed all the same, as soon as its host answers. tcp_rules.h has the rules.
 *
 * Everything happens in send and poll, by the caller's thread. Time counts only while the rank looks: one that comes
 * back from a long computation first takes what has come.
 */
#ifndef COR_TCP_H
#define COR_TCP_H

#include "base/knob.h"
#include "base/listen.h"
#include "xxdev/soft/wire.h"

typedef struct cor_tcp_config {
    size_t eager_max_bytes;
    size_t packet_max_bytes;
    size_t retain_bytes; /* of a connection, a power of two: what may be unacknowledged, zero-copy packets aside */
    int reconnect_s;
    int heartbeat_s;
    char interface[COR_LISTEN_INTERFACE_MAX];
    char ports[COR_LISTEN_PORTS_MAX];
} cor_tcp_config;

extern const cor_knob_table cor_tcp_knobs;
extern const cor_wire_ops cor_tcp_wire;

#endif
