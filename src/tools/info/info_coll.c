/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/info_coll.h"

#include "base/cpu.h"
#include "coll/choose/rules.h"
#include "launch/run_plan.h"
#include "mp/config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- algorithms ------------------------------------------------------------------------------------------------- */

static void info_needs(uint32_t needs)
{
    if (needs)
        printf("      needs");
    for (int i = 0; needs >> i; i++)
        if (needs >> i & 1)
            printf("%s %s", needs & ((1u << i) - 1) ? "," : "", cor_need_word((cor_need_bit)i));
    if (needs)
        printf("\n");
}

static void info_algorithms(cor_primitive primitive)
{
    printf("\nalgorithms: CORUNNA_COLL_");
    for (const char *letter = cor_primitive_name(primitive); *letter; letter++)
        putchar(*letter == '_' ? '_' : *letter - 'a' + 'A');
    printf("=NAME forces one\n");
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        if (algorithm->primitive != primitive)
            continue;
        printf("  %-18s %s\n      costs %s\n", algorithm->name, algorithm->summary, algorithm->cost);
        info_needs(algorithm->needs | (algorithm->run ? COR_NEEDS_BLOCKING : 0));
        for (int j = 0; j < COR_PARAMETERS_MAX && algorithm->parameters[j].name; j++)
            printf("      %s=%zu: %s\n", algorithm->parameters[j].name, algorithm->parameters[j].fallback,
                   algorithm->parameters[j].meaning);
    }
    printf("  p ranks, n bytes, a for a message, b for a byte, g to combine a byte\n");
}

/* ---- which when ------------------------------------------------------------------------------------------------- */

/* What a table is made of. */
typedef struct info_choice {
    const cor_rules *rules;
    cor_primitive primitive;
    cor_situation situation;
    const cor_rule *family; /* what is forced, if the rules still choose; or NULL */
} info_choice;

/* The rule for so many bytes, and where another one may begin: behind *last_p. */
static const cor_rule *info_first(const info_choice *choice, size_t bytes, size_t *last_p)
{
    for (size_t i = 0; i < choice->rules->count; i++) {
        const cor_rule *rule = &choice->rules->rows[i];
        if (rule->primitive != choice->primitive || !cor_rule_fits(rule, &choice->situation) ||
            (choice->family && !cor_rule_is_of_family(rule, choice->family)))
            continue;
        cor_range fits = cor_rule_bytes(rule, choice->situation.ranks);
        if (bytes >= fits.low && bytes <= fits.high) {
            if (fits.high < *last_p)
                *last_p = fits.high;
            return rule;
        }
        /* A rule that comes first further on ends what is found behind it. */
        if (fits.low > bytes && fits.low - 1 < *last_p)
            *last_p = fits.low - 1;
    }
    return NULL;
}

/* The same, and how far it goes: bounds of rules that others come before, or that fit nothing, do not end it. */
static const cor_rule *info_reach(const info_choice *choice, size_t bytes, size_t *last_p)
{
    size_t last = SIZE_MAX;
    const cor_rule *rule = info_first(choice, bytes, &last), *next = rule;
    *last_p = last;
    while (*last_p < SIZE_MAX && next == rule) {
        last = SIZE_MAX;
        next = info_first(choice, *last_p + 1, &last);
        if (next == rule)
            *last_p = last;
    }
    return rule;
}

static void info_table(const info_choice *choice)
{
    size_t bytes = 0, last;
    do {
        const cor_rule *rule = info_reach(choice, bytes, &last);
        if (last == SIZE_MAX)
            printf("    %10zu ..            ", bytes);
        else
            printf("    %10zu .. %-10zu ", bytes, last);
        char line[200] = "nothing";
        if (rule)
            cor_rule_print(rule, line, sizeof line);
        printf("%-18s %s%d: %s\n", rule ? rule->algorithm->name : "-", !rule || rule->is_built_in ? "" : "own ",
               rule ? rule->line : 0, line);
        bytes = last + 1;
    } while (last != SIZE_MAX);
}

/* One algorithm for all sizes, by the knob; or the error message of the call. */
static void info_forced(const cor_rule *forced, const char *text, const cor_situation *situation)
{
    uint32_t unmet = cor_rule_unmet(forced, situation);
    cor_fault fault = {0};
    if (unmet) {
        cor_rule_refuse(forced, unmet, &fault);
        printf("    fails: %s\n", fault.text);
    } else {
        printf("    %10d ..            %-18s coll.%s=%s\n", 0, forced->algorithm->name,
               cor_primitive_name(forced->primitive), text);
    }
}

static cor_situation info_situation(const cor_config *config, int ranks, int is_commutative, int is_blocking)
{
    int of_node = config->coll.node_ranks > 0 && config->coll.node_ranks < ranks ? config->coll.node_ranks : ranks;
    cor_cpu_set allowed;
    cor_cpu_allowed(&allowed);
    uint32_t facts = (is_commutative ? COR_FACT_COMMUTATIVE : 0) | (is_blocking ? COR_FACT_BLOCKING : 0);
    if ((ranks & (ranks - 1)) == 0)
        facts |= COR_FACT_POWER_OF_TWO;
    if (of_node == ranks)
        facts |= COR_FACT_ONE_NODE;
    if (ranks > cor_cpu_count(&allowed))
        facts |= COR_FACT_OVERSUBSCRIBED;
    return (cor_situation){ranks, (ranks + of_node - 1) / of_node, of_node, facts};
}

static int info_has_operator(cor_primitive primitive)
{
    return primitive >= COR_REDUCE && primitive <= COR_EXSCAN;
}

static int info_primitive(const cor_rules *rules, const cor_config *config, cor_primitive primitive, int ranks,
                          cor_fault *fault)
{
    char text[COR_COLL_TEXT_MAX];
    cor_coll_forced(&config->coll, primitive, text);
    cor_rule forced = {0};
    int rc = *text ? cor_rule_parse_choice(primitive, text, &forced, fault) : COR_OK;
    if (rc != COR_OK)
        return rc;
    cor_situation situation = info_situation(config, ranks, 1, 1);
    int is_forced = *text && cor_rule_is_for(&forced, &situation);
    printf("%s on %d ranks, %d node%s%s\n", cor_primitive_name(primitive), ranks, situation.nodes,
           situation.nodes == 1 ? "" : "s", situation.facts & COR_FACT_OVERSUBSCRIBED ? ", more than processors" : "");
    info_algorithms(primitive);
    printf("\nwhich runs: bytes%s, algorithm, %s\n",
           cor_primitive_has_bytes(primitive) ? "" : " (not known to all ranks)",
           is_forced ? "what forces it" : "line of the rules");
    for (int is_commutative = 1; is_commutative >= !info_has_operator(primitive); is_commutative--)
        for (int is_blocking = 1; is_blocking >= 0; is_blocking--) {
            printf("  %s%s\n", is_blocking ? "blocking" : "non-blocking and persistent",
                   is_commutative ? "" : ", operator not commutative");
            situation = info_situation(config, ranks, is_commutative, is_blocking);
            info_choice choice = {rules, primitive, situation, is_forced && forced.is_family ? &forced : NULL};
            if (is_forced && (!choice.family || cor_rule_unmet(&forced, &situation)))
                info_forced(&forced, text, &situation);
            else
                info_table(&choice);
        }
    return COR_OK;
}

int cor_info_coll(const char *name, int ranks)
{
    int is_all = strcmp(name, "all") == 0;
    cor_primitive primitive = is_all ? COR_BARRIER : cor_primitive_find(name);
    if (primitive == COR_PRIMITIVES) {
        const char *names[COR_PRIMITIVES];
        for (int i = 0; i < COR_PRIMITIVES; i++)
            names[i] = cor_primitive_name((cor_primitive)i);
        fprintf(stderr, "corunna info: unknown collective operation \"%s\"%s\n", name,
                cor_hint_at(cor_nearest(name, names, COR_PRIMITIVES)).text);
        return RUN_STATUS_USAGE;
    }
    cor_config config;
    cor_rules rules = {0};
    cor_fault fault = {0};
    int rc = cor_config_load(NULL, &config, &fault);
    if (rc == COR_OK)
        rc = cor_rules_load(&rules, config.coll.rules, &fault);
    for (int i = (int)primitive; i < (is_all ? COR_PRIMITIVES : (int)primitive + 1) && rc == COR_OK; i++) {
        if (is_all && i > 0)
            printf("\n\n");
        rc = info_primitive(&rules, &config, (cor_primitive)i, ranks, &fault);
    }
    if (rc != COR_OK)
        fprintf(stderr, "corunna info: %s\n", fault.text);
    cor_rules_free(&rules);
    return rc == COR_OK ? 0 : 1;
}
