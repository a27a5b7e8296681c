/* SPDX-License-Identifier: Apache-2.0 */
/* The state of learning: of a rank, of a communicator, and of a class of its calls. */
#ifndef COR_COLL_LEARN_STATE_H
#define COR_COLL_LEARN_STATE_H

#include "base/list.h"
#include "coll/learn/learn.h"
#include "coll/learn/trials.h"

/* A rule that was learnt, and why. */
typedef struct cor_learnt {
    cor_rule rule;
    char before[32]; /* the algorithm that the rules chose */
    uint64_t before_ns, after_ns, calls;
} cor_learnt;

typedef struct cor_learnt_list {
    cor_learnt *rows;
    size_t count;
} cor_learnt_list;

/* With a rank. */
struct cor_learn_rank {
    uint64_t opened_ns;
    uint64_t spent_ns;            /* on trials and agreements */
    uint64_t step_ns, longest_ns; /* on the last step, and on the longest */
    uint64_t calls, steps, trials;
    int is_kept;           /* what was learnt will be written */
    cor_list learns;       /* of communicators that are in use */
    cor_learnt_list freed; /* of those that are not */
};

struct cor_learn_class {
    struct cor_learn_class *next; /* of the primitive */
    cor_primitive primitive;
    int is_commutative;
    int bits; /* the number of bits of `bytes`; 0: none */
    cor_trials trials;
    cor_rule rules[COR_TRIALS_MAX]; /* [0]: the algorithm that the rules chose at first */
    uint64_t mine_ns;               /* the last trial, as this rank saw it */
    int by_needs, by_cost;          /* number of algorithms not tried: needs not met, cost too high */
};

struct cor_learn {
    cor_link link;
    cor_comm *comm;
    cor_coll_rank *rank;
    uint64_t calls, first_call; /* so far; the first one that may be a trial */
    uint32_t share;
    int is_stopped;
    cor_trials_agreed last; /* what the ranks have agreed on */
    uint64_t step_ns;       /* how long that took this rank */
    cor_learn_class *classes[COR_PRIMITIVES];
};

/* learn_file.c: append what the classes have learnt. COR_ERR_MEMORY. */
int cor_learnt_collect(cor_learnt_list *list, const cor_learn *learn);

#endif
