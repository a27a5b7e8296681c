/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permission to read this process's memory.
 *
 * Where the kernel runs Yama with kernel.yama.ptrace_scope at 1, a process may be read only by its ancestors, and by
 * one other process that it names together with all that descend from it. The ranks of a host descend from their
 * launcher there, so the nearest common ancestor of all of them is named: the ranks of the job may read, and what else
 * that user runs may not. The permission ends when the wire closes. Ranks that have no such ancestor would have to
 * permit every process of the user; that is done only where sm.single_copy=always asks for it, and otherwise long
 * messages go through the ring. At 2 and above only a process with special rights may read.
 */
#define _GNU_SOURCE
#include "base/process.h"
#include "xxdev/soft/sm/sm_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TRACE_SCOPE_FILE "/proc/sys/kernel/yama/ptrace_scope"

enum { TRACE_FREE, TRACE_ANCESTORS, TRACE_ADMIN };

/* Where there is no such file, there is no Yama. */
static int trace_scope(void)
{
    char text[8] = "";
    int fd = open(TRACE_SCOPE_FILE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return TRACE_FREE;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 ? atoi(text) : TRACE_FREE;
}

pid_t sm_trace_ancestor(const sm_wire *wire)
{
    pid_t *pids = trace_scope() == TRACE_ANCESTORS ? calloc((size_t)wire->host->count, sizeof *pids) : NULL;
    if (!pids)
        return 0;
    for (int i = 0; i < wire->host->count; i++)
        pids[i] = wire->host->peers[i].pid;
    pid_t ancestor = cor_process_common_ancestor(pids, wire->host->count);
    free(pids);
    return ancestor;
}

/* To this process and its descendants; -1: to all; 0: to none. */
static int trace_allow(sm_wire *wire, long tracer)
{
#ifdef PR_SET_PTRACER
    unsigned long whom = tracer < 0 ? PR_SET_PTRACER_ANY : (unsigned long)tracer;
    if (prctl(PR_SET_PTRACER, whom, 0, 0, 0) == 0)
        return 1;
    COR_LOG(wire->options.log, INFO, "sm: the ranks of this host cannot be allowed to read this one's memory: %s",
            strerror(errno));
#else
    (void)wire;
    (void)tracer;
#endif
    return 0;
}

int sm_trace_permit(sm_wire *wire, int is_forced)
{
    int scope = trace_scope();
    if (scope == TRACE_FREE)
        return 1;
    if (scope >= TRACE_ADMIN) {
        COR_LOG(wire->options.log, INFO,
                "sm: kernel.yama.ptrace_scope is %d, so ranks may not read each other's memory%s", scope,
                is_forced ? "" : "; long messages go through the ring");
        return 0;
    }
    pid_t ancestor = sm_area_of(wire, 0)->ancestor;
    if (!ancestor && !is_forced) {
        COR_LOG(wire->options.log, INFO,
                "sm: kernel.yama.ptrace_scope is 1 and the ranks of this host have no launcher in common; long "
                "messages go through the ring (sm.single_copy=always would let every process of this user read "
                "this rank's memory)");
        return 0;
    }
    wire->is_traceable = trace_allow(wire, ancestor ? (long)ancestor : -1);
    if (wire->is_traceable && ancestor)
        COR_LOG(wire->options.log, DEBUG, "sm: process %d and those below it may read this rank's memory",
                (int)ancestor);
    return wire->is_traceable;
}

void sm_trace_forbid(sm_wire *wire)
{
    if (wire->is_traceable)
        trace_allow(wire, 0);
    wire->is_traceable = 0;
}
