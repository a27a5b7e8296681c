/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan names memory by slot, so that it can be kept and run on other buffers (plan.h). A binding maps the slots to
 * memory: TEMP to memory of the execution that runs the plan, SEND and RECV to the streams of one call, one of them as
 * a piece of the other where the call is in place.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_BINDING_H
#define COR_COLL_BINDING_H

#include "coll/plan/call.h"
#include "coll/plan/plan.h"
#include "dtype/payload_view.h"

/* Must not be moved while it is in use: slots point into it. */
typedef struct cor_binding {
    cor_payload slots[COR_SLOTS]; /* TEMP is set by the owner, once */
    cor_reducer reducer;

    /* ---- private to binding.c ---- */
    cor_payload send, recv; /* what slots are pieces of */
    cor_payload_row send_row, recv_row;
    void *row_memory;
    int is_kept;
} cor_binding;

/* is_kept: the binding outlives this call of the program, so payloads, operator and datatype are held until fini.
 * COR_ERR_MEMORY. */
int cor_binding_init(cor_binding *binding, const cor_plan *plan, const cor_call *call, int is_kept);
/* Also for a binding that is all zero, or finished already. */
void cor_binding_fini(cor_binding *binding);

#endif
