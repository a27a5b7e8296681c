/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks end while other threads of theirs wait (xxdev/closing.h): every call that waits returns COR_ERR_FINALIZED, so
 * does every call that comes late, and nothing that they use has gone, which AddressSanitizer sees.
 *
 * A round is a job of threads. Each rank has a few more threads, which wait in a call of some kind, or ask again and
 * again, while the rank's own thread ends the rank: each kind in each way to wait, then random ones. CORUNNA_TEST_SEED
 * and CORUNNA_TEST_COUNT: only so many random ones.
 */
#include "check.h"

#include "coll/coll.h"
#include "mp/create/comm.h"
#include "mp/mp.h"
#include "pmi/boot.h"
#include "unit_random.h"
#include "xxdev/xxdev.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANKS_MAX = 3, THREADS_MAX = 4, BYTES = 1 << 20, LATE_CALLS = 20 };

/* A thread beside that of its rank. */
typedef struct beside {
    cor_rank *rank;
    cor_comm *comm;
    int kind, size, me;
    char *memory;                      /* BYTES */
    cor_request *persistent, *started; /* to be used late */
    _Atomic int calls;
    pthread_t thread;
} beside;

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static cor_payload beside_long(const beside *b)
{
    return cor_payload_plain(b->memory, BYTES);
}

static int call_recv(beside *b)
{
    cor_payload payload = beside_long(b);
    cor_status status;
    return cor_recv(b->comm, &payload, COR_ANY_SOURCE, COR_ANY_TAG, &status);
}

static int call_probe(beside *b)
{
    return cor_probe(b->comm, COR_ANY_SOURCE, COR_ANY_TAG, NULL);
}

static int call_mprobe(beside *b)
{
    cor_message *message;
    return cor_mprobe(b->comm, 0, 5, &message, NULL);
}

static int call_iprobe(beside *b)
{
    int flag;
    return cor_iprobe(b->comm, COR_ANY_SOURCE, COR_ANY_TAG, &flag, NULL);
}

/* Too long to leave before the other side has a receive; or to itself. */
static int call_ssend(beside *b)
{
    cor_payload payload = beside_long(b);
    return cor_send(b->comm, &payload, (b->me + 1) % b->size, 3, COR_SYNCHRONOUS);
}

static int call_sendrecv(beside *b)
{
    cor_payload nothing = cor_payload_plain(NULL, 0), payload = beside_long(b);
    return cor_sendrecv(b->comm, &nothing, COR_PROC_NULL, 0, &payload, 0, 7, NULL);
}

static int call_wait(beside *b)
{
    cor_payload payload = beside_long(b);
    cor_request *request;
    int rc = cor_irecv(b->comm, &payload, COR_ANY_SOURCE, 9, &request);
    return rc == COR_OK ? cor_wait(b->rank, &request, NULL) : rc;
}

/* In one go, or by asking. */
static int call_several(beside *b, int how)
{
    cor_payload payload[2] = {beside_long(b), cor_payload_plain(b->memory, 0)};
    cor_request *requests[2];
    cor_status statuses[2];
    int index, indices[2], flag;
    int rc = cor_irecv(b->comm, &payload[0], COR_ANY_SOURCE, 11, &requests[0]);
    if (rc == COR_OK)
        rc = cor_irecv(b->comm, &payload[1], 0, 12, &requests[1]);
    if (rc != COR_OK)
        return rc;
    switch (how) {
    case 0:
        return cor_waitall(b->rank, 2, requests, statuses);
    case 1:
        return cor_waitany(b->rank, 2, requests, &index, statuses);
    case 2:
        return cor_waitsome(b->rank, 2, requests, &index, indices, statuses);
    case 3:
        while ((rc = cor_testall(b->rank, 2, requests, &flag, statuses)) == COR_OK)
            ;
        return rc;
    case 4:
        while ((rc = cor_testany(b->rank, 2, requests, &index, &flag, statuses)) == COR_OK)
            ;
        return rc;
    default:
        while ((rc = cor_testsome(b->rank, 2, requests, &index, indices, statuses)) == COR_OK)
            ;
        return rc;
    }
}

static int call_waitall(beside *b)
{
    return call_several(b, 0);
}

static int call_waitany(beside *b)
{
    return call_several(b, 1);
}

static int call_waitsome(beside *b)
{
    return call_several(b, 2);
}

static int call_testall(beside *b)
{
    return call_several(b, 3);
}

static int call_testany(beside *b)
{
    return call_several(b, 4);
}

static int call_testsome(beside *b)
{
    return call_several(b, 5);
}

static int call_test(beside *b)
{
    cor_payload payload = beside_long(b);
    cor_request *request;
    int flag, rc = cor_irecv(b->comm, &payload, 0, 13, &request);
    while (rc == COR_OK)
        rc = cor_test(b->rank, &request, &flag, NULL);
    return rc;
}

/* The others do not come. */
static int call_barrier(beside *b)
{
    return cor_barrier(b->comm);
}

static int call_dup(beside *b)
{
    cor_comm *dup;
    return cor_comm_dup(b->comm, &dup);
}

static int call_split(beside *b)
{
    cor_comm *part;
    return cor_comm_split(b->comm, 0, 0, &part);
}

static const struct beside_kind {
    const char *name;
    int (*call)(beside *b);
    int needs_others; /* alone it does not wait */
} kinds[] = {
    {"recv", call_recv, 0},         {"probe", call_probe, 0},       {"mprobe", call_mprobe, 0},
    {"iprobe", call_iprobe, 0},     {"ssend", call_ssend, 0},       {"sendrecv", call_sendrecv, 0},
    {"wait", call_wait, 0},         {"waitall", call_waitall, 0},   {"waitany", call_waitany, 0},
    {"waitsome", call_waitsome, 0}, {"test", call_test, 0},         {"testall", call_testall, 0},
    {"testany", call_testany, 0},   {"testsome", call_testsome, 0}, {"barrier", call_barrier, 1},
    {"dup", call_dup, 1},           {"split", call_split, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, FIRST_COLLECTIVE = KINDS - 3 };

static void *beside_main(void *argument)
{
    beside *b = argument;
    int rc;
    /* What succeeds, like a probe, is called again; the lock is not fair to others that want it as often. */
    do {
        if (atomic_fetch_add(&b->calls, 1) > 0)
            sched_yield();
        rc = kinds[b->kind].call(b);
        if (rc != COR_OK && rc != COR_ERR_FINALIZED)
            CHECK_FAIL("%s returned %d, %s", kinds[b->kind].name, rc, cor_error_text(rc));
    } while (rc == COR_OK);
    for (int i = 0; i < LATE_CALLS; i++)
        CHECK_EQUAL(COR_ERR_FINALIZED, kinds[b->kind].call(b));
    CHECK_EQUAL(COR_ERR_FINALIZED, cor_start(b->persistent));
    CHECK_EQUAL(COR_ERR_FINALIZED, cor_wait(b->rank, &b->started, NULL));
    cor_cancel(b->started);
    cor_request_free(&b->started);
    cor_request_free(&b->persistent);
    CHECK_EQUAL(b->size, cor_comm_size(b->comm));
    return NULL;
}

/* ---- a job ------------------------------------------------------------------------------------------------------ */

typedef struct job_rank {
    cor_team *team;
    int number, size, threads;
    const char *const *overrides;
    int kinds[THREADS_MAX];
    int pause_us;
    beside beside[THREADS_MAX];
    pthread_t thread;
} job_rank;

static void job_start(job_rank *me, cor_rank *rank)
{
    for (int i = 0; i < me->threads; i++) {
        beside *b = &me->beside[i];
        *b = (beside){.rank = rank, .kind = me->kinds[i], .size = me->size, .me = me->number};
        b->memory = calloc(1, BYTES);
        CHECK(b->memory != NULL);
        CHECK_OK(cor_comm_dup(cor_rank_world(rank), &b->comm));
        cor_payload nothing = cor_payload_plain(b->memory, 0);
        CHECK_OK(cor_recv_init(b->comm, &nothing, 0, 15, &b->persistent));
        CHECK_OK(cor_irecv(b->comm, &nothing, 0, 16, &b->started));
    }
    CHECK_OK(cor_barrier(cor_rank_world(rank)));
    for (int i = 0; i < me->threads; i++)
        CHECK_EQUAL(0, pthread_create(&me->beside[i].thread, NULL, beside_main, &me->beside[i]));
    for (int i = 0; i < me->threads; i++)
        CHECK_UNTIL(atomic_load(&me->beside[i].calls) > 0, sched_yield());
}

static void *job_main(void *argument)
{
    job_rank *me = argument;
    cor_fault fault = {0};
    cor_rank *rank;
    cor_rank_options options = {.team = me->team,
                                .team_rank = me->number,
                                .is_threaded = 1,
                                .overrides = me->overrides,
                                .prepare = cor_coll_open};
    if (cor_rank_open(&options, &rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    job_start(me, rank);
    struct timespec pause = {0, me->pause_us * 1000L};
    nanosleep(&pause, NULL); /* for variety alone */
    if (cor_coll_close(rank, &fault) != COR_OK || cor_rank_finalize(rank, &fault) != COR_OK)
        CHECK_FAIL("the end: %s", fault.text);
    for (int i = 0; i < me->threads; i++) {
        pthread_join(me->beside[i].thread, NULL);
        free(me->beside[i].memory);
    }
    cor_rank_destroy(rank);
    return NULL;
}

static void job_run(job_rank *all, int size, const char *const *overrides)
{
    cor_team *team;
    cor_fault fault = {0};
    if (cor_team_create(size, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    for (int i = 0; i < size; i++) {
        all[i].team = team;
        all[i].number = i;
        all[i].size = size;
        all[i].overrides = overrides;
        CHECK_EQUAL(0, pthread_create(&all[i].thread, NULL, job_main, &all[i]));
    }
    for (int i = 0; i < size; i++)
        pthread_join(all[i].thread, NULL);
    cor_team_destroy(team);
}

static const char *const spins[] = {NULL}, *const sleeps[] = {"wait.spin_us=0", "wait.yields=0", NULL},
                         *const yields[] = {"wait.spin_us=0", NULL},
                         *const tcp[] = {"dev=tcpdev", "wait.spin_us=0", "wait.yields=0", NULL},
                         *const tcp_spins[] = {"dev=tcpdev", NULL};
static const char *const *const ways[] = {spins, sleeps, yields, tcp, tcp_spins};
enum { WAYS = sizeof ways / sizeof *ways };

/* Each kind in each way; of a collective call the second rank keeps out. */
static void job_each(void)
{
    for (int way = 0; way < WAYS; way++)
        for (int kind = 0; kind < KINDS; kind++) {
            job_rank all[2] = {{.threads = 1, .kinds = {kind}}, {.threads = 1}};
            all[1].kinds[0] = kinds[kind].needs_others ? 0 : kind;
            job_run(all, 2, ways[way]);
        }
}

/* The threads of one number are in the same collective call, if any, and the last rank keeps out: it cannot succeed. */
static void job_random(uint64_t seed)
{
    uint64_t state = seed;
    int size = 1 + (int)(unit_random(&state) % RANKS_MAX), threads = 1 + (int)(unit_random(&state) % THREADS_MAX);
    int together[THREADS_MAX];
    job_rank all[RANKS_MAX] = {0};
    for (int i = 0; i < threads; i++)
        together[i] = FIRST_COLLECTIVE + (int)(unit_random(&state) % (KINDS - FIRST_COLLECTIVE));
    for (int rank = 0; rank < size; rank++) {
        all[rank].threads = threads;
        all[rank].pause_us = (int)(unit_random(&state) % 3000);
        for (int i = 0; i < threads; i++) {
            int kind = (int)(unit_random(&state) % KINDS);
            if (kind >= FIRST_COLLECTIVE)
                kind = rank == size - 1 ? 0 : together[i];
            all[rank].kinds[i] = kind;
        }
    }
    job_run(all, size, ways[unit_random(&state) % WAYS]);
}

static void tell_seed(FILE *to, const void *context)
{
    fprintf(to, "  again: CORUNNA_TEST_SEED=%llu CORUNNA_TEST_COUNT=1\n",
            (unsigned long long)*(const uint64_t *)context);
}

int main(void)
{
    const char *count_text = getenv("CORUNNA_TEST_COUNT");
    int count = count_text ? atoi(count_text) : 40;
    uint64_t now = unit_seed();
    check_me = (check_who){tell_seed, &now};
    if (!count_text)
        job_each();
    for (int i = 0; i < count; i++, now++)
        job_random(now);
    check_me = (check_who){0};
    return 0;
}
