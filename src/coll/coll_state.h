/* What coll's own files share: what it keeps with a rank and with a communicator. */
#ifndef COR_COLL_STATE_H
#define COR_COLL_STATE_H

#include "coll/execute.h"
#include "coll/rules.h"
#include "mp/mp_state.h"

/* Tags of the collectives, of COR_TAG_BITS, on a communicator's second context. Calls have a number, which all ranks count alike, so that
 * what a wrong call leaves behind is not met by a right one. Blocking calls between two groups have none: ranks beside a
 * root may make fewer. */
enum {
    COR_COLL_TAG_BETWEEN = 16, /* blocking, between two groups */
    COR_COLL_TAG_STARTED = 0x04000000,
    COR_COLL_TAG_PERSISTENT = 0x08000000,
    COR_COLL_TAG_BLOCKING = 0x0c000000,
    COR_COLL_TAG_MASK = 0x03ffffff,
};

/* With a rank: the rules. */
typedef struct cor_coll_rank {
    cor_rules rules;     /* a user's, then the built-in ones */
    uint32_t generation; /* counts changes of the rules */
    cor_rule forced[COR_PRIMITIVES];
    uint8_t is_forced[COR_PRIMITIVES];
} cor_coll_rank;

/* The rules of one primitive that fit a communicator, for one kind of call: what is left to look at are the bytes. */
typedef struct cor_choice_table {
    const cor_rule **rows; /* NULL: not made yet */
    size_t count;
    size_t room; /* the largest element where COR_NEEDS_ROOM */
} cor_choice_table;

/* What makes two calls do the same steps. */
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
    cor_execution *spare; /* room to run it, or NULL: in use */
    uint64_t last_use;
} cor_cached_plan;

enum { COR_CACHED_PLANS = 16, COR_VARIANTS = 4 /* commutative or not, blocking or not */ };

/* With a communicator. */
typedef struct cor_coll_comm {
    uint32_t started, persistent, blocking; /* calls so far, for tags */
    uint32_t generation;                    /* of the rules that `tables` come from */
    cor_choice_table tables[COR_PRIMITIVES][COR_VARIANTS];
    cor_cached_plan cache[COR_CACHED_PLANS];
    uint64_t uses;
    struct cor_board *board; /* shared memory of the members, or NULL */
    int has_no_board;        /* it was tried and cannot be */
    int has_zcopy;           /* the caller writes to the board, and wants to know where */
} cor_coll_comm;

/* The states, made on first use. NULL and the sentence in the rank's fault: bad rules, no memory. */
cor_coll_rank *cor_coll_of_rank(cor_rank *rank);
cor_coll_comm *cor_coll_make_comm(cor_comm *comm);

static inline cor_coll_comm *cor_coll_of_comm(cor_comm *comm)
{
    return COR_LIKELY(comm->coll != NULL) ? comm->coll : cor_coll_make_comm(comm);
}

/* The tag of the next call that is numbered. With the knob check all are, whatever their form (check.h). */
static inline int cor_coll_tag_started(cor_coll_comm *state)
{
    return (int)(COR_COLL_TAG_STARTED + (state->started++ & COR_COLL_TAG_MASK));
}

/* COR_ERR_MEMORY, with the sentence. */
int cor_choice_no_memory(cor_rank *rank);
/* Make the tables empty: they are made anew when they are next asked for. */
void cor_choice_tables_clear(cor_coll_comm *state);
/* Make the entry empty. */
void cor_cached_plan_clear(cor_cached_plan *cached);

#endif
