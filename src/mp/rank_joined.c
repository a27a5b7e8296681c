/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of one process in several jobs. A process that has joined another job (dynamic/) has a rank in each, with a
 * device of its own. They share a lock, so that only one of these devices makes progress at a time, and each has a
 * companion among its progress hooks, which drives the others: a rank that waits in one job still makes progress in
 * all.
 *
 * An event of one device does not wake a sleeper of another. So these ranks nap instead of sleeping; those of a process
 * that never joined another job sleep as usual.
 */
#include "base/listen.h"
#include "mp/mp_state.h"
#include "xxdev/closing.h"

static int joined_move(cor_rank *rank)
{
    int events = 0;
    if (cor_device_is_closed(rank->device))
        cor_device_progress_last(rank->device); /* in the last fence of that job */
    else
        events = cor_device_progress(rank->device, -1);
    cor_device_hold_all(rank->device); /* a caller that waits elsewhere releases the lock for its own device only */
    return events;
}

static int joined_step(cor_follower *follower)
{
    cor_rank *rank = COR_OWNER(follower, cor_rank, companion), *origin = rank->origin;
    if (origin->is_moving_others)
        return 0; /* the others have companions, too */
    origin->is_moving_others = 1;
    int events = rank != origin ? joined_move(origin) : 0;
    for (cor_link *link = origin->joined.next; link != &origin->joined; link = link->next) {
        cor_rank *other = COR_OWNER(link, cor_rank, joined_link);
        if (other != rank)
            events += joined_move(other);
    }
    origin->is_moving_others = 0;
    return events;
}

static void joined_accompany(cor_rank *rank)
{
    rank->companion.step = joined_step;
    cor_list_append(&rank->device->followers, &rank->companion.link);
    rank->is_silent_by_itself = rank->device->waiter.is_silent;
    rank->device->waiter.is_silent = 1;
}

static void joined_leave_alone(cor_rank *rank)
{
    rank->companion.step = NULL;
    cor_list_remove(&rank->companion.link);
    rank->device->waiter.is_silent = rank->is_silent_by_itself;
}

void cor_rank_join(cor_rank *rank)
{
    cor_rank *origin = rank->origin;
    cor_device_enter(origin->device);
    if (cor_list_is_empty(&origin->joined))
        joined_accompany(origin);
    joined_accompany(rank);
    cor_list_append(&origin->joined, &rank->joined_link);
    cor_device_leave(origin->device);
}

void cor_rank_part(cor_rank *rank)
{
    cor_rank *origin = rank->origin;
    cor_device_enter(origin->device);
    cor_list_remove(&rank->joined_link);
    joined_leave_alone(rank);
    if (cor_list_is_empty(&origin->joined))
        joined_leave_alone(origin);
    cor_device_leave(origin->device);
}

cor_rank *cor_rank_origin(cor_rank *rank)
{
    return rank->origin;
}

int cor_rank_comm_count(cor_rank *rank)
{
    enum { OWN = 2 }; /* world and self */
    int count = 0;
    cor_device_enter(rank->device);
    for (const cor_link *link = rank->comms.next; link != &rank->comms; link = link->next)
        count++;
    cor_device_leave(rank->device);
    return count - OWN;
}

void cor_rank_step(cor_rank *rank)
{
    cor_device_enter(rank->device);
    cor_device_progress(rank->device, -1);
    cor_device_leave(rank->device);
}

void cor_rank_listen_options(const cor_rank *rank, cor_listen_options *options)
{
    cor_device_listen_options(&rank->origin->config.devices, options);
    options->start = rank->origin->known.rank;
    options->queue = cor_listen_queue();
    options->is_shared = 0;
    options->log = &rank->origin->log;
}

void *cor_rank_dynamic(const cor_rank *rank)
{
    return rank->origin->dynamic;
}

void cor_rank_set_dynamic(cor_rank *rank, void *data, cor_meet_fn meet, void (*free_fn)(void *data))
{
    rank->origin->dynamic = data;
    rank->origin->meet = meet;
    rank->origin->dynamic_free = free_fn;
}

int cor_rank_appnum(const cor_rank *rank)
{
    return rank->origin->known.appnum;
}

int cor_rank_universe(const cor_rank *rank)
{
    return rank->origin->known.universe;
}

int cor_rank_is_in_team(const cor_rank *rank)
{
    return rank->is_in_team;
}
