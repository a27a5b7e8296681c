/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of coll on a communicator. Every folder has its own part in it, as a pointer to a struct that only that
 * folder uses; coll_state.c makes all of them on the first call and frees them with the communicator.
 */
#ifndef COR_COLL_COMM_H
#define COR_COLL_COMM_H

#include "mp/collective.h"

/* Tags of the collectives, of COR_TAG_BITS, on a communicator's second context. Calls have a number, the same on all
 * ranks, so that messages left behind by a mismatched call do not match those of a correct one. Blocking calls between
 * two groups have none: the ranks that are not root may make fewer of them. */
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
    int is_watched;                         /* is_checked, or learn is not NULL: blocking calls take the slow path */
    int has_no_board;                       /* making shared memory was tried and failed */
    int has_zcopy;                          /* the caller writes to the board: update where */
    struct cor_board *board;                /* of board/: shared memory of the members, or NULL */
    struct cor_choices *choices;            /* of choose/ */
    struct cor_plan_cache *cache;           /* of prepare.c */
    struct cor_learn *learn;                /* of learn/, or NULL: the rules alone choose */
} cor_coll_comm;

/* The tag of the next numbered call. With the knob check all calls are numbered, whatever their form (check.h). */
static inline int cor_coll_tag_started(cor_coll_comm *state)
{
    return (int)(COR_COLL_TAG_STARTED + (state->started++ & COR_COLL_TAG_MASK));
}

#endif
