/*
 * The TCP wire: between hosts, and on one host where that is asked for.
 *
 * A pair of ranks has one connection, made when one of them first sends to the other. Nobody is believed before it has
 * proved that it knows the job's secret: 32 random bytes that rank 0 makes and that travel with its address through the
 * launcher, in no command line and no environment. A stranger, garbage or a connection that says nothing is dropped.
 *
 * A packet is kept until the peer has acknowledged it: short ones are copied, long ones lent by the sender. A lost
 * connection is made again, within tcp.reconnect_s, and goes on from the last packet that arrived: nothing is lost,
 * nothing comes twice. That the network or the other host is silent is found out by the kernel (keep-alive and its
 * retransmissions), which answers also while the program of the other side computes; so a rank may be busy for hours
 * without being taken for dead. A process that is gone is known at once: its host refuses the next connection.
 *
 * Everything happens in send and poll, by the caller's thread. Time counts only while the rank looks: one that comes
 * back from a long computation first takes what has come.
 */
#ifndef COR_TCP_H
#define COR_TCP_H

#include "base/knob.h"
#include "xxdev/wire.h"

enum { COR_TCP_INTERFACE_MAX = 128 };

typedef struct cor_tcp_config {
    size_t eager_max_bytes;
    size_t packet_max_bytes;
    size_t
        retain_bytes; /* of a connection, a power of two: what may be under way unacknowledged, lent packets aside */
    int reconnect_s;
    int heartbeat_s;
    char interface[COR_TCP_INTERFACE_MAX];
} cor_tcp_config;

extern const cor_knob_table cor_tcp_knobs;
extern const cor_wire_ops cor_tcp_wire;

#endif
