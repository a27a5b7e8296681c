/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/totals.h"

#include <stdlib.h>
#include <string.h>

static double totals_seconds(uint64_t ticks, cor_ticks_pair first, cor_ticks_pair last)
{
    return (cor_ticks_ns(first.ticks + ticks, first, last) - (double)first.ns) / 1e9;
}

static void totals_add_call(cor_totals_call *call, const cor_record_count *count, double seconds, double waited_s,
                            int is_first)
{
    call->calls += count->calls;
    call->bytes += count->bytes;
    call->min_s = is_first || seconds < call->min_s ? seconds : call->min_s;
    call->max_s = is_first || seconds > call->max_s ? seconds : call->max_s;
    call->mean_s += seconds;
    call->waited_s += waited_s;
}

static void totals_add_rank(cor_totals *totals, const cor_record_slot *slot, uint32_t rank)
{
    cor_totals_rank *self = &totals->ranks[rank];
    cor_ticks_pair first, last;
    cor_record_clocks(slot, &first, &last);
    if (totals->counted == 0)
        totals->face = slot->face;
    self->is_counted = 1;
    self->total_s = last.ns > first.ns ? (double)(last.ns - first.ns) / 1e9 : 0;
    for (int i = 0; i < COR_TRACED_CALLS; i++) {
        const cor_record_count *count = &slot->counts[i];
        double seconds = totals_seconds(count->ticks, first, last);
        double waited_s = totals_seconds(count->waited, first, last);
        totals_add_call(&totals->calls[i], count, seconds, waited_s, totals->counted == 0);
        self->call_s += seconds;
        self->waited_s += waited_s;
    }
    totals->counted++;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static void totals_note_pair(cor_totals *totals, uint32_t from, uint32_t to, const cor_record_pair *pair)
{
    size_t at = totals->busiest_count;
    while (at > 0 && totals->busiest[at - 1].bytes < pair->bytes)
        at--;
    if (at == COR_TOTALS_PAIRS)
        return;
    size_t kept = totals->busiest_count < COR_TOTALS_PAIRS ? totals->busiest_count : COR_TOTALS_PAIRS - 1;
    memmove(&totals->busiest[at + 1], &totals->busiest[at], (kept - at) * sizeof totals->busiest[0]);
    totals->busiest[at] = (cor_totals_pair){from, to, pair->messages, pair->bytes};
    totals->busiest_count = kept + 1;
}

static int totals_add_row(cor_totals *totals, const cor_record *record, uint32_t rank)
{
    cor_record_pair *row = cor_record_copy_row(record, rank);
    if (!row)
        return -1;
    memcpy(totals->matrix + (size_t)rank * totals->size, row, totals->size * sizeof *row);
    for (uint32_t to = 0; to < totals->size; to++) {
        totals->ranks[rank].messages += row[to].messages;
        totals->ranks[rank].bytes += row[to].bytes;
        if (row[to].messages > 0)
            totals_note_pair(totals, rank, to, &row[to]);
    }
    free(row);
    return 0;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void totals_conclude(cor_totals *totals)
{
    for (int i = 0; i < COR_TRACED_CALLS && totals->counted > 0; i++) {
        totals->calls[i].mean_s /= totals->counted;
        totals->calls[i].waited_s /= totals->counted;
    }
    for (uint32_t rank = 0; rank < totals->size; rank++) {
        const cor_totals_rank *self = &totals->ranks[rank];
        if (!self->is_counted)
            continue;
        double compute_s = self->total_s > self->call_s ? self->total_s - self->call_s : 0;
        totals->compute_mean_s += compute_s / totals->counted;
        totals->longest_s = self->total_s > totals->longest_s ? self->total_s : totals->longest_s;
        if (compute_s > totals->compute_max_s) {
            totals->compute_max_s = compute_s;
            totals->compute_max_rank = rank;
        }
    }
}

int cor_totals_add_up(cor_totals *totals, const cor_record *record, cor_fault *fault)
{
    uint32_t size = record->header.size;
    int has_matrix = cor_record_row_bytes(&record->header) > 0, is_complete = 1;
    *totals = (cor_totals){.size = size, .ranks = calloc(size, sizeof *totals->ranks)};
    if (has_matrix)
        totals->matrix = calloc((size_t)size * size, sizeof *totals->matrix);
    is_complete = totals->ranks && (totals->matrix || !has_matrix);
    for (uint32_t rank = 0; rank < size && is_complete; rank++) {
        const cor_record_slot *slot = cor_record_slot_of(record, rank);
        if (cor_record_state_of(slot) == COR_RANK_ABSENT || slot->first.ns == 0)
            continue;
        totals_add_rank(totals, slot, rank);
        if (has_matrix && totals_add_row(totals, record, rank) != 0)
            is_complete = 0;
    }
    if (!is_complete) {
        cor_totals_fini(totals);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the statistics of %u ranks", (unsigned)size);
    }
    totals_conclude(totals);
    return COR_OK;
}

void cor_totals_fini(cor_totals *totals)
{
    free(totals->ranks);
    free(totals->matrix);
    *totals = (cor_totals){0};
}
