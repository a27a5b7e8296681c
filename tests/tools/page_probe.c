/* SPDX-License-Identifier: Apache-2.0 */
/* page_probe FILE: writes a page with all kinds of axes, curves and texts, also such that mean something in HTML. */
#include "check.h"
#include "tools/page/page.h"

#include <math.h>

static const char awkward[] = "<script>alert(\"a\")</script> & 'b' | ]]> \xc3\xb1 \xff\x01";

static void probe_chart(cor_page *page, cor_page_scale x, cor_page_scale y, double from, double factor)
{
    cor_page_chart(page, &(cor_page_axes){"A chart", "bytes", "us", x, y});
    for (int curve = 0; curve < 9; curve++) {
        char name[32];
        snprintf(name, sizeof name, "curve %d", curve);
        cor_page_curve(page, name, (cor_page_style)(curve % 3), curve);
        double at = from;
        for (int i = 0; i < 20; i++) {
            cor_page_point(page, at, at * (curve + 1) + i, i % 2 ? "odd" : NULL);
            at *= factor;
        }
    }
}

int main(int argc, char **argv)
{
    cor_fault fault = {0};
    CHECK(argc == 2);
    cor_page *page = cor_page_create(awkward);
    CHECK(page);
    cor_page_heading(page, awkward);
    cor_page_text(page, awkward);
    for (int x = COR_PAGE_LINEAR; x <= COR_PAGE_LOG2; x++)
        for (int y = COR_PAGE_LINEAR; y <= COR_PAGE_LOG2; y++)
            probe_chart(page, (cor_page_scale)x, (cor_page_scale)y, 1, 2);
    probe_chart(page, COR_PAGE_LOG10, COR_PAGE_LOG10, 1e-250, 1e20);
    probe_chart(page, COR_PAGE_LINEAR, COR_PAGE_LINEAR, 100, 1); /* one size only */
    probe_chart(page, COR_PAGE_LOG2, COR_PAGE_LOG10, 0, 1);      /* nothing above 0 on the first axis */
    probe_chart(page, COR_PAGE_LINEAR, COR_PAGE_LINEAR, -3e5, 1.1);
    /* What cannot be drawn is left out, one point is enough, and so is none. */
    cor_page_chart(page, &(cor_page_axes){awkward, awkward, awkward, COR_PAGE_LOG2, COR_PAGE_LOG10});
    cor_page_curve(page, awkward, COR_PAGE_DOTS, 0);
    cor_page_point(page, NAN, 1, NULL);
    cor_page_point(page, 1, INFINITY, awkward);
    cor_page_point(page, 4096, 5, awkward);
    cor_page_chart(page, &(cor_page_axes){"Empty", "x", "y", COR_PAGE_LINEAR, COR_PAGE_LINEAR});
    cor_page_table(page, awkward, (const char *const[]){"name", "number"}, 2);
    cor_page_row(page, (const char *const[]){awkward, "1.5"});
    cor_page_row(page, (const char *const[]){"none", "-"});
    if (cor_page_write(page, argv[1], &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_page_write(page, "/dev/full", &fault));
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_page_write(page, "/nowhere/at/all.html", &fault));
    cor_page_destroy(page);
    return 0;
}
