/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna model show`: what was measured beside what the model says, as text or as a page with charts. */
#include "model/form.h"
#include "model/metrics.h"
#include "tools/model/model_request.h"
#include "tools/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOW_SAMPLES_PER_OCTAVE = 4 };

/* Colours: of points held out, and of the first form. */
enum { SHOW_HELD_OUT = 6, SHOW_FORMS = 1 };

typedef struct show_case {
    const cor_model *model;
    const cor_model_curve *curve;
    const cor_model_fit *fit; /* the one to compare with */
} show_case;

/* The model of a measured curve, or NULL. */
static const cor_model *show_find(const cor_model_set *set, const cor_model_curve *curve)
{
    for (size_t i = 0; i < set->count; i++)
        if (cor_model_key_is_equal(&set->models[i].key, &curve->key) &&
            (!curve->ranks || (set->models[i].rank_count == 1 && set->models[i].ranks[0] == curve->ranks)))
            return &set->models[i];
    return NULL;
}

static double show_percent(const cor_model_fit *fit, const cor_model_point *point)
{
    return 100 * (cor_model_time(fit, point->bytes, point->ranks) / point->us - 1);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void show_text(const show_case *c)
{
    char title[MODEL_TITLE];
    cor_model_title(c->model, title);
    printf("%s: %s\n%12s %6s %12s %12s %8s\n", title, c->fit->form->name, "bytes", "ranks", "measured us", "model us",
           "error");
    for (size_t i = 0; i < c->curve->count; i++) {
        const cor_model_point *point = &c->curve->points[i];
        printf("%12.0f %6d %12.4g %12.4g %6.1f %%%s\n", point->bytes, point->ranks, point->us,
               cor_model_time(c->fit, point->bytes, point->ranks), show_percent(c->fit, point),
               point->is_held_out ? "  held out" : "");
    }
    printf("\n");
}

/* ---- charts ------------------------------------------------------------------------------------------------------ */

typedef enum show_quantity { SHOW_TIME, SHOW_BANDWIDTH } show_quantity;

static void show_add(cor_page *page, show_quantity quantity, double bytes, double us, const char *note)
{
    if (quantity == SHOW_TIME)
        cor_page_point(page, bytes, us, note);
    else if (bytes > 0)
        cor_page_point(page, bytes, bytes / us, note);
}

/* Measured points of so many ranks, those that were fitted or those held out. */
static void show_points(cor_page *page, const show_case *c, show_quantity quantity, int ranks, int is_held_out,
                        int colour)
{
    char name[64];
    int count = 0;
    snprintf(name, sizeof name, "%d ranks, %s", ranks, is_held_out ? "held out" : "measured");
    for (size_t i = 0; i < c->curve->count; i++) {
        const cor_model_point *point = &c->curve->points[i];
        char note[64];
        if (point->ranks != ranks || !point->is_held_out != !is_held_out)
            continue;
        if (!count++)
            cor_page_curve(page, name, COR_PAGE_DOTS, colour);
        snprintf(note, sizeof note, "%s is off by %+.1f %%", c->fit->form->name, show_percent(c->fit, point));
        show_add(page, quantity, point->bytes, point->us, note);
    }
}

/* The fit as a line, with both ends of every step. */
static void show_line(cor_page *page, const show_case *c, const cor_model_fit *fit, show_quantity quantity, int ranks)
{
    double low = c->model->bytes_low, high = c->model->bytes_high;
    int piece = 1;
    for (double bytes = low; bytes <= high;) {
        show_add(page, quantity, bytes, cor_model_time(fit, bytes, ranks), NULL);
        double next = bytes < 1 ? 1 : bytes * pow(2, 1.0 / SHOW_SAMPLES_PER_OCTAVE);
        while (piece < fit->piece_count && fit->pieces[piece].from_bytes <= bytes)
            piece++;
        double limit = piece < fit->piece_count ? fit->pieces[piece].from_bytes : HUGE_VAL;
        if (next >= limit)
            next = bytes < limit - 1 ? limit - 1 : limit;
        bytes = bytes < high && next > high ? high : next;
    }
}

static void show_chart(cor_page *page, const show_case *c, show_quantity quantity)
{
    int is_time = quantity == SHOW_TIME;
    cor_page_chart(page, &(cor_page_axes){is_time ? "Time" : "Bandwidth", "bytes", is_time ? "us" : "MB/s",
                                          COR_PAGE_LOG2, COR_PAGE_LOG10});
    for (int r = 0; r < c->model->rank_count; r++) {
        int ranks = c->model->ranks[r];
        show_points(page, c, quantity, ranks, 0, r);
        show_points(page, c, quantity, ranks, 1, SHOW_HELD_OUT);
        if (c->model->rank_count > 1) { /* one line for each number of ranks */
            char name[64];
            snprintf(name, sizeof name, "%d ranks, %s", ranks, c->fit->form->name);
            cor_page_curve(page, name, COR_PAGE_LINE, r);
            show_line(page, c, c->fit, quantity, ranks);
        }
    }
    for (int i = 0; i < c->model->fit_count && c->model->rank_count == 1; i++) { /* one line for each form */
        const cor_model_fit *fit = &c->model->fits[i];
        cor_page_curve(page, fit->form->name, fit == c->fit ? COR_PAGE_LINE : COR_PAGE_DASHED, SHOW_FORMS + i);
        show_line(page, c, fit, quantity, c->model->ranks[0]);
    }
}

static int show_by_size(const void *left, const void *right)
{
    const cor_model_point *a = left, *b = right;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static void show_errors(cor_page *page, const show_case *c)
{
    cor_model_point *points = malloc((c->curve->count + 1) * sizeof *points);
    if (!points)
        return;
    memcpy(points, c->curve->points, c->curve->count * sizeof *points);
    qsort(points, c->curve->count, sizeof *points, show_by_size);
    cor_page_chart(page,
                   &(cor_page_axes){"Error: model against measurement", "bytes", "%", COR_PAGE_LOG2, COR_PAGE_LINEAR});
    int is_collective = c->model->rank_count > 1;
    int count = is_collective ? c->model->rank_count : c->model->fit_count;
    for (int k = 0; k < count; k++) {
        const cor_model_fit *fit = is_collective ? c->fit : &c->model->fits[k];
        int ranks = c->model->ranks[is_collective ? k : 0];
        char name[64];
        snprintf(name, sizeof name, "%d ranks, %s", ranks, fit->form->name);
        cor_page_curve(page, is_collective ? name : fit->form->name, COR_PAGE_LINE,
                       is_collective ? k : SHOW_FORMS + k);
        for (size_t i = 0; i < c->curve->count; i++)
            if (points[i].ranks == ranks)
                cor_page_point(page, points[i].bytes, show_percent(fit, &points[i]),
                               points[i].is_held_out ? "held out" : NULL);
    }
    free(points);
}

static void show_table(cor_page *page, const show_case *c)
{
    static const char *const columns[] = {"form",           "formula",    "held-out error %",
                                          "fitted error %", "from bytes", "values (us, us/byte)"};
    cor_page_table(page, "Fits", columns, 6);
    for (int i = 0; i < c->model->fit_count; i++) {
        const cor_model_fit *fit = &c->model->fits[i];
        for (int piece = 0; piece < fit->piece_count; piece++) {
            char held_out[32] = "-", fitted[32] = "-", from[32], values[300] = "";
            if (fit->held_out_error >= 0)
                snprintf(held_out, sizeof held_out, "%.1f", 100 * fit->held_out_error);
            if (fit->fitted_error >= 0)
                snprintf(fitted, sizeof fitted, "%.1f", 100 * fit->fitted_error);
            snprintf(from, sizeof from, "%.0f", fit->pieces[piece].from_bytes);
            for (int v = 0; v < fit->form->value_count; v++) {
                const cor_model_law *law = &fit->pieces[piece].laws[v];
                size_t used = strlen(values);
                snprintf(values + used, sizeof values - used,
                         law->shape == COR_MODEL_CONSTANT ? "%s%s = %.4g" : "%s%s = %.4g %+.4g %s", v ? ", " : "",
                         fit->form->values[v], law->constant, law->slope,
                         law->shape == COR_MODEL_LOG ? "ceil(log2 p)" : "p");
            }
            cor_page_row(page,
                         (const char *const[]){fit->form->name, fit->form->formula, held_out, fitted, from, values});
        }
    }
}

static void show_page(cor_page *page, const show_case *c)
{
    char title[MODEL_TITLE];
    cor_model_title(c->model, title);
    cor_page_heading(page, title);
    show_chart(page, c, SHOW_TIME);
    if (c->model->bytes_high > 0) {
        show_chart(page, c, SHOW_BANDWIDTH);
        show_errors(page, c);
    }
    show_table(page, c);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* A paragraph for each line. The lines are cut. */
static void show_remarks(cor_page *page, char *remarks)
{
    char *rest = NULL;
    for (char *line = remarks ? strtok_r(remarks, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        cor_page_text(page, line);
}

static int show_all(const model_request *request, const cor_model_set *set, const cor_model_data *data, cor_page *page)
{
    int count = 0;
    for (size_t i = 0; i < data->count; i++) {
        show_case c = {.curve = &data->curves[i]};
        if (!cor_model_is_wanted(request, &c.curve->key))
            continue;
        c.model = show_find(set, c.curve);
        if (!c.model) {
            fprintf(stderr, "%s: %s has no model of %s, %s, %s, %s\n", request->command_name, request->words[0],
                    c.curve->key.words[COR_MODEL_TEST], c.curve->key.words[COR_MODEL_SYSTEM],
                    c.curve->key.words[COR_MODEL_LANGUAGE], c.curve->key.words[COR_MODEL_DEVICE]);
            continue;
        }
        c.fit = cor_model_wanted_fit(request, c.model);
        if (!c.fit)
            return -1;
        if (page)
            show_page(page, &c);
        else
            show_text(&c);
        count++;
    }
    return count;
}

int cor_model_show(const model_request *request)
{
    cor_model_set set;
    cor_model_data data = {0};
    cor_fault fault = {0};
    cor_page *page = NULL;
    int status = 1, count = 0;
    int rc = cor_model_set_read(&set, request->words[0], &fault);
    if (rc == COR_OK)
        rc = cor_model_data_read(&data, request->words[1], request->is_median ? "median" : "minimum", &fault);
    if (rc == COR_OK && request->html) {
        page = cor_page_create("Performance models");
        rc = page ? COR_OK : cor_fault_set(&fault, COR_ERR_MEMORY, "out of memory");
    }
    if (page)
        show_remarks(page, data.remarks);
    if (rc == COR_OK)
        count = show_all(request, &set, &data, page);
    if (count > 0 && page)
        rc = cor_page_write(page, request->html, &fault);
    if (rc != COR_OK)
        fprintf(stderr, "%s: %s\n", request->command_name, fault.text);
    else if (count == 0)
        status = cor_model_none_wanted(request, &set, request->words[0]);
    else if (count > 0)
        status = 0;
    if (status == 0 && page)
        printf("%d curve%s drawn into %s\n", count, count == 1 ? "" : "s", request->html);
    cor_page_destroy(page);
    cor_model_data_fini(&data);
    cor_model_set_fini(&set);
    return status;
}
