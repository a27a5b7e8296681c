/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/agent/run_reach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- the command ------------------------------------------------------------------------------------------------ */

/* Append a word with every {host} replaced. Returns whether there was one. */
static int reach_add_word(run_list *command, const char *word, const char *host)
{
    static const char mark[] = "{host}";
    char *text = NULL;
    size_t length = 0;
    int has_host = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return 0;
    for (const char *found; (found = strstr(word, mark)) != NULL; word = found + sizeof mark - 1) {
        fprintf(out, "%.*s%s", (int)(found - word), word, host);
        has_host = 1;
    }
    fputs(word, out);
    fclose(out);
    cor_run_list_add(command, "%s", text);
    free(text);
    return has_host;
}

/* Does it pass its arguments to a shell on the other side? */
static int reach_is_shell(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return strcmp(name, "ssh") == 0 || strcmp(name, "rsh") == 0 || strcmp(name, "remsh") == 0;
}

/* '...' with every quote inside as '\''. */
static void reach_add_quoted(run_list *command, const char *word)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    putc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
    fputs("' agent", out);
    fclose(out);
    cor_run_list_add(command, "%s", text);
    free(text);
}

int cor_run_reach_command(const run_reach *reach, const char *host, run_list *command)
{
    run_list words = {0};
    int has_host = 0, code = cor_run_list_split(&words, reach->launcher);
    for (size_t i = 0; code == 0 && i < words.count; i++)
        has_host |= reach_add_word(command, words.items[i], host);
    cor_run_list_fini(&words);
    if (code != 0 || command->count == 0)
        return -1;
    if (!has_host)
        cor_run_list_add(command, "%s", host);
    if (reach_is_shell(command->items[0])) {
        reach_add_quoted(command, reach->program);
    } else {
        cor_run_list_add(command, "%s", reach->program);
        cor_run_list_add(command, "agent");
    }
    return 0;
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

static void reach_close(int pipes[4][2])
{
    for (int i = 0; i < 8; i++)
        if (pipes[i / 2][i % 2] >= 0)
            close(pipes[i / 2][i % 2]);
}

static _Noreturn void reach_child(char **command, int pipes[4][2], pid_t parent)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (getppid() == parent && dup2(pipes[0][0], 0) >= 0 && dup2(pipes[1][1], 1) >= 0 && dup2(pipes[2][1], 2) >= 0)
        execvp(command[0], command);
    int error = errno;
    ssize_t written = write(pipes[3][1], &error, sizeof error);
    (void)written;
    _exit(127);
}

int cor_run_reach_start(char **command, int *to_fd_p, int *from_fd_p, int *error_fd_p)
{
    int pipes[4][2]; /* its stdin, stdout and stderr; the errno of a failed exec */
    pid_t pid = -1, parent = getpid();
    memset(pipes, -1, sizeof pipes);
    int is_open = 1;
    for (int i = 0; i < 4 && is_open; i++)
        is_open = pipe2(pipes[i], O_CLOEXEC) == 0;
    if (is_open && (pid = fork()) == 0)
        reach_child(command, pipes, parent);
    int error = errno;
    if (pid > 0) {
        close(pipes[3][1]);
        pipes[3][1] = -1;
        ssize_t got;
        do
            got = read(pipes[3][0], &error, sizeof error);
        while (got < 0 && errno == EINTR);
        if (got != (ssize_t)sizeof error) {
            *to_fd_p = pipes[0][1];
            *from_fd_p = pipes[1][0];
            *error_fd_p = pipes[2][0];
            fcntl(*to_fd_p, F_SETFL, O_NONBLOCK);
            fcntl(*from_fd_p, F_SETFL, O_NONBLOCK);
            fcntl(*error_fd_p, F_SETFL, O_NONBLOCK);
            pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
        } else {
            pid = -1; /* the failed child is reaped with the others */
        }
    }
    reach_close(pipes);
    errno = error;
    return (int)pid;
}
