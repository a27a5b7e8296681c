/* SPDX-License-Identifier: Apache-2.0 */
/* A chart as SVG: the frame, ticks, grid and curves. */
#include "tools/page/page_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In units of the drawing, which the browser scales. */
enum { DRAW_WIDTH = 760, DRAW_HEIGHT = 420, DRAW_LEFT = 76, DRAW_RIGHT = 14, DRAW_TOP = 12, DRAW_BOTTOM = 46 };
enum { DRAW_TICKS = 64, DRAW_LABEL = 24 };

typedef struct draw_tick {
    double value;
    int has_label;
} draw_tick;

typedef struct draw_axis {
    cor_page_scale scale;
    double low, high;   /* of the frame */
    double least;       /* of values above 0 */
    int has_zero;       /* values that a logarithmic axis cannot have */
    double start, size; /* where `low` is drawn, and how far it is to `high` */
    draw_tick ticks[DRAW_TICKS];
    int tick_count;
} draw_axis;

/* ---- axes -------------------------------------------------------------------------------------------------------- */

static int draw_is_finite(const page_point *point)
{
    return fabs(point->x) < 1e300 && fabs(point->y) < 1e300; /* neither is NaN */
}

static void draw_range(draw_axis *axis, double value)
{
    if (axis->scale != COR_PAGE_LINEAR && !(value > 0)) {
        axis->has_zero = 1;
        return;
    }
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static void draw_tick_at(draw_axis *axis, double value, int has_label)
{
    if (axis->tick_count < DRAW_TICKS && value >= axis->low * (1 - 1e-9) - 1e-300 && value <= axis->high * (1 + 1e-9))
        axis->ticks[axis->tick_count++] = (draw_tick){value, has_label};
}

static void draw_linear(draw_axis *axis)
{
    if (axis->low > 0 && axis->low < axis->high / 2)
        axis->low = 0;
    if (axis->high < 0 && axis->high > axis->low / 2)
        axis->high = 0;
    double size = fmax(fabs(axis->low), fabs(axis->high));
    if (axis->high - axis->low <= 1e-9 * size) {
        axis->low -= size > 0 ? size / 2 : 1;
        axis->high += size > 0 ? size / 2 : 1;
    }
    double step = pow(10, floor(log10((axis->high - axis->low) / 5)));
    while ((axis->high - axis->low) / step > 8)
        step *= (axis->high - axis->low) / step > 20 ? 5 : 2;
    long first = (long)floor(axis->low / step + 1e-9), last = (long)ceil(axis->high / step - 1e-9);
    axis->low = (double)first * step;
    axis->high = (double)last * step;
    for (long i = first; i <= last && axis->tick_count < DRAW_TICKS; i++)
        axis->ticks[axis->tick_count++] = (draw_tick){(double)i * step, 1};
}

/* Ticks at powers of a base, which is a tenth of the range or less. */
static void draw_log(draw_axis *axis)
{
    double base = axis->scale == COR_PAGE_LOG2 ? 2 : 10;
    int first = (int)floor(log(axis->low) / log(base) + 1e-9), last = (int)ceil(log(axis->high) / log(base) - 1e-9);
    int step = 1, few = 10;
    if (last <= first)
        last = first + 1;
    while ((last - first) / step > few)
        step += axis->scale == COR_PAGE_LOG2 && step > 1 ? 2 : 1;
    if (axis->has_zero)
        first -= step;
    axis->low = pow(base, first);
    axis->high = pow(base, last);
    for (int power = first; power <= last; power++) {
        int is_zero = axis->has_zero && power == first;
        int has_label = is_zero || (power - (axis->has_zero ? first + step : first)) % step == 0;
        if ((!axis->has_zero || is_zero || power >= first + step) && (has_label || last - first < DRAW_TICKS))
            draw_tick_at(axis, pow(base, power), has_label);
        for (int digit = 2; base == 10 && digit < 10 && last - first <= 3 && !is_zero; digit++)
            draw_tick_at(axis, digit * pow(base, power), last - first <= 2 && (digit == 2 || digit == 5));
    }
}

static void draw_prepare(draw_axis *axis)
{
    if (axis->low > axis->high) /* nothing to draw */
        axis->low = axis->high = 1;
    if (axis->scale == COR_PAGE_LINEAR)
        draw_linear(axis);
    else
        draw_log(axis);
}

static double draw_at(const draw_axis *axis, double value)
{
    double share;
    if (axis->scale == COR_PAGE_LINEAR)
        share = (value - axis->low) / (axis->high - axis->low);
    else
        share = value > 0 ? (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low)) : 0;
    return axis->start + axis->size * share;
}

/* 4096 is 4k on an axis of bytes. */
static void draw_label(const draw_axis *axis, double value, char out[DRAW_LABEL])
{
    static const char units[] = " kMGTP";
    int unit = 0;
    if (axis->scale != COR_PAGE_LINEAR && axis->has_zero && value <= axis->low * (1 + 1e-9)) {
        snprintf(out, DRAW_LABEL, "0");
        return;
    }
    for (; axis->scale == COR_PAGE_LOG2 && value >= 1024 && units[unit + 1]; unit++)
        value /= 1024;
    if (fabs(value) < 1e-12)
        value = 0; /* a step away from 0 and back */
    snprintf(out, DRAW_LABEL, "%.6g%.*s", value, unit > 0, units + unit);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_frame(FILE *file, const draw_axis *x, const draw_axis *y, const page_item *chart)
{
    char label[DRAW_LABEL];
    fputs("<g class=\"grid\">\n", file);
    for (int i = 0; i < x->tick_count; i++) {
        double at = draw_at(x, x->ticks[i].value);
        fprintf(file, "<path class=\"%s\" d=\"M%.1f,%dV%d\"/>", x->ticks[i].has_label ? "major" : "minor", at,
                DRAW_TOP, DRAW_HEIGHT - DRAW_BOTTOM);
        draw_label(x, x->ticks[i].value, label);
        if (x->ticks[i].has_label)
            fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at,
                    DRAW_HEIGHT - DRAW_BOTTOM + 16, label);
    }
    for (int i = 0; i < y->tick_count; i++) {
        double at = draw_at(y, y->ticks[i].value);
        fprintf(file, "<path class=\"%s\" d=\"M%d,%.1fH%d\"/>", y->ticks[i].has_label ? "major" : "minor", DRAW_LEFT,
                at, DRAW_WIDTH - DRAW_RIGHT);
        draw_label(y, y->ticks[i].value, label);
        if (y->ticks[i].has_label)
            fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", DRAW_LEFT - 6, at + 4, label);
    }
    fprintf(file, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (DRAW_LEFT + DRAW_WIDTH) / 2,
            DRAW_HEIGHT - 8);
    page_escape(file, chart->x_label);
    fprintf(file, "</text>\n<text class=\"label\" transform=\"translate(16,%d) rotate(-90)\" text-anchor=\"middle\">",
            (DRAW_HEIGHT - DRAW_BOTTOM) / 2);
    page_escape(file, chart->y_label);
    fputs("</text>\n</g>\n", file);
}

/* The values for the script, in the order of the points that are drawn, and their notes. */
static void draw_values(FILE *file, const page_curve *curve)
{
    int has_notes = 0;
    fputs(" data-v=\"", file);
    for (size_t i = 0; i < curve->count; i++)
        if (draw_is_finite(&curve->points[i])) {
            fprintf(file, "%.6g %.6g;", curve->points[i].x, curve->points[i].y);
            has_notes |= curve->points[i].note != NULL;
        }
    fputc('"', file);
    if (!has_notes)
        return;
    fputs(" data-n=\"", file);
    for (size_t i = 0; i < curve->count; i++)
        if (draw_is_finite(&curve->points[i])) {
            char note[120] = "";
            snprintf(note, sizeof note, "%s", curve->points[i].note ? curve->points[i].note : "");
            for (char *bar = note; (bar = strchr(bar, '|'));)
                *bar = '/';
            page_escape(file, note);
            fputc('|', file);
        }
    fputc('"', file);
}

static void draw_curve(FILE *file, const draw_axis *x, const draw_axis *y, const page_curve *curve)
{
    fprintf(file, "<g class=\"curve c%d s%d\" data-curve=\"", curve->colour, (int)curve->style);
    page_escape(file, curve->name);
    fputc('"', file);
    draw_values(file, curve);
    fputs(curve->style == COR_PAGE_DOTS ? ">" : "><path d=\"", file);
    char letter = 'M';
    for (size_t i = 0; i < curve->count; i++) {
        const page_point *point = &curve->points[i];
        if (!draw_is_finite(point))
            continue;
        double across = draw_at(x, point->x), down = draw_at(y, point->y);
        if (curve->style == COR_PAGE_DOTS)
            fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", across, down);
        else
            fprintf(file, "%c%.1f,%.1f", letter, across, down);
        letter = 'L';
    }
    fputs(curve->style == COR_PAGE_DOTS ? "</g>\n" : "\"/></g>\n", file);
}

void page_draw(FILE *file, const page_item *chart)
{
    draw_axis x = {.scale = chart->x, .low = HUGE_VAL, .high = -HUGE_VAL, .start = DRAW_LEFT};
    draw_axis y = {.scale = chart->y, .low = HUGE_VAL, .high = -HUGE_VAL, .start = DRAW_HEIGHT - DRAW_BOTTOM};
    x.size = DRAW_WIDTH - DRAW_RIGHT - DRAW_LEFT;
    y.size = -(DRAW_HEIGHT - DRAW_BOTTOM - DRAW_TOP);
    for (size_t i = 0; i < chart->curve_count; i++)
        for (size_t p = 0; p < chart->curves[i].count; p++)
            if (draw_is_finite(&chart->curves[i].points[p])) {
                draw_range(&x, chart->curves[i].points[p].x);
                draw_range(&y, chart->curves[i].points[p].y);
            }
    draw_prepare(&x);
    draw_prepare(&y);
    fprintf(file, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", DRAW_WIDTH, DRAW_HEIGHT);
    page_escape(file, chart->text);
    fputs("\" data-x=\"", file);
    page_escape(file, chart->x_label);
    fputs("\" data-y=\"", file);
    page_escape(file, chart->y_label);
    fputs("\">\n", file);
    draw_frame(file, &x, &y, chart);
    for (size_t i = 0; i < chart->curve_count; i++)
        draw_curve(file, &x, &y, &chart->curves[i]);
    fputs("<circle class=\"mark\" r=\"6\" visibility=\"hidden\"/>\n</svg>\n", file);
}
