/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The papers' replacement of primitives: where a collective is slower than two others that together do the same, such
 * as an allreduce that is slower than a reduce and a bcast.
 */
#ifndef COR_MODEL_REPLACE_H
#define COR_MODEL_REPLACE_H

#include "model/model_file.h"

enum { COR_MODEL_PARTS = 2, COR_MODEL_STRETCHES = 8 };

typedef struct cor_model_equivalence {
    const char *whole;
    const char *parts[COR_MODEL_PARTS]; /* the second may be NULL */
} cor_model_equivalence;

extern const cor_model_equivalence cor_model_equivalences[];
extern const size_t cor_model_equivalence_count;

/* A stretch of sizes, as measured for the whole, in which the parts are faster. */
typedef struct cor_model_stretch {
    double from_bytes, to_bytes;
    double best_bytes, best_gain; /* the largest gain and its size; 0.2 is a fifth of the time */
} cor_model_stretch;

/* The model of another collective with the same system, language and so on, or NULL. */
const cor_model *cor_model_sibling(const cor_model_set *set, const cor_model *model, const char *test);

/* The time of the parts instead of a whole of this size. All are of the same message (metrics.h). `models` in the order
 * of the equivalence's parts. */
double cor_model_time_parts(const cor_model_equivalence *equivalence, const cor_model *const *models, double bytes,
                            int ranks);

/* The stretches for this number of ranks, among the sizes that all of them were measured for. Returns how many. */
int cor_model_find_stretches(const cor_model_equivalence *equivalence, const cor_model *whole,
                             const cor_model *const *models, int ranks, cor_model_stretch *stretches_p);

#endif
