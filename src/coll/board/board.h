/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A board: shared memory in which the ranks of one communicator, all on one node, do a collective operation at once,
 * without messages.
 *
 * Operations on a board are numbered 1, 2, ...; all ranks count the same, because all make the same calls in the same
 * order. A rank writes only its own data, so nothing is locked:
 *
 *   flag lines    one cache line a rank, in rows: an operation uses the row of its number. The flag is the number of
 *                 the operation that the line was written for; beside it are a word with the length of the data, and up
 *                 to 48 bytes.
 *   slots         the same for up to 2 KiB, announced by the flag of the line.
 *   areas         for more: cut into two halves, of which an operation uses one by its number, and each into buffers
 *                 that are filled and emptied in rounds. The flag line announces the first round.
 *   posted, taken, got   the progress of a rank: counts of rounds that it has filled, emptied, or fetched results of.
 *
 * Only `results` may be written by any rank: where ranks share CPUs, the first to combine short values stores them
 * there for the others. A compare-and-swap of one word decides which rank does, and no rank waits for it.
 *
 * Memory may be overwritten once all ranks are done with the operation that used it. Where all wait for all (a barrier,
 * allreduce), seeing operation n of a rank implies that it is done with n - 1. In all other operations each rank marks
 * at the end that it is done (`taken`); a writer reads that when its rows, or halves, are used up. Every operation in
 * between is of the one or the other kind, so the wait ends.
 *
 * A caller may write its own slots of the next operation before that begins (cor_zcopy in call.h), as soon as they are
 * free.
 *
 * Data that a zero-copy call leaves in place are read after the operation. A rank that begins the next operation has
 * read them: where all wait for all as above, else because the rank marks only then that it is done. Short bcasts and
 * reductions end that late, too: the return into a JVM waits until all stores are visible, and a store of `taken` just
 * before would prolong that wait for nothing.
 *
 * A flag line or a slot that others have read, or poll, is in their caches: to write it takes a round trip between the
 * caches. Where ranks have CPUs of their own it is prefetched, by a store whose value does not matter. Every call
 * begins with one to its flag line (cor_board_prefetch_line), some 50 ns before the flag; a rank that waits first
 * writes to all cache lines of the slot that it will write next (board_prefetch_next). Between two CPUs a barrier takes
 * two thirds of the time that it would without, short exchanges three quarters, a stream of nothing but the shortest
 * bcasts a fifth more.
 *
 * Ranks whose lengths do not fit. A flag line contains how many bytes its writer has for a reader and in which way they
 * come (cor_board_word). The reader compares that with what it expects before it reads or writes data. If it differs,
 * the call returns COR_ERR_TRUNCATE, and the rank abandons the operation (cor_board_give_up): it marks that in its flag
 * line, if that was not written yet, so that ranks that wait for its data see it too, and sets its counts to the end.
 * The others finish with whatever bytes are there. Nothing else has to be agreed upon: the row and the half of the next
 * operation follow from its number.
 *
 *   Seen     by every reader: lengths of blocks or of the whole in all operations. In alltoallv, alltoallw and
 *            scatterv, where a rank has many lengths, they are beside the flag line, in the slot (up to 256 ranks), or
 *            are those of the payloads that threads offer.
 *   Unseen   by those that read nothing: bcast's root, reduce's and gather's senders, scan's lower ranks; gatherv's
 *            root where it expects nothing. Blocks of reduce_scatter that differ but are as long in sum; lengths of
 *            alltoallv and scatterv among more ranks. Then some bytes are wrong; no rank waits for ever.
 *
 * A rank that is lost. A wait ends with COR_ERR_PEER when a member of the communicator is found dead. The caller then
 * leaves the operation at once and writes nothing more, so that members that have not noticed yet find what was written
 * for them, or find the dead one themselves. After that the board refuses every operation (cor_board_of).
 *
 * Waiting is done by the device (cor_comm_wait_until): it makes progress on messages, and a rank that has waited long
 * sleeps. A rank that writes a flag reads one word that says whether any other sleeps.
 *
 * Everything here is called with the rank's lock held. Boards are independent of each other.
 */
#ifndef COR_COLL_BOARD_H
#define COR_COLL_BOARD_H

#include "base/segment.h"
#include "coll/plan/algorithm.h"
#include "mp/collective.h"

#include <stdatomic.h>

enum {
    COR_BOARD_ROWS = 64,                     /* of flag lines: the most operations that a rank can be ahead */
    COR_BOARD_SLOT_ROWS = 8,                 /* of slots: few, so that they stay in the cache */
    COR_BOARD_OVERSUBSCRIBED_SLOT_ROWS = 32, /* a rank that may be ahead saves turns on a CPU, which cost more */
    COR_BOARD_FLAG_LINE_BYTES = COR_CACHE_LINE - 16,
    COR_BOARD_SLOT_BYTES = 2 << 10,
    COR_BOARD_ZCOPY_MIN = 256, /* a shorter block is copied as fast as its place is passed on */
    COR_BOARD_BUFFERS = 4,     /* of a half; one round each */
    COR_BOARD_STEP_BITS = 24,  /* of a count: operation, then rounds */
    COR_BOARD_WAY_BITS = 3,    /* of a word: bytes, then the way */
    COR_BOARD_TOTAL_MAX = 64 << 20,
    COR_BOARD_NEEDS = COR_NEEDS_ONE_NODE | COR_NEEDS_BLOCKING,
    COR_BOARD_ROOM_NEEDS = COR_BOARD_NEEDS | COR_NEEDS_ROOM,
};

/* How a rule cuts long data. */
#define COR_BOARD_PIECE_PARAMETER                                                                                     \
    {                                                                                                                 \
        "piece", 0, 0, 1 << 26,                                                                                       \
            "bytes of a piece of long data; less than 1k counts as 1k, more than fits (at most a quarter of "         \
            "coll.board) as what fits; 0: 512k where ranks share CPUs, else less"                                     \
    }

typedef struct cor_board_flag_line {
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t flag;
    uint64_t word; /* see cor_board_word */
    char bytes[COR_BOARD_FLAG_LINE_BYTES];
} cor_board_flag_line;

/* The head of the shared memory. */
typedef struct cor_board_head {
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t sleepers;  /* ranks that may sleep, waiting for something here */
    _Alignas(COR_CACHE_LINE) _Atomic int32_t references; /* threads of one process that have not left yet */
} cor_board_head;

/* What one rank has combined, for those that come later: one in a row. */
typedef struct cor_board_result {
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t claimed; /* an operation: a rank is writing its result */
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t ready;   /* an operation: its result is there */
    _Alignas(COR_CACHE_LINE) char bytes[COR_BOARD_SLOT_BYTES];
} cor_board_result;

/* Threads of one process read from each other's buffers: block i is payloads[i], or the one payload from
 * offset + i * bytes on. */
typedef struct cor_board_offer {
    const cor_payload *payloads;
    int is_in_parts;
    size_t offset, bytes; /* the latter: of a block */
} cor_board_offer;

typedef struct cor_board {
    cor_comm *comm; /* the one that has this board */
    int rank, size;
    int is_one_process, is_oversubscribed;
    uint64_t slot_rows;  /* a power of two; rank 0's, for all */
    uint64_t op;         /* the number of the current or last operation */
    uint64_t known_done; /* every rank is done with this operation and all before */
    uint64_t half_op[2]; /* the last operation in which this rank wrote there */
    uint32_t lost_seen;  /* of the device's losses: none of these is a member */
    int is_ending;       /* the last operation ends when the next one begins: cor_board_end_later */
    cor_zcopy zcopy;     /* of the next operation (board_zcopy.c) */

    cor_board_head *head;
    cor_board_flag_line *flag_lines; /* [row][rank] */
    char *slots;                     /* [row][rank]: 2 KiB */
    cor_board_result *results;       /* [row] */
    cor_board_flag_line *posted, *taken, *got;
    char *areas;
    size_t half_bytes;
    size_t buffer_bytes; /* the largest buffer: a half has COR_BOARD_BUFFERS of them */

    char *scratch; /* half_bytes, of this rank alone */
    cor_board_offer offer;
    cor_payload *held; /* what is offered, one for each rank */
    cor_segment segment;
} cor_board;

/* ---- board_make.c: life ----------------------------------------------------------------------------------------- */

/* The board of a communicator; made on first use, by all ranks together. COR_AGAIN: it cannot be made here, for any
 * rank. COR_ERR_PEER: a member is lost. The lock is released while it is made. */
int cor_board_of(cor_comm *comm, cor_board **board_p);
void cor_board_destroy(cor_board *board);
/* The largest element that an operation can have here, a byte for those that only copy; the same at all ranks. */
size_t cor_board_room(const cor_comm *comm, cor_primitive primitive);

/* ---- board.c: flags and waiting --------------------------------------------------------------------------------- */

/* Functions that wait return COR_OK, or COR_ERR_PEER when a member is lost. */

/* Wait until flags[first .. end) have all reached `value`, except this rank's own. */
int cor_board_await(cor_board *board, const cor_board_flag_line *flags, int first, int end, uint64_t value);
/* Wait until is_over returns non-zero. Only this thread calls it, and it may keep state in `subject`. */
int cor_board_wait(cor_board *board, int (*is_over)(void *subject), void *subject);
/* A peer of this rank is lost: COR_ERR_PEER if it is a member. */
int cor_board_find_lost(cor_board *board);
/* After writing something that others wait for: wake those that sleep. */
void cor_board_tell_sleepers(cor_board *board);
/* Wait until every rank is done with an operation before this one. */
int cor_board_await_done(cor_board *board, uint64_t op);

/* The value of a counting flag when `rounds` rounds of the current operation are done; and when all of `op` is done. */
static inline uint64_t cor_board_count(const cor_board *board, size_t rounds)
{
    return (board->op << COR_BOARD_STEP_BITS) + rounds;
}

static inline uint64_t cor_board_done_count(uint64_t op)
{
    return (op + 1) << COR_BOARD_STEP_BITS;
}

static inline int cor_board_has_come(const cor_board_flag_line *flag, uint64_t value)
{
    /* acquire: pairs with cor_board_raise; what the flag announces was written, or read, before. The difference is
     * compared, as counts may wrap. */
    return (int64_t)(atomic_load_explicit(&flag->flag, memory_order_acquire) - value) >= 0;
}

static inline void cor_board_tell(cor_board *board)
{
    if (board->size == 2) {
        cor_comm_nudge(board->comm, 1 - board->rank);
        return;
    }
    /* The flag must be visible before `sleepers` is read: see board_before_sleep for the other half. */
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&board->head->sleepers, memory_order_relaxed) != 0))
        cor_board_tell_sleepers(board);
}

static inline void cor_board_raise(cor_board_flag_line *flag, uint64_t value)
{
    /* release: what was written, or read, before is done before another rank sees the flag. */
    atomic_store_explicit(&flag->flag, value, memory_order_release);
}

/* ---- board_zcopy.c: memory for the caller ----------------------------------------------------------------------- */

/* Prepare for a caller that writes its data here: returns where, from now on, and the memory that all such places are
 * in. */
const cor_zcopy *cor_board_open_zcopy(cor_board *board, void **memory_p, size_t *bytes_p);
/* At the end of a call, if cor_board_open_zcopy was called: update where the caller may write what the next call
 * sends. */
void cor_board_renew_zcopy(cor_board *board);

/* ---- an operation ----------------------------------------------------------------------------------------------- */

/* Begin the next operation on the communicator's board. COR_AGAIN as above. */
static inline int cor_board_begin(cor_comm *comm, cor_board **board_p)
{
    int rc = cor_board_of(comm, board_p);
    if (rc == COR_OK)
        (*board_p)->op++;
    return rc;
}

/* The end of one in which not every rank waits for every rank. */
static inline void cor_board_end(cor_board *board)
{
    cor_board_raise(&board->taken[board->rank], cor_board_done_count(board->op));
    cor_board_tell(board);
}

/* The same, but marked when the next operation begins. */
static inline void cor_board_end_later(cor_board *board)
{
    board->is_ending = 1;
}

/* The end of one in which this rank has seen that all others began. */
static inline void cor_board_end_met(cor_board *board)
{
    if (board->known_done < board->op - 1)
        board->known_done = board->op - 1;
}

/* ---- flag lines and slots --------------------------------------------------------------------------------------- */

static inline cor_board_flag_line *cor_board_row_of(const cor_board *board, uint64_t op)
{
    return board->flag_lines + (size_t)(op % COR_BOARD_ROWS) * (size_t)board->size;
}

/* Is the slot that this rank writes in a later operation free already? Then its flag line is, too. */
static inline int cor_board_is_slot_free(const cor_board *board, uint64_t op)
{
    return COR_LIKELY(board->known_done + board->slot_rows >= op);
}

/* Prefetch the flag line of the next operation (see the top). Returns whether that was possible. */
static inline int cor_board_prefetch_line(cor_board *board)
{
    int can_be = !board->is_oversubscribed && cor_board_is_slot_free(board, board->op + 1);
    if (can_be)
        cor_board_row_of(board, board->op + 1)[board->rank].word = 0;
    return can_be;
}

static inline cor_board_flag_line *cor_board_row(const cor_board *board)
{
    return cor_board_row_of(board, board->op);
}

static inline size_t cor_board_slot_row(const cor_board *board, uint64_t op)
{
    return (size_t)(op & (board->slot_rows - 1));
}

static inline char *cor_board_slot_in(const cor_board *board, uint64_t op, int rank)
{
    size_t row = cor_board_slot_row(board, op);
    return board->slots + (row * (size_t)board->size + (size_t)rank) * COR_BOARD_SLOT_BYTES;
}

static inline char *cor_board_slot(const cor_board *board, int rank)
{
    return cor_board_slot_in(board, board->op, rank);
}

/* Where `bytes`, at most COR_BOARD_SLOT_BYTES, of a rank are in this operation. */
static inline char *cor_board_place(const cor_board *board, int rank, size_t bytes)
{
    return bytes <= COR_BOARD_FLAG_LINE_BYTES ? cor_board_row(board)[rank].bytes : cor_board_slot(board, rank);
}

/* May the caller read blocks of this length where they are? From COR_BOARD_ZCOPY_MIN on they are in slots. */
static inline int cor_board_is_zcopy(const cor_call *call, size_t bytes)
{
    return call->zcopy_p && bytes >= COR_BOARD_ZCOPY_MIN;
}

/* Wait until this rank's flag line and slot may be overwritten. A rank that is as far ahead as it can be waits for half
 * of the rows where ranks share CPUs: a wait for each row would cost a turn on the CPU for each. */
static inline int cor_board_await_row(cor_board *board)
{
    if (!cor_board_is_slot_free(board, board->op))
        return cor_board_await_done(board, board->op - board->slot_rows / (board->is_oversubscribed ? 2 : 1));
    return COR_OK;
}

/* The same before `bytes` are written to cor_board_place. */
static inline int cor_board_await_place(cor_board *board, size_t bytes)
{
    if (bytes > COR_BOARD_FLAG_LINE_BYTES)
        return cor_board_await_row(board);
    if (COR_UNLIKELY(board->known_done + COR_BOARD_ROWS < board->op))
        return cor_board_await_done(board, board->op - COR_BOARD_ROWS / 2);
    return COR_OK;
}

/* How the data of a rank come. */
typedef enum cor_board_way {
    COR_BOARD_NOTHING, /* it has abandoned the operation */
    COR_BOARD_SHORT,   /* in the flag line or the slot */
    COR_BOARD_OFFERED, /* threads: the line says where */
    COR_BOARD_ROUNDS,
    COR_BOARD_LENGTHS, /* the same for blocks of any length, each of which is announced */
    COR_BOARD_CHAIN,
    COR_BOARD_SHARES,
    COR_BOARD_ROOTED,
} cor_board_way;

/* The word of a line: bytes for one reader, or of the whole, and the way. */
static inline uint64_t cor_board_word(size_t bytes, cor_board_way way)
{
    return (uint64_t)bytes << COR_BOARD_WAY_BITS | (uint64_t)way;
}

/* Publish the flag line, after data and slot are written. */
static inline void cor_board_post(cor_board *board, uint64_t word)
{
    cor_board_flag_line *line = &cor_board_row(board)[board->rank];
    line->word = word;
    cor_board_raise(line, board->op);
    cor_board_tell(board);
}

static inline int cor_board_await_line(cor_board *board, int rank)
{
    return cor_board_await(board, cor_board_row(board), rank, rank + 1, board->op);
}

static inline int cor_board_await_lines(cor_board *board)
{
    return cor_board_await(board, cor_board_row(board), 0, board->size, board->op);
}

/* ---- board_length.c: lengths that do not fit -------------------------------------------------------------------- */

/* COR_ERR_TRUNCATE, with the sentence: a rank has `sent` bytes, in any way, where `expected` are expected. */
int cor_board_differs(cor_board *board, int rank, size_t sent, size_t expected);
int cor_board_word_differs(cor_board *board, int rank, uint64_t word);
int cor_board_rounds_differ(cor_board *board, int rank);

/* Does a published line have the expected word? COR_ERR_TRUNCATE: no. */
static inline int cor_board_check(cor_board *board, int rank, uint64_t word)
{
    return COR_LIKELY(cor_board_row(board)[rank].word == word) ? COR_OK : cor_board_word_differs(board, rank, word);
}

/* The same for all ranks. */
static inline int cor_board_check_lines(cor_board *board, uint64_t word)
{
    const cor_board_flag_line *row = cor_board_row(board);
    for (int i = 0; i < board->size; i++)
        if (COR_UNLIKELY(row[i].word != word))
            return cor_board_word_differs(board, i, word);
    return COR_OK;
}

/* Abandon an operation that this rank cannot finish: no rank then waits for this rank. Where every rank writes a line
 * (`is_met`) it waits for those, as all others do. */
void cor_board_give_up(cor_board *board, int is_met);

/* Wait until all lines are published with the expected word. On failure the operation has ended for this rank. */
static inline int cor_board_await_same(cor_board *board, uint64_t word)
{
    int rc = cor_board_await_lines(board);
    if (COR_UNLIKELY(rc != COR_OK))
        return rc;
    rc = cor_board_check_lines(board, word);
    if (COR_UNLIKELY(rc != COR_OK))
        cor_board_give_up(board, 1);
    return rc;
}

/* The same before anything was done, if the lengths that a rank sends and expects, also of itself, do not fit. */
int cor_board_refuse(cor_board *board, size_t sent, size_t expected);

#endif
