/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_perform.h"

#include "coll_area.h"
#include "coll_reference.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

static int is_one_of(cor_primitive primitive, cor_primitive a, cor_primitive b, cor_primitive c)
{
    return primitive == a || primitive == b || primitive == c;
}

static int is_reduce_scatter(cor_primitive primitive)
{
    return is_one_of(primitive, COR_REDUCE_SCATTER, COR_REDUCE_SCATTER_BLOCK, COR_REDUCE_SCATTER);
}

static int is_scatter(cor_primitive primitive)
{
    return is_one_of(primitive, COR_SCATTER, COR_SCATTERV, COR_SCATTER);
}

/* Which of the two buffers comes in parts? */
static int has_send_parts(cor_primitive primitive)
{
    return is_one_of(primitive, COR_SCATTERV, COR_ALLTOALLV, COR_ALLTOALLW) ||
           is_one_of(primitive, COR_NEIGHBOR_ALLTOALLV, COR_NEIGHBOR_ALLTOALLW, COR_SCATTERV);
}

static int has_recv_parts(cor_primitive primitive)
{
    return is_one_of(primitive, COR_GATHERV, COR_ALLTOALLV, COR_ALLTOALLW) ||
           is_one_of(primitive, COR_NEIGHBOR_ALLTOALLV, COR_NEIGHBOR_ALLTOALLW, COR_NEIGHBOR_ALLGATHERV) ||
           primitive == COR_ALLGATHERV;
}

/* The datatype of a block: in mixed cases of any kind with the same bytes, in w forms another for each block. */
static const cor_dtype *block_type(const coll_place *p, int is_recv, size_t block)
{
    cor_primitive primitive = p->c->series->primitive;
    coll_kind kind = p->c->kind;
    if (kind == KIND_MIXED) {
        size_t number = primitive == COR_ALLTOALLW || primitive == COR_NEIGHBOR_ALLTOALLW ? block : 0;
        uint64_t mixed = coll_mix2(coll_mix2(p->c->key, (uint64_t)p->me->number * 2 + (uint64_t)is_recv), number);
        kind = (coll_kind)(mixed % KIND_MIXED);
    }
    return p->me->kinds.types[kind];
}

static coll_block make_block(const coll_place *p, int is_recv, size_t number, size_t units)
{
    const cor_dtype *type = block_type(p, is_recv, number);
    return (coll_block){.type = type, .count = units * p->unit_bytes / type->size};
}

static void make_send(const coll_place *p, coll_area *area)
{
    cor_primitive primitive = p->c->series->primitive;
    size_t count = p->is_in_place && !is_scatter(primitive) ? 0 : coll_send_blocks(p);
    coll_block *blocks = coll_alloc(count * sizeof *blocks);
    for (size_t i = 0; i < count; i++)
        blocks[i] = make_block(p, 0, i, coll_send_units(p, i));
    coll_area_init(area, p->me, blocks, count, has_send_parts(primitive), p->c->key >> 7);
    free(blocks);
}

static void make_recv(const coll_place *p, coll_area *area)
{
    cor_primitive primitive = p->c->series->primitive;
    size_t count = p->is_in_place && is_scatter(primitive) ? 0 : coll_recv_blocks(p);
    coll_block *blocks = coll_alloc(count * sizeof *blocks);
    for (size_t i = 0; i < count; i++)
        blocks[i] = make_block(p, 1, i, coll_recv_units(p, i));
    if (p->is_in_place && is_reduce_scatter(primitive)) {
        /* The whole input is there, one stream, and the result comes at its beginning. */
        size_t units = 0;
        for (size_t i = 0; i < coll_send_blocks(p); i++)
            units += coll_send_units(p, i);
        blocks[0] = make_block(p, 1, 0, units);
    }
    coll_area_init(area, p->me, blocks, count, has_recv_parts(primitive), p->c->key >> 13);
    free(blocks);
}

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* What the call finds in the receive buffer. */
static void put_in_place(const coll_place *p, coll_area *recv)
{
    cor_primitive primitive = p->c->series->primitive;
    size_t unit = p->unit_bytes;
    if (is_one_of(primitive, COR_GATHER, COR_GATHERV, COR_ALLGATHER) || primitive == COR_ALLGATHERV) {
        coll_send_content(p, 0, recv->scratch);
        coll_area_put(recv, (size_t)p->rank, recv->scratch, coll_send_units(p, 0) * unit);
    } else if (is_one_of(primitive, COR_ALLTOALL, COR_ALLTOALLV, COR_ALLTOALLW)) {
        for (size_t i = 0; i < recv->block_count; i++) {
            coll_send_content(p, i, recv->scratch);
            coll_area_put(recv, i, recv->scratch, coll_send_units(p, i) * unit);
        }
    } else if (is_reduce_scatter(primitive)) {
        size_t at = 0;
        for (size_t i = 0; i < coll_send_blocks(p); i++) {
            coll_send_content(p, i, recv->scratch + at);
            at += coll_send_units(p, i) * unit;
        }
        coll_area_put(recv, 0, recv->scratch, at);
    } else {
        coll_send_content(p, 0, recv->scratch);
        coll_area_put(recv, 0, recv->scratch, coll_send_units(p, 0) * unit);
    }
}

static void prepare(const coll_place *p, coll_area *send, coll_area *recv)
{
    cor_primitive primitive = p->c->series->primitive;
    coll_area_poison(send);
    coll_area_poison(recv);
    for (size_t i = 0; i < send->block_count; i++) {
        coll_send_content(p, i, send->scratch);
        coll_area_put(send, i, send->scratch, coll_send_units(p, i) * p->unit_bytes);
    }
    if (p->is_in_place && !is_scatter(primitive))
        put_in_place(p, recv);
    if (primitive == COR_BCAST && p->is_root) {
        coll_recv_content(p, 0, recv->scratch);
        coll_area_put(recv, 0, recv->scratch, coll_recv_units(p, 0) * p->unit_bytes);
    }
}

static void compare(const coll_place *p, coll_area *send, coll_area *recv)
{
    for (size_t i = 0; i < recv->block_count; i++)
        if (coll_recv_content(p, i, recv->scratch))
            coll_area_expect(recv, i, recv->scratch, coll_recv_units(p, i) * p->unit_bytes);
    coll_area_check(recv, "receive");
    coll_area_check(send, "send");
}

/* ---- the call --------------------------------------------------------------------------------------------------- */

static void make_call(const coll_place *p, const coll_area *send, const coll_area *recv, cor_call *call)
{
    cor_primitive primitive = p->c->series->primitive;
    size_t send_block = send->block_count ? coll_block_bytes(send, 0) : 0;
    size_t recv_block = recv->block_count ? coll_recv_units(p, 0) * p->unit_bytes : 0;
    *call = (cor_call){.primitive = primitive,
                       .comm = p->comm,
                       .root = coll_place_root(p),
                       .is_in_place = p->is_in_place,
                       .send = coll_area_stream(send, send_block),
                       .recv = coll_area_stream(recv, recv_block)};
    if (coll_is_reduction(primitive))
        CHECK_OK(cor_reducer_init(&call->reducer, p->me->kinds.ops[p->c->kind], p->me->kinds.types[p->c->kind], NULL));
}

/* Wait for a request in one of the ways there are. */
static void finish(coll_rank *me, cor_request **request, uint64_t way)
{
    int is_done = 0;
    if (way % 3 == 0) {
        CHECK_OK(cor_wait(me->rank, request, NULL));
    } else if (way % 3 == 1) {
        CHECK_OK(cor_waitall(me->rank, 1, request, NULL));
    } else {
        while (!is_done) {
            CHECK_OK(cor_test(me->rank, request, &is_done, NULL));
            if (!is_done)
                sched_yield();
        }
    }
}

static void run_blocking(coll_place *p, coll_area *send, coll_area *recv, const cor_call *call)
{
    prepare(p, send, recv);
    CHECK_OK(cor_coll_run(call));
    compare(p, send, recv);
}

/* One rank starts only after all others have: starting must not wait for anybody. Only in some cases. */
static void meet_late(const coll_place *p, int has_started)
{
    enum { LATE_TAG = 77 };
    coll_rank *me = p->me;
    int late = (int)((p->c->key >> 31) % (2 * (uint64_t)me->size)), word = 0;
    cor_payload payload = cor_payload_plain(&word, sizeof word);
    if (late < me->size && me->number != late && has_started)
        CHECK_OK(cor_send(me->world, &payload, late, LATE_TAG, COR_STANDARD));
    for (int other = 0; other < me->size && me->number == late && !has_started; other++)
        if (other != late)
            CHECK_OK(cor_recv(me->world, &payload, other, LATE_TAG, NULL));
}

static void run_started(coll_place *p, coll_area *send, coll_area *recv, cor_call *call)
{
    cor_request *request = NULL;
    prepare(p, send, recv);
    meet_late(p, 0);
    CHECK_OK(cor_coll_start(call, &request));
    meet_late(p, 1);
    coll_area_forget(send);
    coll_area_forget(recv);
    memset(call, 0xee, sizeof *call);
    finish(p->me, &request, p->c->key >> 23);
    CHECK(request == NULL);
    compare(p, send, recv);
}

static void run_persistent(coll_place *p, coll_area *send, coll_area *recv, cor_call *call)
{
    cor_request *request = NULL;
    CHECK_OK(cor_coll_init(call, &request));
    coll_area_forget(send);
    coll_area_forget(recv);
    memset(call, 0xee, sizeof *call);
    for (p->round = 0; p->round < 2; p->round++) {
        prepare(p, send, recv);
        CHECK_OK(cor_start(request));
        finish(p->me, &request, p->c->key >> (23 + p->round));
        compare(p, send, recv);
    }
    cor_request_free(&request);
}

/* reduce_scatter tells its blocks beside the stream, also in place, where there is none. */
static size_t *make_starts(const coll_place *p)
{
    size_t count = coll_send_blocks(p), *starts = coll_alloc((count + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[i + 1] = starts[i] + coll_send_units(p, i) * p->unit_bytes;
    return starts;
}

/* A call of a case: its buffers and its arguments. */
typedef struct performance {
    coll_place place;
    coll_area send, recv;
    cor_call call;
    size_t *starts;
} performance;

static void performance_init(performance *p, coll_rank *me, const coll_comms *comms, const coll_case *c)
{
    *p = (performance){.starts = NULL};
    coll_place_init(&p->place, c, me, comms->of[c->where]);
    make_send(&p->place, &p->send);
    make_recv(&p->place, &p->recv);
    make_call(&p->place, &p->send, &p->recv, &p->call);
    if (c->series->primitive == COR_REDUCE_SCATTER)
        p->call.send.starts = p->starts = make_starts(&p->place);
}

static void performance_fini(performance *p, coll_rank *me)
{
    coll_area_fini(&p->send);
    coll_area_fini(&p->recv);
    free(p->starts);
    coll_turn(me);
}

void coll_perform(coll_rank *me, const coll_comms *comms, const coll_case *c)
{
    performance p;
    performance_init(&p, me, comms, c);
    if (c->series->mode == MODE_BLOCKING)
        run_blocking(&p.place, &p.send, &p.recv, &p.call);
    else if (c->series->mode == MODE_STARTED)
        run_started(&p.place, &p.send, &p.recv, &p.call);
    else
        run_persistent(&p.place, &p.send, &p.recv, &p.call);
    performance_fini(&p, me);
}

void coll_perform_refused(coll_rank *me, const coll_comms *comms, const coll_case *c)
{
    performance p;
    cor_request *request = NULL;
    performance_init(&p, me, comms, c);
    prepare(&p.place, &p.send, &p.recv);
    int rc = c->series->mode == MODE_BLOCKING  ? cor_coll_run(&p.call)
             : c->series->mode == MODE_STARTED ? cor_coll_start(&p.call, &request)
                                               : cor_coll_init(&p.call, &request);
    CHECK_EQUAL(COR_ERR_KNOB, rc);
    CHECK_EQUAL(COR_ERR_KNOB, cor_rank_fault(me->rank)->code);
    if (!strstr(cor_rank_fault(me->rank)->text, c->series->algorithm->name))
        CHECK_FAIL("'%s' does not name the algorithm", cor_rank_fault(me->rank)->text);
    coll_area_check(&p.recv, "receive");
    coll_area_check(&p.send, "send");
    performance_fini(&p, me);
}
