/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is woken when the lock of a window's target changes (win_lock.h), and that the memory of a window stays while
 * any thread of the process uses it (win_host.h). Ranks are threads; their bells say who was rung.
 */
#include "check.h"

#include "coll/coll.h"
#include "mp/create/comm.h"
#include "mp/mp_state.h"
#include "pmi/boot.h"
#include "win/win_host.h"
#include "win/win_lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 5 };

typedef struct shared {
    cor_win *win[RANKS];
    _Atomic int is_holding[RANKS], may_leave[RANKS];
    _Atomic int rounds_over; /* until then a rank that has left sends nobody a message */
} shared;

typedef struct member {
    shared *all;
    cor_team *team;
    int number;
    pthread_t thread;
} member;

/* ---- bells ------------------------------------------------------------------------------------------------------ */

static uint32_t bell_of(const cor_win *win, int rank)
{
    cor_host *host = win->device->host;
    return atomic_load(&host->peers[host->index_of[rank]].seat->bell);
}

static int is_asleep(const shared *all, int rank, int is_exclusive)
{
    const cor_win *win = all->win[0];
    for (uint32_t i = 0; i < win->sleeper_places; i++)
        if (atomic_load(&win->targets[0].sleepers[i]) == win_lock_entry(rank, is_exclusive))
            return bell_of(win, rank) & 1;
    return 0;
}

/* ---- the ranks that wait ---------------------------------------------------------------------------------------- */

/* Ranks 1 to RANKS - 1 ask for the lock in their order, with an 'x' for an exclusive one and an 's' for a shared
 * one. */
static void wait_in_turn(shared *all, int rank, const char *kinds, int round)
{
    cor_win *win = all->win[rank];
    const win_control *control = win->targets[0].control;
    uint32_t first = atomic_load(&control->write);
    CHECK_OK(cor_barrier(win->comm));
    CHECK_UNTIL(atomic_load(&control->next) == first + (uint32_t)rank, check_nap());
    CHECK_OK(cor_win_lock(win, 0, kinds[rank - 1] == 'x', 0));
    atomic_store(&all->is_holding[rank], 1);
    CHECK_UNTIL(atomic_load(&all->may_leave[rank]), check_nap());
    CHECK_OK(cor_win_unlock(win, 0));
    CHECK_UNTIL(atomic_load(&all->rounds_over) > round, check_nap());
}

/* Ranks from `first` on have the lock, up to the one before the value returned. */
static int holders_end(const char *kinds, int first)
{
    int end = first + 1;
    while (kinds[first - 1] == 's' && end < RANKS && kinds[end - 1] == 's')
        end++;
    return end;
}

/* Rank 0 has the lock. Each time holders leave, only those that get it next are rung. */
static void leave_in_turn(shared *all, const char *kinds)
{
    uint32_t bells[RANKS];
    CHECK_OK(cor_win_lock(all->win[0], 0, 1, 0));
    CHECK_OK(cor_barrier(all->win[0]->comm));
    for (int i = 1; i < RANKS; i++)
        CHECK_UNTIL(is_asleep(all, i, kinds[i - 1] == 'x'), check_nap());
    for (int first = 1, before = 0; first < RANKS;) {
        int end = holders_end(kinds, first);
        for (int i = end; i < RANKS; i++)
            bells[i] = bell_of(all->win[0], i);
        if (before == 0)
            CHECK_OK(cor_win_unlock(all->win[0], 0));
        for (int i = before; i > 0 && i < first; i++)
            atomic_store(&all->may_leave[i], 1);
        for (int i = first; i < end; i++)
            CHECK_UNTIL(atomic_load(&all->is_holding[i]), check_nap());
        for (int i = end; i < RANKS; i++)
            if (bell_of(all->win[0], i) != bells[i])
                CHECK_FAIL("%s: rank %d was rung, but rank %d has the lock", kinds, i, first);
        before = first;
        first = end;
    }
    for (int i = 1; i < RANKS; i++)
        atomic_store(&all->may_leave[i], 1);
    atomic_fetch_add(&all->rounds_over, 1);
}

static void only_the_next_is_rung(shared *all, int rank)
{
    static const char *const kinds[] = {"xxxx", "ssxs", "xssx", "ssss", "sxsx", "xxss"};
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) {
        atomic_store(&all->is_holding[rank], 0);
        atomic_store(&all->may_leave[rank], 0);
        CHECK_OK(cor_barrier(all->win[rank]->comm));
        if (rank == 0)
            leave_in_turn(all, kinds[i]);
        else
            wait_in_turn(all, rank, kinds[i], i);
        CHECK_OK(cor_barrier(all->win[rank]->comm));
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The leader lets go of the window's memory, as it does after a loss, without waiting for the others. */
static void memory_stays(shared *all, int rank)
{
    cor_win *win = all->win[rank];
    if (rank == 0)
        win_host_close(win);
    CHECK_OK(cor_barrier(win->comm));
    if (rank > 0) {
        int value = rank, seen = 0;
        memcpy(win->base, &value, sizeof value);
        CHECK_OK(cor_win_lock(win, rank, 1, 0));
        memcpy(&seen, win->base, sizeof seen);
        CHECK_EQUAL(rank, seen);
        CHECK_OK(cor_win_unlock(win, rank));
    }
    CHECK_OK(cor_barrier(win->comm));
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void *member_main(void *argument)
{
    member *me = argument;
    cor_fault fault = {0};
    cor_rank *rank;
    void *base;
    cor_rank_options options = {.team = me->team, .team_rank = me->number, .is_threaded = 1, .prepare = cor_coll_open};
    if (cor_rank_open(&options, &rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    cor_comm *world = cor_rank_world(rank);
    CHECK_OK(cor_win_allocate(world, 64, 1, NULL, &base, &me->all->win[me->number]));
    CHECK_OK(cor_barrier(world));
    only_the_next_is_rung(me->all, me->number);
    memory_stays(me->all, me->number);
    CHECK_OK(cor_win_free(&me->all->win[me->number]));
    if (cor_coll_close(rank, &fault) != COR_OK || cor_rank_close(rank, &fault) != COR_OK)
        CHECK_FAIL("the end: %s", fault.text);
    return NULL;
}

int main(void)
{
    cor_team *team;
    cor_fault fault = {0};
    shared all = {0};
    member members[RANKS];
    setenv("CORUNNA_WAIT_SPIN_US", "0", 1);
    setenv("CORUNNA_WAIT_YIELDS", "0", 1);
    if (cor_team_create(RANKS, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    for (int i = 0; i < RANKS; i++) {
        members[i] = (member){.all = &all, .team = team, .number = i};
        CHECK_EQUAL(0, pthread_create(&members[i].thread, NULL, member_main, &members[i]));
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(members[i].thread, NULL);
    cor_team_destroy(team);
    return 0;
}
