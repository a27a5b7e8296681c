/* From a call and a chosen algorithm to a plan, kept for the next call that is alike. Under the lock. */
#ifndef COR_COLL_PREPARE_H
#define COR_COLL_PREPARE_H

#include "coll/check.h"
#include "coll/execute.h"
#include "coll/rules.h"

/* Room to run the call, bound to nothing yet. check: compare the arguments of all ranks first, of a call of this form.
 * NULL: no memory. */
cor_execution *cor_prepare(const cor_call *call, const cor_rule *rule, cor_check_form check);

/* It is not needed any more: keep it for the next call, or destroy it. Nothing is bound. */
void cor_prepare_give_back(cor_comm *comm, cor_execution *execution);

#endif
