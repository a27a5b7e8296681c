/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol between the launcher and its agents, over the one pipe between two of them.
 *
 * An agent begins with a greeting line, because the output of a login may come before it. Everything after it is
 * frames, in both directions. A frame is a header of sixteen bytes (little-endian: length, kind, three zeros, subject,
 * number), its bytes, and a newline: some launchers forward output by lines only. The input is not trusted: a
 * malformed frame, a frame of the wrong direction and a frame that is longer than its kind allows are rejected.
 */
#ifndef COR_RUN_AGENT_FRAME_H
#define COR_RUN_AGENT_FRAME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Senders: the parent (the launcher, or an agent to those below it) or the agent. */
enum { FROM_AGENT = 1, FROM_PARENT = 2, FROM_BOTH = 3 };

/* What the subject is. */
enum { OF_NOTHING, OF_RANK, OF_HOST };

/* X(name, sender, of, longest, meaning) */
#define AGENT_FRAME_LIST(X)                                                                                           \
    X(HELLO, FROM_AGENT, OF_NOTHING, 1 << 10, "the agent has started; its version")                                   \
    X(JOB, FROM_PARENT, OF_NOTHING, 64 << 20, "what to run, and which hosts are below")                               \
    X(INPUT, FROM_PARENT, OF_NOTHING, 1 << 16, "a piece of stdin for all that read it; none: its end")                \
    X(SIGNAL, FROM_PARENT, OF_NOTHING, 0, "number: a signal for every rank")                                          \
    X(KILL, FROM_PARENT, OF_NOTHING, 0, "end every rank now")                                                         \
    X(FINISH, FROM_PARENT, OF_NOTHING, 0, "all ranks of the job have ended, clean up")                                \
    X(FENCE, FROM_BOTH, OF_NOTHING, 64 << 20, "up: all below are in the barrier; down: out of it; what was put")      \
    X(ACK, FROM_BOTH, OF_NOTHING, 0, "down: bytes of output consumed; up: stdin taken, and whether more is wanted")   \
    X(PING, FROM_BOTH, OF_NOTHING, 0, "still here")                                                                   \
    X(OUTPUT, FROM_AGENT, OF_RANK, 1 << 20, "bytes of stdout; none: its end")                                         \
    X(ERROR, FROM_AGENT, OF_RANK, 1 << 20, "bytes of stderr; none: its end")                                          \
    X(ABORT, FROM_AGENT, OF_RANK, 1 << 10, "number: the status; the reason")                                          \
    X(EXIT, FROM_AGENT, OF_RANK, 0, "number: a wait status, and AGENT_EXIT_EARLY")                                    \
    X(FAIL, FROM_AGENT, OF_HOST, 1 << 10, "number: the exit status; a sentence")                                      \
    X(LOST, FROM_AGENT, OF_HOST, 1 << 10, "number: how many hosts, from this one on; a sentence")                     \
    X(FOREIGN, FROM_AGENT, OF_RANK, 1 << 10, "a rank runs with this library of another MPI")                          \
    X(CLOCK, FROM_BOTH, OF_NOTHING, 16, "down: the time here; up: that time, and the time there")                     \
    X(STATE, FROM_AGENT, OF_RANK, 1 << 10, "what a rank is doing")                                                    \
    X(RECORD, FROM_AGENT, OF_RANK, 1 << 20, "number: a page; what a rank has recorded, from that page on")            \
    X(DONE, FROM_AGENT, OF_NOTHING, 0, "all processes here and below have ended")

typedef enum agent_kind {
#define AGENT_FRAME_ENUM(name, sender, of, longest, meaning) AGENT_##name,
    AGENT_FRAME_LIST(AGENT_FRAME_ENUM)
#undef AGENT_FRAME_ENUM
        AGENT_KIND_COUNT
} agent_kind;

enum {
    AGENT_HEADER = 16,
    AGENT_VERSION = 5,
    AGENT_EXIT_EARLY = 1 << 16,  /* between MPI_Init and MPI_Finalize; a wait status needs sixteen bits */
    AGENT_PREAMBLE_MAX = 1 << 16 /* bytes before the greeting */
};

#define AGENT_GREETING "corunna-agent/"

typedef struct agent_frame {
    agent_kind kind;
    int subject; /* a rank or a host of the job; 0: nothing */
    int number;
    const char *bytes; /* not terminated */
    size_t length;
} agent_frame;

/* The subject of this kind: OF_RANK, OF_HOST or OF_NOTHING. */
int cor_agent_frame_of(agent_kind kind);
const char *cor_agent_frame_name(agent_kind kind);

/* The header of a frame; its bytes and a newline follow it. */
void cor_agent_frame_header(const agent_frame *frame, unsigned char header[AGENT_HEADER]);

/* Collects bytes and returns them as frames. Zero-initialise it, except for the sender. */
typedef struct agent_reader {
    int sender;     /* FROM_AGENT or FROM_PARENT */
    int is_greeted; /* set it if the sender is a parent, which sends no greeting */
    char *bytes;
    size_t start, filled, room;
} agent_reader;

/* Space for at least `wanted` more bytes, or NULL when memory is out; then how many were read. */
char *cor_agent_reader_room(agent_reader *reader, size_t wanted);
void cor_agent_reader_filled(agent_reader *reader, size_t count);

/* The next frame, valid until cor_agent_reader_room. COR_AGAIN: none yet. COR_ERR_PROTOCOL: malformed, as the fault
 * says. */
int cor_agent_reader_next(agent_reader *reader, agent_frame *frame_p, cor_fault *fault);

void cor_agent_reader_fini(agent_reader *reader);

#endif
