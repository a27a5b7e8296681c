/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network in virtual time: the cost of a message, and the resources it waits for.
 *
 * Links. Two ranks of one node are joined by the link `inside`, two of different nodes by `between`. A link is the
 * model of the literature, T(n) = t0 + ti * (tb n / (t0 + tb n)) + tb n, in up to four pieces by size: half a round
 * trip of a message alone. T(n) is spent in four places:
 *
 *     overhead    C(n): the sender's CPU, and the same again the receiver's. It was measured (cor_sim_link.busy), or is
 *                 a share of T(0) and, where CPUs move the bytes, as in shared memory and TCP, a share of T(n) - T(0).
 *                 Where both need more than T(n), they work at the same time: the receiver copies out what the sender
 *                 still copies in
 *     latency     on the way: what is left of T(n)
 *     occupancy   tb n: the time for which it occupies the port it leaves by, and the port it arrives by
 *
 * so that a message alone takes T(n), and many share the CPU of a rank and the ports of a node. Ports: between nodes
 * each node has an adapter with a way out and a way in, which serialize all that its ranks send and receive; inside a
 * node every rank has its own.
 *
 * Protocols. A message of up to eager_max bytes leaves at once, and its send is complete. A longer one is announced
 * first, and its data leave when the receive is posted: that exchange is a part of T(n) and takes T(0), if T(n) is long
 * enough. Until then the sender's CPU spends C(0) only. Its send is complete when the data have left.
 *
 * Times are microseconds, from 0 on. The functions are arithmetic alone: the same calls in the same order give the same
 * times, bit for bit.
 */
#ifndef COR_XXDEV_SIM_NET_H
#define COR_XXDEV_SIM_NET_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { COR_SIM_PIECES = 4, COR_SIM_RANKS_MAX = 1 << 20 };

typedef struct cor_sim_piece {
    double from_bytes; /* up to the next piece; 0 for the first */
    double t0, ti, tb;
} cor_sim_piece;

typedef struct cor_sim_link {
    int piece_count;
    cor_sim_piece pieces[COR_SIM_PIECES];
    int busy_count; /* pieces of C(n), in the same form; 0: it follows from the two shares */
    cor_sim_piece busy[COR_SIM_PIECES];
    double eager_max;
    double overhead; /* C(0) */
    double moving;   /* the share of T(n) - T(0) that C(n) includes in addition, at most 1 */
} cor_sim_link;

typedef struct cor_sim_net {
    int ranks, node_ranks;
    cor_sim_link inside, between;
    double copy_us, reduce_us; /* to copy and to combine a byte */
    double factor;             /* virtual microseconds for one microsecond of a running program's CPU time */
    double call_us;            /* CPU time of a rank for a collective call, besides its messages */
} cor_sim_net;

/* T(n). */
double cor_sim_link_time(const cor_sim_link *link, double bytes);
/* Sets C(0) to this share of T(0), at most a half. */
void cor_sim_link_share(cor_sim_link *link, double share);

/* The cost of one message on its link. Alone it takes announced + lead + latency + occupancy + overhead, and before
 * that, if it is not eager, `asking`. */
typedef struct cor_sim_cost {
    double overhead; /* C(n) */
    double asking; /* the part that the sender's CPU spends when it sends: all of it, or to announce a long message */
    double announced; /* of a long message, until the receiver gets the announcement */
    double lead;      /* from when the sender's CPU begins to move the data to when they are at its port */
    double latency, occupancy;
    int is_eager;
} cor_sim_cost;

/* is_synchronous: not eager, however short. */
void cor_sim_cost_of(const cor_sim_link *link, double bytes, int is_synchronous, cor_sim_cost *cost_p);

static inline int cor_sim_is_inside(const cor_sim_net *net, int from, int to)
{
    return from / net->node_ranks == to / net->node_ranks;
}

static inline const cor_sim_link *cor_sim_link_of(const cor_sim_net *net, int from, int to)
{
    return cor_sim_is_inside(net, from, to) ? &net->inside : &net->between;
}

/* ---- ports: until when each is occupied
 * ----------------------------------------------------------------------------- */

/* The number of doubles for the ports of one direction: one for each rank, then one for each node. */
static inline size_t cor_sim_port_count(const cor_sim_net *net)
{
    return (size_t)net->ranks + (size_t)((net->ranks + net->node_ranks - 1) / net->node_ranks);
}

static inline size_t cor_sim_port(const cor_sim_net *net, int rank, int is_inside)
{
    return is_inside ? (size_t)rank : (size_t)net->ranks + (size_t)(rank / net->node_ranks);
}

/* Data leave, not before `ready`. Returns when their head is at the port of arrival, `latency` later; *left_p: when the
 * last byte has left. */
static inline double cor_sim_depart(double *port, double ready, double latency, double occupancy, double *left_p)
{
    double start = ready > *port ? ready : *port;
    *port = *left_p = start + occupancy;
    return start + latency;
}

/* The head has arrived. Returns when all data are there. To be called in the order of `head`. */
static inline double cor_sim_arrive(double *port, double head, double occupancy)
{
    double start = head > *port ? head : *port;
    return *port = start + occupancy;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

/* All but `ranks` and `call_us`, as one word for a setting of the ranks that simulate (sim.net). */
enum { COR_SIM_NET_TEXT = 1280 };
void cor_sim_net_print(const cor_sim_net *net, char out[COR_SIM_NET_TEXT]);
/* COR_ERR_KNOB, with a sentence. */
int cor_sim_net_parse(const char *text, cor_sim_net *net_p, cor_fault *fault);

#endif
