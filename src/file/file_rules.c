/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_rules.h"

#include "file/file_runs.h"

#include <stdlib.h>

/*
 * By itself a member needs a system call for each piece, and two-phase copies each byte twice more and exchanges
 * messages. So pieces must be short for two-phase to pay, and those of the members must lie side by side, so that long
 * pieces come of them: what one member has for itself does not become longer.
 */
const file_rule file_rules[] = {
    {.facts = FILE_FACT_FEW, .strategy = FILE_EACH_ALONE, .when = "at most one member has data"},
    {.facts = FILE_FACT_ATOMIC, .strategy = FILE_EACH_ALONE, .when = "atomic mode: each access locks its range"},
    {.facts = FILE_FACT_MIXED, .strategy = FILE_EACH_ALONE, .when = "blocks of a view overlap or mix"},
    {.facts = FILE_FACT_DISABLE, .strategy = FILE_EACH_ALONE, .when = "the hint says disable"},
    {.gap_least = FILE_GAP_VAST, .strategy = FILE_EACH_ALONE, .when = "next to nothing of the range is accessed"},
    {.facts = FILE_FACT_ENABLE, .strategy = FILE_TWO_PHASE, .when = "the hint says enable"},
    {.facts = FILE_FACT_DISJOINT, .strategy = FILE_EACH_ALONE, .when = "each member has a range of its own"},
    {.piece_least = FILE_PIECE_LONG, .strategy = FILE_EACH_ALONE, .when = "long pieces"},
    {.facts = FILE_FACT_READ,
     .own_gap_most = 1,
     .strategy = FILE_EACH_ALONE,
     .when = "a read of most of each member's range"},
    {.gap_least = 16, .strategy = FILE_EACH_ALONE, .when = "little of the range is accessed"},
    {.strategy = FILE_TWO_PHASE, .when = "short pieces of several members side by side"},
};

const size_t file_rule_count = sizeof file_rules / sizeof *file_rules;

enum {
    RULES_LEAST = 256 * 1024, /* bytes for an aggregator more on the same host */
    RULES_A_NODE = 2,         /* aggregators: on one host they share memory and the lock of the file's data */
};

const char *file_strategy_name(file_strategy strategy)
{
    return strategy == FILE_TWO_PHASE ? "two-phase" : "each member by itself";
}

static int rule_fits(const file_rule *rule, const file_situation *situation)
{
    return (rule->facts & ~situation->facts) == 0 && situation->piece_bytes >= rule->piece_least &&
           situation->gap >= rule->gap_least && (rule->own_gap_most == 0 || situation->own_gap <= rule->own_gap_most);
}

const file_rule *file_rule_for(const file_situation *situation)
{
    const file_rule *rule = file_rules;
    while (!rule_fits(rule, situation)) /* the last one always does */
        rule++;
    return rule;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static int range_compare(const void *a, const void *b)
{
    const file_range *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

static int ranges_are_sorted(const file_range *ranges, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (ranges[i].first < ranges[i - 1].first)
            return 0;
    return 1;
}

static int ranges_are_disjoint(file_range *ranges, size_t count)
{
    if (!ranges_are_sorted(ranges, count))
        qsort(ranges, count, sizeof *ranges, range_compare);
    for (size_t i = 1; i < count; i++)
        if (ranges[i].first < ranges[i - 1].end)
            return 0;
    return 1;
}

static uint32_t situation_hints(const file_part *part)
{
    uint32_t facts = part->is_write ? FILE_FACT_WRITE : FILE_FACT_READ;
    if (part->is_atomic)
        facts |= FILE_FACT_ATOMIC;
    if (part->choice == FILE_ENABLE)
        facts |= FILE_FACT_ENABLE;
    if (part->choice == FILE_DISABLE)
        facts |= FILE_FACT_DISABLE;
    return facts;
}

/* Reads may ask for more than there is, and all together for more than 64 bits can count. */
static void situation_add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

void file_situation_init(file_situation *situation, const file_part *const *parts, int members, int nodes,
                         file_range *ranges)
{
    size_t count = 0;
    uint64_t pieces = 0, own = 0;
    *situation = (file_situation){.facts = situation_hints(parts[0]),
                                  .members = members,
                                  .nodes = nodes,
                                  .first = INT64_MAX,
                                  .buffer_bytes = parts[0]->buffer_bytes,
                                  .cb_nodes = parts[0]->nodes,
                                  .align = parts[0]->align};
    for (int i = 0; i < members; i++) {
        const file_part *part = parts[i];
        if (part->is_mixed)
            situation->facts |= FILE_FACT_MIXED;
        if (part->bytes == 0)
            continue;
        situation->first = part->first < situation->first ? part->first : situation->first;
        situation->end = part->end > situation->end ? part->end : situation->end;
        situation_add(&situation->bytes, part->bytes);
        situation_add(&pieces, part->pieces);
        situation_add(&own, (uint64_t)(part->end - part->first));
        ranges[count++] = (file_range){part->first, part->end};
    }
    if (count <= 1)
        situation->facts |= FILE_FACT_FEW;
    if (count == 0) {
        situation->first = situation->end = 0;
        return;
    }
    situation->piece_bytes = situation->bytes / (pieces ? pieces : 1);
    situation->gap = (uint64_t)(situation->end - situation->first) / situation->bytes;
    situation->own_gap = own / situation->bytes;
    if (ranges_are_disjoint(ranges, count))
        situation->facts |= FILE_FACT_DISJOINT;
}

/* ---- division --------------------------------------------------------------------------------------------------- */

static int division_aggregators(const file_situation *situation, uint64_t range)
{
    uint64_t least = (uint64_t)situation->nodes, count = least * RULES_A_NODE, useful = range / RULES_LEAST + 1;
    if (situation->cb_nodes > 0)
        count = (uint64_t)situation->cb_nodes;
    else if (count > useful)
        count = useful < least ? least : useful;
    return count < (uint64_t)situation->members ? (int)count : situation->members;
}

file_division file_division_of(const file_situation *situation)
{
    uint64_t range = (uint64_t)(situation->end - situation->first), most = situation->buffer_bytes;
    uint64_t align = situation->align > 0 ? situation->align : FILE_ALIGN;
    int aggregators = division_aggregators(situation, range);
    most = most < 1 ? 1 : most > FILE_WINDOW_MAX ? FILE_WINDOW_MAX : most;
    if (align > most)
        align = most >= FILE_ALIGN ? FILE_ALIGN : 1;
    int64_t base = situation->first - situation->first % (int64_t)align;
    range = (uint64_t)(situation->end - base);
    uint64_t share = (range + (uint64_t)aggregators - 1) / (uint64_t)aggregators;
    share = (share + align - 1) / align * align;
    most -= most % align;
    return (file_division){base, situation->end, (size_t)(share < most ? share : most), aggregators};
}

/* Member `number` of those on a node. */
static int division_of_node(const int *node_of, int members, int node, int number)
{
    for (int i = 0; i < members; i++)
        if (node_of[i] == node && number-- == 0)
            return i;
    return -1;
}

int file_division_member(const file_situation *situation, const file_division *division, const int *node_of,
                         int number)
{
    if (situation->nodes <= 1 || !node_of)
        return (int)((int64_t)number * situation->members / division->aggregators);
    /* In turn from each node that has a member left. */
    for (int round = 0;; round++)
        for (int node = 0; node < situation->nodes; node++) {
            int member = division_of_node(node_of, situation->members, node, round);
            if (member >= 0 && number-- == 0)
                return member;
        }
}
