/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case: one algorithm, called in one way. The cases of an algorithm on so many ranks are numbered through: each
 * number stands for a size, a kind of element, a root, in place or not, parameters and a communicator. A run takes
 * some of them, or all.
 */
#ifndef TESTS_COLL_CASE_H
#define TESTS_COLL_CASE_H

#include "coll/plan/algorithm.h"
#include "coll_job.h"

typedef enum coll_mode { MODE_BLOCKING, MODE_STARTED, MODE_PERSISTENT, MODES } coll_mode;

typedef enum coll_where {
    WHERE_WORLD,
    WHERE_REVERSED, /* the same ranks, the last first */
    WHERE_INTER,    /* the first half and the rest */
    WHERE_CART,     /* a grid, periodic in one dimension */
    WHERE_GRAPH,    /* a graph with several edges between two, and to oneself */
    WHERES
} coll_where;

/* What cases are numbered by. */
typedef struct coll_series {
    cor_primitive primitive;
    const cor_algorithm *algorithm; /* NULL: by the rules */
    int ranks;
    coll_mode mode;
    int is_inter;
    uint64_t seed;

    const size_t *sizes;
    size_t size_count, kind_count, root_count, place_count, where_count, variant_count;
    coll_kind kinds[KINDS];
    coll_where wheres[2];
} coll_series;

typedef struct coll_case {
    const coll_series *series;
    uint64_t number;
    size_t bytes;
    coll_kind kind;
    int root; /* of all ranks, also on an intercommunicator */
    int is_in_place, is_varied;
    coll_where where;
    uint64_t key;   /* of the contents */
    char force[96]; /* for cor_coll_force */
} coll_case;

/* sizes: ascending, of the caller's. */
void coll_series_init(coll_series *series, cor_primitive primitive, const cor_algorithm *algorithm, int ranks,
                      coll_mode mode, int is_inter, uint64_t seed, const size_t *sizes, size_t size_count);
/* How many cases there are. */
uint64_t coll_series_count(const coll_series *series);
/* The number of the case that a sample takes as its `index`-th: of as many cases in a row as there are sizes each size
 * is met once, and so with kinds, roots and the rest, in an order of their own. */
uint64_t coll_series_pick(const coll_series *series, uint64_t index);
/* The case with this number. */
void coll_case_get(const coll_series *series, uint64_t number, coll_case *c);
/* In words. */
void coll_case_tell(const coll_case *c, char *out, size_t out_bytes);

const char *coll_mode_name(coll_mode mode);
const char *coll_series_name(const coll_series *series); /* of the algorithm */

/* ---- what a primitive is ---------------------------------------------------------------------------------------- */

int coll_is_reduction(cor_primitive primitive);
int coll_is_neighbor(cor_primitive primitive);
int coll_is_rooted(cor_primitive primitive);
int coll_is_uneven(cor_primitive primitive); /* blocks of different lengths: v and w forms, reduce_scatter */
int coll_has_inter(cor_primitive primitive); /* defined on intercommunicators */

#endif
