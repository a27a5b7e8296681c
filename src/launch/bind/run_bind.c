/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/bind/run_bind.h"

#include "launch/bind/bind_place.h"
#include "launch/bind/bind_set.h"
#include "launch/run_path.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the machine ------------------------------------------------------------------------------------------------ */

/* The default takes the quick way. 0: hwloc is missing, and `fault` says why; the kernel's files were read instead. */
static int bind_read_machine(const bind_policy *policy, bind_machine *machine_p, cor_fault *fault)
{
    if (policy->wish == BIND_DEFAULT || policy->wish == BIND_FREE) {
        cor_bind_machine_read(machine_p);
        return 1;
    }
    if (cor_bind_machine_ask_hwloc(machine_p, fault) == COR_OK)
        return 1;
    cor_bind_machine_read(machine_p);
    return 0;
}

static int bind_restrict(bind_machine *machine, const bind_policy *policy, cor_fault *fault)
{
    int wrong = policy->has_set ? cor_bind_machine_restrict(machine, &policy->set) : -1;
    if (wrong < 0)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_ARG, "--cpu-set: CPU %d is not there or may not be used", wrong);
}

/* ---- at the root ------------------------------------------------------------------------------------------------ */

int cor_run_bind_is_asked(const run_binding *binding)
{
    return binding->bind_to || binding->map_by || binding->rank_by || binding->cpu_set || binding->rankfile ||
           binding->report_bindings || binding->use_hwthreads;
}

/* A value in the list of settings, or in our environment. */
static const char *bind_variable(char *const *settings, const char *name)
{
    size_t length = strlen(name);
    const char *value = getenv(name);
    for (; settings && *settings; settings++)
        if (strncmp(*settings, name, length) == 0 && (*settings)[length] == '=')
            value = *settings + length + 1;
    return value;
}

/* A script may start anything: a JVM, a program with threads. */
static int bind_is_script(const char *program)
{
    char path[PATH_MAX], start[2] = "";
    FILE *file = cor_run_path_find(program, path) ? fopen(path, "re") : NULL;
    if (!file)
        return 0;
    size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return got == sizeof start && memcmp(start, "#!", sizeof start) == 0;
}

/* One core is too little for a rank with several threads: those of a JVM, or as many as OpenMP is told to start. */
static int bind_program_has_threads(const run_plan *plan, const run_program *program)
{
    const char *name = program->argv[0], *slash = strrchr(name, '/');
    const char *all = bind_variable(plan->settings, "OMP_NUM_THREADS");
    const char *own = bind_variable(program->settings, "OMP_NUM_THREADS");
    return strcmp(slash ? slash + 1 : name, "java") == 0 ||
           atoi(own   ? own
                : all ? all
                      : "1") > 1 ||
           bind_is_script(name);
}

static int bind_has_threads(const run_plan *plan)
{
    if (!plan->programs || !plan->programs[0].argv)
        return 1; /* mpjrun's, which runs java */
    for (int i = 0; i < plan->program_count; i++)
        if (bind_program_has_threads(plan, &plan->programs[i]))
            return 1;
    return 0;
}

/* The objects by which the policy divides ranks among hosts; BIND_KINDS: by none. */
static bind_kind bind_counted_kind(const bind_policy *policy)
{
    int is_numbered = policy->rank == BIND_RANK_OBJECT && policy->is_rank_span;
    int is_spread = policy->rank == BIND_RANK_MAPPED && policy->is_map_span;
    if (policy->map == BIND_MAP_PPR && policy->map_kind != BIND_BOARD)
        return policy->map_kind;
    return is_numbered ? policy->rank_kind : is_spread ? policy->map_kind : BIND_KINDS;
}

static int bind_count(const bind_machine *machine, bind_kind kind)
{
    unsigned char is_seen[COR_CPU_MAX] = {0};
    int count = 0;
    for (int i = 0; i < machine->count; i++) {
        int number = machine->of[kind][i];
        if (machine->is_usable[i] && number >= 0 && !is_seen[number]) {
            is_seen[number] = 1;
            count++;
        }
    }
    return count;
}

/* How many objects of a kind this host has for ranks; other hosts are taken to be like it. 0: not known. */
static int bind_count_objects(const bind_policy *policy, bind_kind kind, cor_fault *fault)
{
    bind_policy asking = *policy;
    bind_machine machine;
    asking.wish = BIND_REQUESTED;
    bind_read_machine(&asking, &machine, fault);
    if (bind_restrict(&machine, policy, fault) != COR_OK)
        return 0;
    int count = bind_count(&machine, kind);
    if (count == 0 && fault->code == COR_OK)
        cor_fault_set(fault, COR_ERR_ARG, "this host has no %s, or does not tell of them", cor_bind_kind_names(kind));
    return count;
}

/* run_division.in_turn. */
static int bind_in_turn(const bind_policy *policy)
{
    cor_fault fault = {0};
    int is_span = policy->rank == BIND_RANK_OBJECT && policy->is_rank_span;
    if (policy->rank == BIND_RANK_NODE)
        return 1;
    if (is_span || (policy->rank == BIND_RANK_MAPPED && policy->is_map_span)) {
        int objects = bind_count_objects(policy, is_span ? policy->rank_kind : policy->map_kind, &fault);
        return objects > 0 ? objects : 1;
    }
    return policy->rank == BIND_RANK_MAPPED ? 0 : -1;
}

static int bind_divide(const run_plan *plan, const bind_policy *policy, run_division *division_p, cor_fault *fault)
{
    *division_p = (run_division){.is_mapped = plan->binding.map_by != NULL,
                                 .is_by_host = policy->map == BIND_MAP_NODE || policy->is_map_span,
                                 .may_oversubscribe = policy->may_oversubscribe,
                                 .in_turn = bind_in_turn(policy)};
    if (policy->map != BIND_MAP_PPR)
        return COR_OK;
    int objects = policy->map_kind == BIND_BOARD ? 1 : bind_count_objects(policy, policy->map_kind, fault);
    if (objects > 0)
        division_p->per_host = policy->per_object * objects;
    /* Where the ranks are counted already, each host says for itself what it cannot do. */
    return objects > 0 || plan->size > 0 ? COR_OK : fault->code;
}

/* What --bind-to is for a job that does not say it, or says auto. */
static const char *bind_usual(const run_plan *plan, const char *usual)
{
    return strcmp(usual, "auto") == 0 && bind_has_threads(plan) ? "none" : usual;
}

/* Words that cannot be meant, in the setting or together. */
static int bind_check(const run_plan *plan, const char *usual)
{
    const run_binding alone = {.bind_to = usual}, *binding = &plan->binding;
    bind_policy policy;
    cor_fault fault = {0};
    if (cor_bind_policy_parse(&alone, &policy, &fault) != COR_OK) {
        fprintf(stderr, "%s: the setting run.bind: %s\n", plan->command_name, fault.text);
        return -1;
    }
    if (binding->rankfile && (binding->map_by || binding->rank_by)) {
        fprintf(stderr, "%s: --rankfile places every rank, so %s does not go with it\n", plan->command_name,
                binding->map_by ? "--map-by" : "--rank-by");
        return -1;
    }
    return 0;
}

int cor_run_bind_plan(run_plan *plan, const char *usual, int host_count, run_division *division_p)
{
    run_binding *binding = &plan->binding;
    int is_given = binding->bind_to != NULL;
    bind_policy policy;
    cor_fault fault = {0};
    if (bind_check(plan, usual) != 0)
        return -1;
    if (!is_given)
        binding->bind_to = "auto";
    if (cor_bind_policy_parse(binding, &policy, &fault) != COR_OK ||
        bind_divide(plan, &policy, division_p, &fault) != COR_OK) {
        fprintf(stderr, "%s: %s\n", plan->command_name, fault.text);
        return -1;
    }
    if (policy.wish == BIND_DEFAULT && !binding->rankfile)
        binding->bind_to = bind_usual(plan, is_given ? "auto" : usual);
    if (host_count > 1 && bind_counted_kind(&policy) != BIND_KINDS)
        binding->counted = bind_count_objects(&policy, bind_counted_kind(&policy), &fault);
    return 0;
}

/* ---- on every host ---------------------------------------------------------------------------------------------- */

static int bind_place_here(const bind_policy *policy, const char *const *slots, int count, run_bound *bound,
                           cor_fault *fault)
{
    bind_places places;
    int rc = cor_bind_place(bound->machine, policy, slots, count, bound->sets, &places, fault);
    if (rc != COR_OK)
        return rc;
    if (!places.is_bound) {
        free(bound->sets);
        bound->sets = NULL;
    }
    bound->is_applied = !bound->machine->is_other;
    if (places.notice.code != COR_OK)
        memcpy(bound->notice, places.notice.text, sizeof places.notice.text);
    else if (bound->sets && !bound->is_applied)
        strcpy(bound->notice, "hwloc's variables describe another machine, so ranks are not bound");
    return COR_OK;
}

/* Ranks were divided by the objects of the launcher's host. Where this host has others, that is told, too. */
static void bind_compare(const bind_policy *policy, int counted, run_bound *bound)
{
    bind_kind kind = bind_counted_kind(policy);
    int own = counted && kind != BIND_KINDS ? bind_count(bound->machine, kind) : counted;
    size_t length = strlen(bound->notice);
    if (own != counted)
        snprintf(bound->notice + length, sizeof bound->notice - length,
                 "%sthe launcher's host has %d %s for ranks and this one %d, but ranks were divided as if all were "
                 "alike; slots in the list of hosts and --map-by %s divide them otherwise",
                 length ? "; " : "", counted, counted == 1 ? cor_bind_kind_name(kind) : cor_bind_kind_names(kind), own,
                 cor_bind_kind_name(kind));
}

int cor_run_bind_open(const run_plan *plan, int count, run_bound *bound_p, cor_fault *fault)
{
    char *const *slots = plan->host_count ? plan->hosts[0].slots : NULL;
    bind_policy policy;
    cor_fault missing = {0};
    memset(bound_p, 0, sizeof *bound_p);
    int rc = cor_bind_policy_parse(&plan->binding, &policy, fault);
    if (rc != COR_OK || count == 0)
        return rc;
    if (policy.wish == BIND_FREE && !plan->binding.report_bindings && !cor_bind_policy_is_inside(&policy))
        return COR_OK;
    if (slots && policy.wish == BIND_DEFAULT)
        policy.wish = BIND_REQUESTED;
    bound_p->machine = malloc(sizeof *bound_p->machine);
    bound_p->sets = calloc((size_t)count, sizeof *bound_p->sets);
    if (!bound_p->machine || !bound_p->sets)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the CPUs of %d ranks", count);
    int is_known = bind_read_machine(&policy, bound_p->machine, &missing);
    bind_kind unknown = cor_bind_missing(bound_p->machine, &policy);
    rc = bind_restrict(bound_p->machine, &policy, fault);
    if (rc != COR_OK)
        return rc;
    if (is_known || unknown == BIND_KINDS) {
        rc = bind_place_here(&policy, (const char *const *)slots, count, bound_p, fault);
        bind_compare(&policy, plan->binding.counted, bound_p);
        return rc;
    }
    free(bound_p->sets);
    bound_p->sets = NULL;
    snprintf(bound_p->notice, sizeof bound_p->notice, "%s cannot be found, so ranks are not bound: %.150s",
             cor_bind_kind_names(unknown), missing.text);
    return COR_OK;
}

void cor_run_bind_close(run_bound *bound)
{
    free(bound->machine);
    free(bound->sets);
    memset(bound, 0, sizeof *bound);
}

const cor_cpu_set *cor_run_bind_set(const run_bound *bound, int place)
{
    return bound->sets && bound->is_applied ? &bound->sets[place] : NULL;
}

int cor_run_bind_apply(const cor_cpu_set *set)
{
    cpu_set_t *theirs = CPU_ALLOC(COR_CPU_MAX);
    size_t bytes = CPU_ALLOC_SIZE(COR_CPU_MAX);
    if (!theirs)
        return -1;
    CPU_ZERO_S(bytes, theirs);
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++)
        if (cor_bind_set_has(set, cpu))
            CPU_SET_S((size_t)cpu, bytes, theirs);
    int code = sched_setaffinity(0, bytes, theirs);
    CPU_FREE(theirs);
    return code;
}

char *cor_run_bind_report(const run_bound *bound, int place, int rank, const char *host)
{
    const cor_cpu_set *set = bound->sets ? &bound->sets[place] : NULL;
    char picture[BIND_PICTURE_MAX], cpus[BIND_SET_TEXT_MAX], *text;
    cor_bind_machine_draw(bound->machine, set, picture);
    if (set)
        cor_bind_set_print(set, cpus);
    int length = asprintf(&text, "rank %d on host %s: %s %s%s", rank, host, picture, set ? "CPUs " : "not bound",
                          set ? cpus : "");
    return length < 0 ? NULL : text;
}
