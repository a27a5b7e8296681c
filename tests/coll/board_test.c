/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives in shared memory one after the other, with nothing in between that would keep the ranks in step: random
 * primitives, roots and lengths, on several communicators in turn, some of them freed right after their last call,
 * while each rank dawdles at other places. What is reused too early, or waited for in vain, shows here.
 *
 *   board_test --threads 4,8 [--extra 3]  ranks are threads; each has so many threads of its own, with communicators
 *                                         of their own
 *   corunna run -n 4 board_test           ranks are processes
 *   --board 1m                            coll.board; little unless said: then long data go in many rounds
 *   --cpus own                            as if every rank had a CPU of its own, however few there are
 *
 * CORUNNA_TEST_COUNT: calls. CORUNNA_TEST_SEED: as printed.
 */
#define _GNU_SOURCE
#include "coll_job.h"

#include "coll/board/board.h"
#include "mp/create/comm.h"
#include "rank_counts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMS = 3, EXTRA_MAX = 8, LONG_MAX = 300000, DAWDLE_SPINS = 20000, DAWDLE_US = 100 };

typedef struct board_run {
    int extra;
    int has_cpus; /* --cpus own */
    int ranks;    /* written by rank 0 */
    uint64_t calls;
} board_run;

/* One communicator, and which of several with the same name it is. */
typedef struct member {
    cor_comm *comm;
    uint64_t key;
    const cor_zcopy *zcopy; /* NULL: none yet */
    void *memory;           /* of zcopy */
    size_t memory_bytes;
} member;

typedef struct sequence {
    coll_rank *me;
    member members[COMMS];
    uint64_t random;    /* the same on all ranks */
    uint64_t my_random; /* this rank's own */
    uint64_t call;
    char *send, *recv, *expected;
    size_t room; /* in each of them */
} sequence;

static uint64_t next(uint64_t *state)
{
    return *state = coll_mix(*state);
}

/* ---- what is sent ----------------------------------------------------------------------------------------------- */

/* Block `to` of what a rank of the communicator sends in this call, as packed elements of a kind. */
static void contents(const sequence *s, const member *m, coll_kind kind, int from, int to, void *out, size_t bytes)
{
    uint64_t key = coll_mix2(coll_mix2(m->key, s->call), (uint64_t)from * 4096 + (uint64_t)to);
    coll_kind_fill(kind, key, 0, bytes / coll_kind_bytes(kind), out);
}

static size_t some_length(uint64_t *random, int is_short)
{
    static const size_t edges[] = {0, 8, 56, 64, 1024, 2048, 2056, 4096, 8192, 16384, 65536, 131072};
    uint64_t draw = next(random) % 100;
    size_t most = is_short ? 6 : 12;
    if (draw < 60)
        return edges[next(random) % most];
    if (draw < 95 || is_short)
        return next(random) % 4000 / 16 * 16;
    return next(random) % LONG_MAX / 16 * 16;
}

static void dawdle(sequence *s)
{
    uint64_t draw = next(&s->my_random) % 40;
    if (draw == 0)
        for (volatile int i = 0; i < DAWDLE_SPINS; i++)
            continue;
    else if (draw == 1)
        usleep(DAWDLE_US);
    else if (draw < 4)
        sched_yield();
}

/* ---- the primitives --------------------------------------------------------------------------------------------- */

static void expect_bytes(const sequence *s, const char *what, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (s->recv[i] != s->expected[i])
            CHECK_FAIL("call %llu, %s: byte %zu of %zu is %d instead of %d", (unsigned long long)s->call, what, i,
                       bytes, s->recv[i], s->expected[i]);
}

static cor_stream stream(const void *memory, size_t bytes, size_t block)
{
    return (cor_stream){.payload = cor_payload_plain(memory, bytes), .bytes = block};
}

/* ---- memory of the engine's own -------------------------------------------------------------------------------- */

/* What this rank sends, where the others read it, if that is possible now. */
static void write_in_place(sequence *s, member *m, cor_payload *sent)
{
    if (!m->zcopy)
        m->zcopy = cor_coll_zcopy(m->comm, &m->memory, &m->memory_bytes);
    if (!m->zcopy || sent->bytes == 0 || next(&s->my_random) % 4 == 0)
        return;
    char *place = cor_zcopy_place(m->zcopy, sent->bytes), *memory = m->memory;
    if (!place)
        return;
    if (place < memory || place + sent->bytes > memory + m->memory_bytes)
        CHECK_FAIL("call %llu: the place is outside of the memory", (unsigned long long)s->call);
    memcpy(place, sent->base, sent->bytes);
    sent->base = place;
}

/* Blocks that the call has left where they are. */
static void take(sequence *s, member *m, const char *in_place, int blocks, size_t bytes)
{
    const cor_zcopy *zcopy = cor_coll_zcopy(m->comm, &m->memory, &m->memory_bytes);
    for (int i = 0; i < blocks; i++)
        memcpy(s->recv + (size_t)i * bytes, in_place + (size_t)i * zcopy->distance, bytes);
}

static void run_moved(sequence *s, member *m, cor_primitive primitive, size_t bytes, int root)
{
    int size = cor_comm_size(m->comm), rank = cor_comm_rank(m->comm), has_result = 1;
    size_t all = bytes * (size_t)size, result = bytes;
    cor_call call = {.primitive = primitive, .comm = m->comm, .root = root};
    memset(s->recv, 0x5a, all < s->room ? all : s->room);
    contents(s, m, KIND_CHAR, rank, 0, s->send, bytes);
    switch (primitive) {
    case COR_BCAST:
        contents(s, m, KIND_CHAR, root, 0, s->expected, bytes);
        if (rank == root)
            memcpy(s->recv, s->expected, bytes);
        call.recv = stream(s->recv, bytes, bytes);
        break;
    case COR_GATHER:
    case COR_ALLGATHER:
        for (int i = 0; i < size; i++)
            contents(s, m, KIND_CHAR, i, 0, s->expected + (size_t)i * bytes, bytes);
        call.send = stream(s->send, bytes, bytes);
        has_result = primitive == COR_ALLGATHER || rank == root;
        if (has_result)
            call.recv = stream(s->recv, all, bytes);
        result = all;
        break;
    case COR_SCATTER:
        for (int i = 0; i < size && rank == root; i++)
            contents(s, m, KIND_CHAR, root, i, s->send + (size_t)i * bytes, bytes);
        contents(s, m, KIND_CHAR, root, rank, s->expected, bytes);
        if (rank == root)
            call.send = stream(s->send, all, bytes);
        call.recv = stream(s->recv, bytes, bytes);
        break;
    default:
        for (int i = 0; i < size; i++) {
            contents(s, m, KIND_CHAR, rank, i, s->send + (size_t)i * bytes, bytes);
            contents(s, m, KIND_CHAR, i, rank, s->expected + (size_t)i * bytes, bytes);
        }
        call.send = stream(s->send, all, bytes);
        call.recv = stream(s->recv, all, bytes);
        result = all;
        break;
    }
    const void *in_place = NULL;
    if (next(&s->my_random) % 2 == 0)
        call.zcopy_p = &in_place;
    if (primitive == COR_BCAST && rank == root)
        write_in_place(s, m, &call.recv.payload);
    else if (primitive != COR_BCAST)
        write_in_place(s, m, &call.send.payload);
    CHECK_OK(cor_coll_run(&call));
    if (in_place) {
        dawdle(s);
        take(s, m, in_place, primitive == COR_BCAST ? 1 : size, bytes);
    }
    if (has_result)
        expect_bytes(s, "moved", result);
}

/* Values of the ranks from first to last, combined. */
static void combined(sequence *s, const member *m, coll_kind kind, int first, int last, size_t bytes)
{
    char *values = coll_alloc(bytes);
    for (int i = first; i <= last; i++) {
        contents(s, m, kind, i, 0, i == first ? s->expected : values, bytes);
        if (i != first)
            coll_kind_combine(kind, s->expected, values, bytes / coll_kind_bytes(kind));
    }
    free(values);
}

/* Elements have gaps in memory: the payloads are those of the datatype. */
static void run_combined(sequence *s, member *m, cor_primitive primitive, coll_kind kind, size_t bytes, int root)
{
    int size = cor_comm_size(m->comm), rank = cor_comm_rank(m->comm);
    const cor_dtype *type = s->me->kinds.types[kind];
    bytes -= bytes % coll_kind_bytes(kind);
    size_t count = bytes / coll_kind_bytes(kind), room = count * (size_t)type->extent;
    char *send = coll_alloc(room), *recv = coll_alloc(room);
    cor_call call = {.primitive = primitive, .comm = m->comm, .root = root};
    CHECK_OK(cor_reducer_init(&call.reducer, s->me->kinds.ops[kind], type, NULL));
    call.is_in_place = next(&s->random) % 3 == 0 && (primitive != COR_REDUCE || rank == root);
    cor_stream out = {.payload = cor_dtype_payload(type, send, count), .bytes = bytes};
    call.recv = (cor_stream){.payload = cor_dtype_payload(type, recv, count), .bytes = bytes};
    contents(s, m, kind, rank, 0, s->send, bytes);
    if (call.is_in_place)
        cor_payload_write(&call.recv.payload, 0, s->send, bytes);
    else
        call.send = out;
    cor_payload_write(&out.payload, 0, s->send, bytes);
    CHECK_OK(cor_coll_run(&call));
    if (primitive != COR_REDUCE || rank == root) {
        int last = primitive == COR_SCAN ? rank : primitive == COR_EXSCAN ? rank - 1 : size - 1;
        if (last >= 0) {
            combined(s, m, kind, 0, last, bytes);
            cor_payload_read(&call.recv.payload, 0, s->recv, bytes);
            expect_bytes(s, "combined", bytes);
        }
    }
    free(send);
    free(recv);
}

/* ---- the sequence ----------------------------------------------------------------------------------------------- */

/* A new one in the place of the old, which goes while others may still be in its last call. */
static void renew(member *m)
{
    cor_comm *old = m->comm;
    CHECK_OK(cor_comm_dup(old, &m->comm));
    m->zcopy = NULL;
    cor_comm_unref(old);
}

static void run_one(sequence *s, member *m, cor_primitive primitive, coll_kind kind, size_t bytes, int root)
{
    s->call++;
    if (primitive == COR_BARRIER)
        CHECK_OK(cor_barrier(m->comm));
    else if (primitive < COR_REDUCE)
        run_moved(s, m, primitive, bytes, root);
    else
        run_combined(s, m, primitive, kind, bytes, root);
    dawdle(s);
}

static void one_call(sequence *s)
{
    static const cor_primitive primitives[] = {COR_BARRIER,  COR_BCAST,  COR_GATHER,    COR_SCATTER, COR_ALLGATHER,
                                               COR_ALLTOALL, COR_REDUCE, COR_ALLREDUCE, COR_SCAN,    COR_EXSCAN};
    static const coll_kind kinds[] = {KIND_INT_SUM, KIND_WORD_XOR, KIND_PAIR, KIND_AFFINE, KIND_MATRIX};
    member *m = &s->members[next(&s->random) % COMMS];
    uint64_t draw = next(&s->random);
    cor_primitive primitive = primitives[draw % (sizeof primitives / sizeof *primitives)];
    coll_kind kind = kinds[(draw >> 20) % (sizeof kinds / sizeof *kinds)];
    int has_blocks = primitive >= COR_GATHER && primitive <= COR_ALLTOALL;
    size_t bytes = some_length(&s->random, has_blocks && s->me->size > 4);
    int root = (int)(next(&s->random) % (uint64_t)cor_comm_size(m->comm));
    /* Now and then many of the same: where only the root is waited for, or waits, others can run far ahead. */
    int many = 3 * (bytes <= COR_BOARD_FLAG_LINE_BYTES ? COR_BOARD_ROWS
                    : bytes <= COR_BOARD_SLOT_BYTES    ? COR_BOARD_OVERSUBSCRIBED_SLOT_ROWS
                                                       : COR_BOARD_SLOT_ROWS);
    int times = next(&s->random) % 8 == 0 ? many : 1;
    while (times-- > 0)
        run_one(s, m, primitive, kind, bytes, root);
    if (next(&s->random) % 64 == 0)
        renew(m);
}

static void run_sequence(coll_rank *me, member *members, int number, uint64_t calls)
{
    size_t room = (size_t)me->size * (me->size > 4 ? 8192 : LONG_MAX) + LONG_MAX;
    sequence s = {
        .me = me,
        .random = coll_mix2(me->seed, (uint64_t)number),
        .my_random = coll_mix2(me->seed + 1, (uint64_t)(me->number * EXTRA_MAX + number)),
        .room = room,
        .send = coll_alloc(room),
        .recv = coll_alloc(room),
        .expected = coll_alloc(room),
    };
    memcpy(s.members, members, sizeof s.members);
    while (s.call < calls) {
        one_call(&s);
        coll_turn(me);
    }
    for (int i = 0; i < COMMS; i++)
        cor_comm_unref(s.members[i].comm);
    free(s.send);
    free(s.recv);
    free(s.expected);
}

/* ---- ranks and their threads ------------------------------------------------------------------------------------ */

typedef struct crew {
    coll_rank *me;
    uint64_t calls;
    member members[EXTRA_MAX][COMMS];
} crew;

static void crew_body(void *context, int number)
{
    crew *c = context;
    run_sequence(c->me, c->members[number], number, c->calls);
}

/* All ranks; the same in another order; every second one. Which halves differ in what they pass. */
static void make_members(coll_rank *me, member *members)
{
    CHECK_OK(cor_comm_dup(me->world, &members[0].comm));
    CHECK_OK(cor_comm_split(me->world, 0, me->size - me->number, &members[1].comm));
    CHECK_OK(cor_comm_split(me->world, me->number % 2, 0, &members[2].comm));
    for (int i = 0; i < COMMS; i++)
        members[i].key = (uint64_t)(i < 2 ? i : 2 + me->number % 2);
}

static void body(coll_rank *me)
{
    board_run *run = me->job->context;
    crew c = {.me = me, .calls = run->calls};
    int count = run->extra ? run->extra : 1;
    if (run->has_cpus)
        me->world->device->is_oversubscribed = 0;
    if (me->number == 0)
        run->ranks = me->size;
    snprintf(me->doing, sizeof me->doing, "random calls on %d communicators a thread", COMMS);
    snprintf(me->again, sizeof me->again, "CORUNNA_TEST_SEED=%llu CORUNNA_TEST_COUNT=%llu board_test",
             (unsigned long long)me->seed, (unsigned long long)run->calls);
    for (int i = 0; i < count; i++)
        make_members(me, c.members[i]);
    if (run->extra)
        coll_in_threads(run->extra, crew_body, &c);
    else
        crew_body(&c, 0);
}

int main(int argc, char **argv)
{
    char board[32] = "coll.board=64k";
    const char *overrides[] = {
        "coll.barrier=board",
        "coll.bcast=board",
        "coll.gather=board",
        "coll.scatter=board",
        "coll.allgather=board",
        "coll.alltoall=board",
        "coll.reduce=board",
        "coll.allreduce=board",
        "coll.scan=board",
        "coll.exscan=board",
        board,
        NULL,
    };
    board_run run = {.calls = coll_count(test_is_slow() ? 300 : 2000)};
    coll_job job = {.seed = coll_seed(), .overrides = overrides, .body = body, .context = &run};
    const char *counts = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            counts = argv[i + 1];
        else if (strcmp(argv[i], "--extra") == 0)
            run.extra = atoi(argv[i + 1]) < EXTRA_MAX ? atoi(argv[i + 1]) : EXTRA_MAX;
        else if (strcmp(argv[i], "--board") == 0)
            snprintf(board, sizeof board, "coll.board=%s", argv[i + 1]);
        else if (strcmp(argv[i], "--cpus") == 0)
            run.has_cpus = strcmp(argv[i + 1], "own") == 0;
    }
    job.is_threaded = run.extra > 0;
    do {
        job.threads = *counts ? rank_counts_next(&counts) : 0;
        coll_job_run(&job);
        if (run.ranks)
            printf("board: %llu calls on %d ranks; seed %llu\n", (unsigned long long)run.calls, run.ranks,
                   (unsigned long long)job.seed);
    } while (*counts);
    return 0;
}
