/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_spawn.h"

#include "launch/bind/run_bind.h"
#include "launch/job/run_wrap.h"
#include "launch/run_abi.h"
#include "launch/run_nested.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* All descriptors of one start; -1: closed. Index 0 is the launcher's end, 1 the rank's. */
typedef struct spawn_pipes {
    int pmi[2], output[2], error[2], report[2];
} spawn_pipes;

/* ---- in the child ----------------------------------------------------------------------------------------------- */

/* Remove all variables but PATH, without which programs are not found. */
static int spawn_clear(void)
{
    const char *path = getenv("PATH");
    char *kept = path ? strdup(path) : NULL;
    int code = clearenv();
    if (kept && code == 0)
        code = setenv("PATH", kept, 1);
    free(kept);
    return code;
}

static int spawn_put_all(char **settings)
{
    for (; settings && *settings; settings++)
        if (putenv(*settings) != 0)
            return -1;
    return 0;
}

/* What the rank inherits, and what options set for it. An agent's own environment is that of a login. */
static int spawn_settings(const run_plan *plan, const run_program *program)
{
    if (program->pass == RUN_PASS_NAMED ? spawn_clear() : plan->up ? spawn_put_all(plan->environment) : 0)
        return -1;
    return spawn_put_all(plan->settings) != 0 || spawn_put_all(program->settings) != 0 ? -1 : 0;
}

static int spawn_set_number(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    return setenv(name, text, 1);
}

/* Which rank it is, of the job and of its host, by the names that scripts know from Hydra and Open MPI. */
static int spawn_set_place(const run_plan *plan, const run_place *seat)
{
    const struct {
        const char *name;
        int value;
    } numbers[] = {
        {"PMI_RANK", seat->rank},
        {"PMI_ID", seat->rank},
        {"PMI_SIZE", plan->size},
        {"MPI_LOCALRANKID", seat->place},
        {"MPI_LOCALNRANKS", seat->places},
        {"OMPI_COMM_WORLD_RANK", seat->rank},
        {"OMPI_COMM_WORLD_SIZE", plan->size},
        {"OMPI_COMM_WORLD_LOCAL_RANK", seat->place},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", seat->places},
        {"OMPI_COMM_WORLD_NODE_RANK", seat->place},
    };
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof numbers / sizeof *numbers; i++)
        code = spawn_set_number(numbers[i].name, numbers[i].value);
    return code;
}

static int spawn_environment(const run_plan *plan, const run_inherited *inherited, const run_place *seat, int pmi_fd)
{
    cor_run_forget_surrounding();
    if (spawn_settings(plan, &plan->programs[cor_run_program_of(plan, seat->rank)]) != 0)
        return -1;
    if (cor_run_abi_apply() != 0)
        return -1;
    if (inherited->interface[0] && setenv("CORUNNA_TCP_INTERFACE", inherited->interface, 1) != 0)
        return -1;
    if (spawn_set_place(plan, seat) != 0 || spawn_set_number("PMI_FD", pmi_fd) != 0 ||
        setenv(COR_SEGMENT_JOB, inherited->job, 1) != 0)
        return -1;
    if (spawn_set_number("PMI_APPNUM", cor_run_program_of(plan, seat->rank)) != 0)
        return -1;
    if (inherited->record_fd < 0)
        return unsetenv(COR_RECORD_VARIABLE);
    if (fcntl(inherited->record_fd, F_SETFD, 0) != 0)
        return -1;
    return spawn_set_number(COR_RECORD_VARIABLE, inherited->record_fd);
}

/* Signals as in a program started by a shell, whatever this process's parent ignores. */
static void spawn_signals(const run_inherited *inherited)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGTTOU, SIGTSTP};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        signal(usual[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
}

static _Noreturn void spawn_give_up(const spawn_pipes *pipes, int stage)
{
    run_spawn_error error = {.error = errno, .stage = stage};
    ssize_t written = write(pipes->report[1], &error, sizeof error);
    (void)written;
    _exit(127);
}

static _Noreturn void spawn_child(const run_plan *plan, const run_inherited *inherited, const run_place *seat,
                                  const spawn_pipes *pipes, pid_t launcher)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        _exit(127);
    setrlimit(RLIMIT_NOFILE, &inherited->files);
    if (dup2(seat->input_fd, 0) < 0 || dup2(pipes->output[1], 1) < 0 || dup2(pipes->error[1], 2) < 0)
        spawn_give_up(pipes, RUN_STAGE_PREPARE);
    /* All other descriptors are closed on exec; input_fd may be 0 itself, which dup2 leaves open. */
    if (fcntl(0, F_SETFD, 0) != 0 || fcntl(pipes->pmi[1], F_SETFD, 0) != 0 ||
        (inherited->table_fd >= 0 && fcntl(inherited->table_fd, F_SETFD, 0) != 0) ||
        spawn_environment(plan, inherited, seat, pipes->pmi[1]) != 0)
        spawn_give_up(pipes, RUN_STAGE_PREPARE);
    const run_program *program = &plan->programs[cor_run_program_of(plan, seat->rank)];
    if (program->wdir && chdir(program->wdir) != 0)
        spawn_give_up(pipes, RUN_STAGE_WDIR);
    if (seat->cpus && cor_run_bind_apply(seat->cpus) != 0)
        spawn_give_up(pipes, RUN_STAGE_BIND);
    spawn_signals(inherited);
    run_list wrapped = {0};
    char **argv = cor_run_wrap(plan, program, seat->rank, &wrapped);
    execvp(argv[0], argv);
    spawn_give_up(pipes, RUN_STAGE_EXEC);
}

/* ---- in the launcher -------------------------------------------------------------------------------------------- */

static void spawn_close(int *pair)
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0)
            close(pair[i]);
        pair[i] = -1;
    }
}

static void spawn_close_all(spawn_pipes *pipes)
{
    spawn_close(pipes->pmi);
    spawn_close(pipes->output);
    spawn_close(pipes->error);
    spawn_close(pipes->report);
}

static int spawn_open(spawn_pipes *pipes)
{
    memset(pipes, -1, sizeof *pipes);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pipes->pmi) != 0 || pipe2(pipes->output, O_CLOEXEC) != 0 ||
        pipe2(pipes->error, O_CLOEXEC) != 0 || pipe2(pipes->report, O_CLOEXEC) != 0) {
        int error = errno;
        spawn_close_all(pipes);
        errno = error;
        return -1;
    }
    /* Only our ends: programs expect blocking descriptors. */
    fcntl(pipes->pmi[0], F_SETFL, O_NONBLOCK);
    fcntl(pipes->output[0], F_SETFL, O_NONBLOCK);
    fcntl(pipes->error[0], F_SETFL, O_NONBLOCK);
    fcntl(pipes->report[0], F_SETFL, O_NONBLOCK);
    return 0;
}

int cor_run_spawn(const run_plan *plan, const run_inherited *inherited, const run_place *seat, run_child *child_p,
                  run_spawn_error *error_p)
{
    spawn_pipes pipes;
    pid_t launcher = getpid();
    pid_t pid = -1;
    if (spawn_open(&pipes) == 0) {
        pid = fork();
        if (pid == 0)
            spawn_child(plan, inherited, seat, &pipes, launcher);
    }
    if (pid < 0) {
        error_p->error = errno;
        error_p->stage = RUN_STAGE_PREPARE;
        spawn_close_all(&pipes);
        return -1;
    }
    setpgid(pid, pid); /* the child does the same; the first of the two counts */
    close(pipes.report[1]);
    pipes.report[1] = -1;
    child_p->pid = pid;
    child_p->pmi_fd = pipes.pmi[0];
    child_p->output_fd = pipes.output[0];
    child_p->error_fd = pipes.error[0];
    child_p->report_fd = pipes.report[0];
    pipes.pmi[0] = pipes.output[0] = pipes.error[0] = pipes.report[0] = -1;
    spawn_close_all(&pipes);
    return 0;
}

int cor_run_spawn_test(int report_fd, run_spawn_error *error_p)
{
    ssize_t got;
    do
        got = read(report_fd, error_p, sizeof *error_p);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return 1;
    close(report_fd);
    return got == (ssize_t)sizeof *error_p ? -1 : 0;
}
