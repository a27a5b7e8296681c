/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The knob `check`: before a collective call does anything, the ranks compare their arguments. If these differ, all of
 * them end the call with COR_ERR_ARG and the same sentence, which names the rank that differs; no rank waits for
 * another.
 *
 * Compared are the call and its form (blocking, non-blocking, persistent), the root, the operator, the kind of
 * elements that a predefined operator combines, the lengths that must agree: of the whole stream, of a block, or,
 * in v and w forms, what one rank sends with what the other expects; and, where lengths agree, type signatures
 * (dtype/signature.h defines which are equal). MPI_Finalize is one of the calls on the world, so that no rank waits for
 * one that has called it. To match all of these, the calls on a communicator are counted, whatever their form, and the
 * messages of the comparison carry the number.
 *
 * Not compared are the blocks of neighbourhood collectives. A persistent operation is compared when it is started.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_CHECK_H
#define COR_COLL_CHECK_H

#include "coll/plan/call.h"
#include "coll/plan/plan.h"
#include "dtype/signature.h"

/* How an operation was called. */
typedef enum cor_check_form {
    COR_CHECK_NONE, /* not compared */
    COR_CHECK_BLOCKING,
    COR_CHECK_STARTED,
    COR_CHECK_PERSISTENT,
} cor_check_form;

/* In the place of a primitive: the rank is in MPI_Finalize. */
enum { COR_CHECK_FINALIZE = COR_PRIMITIVES };

/* Append the comparison to a plan that knows its communicator; what is appended afterwards is only done if all agree.
 * The plan is valid for this call alone, since its steps contain the call's arguments. */
void cor_check_build(cor_plan *plan, const cor_call *call, cor_check_form form);

/* Compare a blocking call now, and wait for it; COR_CHECK_FINALIZE too. COR_ERR_ARG, COR_ERR_MEMORY. */
int cor_check_run(const cor_call *call);

/* ---- check_digest.c: what is compared --------------------------------------------------------------------------- */

typedef struct cor_check_digest {
    uint32_t primitive;
    int32_t root;
    uint32_t operator_number; /* 0: a user's */
    /* What a predefined operator combines: the type passed, and the first type that is combined the same way; else
     * 0. */
    uint32_t element, element_kind;
    uint8_t form, has_root, has_operator, is_commutative, has_bytes, has_own;
    uint64_t bytes;               /* where all must pass the same length */
    uint64_t shape;               /* a hash of all lengths that must be the same at every rank; else 0 */
    uint64_t own;                 /* allgather(v), alltoall: bytes of a block that this rank sends */
    cor_signature signature;      /* of `bytes` */
    cor_signature sent, expected; /* of the block that this rank sends to itself */
} cor_check_digest;

void cor_check_digest_init(cor_check_digest *digest, const cor_call *call, cor_check_form form);

/* Every rank's. */
typedef struct cor_check_table {
    const cor_check_digest *digests;
    int count;
    const size_t *starts; /* allgatherv's, else NULL */
    const int *job_ranks; /* of an intercommunicator's members; else NULL */
} cor_check_table;

/* Report the first difference in `fault`, with COR_ERR_ARG. */
int cor_check_digests(const cor_check_table *table, cor_fault *fault);

/* "MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"; room for 64 bytes. */
void cor_check_call_name(uint32_t primitive, cor_check_form form, char *out);

/* The beginning of a sentence about the call: empty for a blocking one, which the face names; "MPI_Ibcast: " for one
 * that fails in another call. Room for 64 bytes. */
void cor_check_preface(uint32_t primitive, cor_check_form form, char *out);

#endif
