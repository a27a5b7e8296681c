/* SPDX-License-Identifier: Apache-2.0 */
/* The agents below: starting them, their messages, their loss. */
#define _GNU_SOURCE
#include "launch/job/run_job.h"

#include "base/clock.h"
#include "launch/agent/agent_job.h"
#include "launch/agent/run_reach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BRANCH_EXIT_MS = 1000 }; /* for the command that reached an agent to end by itself */

void cor_run_branches_send(run_job *job, agent_kind kind, int number, const char *bytes, size_t length)
{
    for (int i = 0; i < job->branch_count; i++)
        cor_run_link_send(&job->branches[i].link, kind, 0, number, bytes, length);
}

static const char *branch_host(const run_job *job, const run_branch *branch)
{
    return job->plan->hosts[branch->first].name;
}

/* ---- reaching --------------------------------------------------------------------------------------------------- */

/* Queue the job for the agent before it has started. */
static int branch_send_job(run_job *job, run_branch *branch)
{
    char *bytes;
    size_t length;
    cor_fault fault = {0};
    if (cor_agent_job_encode(job->plan, job->inherited.job, branch->first, branch->count, &bytes, &length, &fault) !=
        COR_OK) {
        cor_run_job_fail(job, RUN_FAILED, 1, "%s", fault.text);
        return -1;
    }
    cor_run_link_send(&branch->link, AGENT_JOB, 0, 0, bytes, length);
    free(bytes);
    cor_run_link_flush(&branch->link);
    return 0;
}

/* The output of ssh is part of an error message; at log level debug all of it is shown at once. */
static run_sink *branch_error_sink(run_job *job)
{
    const char *level = getenv("CORUNNA_LOG");
    int is_asked = level && (strcmp(level, "debug") == 0 || strcmp(level, "trace") == 0);
    return is_asked ? job->error_sink : &job->null_sink;
}

static int branch_start(run_job *job, run_branch *branch)
{
    run_list command = {0};
    int to_fd, from_fd, error_fd;
    if (cor_run_reach_command(&job->plan->reach, branch_host(job, branch), &command) != 0) {
        cor_run_job_fail(job, RUN_FAILED, RUN_STATUS_USAGE, "the launcher \"%s\" is not a command",
                         job->plan->reach.launcher);
        cor_run_list_fini(&command);
        return -1;
    }
    branch->pid = cor_run_reach_start(command.items, &to_fd, &from_fd, &error_fd);
    if (branch->pid < 0) {
        branch->pid = 0;
        branch->state = BRANCH_LOST;
        cor_run_job_fail(job, RUN_FAILED, 1, "cannot run %s to reach host %s: %s", command.items[0],
                         branch_host(job, branch), strerror(errno));
        cor_run_list_fini(&command);
        return -1;
    }
    cor_run_list_fini(&command);
    cor_run_link_open(&branch->link, from_fd, to_fd, FROM_AGENT);
    cor_run_stream_open(&branch->words, error_fd, 0, branch_error_sink(job));
    return branch_send_job(job, branch);
}

/* Divide all hosts but our own into as many equal parts as the fan allows. */
static void branch_divide(run_job *job)
{
    int below = job->plan->host_count - 1, first = 1;
    for (int i = 0; i < job->branch_count; i++) {
        run_branch *branch = &job->branches[i];
        branch->first = first;
        branch->count = below / job->branch_count + (i < below % job->branch_count);
        branch->link.in_fd = branch->link.out_fd = branch->words.fd = -1;
        for (int host = first; host < first + branch->count; host++)
            for (int place = 0; place < job->plan->hosts[host].rank_count; place++)
                job->ranks[job->plan->hosts[host].ranks[place]].branch = i;
        first += branch->count;
    }
}

int cor_run_branches_open(run_job *job)
{
    int below = job->plan->host_count - 1;
    for (int rank = 0; rank < job->plan->size; rank++)
        job->ranks[rank].branch = -1;
    if (below > 0) {
        int count = below < job->plan->reach.fan ? below : job->plan->reach.fan;
        job->branches = calloc((size_t)count, sizeof *job->branches);
        if (!job->branches) {
            cor_run_job_fail(job, RUN_FAILED, 1, "no memory for %d hosts", below);
            cor_run_job_end_if_failed(job);
            return -1;
        }
        job->branch_count = count;
        branch_divide(job);
    }
    if (job->branch_count > 0 || job->up)
        cor_pmi_server_share(job->server, job->here_count + job->branch_count, cor_run_job_fence);
    for (int i = 0; i < job->branch_count; i++)
        if (branch_start(job, &job->branches[i]) != 0) {
            /* Nothing runs yet that could fail more severely. */
            job->failure.due_ns = cor_clock_ns();
            cor_run_job_end_if_failed(job);
            return -1;
        }
    return 0;
}

/* ---- losing ----------------------------------------------------------------------------------------------------- */

void cor_run_branch_forget(run_job *job, int first, int count)
{
    for (int host = first; host < first + count; host++)
        for (int place = 0; place < job->plan->hosts[host].rank_count; place++) {
            int rank = job->plan->hosts[host].ranks[place];
            run_rank *self = &job->ranks[rank];
            cor_run_stream_close(&self->output);
            cor_run_stream_close(&self->error);
            if (!self->is_alive)
                continue;
            self->is_alive = 0;
            job->alive--;
            cor_pmi_server_rank_ended(job->server, rank);
        }
    if (job->alive == 0 && !job->up)
        cor_run_job_finish(job);
}

void cor_run_branch_report(run_job *job, int first, int count, const char *text)
{
    if (job->up)
        cor_run_link_send(job->up, AGENT_LOST, job->plan->first_host + first, count, text, strlen(text));
    else
        cor_run_job_fail(job, RUN_FATAL, 1, "%s", text);
    cor_run_branch_forget(job, first, count);
}

/* Wait for the process that reached the host: it ends about when its pipes do. */
static void branch_await(run_branch *branch)
{
    for (int round = 0; branch->pid > 0 && round < 20; round++) {
        if (waitpid(branch->pid, &branch->wait_status, WNOHANG) == branch->pid)
            branch->pid = 0;
        else
            poll(NULL, 0, 5);
    }
}

void cor_run_branch_lose(run_job *job, run_branch *branch, const char *why)
{
    char text[800];
    const char *host = branch_host(job, branch);
    run_branch_state state = branch->state;
    cor_run_link_close(&branch->link);
    if (state == BRANCH_DONE || state == BRANCH_LOST)
        return;
    branch->state = BRANCH_LOST;
    cor_run_stream_drain(&branch->words);
    cor_run_stream_flush(&branch->words);
    if (!why)
        branch_await(branch);
    int status = branch->pid == 0 && WIFEXITED(branch->wait_status) ? WEXITSTATUS(branch->wait_status) : 0;
    const char *words = *branch->words.last ? branch->words.last : NULL;
    const char *what = why ? why : words ? words : "it ended without a message";
    if (state == BRANCH_STARTING)
        snprintf(text, sizeof text, "cannot start on host %s: %.500s%s", host, what,
                 status == 127 || status == 126 ? " (--prefix sets where Corunna is on other hosts)" : "");
    else if (why)
        snprintf(text, sizeof text, "host %s is lost: %.500s", host, why);
    else
        snprintf(text, sizeof text, "host %s is lost: its agent has ended%s%.500s%s", host, words ? " (" : "",
                 words ? words : "", words ? ")" : "");
    if (branch->pid > 0)
        kill(branch->pid, SIGKILL);
    cor_run_branch_report(job, branch->first, branch->count, text);
}

void cor_run_branch_reaped(run_job *job, pid_t pid, int wait_status)
{
    for (int i = 0; i < job->branch_count; i++) {
        run_branch *branch = &job->branches[i];
        if (branch->pid != pid)
            continue;
        branch->pid = 0;
        branch->wait_status = wait_status;
        /* Read the rest of the pipe first, also where another process holds the pipe open. */
        cor_run_branch_receive(job, branch);
        cor_run_branch_lose(job, branch, NULL);
    }
}

int cor_run_branches_are_done(const run_job *job)
{
    for (int i = 0; i < job->branch_count; i++)
        if (job->branches[i].state == BRANCH_STARTING || job->branches[i].state == BRANCH_RUNNING)
            return 0;
    return 1;
}

void cor_run_branches_give_up(run_job *job)
{
    for (int i = 0; i < job->branch_count; i++)
        cor_run_branch_lose(job, &job->branches[i], "it does not report the end of its processes");
}

void cor_run_branches_close(run_job *job)
{
    for (int i = 0; i < job->branch_count; i++)
        cor_run_link_close(&job->branches[i].link);
    uint64_t until_ns = cor_clock_ns() + (uint64_t)BRANCH_EXIT_MS * 1000000;
    for (int i = 0; i < job->branch_count; i++) {
        run_branch *branch = &job->branches[i];
        while (branch->pid > 0 && branch->state == BRANCH_DONE && cor_clock_ns() < until_ns) {
            if (waitpid(branch->pid, NULL, WNOHANG) == 0)
                poll(NULL, 0, 2);
            else
                branch->pid = 0;
        }
        if (branch->words.fd >= 0)
            cor_run_stream_close(&branch->words);
    }
    free(job->branches);
    job->branches = NULL;
    job->branch_count = 0;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* An agent that has not sent its hello in time: the message has the last output of the command that reaches it. */
static void branch_lose_unanswered(run_job *job, run_branch *branch)
{
    char why[700];
    cor_run_stream_drain(&branch->words);
    cor_run_stream_flush(&branch->words);
    const char *words = branch->words.last;
    snprintf(why, sizeof why, "%s within %d s (--host-timeout)%s%.500s",
             branch->link.reader.is_greeted ? "its agent started but sent no complete hello"
                                            : "its agent did not answer",
             job->plan->reach.timeout_s, *words ? "; the command that reaches it says: " : "", words);
    cor_run_branch_lose(job, branch, why);
}

static void branch_lose_silent(run_job *job, run_branch *branch)
{
    char why[80];
    snprintf(why, sizeof why, "nothing was heard of it for %d s", job->plan->reach.timeout_s);
    cor_run_branch_lose(job, branch, why);
}

void cor_run_branches_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns)
{
    int timeout_ms = job->plan->reach.timeout_s * 1000;
    uint64_t ping_ns = (uint64_t)cor_run_link_ping_ms(job->plan->reach.timeout_s) * 1000000;
    for (int i = 0; i < job->branch_count; i++) {
        run_branch *branch = &job->branches[i];
        if (!cor_run_link_is_open(&branch->link))
            continue;
        int is_starting = branch->state == BRANCH_STARTING;
        /* The output of a login is not an answer: only the agent's hello ends the wait for it. */
        branch->unanswered_ms += is_starting ? passed_ms : 0;
        branch->link.silent_ms += passed_ms;
        if (is_starting && timeout_ms > 0 && branch->unanswered_ms >= timeout_ms)
            branch_lose_unanswered(job, branch);
        else if (branch->state == BRANCH_RUNNING && timeout_ms > 0 && branch->link.silent_ms > timeout_ms)
            branch_lose_silent(job, branch);
        else if (now_ns - branch->link.sent_ns >= ping_ns)
            cor_run_link_send(&branch->link, AGENT_PING, 0, 0, NULL, 0);
        uint64_t next_ns = ping_ns;
        if (is_starting && timeout_ms > branch->unanswered_ms)
            next_ns = (uint64_t)(timeout_ms - branch->unanswered_ms) * 1000000;
        if (*when_ns > now_ns + (next_ns < ping_ns ? next_ns : ping_ns))
            *when_ns = now_ns + (next_ns < ping_ns ? next_ns : ping_ns);
    }
}
