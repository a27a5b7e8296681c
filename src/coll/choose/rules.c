/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/choose/rules.h"

#include "base/knob.h"
#include "base/machine.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_WORD_MAX = 64, RULE_FILE_MAX = 1 << 20 };

static const char *const rule_facts[] = {
#define RULE_FACT(NAME, word, meaning) #word,
    COR_FACT_LIST(RULE_FACT)
#undef RULE_FACT
};

enum { RULE_FACTS = sizeof rule_facts / sizeof *rule_facts };

const char *cor_fact_word(cor_fact_bit fact)
{
    return rule_facts[fact];
}

cor_primitive cor_primitive_find(const char *name)
{
    int primitive = 0;
    while (primitive < COR_PRIMITIVES && strcmp(cor_primitive_name((cor_primitive)primitive), name) != 0)
        primitive++;
    return (cor_primitive)primitive;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* The next word of a line; 0 at its end. A word too long is cut, and then unknown. */
static int rule_word(const char **line_p, char word[RULE_WORD_MAX])
{
    const char *at = *line_p;
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    size_t length = strcspn(at, " \t\r\n#");
    snprintf(word, RULE_WORD_MAX, "%.*s", (int)(length < RULE_WORD_MAX ? length : RULE_WORD_MAX - 1), at);
    *line_p = at + length;
    return length > 0;
}

typedef struct rule_reader {
    const char *name; /* of the text */
    int line;
    cor_fault *fault;
} rule_reader;

static int rule_refuse(const rule_reader *reader, const char *what, const char *word, const char *nearest)
{
    if (reader->line)
        return cor_fault_set(reader->fault, COR_ERR_KNOB, "%s, line %d: %s \"%s\"%s", reader->name, reader->line, what,
                             word, cor_hint_at(nearest).text);
    return cor_fault_set(reader->fault, COR_ERR_KNOB, "%s: %s \"%s\"%s", reader->name, what, word,
                         cor_hint_at(nearest).text);
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

static void rule_narrow(cor_range *range, const char *comparison, size_t value)
{
    size_t low = 0, high = SIZE_MAX;
    if (comparison[0] == '<')
        high = comparison[1] == '=' ? value : value - 1;
    else if (comparison[0] == '>')
        low = comparison[1] == '=' ? value : value + 1;
    else
        low = high = value;
    /* Nothing is below 0, or above the largest number. */
    if (comparison[1] != '=' &&
        ((comparison[0] == '<' && value == 0) || (comparison[0] == '>' && value == SIZE_MAX))) {
        low = 1;
        high = 0;
    }
    if (low > range->low)
        range->low = low;
    if (high < range->high)
        range->high = high;
}

/* "bytes<=12k". 1: it is a comparison, and was added to the rule; 0: it is not one; negative: refused. */
static int rule_comparison(const rule_reader *reader, const char *word, cor_rule *rule)
{
    size_t length = strcspn(word, "<>=");
    if (!word[length])
        return 0;
    cor_range *range = NULL;
    if (strncmp(word, "bytes", length) == 0 && length == 5)
        range = &rule->bytes;
    else if (strncmp(word, "total", length) == 0 && length == 5)
        range = &rule->total;
    else if (strncmp(word, "ranks", length) == 0 && length == 5)
        range = &rule->ranks;
    else if (strncmp(word, "nodes", length) == 0 && length == 5)
        range = &rule->nodes;
    else if (strncmp(word, "node_ranks", length) == 0 && length == 10)
        range = &rule->node_ranks;
    if (!range)
        return 0;
    if ((range == &rule->bytes || range == &rule->total) && !cor_primitive_has_bytes(rule->primitive))
        return rule_refuse(
            reader, "not every rank knows the bytes of this primitive, so rules cannot depend on them:", word, NULL);
    const char *comparison = word + length;
    const char *value = comparison + (comparison[0] != '=' && comparison[1] == '=' ? 2 : 1);
    size_t number;
    if (!cor_knob_parse_size(value, &number))
        return rule_refuse(reader, "expected a number such as 4 or 12k in", word, NULL);
    rule_narrow(range, comparison, number);
    return 1;
}

static int rule_fact(const char *word, cor_rule *rule)
{
    int is_unwanted = word[0] == '!';
    if (strcmp(word + is_unwanted, "crowded") == 0) { /* the old word */
        *(is_unwanted ? &rule->unwanted : &rule->wanted) |= COR_FACT_OVERSUBSCRIBED;
        return 1;
    }
    for (int i = 0; i < RULE_FACTS; i++)
        if (strcmp(word + is_unwanted, rule_facts[i]) == 0) {
            *(is_unwanted ? &rule->unwanted : &rule->wanted) |= 1u << i;
            return 1;
        }
    return 0;
}

/* ---- choices ---------------------------------------------------------------------------------------------------- */

/* The nearest algorithm's name, or condition. */
static const char *rule_nearest(cor_primitive primitive, const char *word)
{
    const char *candidates[256 + RULE_FACTS];
    size_t count = 0;
    for (size_t i = 0; i < cor_algorithm_count && count < 256; i++)
        if (cor_algorithms[i]->primitive == primitive)
            candidates[count++] = cor_algorithms[i]->name;
    for (int i = 0; i < RULE_FACTS; i++)
        candidates[count++] = rule_facts[i];
    return cor_nearest(word, candidates, count);
}

/* No algorithm of the primitive: what is nearest, and what there is, as far as there is room. */
static int rule_refuse_name(const rule_reader *reader, cor_primitive primitive, const char *word)
{
    char what[96];
    const char *nearest = rule_nearest(primitive, word), *before = nearest ? " It has " : "; it has ";
    snprintf(what, sizeof what, "%s has no algorithm or condition", cor_primitive_name(primitive));
    int rc = rule_refuse(reader, what, word, nearest);
    for (size_t i = 0; i < cor_algorithm_count && reader->fault; i++) {
        if (cor_algorithms[i]->primitive != primitive)
            continue;
        char *end = reader->fault->text + strlen(reader->fault->text);
        size_t room = (size_t)(reader->fault->text + sizeof reader->fault->text - end);
        const char *name = cor_algorithms[i]->name;
        int is_fitting = strlen(before) + strlen(name) + sizeof ", ..." <= room;
        snprintf(end, room, "%s%s", before, is_fitting ? name : "...");
        before = ", ";
        if (!is_fitting)
            break;
    }
    return rc;
}

static int rule_parameter(const rule_reader *reader, const char *word, cor_rule *rule)
{
    const cor_parameter *parameters = rule->algorithm->parameters;
    size_t length = strcspn(word, "=");
    for (int i = 0; i < COR_PARAMETERS_MAX && parameters[i].name; i++) {
        if (strlen(parameters[i].name) != length || strncmp(parameters[i].name, word, length) != 0)
            continue;
        if (word[length] != '=' || !cor_knob_parse_size(word + length + 1, &rule->parameters[i]))
            return rule_refuse(reader, "expected a number such as 4 or 12k in", word, NULL);
        if (rule->parameters[i] >= parameters[i].minimum && rule->parameters[i] <= parameters[i].maximum)
            return COR_OK;
        char what[96], low[COR_RULE_SIZE_MAX], high[COR_RULE_SIZE_MAX];
        cor_rule_print_size(parameters[i].minimum, low);
        cor_rule_print_size(parameters[i].maximum, high);
        snprintf(what, sizeof what, "the number must be %s to %s in", low, high);
        return rule_refuse(reader, what, word, NULL);
    }
    return rule_refuse(reader, "the algorithm has no parameter", word, NULL);
}

/* The algorithm's name has been read; what follows are its parameters. */
static int rule_choice(const rule_reader *reader, const char *name, const char *line, cor_rule *rule)
{
    rule->algorithm = cor_algorithm_find(rule->primitive, name);
    if (!rule->algorithm)
        return rule_refuse_name(reader, rule->primitive, name);
    for (int i = 0; i < COR_PARAMETERS_MAX; i++)
        rule->parameters[i] = rule->algorithm->parameters[i].fallback;
    char word[RULE_WORD_MAX];
    int rc = COR_OK;
    while (rc == COR_OK && rule_word(&line, word))
        rc = rule_parameter(reader, word, rule);
    return rc;
}

static const cor_range rule_any = {0, SIZE_MAX};

static void rule_clear(cor_rule *rule, cor_primitive primitive)
{
    *rule = (cor_rule){.primitive = primitive,
                       .bytes = rule_any,
                       .total = rule_any,
                       .ranks = rule_any,
                       .nodes = rule_any,
                       .node_ranks = rule_any};
}

static const cor_algorithm *rule_find_family(cor_primitive primitive, const char *word)
{
    for (size_t i = 0; i < cor_algorithm_count; i++)
        if (cor_algorithms[i]->primitive == primitive && cor_algorithm_begins(cor_algorithms[i], word, strlen(word)))
            return cor_algorithms[i];
    return NULL;
}

/* The name of a family has been read, and nothing may follow: its algorithms have parameters of their own. */
static int rule_family(const rule_reader *reader, const char *line, cor_rule *rule)
{
    char word[RULE_WORD_MAX];
    rule->is_family = 1;
    return rule_word(&line, word)
               ? rule_refuse(reader, "a family of algorithms takes no parameters; name one algorithm for", word, NULL)
               : COR_OK;
}

int cor_rule_parse_choice(cor_primitive primitive, const char *text, cor_rule *rule_p, cor_fault *fault)
{
    char name[32], word[RULE_WORD_MAX];
    snprintf(name, sizeof name, "coll.%s", cor_primitive_name(primitive));
    rule_reader reader = {name, 0, fault};
    cor_rule rule;
    rule_clear(&rule, primitive);
    if (!rule_word(&text, word))
        return rule_refuse(&reader, "no algorithm in", "", NULL);
    rule.algorithm = cor_algorithm_find(primitive, word) ? NULL : rule_find_family(primitive, word);
    int rc = rule.algorithm ? rule_family(&reader, text, &rule) : rule_choice(&reader, word, text, &rule);
    if (rc == COR_OK)
        *rule_p = rule;
    return rc;
}

/* ---- whole texts ------------------------------------------------------------------------------------------------ */

/* One line with something in it. */
static int rule_line(const rule_reader *reader, const char *word, const char *line, cor_rule *rule)
{
    cor_primitive primitive = cor_primitive_find(word);
    if (primitive == COR_PRIMITIVES) {
        const char *names[COR_PRIMITIVES];
        for (int i = 0; i < COR_PRIMITIVES; i++)
            names[i] = cor_primitive_name((cor_primitive)i);
        return rule_refuse(reader, "unknown primitive", word, cor_nearest(word, names, COR_PRIMITIVES));
    }
    rule_clear(rule, primitive);
    rule->line = reader->line;
    char next[RULE_WORD_MAX];
    while (rule_word(&line, next)) {
        int is_condition = rule_comparison(reader, next, rule);
        if (is_condition < 0)
            return is_condition;
        if (!is_condition && !rule_fact(next, rule))
            return rule_choice(reader, next, line, rule);
    }
    return rule_refuse(reader, "no algorithm after", word, NULL);
}

static int rules_append(cor_rules *rules, const cor_rule *rule)
{
    cor_rule *larger = realloc(rules->rows, (rules->count + 1) * sizeof *larger);
    if (!larger)
        return COR_ERR_MEMORY;
    rules->rows = larger;
    rules->rows[rules->count++] = *rule;
    return COR_OK;
}

static int rules_parse(cor_rules *rules, const char *text, const char *name, int is_built_in, cor_fault *fault)
{
    rule_reader reader = {name, 0, fault};
    while (*text) {
        const char *line = text;
        char word[RULE_WORD_MAX];
        text += strcspn(text, "\n");
        text += *text == '\n';
        reader.line++;
        if (!rule_word(&line, word) || strcmp(word, "set") == 0)
            continue;
        cor_rule rule;
        int rc = rule_line(&reader, word, line, &rule);
        if (rc != COR_OK)
            return rc;
        rule.is_built_in = is_built_in;
        if (rules_append(rules, &rule) != COR_OK)
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %zu rules", rules->count + 1);
    }
    return COR_OK;
}

/* A zero byte ends a text: the rest behind it would be ignored. */
static int rules_refuse_zero(const char *text, const char *path, cor_fault *fault)
{
    int line = 1;
    for (; *text; text++)
        line += *text == '\n';
    return cor_fault_set(fault, COR_ERR_KNOB, "%s, line %d: contains a zero byte; a rules file is text", path, line);
}

static int rules_refuse_cut(const char *path, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_KNOB,
                         "%s was cut short: it begins as a file of rules that was written by a program and lacks the "
                         "last line, %.5s; write it anew, or take out the first line",
                         path, COR_RULES_END);
}

static int rules_read(cor_rules *rules, const char *path, cor_fault *fault)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot open the rules file %s: %s", path, strerror(errno));
    char *text = malloc(RULE_FILE_MAX + 1);
    size_t length = text ? fread(text, 1, RULE_FILE_MAX + 1, file) : 0;
    int is_unread = text && ferror(file);
    int rc;
    if (!text) {
        rc = cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the rules in %s", path);
    } else if (is_unread) {
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read the rules file %s: %s", path, strerror(errno));
    } else if (length > RULE_FILE_MAX) {
        rc = cor_fault_set(fault, COR_ERR_KNOB, "the rules file %s has more than %d bytes", path, RULE_FILE_MAX);
    } else {
        text[length] = '\0';
        rc = strlen(text) < length           ? rules_refuse_zero(text, path, fault)
             : cor_rules_text_is_whole(text) ? rules_parse(rules, text, path, 0, fault)
                                             : rules_refuse_cut(path, fault);
    }
    free(text);
    fclose(file);
    return rc;
}

int cor_rules_load(cor_rules *rules, const char *path, cor_fault *fault)
{
    int rc = *path ? rules_read(rules, path, fault) : COR_OK;
    return rc == COR_OK ? rules_parse(rules, cor_default_rules, "the built-in rules", 1, fault) : rc;
}

void cor_rules_free(cor_rules *rules)
{
    free(rules->rows);
    *rules = (cor_rules){0};
}
