/* SPDX-License-Identifier: Apache-2.0 */
/* An input as the file that a reader opens by its path. */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUZZ_PATH_MAX = 64 };

/* The descriptor, to be closed by the caller, and a path to it. Aborts where there is no memory. */
static inline int fuzz_input_open(const void *data, size_t size, char path[FUZZ_PATH_MAX])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, FUZZ_PATH_MAX, "/proc/self/fd/%d", fd);
    return fd;
}

/* No sentence of the code under test is printed; libFuzzer has kept the real stderr. */
static inline void fuzz_input_mute(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        abort();
    stderr = nowhere;
}

#endif
