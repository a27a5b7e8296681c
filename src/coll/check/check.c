/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/check/check.h"

#include "coll/pattern/pattern.h"
#include "coll/plan/coll_comm.h"
#include "coll/plan/execute.h"

#include <string.h>

/* ---- steps ------------------------------------------------------------------------------------------------------ */

/* A block as one end of it sees it. */
typedef struct check_block {
    uint64_t bytes;
    cor_signature signature;
} check_block;

/* What the steps know beside the memory they are given. */
typedef struct check_note {
    int rank, count; /* ranks compared with each other: of both sides on an intercommunicator */
    uint32_t primitive;
    cor_check_form form;
    cor_check_digest mine;
    const size_t *starts;      /* allgatherv's */
    const int *job_ranks;      /* an intercommunicator's */
    const check_block *blocks; /* what this rank sends to each, and behind that what it expects from each */
} check_note;

static int check_put_digest(cor_rank *rank, void *memory, const void *note)
{
    (void)rank;
    memcpy(memory, &((const check_note *)note)->mine, sizeof(cor_check_digest));
    return COR_OK;
}

static int check_compare_digests(cor_rank *rank, void *memory, const void *note)
{
    const check_note *n = note;
    cor_check_table table = {memory, n->count, n->starts, n->job_ranks};
    return cor_check_digests(&table, cor_rank_fault_place(rank));
}

/* What a rank found wrong in what it is to be sent. */
typedef struct check_verdict {
    uint64_t is_wrong, source;
    check_block sent, expected;
} check_verdict;

static int check_put_blocks(cor_rank *rank, void *memory, const void *note)
{
    const check_note *n = note;
    (void)rank;
    memcpy(memory, n->blocks, (size_t)n->count * sizeof *n->blocks);
    return COR_OK;
}

static int check_fits(const check_block *sent, const check_block *expected)
{
    return sent->bytes == expected->bytes && cor_signature_fits(&sent->signature, &expected->signature);
}

/* Memory: blocks as their senders see them, then a verdict a rank. */
static int check_judge(cor_rank *rank, void *memory, const void *note)
{
    const check_note *n = note;
    const check_block *received = memory, *expected = n->blocks + n->count;
    check_verdict *mine = (check_verdict *)(void *)((check_block *)memory + n->count) + n->rank;
    (void)rank;
    *mine = (check_verdict){0};
    for (int i = 0; i < n->count && !mine->is_wrong; i++) {
        const check_block *sent = i == n->rank ? &n->blocks[i] : &received[i];
        if (!check_fits(sent, &expected[i]))
            *mine = (check_verdict){1, (uint64_t)i, *sent, expected[i]};
    }
    return COR_OK;
}

static int check_verdicts(cor_rank *rank, void *memory, const void *note)
{
    const check_note *n = note;
    const check_verdict *verdicts = memory;
    char preface[64], sent[COR_SIGNATURE_WORDS], expected[COR_SIGNATURE_WORDS];
    cor_check_preface(n->primitive, n->form, preface);
    for (int i = 0; i < n->count; i++) {
        const check_verdict *verdict = &verdicts[i];
        if (!verdict->is_wrong)
            continue;
        if (verdict->sent.bytes != verdict->expected.bytes)
            return cor_fault_set(cor_rank_fault_place(rank), COR_ERR_ARG,
                                 "%srank %d sends %llu bytes to rank %d, which expects %llu", preface,
                                 (int)verdict->source, (unsigned long long)verdict->sent.bytes, i,
                                 (unsigned long long)verdict->expected.bytes);
        cor_signature_print(&verdict->sent.signature, sent);
        cor_signature_print(&verdict->expected.signature, expected);
        return cor_fault_set(cor_rank_fault_place(rank), COR_ERR_ARG,
                             "%srank %d sends %s to rank %d, which expects %s", preface, (int)verdict->source, sent, i,
                             expected);
    }
    return COR_OK;
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/* Blocks of one length; a note of the plan. */
static const size_t *check_even(cor_plan *plan, int count, size_t bytes)
{
    size_t *starts = cor_plan_note(plan, ((size_t)count + 1) * sizeof *starts);
    for (int i = 0; starts && i <= count; i++)
        starts[i] = (size_t)i * bytes;
    return starts;
}

/* Every rank's digests, the first side's before the other's. */
static void check_exchange_digests(cor_plan *plan, const check_note *note)
{
    const cor_party *party = &plan->everyone;
    size_t bytes = sizeof(cor_check_digest), mine = (size_t)plan->size * bytes, others = 0;
    int is_inter = cor_comm_is_inter(plan->comm), is_second = is_inter && !cor_intercomm_is_first(plan->comm);
    if (is_inter)
        others = (size_t)plan->remote_size * bytes;
    cor_ref all = cor_plan_temp(plan, mine + others);
    cor_ref here = cor_ref_part(all, is_second ? others : 0, mine),
            there = cor_ref_part(all, is_second ? 0 : mine, others);
    const size_t *starts = check_even(plan, plan->size, bytes);
    if (!starts)
        return;
    cor_plan_call(plan, cor_ref_block(here, starts, plan->rank), check_put_digest, note);
    cor_allgather_bde(plan, party, here, starts);
    cor_plan_wait_all(plan);
    if (is_inter && plan->rank == 0) {
        cor_plan_send_across(plan, 0, here);
        cor_plan_recv_across(plan, 0, there);
        cor_plan_wait_all(plan);
    }
    if (is_inter) {
        cor_bcast_mst(plan, party, 0, there);
        cor_plan_wait_all(plan);
    }
    cor_plan_call(plan, all, check_compare_digests, note);
}

/* In v and w forms: send each rank the lengths it will be sent, let it compare, and collect all results. */
static void check_exchange_blocks(cor_plan *plan, const check_note *note)
{
    const cor_party *party = &plan->everyone;
    size_t blocks = (size_t)plan->size * sizeof(check_block), verdicts = (size_t)plan->size * sizeof(check_verdict);
    cor_ref out = cor_plan_temp(plan, blocks), in = cor_plan_temp(plan, blocks + verdicts);
    cor_ref judged = cor_ref_part(in, blocks, verdicts);
    const size_t *starts = check_even(plan, plan->size, sizeof(check_verdict));
    if (!starts)
        return;
    cor_plan_call(plan, out, check_put_blocks, note);
    for (int i = 0; i < plan->size; i++)
        if (i != plan->rank)
            cor_plan_recv(plan, party, i, cor_ref_part(in, (size_t)i * sizeof(check_block), sizeof(check_block)));
    for (int i = 0; i < plan->size; i++)
        if (i != plan->rank)
            cor_plan_send(plan, party, i, cor_ref_part(out, (size_t)i * sizeof(check_block), sizeof(check_block)));
    cor_plan_wait_all(plan);
    cor_plan_call(plan, in, check_judge, note);
    cor_allgather_bde(plan, party, judged, starts);
    cor_plan_wait_all(plan);
    cor_plan_call(plan, judged, check_verdicts, note);
}

/* ---- what a call says ------------------------------------------------------------------------------------------- */

static check_block check_whole(const cor_stream *stream)
{
    return (check_block){stream->bytes, cor_signature_of(stream->type, stream->bytes)};
}

static check_block check_part(const cor_stream *stream, int part)
{
    size_t bytes = stream->starts[part + 1] - stream->starts[part];
    return (check_block){bytes, cor_signature_of(stream->types ? stream->types[part] : stream->type, bytes)};
}

/* What goes from this rank to each, and what it expects from each; NULL: nothing to compare, or no memory. */
static const check_block *check_blocks(cor_plan *plan, const cor_call *call)
{
    int size = plan->size, is_pairs = call->primitive == COR_ALLTOALLV || call->primitive == COR_ALLTOALLW;
    int is_root = plan->rank == call->root;
    if (!is_pairs && call->primitive != COR_GATHERV && call->primitive != COR_SCATTERV)
        return NULL;
    check_block *sent = cor_plan_note(plan, 2 * (size_t)size * sizeof *sent), *expected = sent ? sent + size : NULL;
    for (int i = 0; sent && i < size; i++) {
        if (is_pairs) {
            expected[i] = check_part(&call->recv, i);
            sent[i] = call->is_in_place ? expected[i] : check_part(&call->send, i);
        } else if (call->primitive == COR_GATHERV) {
            if (i == call->root)
                sent[i] = check_whole(&call->send);
            if (is_root)
                expected[i] = check_part(&call->recv, i);
        } else {
            if (is_root)
                sent[i] = check_part(&call->send, i);
            if (i == call->root)
                expected[i] = check_whole(&call->recv);
        }
        if (call->is_in_place && i == plan->rank)
            sent[i] = expected[i];
    }
    return sent;
}

/* Numbers that both sides of an intercommunicator know, the first side's first. */
static const int *check_job_ranks(cor_plan *plan)
{
    const cor_comm *comm = plan->comm;
    int *ranks = cor_plan_note(plan, (size_t)(plan->size + plan->remote_size) * sizeof *ranks);
    int is_first = cor_intercomm_is_first(comm), here = is_first ? 0 : plan->remote_size;
    for (int i = 0; ranks && i < plan->size; i++)
        ranks[here + i] = cor_group_peer(cor_comm_group(comm), i);
    for (int i = 0; ranks && i < plan->remote_size; i++)
        ranks[(is_first ? plan->size : 0) + i] = cor_group_peer(cor_comm_remote_group(comm), i);
    return ranks;
}

void cor_check_build(cor_plan *plan, const cor_call *call, cor_check_form form)
{
    check_note *note = cor_plan_note(plan, sizeof *note);
    int is_inter = cor_comm_is_inter(call->comm);
    if (!note)
        return;
    note->rank = plan->rank;
    note->count = is_inter ? plan->size + plan->remote_size : plan->size;
    note->primitive = (uint32_t)call->primitive;
    note->form = form;
    cor_check_digest_init(&note->mine, call, form);
    if (call->primitive == COR_ALLGATHERV && !is_inter) {
        size_t bytes = ((size_t)plan->size + 1) * sizeof *note->starts;
        size_t *starts = cor_plan_note(plan, bytes);
        if (starts)
            memcpy(starts, call->recv.starts, bytes);
        note->starts = starts;
    }
    if (is_inter)
        note->job_ranks = check_job_ranks(plan);
    if (plan->size == 1 && !is_inter)
        return;
    check_exchange_digests(plan, note);
    note->blocks = is_inter ? NULL : check_blocks(plan, call);
    if (note->blocks)
        check_exchange_blocks(plan, note);
}

int cor_check_run(const cor_call *call)
{
    cor_comm *comm = call->comm;
    cor_plan *plan = cor_plan_create(comm, call->primitive);
    cor_execution *execution = NULL;
    if (plan) {
        cor_check_build(plan, call, COR_CHECK_BLOCKING);
        if (plan->error == COR_OK)
            execution = cor_execution_create(plan);
        cor_plan_unref(plan);
    }
    if (!execution)
        return cor_fault_set(cor_comm_fault_place(comm), COR_ERR_MEMORY, "no memory to compare the arguments");
    int rc = cor_execution_run(execution, cor_coll_tag_started(cor_comm_coll(comm)));
    cor_execution_destroy(execution);
    return rc;
}
