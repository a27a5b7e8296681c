/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcpy for lengths not known at compile time but mostly tiny: up to 64 bytes without a call.
 *
 * In a program compiled with AddressSanitizer the sanitizer's memcpy reports a buffer that is too short; an inlined
 * copy would suppress that report. There every copy is a call of memcpy.
 */
#ifndef COR_BASE_COPY_H
#define COR_BASE_COPY_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __SANITIZE_ADDRESS__ /* else the copies here are instrumented themselves */
extern void cor_copy_sanitizer(void) __asm__("__asan_init") __attribute__((weak));
#endif

/* Is the program sanitized? The dynamic linker knows: a constant of the process, one load. */
static inline int cor_copy_is_watched(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    return COR_UNLIKELY(cor_copy_sanitizer != NULL);
#endif
}

/* Budget: 8 bytes in about 1 ns. Two overlapping moves cover every length of a size class; the fixed-size memcpys
 * below are single loads and stores. */
static inline void cor_copy(void *to, const void *from, size_t length)
{
    char *t = to;
    const char *f = from;
    if (cor_copy_is_watched())
        __asm__("" : "+r"(length)); /* hides the value from the compiler, which has to call memcpy */
    if (length > 64 || cor_copy_is_watched()) {
        memcpy(to, from, length);
    } else if (length > 32) {
        char head[32], tail[32];
        memcpy(head, f, 32);
        memcpy(tail, f + length - 32, 32);
        memcpy(t, head, 32);
        memcpy(t + length - 32, tail, 32);
    } else if (length > 16) {
        char head[16], tail[16];
        memcpy(head, f, 16);
        memcpy(tail, f + length - 16, 16);
        memcpy(t, head, 16);
        memcpy(t + length - 16, tail, 16);
    } else if (length >= 8) {
        uint64_t head, tail;
        memcpy(&head, f, 8);
        memcpy(&tail, f + length - 8, 8);
        memcpy(t, &head, 8);
        memcpy(t + length - 8, &tail, 8);
    } else if (length >= 4) {
        uint32_t head, tail;
        memcpy(&head, f, 4);
        memcpy(&tail, f + length - 4, 4);
        memcpy(t, &head, 4);
        memcpy(t + length - 4, &tail, 4);
    } else {
        for (size_t i = 0; i < length; i++)
            t[i] = f[i];
    }
}

/* Announce program memory that one of Corunna's loops, which no sanitizer instruments, is going to write. */
static inline void cor_copy_announce(void *memory, size_t length)
{
    if (cor_copy_is_watched()) {
        void *same = memory;
        __asm__("" : "+r"(same), "+r"(length)); /* hides from the compiler that this changes nothing */
        memmove(memory, same, length);
    }
}

#endif
