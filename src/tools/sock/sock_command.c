/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna sock`: run a program with fast sockets, or show what they did in one that runs. */
#define _GNU_SOURCE
#include "launch/options/run_option.h"
#include "launch/run_elf.h"
#include "launch/run_path.h"
#include "launch/run_plan.h"
#include "net/net.h"
#include "tools/tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum sock_option_id { SOCK_STATS, SOCK_RING, SOCK_SPIN, SOCK_HELP };

static const run_option sock_rows[] = {
    {"stats", SOCK_STATS, "PID", "show what fast sockets have done in a process that runs with them"},
    {"ring", SOCK_RING, "SIZE", "bytes of the ring of each direction (256k); the same as CORUNNA_NET_RING"},
    {"spin", SOCK_SPIN, "US", "microseconds to spin before sleeping (50); the same as CORUNNA_NET_SPIN_US"},
    {"help|h", SOCK_HELP, "", "show this help"},
};

static const run_option_table sock_options = {"corunna sock", sock_rows, sizeof sock_rows / sizeof *sock_rows};

/* ---- statistics
 * --------------------------------------------------------------------------------------------------- */

/* The counters of a process, by the name of their memory among its descriptors. 0: found. */
static int sock_find_counters(const char *folder, long pid, cor_net_counters *counters_p)
{
    DIR *list = opendir(folder);
    if (!list) {
        fprintf(stderr, "corunna sock: cannot look into process %ld: %s\n", pid, strerror(errno));
        return -1;
    }
    const struct dirent *entry;
    int rc = 1;
    while (rc != 0 && (entry = readdir(list)) != NULL) {
        char target[64];
        ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strncmp(target, "/memfd:" COR_NET_COUNTERS_NAME, strlen("/memfd:" COR_NET_COUNTERS_NAME)) != 0)
            continue;
        int fd = openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && pread(fd, counters_p, sizeof *counters_p, 0) == (ssize_t)sizeof *counters_p &&
            counters_p->magic == COR_NET_COUNTERS_MAGIC && counters_p->pid == pid)
            rc = 0;
        if (fd >= 0)
            close(fd);
    }
    closedir(list);
    if (rc == 1)
        fprintf(
            stderr,
            "corunna sock: process %ld has no fast sockets: it was not started with them, or has made no connection "
            "yet\n",
            pid);
    return rc;
}

static int sock_show(const char *word)
{
    char folder[64], *end;
    cor_net_counters counters;
    long pid = strtol(word, &end, 10);
    if (*word == '\0' || *end != '\0' || pid <= 0 || pid > INT_MAX) {
        fprintf(stderr, "corunna sock: --stats is \"%s\"; it must be the number of a process\n", word);
        return RUN_STATUS_USAGE;
    }
    snprintf(folder, sizeof folder, "/proc/%ld/fd", pid);
    if (sock_find_counters(folder, pid, &counters) != 0)
        return 1;
#define SOCK_SHOW(name, text)                                                                                         \
    printf("%-10s %14llu  %s\n", #name, (unsigned long long)atomic_load(&counters.name), text);
    COR_NET_COUNTERS(SOCK_SHOW)
#undef SOCK_SHOW
#define SOCK_SHOW_REASON(NAME, name, text)                                                                            \
    if (atomic_load(&counters.reasons[COR_NET_WHY_##NAME]) != 0)                                                      \
        printf("%-10s %14llu  on TCP: %s\n", #name,                                                                   \
               (unsigned long long)atomic_load(&counters.reasons[COR_NET_WHY_##NAME]), text);
    COR_NET_REASONS(SOCK_SHOW_REASON)
#undef SOCK_SHOW_REASON
    return 0;
}

/* ---- running
 * ------------------------------------------------------------------------------------------------------ */

/* The library, beside this program in a build tree or an installation. */
static int sock_library(char path[PATH_MAX])
{
    static const char *const places[] = {"../lib/", "../" COR_LIBDIR "/", ""};
    char self[PATH_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 0;
    self[length] = '\0';
    int folder = (int)(strrchr(self, '/') - self) + 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, PATH_MAX, "%.*s%slibcorunna_sock.so", folder, self, places[i]);
        char *real = realpath(path, NULL);
        if (real) {
            snprintf(path, PATH_MAX, "%s", real);
            free(real);
            return 1;
        }
    }
    snprintf(path, PATH_MAX, "%.*s%slibcorunna_sock.so", folder, self, places[0]);
    return 0;
}

/* The dynamic linker preloads the library; a program without one gets none. */
static void sock_tell_static(const char *program)
{
    cor_net_config config;
    cor_fault fault = {0};
    char path[PATH_MAX];
    if (cor_knobs_load(&cor_net_knobs, NULL, &config, NULL, &fault) != COR_OK || !cor_run_path_find(program, path) ||
        !cor_run_elf_is_static(path))
        return;
    const cor_log log = {.level = config.log_level, .rank = -1};
    COR_LOG(&log, WARN, "fast sockets: %s is linked statically; its connections stay on TCP", program);
}

static int sock_run(char **argv)
{
    char library[PATH_MAX], value[2 * PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    if (!sock_library(library)) {
        fprintf(stderr, "corunna sock: there is no %s\n", library);
        return 1;
    }
    if (snprintf(value, sizeof value, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") >=
        (int)sizeof value) {
        fprintf(stderr, "corunna sock: LD_PRELOAD is too long\n");
        return 1;
    }
    setenv("LD_PRELOAD", value, 1);
    sock_tell_static(argv[0]);
    execvp(argv[0], argv);
    int status = errno == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE;
    fprintf(stderr, "corunna sock: cannot run %s: %s\n", argv[0], strerror(errno));
    return status;
}

/* A setting of the command line goes the way of all: by the environment, checked here. */
static int sock_set(const char *variable, const char *value)
{
    cor_net_config config;
    cor_fault fault = {0};
    setenv(variable, value, 1);
    if (cor_knobs_load(&cor_net_knobs, NULL, &config, NULL, &fault) == COR_OK)
        return 0;
    fprintf(stderr, "corunna sock: %s\n", fault.text);
    return -1;
}

static int sock_help(void)
{
    puts("usage: corunna sock [OPTIONS] PROGRAM [ARGUMENTS]\n"
         "       corunna sock --stats PID\n\n"
         "TCP connections between processes of this host that are both started so go through shared memory; all "
         "others\n"
         "stay as they are.\n");
    cor_run_option_help(&sock_options);
    return 0;
}

int cor_command_sock(int argc, char **argv)
{
    int at = 1;
    while (at < argc && cor_run_option_is(argv[at])) {
        run_option_match match;
        int rc = cor_run_option_take(&sock_options, argv, &at, &match);
        if (rc == -1)
            cor_run_option_unknown(&sock_options, argv[at]);
        if (rc != 0)
            return RUN_STATUS_USAGE;
        switch (match.option->id) {
        case SOCK_STATS:
            return sock_show(match.values[0]);
        case SOCK_HELP:
            return sock_help();
        case SOCK_RING:
            rc = sock_set("CORUNNA_NET_RING", match.values[0]);
            break;
        default:
            rc = sock_set("CORUNNA_NET_SPIN_US", match.values[0]);
        }
        if (rc != 0)
            return RUN_STATUS_USAGE;
    }
    if (at == argc) {
        fprintf(stderr, "corunna sock: no program; `corunna sock --help` tells more\n");
        return RUN_STATUS_USAGE;
    }
    return sock_run(argv + at);
}
