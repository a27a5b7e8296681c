/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks under Flux, which is played here as its job shell behaves towards a task: PMI_FD, PMI_RANK and PMI_SIZE in the
 * environment, a socket for each task, and PMI-1 in its dialect. What sets that apart: a key-value space whose name is
 * not ASCII, answers without msg, one request at a time, limits that count the zero, no answer at all to a command it
 * does not know, and an abort that brings a message.
 *
 *   flux_test BOOT_PROBE P2P
 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TASKS_MAX = 8,
    PAIRS_MAX = 256,
    KEY_MAX = 64,     /* with the zero */
    VALUE_MAX = 1024, /* likewise */
    LINE_MAX_BYTES = KEY_MAX + VALUE_MAX + 64 + 64,
    BAD_KEY_LENGTH = -11,
    BAD_VALUE_LENGTH = -12,
    BAD_KEY = -10,
};

#define SPACE "\xc6\x92" /* a florin sign */ "ABRxM89qL3"

typedef struct flux_task {
    pid_t pid;
    int fd, status, is_in_barrier, is_finalized;
    size_t filled;
    char line[LINE_MAX_BYTES + 1];
} flux_task;

typedef struct flux_pair {
    char key[KEY_MAX], value[VALUE_MAX];
} flux_pair;

typedef struct flux {
    int count;
    flux_task tasks[TASKS_MAX];
    size_t pairs_count;
    flux_pair pairs[PAIRS_MAX];
    int is_aborted, exit_code;
    char message[LINE_MAX_BYTES];
} flux;

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* What comes behind "key=", up to a space or, if is_last, to the end. 1 if it is there and fits with its zero. */
static int flux_word(const char *line, const char *key, int is_last, char *out, size_t room)
{
    size_t length = strlen(key);
    const char *at = line;
    while (at && !(strncmp(at, key, length) == 0 && at[length] == '=')) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return 0;
    at += length + 1;
    size_t bytes = is_last ? strlen(at) : strcspn(at, " ");
    if (bytes >= room)
        return 0;
    memcpy(out, at, bytes);
    out[bytes] = '\0';
    return 1;
}

static void flux_answer(flux_task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A task that has asked again without waiting for this would be out of step. */
static void flux_answer(flux_task *task, const char *format, ...)
{
    char text[LINE_MAX_BYTES + 64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(task->filled == 0);
    CHECK(send(task->fd, text, (size_t)length, MSG_NOSIGNAL) == length);
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static flux_pair *flux_find(flux *f, const char *key)
{
    for (size_t i = 0; i < f->pairs_count; i++)
        if (strcmp(f->pairs[i].key, key) == 0)
            return &f->pairs[i];
    return NULL;
}

static int flux_put(flux *f, const char *line)
{
    char key[KEY_MAX], value[VALUE_MAX];
    if (!flux_word(line, "key", 0, key, sizeof key))
        return BAD_KEY_LENGTH;
    if (!flux_word(line, "value", 1, value, sizeof value))
        return BAD_VALUE_LENGTH;
    flux_pair *pair = flux_find(f, key);
    if (!pair && f->pairs_count < PAIRS_MAX)
        pair = &f->pairs[f->pairs_count++];
    if (!pair)
        return BAD_KEY;
    strcpy(pair->key, key);
    strcpy(pair->value, value);
    return 0;
}

static void flux_get(flux *f, flux_task *task, const char *line)
{
    char key[KEY_MAX];
    const flux_pair *pair = flux_word(line, "key", 0, key, sizeof key) ? flux_find(f, key) : NULL;
    if (pair)
        flux_answer(task, "cmd=get_result rc=0 value=%s\n", pair->value);
    else
        flux_answer(task, "cmd=get_result rc=%d\n", BAD_KEY);
}

static void flux_barrier(flux *f, flux_task *task)
{
    int come = 0;
    task->is_in_barrier = 1;
    for (int i = 0; i < f->count; i++)
        come += f->tasks[i].is_in_barrier;
    for (int i = 0; come == f->count && i < f->count; i++) {
        f->tasks[i].is_in_barrier = 0;
        flux_answer(&f->tasks[i], "cmd=barrier_out rc=0\n");
    }
}

static void flux_abort(flux *f, const char *line)
{
    char code[16] = "";
    CHECK(flux_word(line, "exitcode", 0, code, sizeof code));
    f->is_aborted = 1;
    f->exit_code = atoi(code);
    flux_word(line, "error_msg", 1, f->message, sizeof f->message);
    for (int i = 0; i < f->count; i++)
        kill(f->tasks[i].pid, SIGTERM);
}

static void flux_request(flux *f, flux_task *task, const char *line)
{
    char command[32] = "", space[64] = "";
    flux_word(line, "cmd", 0, command, sizeof command);
    if (strcmp(command, "put") == 0 || strcmp(command, "get") == 0) {
        flux_word(line, "kvsname", 0, space, sizeof space);
        CHECK_TEXT(SPACE, space);
    }
    if (strcmp(command, "init") == 0 && strstr(line, "pmi_version=1") && strstr(line, "pmi_subversion=1"))
        flux_answer(task, "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
    else if (strcmp(command, "get_maxes") == 0)
        flux_answer(task, "cmd=maxes rc=0 kvsname_max=64 keylen_max=%d vallen_max=%d\n", KEY_MAX, VALUE_MAX);
    else if (strcmp(command, "get_my_kvsname") == 0)
        flux_answer(task, "cmd=my_kvsname rc=0 kvsname=%s\n", SPACE);
    else if (strcmp(command, "get_universe_size") == 0)
        flux_answer(task, "cmd=universe_size rc=0 size=%d\n", f->count);
    else if (strcmp(command, "get_appnum") == 0)
        flux_answer(task, "cmd=appnum rc=0 appnum=0\n");
    else if (strcmp(command, "put") == 0)
        flux_answer(task, "cmd=put_result rc=%d\n", flux_put(f, line));
    else if (strcmp(command, "get") == 0)
        flux_get(f, task, line);
    else if (strcmp(command, "barrier_in") == 0)
        flux_barrier(f, task);
    else if (strcmp(command, "abort") == 0)
        flux_abort(f, line);
    else if (strcmp(command, "finalize") == 0) {
        task->is_finalized = 1;
        flux_answer(task, "cmd=finalize_ack rc=0\n");
    } else
        CHECK_TEXT("a command that Flux knows", line);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

/* Bytes of a task, or its end. */
static void flux_read(flux *f, flux_task *task)
{
    char byte;
    ssize_t got = read(task->fd, &byte, 1);
    if (got <= 0) {
        close(task->fd);
        task->fd = -1;
        return;
    }
    if (byte != '\n') {
        CHECK(task->filled < LINE_MAX_BYTES);
        if (task->filled < LINE_MAX_BYTES)
            task->line[task->filled++] = byte;
        return;
    }
    char line[LINE_MAX_BYTES + 1];
    memcpy(line, task->line, task->filled);
    line[task->filled] = '\0';
    task->filled = 0;
    flux_request(f, task, line);
}

/* `knob` is set in the last task alone, or NULL. */
static void flux_start(flux *f, int rank, char **argv, const char *knob)
{
    int ends[2];
    char text[32];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    f->tasks[rank].fd = ends[0];
    f->tasks[rank].pid = fork();
    if (f->tasks[rank].pid == 0) {
        snprintf(text, sizeof text, "%d", dup(ends[1])); /* which stays open */
        setenv("PMI_FD", text, 1);
        snprintf(text, sizeof text, "%d", rank);
        setenv("PMI_RANK", text, 1);
        setenv("FLUX_TASK_RANK", text, 1);
        snprintf(text, sizeof text, "%d", f->count);
        setenv("PMI_SIZE", text, 1);
        setenv("FLUX_JOB_SIZE", text, 1);
        setenv("FLUX_JOB_ID", SPACE, 1);
        if (knob && rank == f->count - 1)
            putenv((char *)knob);
        execv(argv[0], argv);
        _exit(126);
    }
    close(ends[1]);
}

/* A whole job. */
static void flux_run(flux *f, int count, char **argv, const char *knob)
{
    memset(f, 0, sizeof *f);
    f->count = count;
    for (int rank = 0; rank < count; rank++)
        flux_start(f, rank, argv, knob);
    for (int left = count; left > 0;) {
        struct pollfd polled[TASKS_MAX];
        for (int i = 0; i < count; i++)
            polled[i] = (struct pollfd){.fd = f->tasks[i].fd, .events = POLLIN};
        poll(polled, (nfds_t)count, -1);
        left = 0;
        for (int i = 0; i < count; i++) {
            if (polled[i].revents)
                flux_read(f, &f->tasks[i]);
            left += f->tasks[i].fd >= 0;
        }
    }
    for (int i = 0; i < count; i++)
        while (waitpid(f->tasks[i].pid, &f->tasks[i].status, 0) < 0 && errno == EINTR)
            ;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static void test_fine(flux *f, int count, char **argv)
{
    flux_run(f, count, argv, NULL);
    CHECK(!f->is_aborted);
    for (int i = 0; i < count; i++) {
        CHECK(f->tasks[i].status == 0);
        CHECK(f->tasks[i].is_finalized);
    }
}

static void test_abort(flux *f, char *probe)
{
    char *argv[] = {probe, "abort", "1", "7", NULL};
    flux_run(f, 3, argv, NULL);
    CHECK(f->is_aborted);
    CHECK(f->exit_code == 7);
    CHECK_TEXT("the_probe_was_told_to", f->message);
}

/* One rank that cannot start ends the others, which wait for it in a barrier. */
static void test_start(flux *f, char *p2p)
{
    char *argv[] = {p2p, "barrier", NULL};
    flux_run(f, 3, argv, "CORUNNA_SM_EAGER_MAX=many");
    CHECK(f->is_aborted);
    CHECK(f->exit_code == 1);
    CHECK(strstr(f->message, "MPI_Init_thread:_CORUNNA_SM_EAGER_MAX_is_\"many\";_it_must_be") != NULL);
}

int main(int argc, char **argv)
{
    flux *f = malloc(sizeof *f);
    if (argc != 3 || !f)
        return 1;
    alarm(100);
    char *once[] = {argv[1], NULL}, *many[] = {argv[1], "many", "3", NULL}, *long_values[] = {argv[1], "long", NULL},
         *messages[] = {argv[2], "sizes", NULL};
    test_fine(f, 1, once);
    test_fine(f, 5, many);
    test_fine(f, 3, long_values);
    test_fine(f, 3, messages);
    test_abort(f, argv[1]);
    test_start(f, argv[2]);
    free(f);
    return 0;
}
