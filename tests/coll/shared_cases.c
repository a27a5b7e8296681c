/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in shared memory, beside calls by message and when ranks are late, lost or about to free the communicator. Many
 * of them, between calls of all sorts, are in board_test.c. */
#define _GNU_SOURCE
#include "coll_cases.h"

#include "coll/choose/choose.h"
#include "mp/create/comm.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LATE_US = 20000, TIMES = 5 };

/* What a caller has written in place goes to the others, whether the call works in shared memory or by message. */
void case_shared_in_place(coll_rank *me, cor_comm *comm)
{
    static const char *const ways[] = {"board", "mst", ""};
    int size = cor_comm_size(comm), rank = cor_comm_rank(comm);
    size_t bytes = 0;
    void *memory = NULL;
    CHECK_OK(cor_barrier(comm));
    const cor_zcopy *zcopy = cor_coll_zcopy(comm, &memory, &bytes);
    if (!zcopy)
        CHECK_FAIL("there is no shared memory");
    CHECK(cor_zcopy_place(zcopy, zcopy->bytes + 1) == NULL);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int out = -1;
        CHECK_OK(cor_coll_force(me->rank, COR_ALLREDUCE, ways[i], NULL));
        int *in = cor_zcopy_place(zcopy, sizeof *in);
        if (!in)
            CHECK_FAIL("there is no place before call %zu", i);
        CHECK((char *)in >= (char *)memory && (char *)(in + 1) <= (char *)memory + bytes);
        *in = rank + 1;
        cor_call call = coll_call_sum(comm, in, &out, 1);
        CHECK_OK(cor_coll_run(&call));
        CHECK_EQUAL(size * (size + 1) / 2, out);
    }
}

/* A file that is there until a rank is done, as a message would wake it. Rank 0 makes it; all know its name. */
static void late_file(cor_comm *comm, char name[64])
{
    cor_call call = coll_call_bcast(comm, name, 64, 0);
    snprintf(name, 64, "/tmp/coll_late.XXXXXX");
    if (cor_comm_rank(comm) == 0) {
        int fd = mkstemp(name);
        CHECK(fd >= 0);
        close(fd);
    }
    CHECK_OK(cor_coll_run(&call));
}

/* A rank that has gone to sleep is woken by the call it waits for, and does not sleep until the next one: there is none
 * before it has gone on. On a busy machine it may not sleep yet when the others come, which is well, too. */
void case_shared_late(coll_rank *me, cor_comm *comm)
{
    (void)me;
    char name[64];
    late_file(comm, name);
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm), in = rank + 1, out = -1;
    cor_call call = coll_call_reduce(COR_REDUCE, comm, &in, &out, 1, COLL_SUM, 0);
    CHECK_OK(cor_barrier(comm));
    if (rank != 0) {
        usleep(LATE_US);
        CHECK_OK(cor_coll_run(&call));
        CHECK_UNTIL(access(name, F_OK) != 0, check_nap());
        return;
    }
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(size * (size + 1) / 2, out);
    CHECK_OK(unlink(name));
}

/* Calls in shared memory have numbers like all others: those that go by message between them meet. */
void case_shared_messages(coll_rank *me, cor_comm *comm)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    CHECK_OK(cor_coll_force(me->rank, COR_ALLREDUCE, "mst", NULL));
    for (int i = 0; i < TIMES; i++) {
        int data = rank == 0 ? i + 7 : -1, out = -1;
        cor_call bcast = coll_call_bcast(comm, &data, sizeof data, 0), sum = coll_call_sum(comm, &data, &out, 1);
        CHECK_OK(cor_barrier(comm));
        CHECK_OK(cor_coll_run(&bcast));
        CHECK_OK(cor_coll_run(&sum));
        CHECK_EQUAL(size * (i + 7), out);
    }
    CHECK_OK(cor_coll_force(me->rank, COR_ALLREDUCE, "", NULL));
}

/* A rank notices, between two calls, that a rank of another communicator is lost: it still says that it is done with
 * the calls before. */
void case_shared_strangers(coll_rank *me, cor_comm *comm)
{
    (void)me;
    enum { LONG_BYTES = 100000 };
    size_t size = (size_t)cor_comm_size(comm);
    char *in = coll_alloc(size * LONG_BYTES), *out = coll_alloc(size * LONG_BYTES);
    int rank = cor_comm_rank(comm);
    uint32_t lost_count = comm->device->losses.count;
    CHECK_OK(cor_barrier(comm));
    for (int i = 0; i < TIMES; i++) {
        int data = rank == 0 ? i : -1;
        cor_call all = coll_call_alltoall(comm, in, out, LONG_BYTES);
        cor_call bcast = coll_call_bcast(comm, &data, sizeof data, 0);
        CHECK_OK(cor_coll_run(&all));
        CHECK_OK(cor_coll_run(&bcast));
        if (rank == i % 2)
            comm->device->losses.count++;
        CHECK_OK(cor_coll_run(&all));
        CHECK_EQUAL(i, data);
    }
    comm->device->losses.count = lost_count;
    free(in);
    free(out);
}

/* A communicator may go right after a call in which this rank only writes. */
void case_shared_freed(coll_rank *me, cor_comm *comm)
{
    (void)me;
    for (int i = 0; i < TIMES; i++) {
        int data = cor_comm_rank(comm) == 0 ? i + 7 : -1;
        cor_comm *own = NULL;
        CHECK_OK(cor_comm_dup(comm, &own));
        CHECK_OK(cor_barrier(own));
        cor_call call = coll_call_bcast(own, &data, sizeof data, 0);
        CHECK_OK(cor_coll_run(&call));
        CHECK_EQUAL(i + 7, data);
        cor_comm_unref(own);
    }
}
