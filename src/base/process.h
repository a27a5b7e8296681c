/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of this host: their pid namespace, and whether a known one has ended.
 *
 * A process id alone is not unique, since it is reused after the process has ended. Together with the start time of
 * the process it is.
 */
#ifndef COR_BASE_PROCESS_H
#define COR_BASE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

enum { COR_PROCESS_HOST_MAX = 40, COR_PROCESS_SPACE_MAX = 24 };

/* The running kernel and the pid namespace: two processes with the same texts see the same process ids. The host is
 * "unknown" where /proc is not readable. */
void cor_process_where(char host[COR_PROCESS_HOST_MAX], char space[COR_PROCESS_SPACE_MAX]);

/* The start time of this process, in ticks since boot; 0: not known. */
uint64_t cor_process_started(void);

/* Has the process with this id and start time ended? A zombie has ended too. `started` 0: not known; a reused id is
 * not noticed. */
int cor_process_is_gone(pid_t pid, uint64_t started);

/* The nearest process that is an ancestor of this one and of all of these, or one of them; 0: none but the first of
 * the namespace, or /proc is not readable. Reads a line of /proc for every ancestor. */
pid_t cor_process_common_ancestor(const pid_t *pids, int count);

/* A descriptor that becomes readable when the process ends; -1: not supported. */
int cor_process_open(pid_t pid);

#endif
