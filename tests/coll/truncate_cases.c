/*
 * Ranks that do not agree on how long the data are, with nobody comparing beforehand: whoever sees it says so, and
 * nobody waits for ever. Every algorithm is tried, since each sees it elsewhere. More about those in shared memory in
 * board_cases.c.
 */
#include "coll_cases.h"

#include "coll/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_BYTES = 400, SHORT_BYTES = 200 };

/* What everybody's call came to: who saw it says so, at least one, and nobody anything else. */
static void truncate_judge(coll_rank *me, cor_comm *comm, int rc)
{
    int in = rc != COR_OK, seen = 0;
    if (rc != COR_OK && rc != COR_ERR_TRUNCATE)
        FAIL(me, "expected success or COR_ERR_TRUNCATE, got %d: %s", rc, cor_rank_fault(me->rank)->text);
    if (rc != COR_OK)
        EXPECT(me, COR_ERR_TRUNCATE, cor_rank_fault(me->rank)->code);
    cor_call call = coll_call_sum(comm, &in, &seen, 1);
    OK(me, cor_coll_run(&call));
    EXPECT(me, 1, seen > 0);
    coll_turn(me);
}

/* Is the algorithm usable on this communicator, blocking or in the background? */
static int truncate_is_usable(coll_rank *me, cor_comm *comm, const cor_algorithm *algorithm, int is_blocking)
{
    cor_situation situation;
    OK(me, cor_situation_of(comm, 1, is_blocking, &situation));
    return cor_unmet_needs(algorithm, &situation) == 0;
}

/* With every algorithm, blocking and not, then by the rules. `make` describes the call of this rank. */
static void truncate_everywhere(coll_rank *me, cor_comm *comm, cor_primitive primitive,
                                cor_call (*make)(cor_comm *comm, char *in, char *out))
{
    size_t bytes = (size_t)LONG_BYTES * (size_t)cor_comm_size(comm);
    char *in = coll_alloc(me, bytes), *out = coll_alloc(me, bytes);
    for (size_t i = 0; i <= cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = i < cor_algorithm_count ? cor_algorithms[i] : NULL;
        cor_request *request = NULL;
        if (algorithm && (algorithm->primitive != primitive || !truncate_is_usable(me, comm, algorithm, 1)))
            continue;
        snprintf(me->doing, sizeof me->doing, "truncated %s by %s", cor_primitive_name(primitive),
                 algorithm ? algorithm->name : "the rules");
        OK(me, cor_coll_force(me->rank, primitive, algorithm ? algorithm->name : "", NULL));
        cor_call call = make(comm, in, out);
        truncate_judge(me, comm, cor_coll_run(&call));
        if (algorithm && !truncate_is_usable(me, comm, algorithm, 0))
            continue;
        OK(me, cor_coll_start(&call, &request));
        truncate_judge(me, comm, cor_wait(me->rank, &request, NULL));
    }
    OK(me, cor_coll_force(me->rank, primitive, "", NULL));
    free(in);
    free(out);
}

/* The root, in the middle, has more than the others. */
static int truncate_root(cor_comm *comm)
{
    return cor_comm_size(comm) / 2;
}

static size_t truncate_bytes(cor_comm *comm, int root_has_more)
{
    return (cor_comm_rank(comm) == truncate_root(comm)) == root_has_more ? LONG_BYTES : SHORT_BYTES;
}

static cor_call make_bcast(cor_comm *comm, char *in, char *out)
{
    (void)in;
    return coll_call_bcast(comm, out, truncate_bytes(comm, 1), truncate_root(comm));
}

static cor_call make_gather(cor_comm *comm, char *in, char *out)
{
    return coll_call_gather(comm, in, out, truncate_bytes(comm, 0), truncate_root(comm));
}

static cor_call make_scatter(cor_comm *comm, char *in, char *out)
{
    return coll_call_scatter(comm, in, out, truncate_bytes(comm, 1), truncate_root(comm));
}

static cor_call make_allgather(cor_comm *comm, char *in, char *out)
{
    return coll_call_allgather(comm, in, out, truncate_bytes(comm, 1));
}

static cor_call make_alltoall(cor_comm *comm, char *in, char *out)
{
    return coll_call_alltoall(comm, in, out, truncate_bytes(comm, 1));
}

void case_truncate_bcast(coll_rank *me, cor_comm *comm)
{
    truncate_everywhere(me, comm, COR_BCAST, make_bcast);
}

void case_truncate_gather(coll_rank *me, cor_comm *comm)
{
    truncate_everywhere(me, comm, COR_GATHER, make_gather);
}

void case_truncate_scatter(coll_rank *me, cor_comm *comm)
{
    truncate_everywhere(me, comm, COR_SCATTER, make_scatter);
}

void case_truncate_allgather(coll_rank *me, cor_comm *comm)
{
    truncate_everywhere(me, comm, COR_ALLGATHER, make_allgather);
}

void case_truncate_alltoall(coll_rank *me, cor_comm *comm)
{
    truncate_everywhere(me, comm, COR_ALLTOALL, make_alltoall);
}
