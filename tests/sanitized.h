/* SPDX-License-Identifier: Apache-2.0 */
/* Is this program sanitized, or does an emulator run it or its machine? Such ones run some ten times slower, and tests
 * of volume then do less; the memory of the process is not theirs alone. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#ifndef TEST_IS_SANITIZED
#define TEST_IS_SANITIZED 0
#endif
#ifndef TEST_IS_EMULATED /* the build for another machine defines it */
#define TEST_IS_EMULATED 0
#endif

#include <stdlib.h>

static inline int test_is_slow(void)
{
    return TEST_IS_SANITIZED || getenv("CORUNNA_TEST_SLOW") != NULL;
}

#endif
