/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link as bad as a test wants it: two Ethernet ports, each in a network namespace, and between them this process,
 * which hands real frames on, late and not all of them.
 *
 *   bad_link END END DELAY_US LOSS_PER_MILLE [SEED]
 *
 * An END is the name of the port to make, and where it is not this namespace, "@" and the file of the namespace:
 * eth0@/proc/123/ns/net. Every frame is delayed by DELAY_US in its direction, in order, and lost with the given
 * probability, by random numbers that follow from the SEED; without one it is drawn. SIGUSR1 cuts the link: nothing
 * comes through, and neither end is told, as with a switch that has no power. SIGUSR2 joins it again. It ends with its
 * parent or on SIGTERM, the ports with it, and then says what it has done.
 *
 * Status 77: this system has no such ports (TAP devices), or does not let us have them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { LINK_FRAMES = 4096, LINK_FRAME_BYTES = 2048, LINK_AT_ONCE = 64, LINK_SKIPPED = 77 };

typedef struct link_frame {
    uint64_t due_ns;
    size_t bytes;
    unsigned char data[LINK_FRAME_BYTES];
} link_frame;

/* One direction: frames on their way, oldest first. */
typedef struct link_lane {
    int from, to;
    unsigned first, count;
    uint64_t random;
    link_frame *frames;
} link_lane;

typedef struct bad_link {
    link_lane lanes[2];
    uint64_t delay_ns;
    unsigned loss_per_mille;
    int is_cut;
    unsigned long passed, lost, cut;
} bad_link;

static uint64_t link_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t link_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t mix = *state;
    mix = (mix ^ mix >> 30) * 0xbf58476d1ce4e5b9u;
    mix = (mix ^ mix >> 27) * 0x94d049bb133111ebu;
    return mix ^ mix >> 31;
}

static void link_refuse(const char *what, const char *which)
{
    fprintf(stderr, "skipped: bad_link: %s %s: %s\n", what, which, strerror(errno));
    exit(LINK_SKIPPED);
}

/* ---- ports ------------------------------------------------------------------------------------------------------ */

/* The port belongs to the namespace in which the device was opened. */
static int port_open(const char *end)
{
    char name[IFNAMSIZ] = "";
    const char *at = strchr(end, '@');
    size_t length = at ? (size_t)(at - end) : strlen(end);
    memcpy(name, end, length < sizeof name ? length : sizeof name - 1);
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int there = at ? open(at + 1, O_RDONLY | O_CLOEXEC) : -1;
    if (home < 0 || (at && (there < 0 || setns(there, CLONE_NEWNET) != 0)))
        link_refuse("cannot enter the namespace of", end);
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        link_refuse("cannot open /dev/net/tun for", end);
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    memcpy(request.ifr_name, name, sizeof name);
    if (ioctl(fd, TUNSETIFF, &request) != 0)
        link_refuse("cannot make the port", end);
    if (at && setns(home, CLONE_NEWNET) != 0)
        link_refuse("cannot come back from the namespace of", end);
    close(home);
    if (there >= 0)
        close(there);
    return fd;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* Take what has come. A full lane loses frames as a switch with a full queue does. */
static void lane_take(bad_link *link, link_lane *lane)
{
    for (int i = 0; i < LINK_AT_ONCE; i++) {
        link_frame spare, *frame = &spare;
        if (lane->count < LINK_FRAMES)
            frame = &lane->frames[(lane->first + lane->count) % LINK_FRAMES];
        ssize_t got = read(lane->from, frame->data, sizeof frame->data);
        if (got <= 0)
            return;
        if (link->is_cut) {
            link->cut++;
        } else if (frame == &spare || link_random(&lane->random) % 1000 < link->loss_per_mille) {
            link->lost++;
        } else {
            frame->bytes = (size_t)got;
            frame->due_ns = link_now_ns() + link->delay_ns;
            lane->count++;
        }
    }
}

/* Hand on what is due. Returns when the next one is, or UINT64_MAX. */
static uint64_t lane_give(bad_link *link, link_lane *lane)
{
    while (lane->count > 0) {
        link_frame *frame = &lane->frames[lane->first];
        if (frame->due_ns > link_now_ns())
            return frame->due_ns;
        ssize_t put = write(lane->to, frame->data, frame->bytes);
        if (put < 0) /* the port is not up yet, or its queue is full */
            link->lost++;
        else
            link->passed++;
        lane->first = (lane->first + 1) % LINK_FRAMES;
        lane->count--;
    }
    return UINT64_MAX;
}

static void link_cut(bad_link *link, int is_cut)
{
    link->is_cut = is_cut;
    for (int i = 0; is_cut && i < 2; i++) {
        link->cut += link->lanes[i].count;
        link->lanes[i].count = 0;
    }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* 0: it is time to end. */
static int link_on_signal(bad_link *link, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1)
            link_cut(link, 1);
        else if (info.ssi_signo == SIGUSR2)
            link_cut(link, 0);
        else
            return 0;
    }
    return 1;
}

static void link_run(bad_link *link, int signals)
{
    struct pollfd fds[3] = {{.fd = link->lanes[0].from, .events = POLLIN},
                            {.fd = link->lanes[1].from, .events = POLLIN},
                            {.fd = signals, .events = POLLIN}};
    uint64_t next_ns = UINT64_MAX;
    for (;;) {
        uint64_t now = link_now_ns(), wait_ns = next_ns > now ? next_ns - now : 0;
        struct timespec wait = {(time_t)(wait_ns / 1000000000u), (long)(wait_ns % 1000000000u)};
        ppoll(fds, 3, next_ns == UINT64_MAX ? NULL : &wait, NULL);
        if ((fds[2].revents & POLLIN) && !link_on_signal(link, signals))
            return;
        next_ns = UINT64_MAX;
        for (int i = 0; i < 2; i++) {
            if (fds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
                return; /* the namespace has ended, and the port with it */
            if (fds[i].revents & POLLIN)
                lane_take(link, &link->lanes[i]);
            uint64_t due_ns = lane_give(link, &link->lanes[i]);
            next_ns = due_ns < next_ns ? due_ns : next_ns;
        }
    }
}

static int link_signals(void)
{
    sigset_t set;
    pid_t parent = getppid();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        exit(0); /* it has ended meanwhile */
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bad_link END END DELAY_US LOSS_PER_MILLE [SEED]\n");
        return 2;
    }
    static bad_link link;
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : link_now_ns() % 1000000;
    int signals = link_signals(), ports[2] = {port_open(argv[1]), port_open(argv[2])};
    link.delay_ns = strtoull(argv[3], NULL, 10) * 1000;
    link.loss_per_mille = (unsigned)strtoul(argv[4], NULL, 10);
    for (int i = 0; i < 2; i++) {
        link.lanes[i] = (link_lane){.from = ports[i], .to = ports[1 - i], .random = seed * 2 + (uint64_t)i};
        link.lanes[i].frames = malloc(LINK_FRAMES * sizeof *link.lanes[i].frames);
        if (!link.lanes[i].frames || signals < 0)
            link_refuse("no room for", argv[1 + i]);
    }
    printf("bad_link: %s to %s: %s us late, %s of 1000 lost, seed %llu\n", argv[1], argv[2], argv[3], argv[4],
           (unsigned long long)seed);
    fflush(stdout);
    link_run(&link, signals);
    printf("bad_link: %s to %s: %lu frames passed, %lu lost, %lu cut off\n", argv[1], argv[2], link.passed, link.lost,
           link.cut);
    return 0;
}
