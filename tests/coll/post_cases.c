/* Calls that a rank posts by itself: when it may, and what the others see of them. Many of them, between calls of all
 * sorts, are in board_test.c. */
#define _GNU_SOURCE
#include "coll_cases.h"
#include "coll_post.h"

#include "base/clock.h"
#include "coll/board.h"
#include "coll/choose.h"
#include "coll/coll_state.h"
#include "mp/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LATE_US = 20000, LATE_LIMIT_US = 200000, TIMES = 5 };

/* A lease is there after the first call, and what it says is renewed by each. */
static const cor_lease *renewed(coll_rank *me, cor_comm *comm, coll_leased *leased)
{
    OK(me, cor_barrier(comm));
    const cor_lease *lease = coll_lease(leased, comm);
    if (!lease)
        FAIL(me, "there is no lease");
    return lease;
}

/* ---- when it may ------------------------------------------------------------------------------------------------ */

static void expect_reach(coll_rank *me, cor_comm *comm, coll_leased *leased, size_t bcast_bytes, size_t reduce_bytes)
{
    const cor_lease *lease = renewed(me, comm, leased);
    EXPECT(me, bcast_bytes, lease->bcast_bytes);
    EXPECT(me, reduce_bytes, lease->reduce_bytes);
}

void case_post_forced(coll_rank *me, cor_comm *comm)
{
    coll_leased leased = {0};
    expect_reach(me, comm, &leased, COR_LEAF_BYTES, COR_LEAF_BYTES);
    OK(me, cor_coll_force(me->rank, COR_REDUCE, "mst", NULL));
    expect_reach(me, comm, &leased, COR_LEAF_BYTES, 0);
    OK(me, cor_coll_force(me->rank, COR_BCAST, "binomial", NULL));
    OK(me, cor_coll_force(me->rank, COR_REDUCE, "board", NULL));
    expect_reach(me, comm, &leased, 0, COR_LEAF_BYTES);
    OK(me, cor_coll_force(me->rank, COR_BCAST, "", NULL));
    OK(me, cor_coll_force(me->rank, COR_REDUCE, "", NULL));
    expect_reach(me, comm, &leased, COR_LEAF_BYTES, COR_LEAF_BYTES);
}

/* Rules of a user, in front of the built-in ones. */
static cor_rules load(coll_rank *me, const char *text)
{
    char path[] = "/tmp/corunna-post-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || dprintf(fd, "%s", text) < 0 || close(fd) != 0)
        FAIL(me, "cannot write %s", path);
    cor_rules rules = {0};
    int rc = cor_rules_load(&rules, path, NULL);
    unlink(path);
    OK(me, rc);
    return rules;
}

void case_post_rules(coll_rank *me, cor_comm *comm)
{
    static const struct {
        const char *text;
        size_t bcast_bytes, reduce_bytes;
    } rows[] = {
        {"bcast bytes<=100 mst", 0, COR_LEAF_BYTES},
        {"bcast bytes>100 mst", 100, COR_LEAF_BYTES},
        {"reduce bytes>1000 bytes<=1500 mst\nreduce bytes=300 mst", COR_LEAF_BYTES, 299},
        {"reduce bytes>=4k mst", COR_LEAF_BYTES, COR_LEAF_BYTES},
        {"reduce bytes<=700 board\nreduce mst", COR_LEAF_BYTES, 700},
        {"reduce bytes>700 board\nreduce mst", COR_LEAF_BYTES, 0},
        {"reduce !commutative mst", COR_LEAF_BYTES, COR_LEAF_BYTES},
    };
    cor_coll_rank *state = me->rank->coll;
    cor_rules built_in = state->rules;
    coll_leased leased = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(me->doing, sizeof me->doing, "posting by the rules %zu", i);
        state->rules = load(me, rows[i].text);
        state->generation++;
        expect_reach(me, comm, &leased, rows[i].bcast_bytes, rows[i].reduce_bytes);
        cor_rules_free(&state->rules);
    }
    state->rules = built_in;
    state->generation++;
}

/* Nothing is posted where the next call would say that a member is lost, or would not look at the board. */
void case_post_refused(coll_rank *me, cor_comm *comm)
{
    coll_leased leased = {0};
    const cor_lease *lease = renewed(me, comm, &leased);
    cor_coll_comm *state = comm->coll;
    EXPECT(me, 1, lease->line != 0);
    state->board->lost_seen--;
    cor_board_renew_lease(state->board);
    EXPECT(me, 0, lease->line);
    state->board->lost_seen++;
    state->has_no_board = 1;
    cor_board_renew_lease(state->board);
    EXPECT(me, 0, lease->line);
    state->has_no_board = 0;
    cor_board_renew_lease(state->board);
    EXPECT(me, 1, lease->line != 0);
}

/* Where everything is compared first nothing is posted. */
void case_check_posting(coll_rank *me, cor_comm *comm)
{
    if (!cor_comm_is_one_node(comm))
        return; /* there is no lease */
    coll_leased leased = {0};
    expect_reach(me, comm, &leased, 0, 0);
}

/* ---- what the others see ---------------------------------------------------------------------------------------- */

/* Who waits has gone to sleep when the call is posted, and must not sleep until the next one. */
void case_post_late(coll_rank *me, cor_comm *comm)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm), in = rank + 1, out = -1;
    coll_leased leased = {0};
    renewed(me, comm, &leased);
    if (rank != 0) {
        usleep(LATE_US);
        EXPECT(me, 1, coll_post(&leased, comm, COR_REDUCE, &in, sizeof in));
        usleep(2 * LATE_LIMIT_US);
        return;
    }
    uint64_t begin_ns = cor_clock_ns();
    cor_call call = coll_call_reduce(COR_REDUCE, comm, &in, &out, 1, COLL_SUM, 0);
    OK(me, cor_coll_run(&call));
    EXPECT(me, size * (size + 1) / 2, out);
    uint64_t took_us = (cor_clock_ns() - begin_ns) / 1000;
    if (took_us > LATE_LIMIT_US)
        FAIL(me, "%llu us for values that are %d us late", (unsigned long long)took_us, LATE_US);
}

/* Posted calls have numbers like all others: those that go by messages afterwards meet. */
void case_post_messages(coll_rank *me, cor_comm *comm)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    coll_leased leased = {0};
    OK(me, cor_coll_force(me->rank, COR_ALLREDUCE, "mst", NULL));
    for (int i = 0; i < TIMES; i++) {
        int data = rank == 0 ? i + 7 : -1, out = -1;
        renewed(me, comm, &leased);
        cor_call bcast = coll_call_bcast(comm, &data, sizeof data, 0), sum = coll_call_sum(comm, &data, &out, 1);
        if (rank == 0)
            EXPECT(me, 1, coll_post(&leased, comm, COR_BCAST, &data, sizeof data));
        else
            OK(me, cor_coll_run(&bcast));
        OK(me, cor_coll_run(&sum));
        EXPECT(me, size * (i + 7), out);
    }
    OK(me, cor_coll_force(me->rank, COR_ALLREDUCE, "", NULL));
}

/* A length that does not fit is seen by those who read it, and the next call is right again. */
void case_post_lengths(coll_rank *me, cor_comm *comm)
{
    static const size_t lengths[] = {4, 48, 52, 2048};
    int rank = cor_comm_rank(comm), values[COR_LEAF_BYTES / sizeof(int)] = {0}, more[COR_LEAF_BYTES] = {0};
    coll_leased leased = {0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        snprintf(me->doing, sizeof me->doing, "a posted bcast of %zu bytes", lengths[i]);
        renewed(me, comm, &leased);
        cor_call call = coll_call_bcast(comm, more, lengths[i] + 4, 0);
        if (rank == 0)
            EXPECT(me, 1, coll_post(&leased, comm, COR_BCAST, values, lengths[i]));
        else
            EXPECT(me, COR_ERR_TRUNCATE, cor_coll_run(&call));
        coll_still_works(me, comm);
    }
}

/* A rank notices that somebody who is no member is lost, between two calls: it still says that it is done with the
 * calls before. */
void case_post_strangers(coll_rank *me, cor_comm *comm)
{
    enum { LONG_BYTES = 100000 };
    size_t size = (size_t)cor_comm_size(comm);
    char *in = coll_alloc(me, size * LONG_BYTES), *out = coll_alloc(me, size * LONG_BYTES);
    int rank = cor_comm_rank(comm);
    uint32_t lost_count = comm->device->lost_count;
    coll_leased leased = {0};
    renewed(me, comm, &leased);
    for (int i = 0; i < TIMES; i++) {
        int data = rank == 0 ? i : -1;
        cor_call all = coll_call_alltoall(comm, in, out, LONG_BYTES);
        cor_call bcast = coll_call_bcast(comm, &data, sizeof data, 0);
        OK(me, cor_coll_run(&all));
        if (rank != 0 || !coll_post(&leased, comm, COR_BCAST, &data, sizeof data))
            OK(me, cor_coll_run(&bcast));
        if (rank == i % 2)
            comm->device->lost_count++;
        OK(me, cor_coll_run(&all));
        EXPECT(me, i, data);
    }
    comm->device->lost_count = lost_count;
    free(in);
    free(out);
}

/* A refused choice is told to whoever makes the call, not to who makes another. */
void case_post_fault(coll_rank *me, cor_comm *comm)
{
    coll_leased leased = {0};
    renewed(me, comm, &leased);
    OK(me, cor_coll_force(me->rank, COR_REDUCE, "nodes", NULL));
    me->rank->fault = (cor_fault){.code = COR_ERR_TAG, .text = "of before"};
    expect_reach(me, comm, &leased, COR_LEAF_BYTES, 0);
    EXPECT(me, COR_ERR_TAG, me->rank->fault.code);
    OK(me, cor_coll_force(me->rank, COR_REDUCE, "", NULL));
    me->rank->fault = (cor_fault){0};
}

/* A communicator may go right after a call that was posted. */
void case_post_freed(coll_rank *me, cor_comm *comm)
{
    for (int i = 0; i < TIMES; i++) {
        int rank = cor_comm_rank(comm), data = rank == 0 ? i + 7 : -1;
        coll_leased leased = {0};
        cor_comm *own = NULL;
        OK(me, cor_comm_dup(comm, &own));
        renewed(me, own, &leased);
        cor_call call = coll_call_bcast(own, &data, sizeof data, 0);
        if (rank == 0)
            EXPECT(me, 1, coll_post(&leased, own, COR_BCAST, &data, sizeof data));
        else
            OK(me, cor_coll_run(&call));
        EXPECT(me, i + 7, data);
        cor_comm_unref(own);
    }
}
