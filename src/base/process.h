/*
 * Processes of this host: which space of numbers they are counted in, and whether one that was known has ended.
 *
 * A number alone names nobody for long: it is given to another process some time after the first has ended. Together
 * with the time at which its process started it does.
 */
#ifndef COR_BASE_PROCESS_H
#define COR_BASE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

enum { COR_PROCESS_HOST_MAX = 40, COR_PROCESS_SPACE_MAX = 24 };

/* The running kernel and the space of process ids: two processes that read the same words see the same numbers. The
 * host is "unknown" where /proc does not tell. */
void cor_process_where(char host[COR_PROCESS_HOST_MAX], char space[COR_PROCESS_SPACE_MAX]);

/* When this process started, in ticks since the machine did; 0: /proc does not say. */
uint64_t cor_process_started(void);

/* Has the process ended that had this number and told us when it started? One that its parent has not waited for has
 * ended too. 0 for `started`: not known; another process may be taken for it. */
int cor_process_is_gone(pid_t pid, uint64_t started);

/* The nearest process that is an ancestor of this one and of all of these, or one of them; 0: there is none but the
 * first of the space, or /proc does not say. Reads a line of /proc for every process on the way up. */
pid_t cor_process_common_ancestor(const pid_t *pids, int count);

/* A descriptor that becomes readable when the process ends; -1: the kernel has none for us. */
int cor_process_open(pid_t pid);

#endif
