/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_host.h"

#include "mp/internal.h"
#include "mp/leftovers.h"

#include <string.h>
#include <unistd.h>

void win_host_card(const cor_win *win, const void *base, size_t bytes, size_t unit, win_card *card)
{
    memset(card, 0, sizeof *card);
    cor_process_where(card->host, card->space);
    card->pid = getpid();
    card->base = (uint64_t)(uintptr_t)base;
    card->bytes = bytes;
    card->unit = unit;
    card->alignment = win->options.alignment_bytes;
    card->is_noncontiguous = (uint64_t)win->options.is_noncontiguous;
    card->is_checked = (uint64_t)cor_rank_is_checked(cor_comm_owner(win->comm));
}

static int host_is_same(const win_card *a, const win_card *b)
{
    return strncmp(a->host, b->host, sizeof a->host) == 0 && strncmp(a->space, b->space, sizeof a->space) == 0 &&
           (strcmp(a->host, "unknown") != 0 || a->pid == b->pid);
}

/* The members on this host. */
static void host_find(cor_win *win, const win_card *cards)
{
    for (int i = 0; i < win->size; i++)
        if (i == win->me || host_is_same(&cards[i], &cards[win->me]))
            win->host_members[win->host_count++] = i;
}

static int host_is_allocated(const cor_win *win)
{
    return win->flavour == COR_WIN_ALLOCATED || win->flavour == COR_WIN_SHARED;
}

static size_t host_alignment(const win_card *card)
{
    return card->alignment > COR_CACHE_LINE ? (size_t)card->alignment : COR_CACHE_LINE;
}

/* Where the memory of the group's members is in the segment: offsets[i] is of the i-th. Parts of a shared window are
 * adjacent, unless its info says otherwise. SIZE_MAX: more than can be addressed. */
static size_t host_lay_out(const cor_win *win, const win_card *cards, size_t *offsets)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = (size_t)win->host_count * (sizeof(win_control) + win->sleeper_places * sizeof(uint32_t));
    int is_adjacent = win->flavour == COR_WIN_SHARED && !cards[win->host_members[0]].is_noncontiguous;
    end = (end + page - 1) / page * page;
    if (!host_is_allocated(win))
        return end;
    for (int i = 0; i < win->host_count; i++) {
        const win_card *card = &cards[win->host_members[i]];
        size_t alignment = host_alignment(card);
        if (!is_adjacent || i == 0)
            end = (end + alignment - 1) / alignment * alignment;
        offsets[i] = end;
        if (card->bytes > SIZE_MAX / 4 || end > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
            return SIZE_MAX;
        end += card->bytes;
    }
    return end;
}

/* The largest that a member wants: then what is aligned in the segment is aligned in memory. */
static size_t host_segment_alignment(const cor_win *win, const win_card *cards)
{
    size_t most = 0;
    for (int i = 0; i < win->host_count && host_is_allocated(win); i++)
        if (host_alignment(&cards[win->host_members[i]]) > most)
            most = host_alignment(&cards[win->host_members[i]]);
    return most;
}

static uint32_t host_threads(const cor_win *win, const win_card *cards)
{
    uint32_t count = 0;
    for (int i = 0; i < win->host_count; i++)
        count += cards[win->host_members[i]].pid == cards[win->me].pid;
    return count;
}

static int host_create(cor_win *win, const win_card *cards, size_t bytes, win_place *place)
{
    cor_fault *fault = cor_comm_fault_place(win->comm);
    size_t alignment = host_segment_alignment(win, cards);
    uint32_t threads = host_threads(win, cards);
    int wants_file = cor_rank_wants_file(cor_comm_owner(win->comm));
    if (bytes == SIZE_MAX)
        return cor_fault_set(fault, COR_ERR_MEMORY, "the window is larger than the address space");
    int rc = threads == (uint32_t)win->host_count
                 ? cor_segment_create_private(&win->segment, bytes, alignment, fault)
                 : cor_segment_create(&win->segment, bytes, alignment, wants_file, fault);
    if (rc != COR_OK)
        return rc;
    /* relaxed: nobody knows the memory yet; the message with its place orders this. */
    win_control *own = win->segment.memory;
    atomic_store_explicit(&own->users, threads, memory_order_relaxed);
    win->mapping_users = &own->users;
    place->place = win->segment.place;
    place->address = (uint64_t)(uintptr_t)win->segment.memory;
    return COR_OK;
}

/* The memory of the segment here, or NULL with a sentence. */
static char *host_map(cor_win *win, const win_card *cards, const win_place *place)
{
    int leader = win->host_members[0];
    if (place->error != COR_OK) {
        if (leader != win->me)
            win_fail(win, COR_ERR_MEMORY, "rank %d has no memory for the window", leader);
        return NULL;
    }
    if (leader == win->me)
        return win->segment.memory;
    if (cards[leader].pid == cards[win->me].pid) {
        win_control *first = (win_control *)(uintptr_t)place->address;
        win->segment = (cor_segment){.memory = first, .bytes = (size_t)place->place.bytes};
        win->mapping_users = &first->users;
        return win->segment.memory;
    }
    if (cor_segment_open(&win->segment, &place->place, cor_comm_fault_place(win->comm)) != COR_OK)
        return NULL;
    return win->segment.memory;
}

static void host_set_target(cor_win *win, int member, const win_card *cards, win_control *control, char *memory)
{
    win_target *target = &win->targets[member];
    const win_card *card = &cards[member];
    int is_same_process = card->pid == cards[win->me].pid;
    target->control = control;
    target->is_rung = win->device->host->index_of[target->peer] >= 0;
    win->is_host_rung &= target->is_rung;
    if (memory) {
        target->is_direct = 1;
        target->direct = memory;
    } else if (win->flavour == COR_WIN_CREATED && is_same_process) {
        target->is_direct = 1;
        target->direct = (char *)(uintptr_t)card->base;
    } else if (win->flavour == COR_WIN_DYNAMIC && member == win->me) {
        target->is_direct = 1;
    }
}

/* With the lock held, as are sentences of failures. */
static int host_share(cor_win *win, const win_card *cards, const size_t *offsets, const win_place *place)
{
    char *memory = host_map(win, cards, place);
    if (!memory)
        return COR_ERR_MEMORY;
    win_control *controls = (win_control *)(void *)memory;
    _Atomic uint32_t *sleepers = (_Atomic uint32_t *)(void *)(controls + win->host_count);
    win->is_host_rung = 1;
    for (int i = 0; i < win->host_count; i++) {
        int member = win->host_members[i];
        host_set_target(win, member, cards, &controls[i], host_is_allocated(win) ? memory + offsets[i] : NULL);
        win->targets[member].sleepers = sleepers + (size_t)i * win->sleeper_places;
    }
    win->control = win->targets[win->me].control;
    if (host_is_allocated(win))
        win->base = win->targets[win->me].bytes > 0 ? win->targets[win->me].direct : NULL;
    return COR_OK;
}

int win_host_make(cor_win *win, const win_rooms *rooms)
{
    win_place mine = {.error = COR_OK};
    host_find(win, rooms->cards);
    size_t bytes = host_lay_out(win, rooms->cards, rooms->offsets);
    int rc = COR_OK;
    cor_comm_enter(win->comm);
    if (win->flavour == COR_WIN_SHARED && win->host_count < win->size)
        rc = win_fail(win, COR_ERR_RMA_SHARED, "not all members of a shared window are on one host");
    else if (win->host_members[0] == win->me)
        rc = host_create(win, rooms->cards, bytes, &mine);
    cor_comm_leave(win->comm);
    mine.error = rc;
    /* A member that has failed takes part nevertheless, so that the others learn it. */
    int failed = cor_internal_gather_all(win->comm, &mine, sizeof mine, rooms->places);
    if (rc == COR_OK)
        rc = failed;
    cor_comm_enter(win->comm);
    if (rc == COR_OK)
        rc = host_share(win, rooms->cards, rooms->offsets, &rooms->places[win->host_members[0]]);
    cor_comm_leave(win->comm);
    return rc;
}

int win_host_is_whole(const cor_win *win, const win_card *cards)
{
    for (int i = 1; i < win->size; i++)
        if (!host_is_same(&cards[i], &cards[0]) || (!host_is_allocated(win) && cards[i].pid != cards[0].pid))
            return 0;
    return 1;
}

void win_host_settle(cor_win *win)
{
    if (win->segment.is_open)
        cor_segment_unlink(&win->segment);
}

void win_host_close(cor_win *win)
{
    /* acq_rel: whoever unmaps it does so after the last access of all others. */
    if (win->mapping_users && atomic_fetch_sub_explicit(win->mapping_users, 1, memory_order_acq_rel) > 1) {
        cor_segment_unlink(&win->segment);
        win->segment = (cor_segment){0};
    }
    win->mapping_users = NULL;
    cor_segment_close(&win->segment);
}
