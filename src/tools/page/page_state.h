/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a page, for the files that build and write it. */
#ifndef COR_TOOLS_PAGE_STATE_H
#define COR_TOOLS_PAGE_STATE_H

#include "tools/page/page.h"

#include <stddef.h>
#include <stdio.h>

typedef struct page_point {
    double x, y;
    char *note; /* NULL: none */
} page_point;

typedef struct page_curve {
    char *name;
    cor_page_style style;
    int colour;
    page_point *points;
    size_t count, room;
} page_curve;

typedef enum page_kind { PAGE_HEADING, PAGE_TEXT, PAGE_CHART, PAGE_TABLE } page_kind;

typedef struct page_item {
    page_kind kind;
    char *text; /* or the title */
    char *x_label, *y_label;
    cor_page_scale x, y;
    page_curve *curves;
    size_t curve_count, curve_room;
    char **cells; /* the first row names the columns */
    int column_count;
    size_t cell_count, cell_room;
} page_item;

struct cor_page {
    char *title;
    page_item *items;
    size_t count, room;
    int is_out_of_memory;
};

/* Write the text with special characters of HTML escaped. */
void page_escape(FILE *file, const char *text);

/* The chart as one SVG element. */
void page_draw(FILE *file, const page_item *chart);

/* page.css and page.js. */
extern const char page_css[], page_js[];

#endif
