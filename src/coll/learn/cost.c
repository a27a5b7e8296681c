/* SPDX-License-Identifier: Apache-2.0 */
/* Parses formulas: sums of products, whose factors are written side by side, and logarithms that are rounded up. */
#include "coll/learn/cost.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct cost_reader {
    const char *at;
    const cor_algorithm *algorithm;
    const size_t *parameters;
    const cor_cost_terms *terms;
    int has_failed;
} cost_reader;

static double cost_sum(cost_reader *reader);

static void cost_skip(cost_reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static double cost_parameter(cost_reader *reader, const char *name)
{
    const cor_parameter *rows = reader->algorithm->parameters;
    for (int i = 0; i < COR_PARAMETERS_MAX && rows[i].name; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (double)reader->parameters[i];
    reader->has_failed = 1;
    return 1;
}

/* A piece of data is no longer than all of them, and no piece is empty. */
static double cost_segment(cost_reader *reader)
{
    double segment = cost_parameter(reader, "segment"), n = reader->terms->n;
    if (segment == 0 || segment > n)
        segment = n;
    return segment < 1 ? 1 : segment;
}

static double cost_name(cost_reader *reader, const char *name)
{
    const cor_cost_terms *terms = reader->terms;
    const struct {
        const char *name;
        double value;
    } plain[] = {{"p", terms->p}, {"n", terms->n}, {"nodes", terms->nodes}, {"a", terms->a},
                 {"b", terms->b}, {"g", terms->g}, {"d", terms->p}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(plain[i].name, name) == 0)
            return plain[i].value;
    if (strcmp(name, "s") == 0)
        return cost_segment(reader);
    if (strcmp(name, "4") == 0)
        return 4;
    return cost_parameter(reader, strcmp(name, "k") == 0 ? "radix" : name);
}

static double cost_log(double value, double base)
{
    double power = 1;
    int exponent = 0;
    for (; power < value && base >= 2; exponent++)
        power *= base;
    return exponent;
}

/* The word at the reader's position; 0: none. */
static int cost_word(const cost_reader *reader, char word[16])
{
    size_t length = 0;
    while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    if (length == 0 || length > 15)
        return 0;
    memcpy(word, reader->at, length);
    word[length] = '\0';
    return (int)length;
}

static double cost_factor(cost_reader *reader)
{
    char word[16];
    cost_skip(reader);
    if (*reader->at == '(') {
        reader->at++;
        double value = cost_sum(reader);
        cost_skip(reader);
        if (*reader->at == ')')
            reader->at++;
        else
            reader->has_failed = 1;
        return value;
    }
    int length = cost_word(reader, word);
    reader->at += length;
    if (length == 0) {
        reader->has_failed = 1;
        return 1;
    }
    if (isdigit((unsigned char)*word))
        return strtod(word, NULL);
    if (strcmp(word, "lg") == 0)
        return cost_log(cost_factor(reader), 2);
    if (strncmp(word, "log_", 4) == 0)
        return cost_log(cost_factor(reader), cost_name(reader, word + 4));
    return cost_name(reader, word);
}

/* Is what follows a factor, and no word that only explains? */
static int cost_goes_on(cost_reader *reader)
{
    static const char *const words[] = {"between", "with", "inside"};
    char word[16];
    cost_skip(reader);
    if (*reader->at == '(')
        return 1;
    if (cost_word(reader, word) == 0)
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return 0;
    return 1;
}

static double cost_product(cost_reader *reader)
{
    double value = cost_factor(reader);
    for (;;) {
        cost_skip(reader);
        if (*reader->at == '/') {
            reader->at++;
            double divisor = cost_factor(reader);
            value = divisor > 0 ? value / divisor : 0;
        } else if (cost_goes_on(reader)) {
            value *= cost_factor(reader);
        } else {
            return value;
        }
    }
}

static double cost_sum(cost_reader *reader)
{
    double value = cost_product(reader);
    for (;;) {
        cost_skip(reader);
        char sign = *reader->at;
        if (sign != '+' && sign != '-')
            return value;
        reader->at++;
        double next = cost_product(reader);
        value += sign == '+' ? next : -next;
    }
}

double cor_cost_of(const cor_algorithm *algorithm, const size_t *parameters, const cor_cost_terms *terms)
{
    static const char other[] = "; long:";
    cost_reader reader = {algorithm->cost, algorithm, parameters, terms, 0};
    double value = cost_sum(&reader);
    if (strncmp(reader.at, other, sizeof other - 1) == 0) {
        reader.at += sizeof other - 1;
        double of_long = cost_sum(&reader);
        value = of_long < value ? of_long : value;
    }
    cost_skip(&reader);
    int is_read = !*reader.at || *reader.at == ',' || isalpha((unsigned char)*reader.at);
    return reader.has_failed || !is_read || value < 0 ? 0 : value;
}
