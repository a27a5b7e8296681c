/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file of models or a table of measurements may hold: any bytes. The first byte says which of them it is. What
 * is understood of models can be printed, and what is printed is understood as the same. Points that are understood can
 * be fitted, and the fits are models that can be written and read.
 *
 * FUZZ_SOURCES: src/model/model.c src/model/form.c src/model/form_papers.c src/model/form_piecewise.c src/model/laws.c
 * FUZZ_SOURCES: src/model/minimize.c src/model/relative.c src/model/metrics.c src/model/replace.c src/model/points.c
 * FUZZ_SOURCES: src/model/model_file.c src/model/model_file_read.c src/model/text_lines.c src/base/output.c
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c
 * FUZZ_SOURCES: src/base/lines.c src/base/error.c
 */
#define _GNU_SOURCE
#include "model/form.h"
#include "model/metrics.h"
#include "model/model_file.h"
#include "model/points.h"
#include "model/replace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { FUZZ_CURVES = 4, FUZZ_POINTS = 24 };

static int fuzz_read(const void *text, size_t length, cor_model_set *set)
{
    cor_fault fault = {0};
    FILE *stream = fmemopen((void *)text, length, "r");
    if (!stream)
        abort();
    int rc = cor_model_set_read_stream(set, stream, "fuzz", &fault);
    fclose(stream);
    if (rc != COR_OK && !fault.text[0])
        abort();
    return rc;
}

static char *fuzz_print(const cor_model_set *set)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    cor_model_set_print(set, stream);
    fclose(stream);
    return text;
}

/* Printed, read, printed again: the same text. */
static void fuzz_round_trip(const cor_model_set *set)
{
    cor_model_set again;
    char *text = fuzz_print(set);
    if (fuzz_read(text, strlen(text), &again) != COR_OK)
        abort();
    char *other = fuzz_print(&again);
    if (strcmp(text, other) != 0)
        abort();
    cor_model_set_fini(&again);
    free(other);
    free(text);
}

static void fuzz_use(const cor_model_set *set)
{
    cor_model_stretch found[COR_MODEL_STRETCHES];
    for (size_t i = 0; i < set->count && i < FUZZ_CURVES; i++) {
        const cor_model *model = &set->models[i], *parts[] = {model, model};
        if (cor_model_time(cor_model_best_fit(model), model->bytes_high, model->ranks[0]) < 0)
            abort();
        const cor_model_equivalence twice = {"bcast", {"scatter", "bcast"}};
        if (cor_model_find_stretches(&twice, model, parts, model->ranks[0], found) > COR_MODEL_STRETCHES)
            abort();
    }
}

static void fuzz_fit(const cor_model_data *data)
{
    cor_model_set set = {0};
    cor_fault fault = {0};
    for (size_t i = 0; i < data->count && i < FUZZ_CURVES; i++) {
        cor_model model;
        const cor_model_curve *curve = &data->curves[i];
        if (curve->count > FUZZ_POINTS ||
            cor_model_make(&model, &curve->key, curve->points, curve->count, &fault) != COR_OK)
            continue;
        if (cor_model_set_add(&set, &model, &fault) != COR_OK)
            abort();
    }
    fuzz_round_trip(&set);
    cor_model_set_fini(&set);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    cor_model_set set;
    cor_model_data points;
    cor_fault fault = {0};
    if (size < 2)
        return 0;
    if (data[0] % 2 == 0) {
        if (fuzz_read(data + 1, size - 1, &set) == COR_OK) {
            fuzz_round_trip(&set);
            fuzz_use(&set);
        }
        cor_model_set_fini(&set);
        return 0;
    }
    FILE *stream = fmemopen((void *)(data + 1), size - 1, "r");
    if (!stream)
        abort();
    int rc = cor_model_data_read_stream(&points, stream, "fuzz", "minimum", &fault);
    fclose(stream);
    if (rc == COR_OK)
        fuzz_fit(&points);
    else if (!fault.text[0])
        abort();
    cor_model_data_fini(&points);
    return 0;
}
