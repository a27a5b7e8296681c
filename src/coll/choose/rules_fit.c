/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a rule fits, and the unmet needs of a forced one. */
#include "coll/choose/rules.h"

#include <stdint.h>
#include <string.h>

static int rule_is_within(const cor_range *range, size_t value)
{
    return value >= range->low && value <= range->high;
}

uint32_t cor_unmet_needs(const cor_algorithm *algorithm, const cor_situation *situation)
{
    uint32_t facts = situation->facts, met = COR_NEEDS_ELEMENTS | COR_NEEDS_ROOM; /* of a call */
    if (facts & COR_FACT_COMMUTATIVE)
        met |= COR_NEEDS_COMMUTATIVE;
    if (facts & COR_FACT_POWER_OF_TWO)
        met |= COR_NEEDS_POWER_OF_TWO;
    if (facts & COR_FACT_ONE_NODE)
        met |= COR_NEEDS_ONE_NODE;
    if (situation->nodes > 1 && situation->node_ranks > 1)
        met |= COR_NEEDS_NODES;
    if (facts & COR_FACT_BLOCKING)
        met |= COR_NEEDS_BLOCKING;
    if (facts & COR_FACT_INTER)
        met |= COR_NEEDS_INTER;
    if (facts & COR_FACT_THREADS)
        met |= COR_NEEDS_THREADS;
    if (situation->ranks <= COR_FEW_RANKS)
        met |= COR_NEEDS_FEW_RANKS;
    uint32_t needs = algorithm->needs;
    if (algorithm->run)
        needs |= COR_NEEDS_BLOCKING;
    return needs & ~met;
}

uint32_t cor_rule_unmet(const cor_rule *forced, const cor_situation *situation)
{
    uint32_t of_some = forced->is_family ? COR_NEEDS_THREADS | COR_NEEDS_FEW_RANKS : 0;
    return cor_unmet_needs(forced->algorithm, situation) & ~of_some;
}

int cor_rule_refuse(const cor_rule *rule, uint32_t unmet, cor_fault *fault)
{
    const char *name = rule->algorithm->name;
    int need = 0, length = (int)(rule->is_family ? strcspn(name, "_") : strlen(name));
    while (!(unmet >> need & 1))
        need++;
    return cor_fault_set(fault, COR_ERR_KNOB,
                         "the algorithm %.*s that coll.%s asks for needs %s, which this call does not have", length,
                         name, cor_primitive_name(rule->primitive), cor_need_word((cor_need_bit)need));
}

int cor_rule_is_for(const cor_rule *rule, const cor_situation *situation)
{
    return !(rule->algorithm->needs & COR_NEEDS_INTER) == !(situation->facts & COR_FACT_INTER);
}

int cor_rule_is_of_family(const cor_rule *rule, const cor_rule *forced)
{
    return cor_algorithm_begins(rule->algorithm, forced->algorithm->name, strcspn(forced->algorithm->name, "_"));
}

cor_range cor_rule_bytes(const cor_rule *rule, int ranks)
{
    cor_range bytes = rule->bytes;
    size_t size = (size_t)ranks, low = rule->total.low / size + (rule->total.low % size != 0);
    if (low > bytes.low)
        bytes.low = low;
    if (rule->total.high < SIZE_MAX && rule->total.high / size < bytes.high)
        bytes.high = rule->total.high / size;
    return bytes;
}

int cor_rule_fits(const cor_rule *rule, const cor_situation *situation)
{
    /* What is made for one group of ranks does not run between two. */
    if (situation->facts & COR_FACT_INTER && !(rule->algorithm->needs & COR_NEEDS_INTER))
        return 0;
    return (rule->wanted & ~situation->facts) == 0 && (rule->unwanted & situation->facts) == 0 &&
           rule_is_within(&rule->ranks, (size_t)situation->ranks) &&
           rule_is_within(&rule->nodes, (size_t)situation->nodes) &&
           rule_is_within(&rule->node_ranks, (size_t)situation->node_ranks) &&
           cor_unmet_needs(rule->algorithm, situation) == 0;
}
