/* SPDX-License-Identifier: Apache-2.0 */
/* Sleep on a word of memory that may be shared between processes. Not inlined: none of this is a fast path. */
#ifndef COR_BASE_FUTEX_H
#define COR_BASE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleep while *word == expected, at most timeout_ns (0: without limit). Returns for any reason; the caller checks. */
void cor_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);

/* The same for a call that a program may interrupt: errno is EINTR if it was, by a signal whose handler has no
 * SA_RESTART. Systems before Linux 5.16 interrupt it by any handler. */
void cor_futex_wait_as_call(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);

/* 0: this system has no such wait, and the above is interrupted by any handler. */
int cor_futex_can_wait_as_call(void);

/* Wake up to `count` sleepers. */
void cor_futex_wake(_Atomic uint32_t *word, int count);

/* The asymmetric fence. After cor_fence_heavy_init() returned 1 in every process that takes part, a thread that calls
 * cor_fence_heavy() forces a full memory barrier on every running thread of these processes, so that the fast side of
 * a store-then-load hand-shake needs only a compiler barrier. Both return 0 where the kernel does not support it. */
int cor_fence_heavy_init(void);
int cor_fence_heavy(void);

#endif
