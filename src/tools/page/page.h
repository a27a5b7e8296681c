/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One self-contained HTML file with charts and tables: no network, no other file.
 *
 * Charts are drawn as SVG when the page is written. A little script shows values under the pointer and lets the legend
 * switch curves; without scripts everything is still shown. Light and dark follow the reader's system.
 *
 * A page is filled from top to bottom: a chart, its curves, the points of each; a table, its rows. All text is copied
 * and may have any characters. Running out of memory is recorded, and reported by cor_page_write.
 *
 * In the page every curve is an element with the attribute data-curve; its chart gets data-drawn, the number of visible
 * curves, when the script has run.
 */
#ifndef COR_TOOLS_PAGE_H
#define COR_TOOLS_PAGE_H

#include "base/error.h"

typedef struct cor_page cor_page;

typedef enum cor_page_scale {
    COR_PAGE_LINEAR,
    COR_PAGE_LOG10, /* for times, rates */
    COR_PAGE_LOG2,  /* for bytes and ranks: ticks at powers of two, 4k for 4096 */
} cor_page_scale;

typedef struct cor_page_axes {
    const char *title, *x_label, *y_label;
    cor_page_scale x, y;
} cor_page_axes;

typedef enum cor_page_style { COR_PAGE_DOTS, COR_PAGE_LINE, COR_PAGE_DASHED } cor_page_style;

/* Colours that colour-blind readers can distinguish, in light and dark; larger numbers wrap around. */
enum { COR_PAGE_COLOURS = 8 };

cor_page *cor_page_create(const char *title); /* NULL: out of memory */
void cor_page_destroy(cor_page *page);        /* NULL is allowed */

/* A heading that structures a long page, and a paragraph. */
void cor_page_heading(cor_page *page, const char *text);
void cor_page_text(cor_page *page, const char *text);

void cor_page_chart(cor_page *page, const cor_page_axes *axes);
/* A curve of the last chart. */
void cor_page_curve(cor_page *page, const char *name, cor_page_style style, int colour);
/* A point of the last curve; `note` is shown with its values, NULL: nothing more. A number that is not finite is left
 * out; on a logarithmic axis values not above 0 are drawn at the lower end. */
void cor_page_point(cor_page *page, double x, double y, const char *note);

void cor_page_table(cor_page *page, const char *title, const char *const *columns, int column_count);
/* A row of the last table; a cell that is a number is right-aligned. */
void cor_page_row(cor_page *page, const char *const *cells);

/* Replace the file when all is written (base/output.h). COR_ERR_SYSTEM, COR_ERR_MEMORY. */
int cor_page_write(const cor_page *page, const char *path, cor_fault *fault);

#endif
