/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What coll keeps with a communicator. Every folder has its own part in it, as a pointer to what only that folder looks
 * into; the front (coll_state.c) makes all of them on the first call and frees them with the communicator.
 */
#ifndef COR_COLL_COMM_H
#define COR_COLL_COMM_H

#include "mp/collective.h"

/* Tags of the collectives, of COR_TAG_BITS, on a communicator's second context. Calls have a number, which all ranks
 * count alike, so that what a wrong call leaves behind is not met by a right one. Blocking calls between two groups
 * have none: ranks beside a root may make fewer. */
enum {
    COR_COLL_TAG_BETWEEN = 16, /* blocking, between two groups */
    COR_COLL_TAG_STARTED = 0x04000000,
    COR_COLL_TAG_PERSISTENT = 0x08000000,
    COR_COLL_TAG_BLOCKING = 0x0c000000,
    COR_COLL_TAG_MASK = 0x03ffffff,
};

typedef struct cor_coll_comm {
    uint32_t started, persistent, blocking; /* calls so far, for tags */
    int is_checked;                         /* the knob check */
    int is_watched;                         /* is_checked, or learn is not NULL: a blocking call takes the long way */
    int has_no_board;                       /* shared memory was tried and cannot be */
    int has_zcopy;                          /* the caller writes to the board, and wants to know where */
    struct cor_board *board;                /* board's: shared memory of the members, or NULL */
    struct cor_choices *choices;            /* choose's */
    struct cor_plan_cache *cache;           /* the front's (prepare.c) */
    struct cor_learn *learn;                /* learn's, or NULL: the rules alone choose */
} cor_coll_comm;

/* The tag of the next call that is numbered. With the knob check all are, whatever their form (check.h). */
static inline int cor_coll_tag_started(cor_coll_comm *state)
{
    return (int)(COR_COLL_TAG_STARTED + (state->started++ & COR_COLL_TAG_MASK));
}

#endif
