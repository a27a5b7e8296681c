/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna model fit` and `corunna model predict`, and which curves are meant. */
#include "base/knob.h"
#include "launch/run_plan.h"
#include "model/form.h"
#include "model/metrics.h"
#include "tools/model/model_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which curves ------------------------------------------------------------------------------------------------ */

int cor_model_is_wanted(const model_request *request, const cor_model_key *key)
{
    for (int i = 0; i < COR_MODEL_KEYS; i++)
        if (request->wanted[i] && strcmp(request->wanted[i], key->words[i]) != 0)
            return 0;
    return 1;
}

/* Does any curve have this word of the request, whatever else it has? */
static int model_has_word(const model_request *request, const cor_model_set *set, int key)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->models[i].key.words[key], request->wanted[key]) == 0)
            return 1;
    return 0;
}

int cor_model_none_wanted(const model_request *request, const cor_model_set *set, const char *path)
{
    const char **words = calloc(set->count + 1, sizeof *words);
    for (int key = 0; key < COR_MODEL_KEYS && words; key++) {
        if (!request->wanted[key] || model_has_word(request, set, key))
            continue;
        for (size_t i = 0; i < set->count; i++)
            words[i] = set->models[i].key.words[key];
        fprintf(stderr, "%s: %s has no %s \"%s\"%s\n", request->command_name, path,
                cor_model_key_name((cor_model_key_id)key), request->wanted[key],
                cor_hint_at(cor_nearest(request->wanted[key], words, set->count)).text);
        free(words);
        return 1;
    }
    free(words);
    if (request->ranks)
        fprintf(stderr, "%s: %s has no such curve on %d ranks\n", request->command_name, path, request->ranks);
    else
        fprintf(stderr, "%s: no curve of %s is all of this\n", request->command_name, path);
    return 1;
}

const cor_model_fit *cor_model_wanted_fit(const model_request *request, const cor_model *model)
{
    const cor_model_fit *fit = request->form ? cor_model_find_fit(model, request->form) : cor_model_best_fit(model);
    if (!fit)
        fprintf(stderr, "%s: the model of %s has no form %s\n", request->command_name,
                model->key.words[COR_MODEL_TEST], request->form);
    return fit;
}

int cor_model_fail(const model_request *request, const cor_fault *fault)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", request->command_name, fault->text);
    return 1;
}

/* ---- fit --------------------------------------------------------------------------------------------------------- */

static int model_fit_curve(const model_request *request, cor_model_curve *curve, cor_model_set *set, cor_fault *fault)
{
    cor_model model;
    uint64_t seed = (uint64_t)request->seed;
    if (request->check)
        cor_model_curve_hold_out(curve, (size_t)request->check, &seed);
    int rc = cor_model_make(&model, &curve->key, curve->points, curve->count, fault);
    if (rc == COR_OK)
        rc = cor_model_set_add(set, &model, fault);
    if (rc == COR_OK)
        cor_model_report(&model);
    return rc;
}

int cor_model_fit_curves(const model_request *request)
{
    cor_model_data data;
    cor_model_set set = {0};
    cor_fault fault = {0};
    int rc = cor_model_data_read(&data, request->words[0], request->is_median ? "median" : "minimum", &fault);
    for (size_t i = 0; i < data.count && rc == COR_OK; i++)
        rc = model_fit_curve(request, &data.curves[i], &set, &fault);
    if (rc == COR_OK) {
        cor_model_report_all(&set);
        if (request->check)
            printf("random points held out with --seed %d\n", request->seed);
        if (data.other_lines)
            printf("%zu line%s left out\n", data.other_lines,
                   data.other_lines == 1 ? " has no time and was" : "s have no times and were");
        if (data.unsteady_lines)
            printf("%zu point%s a spread of more than %.0f %%: something else ran while they were measured\n",
                   data.unsteady_lines, data.unsteady_lines == 1 ? " has" : "s have", 100 * COR_MODEL_SPREAD_MAX);
        set.remarks = data.remarks;
        if (request->output)
            rc = cor_model_set_write(&set, request->output, &fault);
        set.remarks = NULL;
    }
    if (rc == COR_OK && request->output)
        printf("written to %s\n", request->output);
    cor_model_set_fini(&set);
    cor_model_data_fini(&data);
    return rc == COR_OK ? 0 : cor_model_fail(request, &fault);
}

/* ---- predict ----------------------------------------------------------------------------------------------------- */

int cor_model_was_measured(const cor_model *model, int ranks)
{
    for (int i = 0; i < model->rank_count; i++)
        if (model->ranks[i] == ranks)
            return 1;
    return 0;
}

static int model_predict_one(const model_request *request, const cor_model *model, double bytes)
{
    char title[MODEL_TITLE], number[MODEL_NUMBER];
    const cor_model_fit *fit = cor_model_wanted_fit(request, model);
    int high = model->ranks[model->rank_count - 1], ranks = request->ranks ? request->ranks : high;
    if (!fit)
        return 1;
    double us = cor_model_time(fit, bytes, ranks);
    cor_model_title(model, title);
    printf("%s: ", title);
    int is_time = us > 0 && isfinite(us);
    if (is_time)
        printf("%s us for %.0f bytes on %d rank%s", cor_model_number(us, number), bytes, ranks, ranks == 1 ? "" : "s");
    else
        printf("no time for %.0f bytes on %d rank%s, where the model is %s", bytes, ranks, ranks == 1 ? "" : "s",
               us > 0 ? "infinite" : "below 0");
    if (bytes > 0 && is_time)
        printf(", %s MB/s", cor_model_number(bytes / us, number));
    printf(" (%s", fit->form->name);
    if (fit->held_out_error >= 0)
        printf(", held-out error %.1f %%", 100 * fit->held_out_error);
    else if (fit->fitted_error >= 0)
        printf(", error %.1f %% on fitted points", 100 * fit->fitted_error);
    printf(")\n");
    if (bytes < model->bytes_low || bytes > model->bytes_high)
        printf("  beyond what was measured: %.0f to %.0f bytes\n", model->bytes_low, model->bytes_high);
    if (ranks < model->ranks[0] || ranks > high)
        printf("  beyond what was measured: %d to %d ranks\n", model->ranks[0], high);
    return 0;
}

int cor_model_predict(const model_request *request)
{
    cor_model_set set;
    cor_fault fault = {0};
    model_request wanted = *request;
    size_t bytes;
    int status = 0, count = 0;
    wanted.wanted[COR_MODEL_TEST] = request->words[1];
    if (!cor_knob_parse_size(request->words[2], &bytes) || (double)bytes > COR_MODEL_BYTES_MAX) {
        fprintf(stderr, "%s: \"%s\" is no size such as 1024, 64k or 4M\n", request->command_name, request->words[2]);
        return RUN_STATUS_USAGE;
    }
    int rc = cor_model_set_read(&set, request->words[0], &fault);
    for (size_t i = 0; i < set.count && rc == COR_OK && status == 0; i++) {
        const cor_model *model = &set.models[i];
        int is_collective = cor_model_primitive_find(model->key.words[COR_MODEL_TEST]) != NULL;
        if (!cor_model_is_wanted(&wanted, &model->key) ||
            (request->ranks && !is_collective && !cor_model_was_measured(model, request->ranks)))
            continue;
        status = model_predict_one(&wanted, model, (double)bytes);
        count++;
    }
    if (rc != COR_OK)
        status = cor_model_fail(request, &fault);
    else if (!count)
        status = cor_model_none_wanted(&wanted, &set, request->words[0]);
    cor_model_set_fini(&set);
    return status;
}
