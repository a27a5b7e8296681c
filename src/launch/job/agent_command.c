/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna agent`: the process that the launcher starts on every other host. Its stdin and stdout are the link to its
 * parent. */
#define _GNU_SOURCE
#include "launch/agent/agent_job.h"
#include "launch/agent/run_link.h"
#include "launch/job/run_front.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { AGENT_TIMEOUT_MS = 60000 }; /* for the job, after our hello */

static void agent_greet(run_link *up)
{
    char greeting[64];
    int length = snprintf(greeting, sizeof greeting, "%s%d\n", AGENT_GREETING, AGENT_VERSION);
    cor_run_link_send_raw(up, greeting, (size_t)length);
    cor_run_link_send(up, AGENT_HELLO, 0, 0, COR_VERSION, strlen(COR_VERSION));
    cor_run_link_flush_wait(up, AGENT_TIMEOUT_MS);
}

/* Wait for the first frame, which must be the job. */
static int agent_await_job(run_link *up, agent_job *job_p, cor_fault *fault)
{
    for (;;) {
        agent_frame frame;
        int code = cor_agent_reader_next(&up->reader, &frame, fault);
        if (code == COR_OK && frame.kind != AGENT_JOB)
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "received %s before the job",
                                 cor_agent_frame_name(frame.kind));
        if (code == COR_OK)
            return cor_agent_job_decode(frame.bytes, frame.length, job_p, fault);
        if (code != COR_AGAIN)
            return code;
        struct pollfd ready = {.fd = up->in_fd, .events = POLLIN};
        if (poll(&ready, 1, AGENT_TIMEOUT_MS) == 0)
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "the launcher sent no job");
        if (cor_run_link_read(up) < 0)
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "the launcher closed the connection before it sent a job");
    }
}

int cor_command_agent(int argc, char **argv)
{
    (void)argv;
    if (argc > 1 || isatty(0) || isatty(1)) {
        fputs("corunna agent: internal command; the launcher starts it on other hosts\n", stderr);
        return RUN_STATUS_USAGE;
    }
    run_link up;
    agent_job job;
    cor_fault fault = {0};
    signal(SIGPIPE, SIG_IGN);
    cor_run_link_open(&up, 0, 1, FROM_PARENT);
    agent_greet(&up);
    if (agent_await_job(&up, &job, &fault) != COR_OK) {
        fprintf(stderr, "corunna agent: %s\n", fault.text);
        cor_run_link_close(&up);
        return 1;
    }
    job.plan.up = &up;
    int status = cor_run_plan(&job.plan);
    cor_agent_job_fini(&job);
    cor_run_link_close(&up);
    return status;
}
