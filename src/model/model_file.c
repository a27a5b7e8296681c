/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_file.h"

#include "base/output.h"
#include "model/form.h"

#include <stdlib.h>
#include <string.h>

int cor_model_set_add(cor_model_set *set, const cor_model *model, cor_fault *fault)
{
    cor_model *grown = realloc(set->models, (set->count + 1) * sizeof *grown);
    if (!grown)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    set->models = grown;
    grown[set->count++] = *model;
    return COR_OK;
}

void cor_model_set_fini(cor_model_set *set)
{
    free(set->models);
    free(set->remarks);
    *set = (cor_model_set){0};
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void cor_model_print_number(double value, char out[COR_MODEL_NUMBER])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, COR_MODEL_NUMBER, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
}

void cor_model_print_law(const cor_model_law *law, char out[COR_MODEL_LAW_TEXT])
{
    char constant[COR_MODEL_NUMBER], slope[COR_MODEL_NUMBER];
    cor_model_print_number(law->constant, constant);
    cor_model_print_number(law->slope, slope);
    if (law->shape == COR_MODEL_CONSTANT)
        snprintf(out, COR_MODEL_LAW_TEXT, "%s", constant);
    else
        snprintf(out, COR_MODEL_LAW_TEXT, "%s%s%s*%s", constant, slope[0] == '-' ? "" : "+", slope,
                 law->shape == COR_MODEL_LOG ? "log2p" : "p");
}

static void file_print_number(FILE *stream, const char *before, double value)
{
    char text[COR_MODEL_NUMBER];
    cor_model_print_number(value, text);
    fprintf(stream, "%s%s", before, text);
}

static void file_print_error(FILE *stream, const char *before, double error)
{
    if (error < 0)
        fprintf(stream, "%snone", before);
    else
        file_print_number(stream, before, error);
}

static void file_print_fit(const cor_model_fit *fit, FILE *stream)
{
    fprintf(stream, "fit form=%s", fit->form->name);
    file_print_error(stream, " fitted=", fit->fitted_error);
    file_print_error(stream, " held_out=", fit->held_out_error);
    fputc('\n', stream);
    for (int piece = 0; piece < fit->piece_count; piece++) {
        file_print_number(stream, "piece from=", fit->pieces[piece].from_bytes);
        for (int i = 0; i < fit->form->value_count; i++) {
            char law[COR_MODEL_LAW_TEXT];
            cor_model_print_law(&fit->pieces[piece].laws[i], law);
            fprintf(stream, " %s=%s", fit->form->values[i], law);
        }
        fputc('\n', stream);
    }
}

void cor_model_set_print(const cor_model_set *set, FILE *stream)
{
    fprintf(stream, "%s%s\n", COR_MODEL_FILE_MAGIC, COR_MODEL_FILE_VERSION);
    for (const char *at = set->remarks; at && *at;) {
        size_t length = strcspn(at, "\n");
        fprintf(stream, "remark %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    for (size_t i = 0; i < set->count; i++) {
        const cor_model *model = &set->models[i];
        fprintf(stream, "curve");
        for (int key = 0; key < COR_MODEL_KEYS; key++)
            fprintf(stream, " %s=%s", cor_model_key_name((cor_model_key_id)key), model->key.words[key]);
        for (int r = 0; r < model->rank_count; r++)
            fprintf(stream, "%s%d", r ? "," : " ranks=", model->ranks[r]);
        file_print_number(stream, " bytes=", model->bytes_low);
        file_print_number(stream, "-", model->bytes_high);
        fprintf(stream, " points=%d held_out=%d\n", model->point_count, model->held_out_count);
        for (int fit = 0; fit < model->fit_count; fit++)
            file_print_fit(&model->fits[fit], stream);
    }
    fprintf(stream, "end\n");
}

int cor_model_set_write(const cor_model_set *set, const char *path, cor_fault *fault)
{
    cor_output output;
    int rc = cor_output_open(&output, path, fault);
    if (rc != COR_OK)
        return rc;
    cor_model_set_print(set, output.file);
    return cor_output_commit(&output, fault);
}
