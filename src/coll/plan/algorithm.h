/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An algorithm is one file and one row. The rows are in one list (choose/algorithm_list.h), from which the rules, the
 * printed tables and the tests come.
 */
#ifndef COR_COLL_ALGORITHM_H
#define COR_COLL_ALGORITHM_H

#include "coll/plan/call.h"
#include "coll/plan/plan.h"

/* What must hold for an algorithm to be usable. X(NAME, word in messages and tables) */
#define COR_NEED_LIST(X)                                                                                              \
    X(COMMUTATIVE, "a commutative operator")                                                                          \
    X(POWER_OF_TWO, "a number of ranks that is a power of two")                                                       \
    X(ONE_NODE, "all ranks on one node")                                                                              \
    X(NODES, "several nodes, and several ranks on one of them")                                                       \
    X(BLOCKING, "a blocking call")                                                                                    \
    X(INTER, "an intercommunicator")                                                                                  \
    X(ELEMENTS, "at least one element a rank")                                                                        \
    X(ROOM, "elements that fit into the shared memory of a rank (coll.board)")                                        \
    X(THREADS, "ranks that are threads of one process")                                                               \
    X(FEW_RANKS, "at most 64 ranks")

typedef enum cor_need_bit {
#define COR_NEED_BIT(NAME, word) COR_NEED_BIT_##NAME,
    COR_NEED_LIST(COR_NEED_BIT)
#undef COR_NEED_BIT
} cor_need_bit;

enum { COR_FEW_RANKS = 64 };

enum {
#define COR_NEED_ENUM(NAME, word) COR_NEEDS_##NAME = 1 << COR_NEED_BIT_##NAME,
    COR_NEED_LIST(COR_NEED_ENUM)
#undef COR_NEED_ENUM
};

/* A number a rule may set: `bcast bytes>1M chain segment=64k`. */
typedef struct cor_parameter {
    const char *name; /* NULL: no more */
    size_t fallback, minimum, maximum;
    const char *meaning;
} cor_parameter;

typedef struct cor_algorithm {
    cor_primitive primitive;
    const char *name;    /* of a rule: "mst"; a word of lower-case letters, digits and '_' */
    const char *summary; /* one line */
    const char *cost;    /* p ranks, n bytes (of the whole stream, or of one block), a a message, b a byte, g to
                          * combine a byte: "lg p (a + n b)" */
    uint32_t needs;
    cor_parameter parameters[COR_PARAMETERS_MAX];
    /* One of the two is set. build appends the steps of this rank. run performs the whole operation, where steps are
     * measurably too slow; it is called with the lock held and may wait as the device waits. */
    cor_build_fn build;
    int (*run)(const cor_call *call, const size_t *parameters);
} cor_algorithm;

const char *cor_primitive_name(cor_primitive primitive);
/* The words of one need. */
const char *cor_need_word(cor_need_bit need);

#endif
