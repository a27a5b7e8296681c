/*
 * What the launcher and its agents say to each other, over the one pipe between two of them.
 *
 * An agent opens with a greeting line, because what a login prints may come before it; everything after, both ways,
 * is frames. A frame is a header of sixteen bytes (little-endian: length, kind, three zeros, subject, number), its
 * bytes, and a newline: some launchers pass output on by lines only. Any bytes may come in: what is no frame, or one
 * that this side should never get, is refused, and nothing is believed longer than its kind allows.
 */
#ifndef COR_RUN_AGENT_FRAME_H
#define COR_RUN_AGENT_FRAME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Who may say it: the parent (the launcher, or an agent to those below it) or the agent. */
enum { AGENT_SAYS = 1, PARENT_SAYS = 2, BOTH_SAY = 3 };

/* What the subject is. */
enum { OF_NOTHING, OF_RANK, OF_HOST };

/* X(name, who, of, longest, meaning) */
#define AGENT_FRAME_LIST(X)                                                                                           \
    X(HELLO, AGENT_SAYS, OF_NOTHING, 1 << 10, "the agent has started; its version")                                   \
    X(JOB, PARENT_SAYS, OF_NOTHING, 64 << 20, "what to run, and which hosts are below")                               \
    X(INPUT, PARENT_SAYS, OF_RANK, 1 << 16, "bytes of stdin; none: its end")                                          \
    X(SIGNAL, PARENT_SAYS, OF_NOTHING, 0, "number: a signal for every rank")                                          \
    X(KILL, PARENT_SAYS, OF_NOTHING, 0, "end every rank now")                                                         \
    X(FINISH, PARENT_SAYS, OF_NOTHING, 0, "all ranks of the job have ended, clean up")                                \
    X(FENCE, BOTH_SAY, OF_NOTHING, 64 << 20, "up: all below are in the barrier; down: out of it; what was put")       \
    X(TAKEN, BOTH_SAY, OF_NOTHING, 0, "number: bytes of output (down) or input (up) consumed")                        \
    X(PING, BOTH_SAY, OF_NOTHING, 0, "still here")                                                                    \
    X(OUTPUT, AGENT_SAYS, OF_RANK, 1 << 20, "bytes of stdout; none: its end")                                         \
    X(ERROR, AGENT_SAYS, OF_RANK, 1 << 20, "bytes of stderr; none: its end")                                          \
    X(ABORT, AGENT_SAYS, OF_RANK, 1 << 10, "number: the status; the reason")                                          \
    X(EXIT, AGENT_SAYS, OF_RANK, 0, "number: a wait status, and AGENT_EXIT_EARLY")                                    \
    X(FAIL, AGENT_SAYS, OF_HOST, 1 << 10, "number: the exit status; a sentence")                                      \
    X(LOST, AGENT_SAYS, OF_HOST, 1 << 10, "number: how many hosts, from this one on; a sentence")                     \
    X(DONE, AGENT_SAYS, OF_NOTHING, 0, "all processes here and below have ended")

typedef enum agent_kind {
#define AGENT_FRAME_ENUM(name, who, of, longest, meaning) AGENT_##name,
    AGENT_FRAME_LIST(AGENT_FRAME_ENUM)
#undef AGENT_FRAME_ENUM
        AGENT_KIND_COUNT
} agent_kind;

enum {
    AGENT_HEADER = 16,
    AGENT_VERSION = 2,
    AGENT_EXIT_EARLY = 1 << 16,  /* between MPI_Init and MPI_Finalize; a wait status needs sixteen bits */
    AGENT_PREAMBLE_MAX = 1 << 16 /* so much may be said before the greeting */
};

#define AGENT_GREETING "corunna-agent/"

typedef struct agent_frame {
    agent_kind kind;
    int subject; /* a rank or a host of the job; 0 if of nothing */
    int number;
    const char *bytes; /* not terminated */
    size_t length;
} agent_frame;

/* Is OF_RANK the subject of this kind, or OF_HOST, or nothing? */
int cor_agent_frame_of(agent_kind kind);
const char *cor_agent_frame_name(agent_kind kind);

/* The header of a frame; its bytes and a newline follow it. */
void cor_agent_frame_header(const agent_frame *frame, unsigned char header[AGENT_HEADER]);

/* Gathers bytes and gives them back as frames. Zero-initialise it, with who it is that speaks. */
typedef struct agent_reader {
    int speaker;    /* AGENT_SAYS or PARENT_SAYS */
    int is_greeted; /* a parent speaks without greeting: set it */
    char *bytes;
    size_t start, filled, room;
} agent_reader;

/* Room for at least `wanted` more bytes, or NULL when memory is out; then say how many came. */
char *cor_agent_reader_room(agent_reader *reader, size_t wanted);
void cor_agent_reader_filled(agent_reader *reader, size_t count);

/* The next frame, valid until cor_agent_reader_room. COR_AGAIN when there is none yet; COR_ERR_PROTOCOL when what came
 * is none, which the fault tells. */
int cor_agent_reader_next(agent_reader *reader, agent_frame *frame_p, cor_fault *fault);

void cor_agent_reader_fini(agent_reader *reader);

#endif
