/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/hosts/run_cluster.h"

#include "launch/agent/run_reach.h"
#include "launch/bind/run_bind.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

#define CLUSTER_FIELD(field) offsetof(run_knobs, field)

static const cor_knob cluster_rows[] = {
    {"run.launcher", COR_KNOB_TEXT, CLUSTER_FIELD(launcher), "", "a command", 0, RUN_LAUNCHER_MAX,
     "command that reaches another host, with {host} in it; empty: ssh, or srun inside an allocation"},
    {"run.prefix", COR_KNOB_TEXT, CLUSTER_FIELD(prefix), "", "a directory", 0, RUN_PREFIX_MAX,
     "path of Corunna on other hosts; empty: the same path as here"},
    {"run.fan", COR_KNOB_INT, CLUSTER_FIELD(fan), "32", NULL, 1, 65536,
     "number of hosts reached from one host, at most; these reach the rest"},
    {"run.host_timeout", COR_KNOB_INT, CLUSTER_FIELD(host_timeout_s), "10", NULL, 0, 86400,
     "seconds without an answer after which a host is lost; 0: never"},
    {"run.bind", COR_KNOB_TEXT, CLUSTER_FIELD(bind), "auto", "as --bind-to", 0, RUN_BIND_MAX,
     "value of --bind-to if it is not given; auto: cores, if C ranks fit and have the host for themselves"},
};

const cor_knob_table cor_run_knobs = {cluster_rows, sizeof cluster_rows / sizeof *cluster_rows};

/* ---- which hosts ------------------------------------------------------------------------------------------------ */

/* Is there such a program in PATH? */
static int cluster_has_program(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(path, ":"), path, name);
        if (access(file, X_OK) == 0)
            return 1;
    }
    return 0;
}

/* Inside an allocation of Slurm the hosts are known. */
static int cluster_ask_slurm(run_cluster *cluster, const char *command_name)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    const char *tasks = getenv("SLURM_TASKS_PER_NODE");
    if (!nodes || !*nodes)
        return 0;
    if (cor_host_list_add_slurm(&cluster->list, command_name, nodes, tasks) != 0)
        return -1;
    if (!*cluster->knobs.launcher && cluster_has_program("srun"))
        memcpy(cluster->knobs.launcher, RUN_REACH_SRUN, sizeof RUN_REACH_SRUN);
    return 0;
}

/* The path of this program on other hosts. */
static int cluster_find_program(run_cluster *cluster, const char *command_name)
{
    if (*cluster->knobs.prefix) {
        snprintf(cluster->program, sizeof cluster->program, "%s/bin/corunna", cluster->knobs.prefix);
        return 0;
    }
    ssize_t length = readlink("/proc/self/exe", cluster->program, sizeof cluster->program - 1);
    if (length <= 0 || (size_t)length >= sizeof cluster->program - 1) {
        fprintf(stderr, "%s: cannot find the path of this program; set it with --prefix\n", command_name);
        return -1;
    }
    cluster->program[length] = '\0';
    return 0;
}

/* ---- the environment -------------------------------------------------------------------------------------------- */

/* Variables that programs need to be found and to behave as here. -x adds others. */
static int cluster_is_carried(const char *entry)
{
    static const char *const names[] = {"PATH=", "LD_LIBRARY_PATH=", "CLASSPATH=", "JAVA_HOME=", "LANG="};
    static const char *const families[] = {"CORUNNA_", "OMP_", "LC_"};
    if (strncmp(entry, "CORUNNA_RUN_", 12) == 0)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return 1;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(entry, families[i], strlen(families[i])) == 0)
            return 1;
    return 0;
}

static void cluster_carry_environment(run_cluster *cluster)
{
    for (char **entry = environ; *entry; entry++)
        if (cluster->carries_all ? strncmp(*entry, "CORUNNA_RUN_", 12) != 0 : cluster_is_carried(*entry))
            cor_run_list_add(&cluster->environment, "%s", *entry);
}

/* ---- ranks of hosts --------------------------------------------------------------------------------------------- */

/* The ranks of one host, into `ranks`. Returns how many. */
static int cluster_ranks_of(const int *host_of_rank, int size, int host, int *ranks)
{
    int count = 0;
    for (int rank = 0; rank < size; rank++)
        if (host_of_rank[rank] == host)
            ranks[count++] = rank;
    return count;
}

/* Does the command line set where ranks listen? It has priority over a host file. */
static int cluster_is_interface_set(const run_plan *plan)
{
    for (char **setting = plan->settings; setting && *setting; setting++)
        if (strncmp(*setting, "CORUNNA_TCP_INTERFACE=", 22) == 0)
            return 1;
    return 0;
}

/* Without this machine: the hosts that are left, or -1 after a message. */
static int cluster_leave_here(host_list *list, const char *command_name)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (!list->items[i].is_here) {
            list->items[kept++] = list->items[i];
            continue;
        }
        free(list->items[i].name);
        free(list->items[i].interface);
    }
    list->count = kept;
    if (kept > 0)
        return 0;
    fprintf(stderr, "%s: --nolocal leaves no host; --hosts or --hostfile must name others\n", command_name);
    return -1;
}

/* What the rank file has for the ranks of this host. `slots` has room for them and a NULL. */
static char *const *cluster_slots_of(const run_cluster *cluster, const run_host *host, char **slots)
{
    for (int i = 0; i < host->rank_count; i++)
        slots[i] = cluster->places.slots[host->ranks[i]];
    return slots;
}

/* Our own host first, with or without ranks; then the hosts with ranks. */
static int cluster_divide(run_cluster *cluster, const int *host_of_rank, run_plan *plan)
{
    const host_list *list = &cluster->list;
    cluster->hosts = calloc((size_t)list->count + 1, sizeof *cluster->hosts);
    cluster->ranks = calloc((size_t)plan->size + 1, sizeof *cluster->ranks);
    cluster->slots = calloc((size_t)plan->size + (size_t)list->count, sizeof *cluster->slots);
    if (!cluster->hosts || !cluster->ranks || !cluster->slots) {
        fprintf(stderr, "%s: out of memory\n", plan->command_name);
        return -1;
    }
    int *ranks = cluster->ranks;
    char **slots = cluster->slots;
    int count = 1;
    int is_set = cluster_is_interface_set(plan);
    cluster->hosts[0].name = "localhost";
    for (int i = 0; i < list->count; i++) {
        int rank_count = cluster_ranks_of(host_of_rank, plan->size, i, ranks);
        if (rank_count == 0)
            continue;
        run_host *host = list->items[i].is_here ? &cluster->hosts[0] : &cluster->hosts[count++];
        *host = (run_host){.name = list->items[i].name, .ranks = ranks, .rank_count = rank_count};
        host->interface = is_set ? NULL : list->items[i].interface;
        host->slots = cluster->places.size > 0 ? cluster_slots_of(cluster, host, slots) : NULL;
        slots += rank_count + 1;
        ranks += rank_count;
    }
    if (count == 1 && cluster->places.size == 0)
        return 0;
    plan->hosts = cluster->hosts;
    plan->host_count = count;
    if (count == 1)
        return 0;
    plan->reach.launcher = *cluster->knobs.launcher ? cluster->knobs.launcher : RUN_REACH_SSH;
    plan->reach.program = cluster->program;
    plan->reach.fan = cluster->knobs.fan;
    plan->reach.timeout_s = cluster->knobs.host_timeout_s;
    cluster_carry_environment(cluster);
    plan->environment = cluster->environment.items;
    return cluster_find_program(cluster, plan->command_name);
}

/* The host of each rank, by the rank file or by the slots of the hosts. */
static int cluster_map(run_cluster *cluster, run_plan *plan)
{
    host_list *list = &cluster->list;
    const host_mapping mapping = {cluster->order, cluster->in_turn, cluster->may_oversubscribe};
    if (cluster->places.size > 0)
        return cluster_divide(cluster, cluster->places.hosts, plan);
    int *host_of_rank = calloc((size_t)plan->size, sizeof *host_of_rank);
    if (!host_of_rank) {
        fprintf(stderr, "%s: out of memory\n", plan->command_name);
        return -1;
    }
    int code = cor_host_map(list, plan->command_name, plan->size, &mapping, host_of_rank);
    if (code == 0)
        code = cluster_divide(cluster, host_of_rank, plan);
    free(host_of_rank);
    return code;
}

/* What the options on binding mean for hosts, which has priority over other options. */
static int cluster_bind(run_cluster *cluster, run_plan *plan)
{
    run_division division;
    if (cor_run_bind_plan(plan, cluster->knobs.bind, cluster->list.count, &division) != 0)
        return -1;
    if (division.is_mapped)
        cluster->order = division.is_by_host ? HOST_BY_NODE : HOST_BY_SLOT;
    if (division.may_oversubscribe >= 0)
        cluster->may_oversubscribe = division.may_oversubscribe;
    cluster->in_turn = division.in_turn < 0 ? HOST_ALL_IN_TURN : division.in_turn;
    if (division.per_host > 0)
        cluster->per_node = division.per_host;
    return 0;
}

int cor_run_cluster_plan(run_cluster *cluster, const char *const *overrides, run_plan *plan)
{
    cor_fault fault = {0};
    if (cor_knobs_load(&cor_run_knobs, overrides, &cluster->knobs, NULL, &fault) != COR_OK) {
        fprintf(stderr, "%s: %s\n", plan->command_name, fault.text);
        return -1;
    }
    host_list *list = &cluster->list;
    if (list->count == 0 && !cluster->ignores_slurm && cluster_ask_slurm(cluster, plan->command_name) != 0)
        return -1;
    if (cluster->is_elsewhere && cluster_leave_here(list, plan->command_name) != 0)
        return -1;
    if (cluster_bind(cluster, plan) != 0)
        return -1;
    if (plan->binding.rankfile) {
        if (cor_rank_file_read(&cluster->places, plan->command_name, plan->binding.rankfile, plan->size, list) != 0)
            return -1;
        plan->size = cluster->places.size;
    }
    if (list->count == 0) {
        plan->size = plan->size > 0 ? plan->size : cluster->per_node > 0 ? cluster->per_node : 1;
        return 0;
    }
    for (int i = 0; cluster->per_node > 0 && i < list->count; i++) {
        list->items[i].slots = cluster->per_node;
        list->items[i].is_stated = 1;
    }
    plan->size = plan->size > 0 ? plan->size : cor_host_map_slots(list);
    if (plan->universe == 0 && cor_host_map_is_stated(list))
        plan->universe = cor_host_map_slots(list);
    return cluster_map(cluster, plan);
}

void cor_run_cluster_fini(run_cluster *cluster)
{
    cor_host_list_fini(&cluster->list);
    cor_run_list_fini(&cluster->environment);
    free(cluster->hosts);
    free(cluster->ranks);
    free(cluster->slots);
    cor_rank_file_fini(&cluster->places);
    memset(cluster, 0, sizeof *cluster);
}
