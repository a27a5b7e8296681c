/* SPDX-License-Identifier: Apache-2.0 */
/* Making a board: rank 0 makes the memory and sends the others its place; the board is used only if all could map
 * it. */
#include "coll/board/board_area.h"
#include "coll/plan/coll_comm.h"
#include "mp/internal.h"
#include "mp/nodes.h"

#include <stdlib.h>

/* What rank 0 sends. */
typedef struct board_news {
    cor_segment_place place;
    uint64_t memory; /* the address, for threads of the same process */
    uint64_t bytes;  /* 0: it could not be made */
    uint64_t half_bytes;
    uint64_t slot_rows;
} board_news;

/* ---- where everything is ---------------------------------------------------------------------------------------- */

static size_t board_half_bytes(const cor_comm *comm)
{
    size_t area = cor_rank_coll_config(cor_comm_owner(comm))->board_bytes;
    size_t most = COR_BOARD_TOTAL_MAX / (size_t)cor_comm_size(comm);
    size_t unit = 2 * COR_BOARD_BUFFERS * COR_CACHE_LINE;
    area = area < most ? area : most;
    return (area < unit ? unit : area - area % unit) / 2;
}

size_t cor_board_room(const cor_comm *comm, cor_primitive primitive)
{
    size_t half_bytes = board_half_bytes(comm), size = (size_t)cor_comm_size(comm);
    switch (primitive) {
    case COR_SCATTER:
    case COR_SCATTERV:
        return half_bytes / COR_BOARD_BUFFERS / size;
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
    case COR_REDUCE_SCATTER:
    case COR_REDUCE_SCATTER_BLOCK:
        return half_bytes / cor_board_exchange_buffers(cor_comm_is_oversubscribed(comm)) / size;
    default:
        return half_bytes / COR_BOARD_BUFFERS;
    }
}

static char *board_cut(char **memory_p, size_t bytes)
{
    char *piece = *memory_p;
    *memory_p += (bytes + COR_CACHE_LINE - 1) / COR_CACHE_LINE * COR_CACHE_LINE;
    return piece;
}

/* Cut the memory up. Returns where it ends. */
static char *board_lay_out(cor_board *board, char *memory, size_t half_bytes, uint64_t slot_rows)
{
    size_t size = (size_t)board->size, rows = (size_t)slot_rows;
    board->slot_rows = slot_rows;
    board->half_bytes = half_bytes;
    board->buffer_bytes = half_bytes / COR_BOARD_BUFFERS;
    board->head = (cor_board_head *)(void *)board_cut(&memory, sizeof *board->head);
    board->flag_lines =
        (cor_board_flag_line *)(void *)board_cut(&memory, COR_BOARD_ROWS * size * sizeof *board->flag_lines);
    board->posted = (cor_board_flag_line *)(void *)board_cut(&memory, size * sizeof *board->posted);
    board->taken = (cor_board_flag_line *)(void *)board_cut(&memory, size * sizeof *board->taken);
    board->got = (cor_board_flag_line *)(void *)board_cut(&memory, size * sizeof *board->got);
    board->slots = board_cut(&memory, rows * size * COR_BOARD_SLOT_BYTES);
    board->results = (cor_board_result *)(void *)board_cut(&memory, rows * sizeof *board->results);
    board->areas = board_cut(&memory, size * 2 * half_bytes);
    return memory;
}

static size_t board_bytes(int size, size_t half_bytes, uint64_t slot_rows)
{
    cor_board sample = {.size = size};
    return (size_t)((uintptr_t)board_lay_out(&sample, NULL, half_bytes, slot_rows) - (uintptr_t)NULL);
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static void board_make_memory(cor_board *board, board_news *news)
{
    const cor_rank *rank = cor_comm_owner(board->comm);
    cor_fault fault = {0};
    size_t half_bytes = board_half_bytes(board->comm);
    uint64_t slot_rows = board->is_oversubscribed ? COR_BOARD_OVERSUBSCRIBED_SLOT_ROWS : COR_BOARD_SLOT_ROWS;
    size_t bytes = board_bytes(board->size, half_bytes, slot_rows);
    int rc = board->is_one_process ? cor_segment_create_private(&board->segment, bytes, 0, &fault)
                                   : cor_segment_create(&board->segment, bytes, 0, cor_rank_wants_file(rank), &fault);
    if (rc != COR_OK) {
        COR_LOG(cor_rank_log(rank), INFO, "no shared memory for collective operations: %s", fault.text);
        return;
    }
    /* relaxed: no rank knows the memory yet; the message with its place orders this. */
    cor_board_head *head = board->segment.memory;
    atomic_store_explicit(&head->references, board->size, memory_order_relaxed);
    *news =
        (board_news){board->segment.place, (uint64_t)(uintptr_t)board->segment.memory, bytes, half_bytes, slot_rows};
}

/* Rank 0's news to all. */
static int board_tell_news(cor_comm *comm, board_news *news)
{
    if (cor_comm_rank(comm) != 0)
        return cor_internal_recv(comm, news, sizeof *news, 0, COR_INTERNAL_TAG_BOARD);
    int rc = COR_OK;
    for (int i = 1; i < cor_comm_size(comm); i++) {
        int one = cor_internal_send(comm, news, sizeof *news, i, COR_INTERNAL_TAG_BOARD);
        rc = rc == COR_OK ? one : rc;
    }
    return rc;
}

static int board_attach(cor_board *board, const board_news *news, int has_memory)
{
    cor_fault fault = {0};
    if (news->bytes == 0)
        return 0;
    if (board->is_one_process) {
        board->segment = (cor_segment){.memory = (void *)(uintptr_t)news->memory, .bytes = (size_t)news->bytes};
    } else if (board->rank != 0 && cor_segment_open(&board->segment, &news->place, &fault) != COR_OK) {
        COR_LOG(cor_rank_log(cor_comm_owner(board->comm)), INFO, "no shared memory for collective operations: %s",
                fault.text);
        return 0;
    }
    board_lay_out(board, board->segment.memory, (size_t)news->half_bytes, news->slot_rows);
    board->scratch = malloc(board->half_bytes);
    board->held = calloc((size_t)board->size, sizeof *board->held);
    return has_memory && board->scratch && board->held;
}

/* Without the lock. Every rank comes to the same end: COR_OK, COR_AGAIN; or a message was lost. */
static int board_make(cor_board *board, int has_memory)
{
    board_news news = {0};
    if (board->rank == 0)
        board_make_memory(board, &news);
    int rc = board_tell_news(board->comm, &news);
    if (rc != COR_OK)
        return rc;
    uint64_t has_it = (uint64_t)board_attach(board, &news, has_memory);
    rc = cor_internal_all_and(board->comm, &has_it, 1);
    if (board->segment.is_open)
        cor_segment_unlink(&board->segment);
    return rc != COR_OK ? rc : has_it ? COR_OK : COR_AGAIN;
}

/* Another thread may still read this rank's part: the last one frees the memory. */
static void board_leave(cor_board *board)
{
    cor_board_head *head = board->segment.memory;
    /* acq_rel: what the others read, they read before the last one unmaps it. */
    if (head && atomic_fetch_sub_explicit(&head->references, 1, memory_order_acq_rel) == 1)
        cor_segment_close(&board->segment);
}

static void board_fini(cor_board *board)
{
    if (board->is_one_process)
        board_leave(board);
    else
        cor_segment_close(&board->segment);
    free(board->scratch);
    free(board->held);
}

/* An operation begins: say that the one before is over, if that is not said yet. */
static inline void board_end_last(cor_board *board)
{
    if (board->is_ending) {
        board->is_ending = 0;
        cor_board_end(board);
    }
}

/* Not inlined: once a communicator, and when a peer is lost. */
static __attribute__((noinline)) int board_of_slow(cor_comm *comm, cor_coll_comm *state, cor_board **board_p)
{
    if (state->board) {
        int rc = cor_board_find_lost(state->board);
        if (rc == COR_OK)
            board_end_last(state->board);
        *board_p = state->board;
        return rc;
    }
    if (state->has_no_board)
        return COR_AGAIN;
    /* A rank without memory takes part all the same: the others wait for what it says. */
    cor_board draft = {
        .comm = comm,
        .rank = cor_comm_rank(comm),
        .size = cor_comm_size(comm),
        .is_one_process = cor_comm_is_one_process(comm),
        .is_oversubscribed = cor_comm_is_oversubscribed(comm),
    };
    cor_board *board = malloc(sizeof *board);
    cor_activity activity;
    cor_comm_leave_inside(comm, &activity);
    int rc = board_make(&draft, board != NULL);
    cor_comm_enter_inside(comm, &activity);
    if (rc != COR_OK) {
        state->has_no_board = rc == COR_AGAIN;
        board_fini(&draft);
        free(board);
        return rc;
    }
    *board = draft;
    state->board = *board_p = board;
    return COR_OK;
}

int cor_board_of(cor_comm *comm, cor_board **board_p)
{
    cor_coll_comm *state = cor_comm_coll(comm);
    cor_board *board = *board_p = state->board;
    if (COR_UNLIKELY(!board || board->lost_seen != cor_comm_lost_count(comm)))
        return board_of_slow(comm, state, board_p);
    board_end_last(board);
    return COR_OK;
}

void cor_board_destroy(cor_board *board)
{
    board_fini(board);
    free(board);
}
