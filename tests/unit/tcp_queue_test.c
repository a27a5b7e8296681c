/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank that computes does not take calls, so those of a large job wait in its kernel: it must hold them all, also
 * where a queue of it is short, and when the rank comes back it hears every one of them.
 *
 * In a network space of its own, whose queues are short; needs root, without it is skipped (77).
 */
#define _GNU_SOURCE
#include "check.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { RANKS = 101, CALLERS = RANKS - 1, QUEUE = 16, SKIPPED = 77 };

/* ---- a network of our own --------------------------------------------------------------------------------------- */

static int space_make(void)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    if (unshare(CLONE_NEWNET) != 0)
        return 0;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, ioctl(fd, SIOCSIFFLAGS, &loopback));
    close(fd);
    FILE *file = fopen("/proc/sys/net/core/somaxconn", "w");
    if (!file)
        return 0;
    fprintf(file, "%d\n", QUEUE);
    return fclose(file) == 0;
}

/* ---- a rank alone ----------------------------------------------------------------------------------------------- */

static void rank_awaits_nobody(void *sink, const cor_wire *wire, uint8_t *peers)
{
    (void)sink;
    (void)wire;
    memset(peers, 0, RANKS);
}

/* Rank 0, which hears that all the others are on its host. */
static cor_wire *rank_open(const cor_log *log, const cor_tcp_config *config, tcp_address *address_p)
{
    static char text[COR_WIRE_ADDRESS_MAX];
    const char *all[RANKS];
    uint8_t reached[RANKS] = {0};
    cor_fault fault = {0};
    cor_wire *wire;
    cor_wire_options options = {.rank = 0, .size = RANKS, .log = log, .config = config, .awaited = rank_awaits_nobody};
    CHECK_OK(cor_tcp_wire.open(&options, &wire, &fault));
    wire->ops->address(wire, text);
    CHECK_OK(tcp_address_parse(text, address_p, &fault));
    for (int i = 0; i < RANKS; i++)
        all[i] = text;
    CHECK_OK(wire->ops->connect(wire, all, reached, &fault));
    CHECK_OK(wire->ops->attach(wire, &fault));
    wire->ops->settle(wire);
    return wire;
}

/* ---- callers ---------------------------------------------------------------------------------------------------- */

/* How many calls the kernel has taken by now. */
static int callers_taken(struct pollfd *callers)
{
    int taken = 0;
    poll(callers, CALLERS, 10);
    for (int i = 0; i < CALLERS; i++)
        taken += (callers[i].revents & POLLOUT) && !(callers[i].revents & (POLLERR | POLLHUP));
    return taken;
}

/* All call at once, until the kernel has taken all calls. Those that its queue has no room for it would never take, as
 * the rank does not look. */
static void callers_call(const tcp_address *address, struct pollfd *callers)
{
    const cor_place *place = &address->places[0];
    int taken = 0;
    for (int i = 0; i < CALLERS; i++) {
        callers[i].fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        callers[i].events = POLLOUT;
        CHECK(connect(callers[i].fd, &place->socket.any, cor_place_bytes(place)) == 0 || errno == EINPROGRESS);
    }
    CHECK_WITHIN(10000, taken == CALLERS, taken = callers_taken(callers));
}

static void callers_greet(const tcp_address *address, const struct pollfd *callers)
{
    for (int i = 0; i < CALLERS; i++) {
        uint8_t bytes[COR_HELLO_BYTES];
        cor_hello hello = cor_hello_make(address->secret, i + 1, 0);
        cor_hello_encode(&hello, bytes);
        CHECK_EQUAL(COR_HELLO_BYTES, send(callers[i].fd, bytes, sizeof bytes, MSG_NOSIGNAL));
    }
}

/* 1: a rank that got its answer leaves. */
static int caller_is_answered(struct pollfd *caller)
{
    uint8_t answer[COR_ANSWER_BYTES];
    ssize_t got = caller->fd < 0 ? 0 : recv(caller->fd, answer, sizeof answer, MSG_DONTWAIT);
    if (caller->fd < 0 || (got < 0 && errno == EAGAIN))
        return 0;
    CHECK_EQUAL(COR_ANSWER_BYTES, got);
    close(caller->fd);
    caller->fd = -1;
    return 1;
}

static int callers_answered(struct pollfd *callers)
{
    int count = 0;
    for (int i = 0; i < CALLERS; i++)
        count += caller_is_answered(&callers[i]);
    return count;
}

int main(void)
{
    static struct pollfd callers[CALLERS];
    struct pollfd fds[64];
    cor_log log = {.level = COR_LOG_WARN};
    cor_tcp_config config;
    tcp_address address;
    cor_fault fault = {0};
    int timeout_ms;
    if (!space_make()) {
        puts("skipped: only root has a network of its own with short queues");
        return SKIPPED;
    }
    CHECK_OK(cor_knobs_load(&cor_tcp_knobs, NULL, &config, NULL, &fault));
    cor_wire *wire = rank_open(&log, &config, &address);
    CHECK(address.place_count > 0);
    callers_call(&address, callers);
    callers_greet(&address, callers);
    /* They wake a sleeping rank, however many descriptors it can wait for. */
    for (int room = 1; room <= 64; room += 63) {
        CHECK_EQUAL(1, wire->source.arm(&wire->source));
        int count = wire->source.fds(&wire->source, fds, room, &timeout_ms);
        CHECK(count >= 1 && count <= room);
        CHECK(poll(fds, (nfds_t)count, 0) >= 1);
    }
    int answered = 0;
    CHECK_UNTIL(answered == CALLERS, (wire->ops->poll(wire, -1), answered += callers_answered(callers)));
    CHECK_EQUAL(0, tcp_of(wire)->strangers);
    wire->ops->close(wire);
    puts("all calls waited, and all were heard");
    return 0;
}
