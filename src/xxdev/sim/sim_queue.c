/* SPDX-License-Identifier: Apache-2.0 */
/* A heap with four children a node: half as deep as one with two, and the children of a node lie side by side. */
#include "xxdev/sim/sim_queue.h"

enum { QUEUE_FAN = 4 };

static inline int queue_is_before(const cor_sim_event *a, const cor_sim_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void cor_sim_queue_push(cor_sim_event *events, size_t *count, cor_sim_event event)
{
    size_t at = (*count)++;
    while (at > 0) {
        size_t parent = (at - 1) / QUEUE_FAN;
        if (!queue_is_before(&event, &events[parent]))
            break;
        events[at] = events[parent];
        at = parent;
    }
    events[at] = event;
}

cor_sim_event cor_sim_queue_pop(cor_sim_event *events, size_t *count)
{
    cor_sim_event first = events[0], last = events[--*count];
    size_t at = 0, left = *count;
    for (;;) {
        size_t child = at * QUEUE_FAN + 1, end = child + QUEUE_FAN < left ? child + QUEUE_FAN : left, least = child;
        if (child >= left)
            break;
        for (size_t i = child + 1; i < end; i++)
            if (queue_is_before(&events[i], &events[least]))
                least = i;
        if (!queue_is_before(&events[least], &last))
            break;
        events[at] = events[least];
        at = least;
    }
    events[at] = last;
    return first;
}
