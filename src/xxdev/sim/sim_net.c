/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/sim/sim_net.h"

/* The piece that holds for so many bytes. */
static const cor_sim_piece *link_piece(const cor_sim_piece *pieces, int count, double bytes)
{
    int at = count - 1;
    while (at > 0 && bytes < pieces[at].from_bytes)
        at--;
    return &pieces[at];
}

static double piece_time(const cor_sim_piece *piece, double bytes)
{
    double moved = piece->tb * bytes, both = piece->t0 + moved;
    double time = both + (both > 0 ? piece->ti * moved / both : 0);
    return time > 0 ? time : 0;
}

static inline double least_of(double a, double b)
{
    return a < b ? a : b;
}

double cor_sim_link_time(const cor_sim_link *link, double bytes)
{
    return piece_time(link_piece(link->pieces, link->piece_count, bytes), bytes);
}

void cor_sim_link_share(cor_sim_link *link, double share)
{
    link->overhead = least_of(share, 0.5) * cor_sim_link_time(link, 0);
}

/* C(n), where the message alone takes `time`. */
static double link_busy(const cor_sim_link *link, double bytes, double time)
{
    double least = cor_sim_link_time(link, 0);
    double busy = link->busy_count > 0 ? piece_time(link_piece(link->busy, link->busy_count, bytes), bytes)
                  : time > least       ? link->overhead + link->moving * (time - least)
                                       : least_of(link->overhead, time / 2);
    return least_of(busy, time);
}

void cor_sim_cost_of(const cor_sim_link *link, double bytes, int is_synchronous, cor_sim_cost *cost_p)
{
    const cor_sim_piece *piece = link_piece(link->pieces, link->piece_count, bytes);
    double time = piece_time(piece, bytes),
           before = time - link_busy(link, bytes, time); /* the receiver's CPU begins */
    cor_sim_cost cost = {.overhead = time - before, .is_eager = !is_synchronous && bytes <= link->eager_max};
    double on_way = before - cost.overhead;
    cost.occupancy = on_way > 0 ? least_of(piece->tb * bytes, on_way) : 0;
    cost.asking = cost.overhead;
    before -= cost.occupancy;
    if (!cost.is_eager) {
        double empty = cor_sim_link_time(link, 0);
        cost.asking = least_of(least_of(link_busy(link, 0, empty), cost.overhead), before);
        before -= cost.asking;
        cost.announced = least_of(empty, before);
        before -= cost.announced;
    }
    cost.lead = least_of(cost.is_eager ? cost.overhead : cost.overhead - cost.asking, before);
    cost.latency = before - cost.lead;
    *cost_p = cost;
}
