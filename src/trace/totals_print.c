/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/totals.h"

#include <inttypes.h>

static void print_calls(const cor_totals *totals, FILE *out, const char *prefix)
{
    fprintf(out, "%s%-26s %10s %14s %10s %10s %10s %10s\n", prefix, "call", "calls", "bytes", "min s", "mean s",
            "max s", "waiting s");
    for (int i = 0; i < COR_TRACED_CALLS; i++) {
        const cor_totals_call *call = &totals->calls[i];
        if (call->calls > 0)
            fprintf(out, "%s%-26s %10" PRIu64 " %14" PRIu64 " %10.6f %10.6f %10.6f %10.6f\n", prefix,
                    cor_traced_name((unsigned)i, totals->face), call->calls, call->bytes, call->min_s, call->mean_s,
                    call->max_s, call->waited_s);
    }
}

static void print_pairs(const cor_totals *totals, FILE *out, const char *prefix)
{
    if (totals->busiest_count == 0)
        return;
    fprintf(out, "%sbusiest pairs, from -> to: messages, bytes\n", prefix);
    for (size_t i = 0; i < totals->busiest_count; i++) {
        const cor_totals_pair *pair = &totals->busiest[i];
        fprintf(out, "%s  %" PRIu32 " -> %" PRIu32 ": %" PRIu64 ", %" PRIu64 "\n", prefix, pair->from, pair->to,
                pair->messages, pair->bytes);
    }
}

void cor_totals_print(const cor_totals *totals, FILE *out, const char *prefix)
{
    double call_s = 0, waited_s = 0;
    uint64_t messages = 0, bytes = 0;
    if (totals->counted == 0) {
        fprintf(out, "%sno rank has called MPI_Init: there are no statistics\n", prefix);
        return;
    }
    for (uint32_t rank = 0; rank < totals->size; rank++) {
        call_s += totals->ranks[rank].call_s / totals->counted;
        waited_s += totals->ranks[rank].waited_s / totals->counted;
        messages += totals->ranks[rank].messages;
        bytes += totals->ranks[rank].bytes;
    }
    double share = totals->longest_s > 0 ? 100 / totals->longest_s : 0;
    fprintf(out, "%s%" PRIu32 " ranks in MPI for %.6f s at most; in calls %.6f s (%.1f %%) a rank, waiting %.6f s\n",
            prefix, totals->counted, totals->longest_s, call_s, call_s * share, waited_s);
    print_calls(totals, out, prefix);
    fprintf(out, "%s%" PRIu64 " messages, %" PRIu64 " bytes by sends of the program\n", prefix, messages, bytes);
    print_pairs(totals, out, prefix);
    if (totals->compute_mean_s > 0)
        fprintf(out,
                "%sload imbalance %.1f %%: outside of calls %.6f s on average, %.6f s on rank %" PRIu32
                ", which has most\n",
                prefix, 100 * (totals->compute_max_s / totals->compute_mean_s - 1), totals->compute_mean_s,
                totals->compute_max_s, totals->compute_max_rank);
}
