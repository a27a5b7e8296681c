/* SPDX-License-Identifier: Apache-2.0 */
/* Performing a case on a rank: buffers, the call, the comparison with the reference. */
#ifndef TESTS_COLL_PERFORM_H
#define TESTS_COLL_PERFORM_H

#include "coll_case.h"

/* The communicators of a rank that cases are called on; NULL: there is none with so few ranks. */
typedef struct coll_comms {
    cor_comm *of[WHERES];
} coll_comms;

/* Collective over the job. */
void coll_comms_init(coll_comms *comms, coll_rank *me);
void coll_comms_fini(coll_comms *comms);

/* All ranks alike. The case's algorithm has been forced. */
void coll_perform(coll_rank *me, const coll_comms *comms, const coll_case *c);
/* The algorithm cannot be used here: the call says so and touches nothing. */
void coll_perform_refused(coll_rank *me, const coll_comms *comms, const coll_case *c);

#endif
