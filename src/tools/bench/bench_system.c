/* The libraries that are measured. A peer is looked for in the folder that its variable names (OPENMPI_HOME, MPICH_HOME, MPJ_HOME),
 * else where Debian puts it. */
#define _GNU_SOURCE
#include "tools/bench/bench.h"

#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYSTEM_COMPILE_S = 120, SYSTEM_PATH = 2 * PATH_MAX };

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

/* ---- what several need ------------------------------------------------------------------------------------------ */

static void system_ignore_line(void *context, char *text)
{
    (void)context;
    (void)text;
}

static int system_is_in_path(const char *name)
{
    char path[SYSTEM_PATH];
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
static int system_tool(const char *home_variable, const char *plain, const char *debian, char *out, char *why)
{
    const char *home = getenv(home_variable);
    if (home && *home)
        snprintf(out, SYSTEM_PATH, "%s/bin/%s", home, plain);
    else
        snprintf(out, SYSTEM_PATH, "%s", debian);
    if (strchr(out, '/') ? access(out, X_OK) == 0 : system_is_in_path(out))
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

static int system_run(const bench_places *places, bench_words *words, char why[BENCH_WHY_MAX])
{
    int is_fine = bench_job_run(words, NULL, places->interrupts, SYSTEM_COMPILE_S, system_ignore_line, NULL, why);
    bench_words_free(words);
    return is_fine;
}

static int system_compile_c(const bench_places *places, const char *compiler, const char *name,
                            char why[BENCH_WHY_MAX])
{
    char folder[SYSTEM_PATH];
    bench_words words = {0};
    snprintf(folder, sizeof folder, "%s/c", places->sources);
    bench_words_add(&words, "%s", compiler);
    bench_words_add(&words, "-O2");
    bench_words_add(&words, "-std=c11");
    bench_words_add(&words, "-pthread");
    bench_words_add(&words, "-o");
    bench_words_add(&words, "%s/%s", places->work, name);
    system_add_sources(folder, ".c", &words);
    return system_run(places, &words, why);
}

static int system_is_tcp(const bench_launch *launch)
{
    return strcmp(launch->device, "tcpdev") == 0;
}

static int system_has_cores(const bench_launch *launch)
{
    return launch->ranks <= launch->cpus;
}

/* ---- Corunna ---------------------------------------------------------------------------------------------------- */

static int corunna_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char program[SYSTEM_PATH];
    snprintf(program, sizeof program, "%s/mpibench", places->programs);
    if (access(program, X_OK) == 0)
        return 1;
    snprintf(why, BENCH_WHY_MAX, "there is no %.300s, which comes with Corunna", program);
    return 0;
}

static int java_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char jar[SYSTEM_PATH];
    snprintf(jar, sizeof jar, "%s/bench.jar", places->programs);
    if (access(jar, R_OK) != 0)
        snprintf(why, BENCH_WHY_MAX, "there is no %.300s, which comes with Corunna", jar);
    else if (!system_is_in_path("java"))
        snprintf(why, BENCH_WHY_MAX, "there is no java");
    else
        return 1;
    return 0;
}

static void corunna_run(const bench_launch *launch, bench_words *words)
{
    bench_words_add(words, "%s", launch->places->corunna);
    bench_words_add(words, "run");
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    if (system_has_cores(launch) && !launch->threads) {
        bench_words_add(words, "--bind");
        bench_words_add(words, "core");
    }
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
    char tool[SYSTEM_PATH];
    return system_tool("OPENMPI_HOME", "mpirun", "mpirun.openmpi", tool, why) &&
           system_tool("OPENMPI_HOME", "mpicc", "mpicc.openmpi", tool, why) &&
           system_compile_c(places, tool, "openmpi", why);
}

static int openmpi_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    char tool[SYSTEM_PATH];
    if (!system_tool("OPENMPI_HOME", "mpirun", "mpirun.openmpi", tool, why))
        return 0;
    bench_words_add(words, "%s", tool);
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    if (!system_has_cores(launch))
        bench_words_add(words, "--oversubscribe");
    bench_words_add(words, "--bind-to");
    bench_words_add(words, system_has_cores(launch) && !launch->threads ? "core" : "none");
    if (system_is_tcp(launch)) {
        static const char *const tcp[] = {
            "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"};
        for (size_t i = 0; i < sizeof tcp / sizeof tcp[0]; i++)
            bench_words_add(words, "%s", tcp[i]);
    }
    bench_words_add(words, "%s/openmpi", launch->places->work);
    return 1;
}

/* ---- MPICH ------------------------------------------------------------------------------------------------------ */

static int mpich_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    char tool[SYSTEM_PATH];
    return system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why) &&
           system_tool("MPICH_HOME", "mpicc", "mpicc.mpich", tool, why) &&
           system_compile_c(places, tool, "mpich", why);
}

static int mpich_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    char tool[SYSTEM_PATH];
    if (!system_tool("MPICH_HOME", "mpiexec", "mpiexec.hydra", tool, why))
        return 0;
    if (system_is_tcp(
            launch)) { /* its ranks meet in shared memory before UCX is asked, unless each counts as a host */
        bench_words_add(words, "env");
        bench_words_add(words, "MPIR_CVAR_NOLOCAL=1");
        bench_words_add(words, "UCX_TLS=tcp,self");
        bench_words_add(words, "UCX_NET_DEVICES=lo");
    }
    bench_words_add(words, "%s", tool);
    bench_words_add(words, "-n");
    bench_words_add(words, "%d", launch->ranks);
    if (system_has_cores(launch) && !launch->threads) {
        bench_words_add(words, "-bind-to");
        bench_words_add(words, "core");
    }
    bench_words_add(words, "%s/mpich", launch->places->work);
    return 1;
}

/* ---- MPJ Express ------------------------------------------------------------------------------------------------ */

/* Its jars name log4j beside themselves; Debian has it elsewhere. A folder with both works, and links would be followed back
 * to the old place. */
static int mpj_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
{
    const char *home = getenv("MPJ_HOME");
    char folder[SYSTEM_PATH];
    bench_words words = {0};
    snprintf(folder, sizeof folder, "%s", home && *home ? home : "/usr/share/mpj");
    if (!system_is_in_path("javac")) {
        snprintf(why, BENCH_WHY_MAX, "there is no javac");
        return 0;
    }
    bench_words_add(&words, "sh");
    bench_words_add(&words, "-c");
    bench_words_add(
        &words,
        "mkdir -p \"$2/mpj/lib\" \"$2/mpj-classes\" && cp -L \"$1\"/lib/*.jar \"$2/mpj/lib/\" && "
        "for jar in /usr/share/java/log4j-1.2.jar; do [ ! -e $jar ] || cp -L $jar \"$2/mpj/lib/\"; done && "
        "if [ -d \"$1/conf\" ]; then cp -rL \"$1/conf\" \"$2/mpj/\"; else cp -rL /etc/mpj \"$2/mpj/conf\"; fi && "
        "javac --release 11 -nowarn -d \"$2/mpj-classes\" -cp \"$2/mpj/lib/mpj.jar\" \"$3\"/java/*.java");
    bench_words_add(&words, "sh");
    bench_words_add(&words, "%s", folder);
    bench_words_add(&words, "%s", places->work);
    bench_words_add(&words, "%s", places->sources);
    return system_run(places, &words, why);
}

static int mpj_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    const char *work = launch->places->work;
    if (*launch->device) {
        snprintf(why, BENCH_WHY_MAX, "its ranks are threads here and have no device %s", launch->device);
        return 0;
    }
    bench_words_add(words, "env");
    bench_words_add(words, "MPJ_HOME=%s/mpj", work);
    bench_words_add(words, "java");
    bench_words_add(words, "-jar");
    bench_words_add(words, "%s/mpj/lib/starter.jar", work);
    bench_words_add(words, "-np");
    bench_words_add(words, "%d", launch->ranks);
    bench_words_add(words, "-dev");
    bench_words_add(words, "multicore");
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/mpj-classes", work);
    bench_words_add(words, "MpjBench");
    return 1;
}

/* A process for each rank, over TCP: its launcher needs daemons for that, so NioRun does what they would. */
static int mpj_nio_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    const char *work = launch->places->work;
    (void)why;
    bench_words_add(words, "env");
    bench_words_add(words, "MPJ_HOME=%s/mpj", work);
    bench_words_add(words, "java");
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/mpj-classes", work);
    bench_words_add(words, "NioRun");
    bench_words_add(words, "%d", launch->ranks);
    bench_words_add(words, "%s/mpj-classes:%s/mpj/lib/mpj.jar:%s/mpj/lib/log4j-1.2.jar", work, work, work);
    bench_words_add(words, "MpjBench");
    return 1;
}

/* ---- a bare socket ---------------------------------------------------------------------------------------------- */

/* The floor under what goes by TCP: the tests between two ranks, on one connection and nothing else. */
static int socket_prepare(const bench_places *places, char why[BENCH_WHY_MAX])
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
    return system_run(places, &words, why);
}

static int socket_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX])
{
    cpu_set_t allowed;
    int cpus[2], count = 0;
    (void)why;
    if (!system_is_tcp(launch) || launch->ranks != 2)
        return 0;
    bench_words_add(words, "env");
    bench_words_add(words, "BARE_WAIT=spin");
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            cpus[count++] = cpu;
    if (count == 2)
        bench_words_add(words, "BARE_CPUS=%d %d", cpus[0], cpus[1]);
    bench_words_add(words, "%s/socket", launch->places->work);
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
    {"socket", "bare socket", 0, 0, socket_prepare, socket_command},
};

const int bench_system_count = sizeof bench_systems / sizeof bench_systems[0];

const bench_system *bench_system_find(const char *name)
{
    for (int i = 0; i < bench_system_count; i++)
        if (strcmp(bench_systems[i].name, name) == 0)
            return &bench_systems[i];
    return NULL;
}

/* A bare socket is no library. */
int bench_system_is_peer(const bench_system *system, int is_java)
{
    return !system->is_ours && system->is_java == is_java && system->command != socket_command;
}
