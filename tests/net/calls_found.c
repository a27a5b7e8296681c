/* SPDX-License-Identifier: Apache-2.0 */
/* What suites of others have found. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An urgent byte on a new connection is told beside what else is ready, as CPython's asyncore wants it, which always looks for
 * room to write. */
void calls_urgent_beside(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fd = calls_connect(&address), server = accept(listener, NULL, NULL);
    struct pollfd one = {fd, POLLPRI | POLLOUT, 0};
    fd_set out, other;
    CHECK_EQUAL(1, send(server, "!", 1, MSG_OOB));
    CHECK_UNTIL(one.revents == (POLLPRI | POLLOUT), CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS)));
    FD_ZERO(&out);
    FD_SET(fd, &out);
    other = out;
    CHECK_EQUAL(2, select(fd + 1, NULL, &out, &other, NULL));
    CHECK(FD_ISSET(fd, &out) && FD_ISSET(fd, &other));
    close(server);
    close(fd);
    close(listener);
}
