/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_lines.h"

#include "base/lines.h"

#include <limits.h>
#include <stdio.h>

enum { LINES_BYTES = 16 << 20, LINES_WHERE_MAX = PATH_MAX + 64 };

int cor_run_lines_read(const char *command_name, const char *path, run_line_fn take, void *context)
{
    char where[LINES_WHERE_MAX];
    cor_lines lines;
    cor_fault fault = {0};
    int code = 0, more = cor_lines_open(&lines, path, LINES_BYTES, &fault);
    if (more == COR_OK) {
        while (code == 0 && (more = cor_lines_next(&lines, &fault)) == 1) {
            snprintf(where, sizeof where, "%s: %s, line %d", command_name, path, lines.number);
            code = take(context, where, lines.text, lines.number);
        }
        cor_lines_close(&lines);
    }
    if (more < 0)
        fprintf(stderr, "%s: %s\n", command_name, fault.text);
    return more < 0 ? -1 : code;
}
