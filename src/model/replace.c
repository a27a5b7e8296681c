/* SPDX-License-Identifier: Apache-2.0 */
#include "model/replace.h"

#include "model/metrics.h"

#include <math.h>
#include <string.h>

enum { REPLACE_PER_OCTAVE = 8 };

const cor_model_equivalence cor_model_equivalences[] = {
    {"bcast", {"scatter", "allgather"}},
    {"allgather", {"gather", "bcast"}},
    {"allgather", {"alltoall", NULL}},
    {"allreduce", {"reduce", "bcast"}},
    {"allreduce", {"reduce_scatter", "allgather"}},
    {"allreduce", {"reduce_scatter_block", "allgather"}},
    {"reduce_scatter", {"reduce", "scatterv"}},
    {"reduce_scatter", {"reduce", "scatter"}},
    {"reduce_scatter_block", {"reduce", "scatter"}},
    {"reduce", {"reduce_scatter_block", "gather"}},
    {"reduce", {"allreduce", NULL}},
    {"scatter", {"bcast", NULL}},
    {"gather", {"allgather", NULL}},
};
const size_t cor_model_equivalence_count = sizeof cor_model_equivalences / sizeof *cor_model_equivalences;

const cor_model *cor_model_sibling(const cor_model_set *set, const cor_model *model, const char *test)
{
    for (size_t i = 0; i < set->count; i++) {
        cor_model_key key = model->key;
        memset(key.words[COR_MODEL_TEST], 0, sizeof key.words[COR_MODEL_TEST]);
        strncpy(key.words[COR_MODEL_TEST], test, COR_MODEL_WORD - 1);
        if (cor_model_key_is_equal(&set->models[i].key, &key))
            return &set->models[i];
    }
    return NULL;
}

/* The size of a part, as it was measured, for a whole of this size. */
static double replace_size(const cor_model_equivalence *equivalence, const char *part, double bytes, int ranks)
{
    const cor_model_primitive *whole = cor_model_primitive_find(equivalence->whole);
    return bytes * cor_model_message(whole, ranks) / cor_model_message(cor_model_primitive_find(part), ranks);
}

double cor_model_time_parts(const cor_model_equivalence *equivalence, const cor_model *const *models, double bytes,
                            int ranks)
{
    double us = 0;
    for (int i = 0; i < COR_MODEL_PARTS && equivalence->parts[i]; i++) {
        double size = replace_size(equivalence, equivalence->parts[i], bytes, ranks);
        us += cor_model_time(cor_model_best_fit(models[i]), size, ranks);
    }
    return us;
}

typedef struct replace_case {
    const cor_model_equivalence *equivalence;
    const cor_model *whole;
    const cor_model *const *models;
    int ranks;
} replace_case;

/* The part of the time that is saved; negative: it takes longer. */
static double replace_gain(const replace_case *c, double bytes)
{
    double us = cor_model_time(cor_model_best_fit(c->whole), bytes, c->ranks);
    return us > 0 ? 1 - cor_model_time_parts(c->equivalence, c->models, bytes, c->ranks) / us : -1;
}

/* The sizes of the whole for which it and all parts were measured. */
static void replace_range(const replace_case *c, double *low_p, double *high_p)
{
    *low_p = c->whole->bytes_low;
    *high_p = c->whole->bytes_high;
    for (int i = 0; i < COR_MODEL_PARTS && c->equivalence->parts[i]; i++) {
        double one = replace_size(c->equivalence, c->equivalence->parts[i], 1, c->ranks);
        *low_p = fmax(*low_p, ceil(c->models[i]->bytes_low / one));
        *high_p = fmin(*high_p, floor(c->models[i]->bytes_high / one));
    }
}

/* The size between two where the gain changes its sign, on the side where there is one. */
static double replace_border(const replace_case *c, double with_gain, double without)
{
    while (fabs(with_gain - without) > 1) {
        double middle = floor((with_gain + without) / 2);
        if (replace_gain(c, middle) > 0)
            with_gain = middle;
        else
            without = middle;
    }
    return with_gain;
}

static double replace_next(double bytes, double high)
{
    double next = fmax(bytes + 1, ceil(bytes * pow(2, 1.0 / REPLACE_PER_OCTAVE)));
    return bytes < high && next > high ? high : next;
}

int cor_model_find_stretches(const cor_model_equivalence *equivalence, const cor_model *whole,
                             const cor_model *const *models, int ranks, cor_model_stretch *stretches_p)
{
    const replace_case c = {equivalence, whole, models, ranks};
    double low, high, before = 0;
    int count = 0, is_inside = 0;
    replace_range(&c, &low, &high);
    double bytes = low;
    while (bytes <= high) {
        double gain = replace_gain(&c, bytes);
        cor_model_stretch *stretch = &stretches_p[count - is_inside];
        if (gain > 0 && !is_inside && count < COR_MODEL_STRETCHES) {
            stretch = &stretches_p[count++];
            *stretch = (cor_model_stretch){.from_bytes = bytes > low ? replace_border(&c, bytes, before) : bytes};
            is_inside = 1;
        } else if (gain <= 0 && is_inside) {
            stretch->to_bytes = replace_border(&c, before, bytes);
            is_inside = 0;
        }
        if (is_inside) {
            stretch->to_bytes = bytes;
            if (gain > stretch->best_gain) {
                stretch->best_gain = gain;
                stretch->best_bytes = bytes;
            }
        }
        before = bytes;
        bytes = replace_next(bytes, high);
    }
    return count;
}
