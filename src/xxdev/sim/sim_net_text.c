/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network as one word: node_ranks;copy;reduce;factor;inside;between, where a link is eager_max/overhead/moving and then
 * for each piece /from:t0:ti:tb. It goes from the launcher to the ranks, and is read as strictly as if it came from a file.
 */
#include "xxdev/sim/sim_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static size_t text_link(const cor_sim_link *link, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, ";%.9g/%.9g/%.9g", link->eager_max, link->overhead, link->moving);
    for (int i = 0; i < link->piece_count && used < room; i++) {
        const cor_sim_piece *piece = &link->pieces[i];
        used += (size_t)snprintf(out + used, room - used, "/%.9g:%.9g:%.9g:%.9g", piece->from_bytes, piece->t0,
                                 piece->ti, piece->tb);
    }
    return used;
}

void cor_sim_net_print(const cor_sim_net *net, char out[COR_SIM_NET_TEXT])
{
    size_t used = (size_t)snprintf(out, COR_SIM_NET_TEXT, "%d;%.9g;%.9g;%.9g", net->node_ranks, net->copy_us,
                                   net->reduce_us, net->factor);
    used += text_link(&net->inside, out + used, COR_SIM_NET_TEXT - used);
    if (used < COR_SIM_NET_TEXT)
        text_link(&net->between, out + used, COR_SIM_NET_TEXT - used);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* The next number, and what is behind it: one of `ends`, or the end of the text. */
static int text_number(const char **at_p, double least, double most, const char *ends, double *value_p)
{
    char *end;
    double value = strtod(*at_p, &end);
    if (end == *at_p || !(value >= least && value <= most) || (*end && !strchr(ends, *end)))
        return 0;
    *at_p = *end ? end + 1 : end;
    *value_p = value;
    return 1;
}

static int text_read_link(const char **at_p, int is_last, cor_sim_link *link_p)
{
    const double most = 1e15;
    cor_sim_link link = {0};
    if (!text_number(at_p, 0, most, "/", &link.eager_max) || !text_number(at_p, 0, most, "/", &link.overhead) ||
        !text_number(at_p, 0, 0.5, "/", &link.moving))
        return 0;
    for (;;) {
        cor_sim_piece *piece = &link.pieces[link.piece_count++];
        if (!text_number(at_p, 0, most, ":", &piece->from_bytes) || !text_number(at_p, -most, most, ":", &piece->t0) ||
            !text_number(at_p, -most, most, ":", &piece->ti) ||
            !text_number(at_p, 0, most, is_last ? "/" : "/;", &piece->tb))
            return 0;
        if (link.piece_count == 1 ? piece->from_bytes != 0 : piece->from_bytes <= piece[-1].from_bytes)
            return 0;
        if ((*at_p)[-1] != '/')
            break;
        if (link.piece_count == COR_SIM_PIECES)
            return 0;
    }
    *link_p = link;
    return 1;
}

int cor_sim_net_parse(const char *text, cor_sim_net *net_p, cor_fault *fault)
{
    const char *at = text;
    cor_sim_net net = {0};
    double node_ranks = 0;
    int is_fine = text_number(&at, 1, COR_SIM_RANKS_MAX, ";", &node_ranks) && node_ranks == (double)(int)node_ranks &&
                  text_number(&at, 0, 1e6, ";", &net.copy_us) && text_number(&at, 0, 1e6, ";", &net.reduce_us) &&
                  text_number(&at, 0, 1e6, ";", &net.factor) && text_read_link(&at, 0, &net.inside) &&
                  text_read_link(&at, 1, &net.between) && !*at;
    if (!is_fine)
        return cor_fault_set(fault, COR_ERR_KNOB,
                             "sim.net is \"%.80s\", which is no network as `corunna run --sim` writes it", text);
    net.node_ranks = (int)node_ranks;
    *net_p = net;
    return COR_OK;
}
