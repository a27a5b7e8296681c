/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_program.h"

#include <stdint.h>

cor_situation cor_sim_situation(int ranks, int node_ranks)
{
    cor_situation situation = {.ranks = ranks,
                               .nodes = (ranks + node_ranks - 1) / node_ranks,
                               .node_ranks = ranks < node_ranks ? ranks : node_ranks,
                               .facts = COR_FACT_COMMUTATIVE | COR_FACT_BLOCKING};
    if ((ranks & (ranks - 1)) == 0)
        situation.facts |= COR_FACT_POWER_OF_TWO;
    if (situation.nodes == 1)
        situation.facts |= COR_FACT_ONE_NODE;
    return situation;
}

int cor_sim_can_run(const cor_algorithm *algorithm, const cor_situation *situation, size_t bytes, size_t element_bytes)
{
    size_t ranks = (size_t)situation->ranks;
    int is_block = algorithm->primitive == COR_REDUCE_SCATTER || algorithm->primitive == COR_REDUCE_SCATTER_BLOCK;
    if (!algorithm->build || cor_unmet_needs(algorithm, situation))
        return 0;
    return !(algorithm->needs & COR_NEEDS_ELEMENTS) || (is_block ? bytes * ranks : bytes) / element_bytes >= ranks;
}

const cor_rule *cor_sim_choose(const cor_rules *rules, cor_primitive primitive, const cor_situation *situation,
                               size_t bytes, size_t element_bytes)
{
    size_t counted = cor_primitive_has_bytes(primitive) && primitive != COR_BARRIER ? bytes : 0;
    for (size_t i = 0; i < rules->count; i++) {
        const cor_rule *rule = &rules->rows[i];
        if (rule->primitive != primitive || !cor_rule_fits(rule, situation))
            continue;
        cor_range range = cor_rule_bytes(rule, situation->ranks);
        if (counted >= range.low && counted <= range.high &&
            cor_sim_can_run(rule->algorithm, situation, bytes, element_bytes))
            return rule;
    }
    return NULL;
}

cor_rule cor_sim_rule_of(const cor_algorithm *algorithm)
{
    const cor_range any = {0, SIZE_MAX};
    cor_rule rule = {.primitive = algorithm->primitive,
                     .bytes = any,
                     .total = any,
                     .ranks = any,
                     .nodes = any,
                     .node_ranks = any,
                     .algorithm = algorithm};
    for (int i = 0; i < COR_PARAMETERS_MAX; i++)
        rule.parameters[i] = algorithm->parameters[i].name ? algorithm->parameters[i].fallback : 0;
    return rule;
}
