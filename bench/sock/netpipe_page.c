/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws what netpipe.sh and netpipe_java.sh measured: for each test the time over the size and the bandwidth, a curve
 * for each way to run it, the best of all rounds.
 *
 *   netpipe_page CSV HTML
 */
#include "tools/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 32, LINE_MAX_BYTES = 200 };

typedef struct netpipe_row {
    char how[NAME_MAX_BYTES], test[NAME_MAX_BYTES];
    long bytes;
    double us;
} netpipe_row;

typedef struct netpipe_rows {
    netpipe_row *rows;
    int count, room;
} netpipe_rows;

static netpipe_row *netpipe_rows_find(const netpipe_rows *all, const netpipe_row *like)
{
    for (int i = 0; i < all->count; i++)
        if (all->rows[i].bytes == like->bytes && strcmp(all->rows[i].how, like->how) == 0 &&
            strcmp(all->rows[i].test, like->test) == 0)
            return &all->rows[i];
    return NULL;
}

/* Keep the best of the rounds. -1: out of memory. */
static int netpipe_rows_add(netpipe_rows *all, const netpipe_row *row)
{
    netpipe_row *known = netpipe_rows_find(all, row);
    if (known) {
        known->us = row->us < known->us ? row->us : known->us;
        return 0;
    }
    if (all->count == all->room) {
        int room = all->room ? 2 * all->room : 256;
        netpipe_row *rows = realloc(all->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return -1;
        all->rows = rows;
        all->room = room;
    }
    all->rows[all->count++] = *row;
    return 0;
}

static int netpipe_rows_read(netpipe_rows *all, const char *path)
{
    char line[LINE_MAX_BYTES];
    int number = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return -1;
    }
    while (fgets(line, sizeof line, file)) {
        netpipe_row row;
        if (++number == 1)
            continue; /* the names of the columns */
        if (sscanf(line, "%31[^,],%31[^,],%ld,%lf", row.how, row.test, &row.bytes, &row.us) != 4 || row.us <= 0 ||
            netpipe_rows_add(all, &row) != 0) {
            fprintf(stderr, "netpipe_page: %s, line %d: not \"how,test,bytes,us\", or no memory: %s", path, number,
                    line);
            fclose(file);
            return -1;
        }
    }
    fclose(file);
    return 0;
}

/* Is it the first row with this test, and, if asked, this way to run it? */
static int netpipe_is_first(const netpipe_rows *all, int at, int is_by_how)
{
    for (int i = 0; i < at; i++)
        if (strcmp(all->rows[i].test, all->rows[at].test) == 0 &&
            (!is_by_how || strcmp(all->rows[i].how, all->rows[at].how) == 0))
            return 0;
    return 1;
}

static void netpipe_curve(cor_page *page, const netpipe_rows *all, const netpipe_row *like, int colour,
                          int is_bandwidth)
{
    cor_page_curve(page, like->how, COR_PAGE_LINE, colour);
    for (int i = 0; i < all->count; i++) {
        const netpipe_row *row = &all->rows[i];
        if (strcmp(row->test, like->test) == 0 && strcmp(row->how, like->how) == 0)
            cor_page_point(page, (double)row->bytes, is_bandwidth ? (double)row->bytes / row->us : row->us, NULL);
    }
}

static void netpipe_chart(cor_page *page, const netpipe_rows *all, const char *test, int is_bandwidth)
{
    const char *x = strcmp(test, "echo") == 0 ? "connections" : "bytes";
    cor_page_chart(page, &(cor_page_axes){test, x, is_bandwidth ? "MB/s" : "us", COR_PAGE_LOG2, COR_PAGE_LOG10});
    for (int i = 0, colour = 0; i < all->count; i++)
        if (strcmp(all->rows[i].test, test) == 0 && netpipe_is_first(all, i, 1))
            netpipe_curve(page, all, &all->rows[i], colour++, is_bandwidth);
}

static int netpipe_has_bandwidth(const char *test)
{
    return strcmp(test, "echo") != 0 && strcmp(test, "rmi-null") != 0;
}

int main(int argc, char **argv)
{
    netpipe_rows all = {0};
    cor_fault fault = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: netpipe_page CSV HTML\n");
        return 2;
    }
    int rc = netpipe_rows_read(&all, argv[1]);
    cor_page *page = rc == 0 ? cor_page_create("NetPIPE, plain and fast") : NULL;
    for (int i = 0; page && i < all.count; i++)
        if (netpipe_is_first(&all, i, 0)) {
            netpipe_chart(page, &all, all.rows[i].test, 0);
            if (netpipe_has_bandwidth(all.rows[i].test))
                netpipe_chart(page, &all, all.rows[i].test, 1);
        }
    if (rc == 0 && (!page || cor_page_write(page, argv[2], &fault) != COR_OK)) {
        fprintf(stderr, "netpipe_page: %s\n", page ? fault.text : "out of memory");
        rc = -1;
    }
    cor_page_destroy(page);
    free(all.rows);
    return rc == 0 ? 0 : 1;
}
