/* Calls: choose, prepare, run. */
#include "coll/coll.h"

#include "coll/board/board.h"
#include "coll/check/check.h"
#include "coll/choose/choices.h"
#include "coll/choose/choose.h"
#include "coll/coll_state.h"
#include "coll/prepare.h"

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

static int coll_run_locked(const cor_call *call, uint32_t number)
{
    for (;;) {
        const cor_rule *rule = cor_choose(call, 1);
        if (COR_UNLIKELY(!rule))
            return cor_comm_fault_place(call->comm)->code;
        if (!rule->algorithm->run)
            return coll_run_plan(call, rule, number);
        int rc = rule->algorithm->run(call, rule->parameters);
        if (COR_LIKELY(rc != COR_AGAIN))
            return rc;
        cor_choose_without_board(call->comm);
    }
}

void cor_coll_begin(cor_comm *comm)
{
    cor_coll_comm *state = cor_comm_coll(comm);
    if (COR_LIKELY(state && state->board))
        cor_board_prefetch_line(state->board);
}

int cor_coll_run(const cor_call *call)
{
    cor_comm_enter(call->comm);
    cor_coll_comm *state = cor_coll_of_comm(call->comm);
    int rc = COR_LIKELY(state != NULL) ? COR_OK : cor_comm_fault_place(call->comm)->code;
    if (COR_LIKELY(rc == COR_OK) && COR_UNLIKELY(state->is_checked))
        rc = cor_check_run(call);
    /* Counted whatever comes of it, as by the other ranks; but not what the check refuses, which may be of two
     * forms. */
    if (COR_LIKELY(rc == COR_OK)) {
        rc = coll_run_locked(call, state->blocking++);
        if (state->has_zcopy)
            cor_board_renew_zcopy(state->board);
    }
    cor_comm_leave(call->comm);
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
    cor_comm_enter(comm);
    int rc = coll_make(call, COR_CHECK_STARTED, request_p);
    if (rc == COR_OK) {
        cor_execution *execution = cor_job_of(*request_p);
        cor_execution_set_request(execution, cor_coll_tag_started(cor_comm_coll(comm)), *request_p, coll_started_done);
        cor_execution_start(execution);
    }
    cor_comm_leave(comm);
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
    cor_comm_enter(comm);
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
    if (cor_coll_of_rank(rank))
        return COR_OK;
    *fault = *cor_rank_fault(rank);
    return fault->code;
}

int cor_coll_close(cor_rank *rank, cor_fault *fault)
{
    cor_comm *world = cor_rank_world(rank);
    cor_call call = {.primitive = (cor_primitive)COR_CHECK_FINALIZE, .comm = world};
    int rc = COR_OK;
    /* A rank that has been told of a loss knows why the others do not come. */
    if (!cor_rank_coll_config(rank)->is_checked || cor_comm_lost_count(world) > 0 ||
        cor_rank_fault(rank)->code == COR_ERR_PEER)
        return rc;
    cor_comm_enter(world);
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
