/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files about libraries: finding tools, compiling, and the systems that are not libraries. */
#ifndef COR_TOOLS_BENCH_SYSTEM_H
#define COR_TOOLS_BENCH_SYSTEM_H

#include "tools/bench/bench.h"

enum { BENCH_PATH_MAX = 2 * PATH_MAX };

int bench_system_is_in_path(const char *name);
/* A tool of a library: $HOME_VARIABLE/bin/plain if that variable is set, else Debian's name. 0: not found; `why` has
 * the reason. */
int bench_system_tool(const char *home_variable, const char *plain, const char *debian, char *out, char *why);
/* Run a command to its end, such as a compiler, and free its words. 0: `why` has the reason. */
int bench_system_run(const bench_places *places, bench_words *words, char why[BENCH_WHY_MAX]);
int bench_system_is_tcp(const bench_launch *launch);

/* ---- bench_floor.c: baselines ------------------------------------------------------------- */

int bench_hydra_prepare(const bench_places *places, char why[BENCH_WHY_MAX]);
int bench_hydra_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX]);
int bench_socket_prepare(const bench_places *places, char why[BENCH_WHY_MAX]);
int bench_socket_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX]);
int bench_cacheline_prepare(const bench_places *places, char why[BENCH_WHY_MAX]);
int bench_cacheline_command(const bench_launch *launch, bench_words *words, char why[BENCH_WHY_MAX]);

/* ---- bench_mpj.c: MPJ Express
 * ------------------------------------------------------------------------------------- */

/* Copies it into the work folder, and compiles the benchmarks' Java sources and those in more folders for it, into the
 * folder `classes` of the work folder; once for each name. The list ends in NULL. 0: `why` has the reason. */
int bench_mpj_prepare(const bench_places *places, const char *classes, const char *const *folders,
                      char why[BENCH_WHY_MAX]);
/* Words that start `ranks` ranks of the class that is added next: as threads, over multicore; or as processes over
 * niodev, with NioRun instead of the daemons that its own launcher needs. */
void bench_mpj_add_threads(const bench_places *places, const char *classes, int ranks, bench_words *words);
void bench_mpj_add_processes(const bench_places *places, const char *classes, int ranks, bench_words *words);

/* ---- bench_netns.c: two network namespaces
 * ------------------------------------------------------------------------ */

#define BENCH_NETNS_FIRST "10.77.0.1"
#define BENCH_NETNS_SECOND "10.77.0.2"

/* Make them, and places->work/agent, which runs a command in one of them as ssh would. 0: `why` has the reason. */
int bench_netns_up(const bench_places *places, char why[BENCH_WHY_MAX]);
void bench_netns_down(const bench_places *places);
/* The launcher runs in the first one. */
void bench_netns_add_first(const bench_launch *launch, bench_words *words);

#endif
