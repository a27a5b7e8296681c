/* SPDX-License-Identifier: Apache-2.0 */
/* A server or a client: makes the connections, and runs the phase on them. */
#define _GNU_SOURCE
#include "hammer.h"

#include "calls.h"
#include "check.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENDS_PHASE(name) hammer_phase_##name,
static void (*const ends_phases[])(hammer_board *, hammer_end, int *) = {HAMMER_PHASES(ENDS_PHASE)};

/* A connection begins with its number, since the server may accept in another order. */
static void ends_accept(hammer_board *board, int *fds)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    board->port = ntohs(address.sin_port);
    for (int i = 0; i < board->connections; i++) {
        uint32_t number;
        int fd = accept(listener, NULL, NULL);
        CHECK(fd >= 0);
        calls_read_all(fd, &number, sizeof number);
        CHECK(number < (uint32_t)board->connections && fds[number] < 0);
        fds[number] = fd;
        /* The client has offered memory by now: this call takes it, before a phase forks. */
        calls_write_all(fd, &number, sizeof number);
    }
    close(listener);
}

static void ends_connect(const hammer_board *board, int *fds)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)board->port)};
    for (uint32_t i = 0, answer; i < (uint32_t)board->connections; i++) {
        fds[i] = calls_connect(&address);
        calls_write_all(fds[i], &i, sizeof i);
        calls_read_all(fds[i], &answer, sizeof answer);
        CHECK_EQUAL(i, answer);
    }
}

int hammer_end_run(hammer_board *board, hammer_end end)
{
    int *fds = malloc((size_t)board->connections * sizeof *fds);
    CHECK(fds != NULL);
    for (int i = 0; i < board->connections; i++)
        fds[i] = -1;
    if (end == HAMMER_END_server)
        ends_accept(board, fds);
    else
        ends_connect(board, fds);
    ends_phases[board->phase](board, end, fds);
    board->is_fast[end] = calls_is_fast();
    free(fds);
    return 0;
}
