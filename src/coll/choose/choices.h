/* SPDX-License-Identifier: Apache-2.0 */
/* The state of choosing: of a rank the rules, of a communicator those of them that fit it. */
#ifndef COR_COLL_CHOICES_H
#define COR_COLL_CHOICES_H

#include "coll/choose/rules.h"

/* With a rank. */
typedef struct cor_coll_rank {
    cor_rules rules;     /* a user's, then the built-in ones */
    uint32_t generation; /* counts changes of the rules */
    cor_rule forced[COR_PRIMITIVES];
    uint8_t is_forced[COR_PRIMITIVES];
    struct cor_learn_rank *learn; /* learn's, or NULL; freed by: */
    void (*learn_free)(struct cor_learn_rank *learn);
} cor_coll_rank;

/* A rule, and the bytes it fits on a communicator of this size. */
typedef struct cor_choice_row {
    cor_range bytes;
    const cor_rule *rule;
} cor_choice_row;

/* The rules of one primitive that fit a communicator, for one kind of call: only the bytes are left to compare. */
typedef struct cor_choice_table {
    cor_choice_row *rows; /* NULL: not made yet */
    size_t count;
    const cor_rule *forced; /* the choice that the rows come from; NULL: the rules */
    size_t room;            /* the largest element where COR_NEEDS_ROOM */
} cor_choice_table;

enum { COR_VARIANTS = 4 }; /* commutative or not, blocking or not */

/* With a communicator. */
typedef struct cor_choices {
    const cor_coll_rank *rank;
    uint32_t generation; /* of the rules that `tables` come from */
    cor_choice_table tables[COR_PRIMITIVES][COR_VARIANTS];
} cor_choices;

/* The state of a rank, made on first use. NULL, with the sentence in the rank's fault: bad rules, no memory. */
cor_coll_rank *cor_coll_of_rank(cor_rank *rank);

/* Empty the tables: they are made again when next needed. */
void cor_choices_clear(cor_choices *choices);

/* COR_ERR_MEMORY, with the sentence. */
int cor_choice_no_memory(cor_rank *rank);

#endif
