/*
 * The knob `check`: before a collective call does anything, the ranks compare what they pass. If they do not agree,
 * all of them end the call with COR_ERR_ARG and the same sentence, which names the rank that differs; nobody waits for
 * anybody.
 *
 * Compared are the primitive, the root, the operator, and the lengths that must agree: of the whole stream, of a
 * block, or, in v and w forms, what one rank sends with what the other expects. Not compared are the lengths of
 * neighbourhood collectives, and a blocking call with one that is not: their messages do not meet.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_CHECK_H
#define COR_COLL_CHECK_H

#include "coll/coll.h"
#include "coll/plan.h"

/* Append the comparison to a plan that knows its communicator; what is appended afterwards is only done if all agree.
 * The plan is good for this call alone, since its steps carry what the call says. */
void cor_check_build(cor_plan *plan, const cor_call *call);

/* Compare now, and wait for it. COR_ERR_ARG, COR_ERR_MEMORY. */
int cor_check_run(const cor_call *call);

/* ---- check_digest.c: what is compared --------------------------------------------------------------------------- */

typedef struct cor_check_digest {
    uint32_t primitive;
    int32_t root;
    uint32_t operator_number; /* 0: a user's */
    uint8_t has_root, is_commutative, has_bytes, has_own;
    uint64_t bytes; /* of what all must pass in one length */
    uint64_t shape; /* of all lengths that everybody passes alike, mixed; else 0 */
    uint64_t own;   /* allgather(v), alltoall: bytes of a block that this rank sends */
} cor_check_digest;

void cor_check_digest_init(cor_check_digest *digest, const cor_call *call);

/* Everybody's. */
typedef struct cor_check_table {
    const cor_check_digest *digests;
    int count;
    const size_t *starts; /* allgatherv's, else NULL */
    const int *job_ranks; /* of an intercommunicator's members; else NULL */
} cor_check_table;

/* The first difference, told in `fault` with COR_ERR_ARG. */
int cor_check_digests(const cor_check_table *table, cor_fault *fault);

/* "MPI_Bcast"; room for 64 bytes. */
void cor_check_call_name(uint32_t primitive, char *out);

#endif
