/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several operations that fail at once: each is told its own sentence, in whatever order and manner they are
 * completed, also when nobody asks for it any more.
 */
#include "coll_cases.h"

#include "coll/choose/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { APART = 2 };

/* Two operations of which one is wrong in one way, one in another, and what is to be heard of them. */
typedef struct apart {
    coll_rank *me;
    cor_comm *comm;
    int code; /* COR_OK: this rank does not see it */
    cor_call calls[APART];
    cor_request *requests[APART];
    char sentences[APART][120];
} apart;

/* Both are done, so that both have failed, and nothing is told yet. */
static void apart_settle(apart *a)
{
    for (int i = 0; i < APART; i++)
        for (int is_done = 0; !is_done;)
            CHECK_OK(cor_request_get_status(a->me->rank, a->requests[i], &is_done, NULL));
}

static void apart_start(apart *a)
{
    for (int i = 0; i < APART; i++)
        CHECK_OK(cor_coll_start(&a->calls[i], &a->requests[i]));
    apart_settle(a);
}

static void apart_expect(apart *a, int i, int code, const cor_fault *fault)
{
    CHECK_EQUAL(a->code, code);
    if (code == COR_OK)
        return;
    CHECK(fault != NULL);
    CHECK_EQUAL(code, fault->code);
    if (!strstr(fault->text, a->sentences[i]))
        CHECK_FAIL("expected '%s', got '%s'", a->sentences[i], fault->text);
}

static void apart_wait(apart *a, int i)
{
    cor_status status;
    int code = cor_wait(a->me->rank, &a->requests[i], &status);
    CHECK_EQUAL(code, status.error);
    apart_expect(a, i, code, cor_rank_fault(a->me->rank));
}

/* ---- the ways to complete them ---------------------------------------------------------------------------------- */

static void apart_one_by_one(apart *a)
{
    for (int first = 0; first < APART; first++) {
        apart_start(a);
        apart_wait(a, first);
        apart_wait(a, 1 - first);
    }
}

static void apart_any(apart *a)
{
    int index, flag = 0;
    apart_start(a);
    int code = cor_waitany(a->me->rank, APART, a->requests, &index, NULL);
    apart_expect(a, index, code, cor_rank_fault(a->me->rank));
    code = cor_testany(a->me->rank, APART, a->requests, &index, &flag, NULL);
    CHECK_EQUAL(1, flag);
    apart_expect(a, index, code, cor_rank_fault(a->me->rank));
}

static void apart_together(apart *a)
{
    cor_status statuses[APART];
    int indices[APART], done;
    apart_start(a);
    CHECK_OK(cor_waitall(a->me->rank, APART, a->requests, statuses));
    for (int i = 0; i < APART; i++) {
        apart_expect(a, i, statuses[i].error, statuses[i].fault);
        free(statuses[i].fault);
    }
    apart_start(a);
    CHECK_OK(cor_waitsome(a->me->rank, APART, a->requests, &done, indices, statuses));
    CHECK_EQUAL(APART, done);
    for (int i = 0; i < done; i++) {
        apart_expect(a, indices[i], statuses[i].error, statuses[i].fault);
        free(statuses[i].fault);
    }
    /* Without statuses the first is told. */
    apart_start(a);
    apart_expect(a, 0, cor_waitall(a->me->rank, APART, a->requests, NULL), cor_rank_fault(a->me->rank));
}

static void apart_persistent(apart *a)
{
    for (int i = 0; i < APART; i++)
        CHECK_OK(cor_coll_init(&a->calls[i], &a->requests[i]));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < APART; i++)
            CHECK_OK(cor_start(a->requests[i]));
        apart_settle(a);
        apart_wait(a, round % 2);
        apart_wait(a, 1 - round % 2);
    }
    for (int i = 0; i < APART; i++)
        cor_request_free(&a->requests[i]);
}

static void apart_forgotten(apart *a)
{
    apart_start(a);
    for (int i = 0; i < APART; i++)
        cor_request_free(&a->requests[i]);
    /* And while they are under way, which they are no more when later ones are done. */
    for (int i = 0; i < APART; i++)
        CHECK_OK(cor_coll_start(&a->calls[i], &a->requests[i]));
    for (int i = 0; i < APART; i++)
        cor_request_free(&a->requests[i]);
    apart_one_by_one(a);
}

static void apart_try(apart *a)
{
    apart_one_by_one(a);
    coll_turn(a->me);
    apart_any(a);
    apart_together(a);
    coll_turn(a->me);
    apart_forgotten(a);
    coll_still_works(a->comm);
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

void case_check_apart(coll_rank *me, cor_comm *comm)
{
    int data[2] = {0}, in = 1, out = 0, odd = cor_comm_size(comm) - 1, is_odd = cor_comm_rank(comm) == odd;
    apart a = {.me = me, .comm = comm, .code = COR_ERR_ARG};
    a.calls[0] = coll_call_bcast(comm, data, is_odd ? 8 : 4, 0);
    a.calls[1] = coll_call_reduce(COR_ALLREDUCE, comm, &in, &out, 1, is_odd ? COLL_MAX : COLL_SUM, 0);
    snprintf(a.sentences[0], sizeof a.sentences[0], ": rank %d passes 8 bytes, rank 0 passes 4 bytes", odd);
    snprintf(a.sentences[1], sizeof a.sentences[1], ": rank %d passes MPI_MAX, rank 0 passes MPI_SUM", odd);
    apart_try(&a);
    apart_persistent(&a);
    apart_start(&a); /* and these are left for the rank's end */
}

/* Every receiver hears it from the root. */
void case_truncate_apart(coll_rank *me, cor_comm *comm)
{
    char data[APART][400] = {{0}};
    int is_root = cor_comm_rank(comm) == 0;
    apart a = {.me = me, .comm = comm, .code = is_root ? COR_OK : COR_ERR_TRUNCATE};
    a.calls[0] = coll_call_bcast(comm, data[0], is_root ? 28 : 20, 0);
    a.calls[1] = coll_call_bcast(comm, data[1], is_root ? 280 : 200, 0);
    snprintf(a.sentences[0], sizeof a.sentences[0], "sent 28 bytes where this rank expects 20:");
    snprintf(a.sentences[1], sizeof a.sentences[1], "sent 280 bytes where this rank expects 200:");
    CHECK_OK(cor_coll_force(me->rank, COR_BCAST, "bft", NULL));
    apart_try(&a);
    apart_persistent(&a);
    CHECK_OK(cor_coll_force(me->rank, COR_BCAST, "", NULL));
}
