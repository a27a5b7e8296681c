/* SPDX-License-Identifier: Apache-2.0 */
/* How a run is started with each library. Peers have no programs of ours: what they run is compiled first, from the
 * sources that come with Corunna. */
#define _GNU_SOURCE
#include "tools/apps/apps.h"

#include "tools/bench/bench_system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIBRARY_COMPILE_S = 300 };

static const char *const library_as[] = {"java", "threads", "c"};

int apps_as_find(const char *name)
{
    for (int i = 0; i < (int)(sizeof library_as / sizeof library_as[0]); i++)
        if (strcmp(library_as[i], name) == 0)
            return i;
    return -1;
}

const char *apps_as_name(apps_as as)
{
    return library_as[as];
}

static void library_add_all(bench_words *words, const char *const *all)
{
    for (; *all; all++)
        bench_words_add(words, "%s", *all);
}

/* What the application itself gets. */
static void library_add_arguments(const apps_run *run, bench_words *words)
{
    bench_words_add(words, "%s", run->class_letter);
    for (int i = 0; i < run->word_count; i++)
        bench_words_add(words, "%s", run->words[i]);
}

/* ---- Corunna ---------------------------------------------------------------------------------------------------- */

/* Our own program or jar, which must be there. */
static int library_find(const apps_run *run, const char *name, char path[PATH_MAX], char why[BENCH_WHY_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", run->places->programs, name) < PATH_MAX && access(path, R_OK) == 0)
        return 1;
    snprintf(why, BENCH_WHY_MAX, "there is no %.300s, which comes with Corunna", path);
    return 0;
}

static int corunna_threads(const apps_run *run, const char *jar, bench_words *words, char why[BENCH_WHY_MAX])
{
    if (*run->device) {
        snprintf(why, BENCH_WHY_MAX, "ranks that are threads have no device %.100s", run->device);
        return 0;
    }
    library_add_all(words, (const char *const[]){"java", "-jar", run->places->jar, "-np", NULL});
    bench_words_add(words, "%d", run->ranks);
    library_add_all(words, (const char *const[]){"-cp", jar, run->app->java_class, NULL});
    return 1;
}

static int corunna_command(const apps_run *run, bench_words *words, char why[BENCH_WHY_MAX])
{
    char program[PATH_MAX];
    if (!library_find(run, run->as == APPS_C ? run->app->c_program : "apps.jar", program, why))
        return 0;
    if (run->as == APPS_THREADS) {
        if (!corunna_threads(run, program, words, why))
            return 0;
    } else {
        library_add_all(words, (const char *const[]){run->places->corunna, "run", "-n", NULL});
        bench_words_add(words, "%d", run->ranks);
        if (*run->device)
            library_add_all(words, (const char *const[]){"--dev", run->device, NULL});
        if (run->as == APPS_C) {
            bench_words_add(words, "%s", program);
        } else {
            library_add_all(words, (const char *const[]){"java", "-cp", NULL});
            bench_words_add(words, "%s:%s", program, run->places->jar);
            bench_words_add(words, "%s", run->app->java_class);
        }
    }
    library_add_arguments(run, words);
    return 1;
}

/* ---- peers ------------------------------------------------------------------------------------------------------ */

/* The first line that speaks of an error is what a compiler failed with; else the last line. */
static void library_keep_line(void *context, char *text)
{
    char *kept = context;
    if (!strstr(kept, "error:"))
        snprintf(kept, BENCH_WHY_MAX, "%s", text);
}

/* Runs a script with its arguments; the folder of applications is $1, the work folder $2. */
static int library_script(const apps_run *run, const char *script, const char *const *more, char why[BENCH_WHY_MAX])
{
    char line[BENCH_WHY_MAX] = "";
    bench_words words = {0};
    library_add_all(&words, (const char *const[]){"sh", "-c", script, "sh", NULL});
    bench_words_add(&words, "%s/../apps/%s", run->places->sources, run->app->folder);
    bench_words_add(&words, "%s", run->places->work);
    library_add_all(&words, more);
    int is_fine =
        bench_job_run(&words, NULL, run->places->interrupts, LIBRARY_COMPILE_S, library_keep_line, line, why);
    bench_words_free(&words);
    if (!is_fine && *line)
        snprintf(why, BENCH_WHY_MAX, "%s", line);
    return is_fine;
}

/* The compiler and the launcher of an MPI library: in the folder that a variable names, or with Debian's names. */
static int peer_c_command(const apps_run *run, const char *home_variable, const char *const *tools,
                          const char *const *options, bench_words *words, char why[BENCH_WHY_MAX])
{
    static const char script[] =
        "command -v \"$3\" > /dev/null && command -v \"$4\" > /dev/null || "
        "{ echo \"there is no $3 or no $4; install them, or set $6 to the library's folder\"; exit 1; }; "
        "[ -e \"$2/$7\" ] || { cd \"$1/c\" && exec \"$3\" -O3 -std=gnu11 -o \"$2/$7\" $5 -lm 2>&1; }";
    const char *home = getenv(home_variable);
    char compiler[PATH_MAX], launcher[PATH_MAX];
    char program[BENCH_NAME_MAX]; /* in the work folder; one for each library and application */
    int has_home = home && *home;
    snprintf(program, sizeof program, "%.16s-%.16s", home_variable, run->app->name);
    snprintf(compiler, sizeof compiler, "%s%s%s", has_home ? home : "", has_home ? "/bin/" : "",
             tools[has_home ? 0 : 1]);
    snprintf(launcher, sizeof launcher, "%s%s%s", has_home ? home : "", has_home ? "/bin/" : "",
             tools[has_home ? 2 : 3]);
    if (!library_script(run, script,
                        (const char *const[]){compiler, launcher, run->app->c_sources, home_variable, program, NULL},
                        why))
        return 0;
    library_add_all(words, (const char *const[]){launcher, "-n", NULL});
    bench_words_add(words, "%d", run->ranks);
    library_add_all(words, options);
    bench_words_add(words, "%s/%s", run->places->work, program);
    library_add_arguments(run, words);
    return 1;
}

static int openmpi_command(const apps_run *run, bench_words *words, char why[BENCH_WHY_MAX])
{
    static const char *const tools[] = {"mpicc", "mpicc.openmpi", "mpirun", "mpirun.openmpi"};
    static const char *const options[] = {"--oversubscribe", "--allow-run-as-root", NULL};
    return peer_c_command(run, "OPENMPI_HOME", tools, options, words, why);
}

static int mpich_command(const apps_run *run, bench_words *words, char why[BENCH_WHY_MAX])
{
    static const char *const tools[] = {"mpicc", "mpicc.mpich", "mpiexec", "mpiexec.hydra"};
    static const char *const options[] = {NULL};
    return peer_c_command(run, "MPICH_HOME", tools, options, words, why);
}

static int mpjexpress_command(const apps_run *run, bench_words *words, char why[BENCH_WHY_MAX])
{
    const bench_places *places = run->places;
    char classes[BENCH_NAME_MAX]; /* in the work folder; one for each folder of applications */
    char own[BENCH_PATH_MAX], common[BENCH_PATH_MAX];
    snprintf(classes, sizeof classes, "mpj-%.32s", run->app->folder);
    snprintf(own, sizeof own, "%s/../apps/%s/java/%s", places->sources, run->app->folder, run->app->folder);
    snprintf(common, sizeof common, "%s/../apps/common/java/common", places->sources);
    if (!bench_mpj_prepare(places, classes, (const char *const[]){own, common, NULL}, why))
        return 0;
    if (run->as == APPS_THREADS)
        bench_mpj_add_threads(places, classes, run->ranks, words);
    else
        bench_mpj_add_processes(places, classes, run->ranks, words);
    bench_words_add(words, "%s", run->app->java_class);
    library_add_arguments(run, words);
    return 1;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

const apps_library apps_libraries[] = {
    {"corunna", "java threads c", corunna_command},
    {"mpjexpress", "threads java", mpjexpress_command},
    {"openmpi", "c", openmpi_command},
    {"mpich", "c", mpich_command},
};

const int apps_library_count = sizeof apps_libraries / sizeof apps_libraries[0];

const apps_library *apps_library_find(const char *name)
{
    for (int i = 0; i < apps_library_count; i++)
        if (strcmp(apps_libraries[i].name, name) == 0)
            return &apps_libraries[i];
    return NULL;
}
