/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that are measured. A peer is looked for in the folder that its variable names (OPENMPI_HOME,
 * MPICH_HOME, MPJ_HOME), else where Debian puts it. */
#define _GNU_SOURCE
#include "tools/bench/bench_system.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYSTEM_COMPILE_S = 120 };

/* ---- words ------------------------------------------------------------------------------------------------------ */

void bench_words_add(bench_words *words, const char *format, ...)
{
    char *word = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&word, format, values);
    va_end(values);
    if (length < 0 || words->count >= BENCH_WORDS_MAX - 1) {
        fputs("corunna bench: no room for a command\n", stderr);
        exit(1);
    }
    words->words[words->count++] = word;
    words->words[words->count] = NULL;
}

void bench_words_free(bench_words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->words[i]);
    words->count = 0;
}

/* The words of a text, which spaces part. */
static void system_add_all(bench_words *words, const char *text)
{
    for (size_t length; *text; text += length) {
        text += *text == ' ';
        length = strcspn(text, " ");
        bench_words_add(words, "%.*s", (int)length, text);
    }
}

/* ---- what several need ------------------------------------------------------------------------------------------ */

static void system_ignore_line(void *context, char *text)
{
    (void)context;
    (void)text;
}

int bench_system_is_in_path(const char *name)
{
    char path[BENCH_PATH_MAX];
    const char *all = getenv("PATH");
    for (const char *at = all ? all : ""; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%.200s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* A tool of a library: $HOME_VARIABLE/bin/plain if that variable is set, else Debian's name. 0: there is none. */
int bench_system_tool(const char *home_variable, const char *plain, const char *debian, char *out, char *why)
{
    const char *home = getenv(home_variable);
    if (home && *home)
        snprintf(out, BENCH_PATH_MAX, "%s/bin/%s", home, plain);
    else
        snprintf(out, BENCH_PATH_MAX, "%s", debian);
    if (strchr(out, '/') ? access(out, X_OK) == 0 : bench_system_is_in_path(out))
        return 1;
    snprintf(why, BENCH_WHY_MAX, "there is no %.200s; install it, or set %s to the library's folder", out,
             home_variable);
    return 0;
}

static void system_add_sources(const char *folder, const char *ending, bench_words *words)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    while (all && (entry = readdir(all))) {
        size_t length = strlen(entry->d_name);
        if (length > strlen(ending) && strcmp(entry->d_name + length - strlen(ending), ending) == 0)
            bench_words_add(words, "%s/%s", folder, entry->d_name);
    }
    if (all)
        closedir(all);
}

int bench_system_run(const bench_places *places, bench_words *words, char why[BENCH_WHY_MAX])
{
    int is_fine = bench_job_run(words, NULL, places->interrupts, SYSTEM_COMPILE_S, system_ignore_line, NULL, why);
    bench_words_free(words);
    return is_fine;
}

static int system_compile_c(const bench_places *places, const char *compiler, const char *name,
                            char why[BENCH_WHY_MAX])
{
    char folder[BENCH_PATH_MAX];
    bench_words words = {0};
    snprintf(folder, sizeof folder, "%s/c", places->sources);
    bench_words_add(&words, "%s", compiler);
    system_add_all(&words, "-O2 -std=c11 -pthread -o");
    bench_words_add(&words, "%s/%s", places->work, name);
    system_add_sources(folder, ".c", &words);
    return bench_system_run(places, &words, why);
}

int bench_system_is_tcp(const bench_launch *launch)
{
    return strcmp(launch->device, "tcpdev") == 0;
}

static int system_has_cores(const bench_launch *launch)
{
    return launch->ranks <= launch->cpus;
}

/* Each namespace takes half of the ranks. */
static void system_add_hosts(const bench_launch *launch, const char *option, bench_words *words)
{
    int half = (launch->ranks + 1) / 2;
    if (!*launch->hosts)
        return;
    bench_words_add(words, "%s", option);
    if (launch->is_netns)
        bench_words_add(words, BENCH_NETNS_FIRST ":%d," BENCH_NETNS_SECOND ":%d", half, half);
    else
        bench_words_add(words, "%s", launch->hosts);
}

/* What another library cannot be told here. */
static int system_refuse(const bench_launch *launch, char why[BENCH_WHY_MAX])
{
    snprintf(why, BENCH_WHY_MAX, "%s",
             launch->is_asleep ? "its ranks cannot be told to sleep at once" : "it runs on this host only");
    return 0;
}

/* ---- Corunna ---------------------------------------------------------------------------------------------------- */

static int corunna_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char program[BENCH_PATH_MAX];
    snprintf(program, sizeof program, "%s/mpibench", places->programs);
    if (access(program, X_OK) == 0)
        return 1;
    snprintf(why, BENCH_WHY_MAX, "there is no %.300s, which comes with Corunna", program);
    return 0;
}

static int java_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char jar[BENCH_PATH_MAX];
    snprintf(jar, sizeof jar, "%s/bench.jar", places->programs);
    if (access(jar, R_OK) != 0)
        snprintf(why, BENCH_WHY_MAX, "there is no %.300s, which comes with Corunna", jar);
    else if (!bench_system_is_in_path("java"))
        snprintf(why, BENCH_WHY_MAX, "there is no java");
    else
        return 1;
    return 0;
}

static void corunna_run(const bench_launch *launch, bench_words *words)
{
    bench_netns_add_first(launch, words);
    bench_words_add(words, "%s", launch->places->corunna);
    bench_words_add(words, "run");
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    bench_words_add(words, "--bind-to");
    bench_words_add(words, system_has_cores(launch) && !launch->threads && !*launch->hosts ? "core" : "none");
    system_add_hosts(launch, "--hosts", words);
    if (launch->is_netns) {
        bench_words_add(words, "--launcher");
        bench_words_add(words, "'%s/agent {host}'", launch->places->work); /* for the shell of the agent */
    }
    if (launch->is_asleep)
        system_add_all(words, "--tune wait.spin_us=0 --tune wait.yields=0");
    if (*launch->device) {
        bench_words_add(words, "--dev");
        bench_words_add(words, "%s", launch->device);
    }
}

static int corunna_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    (void)why;
    corunna_run(launch, words);
    bench_words_add(words, "%s/mpibench", launch->places->programs);
    return 1;
}

static int java_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    (void)why;
    corunna_run(launch, words);
    bench_words_add(words, "java");
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/bench.jar:%s", launch->places->programs, launch->places->jar);
    bench_words_add(words, "MpjBench");
    return 1;
}

static int java_threads_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    if (*launch->device) {
        snprintf(why, BENCH_WHY_MAX, "ranks that are threads have no device %s", launch->device);
        return 0;
    }
    if (*launch->hosts || launch->is_asleep)
        return system_refuse(launch, why);
    bench_words_add(words, "java");
    bench_words_add(words, "-jar");
    bench_words_add(words, "%s", launch->places->jar);
    bench_words_add(words, "-np");
    bench_words_add(words, "%d", launch->ranks);
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/bench.jar", launch->places->programs);
    bench_words_add(words, "MpjBench");
    return 1;
}

/* ---- Open MPI --------------------------------------------------------------------------------------------------- */

static int openmpi_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    return bench_system_tool("OPENMPI_HOME", "mpirun", "mpirun.openmpi", tool, why) &&
           bench_system_tool("OPENMPI_HOME", "mpicc", "mpicc.openmpi", tool, why) &&
           system_compile_c(places, tool, "openmpi", why);
}

static int openmpi_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    if (launch->is_asleep)
        return system_refuse(launch, why);
    if (!bench_system_tool("OPENMPI_HOME", "mpirun", "mpirun.openmpi", tool, why))
        return 0;
    bench_netns_add_first(launch, words);
    bench_words_add(words, "%s", tool);
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    if (!system_has_cores(launch))
        bench_words_add(words, "--oversubscribe");
    bench_words_add(words, "--bind-to");
    bench_words_add(words, system_has_cores(launch) && !launch->threads && !*launch->hosts ? "core" : "none");
    system_add_hosts(launch, "--host", words);
    if (*launch->hosts)
        system_add_all(words, "-x BENCH_MS -x BENCH_BATCHES -x BENCH_AGREE -x BENCH_ROTATE -x BENCH_CORES");
    if (bench_system_is_tcp(launch))
        system_add_all(words, "--mca pml ob1 --mca btl tcp,self");
    if (bench_system_is_tcp(launch) && (launch->is_netns || !*launch->hosts)) {
        system_add_all(words, "--mca btl_tcp_if_include");
        bench_words_add(words, launch->is_netns ? "veth0" : "lo");
    }
    if (launch->is_netns) {
        system_add_all(words, "--mca oob_tcp_if_include veth0 --mca plm_rsh_agent");
        bench_words_add(words, "%s/agent", launch->places->work);
    }
    bench_words_add(words, "%s/openmpi", launch->places->work);
    return 1;
}

/* ---- MPICH ------------------------------------------------------------------------------------------------------ */

static int mpich_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    return bench_system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why) &&
           bench_system_tool("MPICH_HOME", "mpicc", "mpicc.mpich", tool, why) &&
           system_compile_c(places, tool, "mpich", why);
}

static int mpich_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    if (launch->is_asleep)
        return system_refuse(launch, why);
    if (!bench_system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why))
        return 0;
    bench_netns_add_first(launch, words);
    if (bench_system_is_tcp(launch)) {
        /* Its ranks meet in shared memory before UCX is asked, unless each counts as a host. */
        system_add_all(words, "env MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self");
        if (launch->is_netns || !*launch->hosts)
            bench_words_add(words, "UCX_NET_DEVICES=%s", launch->is_netns ? "veth0" : "lo");
    }
    bench_words_add(words, "%s", tool);
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    if (system_has_cores(launch) && !launch->threads && !*launch->hosts)
        system_add_all(words, "-bind-to core");
    system_add_hosts(launch, "-hosts", words);
    if (launch->is_netns) {
        system_add_all(words, "-iface veth0 -launcher rsh -launcher-exec");
        bench_words_add(words, "%s/agent", launch->places->work);
    }
    bench_words_add(words, "%s/mpich", launch->places->work);
    return 1;
}

/* ---- MPJ Express ------------------------------------------------------------------------------------------------ */

static const char mpj_classes[] = "mpj-classes";

static int mpj_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    return bench_mpj_prepare(places, mpj_classes, (const char *const[]){NULL}, why);
}

static int mpj_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    if (*launch->hosts || launch->is_asleep)
        return system_refuse(launch, why);
    if (*launch->device) {
        snprintf(why, BENCH_WHY_MAX, "its ranks are threads here and have no device %s", launch->device);
        return 0;
    }
    bench_mpj_add_threads(launch->places, mpj_classes, launch->ranks, words);
    bench_words_add(words, "MpjBench");
    return 1;
}

static int mpj_nio_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    if (*launch->hosts || launch->is_asleep)
        return system_refuse(launch, why);
    bench_mpj_add_processes(launch->places, mpj_classes, launch->ranks, words);
    bench_words_add(words, "MpjBench");
    return 1;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

const bench_system bench_systems[] = {
    {"corunna", "Corunna", 0, 1, corunna_prepare, corunna_command},
    {"corunna-java", "Corunna Java", 1, 1, java_prepare, java_command},
    {"corunna-threads", "Java threads", 1, 1, java_prepare, java_threads_command},
    {"openmpi", "Open MPI", 0, 0, openmpi_prepare, openmpi_command},
    {"mpich", "MPICH", 0, 0, mpich_prepare, mpich_command},
    {"mpjexpress", "MPJ Express", 1, 0, mpj_prepare, mpj_command},
    {"mpjexpress-nio", "MPJ niodev", 1, 0, mpj_prepare, mpj_nio_command},
    {"hydra", "by Hydra", 0, 0, bench_hydra_prepare, bench_hydra_command},
    {"socket", "bare socket", 0, 0, bench_socket_prepare, bench_socket_command},
    {"cacheline", "cache line", 0, 0, bench_cacheline_prepare, bench_cacheline_command},
};

const int bench_system_count = sizeof bench_systems / sizeof bench_systems[0];

const bench_system *bench_system_find(const char *name)
{
    for (int i = 0; i < bench_system_count; i++)
        if (strcmp(bench_systems[i].name, name) == 0)
            return &bench_systems[i];
    return NULL;
}

/* What is measured to compare with is no library. */
int bench_system_is_peer(const bench_system *system, int is_java)
{
    return !system->is_ours && system->is_java == is_java && system->command != bench_hydra_command &&
           system->command != bench_socket_command && system->command != bench_cacheline_command;
}
