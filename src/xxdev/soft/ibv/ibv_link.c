/* SPDX-License-Identifier: Apache-2.0 */
/* The way to one peer: found by rank or by the number of its queue pair, lost, and gone. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ibw_link *ibw_link_get(ibw_wire *wire, int rank)
{
    ibw_link *link = wire->links[rank];
    if (link)
        return link;
    link = calloc(1, sizeof *link);
    ibw_sent *sent = calloc((size_t)wire->config.send_queue, sizeof *sent);
    if (!link || !sent) {
        free(link);
        free(sent);
        return NULL;
    }
    link->rank = rank;
    link->sent = sent;
    cor_list_init(&link->copies);
    wire->links[rank] = link;
    return link;
}

/* ---- by number -------------------------------------------------------------------------------------------------- */

ibw_link *ibw_link_by_number(const ibw_wire *wire, uint32_t number)
{
    uint32_t at = number & wire->by_number_mask;
    while (wire->by_number[at] && wire->by_number[at]->qp->qp_num != number)
        at = (at + 1) & wire->by_number_mask;
    return wire->by_number[at];
}

void ibw_links_index(ibw_wire *wire)
{
    memset(wire->by_number, 0, (wire->by_number_mask + (size_t)1) * sizeof(ibw_link *));
    for (int rank = 0; rank < wire->options.size; rank++) {
        ibw_link *link = wire->links[rank];
        if (!link || !link->qp)
            continue;
        uint32_t at = link->qp->qp_num & wire->by_number_mask;
        while (wire->by_number[at])
            at = (at + 1) & wire->by_number_mask;
        wire->by_number[at] = link;
    }
}

/* ---- states ----------------------------------------------------------------------------------------------------- */

void ibw_link_set(ibw_wire *wire, ibw_link *link, ibw_state state)
{
    wire->connecting += ibw_link_is_connecting(state) - ibw_link_is_connecting(link->state);
    link->state = state;
}

void ibw_link_drop(ibw_wire *wire, ibw_link *link)
{
    wire->setup->drop(wire, link);
    if (!link->qp)
        return;
    link->qp = NULL;
    ibw_links_index(wire);
}

static void link_forget_backlog(ibw_wire *wire, ibw_link *link)
{
    while (link->backlog_first) {
        ibw_buffer *buffer = link->backlog_first;
        link->backlog_first = buffer->next;
        ibw_buffer_put(wire, buffer);
    }
    link->backlog_count = 0;
}

/* What the adapter still works on comes back with completions; nobody is told of it any more. */
void ibw_link_fail(ibw_wire *wire, ibw_link *link, const char *format, ...)
{
    char cause[160];
    va_list arguments;
    if (link->state == IBW_LOST)
        return;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    cor_fault_set(&link->fault, COR_ERR_PEER, "rank %d on %s is lost: %s", link->rank, wire->places[link->rank].host,
                  cause);
    ibw_link_set(wire, link, IBW_LOST);
    link->retry_ns = 0;
    if (link->qp)
        wire->setup->hang_up(wire, link);
    link_forget_backlog(wire, link);
    while (!cor_list_is_empty(&link->copies)) {
        ibw_copy *copy = COR_OWNER(link->copies.next, ibw_copy, link);
        cor_list_remove(&copy->link);
        if (copy->pending == 0)
            ibw_copy_free(wire, copy);
        else
            copy->posted = copy->bytes;
    }
    if (!link->is_closing)
        wire->untold++;
    link->is_closing = 0;
}

void ibw_reject(cor_wire *base, int rank, const char *what)
{
    ibw_wire *wire = ibw_of(base);
    if (wire->links[rank])
        ibw_link_fail(wire, wire->links[rank], "it sent %s", what);
}

/* A peer that has disconnected is lost when all that came from it is delivered, which it now is. One that sent nothing
 * on a connection that was accepted gave up, and calls again if it lives. */
int ibw_links_tell(ibw_wire *wire)
{
    int count = 0;
    for (int rank = 0; wire->untold > 0 && rank < wire->options.size; rank++) {
        ibw_link *link = wire->links[rank];
        if (link && link->is_closing && link->state == IBW_ACCEPTED) {
            link->is_closing = 0;
            wire->untold--;
            ibw_call_wait(wire, link);
        } else if (link && link->is_closing) {
            ibw_link_fail(wire, link, "its process has ended, or closed the connection");
        }
        if (!link || link->state != IBW_LOST || link->is_told)
            continue;
        link->is_told = 1;
        wire->untold--;
        if (!wire->is_shutting_down)
            wire->options.lost(wire->options.sink, rank, &link->fault);
        count++;
    }
    return count;
}

void ibw_link_destroy(ibw_wire *wire, ibw_link *link)
{
    wire->links[link->rank] = NULL; /* so that those that stay are found without it */
    if (link->qp && link->state == IBW_OPEN)
        wire->setup->hang_up(wire, link);
    ibw_link_drop(wire, link);
    ibw_mailbox_close(wire, link);
    while (!cor_list_is_empty(&link->copies)) {
        ibw_copy *copy = COR_OWNER(link->copies.next, ibw_copy, link);
        cor_list_remove(&copy->link);
        ibw_copy_free(wire, copy);
    }
    free(link->sent);
    free(link);
}
