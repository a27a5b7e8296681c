/* SPDX-License-Identifier: Apache-2.0 */
/* The calls in which ranks wait while the last one of them dies (survivor.c). Each program has a table of its own. */
#ifndef TESTS_ALIVE_SURVIVOR_H
#define TESTS_ALIVE_SURVIVOR_H

#include <mpi.h>

enum {
    SURVIVOR_DEATH_MS = 100,   /* from when all are about to wait to the death */
    SURVIVOR_PAUSE_MS = 300,   /* until all are about to wait, where there is no room to say so */
    SURVIVOR_LONGEST_MS = 700, /* that a rank waits for the death without making progress */
    SURVIVOR_LONG = 1 << 20,   /* bytes: beyond every eager limit, several pieces on a board */
};

typedef struct survivor {
    int rank, size, victim;
    MPI_Comm survivors;
    char *data, *more; /* SURVIVOR_LONG for each rank */
    int turn;          /* how often the call of the case was made before */
    const char *room;  /* a folder, or NULL */
    int life;          /* a file in it, locked while the victim lives */
    MPI_Win wins[2];   /* of programs that prepare some */
    void *bases[2];    /* their memory */
} survivor;

typedef struct survivor_case {
    const char *name;
    int (*wait)(survivor *m); /* the call; returns the error */
    void (*last_words)(survivor *m);
    int is_loop; /* it is made again and again, until one dies in the midst */
} survivor_case;

/* What ranks tell each other beside MPI, in the folder SURVIVOR_ROOM of the case. Without it they wait as long as
 * things take on a quiet machine. */
void survivor_say(const survivor *m, const char *what);
/* Until that rank has said so, at most so long. Makes progress meanwhile if asked to. */
void survivor_await(const survivor *m, const char *what, int rank, int limit_ms, int is_progressing);
void survivor_await_death(const survivor *m);

/* What all ranks make together before the case. */
void survivor_prepare(survivor *m);

extern const survivor_case survivor_cases[];
extern const int survivor_case_count;

#endif
