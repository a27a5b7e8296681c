/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Context numbers, agreed upon without any central place.
 *
 * Every member offers the set of numbers it has free; all take the same one of the intersection. Between a member's
 * offer and the end of the round other threads of its rank (or dups in the background) may take numbers too, so each
 * member then reserves the number and a second round confirms that all could; if not, they begin again elsewhere in the
 * set. A member that has nothing else under way marks its offer, and if all do, the second round is skipped. No rank
 * ever waits for another agreement, so agreements cannot block each other. Two agreements that choose the same number
 * cost each other one more round; to make that rare, each begins at a place of its own (`seed`).
 */
#ifndef COR_MP_CONTEXT_H
#define COR_MP_CONTEXT_H

#include "mp/members.h"
#include "mp/mp_state.h"

typedef enum cor_agreement_phase {
    COR_AGREEMENT_OFFER,
    COR_AGREEMENT_CONFIRM,
    COR_AGREEMENT_DONE
} cor_agreement_phase;

typedef struct cor_agreement {
    cor_rank *rank;
    cor_agreement_phase phase;
    int is_alone;                          /* nothing of this rank can take a number meanwhile */
    int is_reserved;                       /* by this rank, in the confirming round */
    uint32_t seed;                         /* the same in all members: where to begin */
    uint32_t number;                       /* the one agreed upon, once it is done */
    size_t count;                          /* of words in this round */
    uint64_t words[COR_CONTEXT_WORDS + 1]; /* what is to be ANDed over all members */
} cor_agreement;

/* Under the lock: begin, and go on after each round with the AND in `words`, until done. is_background: other calls of
 * this rank may run meanwhile. cor_agreement_next gives COR_OK or COR_ERR_EXHAUSTED, the same in all members. */
void cor_agreement_begin(cor_agreement *agreement, cor_rank *rank, uint32_t seed, int is_background);
int cor_agreement_next(cor_agreement *agreement);
/* After a failed round: release what is reserved. Under the lock. */
void cor_agreement_fail(cor_agreement *agreement);

/* The whole of it, blocking; `all_and` is one round. Takes the lock itself, not around all_and. */
typedef int (*cor_all_and_fn)(void *state, uint64_t *words, size_t count);
int cor_context_agree_by(cor_rank *rank, uint32_t seed, cor_all_and_fn all_and, void *state, uint32_t *number_p);
/* Over these members, and over all members of a communicator. */
int cor_context_agree_in(const cor_members *members, uint32_t *number_p);
int cor_context_agree(cor_comm *comm, uint32_t *number_p);

void cor_context_release(cor_rank *rank, uint32_t number);

#endif
