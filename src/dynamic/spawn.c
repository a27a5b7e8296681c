/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting processes. The root starts `corunna run` with the programs, as a user would, and connects to the job by a
 * port, whose name the new ranks get in their environment. So started processes have all features of others: hosts,
 * binding, output by lines, an end that leaves nothing behind; and any launcher, or none, may have started the root.
 *
 * The launcher holds the end of a pipe, whose other end is the root's: when the root's process ends, however that
 * happens, the launcher ends its job.
 */
#define _GNU_SOURCE
#include "dynamic/bridge.h"
#include "dynamic/dynamic_state.h"
#include "dynamic/joined.h"
#include "dynamic/spawn_words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the launcher's process ------------------------------------------------------------------------------------- */

/* In the new process, where only simple system calls may be made. The launcher may use all CPUs again, whatever the
 * root is bound to. */
static void spawn_become(char *const *words, char *const *settings, int leash)
{
    cpu_set_t all;
    sigset_t none;
    int null = open("/dev/null", O_RDONLY);
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fcntl(leash, F_SETFD, 0);
    if (null > STDIN_FILENO) {
        dup2(null, STDIN_FILENO);
        close(null);
    }
    execve(words[0], words, settings);
    _exit(127);
}

static int spawn_start(cor_rank *rank, const spawn_words *words, dynamic_launcher *launcher)
{
    int leash[2];
    char text[16];
    if (pipe2(leash, O_CLOEXEC) != 0)
        return dynamic_fail(rank, COR_ERR_SPAWN, "no pipe for the launcher: %s", strerror(errno));
    snprintf(text, sizeof text, "%d", leash[0]);
    char **settings = spawn_settings(words, text);
    pid_t pid = settings ? fork() : -1;
    if (pid == 0)
        spawn_become(words->list, settings, leash[0]);
    int cause = settings ? errno : ENOMEM;
    spawn_settings_free(settings);
    close(leash[0]);
    if (pid < 0) {
        close(leash[1]);
        return dynamic_fail(rank, COR_ERR_SPAWN, "the launcher cannot be started: %s", strerror(cause));
    }
    launcher->pid = pid;
    launcher->leash = leash[1];
    return COR_OK;
}

/* Wait, letting messages move, until it has ended. Its status, or -1: not known. */
static int spawn_wait(cor_rank *rank, const dynamic_launcher *launcher)
{
    int status = -1;
    pid_t ended;
    while ((ended = waitpid(launcher->pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        cor_rank_step(rank);
        poll(NULL, 0, 2);
    }
    return ended < 0 ? -1 : status;
}

static void spawn_forget(dynamic_launcher *launcher)
{
    close(launcher->leash);
    free(launcher);
}

void spawn_wait_all(cor_rank *rank, cor_dynamic *dynamic)
{
    cor_link *link;
    while ((link = dynamic_take(dynamic, &dynamic->launchers))) {
        dynamic_launcher *launcher = COR_OWNER(link, dynamic_launcher, link);
        spawn_wait(rank, launcher);
        spawn_forget(launcher);
    }
}

/* Launchers that have ended since: a program that starts processes again and again keeps neither zombies nor
 * descriptors. */
static void spawn_reap(cor_dynamic *dynamic)
{
    pthread_mutex_lock(&dynamic->mutex);
    for (cor_link *link = dynamic->launchers.next, *next; link != &dynamic->launchers; link = next) {
        dynamic_launcher *launcher = COR_OWNER(link, dynamic_launcher, link);
        next = link->next;
        if (waitpid(launcher->pid, NULL, WNOHANG) != 0) {
            cor_list_remove(link);
            spawn_forget(launcher);
        }
    }
    pthread_mutex_unlock(&dynamic->mutex);
}

/* ---- the call --------------------------------------------------------------------------------------------------- */

/* The launcher has ended before its job connected, and has printed the reason itself. */
static int spawn_ended(cor_rank *rank, const dynamic_launcher *launcher, const char *command)
{
    int status = spawn_wait(rank, launcher);
    if (status == -1 || WIFSIGNALED(status))
        return dynamic_fail(rank, COR_ERR_SPAWN, "the launcher of \"%.80s\" ended before its processes had started",
                            command);
    return dynamic_fail(rank, COR_ERR_SPAWN, "\"%.80s\" did not start, or ended before MPI_Init: status %d", command,
                        WEXITSTATUS(status));
}

/* The launcher, started, and the connection of its job. */
static int spawn_meet(cor_rank *rank, const spawn_words *words, const char *port, const char *command,
                      dynamic_launcher *launcher, dynamic_bridge **bridge_p)
{
    int rc = spawn_start(rank, words, launcher);
    if (rc != COR_OK)
        return rc;
    rc = port_accept(rank, port, launcher->pid, 0, bridge_p);
    if (rc == COR_OK)
        return COR_OK;
    close(launcher->leash); /* by which the launcher ends, if it has not */
    if (rc == COR_ERR_SPAWN)
        return spawn_ended(rank, launcher, command);
    spawn_wait(rank, launcher);
    return rc;
}

static int spawn_root(cor_rank *rank, const cor_spawn_program *programs, int count, dynamic_bridge **bridge_p)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    dynamic_launcher *launcher = dynamic ? calloc(1, sizeof *launcher) : NULL;
    char port[COR_PORT_MAX];
    spawn_words words = {0};
    cor_fault fault = {0};
    if (!launcher)
        return dynamic_fail(rank, COR_ERR_MEMORY, "no memory to start processes");
    spawn_reap(dynamic);
    int rc = cor_port_open(rank, port);
    if (rc == COR_OK) {
        rc = dynamic_end(rank, spawn_words_make(&words, programs, count, port, &fault), &fault);
        if (rc == COR_OK)
            rc = spawn_meet(rank, &words, port, programs[0].command, launcher, bridge_p);
        spawn_words_free(&words);
        cor_port_close(rank, port);
    }
    if (rc != COR_OK) {
        free(launcher);
        return rc;
    }
    pthread_mutex_lock(&dynamic->mutex);
    cor_list_append(&dynamic->launchers, &launcher->link);
    pthread_mutex_unlock(&dynamic->mutex);
    return COR_OK;
}

/* *total_p is the sum of all counts. */
static int spawn_check(cor_rank *rank, const cor_spawn_program *programs, int count, const cor_fault *refused,
                       int *total_p)
{
    char place[32] = "";
    int total = 0;
    int rc = meet_take_refusal(rank, refused);
    for (int i = 0; rc == COR_OK && i < count; i++) {
        if (count > 1)
            snprintf(place, sizeof place, "[%d]", i);
        if (!programs[i].command)
            rc = dynamic_fail(rank, COR_ERR_ARG, "command%s is a NULL pointer", place);
        else if (programs[i].count < 1)
            rc = dynamic_fail(rank, COR_ERR_ARG, "maxprocs%s is %d, but must be at least 1", place, programs[i].count);
        else if (programs[i].count > INT_MAX - total)
            rc = dynamic_fail(rank, COR_ERR_ARG, "the sum of array_of_maxprocs is more than %d", INT_MAX);
        else
            total += programs[i].count;
    }
    if (rc == COR_OK)
        *total_p = total;
    return rc;
}

int cor_comm_spawn(cor_comm *comm, int root, const cor_spawn_program *programs, int program_count,
                   const cor_fault *refused, cor_comm **inter_p, int *total_p)
{
    dynamic_bridge *bridge = NULL;
    int rc = meet_check(comm), total = 0;
    cor_fault fault = {0};
    *total_p = 0;
    if (rc != COR_OK)
        return rc;
    if (cor_comm_rank(comm) == root) {
        rc = spawn_check(cor_comm_owner(comm), programs, program_count, refused, &total);
        if (rc == COR_OK)
            rc = spawn_root(cor_comm_owner(comm), programs, program_count, &bridge);
    }
    *total_p = total;
    int shared = joined_share(comm, root, COR_OK, total_p, sizeof *total_p, &fault);
    if (shared != COR_OK) {
        bridge_destroy(bridge);
        return shared;
    }
    return meet_jobs(comm, root, bridge, rc, 1, inter_p);
}
