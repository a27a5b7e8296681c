/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tune/tune.h"

#include "base/knob.h"
#include "sim/sim_program.h"

#include <stdlib.h>
#include <string.h>

/* ---- candidates ------------------------------------------------------------------------------------------------- */

static cor_situation subject_situation(const tune_run *run, int ranks)
{
    if (run->is_simulated)
        return cor_sim_situation(ranks, run->cluster.net.node_ranks);
    uint32_t facts = COR_FACT_COMMUTATIVE | COR_FACT_BLOCKING;
    int nodes = run->host_count < ranks ? run->host_count : ranks;
    if ((ranks & (ranks - 1)) == 0)
        facts |= COR_FACT_POWER_OF_TWO;
    if (nodes == 1)
        facts |= COR_FACT_ONE_NODE;
    if (nodes == 1 && ranks > run->cpus)
        facts |= COR_FACT_OVERSUBSCRIBED;
    return (cor_situation){ranks, nodes, (ranks + nodes - 1) / nodes, facts};
}

static void subject_add(tune_subject *subject, const char *text)
{
    if (subject->candidate_count < TUNE_CANDIDATES_MAX)
        snprintf(subject->candidates[subject->candidate_count++], BENCH_NAME_MAX, "%s", text);
}

/* Each algorithm as it is, and where it sends pieces, with shorter and longer ones. */
static void subject_candidates(tune_subject *subject, const cor_situation *situation)
{
    char text[BENCH_NAME_MAX];
    subject_add(subject, "");
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        if (algorithm->primitive != subject->primitive || cor_unmet_needs(algorithm, situation) != 0)
            continue;
        subject_add(subject, algorithm->name);
        for (int k = 0; k < COR_PARAMETERS_MAX && algorithm->parameters[k].name; k++) {
            size_t usual = algorithm->parameters[k].fallback;
            if (strcmp(algorithm->parameters[k].name, "segment") != 0)
                continue;
            snprintf(text, sizeof text, "%s segment=%zu", algorithm->name, usual / 4);
            subject_add(subject, text);
            snprintf(text, sizeof text, "%s segment=%zu", algorithm->name, usual * 4);
            subject_add(subject, text);
        }
    }
}

/* ---- subjects --------------------------------------------------------------------------------------------------- */

/* Rules may ask for bytes only where all ranks know them. */
static int subject_can_be_tuned(cor_primitive primitive)
{
    const bench_test *test = bench_test_find(cor_primitive_name(primitive));
    return test && *test->modes && (primitive == COR_BARRIER || cor_primitive_has_bytes(primitive));
}

static int subjects_add(tune_run *run, cor_primitive primitive)
{
    tune_subject *all = realloc(run->subjects, (size_t)(run->subject_count + run->rank_count) * sizeof *all);
    if (!all) {
        fputs("corunna tune: out of memory\n", stderr);
        return -1;
    }
    run->subjects = all;
    for (int i = 0; i < run->rank_count; i++) {
        cor_situation situation = subject_situation(run, run->ranks[i]);
        tune_subject *subject = &all[run->subject_count++];
        *subject = (tune_subject){.primitive = primitive,
                                  .test = cor_primitive_name(primitive),
                                  .ranks = run->ranks[i],
                                  .size_count = primitive == COR_BARRIER ? 1 : run->size_count};
        subject_candidates(subject, &situation);
    }
    return 0;
}

/* Settings are measured on this machine alone. */
static int subjects_has_devices(const tune_run *run)
{
    return run->host_count == 1 && !run->is_simulated;
}

static int subjects_unknown(const tune_run *run, const char *name)
{
    const char *names[COR_PRIMITIVES + TUNE_DEVICES];
    size_t count = 0;
    for (int i = 0; i < TUNE_DEVICES && subjects_has_devices(run); i++)
        names[count++] = tune_device_names[i];
    for (int i = 0; i < COR_PRIMITIVES; i++)
        if (subject_can_be_tuned((cor_primitive)i))
            names[count++] = cor_primitive_name((cor_primitive)i);
    fprintf(stderr, "corunna tune: \"%s\" is not a collective that can be tuned%s\n", name,
            cor_hint_at(cor_nearest(name, names, count)).text);
    return -1;
}

static int subjects_add_device(tune_run *run, const char *name)
{
    for (int i = 0; i < TUNE_DEVICES; i++)
        if (strcmp(tune_device_names[i], name) == 0)
            return run->devices[i].is_asked = 1;
    return 0;
}

int tune_subjects_make(tune_run *run, const char *names)
{
    if (*names) {
        char name[BENCH_NAME_MAX];
        while (bench_list_next(&names, name)) {
            if (subjects_has_devices(run) && subjects_add_device(run, name))
                continue;
            cor_primitive primitive = cor_primitive_find(name);
            if (primitive == COR_PRIMITIVES || !subject_can_be_tuned(primitive))
                return subjects_unknown(run, name);
            if (subjects_add(run, primitive) != 0)
                return -1;
        }
        return 0;
    }
    for (int i = 0; i < TUNE_DEVICES; i++)
        run->devices[i].is_asked = subjects_has_devices(run);
    for (int i = 0; i < COR_PRIMITIVES; i++)
        if (subject_can_be_tuned((cor_primitive)i) && subjects_add(run, (cor_primitive)i) != 0)
            return -1;
    return 0;
}
