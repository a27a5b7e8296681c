/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user's file of rules may hold, and what a forced algorithm may be called: any bytes. What is understood can be
 * printed, and what is printed is understood as the same.
 *
 * FUZZ_SOURCES: src/coll/choose/rules.c src/coll/choose/rules_fit.c src/coll/choose/rules_print.c
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c src/base/error.c
 * FUZZ_SOURCES: src/base/machine.c
 */
#define _GNU_SOURCE
#include "coll/choose/rules.h"
#include "fuzz_input.h"

#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* ---- a short list of algorithms, in place of the long one ------------------------------------------------------- */

static const cor_algorithm fuzz_rows[] = {
    {.primitive = COR_BCAST, .name = "mst", .parameters = {{"segment", 65536, 1, 1 << 30, "bytes a message"}}},
    {.primitive = COR_BCAST, .name = "inter", .needs = COR_NEEDS_INTER},
    {.primitive = COR_ALLREDUCE,
     .name = "ring",
     .parameters = {{"radix", 2, 2, 64, "ranks a step"}, {"segment", 0, 0, SIZE_MAX, "bytes a message"}}},
};

const cor_algorithm *const cor_algorithms[] = {&fuzz_rows[0], &fuzz_rows[1], &fuzz_rows[2], NULL};
const size_t cor_algorithm_count = 3;
const char cor_default_rules[] = "bcast mst\nallreduce ring\n";

const cor_algorithm *cor_algorithm_find(cor_primitive primitive, const char *name)
{
    for (size_t i = 0; i < cor_algorithm_count; i++)
        if (fuzz_rows[i].primitive == primitive && strcasecmp(fuzz_rows[i].name, name) == 0)
            return &fuzz_rows[i];
    return NULL;
}

const char *cor_primitive_name(cor_primitive primitive)
{
#define FUZZ_NAME(NAME, name) #name,
    static const char *const names[] = {COR_PRIMITIVE_LIST(FUZZ_NAME)};
#undef FUZZ_NAME
    return names[primitive];
}

const char *cor_need_word(cor_need_bit need)
{
#define FUZZ_NEED(NAME, word) word,
    static const char *const words[] = {COR_NEED_LIST(FUZZ_NEED)};
#undef FUZZ_NEED
    return words[need];
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static int fuzz_load(const void *text, size_t length, cor_rules *rules)
{
    char path[FUZZ_PATH_MAX];
    cor_fault fault = {0};
    int fd = fuzz_input_open(text, length, path);
    *rules = (cor_rules){0};
    int code = cor_rules_load(rules, path, &fault);
    close(fd);
    if (code != COR_OK && !fault.text[0])
        abort();
    return code;
}

static int fuzz_is_same(const cor_rule *rule, const cor_rule *other)
{
    return rule->primitive == other->primitive && memcmp(&rule->bytes, &other->bytes, 4 * sizeof rule->bytes) == 0 &&
           rule->wanted == other->wanted && rule->unwanted == other->unwanted && rule->algorithm == other->algorithm &&
           memcmp(rule->parameters, other->parameters, sizeof rule->parameters) == 0;
}

static void fuzz_check(const cor_rules *rules)
{
    const cor_situation situation = {.ranks = 4, .nodes = 2, .node_ranks = 2, .facts = COR_FACT_BLOCKING};
    for (size_t i = 0; i < rules->count; i++) {
        const cor_rule *rule = &rules->rows[i];
        const cor_parameter *parameters = rule->algorithm->parameters;
        if (rule->algorithm->primitive != rule->primitive)
            abort();
        for (int p = 0; p < COR_PARAMETERS_MAX && parameters[p].name; p++)
            if (rule->parameters[p] < parameters[p].minimum || rule->parameters[p] > parameters[p].maximum)
                abort();
        cor_rule_fits(rule, &situation);
        cor_rule_is_for(rule, &situation);
        char line[1024] = "";
        cor_rules again;
        cor_rule_print(rule, line, sizeof line);
        if (fuzz_load(line, strlen(line), &again) != COR_OK || !fuzz_is_same(rule, &again.rows[0]))
            abort();
        cor_rules_free(&again);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    cor_rules rules;
    cor_rule rule;
    cor_fault fault = {0};
    char choice[128] = "";
    if (fuzz_load(data, size, &rules) == COR_OK && rules.count < 100)
        fuzz_check(&rules);
    cor_rules_free(&rules);
    memcpy(choice, data, size < sizeof choice ? size : sizeof choice - 1);
    cor_rule_parse_choice(COR_BCAST, choice, &rule, &fault);
    return 0;
}
