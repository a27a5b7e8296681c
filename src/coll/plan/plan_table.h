/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that an algorithm needs while it builds a plan and that are the same on every rank of the call: where blocks
 * begin, which ranks are on which node. A rank makes them for its own plan, of which they are notes. A process that
 * builds the plans of all ranks of a call, one after the other (src/sim), makes each of them once: otherwise an effort
 * proportional to the number of ranks would grow with its square.
 */
#ifndef COR_COLL_PLAN_TABLE_H
#define COR_COLL_PLAN_TABLE_H

#include "coll/plan/plan.h"

/* The tables of one call; they live until they are freed. Zeroed: none yet. */
typedef struct cor_plan_tables {
    struct plan_table *first;
} cor_plan_tables;

void cor_plan_tables_free(cor_plan_tables *tables);

/*
 * The table of this name and for this value (what it is made of besides the call), `bytes` long. *is_made_p: another
 * rank has made it; else it is zero, and to be filled before the next call of this function. Valid as long as the plan.
 * NULL: no memory, and the plan has failed.
 */
void *cor_plan_table(cor_plan *plan, const char *name, uint64_t value, size_t bytes, int *is_made_p);

#endif
