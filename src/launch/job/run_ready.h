/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The descriptors of the ranks of this host, in sets that the kernel keeps (epoll). Where ranks are very many, a poll
 * over all their descriptors for every request of one takes longer than the request.
 *
 * There are three sets, because PMI is always read, and the ranks' output only while its destination accepts more. A
 * descriptor leaves its set when it is closed.
 */
#ifndef COR_RUN_READY_H
#define COR_RUN_READY_H

typedef enum run_ready_kind { RUN_READY_PMI, RUN_READY_OUTPUT, RUN_READY_ERROR, RUN_READY_KINDS } run_ready_kind;

/* The sets' own descriptors, readable when one inside is; -1: not open. */
typedef struct run_ready {
    int fds[RUN_READY_KINDS];
} run_ready;

struct run_job;

/* 0, or -1 with errno; to be closed in both cases. */
int cor_run_ready_open(run_ready *ready);
void cor_run_ready_close(run_ready *ready);

/* The descriptors of a rank of this host that has just been started. 0, or -1 with errno. */
int cor_run_ready_add(struct run_job *job, int rank);

/* Read once from each descriptor of this set that is ready, a bounded number, and answer. */
void cor_run_ready_handle(struct run_job *job, run_ready_kind kind);

#endif
