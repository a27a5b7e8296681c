/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that fail on command. A program that links failing_calls.c has its own pwrite, pwritev, pread, preadv,
 * fsync, fdatasync, ftruncate, fallocate and close in front of the C library's, also for the shared libraries it uses.
 * Of calls on files below one folder the n-th in the process fails, or moves fewer bytes than it was asked to.
 */
#ifndef TESTS_FAILING_CALLS_H
#define TESTS_FAILING_CALLS_H

typedef enum failing_kind {
    FAILING_WRITE, /* pwrite and its kin */
    FAILING_READ,
    FAILING_SYNC,
    FAILING_SIZE, /* ftruncate, fallocate */
    FAILING_CLOSE,
    FAILING_KINDS
} failing_kind;

/* In place of an errno: half of the bytes. */
enum { FAILING_SHORT = -1 };

/* From the n-th call of the kind on from now (1: the next), `many` calls fail so. n 0: none. Files below `folder`. */
void failing_arm(const char *folder, failing_kind kind, int n, int many, int error);
/* How many calls have failed since; nothing fails any more. */
int failing_disarm(void);

#endif
