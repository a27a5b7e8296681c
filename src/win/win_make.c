/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making windows. The members exchange cards; those on one host make a segment, which the first of them creates:
 * control blocks of all, then, of allocated windows, their memory. All agree on success before anyone goes on.
 */
#include "win/win_check.h"
#include "win/win_host.h"
#include "win/win_pending.h"

#include "coll/coll.h"
#include "mp/create/comm.h"
#include "mp/internal.h"

#include <stdlib.h>
#include <string.h>

static void make_free(cor_win *win)
{
    win_check_close(win);
    win_copy_close(win);
    win_host_close(win);
    free(win->regions);
    free(win->host_members);
    free(win->targets);
    if (win->access)
        cor_group_unref(win->access);
    if (win->exposure)
        cor_group_unref(win->exposure);
    if (win->comm)
        cor_comm_unref(win->comm);
    if (!win->is_receiving || win->receive.is_done) /* else the device refers to it, after a loss */
        free(win);
}

static cor_win *make_state(cor_comm *comm, cor_win_flavour flavour, const cor_win_options *options)
{
    cor_win *win = calloc(1, sizeof *win);
    if (!win)
        return NULL;
    win->flavour = flavour;
    if (options)
        win->options = *options;
    win->size = cor_comm_size(comm);
    win->me = cor_comm_rank(comm);
    win->sleeper_places = COR_CACHE_LINE / sizeof(uint32_t);
    while (win->sleeper_places < (uint32_t)win->size)
        win->sleeper_places *= 2;
    cor_list_init(&win->pendings);
    cor_list_init(&win->tasks);
    win->targets = calloc((size_t)win->size, sizeof *win->targets);
    win->host_members = calloc((size_t)win->size, sizeof *win->host_members);
    if (!win->targets || !win->host_members) {
        make_free(win);
        return NULL;
    }
    return win;
}

/* Does nothing fail anywhere? Members that are fine learn that another is not. */
static int make_agree(cor_win *win, int rc)
{
    uint64_t is_fine = rc == COR_OK;
    int failed = cor_internal_all_and(win->comm, &is_fine, 1);
    if (rc == COR_OK)
        rc = failed;
    if (rc == COR_OK && !is_fine) {
        cor_comm_enter(win->comm);
        rc = win_fail(win, COR_ERR_MEMORY, "another member of the window cannot make it");
        cor_comm_leave(win->comm);
    }
    return rc;
}

static void make_targets(cor_win *win, const win_card *cards)
{
    for (int i = 0; i < win->size; i++) {
        win_target *target = &win->targets[i];
        target->peer = cor_comm_peer(win->comm, i);
        target->bytes = cards[i].bytes;
        target->unit = cards[i].unit;
    }
}

/* Conflicts are looked for if all members want it: jobs that have met may differ. */
static int make_check(cor_win *win, const win_card *cards)
{
    int is_checked = 1;
    for (int i = 0; i < win->size; i++)
        is_checked &= cards[i].is_checked != 0;
    return is_checked ? win_check_open(win) : COR_OK;
}

static int make_exchange_in(cor_win *win, void *base, size_t bytes, size_t unit, const win_rooms *rooms)
{
    win_card card;
    win_host_card(win, base, bytes, unit, &card);
    /* A member without memory for the cards fails before it has to take part. */
    int has_room = rooms->cards && rooms->places && rooms->offsets;
    int rc = make_agree(win, has_room ? COR_OK : COR_ERR_MEMORY);
    if (rc == COR_OK)
        rc = cor_internal_gather_all(win->comm, &card, sizeof card, rooms->cards);
    if (rc != COR_OK)
        return rc;
    make_targets(win, rooms->cards);
    rc = make_check(win, rooms->cards);
    int failed = win_host_make(win, rooms);
    rc = make_agree(win, rc == COR_OK ? failed : rc);
    win_host_settle(win);
    win->is_divided = win->flavour == COR_WIN_DYNAMIC ? win->size > 1 : !win_host_is_whole(win, rooms->cards);
    return rc == COR_OK ? win_copy_open(win) : rc;
}

static int make_exchange(cor_win *win, void *base, size_t bytes, size_t unit)
{
    size_t size = (size_t)win->size;
    win_rooms rooms = {calloc(size, sizeof(win_card)), calloc(size, sizeof(win_place)), calloc(size, sizeof(size_t))};
    int rc = make_exchange_in(win, base, bytes, unit, &rooms);
    free(rooms.cards);
    free(rooms.places);
    free(rooms.offsets);
    return rc;
}

static void make_log(const cor_win *win)
{
    const cor_log *log = cor_rank_log(cor_comm_owner(win->comm));
    int counts[3] = {0};
    for (int i = 0; i < win->size; i++)
        counts[cor_win_way_of(win, i)]++;
    COR_LOG(log, DEBUG, "a window of %d ranks: %d reached directly, %d by copies, %d by messages", win->size,
            counts[COR_WIN_DIRECT], counts[COR_WIN_COPY], counts[COR_WIN_MESSAGE]);
}

/* The rank is being destroyed, and its device is closed: nothing is under way any more. */
static void make_abandon(void *window)
{
    cor_win *win = window;
    win_thread_join(win);
    win_agent_abandon(win);
    win_pending_abandon(win);
    win->registration = NULL; /* the device's */
    win->comm = NULL;
    make_free(win);
}

static int make_window(cor_comm *comm, cor_win_flavour flavour, void *base, size_t bytes, size_t unit,
                       const cor_win_options *options, cor_win **win_p)
{
    cor_comm *mine = NULL;
    cor_win *win = make_state(comm, flavour, options);
    int rc = cor_comm_dup(comm, &mine);
    if (rc != COR_OK) {
        if (win)
            make_free(win);
        return rc;
    }
    cor_win lame = {.comm = mine}; /* to agree with the others that this member has no memory */
    if (!win) {
        rc = make_agree(&lame, COR_ERR_MEMORY);
        cor_comm_unref(mine);
        return rc;
    }
    win->comm = mine;
    win->device = mine->device;
    win->base = base;
    rc = make_exchange(win, base, bytes, unit);
    if (rc == COR_OK) {
        cor_comm_enter(mine);
        rc = win_agent_start(win);
        cor_comm_leave(mine);
        if (rc == COR_OK)
            rc = win_thread_start(win, win->is_divided);
        rc = make_agree(win, rc);
        if (rc != COR_OK && win->agent.step) {
            win_thread_stop(win);
            cor_comm_enter(mine);
            win_agent_stop(win);
            cor_comm_leave(mine);
        }
    }
    if (rc != COR_OK) {
        make_free(win);
        return rc;
    }
    make_log(win);
    cor_comm_set_subject(mine, win, NULL, make_abandon);
    *win_p = win;
    return COR_OK;
}

int cor_win_create(cor_comm *comm, void *base, size_t bytes, size_t unit, const cor_win_options *options,
                   cor_win **win_p)
{
    return make_window(comm, COR_WIN_CREATED, base, bytes, unit, options, win_p);
}

int cor_win_allocate(cor_comm *comm, size_t bytes, size_t unit, const cor_win_options *options, void **base_p,
                     cor_win **win_p)
{
    int rc = make_window(comm, COR_WIN_ALLOCATED, NULL, bytes, unit, options, win_p);
    if (rc == COR_OK)
        *base_p = (*win_p)->base;
    return rc;
}

int cor_win_allocate_shared(cor_comm *comm, size_t bytes, size_t unit, const cor_win_options *options, void **base_p,
                            cor_win **win_p)
{
    int rc = make_window(comm, COR_WIN_SHARED, NULL, bytes, unit, options, win_p);
    if (rc == COR_OK)
        *base_p = (*win_p)->base;
    return rc;
}

int cor_win_create_dynamic(cor_comm *comm, const cor_win_options *options, cor_win **win_p)
{
    return make_window(comm, COR_WIN_DYNAMIC, NULL, 0, 1, options, win_p);
}

/* ---- freeing ---------------------------------------------------------------------------------------------------- */

static int make_check_free(cor_win *win)
{
    if (win->locked_count > 0 || win->is_locked_all)
        return win_fail(win, COR_ERR_RMA_SYNC, "the window is freed while it is locked");
    if (win->access || win->exposure)
        return win_fail(win, COR_ERR_RMA_SYNC, "the window is freed inside of an epoch of %s",
                        win->access ? "start" : "post");
    if (win->has_fenced_ops)
        return win_fail(win, COR_ERR_RMA_SYNC,
                        "the window is freed while operations of this rank are not completed by a fence");
    return COR_OK;
}

/* Every target to which this member has ever sent a packet has carried all of them out. */
static int make_drain(cor_win *win)
{
    int rc = COR_OK;
    for (int i = 0; i < win->size; i++) {
        int failed = win->targets[i].has_sent ? win_message_ask_later(win, i, WIN_PACKET_FLUSH, 0) : COR_OK;
        if (rc == COR_OK)
            rc = failed;
    }
    int failed = win_message_settle(win, COR_WIN_ALL);
    return rc != COR_OK ? rc : failed;
}

int cor_win_check_free(cor_win *win)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = cor_comm_lost_count(win->comm) > 0 ? COR_OK : make_check_free(win);
    return win_leave(win, rc);
}

int cor_win_free(cor_win **win_p)
{
    cor_win *win = *win_p;
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = cor_comm_lost_count(win->comm) > 0 ? COR_OK : make_check_free(win);
    if (rc != COR_OK)
        return win_leave(win, rc);
    rc = make_drain(win);
    win_leave(win, rc);
    int failed = cor_barrier(win->comm);
    if (rc == COR_OK)
        rc = failed;
    win_thread_stop(win);
    cor_comm *comm = win->comm;
    cor_comm_set_subject(comm, NULL, NULL, NULL);
    cor_comm_hold(comm);
    cor_comm_enter(comm);
    win_agent_stop(win);
    cor_comm_leave(comm);
    make_free(win);
    cor_comm_unref(comm);
    *win_p = NULL;
    return rc;
}

/* ---- dynamic windows -------------------------------------------------------------------------------------------- */

static int make_overlaps(const cor_win *win, uint64_t base, uint64_t bytes)
{
    for (size_t i = 0; i < win->region_count; i++)
        if (bytes > 0 && win->regions[i].bytes > 0 && base < win->regions[i].base + win->regions[i].bytes &&
            win->regions[i].base < base + bytes)
            return 1;
    return 0;
}

static int make_region_room(cor_win *win)
{
    if (win->region_count < win->region_room)
        return COR_OK;
    size_t room = win->region_room ? 2 * win->region_room : 8;
    win_region *regions = realloc(win->regions, room * sizeof *regions);
    if (!regions)
        return win_fail(win, COR_ERR_MEMORY, "no memory to attach more to the window");
    win->regions = regions;
    win->region_room = room;
    return COR_OK;
}

int cor_win_attach(cor_win *win, void *base, size_t bytes)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (make_overlaps(win, (uint64_t)(uintptr_t)base, bytes))
        rc = win_fail(win, COR_ERR_RMA_ATTACH, "%zu bytes at %p overlap memory that is attached to the window", bytes,
                      base);
    if (rc == COR_OK)
        rc = make_region_room(win);
    if (rc == COR_OK)
        win->regions[win->region_count++] = (win_region){(uint64_t)(uintptr_t)base, bytes};
    return win_leave(win, rc);
}

int cor_win_detach(cor_win *win, const void *base)
{
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    rc = COR_ERR_RMA_ATTACH;
    for (size_t i = 0; i < win->region_count && rc != COR_OK; i++)
        if (win->regions[i].base == (uint64_t)(uintptr_t)base) {
            win->regions[i] = win->regions[--win->region_count];
            rc = COR_OK;
        }
    if (rc != COR_OK)
        rc = win_fail(win, rc, "no memory that begins at %p is attached to the window", base);
    return win_leave(win, rc);
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

cor_comm *cor_win_comm(const cor_win *win)
{
    return win->comm;
}

cor_win_flavour cor_win_flavour_of(const cor_win *win)
{
    return win->flavour;
}

void *cor_win_base(const cor_win *win)
{
    return win->base;
}

size_t cor_win_bytes(const cor_win *win, int member)
{
    return win->targets[member].bytes;
}

size_t cor_win_unit(const cor_win *win, int member)
{
    return win->targets[member].unit;
}

void cor_win_shared_query(const cor_win *win, int member, size_t *bytes_p, size_t *unit_p, void **base_p)
{
    if (member == COR_PROC_NULL)
        for (member = 0; member < win->size - 1 && win->targets[member].bytes == 0;)
            member++;
    const win_target *target = &win->targets[member];
    int is_here = target->is_direct && target->bytes > 0;
    *bytes_p = is_here || win->flavour == COR_WIN_SHARED ? target->bytes : 0;
    *unit_p = target->unit;
    *base_p = is_here ? target->direct : NULL;
}

cor_win_way cor_win_way_of(const cor_win *win, int target)
{
    const win_target *t = &win->targets[target];
    return t->is_direct ? COR_WIN_DIRECT : t->is_copied ? COR_WIN_COPY : COR_WIN_MESSAGE;
}
