/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_plan.h"

int cor_run_program_of(const run_plan *plan, int rank)
{
    int which = 0, first = 0;
    while (which + 1 < plan->program_count && rank >= first + plan->programs[which].count)
        first += plan->programs[which++].count;
    return which;
}
