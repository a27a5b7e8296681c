/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More threads for a rank. Where the ranks are threads themselves, a new thread must be told whose it is; where they
 * are processes it knows.
 */
#ifndef TESTS_P2P_EXTRA_THREADS_H
#define TESTS_P2P_EXTRA_THREADS_H

#include "suite.h"

typedef struct extra_thread {
    const suite *s;
    int number;    /* 0.. */
    void *context; /* the same for all */
} extra_thread;

/* Run `body` in `count` threads of this rank at once and wait for all. */
void extra_threads_run(const suite *s, int count, void (*body)(const extra_thread *me), void *context);

#endif
