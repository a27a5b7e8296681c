/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function in pieces, for libraries whose protocol changes with the size: up to four pieces, each of the papers' form
 * or a line.
 *
 * For every number of pieces dynamic programming finds the sizes at which breaking costs least, with quick fits of all
 * stretches of neighbouring sizes. Those pieces are then fitted well, and the number of pieces that describes the
 * points best for its parameters wins. One piece is a result too: then nothing breaks.
 */
#include "model/form.h"
#include "model/relative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of fewer sizes could be anything; of more sizes than the second, breaks are not looked for. */
enum { PIECES_SIZES_LEAST = 3, PIECES_SIZES_MAX = 128, PIECES_SEARCH = 20 };

typedef struct pieces_job {
    cor_model_point *points; /* rising by size, then by ranks */
    size_t count;
    cor_model_point *room; /* for a stretch, rising by ranks */
    int size_count;
    size_t first[PIECES_SIZES_MAX + 1]; /* where the points of each size begin */
    int has_ranks;                      /* several numbers of them */
    double *costs;                      /* sum of absolute relative errors of each stretch */
} pieces_job;

static int pieces_by_size(const void *left, const void *right)
{
    const cor_model_point *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->ranks < b->ranks ? -1 : a->ranks > b->ranks;
}

static int pieces_by_ranks(const void *left, const void *right)
{
    const cor_model_point *a = left, *b = right;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* ---- quick fits of all stretches --------------------------------------------------------------------------------- */

typedef struct pieces_shapes {
    cor_model_shape startup, byte;
} pieces_shapes;

/* A line whose start and slope each depend on the ranks. */
static void pieces_functions(const cor_model_point *point, const void *context, double *row_p)
{
    const pieces_shapes *shapes = context;
    row_p[0] = 1;
    row_p[1] = point->bytes;
    row_p[2] = cor_model_shape_at(shapes->startup, point->ranks);
    row_p[3] = point->bytes * cor_model_shape_at(shapes->byte, point->ranks);
}

static double pieces_line_cost(const cor_model_point *points, size_t count, int dimension, pieces_shapes shapes)
{
    double found[COR_RELATIVE_MAX], sum = 0;
    if (!cor_relative_fit(points, count, pieces_functions, &shapes, dimension, found))
        return HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        double row[COR_RELATIVE_MAX], us = 0;
        pieces_functions(&points[i], &shapes, row);
        for (int k = 0; k < dimension; k++)
            us += found[k] * row[k];
        sum += fabs(us / points[i].us - 1);
    }
    return sum;
}

static double pieces_papers_cost(const cor_model_point *points, size_t count)
{
    double values[COR_MODEL_VALUES], sum = 0;
    cor_model_search_papers(points, count, PIECES_SEARCH, values);
    for (size_t i = 0; i < count; i++)
        sum += fabs(cor_model_form_papers.evaluate(values, points[i].bytes) / points[i].us - 1);
    return sum;
}

static double pieces_cost(const pieces_job *job, int begin, int end)
{
    const cor_model_point *points = job->points + job->first[begin];
    size_t count = job->first[end] - job->first[begin];
    if (!job->has_ranks) {
        double line = pieces_line_cost(points, count, 2, (pieces_shapes){0});
        return end - begin > PIECES_SIZES_LEAST ? fmin(line, pieces_papers_cost(points, count)) : line;
    }
    double best = HUGE_VAL;
    for (int startup = COR_MODEL_LOG; startup < COR_MODEL_SHAPES; startup++)
        for (int byte = COR_MODEL_LOG; byte < COR_MODEL_SHAPES; byte++) {
            pieces_shapes shapes = {(cor_model_shape)startup, (cor_model_shape)byte};
            best = fmin(best, pieces_line_cost(points, count, 4, shapes));
        }
    if (best == HUGE_VAL) /* too few points for that many functions */
        best = pieces_line_cost(points, count, 2, (pieces_shapes){0});
    return best;
}

/* ---- where to break ---------------------------------------------------------------------------------------------- */

static double *pieces_cost_at(const pieces_job *job, int begin, int end)
{
    return &job->costs[begin * (PIECES_SIZES_MAX + 1) + end];
}

/* The best ends of 1 to COR_MODEL_PIECES pieces: ends_p[k][i] is where piece i of k + 1 ends. Returns how many there
 * may be. */
static int pieces_break(const pieces_job *job, int ends_p[COR_MODEL_PIECES][COR_MODEL_PIECES])
{
    double best[COR_MODEL_PIECES][PIECES_SIZES_MAX + 1];
    int from[COR_MODEL_PIECES][PIECES_SIZES_MAX + 1], possible = 0;
    for (int k = 0; k < COR_MODEL_PIECES; k++)
        for (int end = 0; end <= job->size_count; end++) {
            best[k][end] = k == 0 && end >= PIECES_SIZES_LEAST ? *pieces_cost_at(job, 0, end) : HUGE_VAL;
            from[k][end] = 0;
            for (int begin = k * PIECES_SIZES_LEAST; k > 0 && begin + PIECES_SIZES_LEAST <= end; begin++) {
                double cost = best[k - 1][begin] + *pieces_cost_at(job, begin, end);
                if (cost < best[k][end]) {
                    best[k][end] = cost;
                    from[k][end] = begin;
                }
            }
        }
    for (int k = 0; k < COR_MODEL_PIECES && best[k][job->size_count] < HUGE_VAL; k++) {
        for (int i = k, end = job->size_count; i >= 0; i--) {
            ends_p[k][i] = end;
            end = from[i][end];
        }
        possible = k + 1;
    }
    return possible;
}

/* ---- good fits --------------------------------------------------------------------------------------------------- */

/* A fit of one piece, with the values where the papers' form has them. */
static void pieces_take(const cor_model_fit *fit, cor_model_piece *piece_p)
{
    *piece_p = fit->pieces[0];
    if (fit->form->value_count == 2) {
        piece_p->laws[2] = piece_p->laws[1];
        piece_p->laws[1] = (cor_model_law){0};
    }
}

static double pieces_criterion(const cor_model_fit *fit, size_t count)
{
    return cor_model_criterion(count, fit->fitted_error, cor_model_parameters(fit));
}

/* The better one of both forms; returns its error, as a sum. */
static double pieces_fit_one(const pieces_job *job, int begin, int end, cor_model_piece *piece_p)
{
    size_t count = job->first[end] - job->first[begin];
    cor_model_fit papers, line;
    memcpy(job->room, job->points + job->first[begin], count * sizeof *job->room);
    qsort(job->room, count, sizeof *job->room, pieces_by_ranks);
    cor_model_fit_laws(&cor_model_form_papers, job->room, count, &papers);
    cor_model_fit_laws(&cor_model_form_line, job->room, count, &line);
    double papers_is = pieces_criterion(&papers, count), line_is = pieces_criterion(&line, count);
    const cor_model_fit *better = papers_is <= line_is ? &papers : &line;
    pieces_take(better, piece_p);
    return better->fitted_error * (double)count;
}

static double pieces_sum(const pieces_job *job, const cor_model_piece *piece, double bytes)
{
    cor_model_fit fit = {.form = &cor_model_form_piecewise, .piece_count = 1, .pieces = {*piece}};
    double sum = 0;
    int last = 0;
    for (size_t i = 0; i < job->count && i < COR_MODEL_RANKS; i++)
        if (job->points[i].ranks != last) {
            last = job->points[i].ranks;
            sum += cor_model_time(&fit, bytes, last);
        }
    return sum;
}

/*
 * The size from which the upper of two pieces holds. Both were measured at `low` and at `high` and nowhere in between.
 * Pieces that meet there join where they meet. Otherwise there is a step, and since limits are round numbers and so are
 * measured sizes, it comes after `low`; unless the upper piece makes no sense there.
 */
static double pieces_limit(const pieces_job *job, const cor_model_piece *lower, const cor_model_piece *upper,
                           double low, double high)
{
    double left = low + 1, right = high;
    int is_above = pieces_sum(job, upper, left) > pieces_sum(job, lower, left);
    if (left >= high)
        return high;
    if (is_above == (pieces_sum(job, upper, right) > pieces_sum(job, lower, right)))
        return pieces_sum(job, upper, left) > pieces_sum(job, lower, low) / 2 ? left : right;
    while (right - left > 1) {
        double middle = floor((left + right) / 2);
        if (is_above == (pieces_sum(job, upper, middle) > pieces_sum(job, lower, middle)))
            left = middle;
        else
            right = middle;
    }
    return right;
}

/* Fit pieces that end there; returns the criterion. */
static double pieces_fit_all(const pieces_job *job, const int *ends, int count, cor_model_fit *fit_p)
{
    double sum = 0;
    *fit_p = (cor_model_fit){.form = &cor_model_form_piecewise, .piece_count = count};
    for (int i = 0, begin = 0; i < count; begin = ends[i++]) {
        sum += pieces_fit_one(job, begin, ends[i], &fit_p->pieces[i]);
        if (i > 0)
            fit_p->pieces[i].from_bytes =
                pieces_limit(job, &fit_p->pieces[i - 1], &fit_p->pieces[i], job->points[job->first[begin] - 1].bytes,
                             job->points[job->first[begin]].bytes);
    }
    return cor_model_criterion(job->count, sum / (double)job->count, cor_model_parameters(fit_p));
}

static void pieces_choose(pieces_job *job, cor_model_fit *fit_p)
{
    int whole[1] = {job->size_count}, ends[COR_MODEL_PIECES][COR_MODEL_PIECES];
    double best = pieces_fit_all(job, whole, 1, fit_p);
    if (!job->costs || job->size_count < 2 * PIECES_SIZES_LEAST)
        return;
    for (int begin = 0; begin < job->size_count; begin++)
        for (int end = begin + PIECES_SIZES_LEAST; end <= job->size_count; end++)
            *pieces_cost_at(job, begin, end) = pieces_cost(job, begin, end);
    int possible = pieces_break(job, ends);
    for (int k = 1; k < possible; k++) {
        cor_model_fit fit;
        double is = pieces_fit_all(job, ends[k], k + 1, &fit);
        if (is < best) {
            best = is;
            *fit_p = fit;
        }
    }
}

/* Where the points of each size begin. Too many sizes count as one stretch that is not broken. */
static void pieces_find_sizes(pieces_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        job->has_ranks |= job->points[i].ranks != job->points[0].ranks;
        if (i > 0 && job->points[i].bytes == job->points[i - 1].bytes)
            continue;
        if (job->size_count == PIECES_SIZES_MAX) {
            free(job->costs);
            job->costs = NULL;
            job->size_count = 1;
            job->first[1] = job->count;
            return;
        }
        job->first[job->size_count++] = i;
    }
    job->first[job->size_count] = job->count;
}

static int pieces_fit(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p)
{
    (void)form;
    pieces_job job = {.count = count};
    job.points = malloc(count * sizeof *job.points);
    job.room = malloc(count * sizeof *job.room);
    job.costs = calloc((PIECES_SIZES_MAX + 1) * (PIECES_SIZES_MAX + 1), sizeof *job.costs);
    int rc = job.points && job.room && job.costs ? COR_OK : COR_ERR_MEMORY;
    if (rc == COR_OK) {
        memcpy(job.points, points, count * sizeof *points);
        qsort(job.points, count, sizeof *job.points, pieces_by_size);
        pieces_find_sizes(&job);
        pieces_choose(&job, fit_p);
    }
    free(job.points);
    free(job.room);
    free(job.costs);
    return rc;
}

static double pieces_evaluate(const double *values, double bytes)
{
    return cor_model_form_papers.evaluate(values, bytes);
}

const cor_model_form cor_model_form_piecewise = {
    .name = "piecewise",
    .formula = "pieces of t0 + ti tb n / (t0 + tb n) + tb n",
    .values = {"t0", "ti", "tb"},
    .value_count = 3,
    .pieces_max = COR_MODEL_PIECES,
    .evaluate = pieces_evaluate,
    .fit = pieces_fit,
};
