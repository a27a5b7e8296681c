/* SPDX-License-Identifier: Apache-2.0 */
/* The knob `check`, where as many bytes are passed, but of something else: who differs is told in words. */
#include "coll_cases.h"

#include "coll/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_FLOAT = 0x210, TYPE_UNSIGNED = 0x20d, TYPE_BYTE = 0x247, BLOCK_COUNT = 4, BLOCK_BYTES = 16 };

/* Memory for any call of one rank: a block for each rank on both sides, also in parts. */
typedef struct type_room {
    cor_comm *comm;
    int size, odd, is_odd;
    char *in, *out;
    cor_payload *in_parts, *out_parts;
    size_t *starts;
} type_room;

static void type_room_init(type_room *room, cor_comm *comm)
{
    size_t size = (size_t)cor_comm_size(comm);
    *room = (type_room){.comm = comm,
                        .size = (int)size,
                        .odd = (int)size - 1,
                        .is_odd = cor_comm_rank(comm) == (int)size - 1,
                        .in = coll_alloc(size * BLOCK_BYTES),
                        .out = coll_alloc(size * BLOCK_BYTES),
                        .in_parts = coll_alloc(size * sizeof *room->in_parts),
                        .out_parts = coll_alloc(size * sizeof *room->out_parts),
                        .starts = coll_alloc((size + 1) * sizeof *room->starts)};
    for (size_t i = 0; i < size; i++) {
        room->in_parts[i] = cor_payload_plain(room->in + i * BLOCK_BYTES, BLOCK_BYTES);
        room->out_parts[i] = cor_payload_plain(room->out + i * BLOCK_BYTES, BLOCK_BYTES);
        room->starts[i + 1] = (i + 1) * BLOCK_BYTES;
    }
}

static void type_room_fini(type_room *room)
{
    free(room->in);
    free(room->out);
    free(room->in_parts);
    free(room->out_parts);
    free(room->starts);
}

/* What this rank calls, with root 0; the odd one has these types for what it sends and gets, the others ints. */
static cor_call type_call(const type_room *room, cor_primitive primitive, uint32_t sent, uint32_t received)
{
    int is_root = cor_comm_rank(room->comm) == 0;
    cor_stream in = coll_plain(room->in, BLOCK_BYTES), out = coll_plain(room->out, BLOCK_BYTES), none = {.bytes = 0};
    cor_stream ins = coll_plain_blocks(room->in, BLOCK_BYTES, room->size);
    cor_stream outs = coll_plain_blocks(room->out, BLOCK_BYTES, room->size);
    cor_stream in_parts = {.parts = room->in_parts, .starts = room->starts};
    cor_stream out_parts = {.parts = room->out_parts, .starts = room->starts};
    const struct {
        cor_primitive primitive;
        cor_stream send, recv;
    } rows[] = {
        {COR_BCAST, none, out},
        {COR_GATHER, in, is_root ? outs : none},
        {COR_SCATTER, is_root ? ins : none, out},
        {COR_ALLGATHER, in, outs},
        {COR_ALLTOALL, ins, outs},
        {COR_ALLGATHERV, in, out_parts},
        {COR_GATHERV, in, is_root ? out_parts : none},
        {COR_SCATTERV, is_root ? in_parts : none, out},
        {COR_ALLTOALLV, in_parts, out_parts},
    };
    cor_call call = {.primitive = primitive, .comm = room->comm};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].primitive == primitive) {
            call.send = rows[i].send;
            call.recv = rows[i].recv;
        }
    if (call.send.bytes || call.send.parts)
        call.send.type = cor_dtype_predefined(room->is_odd ? sent : COLL_INT);
    if (call.recv.bytes || call.recv.parts)
        call.recv.type = cor_dtype_predefined(room->is_odd ? received : COLL_INT);
    return call;
}

/* Blocking, non-blocking and persistent. */
static int type_run(coll_rank *me, const cor_call *call, cor_check_form form)
{
    cor_request *request = NULL;
    if (form == COR_CHECK_BLOCKING)
        return cor_coll_run(call);
    if (form == COR_CHECK_STARTED) {
        CHECK_OK(cor_coll_start(call, &request));
        return cor_wait(me->rank, &request, NULL);
    }
    CHECK_OK(cor_coll_init(call, &request));
    CHECK_OK(cor_start(request));
    int rc = cor_wait(me->rank, &request, NULL);
    cor_request_free(&request);
    return rc;
}

static void type_expect(coll_rank *me, const cor_call *call, const char *sentence)
{
    for (int form = COR_CHECK_BLOCKING; form <= COR_CHECK_PERSISTENT; form++) {
        char preface[64], whole[300];
        cor_check_preface((uint32_t)call->primitive, (cor_check_form)form, preface);
        snprintf(whole, sizeof whole, "%s%s", preface, sentence);
        coll_expect_refused(me, call->comm, type_run(me, call, (cor_check_form)form), whole);
    }
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

/* What all ranks must pass alike. */
void case_check_signatures(coll_rank *me, cor_comm *comm)
{
    static const cor_primitive primitives[] = {COR_BCAST,     COR_GATHER,   COR_SCATTER,
                                               COR_ALLGATHER, COR_ALLTOALL, COR_ALLGATHERV};
    type_room room;
    type_room_init(&room, comm);
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        int count = primitives[i] == COR_ALLGATHERV ? BLOCK_COUNT * room.size : BLOCK_COUNT;
        char sentence[200];
        snprintf(sentence, sizeof sentence, "rank %d passes %d of MPI_FLOAT, rank 0 passes %d of MPI_INT", room.odd,
                 count, count);
        cor_call call = type_call(&room, primitives[i], TYPE_FLOAT, TYPE_FLOAT);
        type_expect(me, &call, sentence);
    }
    type_room_fini(&room);
}

/* What only the two ends of a transfer can compare, or a rank with itself. */
void case_check_ends(coll_rank *me, cor_comm *comm)
{
    char own[200], sent[200], expected[200];
    type_room room;
    type_room_init(&room, comm);
    snprintf(own, sizeof own, "rank %d sends 4 of MPI_FLOAT where 4 of MPI_INT are expected from it", room.odd);
    snprintf(sent, sizeof sent, "rank %d sends 4 of MPI_FLOAT to rank 0, which expects 4 of MPI_INT", room.odd);
    snprintf(expected, sizeof expected, "rank 0 sends 4 of MPI_INT to rank %d, which expects 4 of MPI_FLOAT",
             room.odd);
    const struct {
        cor_primitive primitive;
        uint32_t sent, received;
        const char *sentence;
    } rows[] = {
        {COR_ALLGATHER, TYPE_FLOAT, COLL_INT, own},      {COR_ALLTOALL, TYPE_FLOAT, COLL_INT, own},
        {COR_ALLGATHERV, TYPE_FLOAT, COLL_INT, own},     {COR_GATHERV, TYPE_FLOAT, COLL_INT, sent},
        {COR_SCATTERV, COLL_INT, TYPE_FLOAT, expected},  {COR_ALLTOALLV, TYPE_FLOAT, COLL_INT, sent},
        {COR_ALLTOALLV, COLL_INT, TYPE_FLOAT, expected},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_call call = type_call(&room, rows[i].primitive, rows[i].sent, rows[i].received);
        type_expect(me, &call, rows[i].sentence);
    }
    type_room_fini(&room);
}

/* Bytes fit everything, and so does what is not known; integers of one size are alike. */
void case_check_fitting(coll_rank *me, cor_comm *comm)
{
    static const cor_primitive primitives[] = {COR_BCAST,      COR_GATHER,  COR_SCATTER,  COR_ALLGATHER, COR_ALLTOALL,
                                               COR_ALLGATHERV, COR_GATHERV, COR_SCATTERV, COR_ALLTOALLV};
    static const uint32_t others[] = {TYPE_BYTE, TYPE_UNSIGNED, 0};
    type_room room;
    type_room_init(&room, comm);
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            for (int form = COR_CHECK_BLOCKING; form <= COR_CHECK_PERSISTENT; form++) {
                cor_call call = type_call(&room, primitives[i], others[j], others[(j + 1) % 3]);
                CHECK_OK(type_run(me, &call, (cor_check_form)form));
                coll_turn(me);
            }
    type_room_fini(&room);
}
