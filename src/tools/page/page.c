/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/page/page_state.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Room for one more in a growing list; 0: out of memory. */
static int page_grow(cor_page *page, void *list_p, size_t count, size_t *room_p, size_t bytes)
{
    void **list = list_p;
    if (page->is_out_of_memory)
        return 0;
    if (count < *room_p)
        return 1;
    size_t room = *room_p ? 2 * *room_p : 16;
    void *grown = realloc(*list, room * bytes);
    if (!grown) {
        page->is_out_of_memory = 1;
        return 0;
    }
    *list = grown;
    *room_p = room;
    return 1;
}

static char *page_copy(cor_page *page, const char *text)
{
    char *copy = strdup(text ? text : "");
    if (!copy)
        page->is_out_of_memory = 1;
    return copy;
}

cor_page *cor_page_create(const char *title)
{
    cor_page *page = calloc(1, sizeof *page);
    if (page)
        page->title = page_copy(page, title);
    return page;
}

static page_item *page_add(cor_page *page, page_kind kind, const char *text)
{
    void *items = page->items;
    if (!page_grow(page, &items, page->count, &page->room, sizeof *page->items))
        return NULL;
    page->items = items;
    page_item *item = &page->items[page->count++];
    *item = (page_item){.kind = kind, .text = page_copy(page, text)};
    return item;
}

void cor_page_heading(cor_page *page, const char *text)
{
    page_add(page, PAGE_HEADING, text);
}

void cor_page_text(cor_page *page, const char *text)
{
    page_add(page, PAGE_TEXT, text);
}

void cor_page_chart(cor_page *page, const cor_page_axes *axes)
{
    page_item *item = page_add(page, PAGE_CHART, axes->title);
    if (!item)
        return;
    item->x_label = page_copy(page, axes->x_label);
    item->y_label = page_copy(page, axes->y_label);
    item->x = axes->x;
    item->y = axes->y;
}

void cor_page_curve(cor_page *page, const char *name, cor_page_style style, int colour)
{
    page_item *item = page->count ? &page->items[page->count - 1] : NULL;
    void *curves = item ? item->curves : NULL;
    if (!item || !page_grow(page, &curves, item->curve_count, &item->curve_room, sizeof *item->curves))
        return;
    item->curves = curves;
    item->curves[item->curve_count++] =
        (page_curve){.name = page_copy(page, name), .style = style, .colour = colour % COR_PAGE_COLOURS};
}

void cor_page_point(cor_page *page, double x, double y, const char *note)
{
    page_item *item = page->count ? &page->items[page->count - 1] : NULL;
    page_curve *curve = item && item->curve_count ? &item->curves[item->curve_count - 1] : NULL;
    void *points = curve ? curve->points : NULL;
    if (!curve || !page_grow(page, &points, curve->count, &curve->room, sizeof *curve->points))
        return;
    curve->points = points;
    curve->points[curve->count++] = (page_point){x, y, note ? page_copy(page, note) : NULL};
}

void cor_page_table(cor_page *page, const char *title, const char *const *columns, int column_count)
{
    page_item *item = page_add(page, PAGE_TABLE, title);
    if (!item)
        return;
    item->column_count = column_count;
    cor_page_row(page, columns);
}

void cor_page_row(cor_page *page, const char *const *cells)
{
    page_item *item = page->count ? &page->items[page->count - 1] : NULL;
    for (int i = 0; item && i < item->column_count; i++) {
        void *list = item->cells;
        if (!page_grow(page, &list, item->cell_count, &item->cell_room, sizeof *item->cells))
            return;
        item->cells = list;
        item->cells[item->cell_count++] = page_copy(page, cells[i]);
    }
}

void cor_page_destroy(cor_page *page)
{
    for (size_t i = 0; page && i < page->count; i++) {
        page_item *item = &page->items[i];
        for (size_t c = 0; c < item->curve_count; c++) {
            for (size_t p = 0; p < item->curves[c].count; p++)
                free(item->curves[c].points[p].note);
            free(item->curves[c].points);
            free(item->curves[c].name);
        }
        for (size_t c = 0; c < item->cell_count; c++)
            free(item->cells[c]);
        free(item->curves);
        free(item->cells);
        free(item->text);
        free(item->x_label);
        free(item->y_label);
    }
    if (page) {
        free(page->items);
        free(page->title);
    }
    free(page);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Also what is no UTF-8 and no character of XML: control characters become spaces, broken sequences question marks. */
void page_escape(FILE *file, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        int more = *at >= 0xf0 && *at < 0xf5 ? 3 : *at >= 0xe0 && *at < 0xf0 ? 2 : *at >= 0xc2 && *at < 0xe0 ? 1 : 0;
        int is_whole = more > 0;
        for (int i = 1; i <= more && is_whole; i++)
            is_whole = (at[i] & 0xc0) == 0x80;
        if (*at == '<')
            fputs("&lt;", file);
        else if (*at == '>')
            fputs("&gt;", file);
        else if (*at == '&')
            fputs("&amp;", file);
        else if (*at == '"')
            fputs("&quot;", file);
        else if (*at == '\'')
            fputs("&#39;", file);
        else if (*at < ' ' || *at == 0x7f)
            fputc(' ', file);
        else if (*at < 0x80)
            fputc(*at, file);
        else if (is_whole) {
            fwrite(at, 1, (size_t)more + 1, file);
            at += more;
        } else
            fputc('?', file);
    }
}

static void page_element(FILE *file, const char *name, const char *text)
{
    fprintf(file, "<%s>", name);
    page_escape(file, text);
    fprintf(file, "</%s>\n", name);
}

static void page_chart(FILE *file, const page_item *chart)
{
    fputs("<section class=\"chart\">\n", file);
    page_element(file, "h3", chart->text);
    page_draw(file, chart);
    fputs("<div class=\"legend\">", file);
    for (size_t i = 0; i < chart->curve_count; i++) {
        const page_curve *curve = &chart->curves[i];
        fprintf(file, "<button type=\"button\" class=\"c%d s%d\" aria-pressed=\"true\"><i></i>", curve->colour,
                (int)curve->style);
        page_escape(file, curve->name);
        fputs("</button>", file);
    }
    fputs("</div>\n</section>\n", file);
}

static int page_is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    size_t length = strspn(text, "0123456789.,+-e%x ");
    return (digits || text[0] == '-' || text[0] == '+') && text[length] == '\0';
}

static void page_table(FILE *file, const page_item *table)
{
    page_element(file, "h3", table->text);
    fputs("<div class=\"wide\"><table>\n", file);
    for (size_t i = 0; i < table->cell_count; i++) {
        int is_first = i % (size_t)table->column_count == 0, is_head = i < (size_t)table->column_count;
        if (is_first)
            fputs(i ? "</tr>\n<tr>" : "<tr>", file);
        fputs(is_head ? "<th scope=\"col\">" : page_is_number(table->cells[i]) ? "<td class=\"n\">" : "<td>", file);
        page_escape(file, table->cells[i]);
        fputs(is_head ? "</th>" : "</td>", file);
    }
    fputs("</tr>\n</table></div>\n", file);
}

static void page_print(FILE *file, const cor_page *page)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          file);
    page_element(file, "title", page->title);
    fprintf(file, "<style>\n%s</style>\n</head>\n<body>\n", page_css);
    page_element(file, "h1", page->title);
    for (size_t i = 0; i < page->count; i++)
        switch (page->items[i].kind) {
        case PAGE_HEADING:
            page_element(file, "h2", page->items[i].text);
            break;
        case PAGE_TEXT:
            page_element(file, "p", page->items[i].text);
            break;
        case PAGE_CHART:
            page_chart(file, &page->items[i]);
            break;
        case PAGE_TABLE:
            page_table(file, &page->items[i]);
            break;
        }
    fprintf(file, "<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n%s</script>\n</body>\n</html>\n", page_js);
}

int cor_page_write(const cor_page *page, const char *path, cor_fault *fault)
{
    cor_output output;
    if (page->is_out_of_memory)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    int rc = cor_output_open(&output, path, fault);
    if (rc != COR_OK)
        return rc;
    page_print(output.file, page);
    return cor_output_commit(&output, fault);
}
