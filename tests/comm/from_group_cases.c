/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators from groups and a string, and the end of one that waits for what is under way. */
#include "comm_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int heard_code;
static _Thread_local MPI_Comm heard_comm;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard_comm = *comm;
    heard_code = *code;
}

/* This rank's half of the case's ranks. */
static MPI_Group half_of(const test *t)
{
    MPI_Group all, half;
    int every_other[1][3] = {{t->rank % 2, t->size - 1, 2}};
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_range_incl(all, 1, every_other, &half));
    CHECK_OK(MPI_Group_free(&all));
    return half;
}

void case_create_from_group_and_string(const test *t)
{
    MPI_Group half = half_of(t), others;
    MPI_Comm made;
    MPI_Errhandler handler, found;
    int rank, x = 0;
    CHECK_OK(MPI_Comm_create_errhandler(hear, &handler));
    CHECK_OK(MPI_Comm_create_from_group(half, "org.corunna.half", MPI_INFO_NULL, handler, &made));
    CHECK_OK(MPI_Comm_rank(made, &rank));
    CHECK_EQUAL(t->rank / 2, rank);
    test_ring(made);
    CHECK_OK(MPI_Comm_get_errhandler(made, &found));
    CHECK(found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_EQUAL(MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, 1000, 0, made));
    CHECK(heard_comm == made && heard_code == MPI_ERR_RANK);
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "", MPI_INFO_NULL, handler, &made));
    CHECK(made == MPI_COMM_NULL);
    /* The handler hears of what goes wrong with the call itself, too. */
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Comm_create_from_group(half, NULL, MPI_INFO_NULL, handler, &made));
    CHECK(heard_comm == MPI_COMM_NULL && heard_code == MPI_ERR_ARG);
    CHECK_OK(MPI_Comm_group(t->comm, &others));
    int me[1] = {t->rank};
    MPI_Group without;
    CHECK_OK(MPI_Group_excl(others, 1, me, &without));
    if (t->size > 1)
        CHECK_EQUAL(MPI_ERR_GROUP, MPI_Comm_create_from_group(without, "x", MPI_INFO_NULL, handler, &made));
    CHECK_OK(MPI_Group_free(&without));
    CHECK_OK(MPI_Group_free(&others));
    CHECK_OK(MPI_Group_free(&half));
    CHECK_OK(MPI_Errhandler_free(&handler));
}

enum { AT_ONCE = 3 };

typedef struct at_once {
    const test *t;
    MPI_Group all;
} at_once;

/* Every thread of a rank makes one, in whatever order; the string says which belongs to which. */
static void make_named(void *context, int number)
{
    const at_once *a = context;
    char name[32];
    MPI_Comm made;
    int members, sum = 0;
    snprintf(name, sizeof name, "thread %d", number);
    CHECK_OK(MPI_Comm_create_from_group(a->all, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
    CHECK_OK(MPI_Comm_size(made, &members));
    CHECK_OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK_EQUAL(members * number, sum);
    CHECK_OK(MPI_Comm_free(&made));
}

void case_create_from_groups_by_threads(const test *t)
{
    at_once a = {.t = t};
    CHECK_OK(MPI_Comm_group(t->comm, &a.all));
    test_in_threads(t, AT_ONCE, make_named, &a);
    CHECK_OK(MPI_Group_free(&a.all));
}

/* Neither side has completed its request when the communicator goes, and both are done when it is gone. */
void case_create_disconnect(const test *t)
{
    enum { LONG = 1 << 18 };
    MPI_Comm made;
    MPI_Request requests[2];
    int *out = malloc(LONG * sizeof *out), *in = calloc(LONG, sizeof *in), flag;
    int to = (t->rank + 1) % t->size, from = (t->rank + t->size - 1) % t->size;
    for (int i = 0; i < LONG; i++)
        out[i] = t->rank + i;
    CHECK_OK(MPI_Comm_dup(t->comm, &made));
    CHECK_OK(MPI_Irecv(in, LONG, MPI_INT, from, 4, made, &requests[0]));
    CHECK_OK(MPI_Isend(out, LONG, MPI_INT, to, 4, made, &requests[1]));
    CHECK_OK(MPI_Comm_disconnect(&made));
    CHECK(made == MPI_COMM_NULL);
    for (int i = 0; i < LONG; i += LONG / 16)
        CHECK_EQUAL(from + i, in[i]);
    CHECK_EQUAL(from + LONG - 1, in[LONG - 1]);
    CHECK_OK(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(1, flag);
    made = MPI_COMM_WORLD;
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Comm_disconnect(&made));
    free(out);
    free(in);
}
