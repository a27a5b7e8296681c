/* SPDX-License-Identifier: Apache-2.0 */
/* A dup in the background: a job that runs the rounds of an agreement on a context. */
#include "mp/create/comm.h"
#include "mp/create/context.h"
#include "mp/internal.h"
#include "mp/mp_state.h"

#include <stdlib.h>

typedef struct idup_job {
    cor_follower follower;
    cor_link queued; /* cor_comm.idups */
    cor_comm *comm, *dup;
    cor_request *request;
    cor_agreement agreement;
    cor_ballot *ballot; /* NULL until it is this one's turn */
} idup_job;

static void idup_end(idup_job *idup, int error)
{
    cor_rank *rank = idup->comm->owner;
    if (error == COR_OK)
        cor_comm_set_context(idup->dup, idup->agreement.number);
    else
        cor_agreement_fail(&idup->agreement);
    idup->request->transfer = (cor_transfer){.is_done = 1, .error = error, .peer = COR_UNDEFINED};
    cor_comm_drop_locked(idup->dup);
    if (idup->ballot)
        cor_ballot_destroy(idup->ballot);
    cor_list_remove(&idup->queued);
    cor_list_remove(&idup->follower.link);
    rank->idup_count--;
    free(idup);
}

/* Dups of one communicator are under way one after the other, in the order of the calls, which is the same in all
 * members: their messages need no numbers. */
static int idup_step(cor_follower *follower)
{
    idup_job *idup = COR_OWNER(follower, idup_job, follower);
    cor_rank *rank = idup->comm->owner;
    int has_moved = 0;
    if (idup->comm->idups.next != &idup->queued)
        return 0;
    if (!idup->ballot) {
        cor_members members = cor_members_of_comm(idup->comm, COR_INTERNAL_TAG_IDUP);
        cor_agreement_begin(&idup->agreement, rank, members.context + (uint32_t)members.tag, 1);
        idup->ballot = cor_ballot_create(&members, idup->agreement.words, idup->agreement.count);
        if (!idup->ballot) {
            idup_end(idup,
                     cor_fault_set(rank->fault, COR_ERR_MEMORY, "no memory for an agreement with the other ranks"));
            return 1;
        }
        has_moved = 1;
    }
    while (cor_ballot_step(idup->ballot), cor_ballot_is_done(idup->ballot)) {
        int error = cor_ballot_error(idup->ballot);
        if (error == COR_OK)
            error = cor_agreement_next(&idup->agreement);
        if (error != COR_OK || idup->agreement.phase == COR_AGREEMENT_DONE) {
            idup_end(idup, error);
            return 1;
        }
        cor_ballot_restart(idup->ballot, idup->agreement.words, idup->agreement.count);
        has_moved = 1;
    }
    return has_moved;
}

int cor_comm_idup(cor_comm *comm, cor_comm **dup_p, cor_request **request_p)
{
    cor_rank *rank = comm->owner;
    int rc = COR_OK;
    cor_device_enter(rank->device);
    idup_job *idup = calloc(1, sizeof *idup);
    cor_comm *dup = cor_comm_make_dup(comm);
    cor_request *request = idup && dup ? cor_request_make(comm, COR_REQUEST_JOB) : NULL;
    if (request) {
        request->transfer = (cor_transfer){.peer = -1};
        request->is_active = 1;
        *idup = (idup_job){.follower.step = idup_step, .comm = comm, .dup = dup, .request = request};
        cor_comm_ref(dup); /* the job's; the other is the caller's */
        cor_list_append(&comm->idups, &idup->queued);
        cor_list_append(&rank->device->followers, &idup->follower.link);
        rank->idup_count++;
        *dup_p = dup;
        *request_p = request;
        idup_step(&idup->follower);
    } else {
        rc = cor_comm_no_memory(rank);
        free(idup);
        if (dup)
            cor_comm_drop_locked(dup);
    }
    cor_device_leave(rank->device);
    return rc;
}
