/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/sim/sim_net.h"

/* The piece that holds for so many bytes. */
static const cor_sim_piece *link_piece(const cor_sim_link *link, double bytes)
{
    int at = link->piece_count - 1;
    while (at > 0 && bytes < link->pieces[at].from_bytes)
        at--;
    return &link->pieces[at];
}

static double piece_time(const cor_sim_piece *piece, double bytes)
{
    double moved = piece->tb * bytes, both = piece->t0 + moved;
    double time = both + (both > 0 ? piece->ti * moved / both : 0);
    return time > 0 ? time : 0;
}

double cor_sim_link_time(const cor_sim_link *link, double bytes)
{
    return piece_time(link_piece(link, bytes), bytes);
}

void cor_sim_link_share(cor_sim_link *link, double share)
{
    link->overhead = (share < 0.5 ? share : 0.5) * cor_sim_link_time(link, 0);
}

void cor_sim_cost_of(const cor_sim_link *link, double bytes, cor_sim_cost *cost_p)
{
    const cor_sim_piece *piece = link_piece(link, bytes);
    double time = piece_time(piece, bytes), least = piece_time(&link->pieces[0], 0);
    double overhead = link->overhead + (time > least ? link->moving * (time - least) : 0);
    double on_way = time - 2 * overhead;
    if (on_way < 0)
        on_way = 0;
    double occupancy = piece->tb * bytes;
    if (occupancy > on_way)
        occupancy = on_way;
    double latency = on_way - occupancy;
    *cost_p = (cor_sim_cost){.overhead = overhead,
                             .latency = latency,
                             .occupancy = occupancy,
                             .announced = least < latency ? least : latency,
                             .is_eager = bytes <= link->eager_max};
}
