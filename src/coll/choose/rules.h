/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules are data that choose which algorithm runs. One line each, the first that fits wins:
 *
 *     bcast bytes<=12k ranks<8 mst
 *     bcast bytes>1M !oversubscribed chain segment=128k
 *     bcast bucket
 *
 * A primitive, conditions, an algorithm of that primitive, its parameters. '#' begins a comment. Conditions compare
 *     bytes  of the whole stream, or of one block where there are blocks (the mean in v forms)
 *     total  bytes of the blocks of all ranks together: `bytes` times `ranks`
 *     ranks, nodes, node_ranks (of the largest node)
 * with < <= > >= =, or are one of the words below, negated by '!' in front. A rule with an algorithm whose needs are
 * not met (algorithm.h) does not fit either.
 *
 * All ranks must choose the same, so conditions use only what all of them know:
 * - rules of gatherv, scatterv, alltoallv and the like must not use bytes, which not every rank knows;
 * - `oversubscribed` holds if all ranks of the communicator are on one node, or all of the job on one host, and that
 *   has fewer CPUs than ranks. On a communicator over several hosts it never holds, and `!oversubscribed` always does:
 *   hosts may differ in it, and a rank knows only its own.
 *
 * A line `set NAME=VALUE` is a setting that corunna run passes on, not a rule.
 *
 * An algorithm may be written in capitals, as some are in the literature: nbFT, BDE. The old word for oversubscribed,
 * `crowded`, is accepted, too.
 */
#ifndef COR_COLL_RULES_H
#define COR_COLL_RULES_H

#include "coll/choose/algorithms.h"

/* X(NAME, word, meaning) */
#define COR_FACT_LIST(X)                                                                                              \
    X(COMMUTATIVE, commutative, "the operator is commutative")                                                        \
    X(BLOCKING, blocking, "the call blocks")                                                                          \
    X(POWER_OF_TWO, power_of_two, "the number of ranks is a power of two")                                            \
    X(ONE_NODE, one_node, "all ranks share memory")                                                                   \
    X(THREADS, threads, "all ranks are threads of one process")                                                       \
    X(OVERSUBSCRIBED, oversubscribed, "all are on one host, which has fewer CPUs than ranks")                         \
    X(INTER, intercomm, "it is an intercommunicator")

typedef enum cor_fact_bit {
#define COR_FACT_BIT(NAME, word, meaning) COR_FACT_BIT_##NAME,
    COR_FACT_LIST(COR_FACT_BIT)
#undef COR_FACT_BIT
} cor_fact_bit;

enum {
#define COR_FACT_ENUM(NAME, word, meaning) COR_FACT_##NAME = 1 << COR_FACT_BIT_##NAME,
    COR_FACT_LIST(COR_FACT_ENUM)
#undef COR_FACT_ENUM
};

/* A closed interval. */
typedef struct cor_range {
    size_t low, high;
} cor_range;

typedef struct cor_rule {
    cor_primitive primitive;
    cor_range bytes, total, ranks, nodes, node_ranks;
    uint32_t wanted, unwanted; /* facts */
    const cor_algorithm *algorithm;
    size_t parameters[COR_PARAMETERS_MAX];
    int is_family; /* a choice forced by the first word of names, up to the '_': `algorithm` is the first */
    int line;      /* in its file */
    int is_built_in;
} cor_rule;

typedef struct cor_rules {
    cor_rule *rows;
    size_t count;
} cor_rules;

/* What does not depend on a single call. */
typedef struct cor_situation {
    int ranks, nodes, node_ranks;
    uint32_t facts;
} cor_situation;

/* The built-in rules, as text. */
extern const char cor_default_rules[];

/* The rules of a user's file, unless `path` is empty, and then the built-in ones. COR_ERR_KNOB, COR_ERR_MEMORY,
 * COR_ERR_SYSTEM; on failure, too, the caller frees what was read. */
int cor_rules_load(cor_rules *rules, const char *path, cor_fault *fault);
void cor_rules_free(cor_rules *rules);

/* "mst segment=64k": an algorithm of the primitive and its parameters, as a rule without conditions. "board": all that
 * begin with board_, among which the rules choose. */
int cor_rule_parse_choice(cor_primitive primitive, const char *text, cor_rule *rule_p, cor_fault *fault);

/* Does the rule fit, whatever the bytes are? */
int cor_rule_fits(const cor_rule *rule, const cor_situation *situation);
/* The bytes that the rule fits, on this many ranks. */
cor_range cor_rule_bytes(const cor_rule *rule, int ranks);
/* Does the rule choose an algorithm of this forced family? */
int cor_rule_is_of_family(const cor_rule *rule, const cor_rule *forced);

/* The needs of an algorithm that do not hold, as bits; ELEMENTS depends on the call and is left out. */
uint32_t cor_unmet_needs(const cor_algorithm *algorithm, const cor_situation *situation);

/* The same for a forced choice; of a family, the needs that all its algorithms share. */
uint32_t cor_rule_unmet(const cor_rule *forced, const cor_situation *situation);

/* A forced algorithm wins or fails loudly: COR_ERR_KNOB, with a sentence that names the first unmet need. */
int cor_rule_refuse(const cor_rule *rule, uint32_t unmet, cor_fault *fault);

/* Is the algorithm for this kind of communicator (intra or inter)? A choice forced for one kind leaves the other to the
 * rules. */
int cor_rule_is_for(const cor_rule *rule, const cor_situation *situation);

/* Do all ranks know the bytes of a block of this primitive? */
static inline int cor_primitive_has_bytes(cor_primitive primitive)
{
    switch (primitive) {
    case COR_GATHERV:
    case COR_SCATTERV:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
    case COR_NEIGHBOR_ALLGATHERV:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return 0;
    default:
        return 1;
    }
}

cor_primitive cor_primitive_find(const char *name); /* COR_PRIMITIVES: none */
const char *cor_fact_word(cor_fact_bit fact);

/* A number with a unit: 12k. */
enum { COR_RULE_SIZE_MAX = 24 };
void cor_rule_print_size(size_t value, char out[COR_RULE_SIZE_MAX]);

/* The rule as a line, without its line break. */
void cor_rule_print(const cor_rule *rule, char *out, size_t out_bytes);

#endif
