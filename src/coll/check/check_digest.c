/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/check/check.h"

#include "coll/plan/algorithm.h"
#include "dtype/op_kernels.h"
#include "dtype/predefined.h"

#include <ctype.h>
#include <stdio.h>

/* ---- making ----------------------------------------------------------------------------------------------------- */

static uint64_t digest_mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
    return sum ^ (sum >> 29);
}

static uint64_t digest_shape(const size_t *starts, int count)
{
    uint64_t sum = 1;
    for (int i = 0; i <= count; i++)
        sum = digest_mix(sum, starts[i]);
    return sum;
}

static int digest_is_rooted(const cor_call *call)
{
    switch (call->primitive) {
    case COR_BCAST:
    case COR_GATHER:
    case COR_GATHERV:
    case COR_SCATTER:
    case COR_SCATTERV:
    case COR_REDUCE:
        return 1;
    default:
        return 0;
    }
}

/* The stream that must be the same at every rank, where it is not in parts: on this rank it is one of the two
 * streams. */
static const cor_stream *digest_common(const cor_call *call)
{
    int is_root = call->root == cor_comm_rank(call->comm);
    switch (call->primitive) {
    case COR_GATHER:
        return is_root ? &call->recv : &call->send;
    case COR_SCATTER:
        return is_root ? &call->send : &call->recv;
    case COR_EXSCAN: /* the first rank has nothing to receive */
        return call->is_in_place ? &call->recv : &call->send;
    case COR_REDUCE:
        return is_root && call->is_in_place ? &call->recv : &call->send;
    default:
        return &call->recv;
    }
}

/* The length that must be the same at every rank, if the primitive has one. */
static int digest_bytes(const cor_call *call, uint64_t *bytes_p)
{
    switch (call->primitive) {
    case COR_BCAST:
    case COR_GATHER:
    case COR_SCATTER:
    case COR_ALLGATHER:
    case COR_ALLTOALL:
    case COR_REDUCE:
    case COR_ALLREDUCE:
    case COR_SCAN:
    case COR_EXSCAN:
    case COR_REDUCE_SCATTER_BLOCK:
        *bytes_p = digest_common(call)->bytes;
        return 1;
    case COR_REDUCE_SCATTER:
        *bytes_p = call->send.starts[cor_comm_size(call->comm)];
        return 1;
    case COR_ALLGATHERV:
        *bytes_p = call->recv.starts[cor_comm_size(call->comm)];
        return 1;
    default:
        return 0;
    }
}

/* On an intercommunicator the sides pass different things, and only these must agree across. */
static int digest_has_bytes_across(const cor_call *call)
{
    return (call->primitive == COR_BCAST && call->root != COR_PROC_NULL) || call->primitive == COR_ALLREDUCE;
}

/* Two types that one kernel combines are equal, such as MPI_INT and MPI_INT32_T. */
static uint32_t digest_element_kind(const cor_reducer *reducer)
{
    for (uint32_t number = COR_DTYPE_FIRST; number < COR_DTYPE_FIRST + COR_DTYPE_ROWS; number++)
        if (cor_op_kernel(reducer->op->number, number) == reducer->combine)
            return number;
    return reducer->type->number;
}

/* The elements of the stream that must be the same at every rank. The type that a predefined operator combines is
 * compared separately. */
static cor_signature digest_signature(const cor_call *call, uint64_t bytes)
{
    const cor_dtype *type = digest_common(call)->type;
    if (call->reducer.op)
        type = call->reducer.combine ? NULL : call->reducer.type;
    return cor_signature_of(type, bytes);
}

/* The block that this rank sends to itself, as it sends it and as it expects it, if it has both. What it expects all
 * others expect too. */
static void digest_own_block(cor_check_digest *digest, const cor_call *call)
{
    int rank = cor_comm_rank(call->comm);
    size_t bytes = call->recv.bytes;
    switch (call->primitive) {
    case COR_ALLGATHERV:
        bytes = call->recv.starts[rank + 1] - call->recv.starts[rank];
        break;
    case COR_GATHER:
    case COR_SCATTER:
    case COR_ALLGATHER:
    case COR_ALLTOALL:
        break;
    default:
        return;
    }
    if (call->send.bytes != bytes)
        return;
    digest->sent = cor_signature_of(call->send.type, call->send.bytes);
    digest->expected = cor_signature_of(call->recv.type, bytes);
}

void cor_check_digest_init(cor_check_digest *digest, const cor_call *call, cor_check_form form)
{
    int is_inter = cor_comm_is_inter(call->comm);
    *digest = (cor_check_digest){.primitive = (uint32_t)call->primitive, .form = (uint8_t)form};
    if (digest_is_rooted(call) && !(is_inter && call->root < 0)) {
        digest->has_root = 1;
        digest->root = call->root;
    }
    if (call->reducer.op) {
        digest->has_operator = 1;
        digest->operator_number = call->reducer.op->name ? call->reducer.op->number : 0;
        digest->is_commutative = (uint8_t)(call->reducer.op->is_commutative != 0);
    }
    if (is_inter && !digest_has_bytes_across(call))
        return;
    digest->has_bytes = (uint8_t)digest_bytes(call, &digest->bytes);
    if (digest->has_bytes)
        digest->signature = digest_signature(call, digest->bytes);
    if (call->reducer.combine) {
        digest->element = call->reducer.type->number;
        digest->element_kind = digest_element_kind(&call->reducer);
    }
    if (is_inter)
        return;
    digest_own_block(digest, call);
    if (call->primitive == COR_ALLGATHER || call->primitive == COR_ALLTOALL) {
        digest->has_own = 1;
        digest->own = call->is_in_place ? digest->bytes : call->send.bytes;
    }
    if (call->primitive == COR_REDUCE_SCATTER)
        digest->shape = digest_shape(call->send.starts, cor_comm_size(call->comm));
    if (call->primitive == COR_ALLGATHERV) {
        const size_t *starts = call->recv.starts;
        int rank = cor_comm_rank(call->comm);
        digest->shape = digest_shape(starts, cor_comm_size(call->comm));
        digest->has_own = 1;
        digest->own = call->is_in_place ? starts[rank + 1] - starts[rank] : call->send.bytes;
    }
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

void cor_check_call_name(uint32_t primitive, cor_check_form form, char *out)
{
    const char *name = primitive < COR_PRIMITIVES ? cor_primitive_name((cor_primitive)primitive) : "finalize";
    snprintf(out, 64, "MPI_%s%s%s", form == COR_CHECK_STARTED ? "I" : "", name,
             form == COR_CHECK_PERSISTENT ? "_init" : "");
    out[4] = (char)toupper((unsigned char)out[4]);
}

void cor_check_preface(uint32_t primitive, cor_check_form form, char *out)
{
    char name[64];
    cor_check_call_name(primitive, form, name);
    snprintf(out, 64, "%.61s%s", form == COR_CHECK_BLOCKING ? "" : name, form == COR_CHECK_BLOCKING ? "" : ": ");
}

static const char *digest_operator(const cor_check_digest *digest)
{
    const cor_op *op = digest->operator_number ? cor_op_predefined(digest->operator_number) : NULL;
    return op ? op->name : digest->is_commutative ? "a commutative user-defined operator" : "a user-defined operator";
}

/* Report a difference, and the two ranks. Ranks of an intercommunicator have no common numbers but those of the job. */
static int digest_tell(const cor_check_table *table, int rank, const char *says, int first, const char *first_says,
                       cor_fault *fault)
{
    char preface[64];
    const char *of = table->job_ranks ? " of the job" : "";
    cor_check_preface(table->digests[0].primitive, (cor_check_form)table->digests[0].form, preface);
    return cor_fault_set(fault, COR_ERR_ARG, "%srank %d%s passes %s, rank %d%s passes %s", preface,
                         table->job_ranks ? table->job_ranks[rank] : rank, of, says,
                         table->job_ranks ? table->job_ranks[first] : first, of, first_says);
}

static int digest_primitives(const cor_check_table *table, cor_fault *fault)
{
    char name[64], other[64];
    const cor_check_digest *digests = table->digests;
    for (int rank = 1; rank < table->count; rank++)
        if (digests[rank].primitive != digests[0].primitive || digests[rank].form != digests[0].form) {
            const char *of = table->job_ranks ? " of the job" : "";
            cor_check_call_name(digests[0].primitive, (cor_check_form)digests[0].form, name);
            cor_check_call_name(digests[rank].primitive, (cor_check_form)digests[rank].form, other);
            return cor_fault_set(fault, COR_ERR_ARG, "rank %d%s calls %s, rank %d%s calls %s",
                                 table->job_ranks ? table->job_ranks[rank] : rank, of, other,
                                 table->job_ranks ? table->job_ranks[0] : 0, of, name);
        }
    return COR_OK;
}

/* Roots, operators, bytes: on an intercommunicator not every rank has them, so compare with the first that has. */
static int digest_roots(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    char says[48], first_says[48];
    for (int rank = 0, first = -1; rank < table->count; rank++) {
        if (!digests[rank].has_root)
            continue;
        first = first < 0 ? rank : first;
        if (digests[rank].root != digests[first].root) {
            snprintf(says, sizeof says, "root %d", digests[rank].root);
            snprintf(first_says, sizeof first_says, "root %d", digests[first].root);
            return digest_tell(table, rank, says, first, first_says, fault);
        }
    }
    return COR_OK;
}

static int digest_lengths(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    char says[48], first_says[48];
    for (int rank = 0, first = -1; rank < table->count; rank++) {
        if (!digests[rank].has_bytes)
            continue;
        first = first < 0 ? rank : first;
        if (digests[rank].bytes != digests[first].bytes) {
            snprintf(says, sizeof says, "%llu bytes", (unsigned long long)digests[rank].bytes);
            snprintf(first_says, sizeof first_says, "%llu bytes", (unsigned long long)digests[first].bytes);
            return digest_tell(table, rank, says, first, first_says, fault);
        }
    }
    return COR_OK;
}

static int digest_operators(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    for (int rank = 0, first = -1; rank < table->count; rank++) {
        const cor_check_digest *digest = &digests[rank];
        if (!digest->has_operator)
            continue;
        first = first < 0 ? rank : first;
        if (digest->operator_number != digests[first].operator_number ||
            digest->is_commutative != digests[first].is_commutative)
            return digest_tell(table, rank, digest_operator(digest), first, digest_operator(&digests[first]), fault);
    }
    return COR_OK;
}

/* A rank that combines with a user's operator has no type to report. */
static int digest_elements(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    for (int rank = 0, first = -1; rank < table->count; rank++) {
        const cor_dtype *type = cor_dtype_predefined(digests[rank].element);
        if (!type)
            continue;
        first = first < 0 ? rank : first;
        if (digests[rank].element_kind != digests[first].element_kind)
            return digest_tell(table, rank, type->name, first, cor_dtype_predefined(digests[first].element)->name,
                               fault);
    }
    return COR_OK;
}

/* All must agree on the lengths of all blocks, and each must send one as long as the others expect. */
static int digest_blocks(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    char preface[64];
    cor_check_preface(digests[0].primitive, (cor_check_form)digests[0].form, preface);
    for (int rank = 1; rank < table->count; rank++)
        if (digests[rank].shape != digests[0].shape)
            return cor_fault_set(fault, COR_ERR_ARG, "%srank %d passes different block lengths than rank 0", preface,
                                 rank);
    for (int rank = 0; rank < table->count && digests[0].has_own; rank++) {
        uint64_t expected = table->starts ? table->starts[rank + 1] - table->starts[rank] : digests[0].bytes;
        if (digests[rank].own != expected)
            return cor_fault_set(fault, COR_ERR_ARG, "%srank %d sends %llu bytes where %llu are expected from it",
                                 preface, rank, (unsigned long long)digests[rank].own, (unsigned long long)expected);
    }
    return COR_OK;
}

/* As many bytes, but of something else. What fits everything is not compared. */
static int digest_signatures(const cor_check_table *table, cor_fault *fault)
{
    const cor_check_digest *digests = table->digests;
    char says[COR_SIGNATURE_WORDS], first_says[COR_SIGNATURE_WORDS], preface[64];
    for (int rank = 0, first = -1; rank < table->count; rank++) {
        const cor_check_digest *digest = &digests[rank];
        if (!digest->has_bytes || digest->signature.is_open)
            continue;
        first = first < 0 ? rank : first;
        if (!cor_signature_fits(&digest->signature, &digests[first].signature)) {
            cor_signature_print(&digest->signature, says);
            cor_signature_print(&digests[first].signature, first_says);
            return digest_tell(table, rank, says, first, first_says, fault);
        }
    }
    for (int rank = 0; rank < table->count; rank++)
        if (!cor_signature_fits(&digests[rank].sent, &digests[rank].expected)) {
            cor_check_preface(digests[0].primitive, (cor_check_form)digests[0].form, preface);
            cor_signature_print(&digests[rank].sent, says);
            cor_signature_print(&digests[rank].expected, first_says);
            return cor_fault_set(fault, COR_ERR_ARG, "%srank %d sends %s where %s are expected from it", preface, rank,
                                 says, first_says);
        }
    return COR_OK;
}

typedef int (*digest_question)(const cor_check_table *table, cor_fault *fault);

int cor_check_digests(const cor_check_table *table, cor_fault *fault)
{
    static const digest_question questions[] = {digest_primitives, digest_roots,  digest_operators, digest_elements,
                                                digest_lengths,    digest_blocks, digest_signatures};
    int rc = COR_OK;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && rc == COR_OK; i++)
        rc = questions[i](table, fault);
    return rc;
}
