/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_spec.h"

#include "base/knob.h"
#include "sim/sim_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum spec_key {
#define SPEC_KEY(NAME, key, value, meaning) SPEC_##NAME,
    COR_SIM_KEY_LIST(SPEC_KEY)
#undef SPEC_KEY
        SPEC_KEYS
} spec_key;

static const struct {
    const char *key, *value, *meaning;
} spec_rows[] = {
#define SPEC_ROW(NAME, key, value, meaning) {#key, value, meaning},
    COR_SIM_KEY_LIST(SPEC_ROW)
#undef SPEC_ROW
};

enum { SPEC_VALUE_MAX = 1024 };

/* The values as they were given; empty: not. */
typedef struct spec_values {
    char texts[SPEC_KEYS][SPEC_VALUE_MAX];
} spec_values;

void cor_sim_spec_help(void)
{
    puts("\nwhat --sim is told, with commas between (nodes=256,ppn=16,model=F):");
    for (int i = 0; i < SPEC_KEYS; i++)
        printf("  %-9s=%-6s %s\n", spec_rows[i].key, spec_rows[i].value, spec_rows[i].meaning);
}

/* ---- keys
 * ----------------------------------------------------------------------------------------------------------- */

static int spec_unknown(const char *word, cor_fault *fault)
{
    const char *names[SPEC_KEYS];
    for (int i = 0; i < SPEC_KEYS; i++)
        names[i] = spec_rows[i].key;
    return cor_fault_set(fault, COR_ERR_ARG, "--sim: unknown key \"%.60s\"%s", word,
                         cor_hint_at(cor_nearest(word, names, SPEC_KEYS)).text);
}

static int spec_take(spec_values *values, const char *word, size_t length, cor_fault *fault)
{
    char key[64];
    size_t name = strcspn(word, "=,");
    snprintf(key, sizeof key, "%.*s", (int)(name < sizeof key ? name : sizeof key - 1), word);
    for (int i = 0; i < SPEC_KEYS; i++) {
        if (strcmp(spec_rows[i].key, key) != 0)
            continue;
        if (name >= length || name + 1 == length)
            return cor_fault_set(fault, COR_ERR_ARG, "--sim: %s has no value; it must be %s=%s", key, key,
                                 spec_rows[i].value);
        if (length - name > SPEC_VALUE_MAX)
            return cor_fault_set(fault, COR_ERR_ARG, "--sim: the value of %s is too long", key);
        if (values->texts[i][0])
            return cor_fault_set(fault, COR_ERR_ARG, "--sim: %s is given twice", key);
        snprintf(values->texts[i], SPEC_VALUE_MAX, "%.*s", (int)(length - name - 1), word + name + 1);
        return COR_OK;
    }
    return spec_unknown(key, fault);
}

static int spec_split(const char *text, spec_values *values, cor_fault *fault)
{
    int rc = COR_OK;
    for (const char *at = text; rc == COR_OK && *at;) {
        size_t length = strcspn(at, ",");
        rc = spec_take(values, at, length, fault);
        at += length + (at[length] == ',');
    }
    return rc;
}

/* ---- values
 * --------------------------------------------------------------------------------------------------------- */

static int spec_whole(const spec_values *values, spec_key key, long most, long *value_p, cor_fault *fault)
{
    const char *text = values->texts[key];
    char *end;
    if (!*text)
        return COR_OK;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most)
        return cor_fault_set(fault, COR_ERR_ARG, "--sim: %s is \"%.40s\"; it must be a number from 1 to %ld",
                             spec_rows[key].key, text, most);
    *value_p = value;
    return COR_OK;
}

static int spec_real(const spec_values *values, spec_key key, double most, double *value_p, cor_fault *fault)
{
    const char *text = values->texts[key];
    char *end;
    if (!*text)
        return COR_OK;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value <= most))
        return cor_fault_set(fault, COR_ERR_ARG, "--sim: %s is \"%.40s\"; it must be a number from 0 to %g",
                             spec_rows[key].key, text, most);
    *value_p = value;
    return COR_OK;
}

static int spec_size(const spec_values *values, spec_key key, size_t *bytes_p, cor_fault *fault)
{
    const char *text = values->texts[key];
    if (!*text || cor_knob_parse_size(text, bytes_p))
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_ARG, "--sim: %s is \"%.40s\"; it must be a size, like 16k", spec_rows[key].key,
                         text);
}

/* What is free now, less a fifth. */
static size_t spec_memory(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %llu", &kib) != 1)
        continue;
    if (file)
        fclose(file);
    return (size_t)kib * 1024 / 5 * 4;
}

static int spec_links(const spec_values *values, cor_sim_spec *spec, cor_fault *fault)
{
    const char *between = values->texts[SPEC_MODEL], *inside = values->texts[SPEC_INSIDE];
    cor_sim_link *links[] = {&spec->net.between, &spec->net.inside};
    double share = 0.3, moving = 0;
    size_t eager = SIZE_MAX;
    snprintf(spec->between, sizeof spec->between, "%.95s", *between ? between : "fabric");
    snprintf(spec->inside, sizeof spec->inside, "%.95s", *inside ? inside : "memory");
    int rc = cor_sim_link_load(*between ? between : "fabric", &spec->net.between, fault);
    if (rc == COR_OK)
        rc = cor_sim_link_load(*inside ? inside : "memory", &spec->net.inside, fault);
    if (rc == COR_OK)
        rc = spec_size(values, SPEC_EAGER, &eager, fault);
    if (eager < SIZE_MAX)
        spec->net.between.eager_max = (double)eager;
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_OVERHEAD, 0.5, &share, fault);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_MOVING, 1, &moving, fault);
    /* Between nodes an exchange is limited by adapters, and tells nothing of CPUs. */
    spec->net.between.busy_count = 0;
    for (int i = 0; i < 2 && rc == COR_OK; i++) {
        if (*values->texts[SPEC_OVERHEAD] || *values->texts[SPEC_MOVING])
            links[i]->busy_count = 0; /* what is asked for counts, not what was measured */
        links[i]->moving = moving;
        cor_sim_link_share(links[i], share);
    }
    return rc;
}

static int spec_read(const spec_values *values, cor_sim_spec *spec, cor_fault *fault)
{
    long nodes = 0, ppn = 1, seed = 1;
    double copy_ns = 0.1, reduce_ns = 0.2, call_ns = 0;
    spec->net.factor = 1;
    int rc = spec_whole(values, SPEC_NODES, COR_SIM_RANKS_MAX, &nodes, fault);
    if (rc == COR_OK)
        rc = spec_whole(values, SPEC_PPN, COR_SIM_RANKS_MAX, &ppn, fault);
    if (rc == COR_OK && nodes > COR_SIM_RANKS_MAX / ppn)
        rc = cor_fault_set(fault, COR_ERR_ARG, "--sim: %ld nodes of %ld ranks are too many; %d ranks is the most",
                           nodes, ppn, COR_SIM_RANKS_MAX);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_COPY, 1e6, &copy_ns, fault);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_REDUCE, 1e6, &reduce_ns, fault);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_CALL, 1e9, &call_ns, fault);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_FACTOR, 1e6, &spec->net.factor, fault);
    if (rc == COR_OK)
        rc = spec_real(values, SPEC_SKEW, 1e9, &spec->skew_us, fault);
    if (rc == COR_OK)
        rc = spec_whole(values, SPEC_SEED, 1L << 30, &seed, fault);
    spec->memory_max = spec_memory();
    if (rc == COR_OK)
        rc = spec_size(values, SPEC_MEMORY, &spec->memory_max, fault);
    if (rc == COR_OK)
        rc = spec_links(values, spec, fault);
    spec->nodes = (int)nodes;
    spec->net.node_ranks = (int)ppn;
    spec->net.ranks = (int)(nodes * ppn);
    spec->net.copy_us = copy_ns / 1000;
    spec->net.reduce_us = reduce_ns / 1000;
    spec->net.call_us = call_ns / 1000;
    spec->seed = (uint64_t)seed;
    return rc;
}

int cor_sim_spec_parse(const char *text, cor_sim_spec *spec_p, cor_fault *fault)
{
    cor_sim_spec spec = {0};
    spec_values *values = calloc(1, sizeof *values);
    if (!values)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    int rc = spec_split(text, values, fault);
    if (rc == COR_OK)
        rc = spec_read(values, &spec, fault);
    free(values);
    if (rc == COR_OK)
        *spec_p = spec;
    return rc;
}

void cor_sim_spec_describe(const cor_sim_spec *spec, int ranks, char *out, size_t room)
{
    int ppn = spec->net.node_ranks, nodes = (ranks + ppn - 1) / ppn;
    snprintf(out, room,
             "simulated: %d nodes of %d ranks; between nodes %s, eager to %.0f bytes; inside %s, eager to %.0f", nodes,
             ranks < ppn ? ranks : ppn, spec->between, spec->net.between.eager_max, spec->inside,
             spec->net.inside.eager_max);
}
