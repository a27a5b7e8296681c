/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the order of their time. Events of the same time come in the order of `order`, made of the rank and the
 * number of the event at that rank: so the order does not depend on which rank pushed its event first.
 *
 * The memory is the caller's, because ranks of several processes may share it.
 */
#ifndef COR_XXDEV_SIM_QUEUE_H
#define COR_XXDEV_SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cor_sim_event {
    double time;
    uint64_t order;   /* cor_sim_order; no two events have the same */
    uint64_t subject; /* the caller's */
} cor_sim_event;

enum { COR_SIM_ORDER_SHIFT = 44 }; /* the upper bits are the rank */

static inline uint64_t cor_sim_order(int rank, uint64_t number)
{
    return (uint64_t)rank << COR_SIM_ORDER_SHIFT | number;
}

/* The caller has made sure of room for one more. */
void cor_sim_queue_push(cor_sim_event *events, size_t *count, cor_sim_event event);
/* There is at least one event. */
cor_sim_event cor_sim_queue_pop(cor_sim_event *events, size_t *count);

#endif
