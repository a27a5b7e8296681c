/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: choose, prepare, run. */
#include "coll/coll.h"

#include "base/clock.h"
#include "coll/board/board.h"
#include "coll/check/check.h"
#include "coll/choose/choices.h"
#include "coll/choose/choose.h"
#include "coll/coll_state.h"
#include "coll/learn/learn.h"
#include "coll/prepare.h"
#include "mp/topology.h"

static int coll_no_memory(cor_comm *comm, const cor_call *call)
{
    return cor_fault_set(cor_comm_fault_place(comm), COR_ERR_MEMORY, "no memory for the steps of %s",
                         cor_primitive_name(call->primitive));
}

static int coll_run_plan(const cor_call *call, const cor_rule *rule, uint32_t number)
{
    int tag = cor_comm_is_inter(call->comm) ? COR_COLL_TAG_BETWEEN
                                            : (int)(COR_COLL_TAG_BLOCKING + (number & COR_COLL_TAG_MASK));
    cor_execution *execution = cor_prepare(call, rule, COR_CHECK_NONE);
    if (!execution)
        return coll_no_memory(call->comm, call);
    int rc = cor_execution_bind(execution, call, 0);
    if (rc == COR_OK)
        rc = cor_execution_run(execution, tag);
    else
        coll_no_memory(call->comm, call);
    cor_execution_unbind(execution);
    cor_prepare_give_back(call->comm, execution);
    return rc;
}

/* By this rule; without shared memory, by what the rules say then. */
static inline int coll_run_by(const cor_call *call, const cor_rule *rule, uint32_t number)
{
    for (;; rule = cor_choose(call, 1)) {
        if (COR_UNLIKELY(!rule))
            return cor_comm_fault_place(call->comm)->code;
        if (COR_UNLIKELY(cor_comm_is_measured(call->comm)))
            cor_measure_algorithm(call->comm, rule->algorithm->name);
        if (!rule->algorithm->run)
            return coll_run_plan(call, rule, number);
        int rc = rule->algorithm->run(call, rule->parameters);
        if (COR_LIKELY(rc != COR_AGAIN))
            return rc;
        cor_choose_without_board(call->comm);
    }
}

/* ---- with coll.learn (learn.h) ---------------------------------------------------------------------------------- */

static __attribute__((noinline)) int coll_run_rule(const cor_call *call, const cor_rule *rule, cor_coll_comm *state)
{
    return coll_run_by(call, rule, state->blocking++);
}

/* The largest of all ranks' values, by messages. */
static int coll_agree(cor_comm *comm, uint64_t values[COR_LEARN_VALUES], uint32_t number)
{
    enum { ABI_MAX = 0x23, ABI_UINT64 = 0x259 };
    const size_t bytes = COR_LEARN_VALUES * sizeof *values;
    const cor_rule rule = {.primitive = COR_ALLREDUCE, .algorithm = cor_algorithm_find(COR_ALLREDUCE, "doubling")};
    cor_call call = {.primitive = COR_ALLREDUCE,
                     .comm = comm,
                     .is_in_place = 1,
                     .recv = {.payload = cor_payload_plain(values, bytes), .bytes = bytes}};
    cor_reducer_init(&call.reducer, cor_op_predefined(ABI_MAX), cor_dtype_predefined(ABI_UINT64), NULL);
    return coll_run_plan(&call, &rule, number);
}

static int coll_run_step(const cor_call *call, cor_coll_comm *state, cor_learn_class *due, const cor_rule *rule)
{
    uint64_t values[COR_LEARN_VALUES], start = cor_clock_ns();
    int is_trial = 0;
    cor_learn_bring(state->learn, due, values);
    int rc = coll_agree(call->comm, values, state->blocking++);
    if (rc != COR_OK) {
        cor_learn_stop(state->learn);
        return rc;
    }
    uint64_t met = cor_clock_ns();
    rule = cor_learn_begin(state->learn, due, call, values, met - start, rule, &is_trial);
    uint64_t begin = cor_clock_ns();
    rc = coll_run_rule(call, rule, state);
    if (is_trial)
        cor_learn_end(state->learn, due, cor_clock_ns() - begin);
    return rc;
}

static int coll_run_learning(const cor_call *call, cor_coll_comm *state)
{
    int had_no_board = state->has_no_board;
    cor_learn_class *due;
    const cor_rule *rule = cor_learn_choose(state->learn, call, &due);
    int rc = due ? coll_run_step(call, state, due, rule) : coll_run_rule(call, rule, state);
    if (state->has_no_board != had_no_board)
        cor_learn_without_board(state->learn);
    return rc;
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

/* With the knobs check or coll.learn. A call that the check refuses, which may be of two forms, is not counted. */
static __attribute__((noinline)) int coll_run_watched(const cor_call *call, cor_coll_comm *state)
{
    int rc = state->is_checked ? cor_check_run(call) : COR_OK;
    if (rc != COR_OK)
        return rc;
    return state->learn ? coll_run_learning(call, state) : coll_run_rule(call, cor_choose(call, 1), state);
}

void cor_coll_begin(cor_comm *comm)
{
    if (COR_UNLIKELY(cor_comm_enter_open(comm) != COR_OK))
        return;
    cor_coll_comm *state = cor_comm_coll(comm);
    if (COR_LIKELY(state && state->board))
        cor_board_prefetch_line(state->board);
    cor_comm_leave(comm);
}

/* The call, of those that block or of those that start. */
static inline cor_traced coll_traced(const cor_call *call, cor_traced first)
{
    return (cor_traced)(first + call->primitive);
}

_Static_assert(COR_TRACED_EXSCAN - COR_TRACED_BARRIER == COR_EXSCAN &&
                   COR_TRACED_NEIGHBOR_ALLTOALLW - COR_TRACED_BARRIER == COR_NEIGHBOR_ALLTOALLW &&
                   COR_TRACED_IBARRIER - COR_TRACED_BARRIER == COR_PRIMITIVES &&
                   COR_TRACED_IALLREDUCE - COR_TRACED_IBARRIER == COR_ALLREDUCE,
               "the calls are in the order of the primitives");

/* The bytes of a stream that the program passed. */
static size_t coll_stream_bytes(const cor_stream *stream, int count)
{
    return stream->parts && stream->starts ? stream->starts[count] : stream->payload.bytes;
}

/* The bytes of a call are those of the longer of its two buffers. */
static __attribute__((noinline)) void coll_measured(const cor_call *call, uint64_t begin, cor_traced first)
{
    int to_count = cor_comm_remote_size(call->comm), from_count = to_count;
    if (call->primitive >= COR_NEIGHBOR_ALLGATHER) {
        to_count = cor_topology_destinations(call->comm).count;
        from_count = cor_topology_sources(call->comm).count;
    }
    size_t sent = coll_stream_bytes(&call->send, to_count), received = coll_stream_bytes(&call->recv, from_count);
    cor_measure_end(call->comm, begin, coll_traced(call, first), COR_NOW_MEMBERS, 0,
                    sent > received ? sent : received);
}

int cor_coll_run(const cor_call *call)
{
    cor_comm *comm = call->comm;
    cor_device *device = comm->device;
    if (COR_UNLIKELY(cor_comm_enter_open(comm) != COR_OK))
        return COR_ERR_FINALIZED;
    cor_coll_comm *state = cor_coll_of_comm(comm);
    int rc = COR_LIKELY(state != NULL) ? COR_OK : cor_comm_fault_place(comm)->code;
    uint64_t begin =
        cor_comm_call_begin(comm, coll_traced(call, COR_TRACED_BARRIER), call->root, state ? state->blocking : 0);
    if (COR_LIKELY(rc == COR_OK)) {
        rc = COR_UNLIKELY(state->is_watched) ? coll_run_watched(call, state)
                                             : coll_run_by(call, cor_choose(call, 1), state->blocking++);
        if (state->has_zcopy)
            cor_board_renew_zcopy(state->board);
    }
    if (COR_UNLIKELY(begin))
        coll_measured(call, begin, COR_TRACED_BARRIER);
    cor_device_leave(device); /* the communicator may be gone (cor_measure_stop) */
    return rc;
}

int cor_barrier(cor_comm *comm)
{
    cor_coll_begin(comm);
    return cor_coll_run(&(cor_call){.primitive = COR_BARRIER, .comm = comm});
}

/* ---- in the background ------------------------------------------------------------------------------------------ */

static void coll_free_job(void *job)
{
    cor_execution_destroy(job);
}

/* A request whose job is an execution bound to the call; or an error. */
static int coll_make(const cor_call *call, cor_check_form form, cor_request **request_p)
{
    cor_comm *comm = call->comm;
    const cor_coll_comm *state = cor_coll_of_comm(comm);
    const cor_rule *rule = state ? cor_choose(call, 0) : NULL;
    if (!rule)
        return cor_comm_fault_place(comm)->code;
    if (COR_UNLIKELY(cor_comm_is_measured(comm)))
        cor_measure_algorithm(comm, rule->algorithm->name);
    cor_execution *execution = cor_prepare(call, rule, state->is_checked ? form : COR_CHECK_NONE);
    if (execution && cor_execution_bind(execution, call, 1) == COR_OK &&
        (*request_p = cor_job_create(comm, execution, coll_free_job)))
        return COR_OK;
    if (execution)
        cor_execution_destroy(execution);
    return coll_no_memory(comm, call);
}

static void coll_started_done(cor_execution *execution)
{
    cor_request *request = cor_execution_request(execution);
    cor_job_detach(request);
    cor_execution_unbind(execution);
    cor_prepare_give_back(cor_job_comm(request), execution);
}

int cor_coll_start(const cor_call *call, cor_request **request_p)
{
    cor_comm *comm = call->comm;
    cor_device *device = comm->device;
    if (COR_UNLIKELY(cor_comm_enter_open(comm) != COR_OK))
        return COR_ERR_FINALIZED;
    cor_comm_set_call(comm, coll_traced(call, COR_TRACED_IBARRIER), call->root);
    uint64_t begin = cor_measure_begin(comm->monitor);
    int rc = coll_make(call, COR_CHECK_STARTED, request_p);
    if (rc == COR_OK) {
        cor_execution *execution = cor_job_of(*request_p);
        cor_execution_set_request(execution, cor_coll_tag_started(cor_comm_coll(comm)), *request_p, coll_started_done);
        cor_execution_start(execution);
    }
    if (COR_UNLIKELY(begin))
        coll_measured(call, begin, COR_TRACED_IBARRIER);
    cor_device_leave(device);
    return rc;
}

/* ---- again and again -------------------------------------------------------------------------------------------- */

static void coll_persistent_done(cor_execution *execution)
{
    (void)execution; /* stays bound for the next time */
}

static int coll_persistent_start(cor_request *request)
{
    cor_execution_start(cor_job_of(request));
    return COR_OK;
}

int cor_coll_init(const cor_call *call, cor_request **request_p)
{
    cor_comm *comm = call->comm;
    if (COR_UNLIKELY(cor_comm_enter_open(comm) != COR_OK))
        return COR_ERR_FINALIZED;
    int rc = coll_make(call, COR_CHECK_PERSISTENT, request_p);
    if (rc == COR_OK) {
        cor_coll_comm *state = cor_comm_coll(comm);
        int tag = state->is_checked ? cor_coll_tag_started(state)
                                    : (int)(COR_COLL_TAG_PERSISTENT + (state->persistent++ & COR_COLL_TAG_MASK));
        cor_execution_set_request(cor_job_of(*request_p), tag, *request_p, coll_persistent_done);
        cor_job_set_persistent(*request_p, coll_persistent_start);
    }
    cor_comm_leave(comm);
    return rc;
}

/* ---- memory for the caller -------------------------------------------------------------------------------------- */

const cor_zcopy *cor_coll_zcopy(cor_comm *comm, void **memory_p, size_t *bytes_p)
{
    const cor_zcopy *zcopy = NULL;
    cor_comm_enter(comm);
    cor_coll_comm *state = cor_comm_coll(comm);
    if (state && state->board) {
        state->has_zcopy = 1;
        zcopy = cor_board_open_zcopy(state->board, memory_p, bytes_p);
    }
    cor_comm_leave(comm);
    return zcopy;
}

/* ---- the beginning and the end ---------------------------------------------------------------------------------- */

int cor_coll_open(cor_rank *rank, cor_fault *fault)
{
    cor_coll_rank *state = cor_coll_of_rank(rank);
    if (state && cor_learn_open(rank, state) == COR_OK)
        return COR_OK;
    *fault = *cor_rank_fault(rank);
    return fault->code;
}

/* Write what coll.learn has found. A program does not fail at its end because of that. */
static void coll_close_learning(cor_rank *rank)
{
    const cor_coll_rank *state = cor_rank_coll(rank);
    const char *path = cor_rank_coll_config(rank)->learn_file;
    cor_fault fault = {0};
    if (!state || !state->learn)
        return;
    cor_comm_enter(cor_rank_world(rank));
    cor_learn_tell(state, cor_rank_log(rank));
    if (*path && cor_rank_number(rank) == 0 && cor_learn_write(state, path, &fault) != COR_OK)
        COR_LOG(cor_rank_log(rank), WARN, "coll.learn_file: %s", fault.text);
    cor_comm_leave(cor_rank_world(rank));
}

static int coll_close_check(cor_rank *rank, cor_fault *fault)
{
    cor_comm *world = cor_rank_world(rank);
    cor_call call = {.primitive = (cor_primitive)COR_CHECK_FINALIZE, .comm = world};
    int rc = COR_OK;
    /* A rank that was notified of a loss knows why the others do not call. */
    if (!cor_rank_coll_config(rank)->is_checked || cor_comm_lost_count(world) > 0 ||
        cor_rank_fault(rank)->code == COR_ERR_PEER)
        return rc;
    cor_comm_enter(world);
    cor_comm_set_call(world, COR_TRACED_FINALIZE, 0);
    if (!cor_coll_of_comm(world))
        rc = cor_rank_fault(rank)->code;
    else
        do
            rc = cor_check_run(&call);
        while (rc == COR_ERR_ARG);
    if (rc != COR_OK)
        *fault = *cor_rank_fault(rank);
    cor_comm_leave(world);
    return rc;
}

int cor_coll_close(cor_rank *rank, cor_fault *fault)
{
    coll_close_learning(rank);
    return coll_close_check(rank, fault);
}
