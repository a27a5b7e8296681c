/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection that carries frames, to an agent below or to the parent of an agent.
 *
 * Nothing here blocks. Outgoing frames are queued and written when the pipe has space. Forwarded output is bounded by
 * acknowledgements; everything else is small or bounded by the PMI limits of a job.
 */
#ifndef COR_RUN_LINK_H
#define COR_RUN_LINK_H

#include "launch/agent/agent_frame.h"

typedef struct run_link {
    int in_fd, out_fd; /* not blocking; -1 once closed */
    agent_reader reader;
    char *queue; /* bytes [start, filled) are to be written */
    size_t start, filled, room;
    uint64_t sent_ns; /* when something was last queued */
    int silent_ms;    /* time without input */
    size_t unacked;   /* bytes of output sent and not yet acknowledged */
    size_t to_ack;    /* bytes of output received and not yet acknowledged */
} run_link;

/* `sender`: what is at the other end, FROM_AGENT or FROM_PARENT. Takes over both descriptors. */
void cor_run_link_open(run_link *link, int in_fd, int out_fd, int sender);
void cor_run_link_close(run_link *link);
int cor_run_link_is_open(const run_link *link);

/* Queue a frame; dropped when the link is closed. Without memory the link closes. */
void cor_run_link_send(run_link *link, agent_kind kind, int subject, int number, const char *bytes, size_t length);
void cor_run_link_send_frame(run_link *link, const agent_frame *frame);

/* Queue bytes as they are: the greeting. */
void cor_run_link_send_raw(run_link *link, const char *bytes, size_t length);

/* Write what can be written now. */
void cor_run_link_flush(run_link *link);
int cor_run_link_is_empty(const run_link *link);

/* Write all that is queued, for at most wait_ms. */
void cor_run_link_flush_wait(run_link *link, int wait_ms);

/* Read once. 1: there may be more; 0: nothing now; -1: closed. */
int cor_run_link_read(run_link *link);

/* How often to send PING to a peer with this timeout. */
int cor_run_link_ping_ms(int timeout_s);

/* So much output is not yet acknowledged that the ranks should wait. */
int cor_run_link_is_full(const run_link *link);

/* Acknowledge the output that has come. */
void cor_run_link_ack(run_link *link);

#endif
