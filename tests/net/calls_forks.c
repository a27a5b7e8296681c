/* SPDX-License-Identifier: Apache-2.0 */
/* Forks by other ways than fork(), and namespaces that a process enters while it has connections. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- forks ------------------------------------------------------------------------------------------------------- */

enum {
    FORKS_BY_FORK,
    FORKS_BY_CLONE,
    FORKS_BY_SYSCALL,
    FORKS_IN_PIDS,
    FORKS_WAYS,
    FORKS_STACK = 256 << 10,
    FORKS_ROUNDS = 300,
    FORKS_GREETINGS = 50,
};

typedef struct forks_pair {
    int fds[2];
} forks_pair;

/* The child has one end and the parent the other; then the child makes connections of its own. */
static int forks_child(void *argument)
{
    forks_pair *pair = argument;
    char byte;
    int more[2];
    close(pair->fds[0]);
    for (int i = 0; i < FORKS_ROUNDS; i++) {
        calls_read_all(pair->fds[1], &byte, 1);
        calls_write_all(pair->fds[1], &byte, 1);
        if (i % 100 == 0) {
            calls_pair(more); /* takes the number that was closed */
            calls_greet(more[1], more[0]);
            close(more[0]);
            close(more[1]);
        }
    }
    _exit(0);
}

/* -1: not permitted. */
static pid_t forks_begin(int way, forks_pair *pair)
{
    static _Alignas(16) char stack[FORKS_STACK];
    pid_t child = -1;
    switch (way) {
    case FORKS_BY_CLONE:
        return clone(forks_child, stack + sizeof stack, SIGCHLD, pair);
    case FORKS_BY_SYSCALL:
        child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        break;
    case FORKS_IN_PIDS:
        return clone(forks_child, stack + sizeof stack, SIGCHLD | CLONE_NEWPID, pair);
    default:
        child = _Fork();
    }
    if (child == 0)
        forks_child(pair);
    return child;
}

/* As servers do: a child for a connection, which the parent closes and forgets. */
void calls_forks(void)
{
    for (int way = 0; way < FORKS_WAYS; way++) {
        forks_pair pairs[2];
        pid_t children[2];
        for (int i = 0; i < 2; i++) {
            calls_pair(pairs[i].fds);
            children[i] = forks_begin(way, &pairs[i]);
            if (children[i] < 0 && way == FORKS_IN_PIDS) {
                printf("skipped: a namespace of process ids: %s\n", strerror(errno));
                return;
            }
            CHECK(children[i] > 0);
            close(pairs[i].fds[1]);
        }
        for (int i = 0; i < FORKS_ROUNDS; i++) {
            for (int j = 0; j < 2; j++) {
                unsigned char byte = calls_byte((size_t)i, (unsigned)j), back;
                calls_write_all(pairs[j].fds[0], &byte, 1);
                calls_read_all(pairs[j].fds[0], &back, 1);
                CHECK_EQUAL(byte, back);
            }
        }
        for (int j = 0; j < 2; j++) {
            close(pairs[j].fds[0]);
        }
        for (int j = 0; j < 2; j++)
            calls_wait(children[j]);
    }
}

/* A fork that fails leaves a connection to its process, which may move it to memory, and is the last to close it. */
void calls_forks_failed(void)
{
    static _Alignas(16) char stack[FORKS_STACK];
    struct sockaddr_in address;
    int listener = calls_listen(&address), fds[2];
    fds[0] = calls_connect(&address);
    fds[1] = accept(listener, NULL, NULL);
    CHECK(fds[1] >= 0);
    CHECK_EQUAL(-1, clone(forks_child, stack + sizeof stack, SIGCHLD | CLONE_SIGHAND, NULL)); /* without CLONE_VM */
    CHECK_EQUAL(EINVAL, errno);
    CHECK_EQUAL(-1, (int)syscall(SYS_clone, SIGCHLD | CLONE_SIGHAND, NULL, NULL, NULL, NULL));
    CHECK_EQUAL(EINVAL, errno);
    for (int i = 0; i < FORKS_GREETINGS; i++)
        calls_greet(fds[0], fds[1]);
    close(fds[0]);
    close(fds[1]);
    close(listener);
}

/* ---- namespaces ------------------------------------------------------------------------------------------------- */

static void forks_loopback_up(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq request = {.ifr_name = "lo"};
    CHECK_OK(ioctl(fd, SIOCGIFFLAGS, &request));
    request.ifr_flags |= IFF_UP;
    CHECK_OK(ioctl(fd, SIOCSIFFLAGS, &request));
    close(fd);
}

/* libc's own, which a preloaded library does not see. */
static int forks_connect_unseen(int fd, const struct sockaddr_in *to)
{
    int (*of_libc)(int, const struct sockaddr *, socklen_t) = connect;
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), *found = libc ? dlsym(libc, "connect") : NULL;
    if (found)
        memcpy(&of_libc, &found, sizeof found);
    return of_libc(fd, (const struct sockaddr *)to, sizeof *to);
}

/* A client from this port, by which the library knows a connection; with is_unseen the library sees no connect(). */
static int forks_connect_from(const struct sockaddr_in *from, const struct sockaddr_in *to, int is_unseen)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    CHECK_OK(bind(fd, (const struct sockaddr *)from, sizeof *from));
    if (is_unseen)
        CHECK_OK(forks_connect_unseen(fd, to));
    else
        CHECK_OK(connect(fd, (const struct sockaddr *)to, sizeof *to));
    return fd;
}

/* A process that used connections enters another network, where the same addresses and ports are other connections. */
void calls_networks(void)
{
    struct sockaddr_in to, from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof from;
    int listener = calls_listen(&to), probe = socket(AF_INET, SOCK_STREAM, 0), begun[2], over[2];
    char byte;
    CHECK_OK(bind(probe, (struct sockaddr *)&from, sizeof from)); /* a port that is free */
    CHECK_OK(getsockname(probe, (struct sockaddr *)&from, &length));
    close(probe);
    CHECK_OK(pipe(begun));
    CHECK_OK(pipe(over));
    pid_t child = calls_fork();
    if (child == 0) {
        int fds[2];
        close(begun[0]);
        close(over[1]);
        close(listener);
        calls_pair(fds);
        if (unshare(CLONE_NEWNET) != 0) {
            printf("skipped: a network of its own: %s\n", strerror(errno));
            exit(0);
        }
        forks_loopback_up();
        int on = 1, inner = socket(AF_INET, SOCK_STREAM, 0);
        CHECK_OK(setsockopt(inner, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
        CHECK_OK(bind(inner, (struct sockaddr *)&to, sizeof to));
        CHECK_OK(listen(inner, 5));
        int client = forks_connect_from(&from, &to, 0);
        calls_write_all(begun[1], "b", 1);
        CHECK_EQUAL(1, read(over[0], &byte, 1));
        int server = accept(inner, NULL, NULL);
        calls_greet(client, server);
        calls_greet(fds[0], fds[1]); /* of the first network */
        exit(0);
    }
    close(begun[1]);
    close(over[0]);
    if (read(begun[0], &byte, 1) == 1) {
        int client = forks_connect_from(&from, &to, 1), server = accept(listener, NULL, NULL);
        calls_greet(client, server);
        close(client);
        close(server);
        calls_write_all(over[1], "o", 1);
    }
    calls_wait(child);
    close(begun[0]);
    close(over[1]);
    close(listener);
}

/* A network in which 198.51.100.0/24 is behind the loopback device, and nobody answers. 0: it cannot be had. */
static int forks_enter_network(void)
{
    struct rtentry route = {.rt_flags = RTF_UP, .rt_dev = (char[]){"lo"}};
    if (unshare(CLONE_NEWNET) != 0)
        return 0;
    forks_loopback_up();
    *(struct sockaddr_in *)(void *)&route.rt_dst =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("198.51.100.0")};
    *(struct sockaddr_in *)(void *)&route.rt_genmask =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("255.255.255.0")};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK_OK(ioctl(fd, SIOCADDRT, &route));
    close(fd);
    return 1;
}

/* Where a socket may have any address (IP_FREEBIND, and net.ipv4.ip_nonlocal_bind on hosts that stand in for others), a
 * connection with another host comes from one of this host, also where a server here has the same port. */
void calls_any_address(void)
{
    struct sockaddr_in to, from;
    socklen_t length = sizeof from;
    if (!forks_enter_network()) {
        printf("skipped: a network of its own: %s\n", strerror(errno));
        return;
    }
    int listener = calls_listen(&to), fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    close(calls_connect(&to)); /* the server is known by then */
    to.sin_addr.s_addr = inet_addr("198.51.100.7");
    CHECK_OK(setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof on));
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&to, sizeof to));
    CHECK_EQUAL(EINPROGRESS, errno);
    CHECK_OK(getsockname(fd, (struct sockaddr *)&from, &length));
    CHECK(from.sin_addr.s_addr != to.sin_addr.s_addr);
    close(fd);
    close(listener);
}
