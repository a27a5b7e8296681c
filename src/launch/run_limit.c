/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/run_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LIMIT_RANK_BYTES = 1 << 18, /* the least memory that a process and its place in the launcher take */
    LIMIT_NAME = 140
};

#define LIMIT_GROUPS "/sys/fs/cgroup"

/* The limit that leaves room for the fewest ranks. */
typedef struct limit_bound {
    long ranks;                  /* LONG_MAX: any number */
    char words[LIMIT_NAME + 24]; /* its name and value */
} limit_bound;

/* Even with nothing else running, not more ranks can be started than the limit; likely fewer. */
typedef struct limit_room {
    int files_each, files_beside;
    limit_bound sure, likely;
} limit_room;

/* What a limit ends when it is reached: an errno of the calls that start a rank. */
typedef struct limit_row {
    int error;
    void (*look)(limit_room *room);
} limit_row;

/* ---- the system ------------------------------------------------------------------------------------------------- */

/* The number in a file; LONG_MAX: none ("max"), or no such file. */
static long limit_read(const char *path)
{
    long number = LONG_MAX;
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%ld", &number) != 1)
        number = LONG_MAX;
    if (file)
        fclose(file);
    return number;
}

/* All threads of the system: "0.00 0.01 0.05 1/234 5678". */
static long limit_threads(void)
{
    long threads = 0;
    FILE *file = fopen("/proc/loadavg", "re");
    if (file && fscanf(file, "%*s %*s %*s %*d/%ld", &threads) != 1)
        threads = 0;
    if (file)
        fclose(file);
    return threads;
}

/* A line "Name:   1234 kB" of /proc/meminfo, in kB. 0: it is not there. */
static long limit_memory_kb(const char *name)
{
    char line[128];
    long kb = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            kb = atol(line + strlen(name) + 1);
    if (file)
        fclose(file);
    return kb;
}

/* The folder of this process's control group for `controller`, in the first version of the hierarchy or the second. 0:
 * there is none. */
static int limit_group(const char *controller, char folder[PATH_MAX])
{
    char *line = NULL;
    size_t room = 0;
    int found = 0;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && found < 2 && getline(&line, &room, file) >= 0) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        int is_own = strcmp(names + 1, controller) == 0;
        if (!is_own && names[1])
            continue;
        snprintf(folder, PATH_MAX, LIMIT_GROUPS "%s%.80s%.3900s", is_own ? "/" : "", is_own ? controller : "", path);
        found = is_own ? 2 : 1;
    }
    free(line);
    if (file)
        fclose(file);
    return found > 0;
}

/* Has this process a capability by which the kernel lifts the limit of a user's processes? */
static int limit_has_capability(void)
{
    enum { SYS_ADMIN = 21, SYS_RESOURCE = 24 };
    char line[128];
    unsigned long long effective = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "CapEff: %llx", &effective) != 1)
        ;
    if (file)
        fclose(file);
    return (effective >> SYS_ADMIN | effective >> SYS_RESOURCE) & 1;
}

/* Is this process in the first namespace of this kind, which the kernel has made at its start? */
static int limit_is_in_first(const char *kind)
{
    static const struct {
        const char *kind, *link;
    } first[] = {{"user", "user:[4026531837]"}, {"pid", "pid:[4026531836]"}};
    char path[64], link[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    ssize_t length = readlink(path, link, sizeof link - 1);
    link[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (strcmp(first[i].kind, kind) == 0)
            return strcmp(first[i].link, link) == 0;
    return 0;
}

/* ---- the limits ------------------------------------------------------------------------------------------------- */

static void limit_tighten(limit_bound *bound, long ranks, const char *name, long value)
{
    if (ranks >= bound->ranks)
        return;
    bound->ranks = ranks > 0 ? ranks : 0;
    snprintf(bound->words, sizeof bound->words, "%.*s is %ld", LIMIT_NAME, name, value);
}

/* A limit of which others use a part, as far as is known. */
static void limit_tighten_both(limit_room *room, long most, long used, const char *name)
{
    if (most == LONG_MAX)
        return;
    limit_tighten(&room->sure, most, name, most);
    limit_tighten(&room->likely, most - used, name, most);
}

static void limit_look_files(limit_room *room)
{
    struct rlimit files;
    int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (lowest >= 0)
        close(lowest);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max != RLIM_INFINITY) {
        long most = files.rlim_max > LONG_MAX ? LONG_MAX : (long)files.rlim_max;
        limit_tighten(&room->sure, (most - (lowest > 0 ? lowest : 0) - room->files_beside) / room->files_each,
                      "the limit of open files (ulimit -Hn)", most);
    }
}

/* In the first namespace of the system, root and processes with one of two capabilities have no such limit; what they
 * are in another one does not count, and how that one is bound is not seen from inside. */
static void limit_look_user(limit_room *room)
{
    static const char name[] = "the limit of processes of a user (ulimit -u)";
    struct rlimit processes;
    int is_free = getuid() == 0 || limit_has_capability();
    if (getrlimit(RLIMIT_NPROC, &processes) != 0 || processes.rlim_cur >= (rlim_t)LONG_MAX)
        return;
    if (!is_free)
        limit_tighten(&room->sure, (long)processes.rlim_cur, name, (long)processes.rlim_cur);
    else if (!limit_is_in_first("user"))
        limit_tighten(&room->likely, (long)processes.rlim_cur, name, (long)processes.rlim_cur);
}

/* Every group up to the root of the hierarchy has a limit of its own. */
static void limit_look_group(limit_room *room)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], name[LIMIT_NAME];
    if (!limit_group("pids", folder))
        return;
    while (strlen(folder) >= sizeof LIMIT_GROUPS - 1) {
        snprintf(path, sizeof path, "%s/pids.current", folder);
        long used = limit_read(path);
        snprintf(path, sizeof path, "%s/pids.max", folder);
        long most = limit_read(path);
        snprintf(name, sizeof name, "the limit of processes of the control group (%.80s)", path);
        limit_tighten_both(room, most, used == LONG_MAX ? 0 : used, name);
        *strrchr(folder, '/') = '\0';
    }
}

/* A namespace may have a limit of its own, and only in the first one all threads of the system have an id. */
static void limit_look_ids(limit_room *room)
{
    limit_tighten_both(room, limit_read("/proc/sys/kernel/pid_max"), limit_is_in_first("pid") ? limit_threads() : 0,
                       "the limit of process ids (sysctl kernel.pid_max)");
}

static void limit_look_threads(limit_room *room)
{
    limit_tighten_both(room, limit_read("/proc/sys/kernel/threads-max"), limit_threads(),
                       "the limit of threads (sysctl kernel.threads-max)");
}

/* Of a group's memory the kernel takes back what are copies of files, so all of its limit counts; and some may be
 * swapped out. */
static void limit_look_memory(limit_room *room)
{
    static const char *const names[] = {"memory.max", "memory.limit_in_bytes"};
    char folder[PATH_MAX], path[PATH_MAX + 32], name[LIMIT_NAME];
    long all_kb = limit_memory_kb("MemTotal") + limit_memory_kb("SwapTotal");
    long free_kb = limit_memory_kb("MemAvailable") + limit_memory_kb("SwapFree");
    if (all_kb > 0)
        limit_tighten(&room->sure, all_kb / (LIMIT_RANK_BYTES >> 10), "the memory in MB", all_kb >> 10);
    if (free_kb > 0)
        limit_tighten(&room->likely, free_kb / (LIMIT_RANK_BYTES >> 10), "the free memory in MB", free_kb >> 10);
    for (size_t i = 0; i < 2 && limit_group("memory", folder); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        snprintf(name, sizeof name, "the memory of the control group (%.80s)", path);
        long most = limit_read(path);
        if (most != LONG_MAX)
            limit_tighten(&room->likely, most / LIMIT_RANK_BYTES, name, most);
    }
}

static const limit_row limit_rows[] = {
    {EMFILE, limit_look_files}, {EAGAIN, limit_look_user},    {EAGAIN, limit_look_group},
    {EAGAIN, limit_look_ids},   {EAGAIN, limit_look_threads}, {ENOMEM, limit_look_memory},
};

/* The tightest ones of those that end in `error`, or of all if that is 0. */
static limit_room limit_tightest(int error, int files_each, int files_beside)
{
    limit_room room = {.files_each = files_each,
                       .files_beside = files_beside,
                       .sure = {.ranks = LONG_MAX},
                       .likely = {.ranks = LONG_MAX}};
    for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++)
        if (error == 0 || error == limit_rows[i].error)
            limit_rows[i].look(&room);
    return room;
}

/* ---- what is told ----------------------------------------------------------------------------------------------- */

int cor_run_limit_check(int count, int files_each, int files_beside, char doubt[RUN_LIMIT_DOUBT_MAX], cor_fault *fault)
{
    limit_room room = limit_tightest(0, files_each, files_beside);
    doubt[0] = '\0';
    if (count > room.sure.ranks)
        return cor_fault_set(fault, COR_ERR_SYSTEM,
                             "%d ranks do not fit this host, which has room for %ld: %s; raise that, or start fewer",
                             count, room.sure.ranks, room.sure.words);
    if (count > room.likely.ranks)
        snprintf(doubt, RUN_LIMIT_DOUBT_MAX,
                 "%d ranks may not fit this host, which now seems to have room for %ld: %s", count, room.likely.ranks,
                 room.likely.words);
    return COR_OK;
}

void cor_run_limit_hint(int error, char out[RUN_HINT_MAX])
{
    limit_room room = limit_tightest(error == ENFILE ? EMFILE : error, 1, 0);
    const limit_bound *bound = room.likely.ranks < room.sure.ranks ? &room.likely : &room.sure;
    out[0] = '\0';
    if (error != 0 && bound->ranks != LONG_MAX)
        snprintf(out, RUN_HINT_MAX, " (hint: %s; raise that, or start fewer ranks on this host)", bound->words);
}
