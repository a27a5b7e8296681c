/* SPDX-License-Identifier: Apache-2.0 */
/* The checks themselves: a failed check prints its values and the rank, and ends the process with status 1. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell_name(FILE *to, const void *context)
{
    fprintf(to, "  this is %s\n", (const char *)context);
}

static void true_ones(void)
{
    CHECK(1 + 1 == 2);
    CHECK_EQUAL(3, 1 + 2);
    CHECK_OK(0);
    CHECK_TEXT("word", "word");
}

static void false_condition(void)
{
    CHECK(1 + 1 == 3);
}

static void false_number(void)
{
    CHECK_EQUAL(-7, 1ll << 40);
}

static void false_call(void)
{
    CHECK_OK(getpid() > 0 ? -5 : 0);
}

static void false_text(void)
{
    CHECK_TEXT("word", "words");
}

static void no_text(void)
{
    CHECK_TEXT("word", NULL);
}

static void own_words(void)
{
    check_me = (check_who){tell_name, "rank 3"};
    CHECK_FAIL("%d of %d", 1, 2);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void *wait_for_byte(void *argument)
{
    char byte;
    CHECK_EQUAL(1, read(*(int *)argument, &byte, 1));
    return NULL;
}

static void *work_for_ever(void *argument)
{
    for (;;)
        __atomic_add_fetch((long *)argument, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void waits(void)
{
    int ends[2], turns = 0;
    pthread_t thread;
    CHECK_UNTIL(turns == 3, turns++);
    CHECK(check_patience_ms(1000) >= 1000);
    CHECK_OK(pipe(ends));
    check_asleep(getpid()); /* there is no other thread */
    CHECK_OK(pthread_create(&thread, NULL, wait_for_byte, &ends[0]));
    check_asleep(getpid());
    CHECK_EQUAL(1, write(ends[1], "x", 1));
    CHECK_OK(pthread_join(thread, NULL));
    pid_t child = fork();
    if (child == 0) {
        wait_for_byte(&ends[0]);
        _exit(0);
    }
    check_asleep(child);
    CHECK_EQUAL(1, write(ends[1], "x", 1));
    CHECK_EQUAL(child, waitpid(child, NULL, 0));
}

/* A thread that computes does not sleep. */
static void waits_for_ever(void)
{
    static long work;
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, work_for_ever, &work));
    ualarm(100000, 0);
    check_asleep(getpid());
}

static void is_impatient(void)
{
    check_wait wait = {.patience_s = 1, .begin_s = -1e9, .limit_s = 1};
    for (int i = 0; i < 2; i++)
        check_wait_on(&wait, "here.c", 7, "what was awaited");
}

/* Run it in a process of its own; the status, and what it says. */
static int run(void (*body)(void), char *said, size_t room)
{
    int ends[2], status = -1;
    size_t length = 0;
    ssize_t count;
    CHECK_OK(pipe(ends));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    while (length + 1 < room && (count = read(ends[0], said + length, room - 1 - length)) > 0)
        length += (size_t)count;
    said[length] = '\0';
    close(ends[0]);
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    static const struct {
        void (*body)(void);
        const char *said[2];
    } rows[] = {
        {false_condition, {"FAILED check_test.c:", ": not true: 1 + 1 == 3\n"}},
        {false_number, {"FAILED check_test.c:", ": 1ll << 40: expected -7, got 1099511627776\n"}},
        {false_call, {"FAILED check_test.c:", ": getpid() > 0 ? -5 : 0: expected 0, got -5\n"}},
        {false_text, {"FAILED check_test.c:", ": \"words\": expected \"word\", got \"words\"\n"}},
        {no_text, {"FAILED check_test.c:", ": NULL: expected \"word\", got \"(null)\"\n"}},
        {is_impatient, {"FAILED here.c:7: not true after ", " s: what was awaited\n"}},
        {own_words, {": 1 of 2\n", "  this is rank 3\n"}},
    };
    char said[1000];
    CHECK_EQUAL(0, run(true_ones, said, sizeof said));
    CHECK_TEXT("", said);
    CHECK_EQUAL(0, run(waits, said, sizeof said));
    CHECK_TEXT("", said);
    CHECK_EQUAL(-1, run(waits_for_ever, said, sizeof said));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQUAL(1, run(rows[i].body, said, sizeof said));
        for (int part = 0; part < 2; part++)
            if (!strstr(said, rows[i].said[part]))
                CHECK_FAIL("row %zu: \"%s\" does not say \"%s\"", i, said, rows[i].said[part]);
    }
    return 0;
}
