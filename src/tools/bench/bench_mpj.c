/* SPDX-License-Identifier: Apache-2.0 */
/* MPJ Express: where it is, compiling for it, and how ranks are started. */
#define _GNU_SOURCE
#include "tools/bench/bench_system.h"

#include <stdlib.h>
#include <unistd.h>

/* Its jars name log4j beside themselves; Debian has it elsewhere. A folder with both works, and links would be followed
 * back to the old place. What is compiled is there as a whole or not at all. */
static const char mpj_script[] =
    "home=$1 work=$2 classes=$2/$3; shift 3; "
    "[ ! -e \"$classes\" ] || exit 0; "
    "mkdir -p \"$work/mpj/lib\" \"$classes.part\" && cp -L \"$home\"/lib/*.jar \"$work/mpj/lib/\" && "
    "for jar in /usr/share/java/log4j-1.2.jar; do [ ! -e $jar ] || cp -L $jar \"$work/mpj/lib/\"; done && "
    "if [ -d \"$home/conf\" ]; then cp -rL \"$home/conf\" \"$work/mpj/\"; else cp -rL /etc/mpj \"$work/mpj/conf\"; fi "
    "&& "
    "for folder; do shift; set -- \"$@\" \"$folder\"/*.java; done && "
    "javac --release 11 -nowarn -d \"$classes.part\" -cp \"$work/mpj/lib/mpj.jar\" \"$@\" && "
    "mv \"$classes.part\" \"$classes\"";

int bench_mpj_prepare(const bench_places *places, const char *classes, const char *const *folders,
                      char why[BENCH_WHY_MAX])
{
    const char *home = getenv("MPJ_HOME");
    char jar[BENCH_PATH_MAX];
    bench_words words = {0};
    home = home && *home ? home : "/usr/share/mpj";
    snprintf(jar, sizeof jar, "%s/lib/mpj.jar", home);
    if (!bench_system_is_in_path("javac")) {
        snprintf(why, BENCH_WHY_MAX, "there is no javac");
        return 0;
    }
    if (access(jar, R_OK) != 0) {
        snprintf(why, BENCH_WHY_MAX, "there is no %.300s; install MPJ Express, or set MPJ_HOME", jar);
        return 0;
    }
    const char *const first[] = {"sh", "-c", mpj_script, "sh", home, places->work, classes};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        bench_words_add(&words, "%s", first[i]);
    bench_words_add(&words, "%s/java", places->sources);
    for (; *folders; folders++)
        bench_words_add(&words, "%s", *folders);
    return bench_system_run(places, &words, why);
}

static void mpj_add_java(const bench_places *places, bench_words *words)
{
    bench_words_add(words, "env");
    bench_words_add(words, "MPJ_HOME=%s/mpj", places->work);
    bench_words_add(words, "java");
}

void bench_mpj_add_threads(const bench_places *places, const char *classes, int ranks, bench_words *words)
{
    mpj_add_java(places, words);
    bench_words_add(words, "-jar");
    bench_words_add(words, "%s/mpj/lib/starter.jar", places->work);
    bench_words_add(words, "-np");
    bench_words_add(words, "%d", ranks);
    bench_words_add(words, "-dev");
    bench_words_add(words, "multicore");
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/%s", places->work, classes);
}

void bench_mpj_add_processes(const bench_places *places, const char *classes, int ranks, bench_words *words)
{
    const char *work = places->work;
    mpj_add_java(places, words);
    bench_words_add(words, "-cp");
    bench_words_add(words, "%s/%s", work, classes);
    bench_words_add(words, "NioRun");
    bench_words_add(words, "%d", ranks);
    bench_words_add(words, "%s/%s:%s/mpj/lib/mpj.jar:%s/mpj/lib/log4j-1.2.jar", work, classes, work, work);
}
