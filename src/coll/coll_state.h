/* SPDX-License-Identifier: Apache-2.0 */
/* The state of coll on a communicator (plan/coll_comm.h), made on first use. Every function of coll.h gets it first. */
#ifndef COR_COLL_STATE_H
#define COR_COLL_STATE_H

#include "coll/plan/coll_comm.h"

/* NULL, with the sentence in the rank's fault: bad rules, no memory. */
cor_coll_comm *cor_coll_make_comm(cor_comm *comm);

static inline cor_coll_comm *cor_coll_of_comm(cor_comm *comm)
{
    return COR_LIKELY(cor_comm_coll(comm) != NULL) ? cor_comm_coll(comm) : cor_coll_make_comm(comm);
}

#endif
