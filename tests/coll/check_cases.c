/* SPDX-License-Identifier: Apache-2.0 */
/* The knob `check`: ranks that do not agree are told which one differs, all alike, and no rank waits for another. */
#include "coll_cases.h"

#include "mp/create/comm.h"
#include "mp/create/intercomm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void coll_expect_refused(coll_rank *me, cor_comm *comm, int rc, const char *sentence)
{
    CHECK_EQUAL(COR_ERR_ARG, rc);
    CHECK_EQUAL(COR_ERR_ARG, cor_rank_fault(me->rank)->code);
    if (strcmp(cor_rank_fault(me->rank)->text, sentence) != 0)
        CHECK_FAIL("expected '%s', got '%s'", sentence, cor_rank_fault(me->rank)->text);
    coll_still_works(comm);
    coll_turn(me);
}

/* The rank that differs: the last. */
static int is_odd_one(cor_comm *comm)
{
    return cor_comm_rank(comm) == cor_comm_size(comm) - 1;
}

static int odd_one(cor_comm *comm)
{
    return cor_comm_size(comm) - 1;
}

/* ---- nothing wrong ---------------------------------------------------------------------------------------------- */

/* Roots in place, ranks without a receive buffer, blocks of no length: none of it is a difference. */
void case_check_agreeing(coll_rank *me, cor_comm *comm)
{
    (void)me;
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    int *in = coll_alloc((size_t)size * 4 * sizeof *in), *out = coll_alloc((size_t)size * 4 * sizeof *out);
    for (int root = 0; root < size; root++) {
        cor_call call = coll_call_bcast(comm, out, 16, root);
        CHECK_OK(cor_coll_run(&call));
        call = coll_call_gather(comm, in, out, 12, root);
        CHECK_OK(cor_coll_run(&call));
        if (rank == root) {
            call.is_in_place = 1;
            call.send = (cor_stream){.bytes = 0};
        }
        CHECK_OK(cor_coll_run(&call));
        call = coll_call_scatter(comm, in, out, 0, root);
        CHECK_OK(cor_coll_run(&call));
        call = coll_call_reduce(COR_REDUCE, comm, in, out, 3, COLL_MAX, root);
        if (rank == root) {
            call.is_in_place = 1;
            call.send = (cor_stream){.bytes = 0};
        }
        CHECK_OK(cor_coll_run(&call));
    }
    cor_call call = coll_call_allgather(comm, in, out, 8);
    CHECK_OK(cor_coll_run(&call));
    call = coll_call_alltoall(comm, in, out, 8);
    CHECK_OK(cor_coll_run(&call));
    call = coll_call_reduce(COR_EXSCAN, comm, in, out, 3, COLL_SUM, 0);
    if (rank == 0)
        call.recv = (cor_stream){.bytes = 0};
    CHECK_OK(cor_coll_run(&call));
    free(in);
    free(out);
}

/* ---- differences ------------------------------------------------------------------------------------------------ */

void case_check_root(coll_rank *me, cor_comm *comm)
{
    int in[4] = {0}, odd = odd_one(comm), root = is_odd_one(comm) ? odd : 0;
    int *out = coll_alloc((size_t)(odd + 1) * sizeof in);
    char sentence[200];
    cor_call call = coll_call_bcast(comm, out, sizeof in, root);
    snprintf(sentence, sizeof sentence, "rank %d passes root %d, rank 0 passes root 0", odd, odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    call = coll_call_gather(comm, in, out, sizeof in, root);
    snprintf(sentence, sizeof sentence, "rank %d passes root %d, rank 0 passes root 0", odd, odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    call = coll_call_reduce(COR_REDUCE, comm, in, out, 4, COLL_SUM, root);
    snprintf(sentence, sizeof sentence, "rank %d passes root %d, rank 0 passes root 0", odd, odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    free(out);
}

void case_check_bytes(coll_rank *me, cor_comm *comm)
{
    int odd = odd_one(comm);
    size_t bytes = is_odd_one(comm) ? 12 : 20;
    int in[5] = {0};
    int *out = coll_alloc((size_t)(odd + 1) * sizeof in), *many_in = coll_alloc((size_t)(odd + 1) * sizeof in);
    char sentence[200];
    const cor_call calls[] = {
        coll_call_bcast(comm, out, bytes, 0),
        coll_call_allgather(comm, in, out, bytes),
        coll_call_gather(comm, in, out, bytes, 0),
        coll_call_scatter(comm, many_in, out, bytes, 0),
        coll_call_alltoall(comm, many_in, out, bytes),
        coll_call_sum(comm, in, out, bytes / sizeof(int)),
        coll_call_reduce(COR_SCAN, comm, in, out, bytes / sizeof(int), COLL_SUM, 0),
        coll_call_reduce(COR_REDUCE, comm, in, out, bytes / sizeof(int), COLL_SUM, 0),
    };
    snprintf(sentence, sizeof sentence, "rank %d passes 12 bytes, rank 0 passes 20 bytes", odd);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        coll_expect_refused(me, comm, cor_coll_run(&calls[i]), sentence);
    free(out);
    free(many_in);
}

void case_check_primitive(coll_rank *me, cor_comm *comm)
{
    int in = 1, out = 0, odd = odd_one(comm);
    char sentence[200];
    cor_call call = is_odd_one(comm) ? coll_call_barrier(comm) : coll_call_sum(comm, &in, &out, 1);
    snprintf(sentence, sizeof sentence, "rank %d calls MPI_Barrier, rank 0 calls MPI_Allreduce", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    call = is_odd_one(comm) ? coll_call_bcast(comm, &out, sizeof out, 0)
                            : coll_call_reduce(COR_EXSCAN, comm, &in, &out, 1, COLL_SUM, 0);
    snprintf(sentence, sizeof sentence, "rank %d calls MPI_Bcast, rank 0 calls MPI_Exscan", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
}

void case_check_operator(coll_rank *me, cor_comm *comm)
{
    int in = 1, out = 0, odd = odd_one(comm);
    char sentence[200];
    cor_call call = coll_call_reduce(COR_ALLREDUCE, comm, &in, &out, 1, is_odd_one(comm) ? COLL_MAX : COLL_SUM, 0);
    snprintf(sentence, sizeof sentence, "rank %d passes MPI_MAX, rank 0 passes MPI_SUM", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    /* The same call once more with the same operator everywhere: nothing is remembered. */
    call = coll_call_reduce(COR_ALLREDUCE, comm, &in, &out, 1, COLL_MAX, 0);
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(1, out);
}

/* As many bytes, but of something else; and one kind under two names, which is no difference. */
void case_check_elements(coll_rank *me, cor_comm *comm)
{
    enum { COLL_FLOAT = 0x210, COLL_DOUBLE = 0x214, COLL_INT32 = 0x250 }; /* of the MPI ABI */
    static const struct {
        uint32_t type;
        const char *name;
    } rows[] = {{COLL_FLOAT, "MPI_FLOAT"}, {COLL_DOUBLE, "MPI_DOUBLE"}};
    int in[2] = {1, 2}, out[2], odd = odd_one(comm);
    char sentence[200];
    cor_call call = coll_call_sum(comm, in, out, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is_odd_one(comm))
            CHECK_OK(cor_reducer_init(&call.reducer, cor_op_predefined(COLL_SUM), cor_dtype_predefined(rows[i].type),
                                      NULL));
        snprintf(sentence, sizeof sentence, "rank %d passes %s, rank 0 passes MPI_INT", odd, rows[i].name);
        coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    }
    if (is_odd_one(comm))
        CHECK_OK(cor_reducer_init(&call.reducer, cor_op_predefined(COLL_SUM), cor_dtype_predefined(COLL_INT32), NULL));
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(odd + 1, out[0]);
}

/* One operation in two forms: none waits for the other. */
void case_check_forms(coll_rank *me, cor_comm *comm)
{
    static const char *const names[] = {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"};
    int value = 0, odd = odd_one(comm);
    char sentence[200];
    cor_call call = coll_call_bcast(comm, &value, sizeof value, 0);
    for (int pair = 0; pair < 6; pair++) {
        int first = pair % 3, other = (first + 1 + pair / 3) % 3, form = is_odd_one(comm) ? other : first, rc;
        cor_request *request = NULL;
        if (form == 0) {
            rc = cor_coll_run(&call);
        } else {
            CHECK_OK(form == 1 ? cor_coll_start(&call, &request) : cor_coll_init(&call, &request));
            if (form == 2)
                CHECK_OK(cor_start(request));
            rc = cor_wait(me->rank, &request, NULL);
        }
        snprintf(sentence, sizeof sentence, "rank %d calls %s, rank 0 calls %s", odd, names[other], names[first]);
        coll_expect_refused(me, comm, rc, sentence);
        if (request)
            cor_request_free(&request);
    }
}

/* Blocks of different lengths that every rank must know. */
void case_check_blocks(coll_rank *me, cor_comm *comm)
{
    int size = cor_comm_size(comm), odd = odd_one(comm), rank = cor_comm_rank(comm);
    char sentence[200], *out = coll_alloc((size_t)size * 16), in[16] = {0};
    size_t *starts = coll_alloc(((size_t)size + 1) * sizeof *starts);
    cor_payload *parts = coll_alloc((size_t)size * sizeof *parts);
    for (int other_is_different = 0; other_is_different < 2; other_is_different++) {
        /* Rank i has i % 3 bytes; the odd one thinks that rank 0 has 5, or sends 7 itself. */
        for (int i = 0; i < size; i++) {
            size_t bytes = i == 0 && is_odd_one(comm) && other_is_different ? 5 : (size_t)i % 3;
            starts[i + 1] = starts[i] + bytes;
            parts[i] = cor_payload_plain(out + 16 * i, bytes);
        }
        cor_call call = {.primitive = COR_ALLGATHERV,
                         .comm = comm,
                         .send = coll_plain(in, is_odd_one(comm) && !other_is_different ? 7 : (size_t)rank % 3),
                         .recv = {.parts = parts, .starts = starts}};
        if (other_is_different)
            snprintf(sentence, sizeof sentence, "rank %d passes %d bytes, rank 0 passes %d bytes", odd,
                     (int)starts[size] + (is_odd_one(comm) ? 0 : 5), (int)starts[size] - (is_odd_one(comm) ? 5 : 0));
        else
            snprintf(sentence, sizeof sentence, "rank %d sends 7 bytes where %d are expected from it", odd, odd % 3);
        coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    }
    free(parts);
    free(starts);
    free(out);
}

/* Lengths that differ in such a way that their sum is the same, which no length of a message shows. */
static void check_shape(coll_rank *me, cor_comm *comm, cor_primitive primitive)
{
    enum { BLOCK_BYTES = 8, MORE_BYTES = 4 };
    int size = cor_comm_size(comm), odd = odd_one(comm), rank = cor_comm_rank(comm);
    size_t *starts = coll_alloc(((size_t)size + 1) * sizeof *starts), all = (size_t)size * BLOCK_BYTES;
    char sentence[200], *in = coll_alloc(all), *out = coll_alloc(all + MORE_BYTES);
    cor_payload *parts = coll_alloc((size_t)size * sizeof *parts);
    for (int i = 0; i <= size; i++)
        starts[i] = (size_t)i * BLOCK_BYTES + (is_odd_one(comm) && i > 0 && i < size ? MORE_BYTES : 0);
    for (int i = 0; i < size; i++)
        parts[i] = cor_payload_plain(out + starts[i], starts[i + 1] - starts[i]);
    size_t own_bytes = starts[rank + 1] - starts[rank];
    cor_call call = coll_call_reduce(primitive, comm, (const int *)(void *)in, NULL, 0, COLL_SUM, 0);
    if (primitive == COR_ALLGATHERV) {
        call = (cor_call){.primitive = primitive, .comm = comm, .send = coll_plain(in, own_bytes)};
        call.recv = (cor_stream){.parts = parts, .starts = starts};
    } else {
        call.send = (cor_stream){.payload = cor_payload_plain(in, all), .starts = starts};
        call.recv = coll_plain(out, own_bytes);
    }
    snprintf(sentence, sizeof sentence, "rank %d passes different block lengths than rank 0", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    cor_request *request = NULL;
    CHECK_OK(cor_coll_start(&call, &request));
    snprintf(sentence, sizeof sentence, "MPI_I%s: rank %d passes different block lengths than rank 0",
             primitive == COR_ALLGATHERV ? "allgatherv" : "reduce_scatter", odd);
    coll_expect_refused(me, comm, cor_wait(me->rank, &request, NULL), sentence);
    free(parts);
    free(out);
    free(in);
    free(starts);
}

void case_check_shapes(coll_rank *me, cor_comm *comm)
{
    check_shape(me, comm, COR_REDUCE_SCATTER);
    check_shape(me, comm, COR_ALLGATHERV);
}

/* What only the two ends of a transfer can compare. */
static void check_alltoallv(coll_rank *me, cor_comm *comm)
{
    int size = cor_comm_size(comm), odd = odd_one(comm);
    char sentence[200], *in = coll_alloc((size_t)size * 8), *out = coll_alloc((size_t)size * 8);
    size_t *send = coll_alloc(((size_t)size + 1) * sizeof *send);
    size_t *recv = coll_alloc(((size_t)size + 1) * sizeof *recv);
    cor_payload *send_parts = coll_alloc((size_t)size * sizeof *send_parts);
    cor_payload *recv_parts = coll_alloc((size_t)size * sizeof *recv_parts);
    for (int i = 0; i < size; i++) {
        size_t bytes = is_odd_one(comm) && i == 0 ? 3 : 8;
        send[i + 1] = send[i] + bytes;
        recv[i + 1] = recv[i] + 8;
        send_parts[i] = cor_payload_plain(in + 8 * i, bytes);
        recv_parts[i] = cor_payload_plain(out + 8 * i, 8);
    }
    cor_call call = {.primitive = COR_ALLTOALLV,
                     .comm = comm,
                     .send = {.parts = send_parts, .starts = send},
                     .recv = {.parts = recv_parts, .starts = recv}};
    snprintf(sentence, sizeof sentence, "rank %d sends 3 bytes to rank 0, which expects 8", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    free(send_parts);
    free(recv_parts);
    free(send);
    free(recv);
    free(in);
    free(out);
}

static void check_gatherv(coll_rank *me, cor_comm *comm)
{
    int size = cor_comm_size(comm), odd = odd_one(comm);
    char sentence[200], *all = coll_alloc((size_t)size * 8), mine[8] = {0};
    size_t *starts = coll_alloc(((size_t)size + 1) * sizeof *starts);
    cor_payload *parts = coll_alloc((size_t)size * sizeof *parts);
    for (int i = 0; i < size; i++) {
        starts[i + 1] = starts[i] + 4;
        parts[i] = cor_payload_plain(all + 8 * i, 4);
    }
    cor_stream blocks = {.parts = parts, .starts = starts};
    cor_stream own = coll_plain(mine, is_odd_one(comm) ? 6 : 4);
    cor_call call = {.primitive = COR_GATHERV, .comm = comm, .send = own};
    if (cor_comm_rank(comm) == 0)
        call.recv = blocks;
    snprintf(sentence, sizeof sentence, "rank %d sends 6 bytes to rank 0, which expects 4", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    call = (cor_call){.primitive = COR_SCATTERV, .comm = comm, .recv = own};
    if (cor_comm_rank(comm) == 0)
        call.send = blocks;
    snprintf(sentence, sizeof sentence, "rank 0 sends 4 bytes to rank %d, which expects 6", odd);
    coll_expect_refused(me, comm, cor_coll_run(&call), sentence);
    free(parts);
    free(starts);
    free(all);
}

void case_check_pairs(coll_rank *me, cor_comm *comm)
{
    check_alltoallv(me, comm);
    check_gatherv(me, comm);
}

/* ---- in the background ------------------------------------------------------------------------------------------ */

/* Starting does not wait for the comparison; what comes of it stands in the status. Others under way are not hurt. */
void case_check_started(coll_rank *me, cor_comm *comm)
{
    int in = 1, out = 0, result = 0, rank = cor_comm_rank(comm), size = cor_comm_size(comm), odd = odd_one(comm);
    cor_request *good = NULL, *bad = NULL;
    cor_status status;
    char sentence[200];
    cor_call right = coll_call_sum(comm, &in, &out, 1);
    cor_call wrong = coll_call_bcast(comm, &result, is_odd_one(comm) ? 2 : 4, 0);
    if (rank == 0)
        for (int other = 1; other < size; other++)
            coll_hear(comm, other, 1);
    CHECK_OK(cor_coll_start(&right, &good));
    CHECK_OK(cor_coll_start(&wrong, &bad));
    if (rank != 0)
        coll_tell(comm, 0, 1, 0);
    snprintf(sentence, sizeof sentence, "MPI_Ibcast: rank %d passes 2 bytes, rank 0 passes 4 bytes", odd);
    int rc = cor_wait(me->rank, &bad, &status);
    CHECK_EQUAL(COR_ERR_ARG, status.error);
    coll_expect_refused(me, comm, rc, sentence);
    CHECK_OK(cor_wait(me->rank, &good, NULL));
    CHECK_EQUAL(size, out);
}

void case_check_persistent(coll_rank *me, cor_comm *comm)
{
    int out = 0, odd = odd_one(comm);
    cor_request *request = NULL;
    char sentence[200];
    cor_call call = coll_call_bcast(comm, &out, sizeof out, is_odd_one(comm) ? 1 : 0);
    if (odd == 1)
        call.root = is_odd_one(comm);
    snprintf(sentence, sizeof sentence, "MPI_Bcast_init: rank %d passes root 1, rank 0 passes root 0", odd);
    CHECK_OK(cor_coll_init(&call, &request));
    for (int round = 0; round < 3; round++) {
        CHECK_OK(cor_start(request));
        coll_expect_refused(me, comm, cor_wait(me->rank, &request, NULL), sentence);
    }
    cor_request_free(&request);
}

/* ---- two groups ------------------------------------------------------------------------------------------------- */

void case_check_intercommunicator(coll_rank *me, cor_comm *comm)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm), first = size / 2, is_second = rank >= first;
    int in = rank, out = -1;
    cor_comm *half = NULL, *inter = NULL;
    char sentence[200];
    CHECK_OK(cor_comm_split(comm, is_second, rank, &half));
    CHECK_OK(cor_intercomm_create(half, 0, comm, is_second ? 0 : first, 5, &inter));
    cor_call call = coll_call_sum(inter, &in, &out, 1);
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(is_second ? first * (first - 1) / 2 : size * (size - 1) / 2 - first * (first - 1) / 2, out);
    call = coll_call_bcast(inter, &out, sizeof out, is_second ? 0 : rank == 0 ? COR_ROOT : COR_PROC_NULL);
    if (!is_second && rank != 0)
        call.recv = (cor_stream){.bytes = 0};
    CHECK_OK(cor_coll_run(&call));
    /* The last two do not agree on the root. */
    if (rank == size - 1)
        call.root = 1;
    int rc = cor_coll_run(&call);
    snprintf(sentence, sizeof sentence, "rank %d of the job passes root 1, rank %d of the job passes root 0", size - 1,
             first);
    coll_expect_refused(me, comm, rc, sentence);
    cor_comm_unref(inter);
    cor_comm_unref(half);
}
