/* SPDX-License-Identifier: Apache-2.0 */
/* From a call and a chosen algorithm to a plan, kept for the next call that needs the same steps. Under the lock. */
#ifndef COR_COLL_PREPARE_H
#define COR_COLL_PREPARE_H

#include "coll/check/check.h"
#include "coll/choose/rules.h"
#include "coll/plan/execute.h"
#include "coll/plan/plan_table.h"

/* Two calls with the same key have the same steps. */
typedef struct cor_plan_key {
    const cor_algorithm *algorithm;
    size_t parameters[COR_PARAMETERS_MAX];
    size_t send_bytes, recv_bytes, element_bytes;
    int root;
    uint8_t is_in_place, is_commutative;
} cor_plan_key;

typedef struct cor_cached_plan {
    cor_plan_key key;
    cor_plan *plan;       /* a reference; NULL: empty */
    cor_execution *spare; /* an execution of it, or NULL: in use */
    uint64_t last_use;
} cor_cached_plan;

enum { COR_CACHED_PLANS = 16 };

/* Of a communicator: its last plans. */
typedef struct cor_plan_cache {
    cor_cached_plan plans[COR_CACHED_PLANS];
    uint64_t uses;
} cor_plan_cache;

/* An execution for the call, not bound yet. check: compare the arguments of all ranks first, for a call of this form.
 * NULL: no memory. */
cor_execution *cor_prepare(const cor_call *call, const cor_rule *rule, cor_check_form check);

/* The steps of the rank that the communicator is seen from, with one reference and not cached, to be inspected.
 * `tables` are those of the call, shared by the plans of all its ranks; they outlive the plans. NULL: no memory. */
cor_plan *cor_prepare_plan(const cor_call *call, const cor_rule *rule, cor_plan_tables *tables);

/* Return an execution that is not bound: it is kept for the next call, or destroyed. */
void cor_prepare_give_back(cor_comm *comm, cor_execution *execution);

void cor_plan_cache_clear(cor_plan_cache *cache);

#endif
