/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local check_who check_me;

void check_fail(const char *file, int line, const char *format, ...)
{
    const char *slash = strrchr(file, '/');
    va_list arguments;
    flockfile(stderr); /* a failure of another rank is told before or after, not in between */
    fprintf(stderr, "FAILED %s:%d: ", slash ? slash + 1 : file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (check_me.tell)
        check_me.tell(stderr, check_me.context);
    funlockfile(stderr);
    fflush(NULL);
    quick_exit(1);
}

void check_equal(const char *file, int line, const char *what, long long expected, long long got)
{
    if (expected != got)
        check_fail(file, line, "%s: expected %lld, got %lld", what, expected, got);
}

void check_text(const char *file, int line, const char *what, const char *expected, const char *got)
{
    if (!got || strcmp(expected, got) != 0)
        check_fail(file, line, "%s: expected \"%s\", got \"%s\"", what, expected, got ? got : "(null)");
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

enum { CHECK_PAUSE_MS = 100 };

/* The processes that want a CPU, for each CPU: 1 on a quiet machine. Now, or also in the last minute, whichever is
 * more. In a guest each CPU is one of the host's processes, of which GUEST_CROWD share a CPU. */
static double check_crowd(int is_of_minute)
{
    double minute = 0;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (!file || fscanf(file, "%lf %*f %*f %ld/", &minute, &running) != 2)
        minute = 0;
    if (file)
        fclose(file);
    if (!is_of_minute || minute < (double)running)
        minute = (double)running;
    const char *beneath = getenv("GUEST_CROWD");
    return (1 + minute / (double)(cpus > 0 ? cpus : 1)) * (beneath ? atof(beneath) : 1);
}

int check_patience_ms(int ms)
{
    return (int)(ms * check_crowd(0));
}

static double check_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void check_wait_on(check_wait *wait, const char *file, int line, const char *what)
{
    double now = check_seconds();
    if (wait->begin_s == 0) {
        wait->begin_s = now;
        wait->limit_s = wait->patience_s;
    }
    if (now - wait->begin_s <= wait->limit_s)
        return;
    /* Only now, as the load of the time that has passed is what counts. */
    wait->limit_s = wait->patience_s * check_crowd(1);
    if (now - wait->begin_s > wait->limit_s)
        check_fail(file, line, "not true after %.0f s: %s", now - wait->begin_s, what);
}

void check_nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* How often a thread has gone to sleep; -1: it does not sleep now. A thread that has ended sleeps for good. */
static long check_sleeps(const char *task, const char *thread)
{
    char path[320], line[256], state = 'X';
    long count = 0;
    snprintf(path, sizeof path, "%s/%s/status", task, thread);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "State: %c", &state);
        sscanf(line, "voluntary_ctxt_switches: %ld", &count);
    }
    if (file)
        fclose(file);
    return strchr("SXZ", state) ? count : -1;
}

/* The sum over the threads of a process, save the calling one; -1: one of them does not sleep. */
static long check_all_sleeps(const char *task)
{
    const struct dirent *entry;
    char own[16];
    long sum = 0;
    DIR *folder = opendir(task);
    snprintf(own, sizeof own, "%d", (int)syscall(SYS_gettid));
    while (folder && sum >= 0 && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, own) != 0) {
            long count = check_sleeps(task, entry->d_name);
            sum = count < 0 ? -1 : sum + count;
        }
    if (folder)
        closedir(folder);
    return sum;
}

void check_asleep(pid_t process)
{
    char task[32];
    long before = -1, now = -1;
    snprintf(task, sizeof task, "/proc/%d/task", (int)process);
    if (access(task, X_OK) != 0) {
        nanosleep(&(struct timespec){0, CHECK_PAUSE_MS * 1000000}, NULL);
        return;
    }
    CHECK_UNTIL(before >= 0 && before == now, (check_nap(), before = now, now = check_all_sleeps(task)));
}
