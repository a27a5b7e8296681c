/* SPDX-License-Identifier: Apache-2.0 */
/* The calls in which ranks wait while the last one of them dies (survivor.c). */
#ifndef TESTS_ALIVE_SURVIVOR_H
#define TESTS_ALIVE_SURVIVOR_H

#include <mpi.h>

enum {
    SURVIVOR_DEATH_MS = 300,
    SURVIVOR_LONG = 1 << 20, /* bytes: beyond every eager limit, several pieces on a board */
};

typedef struct survivor {
    int rank, size, victim;
    MPI_Comm survivors;
    char *data, *more; /* SURVIVOR_LONG for each rank */
    int turn;          /* how often the call of the case was made before */
} survivor;

typedef struct survivor_case {
    const char *name;
    int (*wait)(survivor *m); /* the call; returns the error */
    void (*last_words)(survivor *m);
    int is_loop; /* it is made again and again, until one dies in the midst */
} survivor_case;

extern const survivor_case survivor_cases[];
extern const int survivor_case_count;

#endif
