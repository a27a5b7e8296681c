/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/bind/bind_policy.h"

#include "base/knob.h"
#include "launch/bind/bind_set.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLICY_WORD_MAX = 24, POLICY_MOST = 1 << 20 /* ranks or units that a number may ask for */ };

static const struct {
    const char *word;
    bind_kind kind;
} policy_kinds[] = {
    {"core", BIND_CORE},      {"socket", BIND_SOCKET}, {"numa", BIND_NUMA},         {"l3", BIND_L3},
    {"l2", BIND_L2},          {"l1", BIND_L1},         {"hwthread", BIND_HWTHREAD}, {"board", BIND_BOARD},
    {"package", BIND_SOCKET}, {"l3cache", BIND_L3},    {"l2cache", BIND_L2},        {"l1cache", BIND_L1},
    {"machine", BIND_BOARD},
};

enum { POLICY_KINDS = sizeof policy_kinds / sizeof *policy_kinds };

#define POLICY_KIND_WORDS "core, socket, numa, l3, l2, l1, hwthread"

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* An option, and the rest of its value: words between colons or commas. */
typedef struct policy_reader {
    const char *option, *value, *at;
    char word[POLICY_WORD_MAX]; /* the last one, in small letters */
    cor_fault *fault;
} policy_reader;

/* The next word. 0: there is none left. */
static int policy_next(policy_reader *reader)
{
    if (!reader->at)
        return 0;
    size_t length = strcspn(reader->at, ":,"), kept = length < POLICY_WORD_MAX ? length : POLICY_WORD_MAX - 1;
    for (size_t i = 0; i < kept; i++)
        reader->word[i] = (char)tolower((unsigned char)reader->at[i]);
    reader->word[kept] = '\0';
    reader->at = reader->at[length] ? reader->at + length + 1 : NULL;
    return 1;
}

static policy_reader policy_read(const char *option, const char *value, cor_fault *fault)
{
    policy_reader reader = {.option = option, .value = value, .at = value, .fault = fault};
    policy_next(&reader);
    return reader;
}

/* The message for a word that is none of `allowed`, with the nearest of them and the objects. */
static int policy_refuse(const policy_reader *reader, const char *const *words, size_t count, const char *allowed)
{
    const char *names[POLICY_KINDS + 16];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        names[known++] = words[i];
    for (size_t i = 0; i < POLICY_KINDS; i++)
        names[known++] = policy_kinds[i].word;
    const char *nearest = cor_nearest(reader->word, names, known);
    return cor_fault_set(reader->fault, COR_ERR_ARG, "%s is \"%.60s\"; %s%s%sit must be %s", reader->option,
                         reader->value, nearest ? "did you mean " : "", nearest ? nearest : "",
                         nearest ? "? Else " : "", allowed);
}

static int policy_refuse_modifier(const policy_reader *reader, const char *allowed)
{
    return cor_fault_set(reader->fault, COR_ERR_ARG, "%s is \"%.60s\"; after the colon, \"%s\" is unknown: %s",
                         reader->option, reader->value, reader->word, allowed);
}

static int policy_is_kind(const char *word, bind_kind *kind_p)
{
    for (size_t i = 0; i < POLICY_KINDS; i++)
        if (strcmp(word, policy_kinds[i].word) == 0) {
            *kind_p = policy_kinds[i].kind;
            return 1;
        }
    return 0;
}

/* A number of 1 or more. */
static int policy_number(const policy_reader *reader, const char *text, int *number_p)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || number < 1 || number > POLICY_MOST)
        return cor_fault_set(reader->fault, COR_ERR_ARG, "%s is \"%.60s\", but \"%s\" is not a number of 1 or more",
                             reader->option, reader->value, text);
    *number_p = (int)number;
    return COR_OK;
}

/* ---- --map-by --------------------------------------------------------------------------------------------------- */

static int policy_map_modifiers(policy_reader *reader, bind_policy *policy)
{
    while (policy_next(reader)) {
        const char *word = reader->word;
        if (strncmp(word, "pe=", 3) == 0) {
            int rc = policy_number(reader, word + 3, &policy->pe);
            if (rc != COR_OK)
                return rc;
        } else if (strcmp(word, "oversubscribe") == 0) {
            policy->may_oversubscribe = 1;
        } else if (strcmp(word, "nooversubscribe") == 0) {
            policy->may_oversubscribe = 0;
        } else if (strcmp(word, "hwtcpus") == 0) {
            policy->unit = BIND_HWTHREAD;
        } else if (strcmp(word, "corecpus") == 0) {
            policy->unit = BIND_CORE;
        } else if (strcmp(word, "span") == 0) {
            policy->is_map_span = 1;
        } else if (strcmp(word, "nolocal") != 0) { /* which is about hosts: run_cluster.is_elsewhere */
            return policy_refuse_modifier(
                reader, "PE=N, span, oversubscribe, nooversubscribe, hwtcpus and corecpus are known");
        }
    }
    return COR_OK;
}

/* "ppr:N:object" */
static int policy_map_ppr(policy_reader *reader, bind_policy *policy)
{
    policy->map = BIND_MAP_PPR;
    if (!policy_next(reader))
        reader->word[0] = '\0';
    int rc = policy_number(reader, reader->word, &policy->per_object);
    if (rc != COR_OK)
        return rc;
    if (!policy_next(reader))
        reader->word[0] = '\0';
    if (strcmp(reader->word, "node") == 0)
        policy->map_kind = BIND_BOARD;
    else if (!policy_is_kind(reader->word, &policy->map_kind)) {
        static const char *const words[] = {"node"};
        return policy_refuse(reader, words, 1, "ppr:N:object, with node, " POLICY_KIND_WORDS " or board");
    }
    return COR_OK;
}

static int policy_map(const char *value, bind_policy *policy, cor_fault *fault)
{
    static const char *const words[] = {"slot", "node", "ppr"};
    static const char *const in_turn[] = {"node", "bynode", "round-robin", "round_robin", "rr"};
    policy_reader reader = policy_read("--map-by", value, fault);
    int is_known = strcmp(reader.word, "slot") == 0 || strcmp(reader.word, "byslot") == 0 || !*reader.word;
    policy->map_kind = BIND_BOARD;
    for (size_t i = 0; i < sizeof in_turn / sizeof *in_turn; i++)
        if (strcmp(reader.word, in_turn[i]) == 0) {
            policy->map = BIND_MAP_NODE;
            is_known = 1;
        }
    if (strcmp(reader.word, "ppr") == 0) {
        int rc = policy_map_ppr(&reader, policy);
        if (rc != COR_OK)
            return rc;
    } else if (strcmp(reader.word, "seq") == 0 || strcmp(reader.word, "rankfile") == 0) {
        return cor_fault_set(fault, COR_ERR_ARG, "--map-by %s is not supported; --rankfile FILE places every rank",
                             reader.word);
    } else if (policy_is_kind(reader.word, &policy->map_kind)) {
        policy->map = policy->map_kind == BIND_BOARD ? BIND_MAP_SLOT : BIND_MAP_OBJECT;
    } else if (!is_known) {
        return policy_refuse(&reader, words, sizeof words / sizeof *words,
                             "slot, node, " POLICY_KIND_WORDS ", board or ppr:N:object");
    }
    return policy_map_modifiers(&reader, policy);
}

/* ---- --rank-by -------------------------------------------------------------------------------------------------- */

static int policy_rank(const char *value, bind_policy *policy, cor_fault *fault)
{
    static const char *const words[] = {"slot", "node", "fill", "span"};
    policy_reader reader = policy_read("--rank-by", value, fault);
    if (strcmp(reader.word, "slot") == 0) {
        policy->rank = BIND_RANK_SLOT;
    } else if (strcmp(reader.word, "node") == 0) {
        policy->rank = BIND_RANK_NODE;
    } else if (strcmp(reader.word, "fill") == 0) {
        policy->rank = BIND_RANK_FILL;
    } else if (strcmp(reader.word, "span") == 0) {
        policy->rank = BIND_RANK_OBJECT;
        policy->rank_kind = policy->map_kind;
        policy->is_rank_span = 1;
    } else if (policy_is_kind(reader.word, &policy->rank_kind)) {
        policy->rank = BIND_RANK_OBJECT;
    } else {
        return policy_refuse(&reader, words, sizeof words / sizeof *words,
                             "slot, node, fill, span, " POLICY_KIND_WORDS " or board");
    }
    while (policy_next(&reader)) {
        if (strcmp(reader.word, "span") != 0 || policy->rank != BIND_RANK_OBJECT)
            return policy_refuse_modifier(&reader, "only span, and only after an object, is known");
        policy->is_rank_span = 1;
    }
    return COR_OK;
}

/* ---- --bind-to -------------------------------------------------------------------------------------------------- */

/* "core:2", as Hydra has it: N of these objects for each rank. One is what it is without a number. */
static int policy_bind_number(policy_reader *reader, bind_policy *policy)
{
    int number = 1, rc = policy_number(reader, reader->word, &number);
    if (rc != COR_OK || (number == 1 && policy->wish == BIND_REQUESTED))
        return rc;
    if (policy->wish != BIND_REQUESTED || (policy->pe > 1 && policy->pe != number))
        return cor_fault_set(reader->fault, COR_ERR_ARG,
                             "%s is \"%.60s\"; a number goes with objects, and not with another PE=N of --map-by",
                             reader->option, reader->value);
    policy->pe = number;
    if (policy->kind == BIND_CORE || policy->kind == BIND_HWTHREAD)
        return COR_OK;
    if (policy->map_kind != BIND_BOARD)
        return cor_fault_set(reader->fault, COR_ERR_ARG,
                             "%s is \"%.60s\"; with --map-by an object, only cores and hardware threads are counted",
                             reader->option, reader->value);
    policy->unit = policy->kind;
    policy->may_overload = 1; /* as where ranks are bound to one of these */
    return COR_OK;
}

static int policy_bind(const char *value, bind_policy *policy, cor_fault *fault)
{
    static const char *const words[] = {"none", "auto"};
    policy_reader reader = policy_read("--bind-to", value, fault);
    if (strcmp(reader.word, "none") == 0)
        policy->wish = BIND_FREE;
    else if (strcmp(reader.word, "auto") == 0)
        policy->wish = BIND_DEFAULT;
    else if (policy_is_kind(reader.word, &policy->kind))
        policy->wish = BIND_REQUESTED;
    else
        return policy_refuse(&reader, words, sizeof words / sizeof *words,
                             "none, auto, " POLICY_KIND_WORDS " or board");
    while (policy_next(&reader)) {
        if (isdigit((unsigned char)reader.word[0])) {
            int rc = policy_bind_number(&reader, policy);
            if (rc != COR_OK)
                return rc;
        } else if (strcmp(reader.word, "overload-allowed") == 0)
            policy->may_overload = 1;
        else if (strcmp(reader.word, "if-supported") == 0)
            policy->is_if_supported = 1;
        else if (strcmp(reader.word, "no-overload") == 0)
            policy->may_overload = 0;
        else
            return policy_refuse_modifier(&reader,
                                          "overload-allowed, no-overload, if-supported and a number are known");
    }
    return COR_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

int cor_bind_policy_is_inside(const bind_policy *policy)
{
    return policy->map == BIND_MAP_OBJECT || (policy->map == BIND_MAP_PPR && policy->map_kind != BIND_BOARD) ||
           policy->pe > 1 || policy->rank == BIND_RANK_OBJECT || policy->rank == BIND_RANK_FILL;
}

/* Options on where ranks run inside a host mean that they are bound there, unless another option says to what. */
static void policy_derive(bind_policy *policy)
{
    if (policy->kind == BIND_HWTHREAD && policy->wish == BIND_REQUESTED)
        policy->unit = BIND_HWTHREAD;
    if (policy->map_kind == BIND_HWTHREAD && policy->map != BIND_MAP_SLOT)
        policy->unit = BIND_HWTHREAD;
    if (policy->wish == BIND_DEFAULT && cor_bind_policy_is_inside(policy)) {
        int is_object = policy->map_kind != BIND_BOARD && policy->pe == 1;
        policy->wish = BIND_DERIVED;
        policy->kind = is_object ? policy->map_kind : policy->unit;
    } else if (policy->has_set && (policy->wish == BIND_DEFAULT || policy->wish == BIND_FREE)) {
        policy->wish = BIND_REQUESTED; /* to the whole set */
        policy->kind = BIND_BOARD;
    }
    if (policy->wish == BIND_DEFAULT)
        policy->kind = BIND_CORE;
}

int cor_bind_policy_parse(const run_binding *binding, bind_policy *policy_p, cor_fault *fault)
{
    bind_policy policy = {.pe = 1, .unit = BIND_CORE, .map_kind = BIND_BOARD, .may_oversubscribe = -1};
    int rc = COR_OK;
    if (binding->use_hwthreads)
        policy.unit = BIND_HWTHREAD;
    if (binding->map_by)
        rc = policy_map(binding->map_by, &policy, fault);
    if (rc == COR_OK && binding->rank_by)
        rc = policy_rank(binding->rank_by, &policy, fault);
    if (rc == COR_OK && binding->bind_to)
        rc = policy_bind(binding->bind_to, &policy, fault);
    if (rc == COR_OK && binding->cpu_set) {
        rc = cor_bind_set_parse("--cpu-set", binding->cpu_set, (int)strnlen(binding->cpu_set, BIND_SET_TEXT_MAX),
                                COR_CPU_MAX, &policy.set, fault);
        policy.has_set = rc == COR_OK;
    }
    if (rc != COR_OK)
        return rc;
    policy_derive(&policy);
    *policy_p = policy;
    return COR_OK;
}
