/* SPDX-License-Identifier: Apache-2.0 */
/* Splice from and to a connection whose peer makes no call meanwhile. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void calls_splice(void)
{
    int fds[2], pipes[2];
    char bytes[8] = {0};
    calls_pair(fds);
    CHECK_OK(pipe(pipes));
    for (int round = 0; round < 3; round++) {
        calls_write_all(fds[0], "hello", 5);
        CHECK_EQUAL(5, splice(fds[1], NULL, pipes[1], NULL, 100, 0));
        CHECK_EQUAL(5, read(pipes[0], bytes, sizeof bytes));
        CHECK(memcmp("hello", bytes, 5) == 0);
        calls_write_all(pipes[1], "back", 4);
        CHECK_EQUAL(4, splice(pipes[0], NULL, fds[1], NULL, 4, 0));
        calls_read_all(fds[0], bytes, 4);
        CHECK(memcmp("back", bytes, 4) == 0);
    }
    close(fds[0]);
    CHECK_EQUAL(0, splice(fds[1], NULL, pipes[1], NULL, 100, 0)); /* the end, and none before */
    close(fds[1]);
    close(pipes[0]);
    close(pipes[1]);
}
