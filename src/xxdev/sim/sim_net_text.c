/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network as one word: node_ranks;copy;reduce;factor;inside;between, where a link is eager_max/overhead/moving, then
 * for each piece of T(n) /from:t0:ti:tb, and for each of C(n) +from:t0:ti:tb. It goes from the launcher to the ranks,
 * and is read as strictly as if it came from a file.
 */
#include "xxdev/sim/sim_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static size_t text_pieces(char mark, const cor_sim_piece *pieces, int count, char *out, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%c%.9g:%.9g:%.9g:%.9g", mark, pieces[i].from_bytes,
                                 pieces[i].t0, pieces[i].ti, pieces[i].tb);
    return used;
}

static size_t text_link(const cor_sim_link *link, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, ";%.9g/%.9g/%.9g", link->eager_max, link->overhead, link->moving);
    if (used < room)
        used += text_pieces('/', link->pieces, link->piece_count, out + used, room - used);
    if (used < room)
        used += text_pieces('+', link->busy, link->busy_count, out + used, room - used);
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

/* ---- reading ---------------------------------------------------------------------------------------------------- */

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

static const double text_most = 1e15;

/* Pieces with `mark` between them; `ends` are what may stand behind any of them. */
static int text_read_pieces(const char **at_p, char mark, const char *ends, cor_sim_piece *pieces, int *count_p)
{
    int count = 0;
    do {
        if (count == COR_SIM_PIECES)
            return 0;
        cor_sim_piece *piece = &pieces[count++];
        if (!text_number(at_p, 0, text_most, ":", &piece->from_bytes) ||
            !text_number(at_p, -text_most, text_most, ":", &piece->t0) ||
            !text_number(at_p, -text_most, text_most, ":", &piece->ti) ||
            !text_number(at_p, 0, text_most, ends, &piece->tb))
            return 0;
        if (count == 1 ? piece->from_bytes != 0 : piece->from_bytes <= piece[-1].from_bytes)
            return 0;
    } while ((*at_p)[-1] == mark);
    *count_p = count;
    return 1;
}

static int text_read_link(const char **at_p, int is_last, cor_sim_link *link_p)
{
    cor_sim_link link = {0};
    if (!text_number(at_p, 0, text_most, "/", &link.eager_max) ||
        !text_number(at_p, 0, text_most, "/", &link.overhead) || !text_number(at_p, 0, 1, "/", &link.moving) ||
        !text_read_pieces(at_p, '/', is_last ? "/+" : "/+;", link.pieces, &link.piece_count))
        return 0;
    if ((*at_p)[-1] == '+' && !text_read_pieces(at_p, '+', is_last ? "+" : "+;", link.busy, &link.busy_count))
        return 0;
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
