/* SPDX-License-Identifier: Apache-2.0 */
#include "base/knob.h"
#include "model/form.h"
#include "model/model_file.h"
#include "model/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct file_reader {
    cor_text_lines text;
    int is_ended; /* the line "end" was read */
    cor_model_set *set;
} file_reader;

/* The next word must be "key=value": cut it off and return the value; NULL after a sentence. */
static char *file_value(const file_reader *reader, char **at_p, const char *key)
{
    char *word = *at_p;
    size_t length = strlen(key), end = strcspn(word, " ");
    if (strncmp(word, key, length) != 0 || word[length] != '=') {
        cor_text_refuse(&reader->text, "expected %s=..., found \"%.*s\"", key, (int)(end < 40 ? end : 40), word);
        return NULL;
    }
    *at_p = word + end + (word[end] == ' ');
    word[end] = '\0';
    return word + length + 1;
}

/* Beyond this, what is computed with a number may become infinite. */
static const double file_most = 1e30;

/* The number at the beginning of a text; returns what follows it, or NULL. */
static const char *file_number(const char *text, double *value_p)
{
    char *end;
    size_t length = strspn(text, "0123456789.eE+-");
    if (length == 0)
        return NULL;
    *value_p = strtod(text, &end);
    return end > text && end <= text + length && fabs(*value_p) <= file_most ? end : NULL;
}

static int file_read_whole(const file_reader *reader, char **at_p, const char *key, double high, double *value_p)
{
    const char *text = file_value(reader, at_p, key);
    const char *end = text ? file_number(text, value_p) : NULL;
    if (!text)
        return COR_ERR_ARG;
    if (!end || *end || *value_p < 0 || *value_p > high || *value_p != floor(*value_p))
        return cor_text_refuse(&reader->text, "%s is \"%.40s\"; it must be a whole number", key, text);
    return COR_OK;
}

static int file_read_error(const file_reader *reader, char **at_p, const char *key, double *value_p)
{
    const char *text = file_value(reader, at_p, key);
    if (!text)
        return COR_ERR_ARG;
    if (strcmp(text, "none") == 0) {
        *value_p = -1;
        return COR_OK;
    }
    const char *end = file_number(text, value_p);
    if (!end || *end || *value_p < 0)
        return cor_text_refuse(&reader->text, "%s is \"%.40s\"; it must be an error such as 0.05, or none", key, text);
    return COR_OK;
}

/* "0.5", "0.5+0.2*p", "0.5-0.2*log2p" */
static int file_read_law(const file_reader *reader, char **at_p, const char *key, cor_model_law *law_p)
{
    const char *text = file_value(reader, at_p, key);
    if (!text)
        return COR_ERR_ARG;
    *law_p = (cor_model_law){0};
    const char *at = file_number(text, &law_p->constant);
    if (at && !*at)
        return COR_OK;
    if (at && (*at == '+' || *at == '-'))
        at = file_number(at, &law_p->slope);
    else
        at = NULL;
    law_p->shape = at && strcmp(at, "*log2p") == 0 ? COR_MODEL_LOG : COR_MODEL_LINEAR;
    if (at && (law_p->shape == COR_MODEL_LOG || strcmp(at, "*p") == 0))
        return COR_OK;
    return cor_text_refuse(&reader->text, "%s is \"%.40s\"; it must be like 0.5, 0.5+0.2*p or 0.5+0.2*log2p", key,
                           text);
}

static int file_read_ranks(const file_reader *reader, char **at_p, cor_model *model)
{
    char *text = file_value(reader, at_p, "ranks");
    if (!text)
        return COR_ERR_ARG;
    for (char *at = text;; at++) {
        char *end = at;
        long ranks = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        int last = model->rank_count ? model->ranks[model->rank_count - 1] : 0;
        if (ranks <= last || ranks > 1000000000 || (*end && *end != ',') || model->rank_count == COR_MODEL_RANKS)
            return cor_text_refuse(&reader->text,
                                   "ranks is \"%.40s\"; it must be up to %d rising numbers, as in 2,4,8", text,
                                   COR_MODEL_RANKS);
        model->ranks[model->rank_count++] = (int)ranks;
        if (!*end)
            return COR_OK;
        at = end;
    }
}

static int file_read_bytes(const file_reader *reader, char **at_p, cor_model *model)
{
    const char *text = file_value(reader, at_p, "bytes");
    const char *end = text ? file_number(text, &model->bytes_low) : NULL;
    if (!text)
        return COR_ERR_ARG;
    if (end && *end == '-')
        end = file_number(end + 1, &model->bytes_high);
    else
        end = NULL;
    if (!end || *end || model->bytes_low < 0 || model->bytes_high < model->bytes_low ||
        model->bytes_high > COR_MODEL_BYTES_MAX)
        return cor_text_refuse(&reader->text, "bytes is \"%.40s\"; it must be a range such as 0-4194304", text);
    return COR_OK;
}

static int file_rest(const file_reader *reader, const char *at)
{
    return *at ? cor_text_refuse(&reader->text, "\"%.40s\" is too much", at) : COR_OK;
}

static int file_curve(file_reader *reader, char *at)
{
    cor_model model = {0};
    double points = 0, held_out = 0;
    int rc = COR_OK;
    for (int i = 0; i < COR_MODEL_KEYS && rc == COR_OK; i++) {
        const char *name = cor_model_key_name((cor_model_key_id)i), *text = file_value(reader, &at, name);
        if (!text)
            rc = COR_ERR_ARG;
        else if (!cor_model_is_word(text) || (i == COR_MODEL_TEST && !*text))
            rc = cor_text_refuse(&reader->text, "%s is \"%.40s\"; it must be one word", name, text);
        else
            strcpy(model.key.words[i], text);
    }
    if (rc == COR_OK)
        rc = file_read_ranks(reader, &at, &model);
    if (rc == COR_OK)
        rc = file_read_bytes(reader, &at, &model);
    if (rc == COR_OK)
        rc = file_read_whole(reader, &at, "points", 1e9, &points);
    if (rc == COR_OK)
        rc = file_read_whole(reader, &at, "held_out", 1e9, &held_out);
    if (rc == COR_OK)
        rc = file_rest(reader, at);
    model.point_count = (int)points;
    model.held_out_count = (int)held_out;
    return rc == COR_OK ? cor_model_set_add(reader->set, &model, reader->text.fault) : rc;
}

static int file_form(const file_reader *reader, const cor_model *model, const char *name,
                     const cor_model_form **form_p)
{
    *form_p = cor_model_form_find(name);
    if (!*form_p) {
        const char *names[COR_MODEL_FITS];
        for (size_t i = 0; i < cor_model_form_count; i++)
            names[i] = cor_model_forms[i]->name;
        return cor_text_refuse(&reader->text, "unknown form \"%.40s\"%s", name,
                               cor_hint_at(cor_nearest(name, names, cor_model_form_count)).text);
    }
    if (cor_model_find_fit(model, name))
        return cor_text_refuse(&reader->text, "this curve has the form %s already", name);
    return COR_OK;
}

static int file_fit(file_reader *reader, char *at)
{
    cor_model *model = reader->set->count ? &reader->set->models[reader->set->count - 1] : NULL;
    if (!model)
        return cor_text_refuse(&reader->text, "a fit before the first curve");
    cor_model_fit fit = {0};
    const char *name = file_value(reader, &at, "form");
    int rc = name ? file_form(reader, model, name, &fit.form) : COR_ERR_ARG;
    if (rc == COR_OK)
        rc = file_read_error(reader, &at, "fitted", &fit.fitted_error);
    if (rc == COR_OK)
        rc = file_read_error(reader, &at, "held_out", &fit.held_out_error);
    if (rc == COR_OK)
        rc = file_rest(reader, at);
    if (rc == COR_OK)
        model->fits[model->fit_count++] = fit;
    return rc;
}

static int file_piece(file_reader *reader, char *at)
{
    cor_model *model = reader->set->count ? &reader->set->models[reader->set->count - 1] : NULL;
    cor_model_fit *fit = model && model->fit_count ? &model->fits[model->fit_count - 1] : NULL;
    if (!fit)
        return cor_text_refuse(&reader->text, "a piece before the first fit of its curve");
    if (fit->piece_count == fit->form->pieces_max)
        return cor_text_refuse(&reader->text, "a form %s has at most %d piece%s", fit->form->name,
                               fit->form->pieces_max, fit->form->pieces_max == 1 ? "" : "s");
    cor_model_piece *piece = &fit->pieces[fit->piece_count];
    int rc = file_read_whole(reader, &at, "from", COR_MODEL_BYTES_MAX, &piece->from_bytes);
    if (rc == COR_OK && (fit->piece_count == 0 ? piece->from_bytes != 0 : piece->from_bytes <= piece[-1].from_bytes))
        rc = cor_text_refuse(&reader->text,
                             "the first piece must be from 0, and each other from more than the one before");
    for (int i = 0; i < fit->form->value_count && rc == COR_OK; i++)
        rc = file_read_law(reader, &at, fit->form->values[i], &piece->laws[i]);
    if (rc == COR_OK)
        rc = file_rest(reader, at);
    fit->piece_count += rc == COR_OK;
    return rc;
}

/* What a line promised the lines before it must have kept: a curve has fits, a fit has pieces. */
static int file_check(const file_reader *reader, const char *kind)
{
    const cor_model *model = reader->set->count ? &reader->set->models[reader->set->count - 1] : NULL;
    if (model && strcmp(kind, "piece") != 0 && model->fit_count && !model->fits[model->fit_count - 1].piece_count)
        return cor_text_refuse(&reader->text, "the form %s has no piece",
                               model->fits[model->fit_count - 1].form->name);
    if (model && (strcmp(kind, "curve") == 0 || strcmp(kind, "end") == 0) && !model->fit_count)
        return cor_text_refuse(&reader->text, "the curve of %s has no fit", model->key.words[COR_MODEL_TEST]);
    return COR_OK;
}

static int file_remark(file_reader *reader, const char *text)
{
    size_t had = reader->set->remarks ? strlen(reader->set->remarks) : 0, length = strlen(text);
    char *grown = realloc(reader->set->remarks, had + length + 2);
    if (!grown)
        return cor_fault_set(reader->text.fault, COR_ERR_MEMORY, "out of memory");
    reader->set->remarks = grown;
    memcpy(grown + had, text, length);
    memcpy(grown + had + length, "\n", 2);
    return COR_OK;
}

static int file_first(const file_reader *reader, const char *line)
{
    size_t length = strlen(COR_MODEL_FILE_MAGIC);
    if (strncmp(line, COR_MODEL_FILE_MAGIC, length) != 0)
        return cor_text_refuse(
            &reader->text,
            "this is no model file: it does not begin with \"" COR_MODEL_FILE_MAGIC COR_MODEL_FILE_VERSION "\"");
    if (strcmp(line + length, COR_MODEL_FILE_VERSION) != 0)
        return cor_text_refuse(
            &reader->text,
            "this is a model file of version %.20s; this Corunna reads version " COR_MODEL_FILE_VERSION
            ", and `corunna model fit` makes it anew",
            line + length);
    return COR_OK;
}

static int file_line(void *context, char *line)
{
    file_reader *reader = context;
    static const char *const kinds[] = {"remark", "curve", "fit", "piece", "end"};
    if (reader->text.number == 1)
        return file_first(reader, line);
    if (!line[0] || line[0] == '#')
        return COR_OK;
    if (reader->is_ended)
        return cor_text_refuse(&reader->text, "there are lines after the end");
    size_t length = strcspn(line, " ");
    char *rest = line + length + (line[length] == ' ');
    line[length] = '\0';
    int rc = file_check(reader, line);
    if (rc != COR_OK)
        return rc;
    if (strcmp(line, "remark") == 0)
        return file_remark(reader, rest);
    if (strcmp(line, "curve") == 0)
        return file_curve(reader, rest);
    if (strcmp(line, "fit") == 0)
        return file_fit(reader, rest);
    if (strcmp(line, "piece") == 0)
        return file_piece(reader, rest);
    if (strcmp(line, "end") == 0) {
        reader->is_ended = 1;
        return file_rest(reader, rest);
    }
    return cor_text_refuse(&reader->text, "unknown word \"%.40s\"%s", line,
                           cor_hint_at(cor_nearest(line, kinds, sizeof kinds / sizeof *kinds)).text);
}

int cor_model_set_read_stream(cor_model_set *set, FILE *stream, const char *name, cor_fault *fault)
{
    file_reader reader = {.text = {.name = name, .fault = fault}, .set = set};
    *set = (cor_model_set){0};
    int rc = cor_text_lines_read(&reader.text, stream, file_line, &reader);
    if (rc == COR_OK && !reader.text.number)
        return cor_fault_set(fault, COR_ERR_ARG, "%s is empty", name);
    if (rc == COR_OK && !reader.is_ended)
        return cor_text_refuse(&reader.text, "the file was cut short: the line \"end\" is missing");
    return rc;
}

int cor_model_set_read(cor_model_set *set, const char *path, cor_fault *fault)
{
    *set = (cor_model_set){0};
    FILE *stream = cor_text_open(path, fault);
    if (!stream)
        return COR_ERR_SYSTEM;
    int rc = cor_model_set_read_stream(set, stream, path, fault);
    fclose(stream);
    return rc;
}
