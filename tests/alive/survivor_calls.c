/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "survivor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SURVIVOR_WORDS = 100 };

/* ---- point to point --------------------------------------------------------------------------------------------- */

static int wait_recv(survivor *m)
{
    return MPI_Recv(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int wait_recv_any(survivor *m)
{
    return MPI_Recv(m->data, 8, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int wait_send(survivor *m)
{
    return MPI_Send(m->data, SURVIVOR_LONG, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
}

/* Short messages, until nothing more fits. */
static int wait_full(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = MPI_Send(m->data, 64, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
    return rc;
}

static int wait_ssend(survivor *m)
{
    return MPI_Ssend(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
}

static int wait_wait(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Irecv(m->data, SURVIVOR_LONG, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int wait_test(survivor *m)
{
    MPI_Request request;
    int done = 0, rc = MPI_Irecv(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, &request);
    while (rc == MPI_SUCCESS && !done)
        rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return rc;
}

static int wait_probe(survivor *m)
{
    MPI_Status status;
    return MPI_Probe(m->victim, 1, MPI_COMM_WORLD, &status);
}

static int wait_probe_any(survivor *m)
{
    MPI_Status status;
    (void)m;
    return MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
}

/* Partitioned messages: nothing came, it is asked for part by part, and nothing goes. */
static int wait_parts(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Precv_init(m->data, 4, 16, MPI_BYTE, m->victim, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Start(&request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int wait_parts_asked(survivor *m)
{
    MPI_Request request;
    int flag = 0, rc = MPI_Precv_init(m->data, 4, SURVIVOR_LONG / 4, MPI_BYTE, m->victim, 3, MPI_COMM_WORLD,
                                      MPI_INFO_NULL, &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Start(&request);
    while (rc == MPI_SUCCESS && !flag)
        rc = MPI_Parrived(request, 3, &flag);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

/* The first part came. */
static void say_part(survivor *m)
{
    for (int peer = 0; peer < m->victim; peer++) {
        MPI_Request request;
        MPI_Psend_init(m->data, 4, SURVIVOR_LONG / 4, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
    }
}

static int wait_parts_sent(survivor *m)
{
    MPI_Request request;
    int rc =
        MPI_Psend_init(m->data, 4, SURVIVOR_LONG / 4, MPI_BYTE, m->victim, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Start(&request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Pready_range(0, 3, request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

/* What the victim has sent before its end can be received after it; the next receive cannot be answered. */
static int wait_words(survivor *m)
{
    survivor_await_death(m);
    for (int i = 0; i < SURVIVOR_WORDS; i++) {
        int word = -1, rc = MPI_Recv(&word, 1, MPI_INT, m->victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS || word != i) {
            fprintf(stderr, "survivor: rank %d: word %d of the dead rank: %d, code %d\n", m->rank, i, word, rc);
            exit(4);
        }
    }
    return wait_recv(m);
}

static void say_words(survivor *m)
{
    for (int peer = 0; peer < m->victim; peer++)
        for (int i = 0; i < SURVIVOR_WORDS; i++)
            MPI_Send(&i, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
}

/* A long message that the victim has only announced, and a synchronous one: receives of them end, though the victim is
 * known to be dead before they begin, and survivors can still send each other long messages. The synchronous one may be
 * there. */
static int wait_announced(survivor *m)
{
    int next = (m->rank + 1) % m->victim, before = (m->rank + m->victim - 1) % m->victim;
    int rc = MPI_Recv(m->data, 8, MPI_BYTE, m->victim, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && wait_recv(m) == MPI_SUCCESS)
        return MPI_SUCCESS;
    MPI_Recv(m->data, 8, MPI_BYTE, m->victim, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rc = MPI_Recv(m->data, SURVIVOR_LONG, MPI_BYTE, m->victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int others = MPI_Sendrecv(m->data, SURVIVOR_LONG, MPI_BYTE, next, 5, m->more, SURVIVOR_LONG, MPI_BYTE, before, 5,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return others == MPI_SUCCESS ? rc : MPI_SUCCESS;
}

/* The last one to each follows the announcements. */
static void say_announced(survivor *m)
{
    for (int peer = 0; peer < m->victim; peer++) {
        MPI_Request requests[2];
        MPI_Isend(m->data, SURVIVOR_LONG, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Issend(m->data, 8, MPI_BYTE, peer, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(m->data, 8, MPI_BYTE, peer, 4, MPI_COMM_WORLD);
    }
}

/* Ranks 0 and 1 are in the midst of a long message when the other rank dies: the receive from any source has met it,
 * and cannot be given back. If it fails, nothing may write to its memory afterwards. */
static int wait_any_met(survivor *m)
{
    MPI_Request request;
    if (m->victim < 2 || m->rank > 1)
        return wait_recv(m);
    /* The way for such messages is open then: the next one is announced at once. */
    MPI_Sendrecv(m->data, SURVIVOR_LONG, MPI_BYTE, !m->rank, 4, m->more, SURVIVOR_LONG, MPI_BYTE, !m->rank, 4,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (m->rank == 0) {
        MPI_Isend(m->more, SURVIVOR_LONG, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
        survivor_await_death(m);
        survivor_await(m, "failed", 1, 400, 0); /* it need not fail */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        survivor_say(m, "sent");
        return wait_recv(m);
    }
    MPI_Irecv(m->data, SURVIVOR_LONG, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    int rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS)
        return wait_recv(m);
    memset(m->data, 'x', SURVIVOR_LONG);
    survivor_say(m, "failed");
    survivor_await(m, "sent", 0, 1000, 1);
    survivor_await(m, "nothing", 0, 100, 1); /* what was sent may come now */
    for (int i = 0; i < SURVIVOR_LONG; i++)
        if (m->data[i] != 'x') {
            fprintf(stderr, "survivor: rank %d: byte %d was written after the receive had failed\n", m->rank, i);
            exit(4);
        }
    return rc;
}

/* ---- collectives ------------------------------------------------------------------------------------------------ */

static int wait_barrier(survivor *m)
{
    (void)m;
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int wait_bcast(survivor *m)
{
    return MPI_Bcast(m->data, 8, MPI_BYTE, m->victim, MPI_COMM_WORLD);
}

static int wait_bcast_long(survivor *m)
{
    int rc = MPI_Bcast(m->data, SURVIVOR_LONG, MPI_BYTE, 0, MPI_COMM_WORLD);
    /* A rank that only reads may have all it needs without the dead one. */
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_allreduce(survivor *m)
{
    return MPI_Allreduce(m->data, m->more, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int wait_allreduce_long(survivor *m)
{
    return MPI_Allreduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int wait_reduce_long(survivor *m)
{
    int rc = MPI_Reduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_gather_long(survivor *m)
{
    int rc = MPI_Gather(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, 0, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_scatter_long(survivor *m)
{
    return MPI_Scatter(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, m->victim, MPI_COMM_WORLD);
}

static int wait_allgather_long(survivor *m)
{
    return MPI_Allgather(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, MPI_COMM_WORLD);
}

static int wait_alltoall_long(survivor *m)
{
    return MPI_Alltoall(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, MPI_COMM_WORLD);
}

/* All but one come late. That one ends without them, and its memory is gone when they ask for what it had to send. */
static int wait_late(survivor *m)
{
    size_t bytes = (size_t)m->size * SURVIVOR_LONG;
    char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (data == MAP_FAILED)
        return MPI_SUCCESS;
    if (m->rank > 0) {
        survivor_await_death(m);
        survivor_await(m, "late", 0, 900, 0); /* it may need the others */
    }
    int rc = MPI_Alltoall(data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, MPI_COMM_WORLD);
    munmap(data, bytes);
    survivor_say(m, "late");
    return rc;
}

static int wait_scan_long(survivor *m)
{
    int rc = MPI_Scan(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_ibarrier(survivor *m)
{
    MPI_Request request;
    (void)m;
    int rc = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int wait_iallreduce(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Iallreduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

/* By a tree (see main of survivor.c): inner ranks first receive the lengths of the blocks. */
static int igatherv(survivor *m, int root)
{
    MPI_Request request;
    int *counts = calloc((size_t)m->size * 2, sizeof *counts), *places = counts + m->size;
    for (int i = 0; i < m->size; i++) {
        counts[i] = SURVIVOR_LONG / (i + 1);
        places[i] = i * SURVIVOR_LONG;
    }
    int rc = MPI_Igatherv(m->data, counts[m->rank], MPI_BYTE, m->more, counts, places, MPI_BYTE, root, MPI_COMM_WORLD,
                          &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(counts);
    return rc;
}

static int wait_igatherv(survivor *m)
{
    int rc = igatherv(m, 0);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

/* A persistent one, started again after it has failed. */
static int wait_persistent(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Allreduce_init(m->data, m->more, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        rc = MPI_Start(&request);
        if (rc == MPI_SUCCESS)
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS)
            return rc;
    }
    MPI_Request_free(&request);
    return rc;
}

static int wait_dup(survivor *m)
{
    MPI_Comm copy;
    (void)m;
    return MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static int wait_split(survivor *m)
{
    MPI_Comm part;
    return MPI_Comm_split(MPI_COMM_WORLD, m->rank % 2, 0, &part);
}

/* The library's own end: it may say what it has found, and ends the rank. */
static int wait_finalize(survivor *m)
{
    (void)m;
    MPI_Finalize();
    exit(5);
}

/* ---- one of many, until one dies in the midst ------------------------------------------------------------------- */

static int turn_bcast_long(survivor *m)
{
    return MPI_Bcast(m->data, SURVIVOR_LONG, MPI_BYTE, m->turn % m->size, MPI_COMM_WORLD);
}

static int turn_scatter_long(survivor *m)
{
    return MPI_Scatter(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, m->turn % m->size,
                       MPI_COMM_WORLD);
}

static int turn_igatherv(survivor *m)
{
    return igatherv(m, m->turn % m->size);
}

/* A long one with the one that dies, both ways at once. It takes the others in turn. */
static int turn_sendrecv(survivor *m)
{
    int peer = m->rank == m->victim ? m->turn % m->victim : m->victim;
    return MPI_Sendrecv(m->data, SURVIVOR_LONG, MPI_BYTE, peer, 1, m->more, SURVIVOR_LONG, MPI_BYTE, peer, 1,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Long ones from the one that dies, received from any source. */
static int turn_recv_any_long(survivor *m)
{
    return m->rank == m->victim
               ? MPI_Send(m->data, SURVIVOR_LONG, MPI_BYTE, m->turn % m->victim, 1, MPI_COMM_WORLD)
               : MPI_Recv(m->more, SURVIVOR_LONG, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void survivor_prepare(survivor *m)
{
    (void)m;
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

const survivor_case survivor_cases[] = {
    {"recv", wait_recv, NULL, 0},
    {"recv_any", wait_recv_any, NULL, 0},
    {"any_met", wait_any_met, NULL, 0},
    {"send", wait_send, NULL, 0},
    {"full", wait_full, NULL, 0},
    {"ssend", wait_ssend, NULL, 0},
    {"wait", wait_wait, NULL, 0},
    {"test", wait_test, NULL, 0},
    {"probe", wait_probe, NULL, 0},
    {"probe_any", wait_probe_any, NULL, 0},
    {"parts", wait_parts, NULL, 0},
    {"parts_asked", wait_parts_asked, NULL, 0},
    {"parts_met", wait_parts_asked, say_part, 0},
    {"parts_sent", wait_parts_sent, NULL, 0},
    {"words", wait_words, say_words, 0},
    {"announced", wait_announced, say_announced, 0},
    {"barrier", wait_barrier, NULL, 0},
    {"bcast", wait_bcast, NULL, 0},
    {"bcast_long", wait_bcast_long, NULL, 0},
    {"allreduce", wait_allreduce, NULL, 0},
    {"allreduce_long", wait_allreduce_long, NULL, 0},
    {"reduce_long", wait_reduce_long, NULL, 0},
    {"gather_long", wait_gather_long, NULL, 0},
    {"scatter_long", wait_scatter_long, NULL, 0},
    {"allgather_long", wait_allgather_long, NULL, 0},
    {"alltoall_long", wait_alltoall_long, NULL, 0},
    {"late", wait_late, NULL, 0},
    {"scan_long", wait_scan_long, NULL, 0},
    {"ibarrier", wait_ibarrier, NULL, 0},
    {"iallreduce", wait_iallreduce, NULL, 0},
    {"igatherv", wait_igatherv, NULL, 0},
    {"persistent", wait_persistent, NULL, 0},
    {"dup", wait_dup, NULL, 0},
    {"split", wait_split, NULL, 0},
    {"finalize", wait_finalize, NULL, 0},
    {"loop_allreduce", wait_allreduce, NULL, 1},
    {"loop_allreduce_long", wait_allreduce_long, NULL, 1},
    {"loop_bcast_long", turn_bcast_long, NULL, 1},
    {"loop_alltoall_long", wait_alltoall_long, NULL, 1},
    {"loop_scatter_long", turn_scatter_long, NULL, 1},
    {"loop_iallreduce", wait_iallreduce, NULL, 1},
    {"loop_igatherv", turn_igatherv, NULL, 1},
    {"loop_sendrecv", turn_sendrecv, NULL, 1},
    {"loop_recv_any_long", turn_recv_any_long, NULL, 1},
};

const int survivor_case_count = sizeof survivor_cases / sizeof *survivor_cases;
