/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/io/run_pattern.h"

#include <stdio.h>
#include <string.h>

int cor_run_pattern_check(const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
        if (!at[1] || !strchr("rtRhN%", at[1]))
            return at[1] ? at[1] : '%';
    return 0;
}

static int pattern_digits(int size)
{
    int digits = 1;
    for (int most = size - 1; most >= 10; most /= 10)
        digits++;
    return digits;
}

void cor_run_pattern_write(const char *pattern, const run_pattern_rank *of, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = pattern; *at && used + 1 < room; at++) {
        char piece[80] = {*at, '\0'};
        if (*at == '%' && at[1]) {
            at++;
            if (*at == 'r' || *at == 't')
                snprintf(piece, sizeof piece, "%d", of->rank);
            else if (*at == 'R')
                snprintf(piece, sizeof piece, "%0*d", pattern_digits(of->size), of->rank);
            else if (*at == 'h' || *at == 'N')
                snprintf(piece, sizeof piece, "%s", of->host);
            else if (*at != '%')
                snprintf(piece, sizeof piece, "%%%c", *at);
        }
        used += (size_t)snprintf(out + used, room - used, "%s", piece);
    }
}
