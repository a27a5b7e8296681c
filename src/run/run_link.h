/*
 * A pipe to another process that speaks frames: an agent below, or the parent of an agent.
 *
 * Nothing here blocks. Frames out are queued and written when the pipe takes them. Output is bounded by what the other
 * side has taken; everything else that is sent is small or bounded by what a job can put.
 */
#ifndef COR_RUN_LINK_H
#define COR_RUN_LINK_H

#include "run/agent_frame.h"

typedef struct run_link {
    int in_fd, out_fd; /* not blocking; -1 once closed */
    agent_reader reader;
    char *queue; /* bytes [start, filled) are to be written */
    size_t start, filled, room;
    uint64_t said_ns; /* when something was last queued */
    int silent_ms;    /* so long nothing has come */
    size_t untaken;   /* bytes of output sent and not yet taken by the other side */
    size_t owed;      /* bytes of output that came and were not yet told to be taken */
} run_link;

/* `speaker`: who is at the other end, AGENT_SAYS or PARENT_SAYS. Takes over both descriptors. */
void cor_run_link_open(run_link *link, int in_fd, int out_fd, int speaker);
void cor_run_link_close(run_link *link);
int cor_run_link_is_open(const run_link *link);

/* Queue a frame; thrown away when the link is closed. Without memory the link closes. */
void cor_run_link_say(run_link *link, agent_kind kind, int subject, int number, const char *bytes, size_t length);
void cor_run_link_pass(run_link *link, const agent_frame *frame);

/* Queue bytes as they are: the greeting. */
void cor_run_link_raw(run_link *link, const char *bytes, size_t length);

/* Write what can be written now. */
void cor_run_link_flush(run_link *link);
int cor_run_link_is_empty(const run_link *link);

/* Write all that is queued, waiting at most so long. */
void cor_run_link_flush_wait(run_link *link, int wait_ms);

/* Take one bunch of bytes. 1: there may be more; 0: not now; -1: the end. */
int cor_run_link_read(run_link *link);

/* How often to say PING to somebody who gives up after so long a silence. */
int cor_run_link_ping_ms(int timeout_s);

/* So much output is under way that the ranks should wait. */
int cor_run_link_is_full(const run_link *link);

/* Tell the other side that what it sent of output was taken. */
void cor_run_link_settle(run_link *link);

#endif
