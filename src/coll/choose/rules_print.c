/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a rule as a line of a rules file. */
#include "coll/choose/rules.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

typedef struct rule_printer {
    char *out;
    size_t room, length;
} rule_printer;

static void rule_put(rule_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void rule_put(rule_printer *printer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (printer->length < printer->room) {
        int more = vsnprintf(printer->out + printer->length, printer->room - printer->length, format, arguments);
        printer->length += more > 0 ? (size_t)more : 0;
    }
    va_end(arguments);
}

void cor_rule_print_size(size_t value, char out[COR_RULE_SIZE_MAX])
{
    const char *unit = "";
    if (value && value % (1 << 20) == 0) {
        value >>= 20;
        unit = "M";
    } else if (value && value % (1 << 10) == 0) {
        value >>= 10;
        unit = "k";
    }
    snprintf(out, COR_RULE_SIZE_MAX, "%zu%s", value, unit);
}

static void rule_put_size(rule_printer *printer, size_t value)
{
    char size[COR_RULE_SIZE_MAX];
    cor_rule_print_size(value, size);
    rule_put(printer, "%s", size);
}

static void rule_put_range(rule_printer *printer, const char *name, const cor_range *range)
{
    if (range->low == range->high) {
        rule_put(printer, " %s=", name);
        rule_put_size(printer, range->low);
        return;
    }
    if (range->low > 0) {
        rule_put(printer, " %s>=", name);
        rule_put_size(printer, range->low);
    }
    if (range->high < SIZE_MAX) {
        rule_put(printer, " %s<=", name);
        rule_put_size(printer, range->high);
    }
}

void cor_rule_print(const cor_rule *rule, char *out, size_t out_bytes)
{
    rule_printer printer = {out, out_bytes, 0};
    rule_put(&printer, "%s", cor_primitive_name(rule->primitive));
    rule_put_range(&printer, "bytes", &rule->bytes);
    rule_put_range(&printer, "total", &rule->total);
    rule_put_range(&printer, "ranks", &rule->ranks);
    rule_put_range(&printer, "nodes", &rule->nodes);
    rule_put_range(&printer, "node_ranks", &rule->node_ranks);
    for (int i = 0; (rule->wanted | rule->unwanted) >> i; i++) {
        if (rule->wanted >> i & 1)
            rule_put(&printer, " %s", cor_fact_word((cor_fact_bit)i));
        if (rule->unwanted >> i & 1)
            rule_put(&printer, " !%s", cor_fact_word((cor_fact_bit)i));
    }
    rule_put(&printer, " %s", rule->algorithm->name);
    const cor_parameter *parameters = rule->algorithm->parameters;
    for (int i = 0; i < COR_PARAMETERS_MAX && parameters[i].name; i++)
        if (rule->parameters[i] != parameters[i].fallback) {
            rule_put(&printer, " %s=", parameters[i].name);
            rule_put_size(&printer, rule->parameters[i]);
        }
}
