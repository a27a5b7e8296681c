/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna model replace`: collectives that are slower than a combination of others. */
#include "model/metrics.h"
#include "model/replace.h"
#include "tools/model/model_request.h"

#include <stdio.h>
#include <string.h>

static int model_replace_ranks(const cor_model_equivalence *equivalence, const cor_model *whole,
                               const cor_model *const *parts, int ranks, int is_first)
{
    char title[MODEL_TITLE];
    cor_model_stretch stretches[COR_MODEL_STRETCHES];
    int count = cor_model_find_stretches(equivalence, whole, parts, ranks, stretches);
    const cor_model_fit *fit = cor_model_best_fit(whole);
    double error = fit->held_out_error >= 0 ? fit->held_out_error : fit->fitted_error;
    cor_model_title(whole, title);
    if (count && is_first)
        printf("%s\n", title);
    for (int i = 0; i < count; i++) {
        const char *second = equivalence->parts[1];
        printf("  %d ranks, %.0f to %.0f bytes: %s by %s%s%s saves up to %.0f %% (at %.0f bytes)%s\n", ranks,
               stretches[i].from_bytes, stretches[i].to_bytes, equivalence->whole, equivalence->parts[0],
               second ? " + " : "", second ? second : "", 100 * stretches[i].best_gain, stretches[i].best_bytes,
               stretches[i].best_gain < error ? ", less than the model's error" : "");
    }
    return count;
}

/* All that one curve could be replaced by; returns how many stretches of sizes. */
static int model_replace_curve(const model_request *request, const cor_model_set *set, const cor_model *whole)
{
    int count = 0;
    for (size_t i = 0; i < cor_model_equivalence_count; i++) {
        const cor_model_equivalence *equivalence = &cor_model_equivalences[i];
        const cor_model *parts[COR_MODEL_PARTS] = {0};
        int is_known = strcmp(equivalence->whole, whole->key.words[COR_MODEL_TEST]) == 0;
        for (int k = 0; k < COR_MODEL_PARTS && equivalence->parts[k] && is_known; k++) {
            parts[k] = cor_model_sibling(set, whole, equivalence->parts[k]);
            is_known = parts[k] != NULL;
        }
        for (int r = 0; r < whole->rank_count && is_known; r++)
            if (whole->ranks[r] > 1 && (!request->ranks || request->ranks == whole->ranks[r]))
                count += model_replace_ranks(equivalence, whole, parts, whole->ranks[r], !count);
        if (is_known && request->ranks && !cor_model_was_measured(whole, request->ranks))
            count += model_replace_ranks(equivalence, whole, parts, request->ranks, !count);
    }
    return count;
}

int cor_model_replace(const model_request *request)
{
    cor_model_set set;
    cor_fault fault = {0};
    int count = 0, status = 0, is_any = 0;
    int rc = cor_model_set_read(&set, request->words[0], &fault);
    for (size_t i = 0; i < set.count && rc == COR_OK; i++) {
        if (!cor_model_is_wanted(request, &set.models[i].key))
            continue;
        is_any = 1;
        if (cor_model_primitive_find(set.models[i].key.words[COR_MODEL_TEST]))
            count += model_replace_curve(request, &set, &set.models[i]);
    }
    if (rc != COR_OK)
        status = cor_model_fail(request, &fault);
    else if (!is_any)
        status = cor_model_none_wanted(request, &set, request->words[0]);
    else if (!count)
        printf("no collective is slower than a combination of others\n");
    cor_model_set_fini(&set);
    return status;
}
