/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured to compare with, and is no library: our ranks started by Hydra, a bare TCP connection, a cache
 * line. */
#define _GNU_SOURCE
#include "tools/bench/bench_system.h"

#include <sched.h>
#include <string.h>

/* Two CPUs of ours. 0: there are not so many. */
static int floor_cpus(int cpus[2])
{
    cpu_set_t allowed;
    int count = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            cpus[count++] = cpu;
    return count == 2;
}

/* ---- our ranks, started by MPICH's launcher ---------------------------------------------------------------------- */

int bench_hydra_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    return bench_system_find("corunna")->prepare(places, why) &&
           bench_system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why);
}

int bench_hydra_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    char tool[BENCH_PATH_MAX];
    if (strcmp(launch->test, "startup") != 0 || *launch->hosts || *launch->device || launch->is_asleep ||
        !bench_system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why))
        return 0;
    bench_words_add(words, "%s", tool);
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    bench_words_add(words, "%s/mpibench", launch->places->programs);
    return 1;
}

/* ---- a bare socket ---------------------------------------------------------------------------------------------- */

/* The floor under what goes by TCP: the tests between two ranks, on one connection and nothing else. */
int bench_socket_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    static const char *const files[] = {"main.c", "bench.c", "pair.c", "bare/bare_socket.c"};
    bench_words words = {0};
    bench_words_add(&words, "cc");
    bench_words_add(&words, "-O2");
    bench_words_add(&words, "-std=c11");
    bench_words_add(&words, "-DBENCH_PAIR_ONLY");
    bench_words_add(&words, "-I%s/c/bare", places->sources);
    bench_words_add(&words, "-o");
    bench_words_add(&words, "%s/socket", places->work);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        bench_words_add(&words, "%s/c/%s", places->sources, files[i]);
    return bench_system_run(places, &words, why);
}

int bench_socket_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    int cpus[2];
    (void)why;
    if (!bench_system_is_tcp(launch) || launch->ranks != 2 || *launch->hosts)
        return 0;
    bench_words_add(words, "env");
    bench_words_add(words, "BARE_WAIT=%s", launch->is_asleep ? "block" : "spin");
    if (floor_cpus(cpus))
        bench_words_add(words, "BARE_CPUS=%d %d", cpus[0], cpus[1]);
    bench_words_add(words, "%s/socket", launch->places->work);
    return 1;
}

/* ---- a cache line ------------------------------------------------------------------------------------------------ */

int bench_cacheline_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    bench_words words = {0};
    bench_words_add(&words, "cc");
    bench_words_add(&words, "-O2");
    bench_words_add(&words, "-std=c11");
    bench_words_add(&words, "-o");
    bench_words_add(&words, "%s/cacheline", places->work);
    bench_words_add(&words, "%s/c/bare/cacheline.c", places->sources);
    return bench_system_run(places, &words, why);
}

/* The floor under messages in shared memory: those of the ping-pong, as bytes. */
int bench_cacheline_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    int cpus[2];
    if (strcmp(launch->test, "pingpong") != 0 || *launch->device || *launch->hosts || launch->is_asleep)
        return 0;
    if (!floor_cpus(cpus)) {
        snprintf(why, BENCH_WHY_MAX, "it needs two CPUs");
        return 0;
    }
    bench_words_add(words, "%s/cacheline", launch->places->work);
    bench_words_add(words, "%d", cpus[0]);
    bench_words_add(words, "%d", cpus[1]);
    return 1;
}
