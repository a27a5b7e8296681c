/* SPDX-License-Identifier: Apache-2.0 */
/* How the library that plays PMIx is told what to do: its one function besides those of PMIx, to be found by dlsym. */
#ifndef COR_TESTS_FAKE_PMIX_H
#define COR_TESTS_FAKE_PMIX_H

typedef enum fake_fence {
    FAKE_FENCE_OPENS,
    FAKE_FENCE_IS_LATE,
    FAKE_FENCE_WAITS,
    FAKE_FENCE_STAYS,
    FAKE_FENCE_IS_PARTIAL
} fake_fence;
typedef enum fake_abort { FAKE_ABORT_IS_HEARD, FAKE_ABORT_HANGS, FAKE_ABORT_IS_REFUSED } fake_abort;

enum { FAKE_LATE_MS = 100 };

/* What the next fence and abort do; no process is ended. An abort that hangs returns, and a
 * fence that waits opens, when it is told otherwise. `peer` is what rank 1 has told: NULL, the same as rank 0. */
typedef void (*fake_play_fn)(fake_fence fence, fake_abort abort, const char *peer);

/* The server of this name space is lost, says the library with this status. 1: it was asked to, and its word was taken.
 * 0: nobody has asked, or it was told that nobody is there any more. */
typedef int (*fake_lose_server_fn)(const char *space, int status);

#endif
