/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_link.h"

#include "model/form.h"
#include "model/model_file.h"

#include <stdio.h>
#include <string.h>

/* Figures of no machine in particular: a switched fabric of 100 Gb/s, TCP over 25 Gb/s, memory that two cores share. */
static const struct {
    const char *name;
    cor_sim_link link;
} link_built_in[] = {
    {"fabric", {.piece_count = 1, .pieces = {{0, 1.6, 0.6, 9e-5}}, .eager_max = 16384}},
    {"tcp", {.piece_count = 1, .pieces = {{0, 12, 10, 4e-4}}, .eager_max = 131072}},
    {"memory", {.piece_count = 1, .pieces = {{0, 0.35, 0.4, 1e-4}}, .eager_max = 16384}},
};

enum { LINK_RANKS = 2, LINK_EAGER = 16384 };

enum { LINK_EXCHANGED = 4 }; /* messages that a rank sends and receives in an exchange */

/* How well a curve serves as this test's; 0: not at all. */
static int link_worth(const cor_model *model, const char *test)
{
    const cor_model_key *key = &model->key;
    if (strcmp(key->words[COR_MODEL_TEST], test) != 0)
        return 0;
    return 1 + 2 * (strcmp(key->words[COR_MODEL_LANGUAGE], "c") == 0) +
           (strcmp(key->words[COR_MODEL_TYPE], "byte") == 0);
}

static const cor_model *link_find(const cor_model_set *set, const char *test)
{
    const cor_model *best = NULL;
    for (size_t i = 0; i < set->count; i++)
        if (link_worth(&set->models[i], test) > (best ? link_worth(best, test) : 0))
            best = &set->models[i];
    return best;
}

/* Where the time rises by most from one piece to the next. */
static double link_threshold(const cor_sim_link *link)
{
    double highest = 0, found = LINK_EAGER;
    for (int i = 1; i < link->piece_count; i++) {
        double from = link->pieces[i].from_bytes;
        double step = cor_sim_link_time(link, from) - cor_sim_link_time(link, from - 1) - link->pieces[i].tb;
        if (step > highest) {
            highest = step;
            found = from - 1;
        }
    }
    return found;
}

/* The best fit of a curve, its times divided by `parts`. */
static int link_take(const cor_model *model, const char *path, double parts, cor_sim_piece *pieces, int *count_p,
                     cor_fault *fault)
{
    const char *test = model->key.words[COR_MODEL_TEST];
    const cor_model_fit *fit = model->fit_count > 0 ? cor_model_best_fit(model) : NULL;
    if (!fit || fit->piece_count < 1)
        return cor_fault_set(fault, COR_ERR_ARG, "--sim: the %s of %s has no fit to predict with", test, path);
    for (int i = 0; i < fit->piece_count && i < COR_SIM_PIECES; i++) {
        const cor_model_piece *piece = &fit->pieces[i];
        double values[COR_MODEL_VALUES] = {0};
        int is_line = fit->form->value_count == 2; /* t0 and tb */
        for (int k = 0; k < fit->form->value_count; k++)
            values[is_line && k == 1 ? 2 : k] = cor_model_law_at(&piece->laws[k], LINK_RANKS) / parts;
        if (values[2] < 0)
            return cor_fault_set(fault, COR_ERR_ARG, "--sim: in the %s of %s bytes from %.0f on cost %g us each", test,
                                 path, piece->from_bytes, values[2]);
        pieces[i] = (cor_sim_piece){piece->from_bytes, values[0], values[1], values[2]};
        *count_p = i + 1;
    }
    return COR_OK;
}

static int link_read(const char *path, cor_sim_link *link_p, cor_fault *fault)
{
    cor_model_set set = {0};
    cor_sim_link link = {0};
    int rc = cor_model_set_read(&set, path, fault);
    const cor_model *alone = link_find(&set, "pingpong"), *exchange = link_find(&set, "exchange");
    if (rc == COR_OK && !alone)
        rc = cor_fault_set(fault, COR_ERR_ARG,
                           "--sim: %s has no curve of test=pingpong, of which a link is made; measure one with "
                           "corunna bench pingpong --csv F",
                           path);
    if (rc == COR_OK)
        rc = link_take(alone, path, 1, link.pieces, &link.piece_count, fault);
    if (rc == COR_OK && exchange)
        rc = link_take(exchange, path, LINK_EXCHANGED, link.busy, &link.busy_count, fault);
    cor_model_set_fini(&set);
    if (rc != COR_OK)
        return rc;
    link.eager_max = link_threshold(&link);
    *link_p = link;
    return COR_OK;
}

int cor_sim_link_load(const char *name, cor_sim_link *link_p, cor_fault *fault)
{
    for (size_t i = 0; i < sizeof link_built_in / sizeof *link_built_in; i++)
        if (strcmp(link_built_in[i].name, name) == 0) {
            *link_p = link_built_in[i].link;
            return COR_OK;
        }
    return link_read(name, link_p, fault);
}
