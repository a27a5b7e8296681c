/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all ranks do in one collective call, in little memory: the steps of the plans that the library itself builds
 * for each of them (coll/prepare.h), without the addresses, which take no time. The plan of a rank is freed when it has
 * been converted, so that 65 536 ranks fit.
 *
 * Every send is matched with its receive beforehand. Between two ranks messages match in the order in which the one
 * appends its sends and the other its receives (plan.h), so the k-th send matches the k-th receive. A send without a
 * receive, a receive without a send, or different lengths, are an error of the algorithm and are reported.
 */
#ifndef COR_SIM_PROGRAM_H
#define COR_SIM_PROGRAM_H

#include "coll/choose/rules.h"

#include <stddef.h>
#include <stdint.h>

typedef enum cor_sim_op_kind {
    COR_SIM_SEND, /* the next transfer */
    COR_SIM_RECV,
    COR_SIM_WAIT,     /* for transfer `value` of this rank */
    COR_SIM_WAIT_ALL, /* for those below `value` */
    COR_SIM_COPY,     /* `value` bytes */
    COR_SIM_REDUCE,
    COR_SIM_CALL, /* CPU time of a call besides its steps */
} cor_sim_op_kind;

enum { COR_SIM_OP_SHIFT = 60 }; /* the kind above, the value below */

typedef struct cor_sim_transfer {
    uint32_t peer;
    uint32_t partner; /* the other end: the number of the peer's transfer */
    uint64_t bytes;
} cor_sim_transfer;

typedef struct cor_sim_program {
    int ranks;
    uint64_t *ops;
    cor_sim_transfer *transfers;
    uint8_t *is_send;                    /* by transfer */
    size_t *op_starts, *transfer_starts; /* of each rank, and where the last ends */
    size_t op_room, transfer_room;       /* while it is made: room, and the current rank */
    int current;
    uint64_t messages, bytes;             /* that are sent, by all ranks together */
    uint64_t messages_most, bytes_most;   /* by the rank that sends most of them */
    uint64_t copied_bytes, reduced_bytes; /* by all */
    uint64_t reduced_most;                /* by the rank that combines most */
} cor_sim_program;

/* A call as all ranks make it: `bytes` as bench and rules count them, of the whole stream or of one block. */
typedef struct cor_sim_call {
    cor_primitive primitive;
    int ranks, node_ranks;
    int root;
    size_t bytes, element_bytes;
    int is_not_commutative;
    const cor_rule *rule; /* whose algorithm builds a plan, and can be used here (cor_sim_choose) */
    size_t memory_max;    /* COR_ERR_MEMORY, early, if all ranks will need more than this; 0: no limit */
} cor_sim_call;

/* COR_ERR_MEMORY; COR_ERR_ARG: the plans of two ranks do not fit together; COR_ERR_UNSUPPORTED: the primitive needs
 * more than this to describe it. Free it also after a failure. */
int cor_sim_program_make(cor_sim_program *program, const cor_sim_call *call, cor_fault *fault);
void cor_sim_program_free(cor_sim_program *program);

/* For programs that are not a collective call: append the steps of one rank after the other, then match them. */
int cor_sim_program_begin(cor_sim_program *program, int ranks, cor_fault *fault);
void cor_sim_program_rank(cor_sim_program *program,
                          int rank); /* the next steps are those of `rank`; from 0, in order */
int cor_sim_program_add(cor_sim_program *program, cor_sim_op_kind kind, uint64_t value, cor_fault *fault);
int cor_sim_program_transfer(cor_sim_program *program, int is_send, int peer, uint64_t bytes, cor_fault *fault);
int cor_sim_program_join(cor_sim_program *program, cor_fault *fault);

/* The memory it uses. */
size_t cor_sim_program_memory(const cor_sim_program *program);

/* ---- which algorithm: sim_choose.c
 * -------------------------------------------------------------------------------- */

/* The facts for `ranks` ranks on nodes of node_ranks each: a blocking call, enough CPUs. */
cor_situation cor_sim_situation(int ranks, int node_ranks);

/* Is the algorithm a plan that these ranks can run with this many bytes? */
int cor_sim_can_run(const cor_algorithm *algorithm, const cor_situation *situation, size_t bytes,
                    size_t element_bytes);

/* The first rule that fits and whose algorithm builds a plan; NULL: none. Shared memory (the board) is not
 * simulated. */
const cor_rule *cor_sim_choose(const cor_rules *rules, cor_primitive primitive, const cor_situation *situation,
                               size_t bytes, size_t element_bytes);

/* A rule without conditions: this algorithm with its default parameters. */
cor_rule cor_sim_rule_of(const cor_algorithm *algorithm);

#endif
