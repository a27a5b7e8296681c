/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of calls that are easily forgotten: fortified ones, streams that are older than their connection, empty
 * messages, connections on the numbers of the standard streams, calls by number, limits of files. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* What programs call that are compiled with _FORTIFY_SOURCE. */
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);

static int kinds_print(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int rc = __vdprintf_chk(fd, 1, format, arguments);
    va_end(arguments);
    return rc;
}

void calls_fortified(void)
{
    int fds[2];
    char bytes[6];
    calls_pair(fds);
    CHECK_EQUAL(6, __dprintf_chk(fds[0], 1, "line %d", 1));
    calls_read_all(fds[1], bytes, 6);
    CHECK(memcmp(bytes, "line 1", 6) == 0);
    CHECK_EQUAL(6, kinds_print(fds[0], "line %d", 2));
    calls_read_all(fds[1], bytes, 6);
    CHECK(memcmp(bytes, "line 2", 6) == 0);
    close(fds[0]);
    close(fds[1]);
}

/* A stream that was opened before connect(), and what it says of its place. */
void calls_stream_before(void)
{
    struct sockaddr_in address;
    char line[20];
    int listener = calls_listen(&address), fd = socket(AF_INET, SOCK_STREAM, 0);
    FILE *both = fdopen(fd, "r+");
    CHECK(both != NULL);
    CHECK_OK(connect(fd, (struct sockaddr *)&address, sizeof address));
    int server = accept(listener, NULL, NULL);
    calls_greet(fd, server);
    calls_write_all(server, "one\ntwo\n", 8);
    CHECK(fgets(line, sizeof line, both) != NULL);
    CHECK_TEXT("one\n", line);
    CHECK_OK(fflush(both)); /* with a line unread */
    CHECK_EQUAL(-1, fseek(both, 0, SEEK_CUR));
    CHECK_EQUAL(ESPIPE, errno);
    CHECK_EQUAL(-1, ftell(both));
    CHECK_EQUAL(ESPIPE, errno);
    fclose(both);
    close(server);
    close(listener);
}

/* A connection with the number of a standard stream, which libc reads by calls that no library sees. */
void calls_low(void)
{
    struct sockaddr_in address;
    char line[20];
    int listener = calls_listen(&address);
    for (int is_server = 0; is_server < 2; is_server++) {
        int fds[2] = {-1, -1};
        close(STDIN_FILENO);
        if (is_server) {
            int filler = open("/dev/null", O_RDONLY);
            CHECK_EQUAL(STDIN_FILENO, filler);
            fds[0] = calls_connect(&address);
            close(filler);
            fds[1] = accept(listener, NULL, NULL);
        } else {
            fds[0] = calls_connect(&address);
            fds[1] = accept(listener, NULL, NULL);
        }
        CHECK_EQUAL(STDIN_FILENO, fds[is_server]);
        calls_greet(fds[0], fds[1]);
        calls_write_all(fds[!is_server], "hello\n", 6);
        CHECK(fgets(line, sizeof line, stdin) != NULL);
        CHECK_TEXT("hello\n", line);
        close(fds[0]);
        close(fds[1]);
    }
    close(listener);
}

/* Empty messages wait as others do, but reads of no bytes do not. recvmmsg goes on after the end, within its time. */
void calls_empty(void)
{
    int fds[2];
    char byte, bytes[3][4];
    struct iovec parts[3], none = {&byte, 0};
    struct mmsghdr messages[3] = {0};
    struct msghdr empty = {0};
    struct timespec now = {0, 0}, wrong = {0, -1}, later = {CALLS_LIMIT_S, 0};
    for (int i = 0; i < 3; i++) {
        parts[i] = (struct iovec){bytes[i], sizeof bytes[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    }
    calls_pair(fds);
    CHECK_EQUAL(0, read(fds[1], &byte, 0));
    CHECK_EQUAL(0, readv(fds[1], &none, 1));
    CHECK_EQUAL(-1, recv(fds[1], &byte, 0, MSG_DONTWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_EQUAL(-1, recvmsg(fds[1], &empty, MSG_DONTWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_EQUAL(0, send(fds[0], &byte, 0, 0));
    CHECK_EQUAL(0, write(fds[0], &byte, 0));
    CHECK_EQUAL(-1, recv(fds[1], &byte, 0, MSG_DONTWAIT));
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(0, recv(fds[1], &byte, 0, 0));
    CHECK_EQUAL(1, recv(fds[1], &byte, 1, 0));
    calls_write_all(fds[0], "ab", 2);
    CHECK_EQUAL(1, recvmmsg(fds[1], messages, 3, 0, &now));
    CHECK_EQUAL(-1, recvmmsg(fds[1], messages, 3, 0, &wrong));
    CHECK_EQUAL(EINVAL, errno);
    calls_write_all(fds[0], "abcdefghijkl", 12);
    CHECK_EQUAL(3, recvmmsg(fds[1], messages, 3, 0, &later));
    CHECK(later.tv_sec < CALLS_LIMIT_S && later.tv_sec > 0);
    close(fds[0]);
    CHECK_EQUAL(0, recv(fds[1], &byte, 0, 0));
    CHECK_EQUAL(3, recvmmsg(fds[1], messages, 3, 0, NULL));
    CHECK_EQUAL(0, messages[0].msg_len + messages[2].msg_len);
    close(fds[1]);
}

/* Into a pipe that has less room than there are bytes; and sendfile into one, which older kernels refuse. */
void calls_splice_full(void)
{
    static char bytes[30000], got[30000];
    int fds[2], pipes[2];
    size_t done = 0;
    calls_pair(fds);
    CHECK_OK(pipe(pipes));
    CHECK(fcntl(pipes[1], F_SETPIPE_SZ, 4096) > 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)calls_byte(i, 11);
    calls_write_all(fds[0], bytes, sizeof bytes);
    while (done < sizeof bytes) {
        ssize_t moved = splice(fds[1], NULL, pipes[1], NULL, sizeof bytes, SPLICE_F_NONBLOCK);
        if (moved < 0) {
            CHECK_EQUAL(EAGAIN, errno);
            ssize_t more = read(pipes[0], got + done, sizeof got - done);
            CHECK(more > 0);
            done += (size_t)more;
            continue;
        }
        calls_read_all(pipes[0], got + done, (size_t)moved / 2); /* so that it is full next time */
        done += (size_t)moved / 2;
        if ((size_t)moved + done - (size_t)moved / 2 == sizeof bytes) {
            calls_read_all(pipes[0], got + done, sizeof got - done);
            done = sizeof got;
        }
    }
    CHECK(memcmp(bytes, got, sizeof bytes) == 0);
    calls_write_all(fds[0], "file", 4);
    ssize_t sent = sendfile(pipes[1], fds[1], NULL, 100);
    if (sent < 0)
        CHECK_EQUAL(EINVAL, errno);
    else
        calls_read_all(pipes[0], got, 4);
    CHECK(sent < 0 || (sent == 4 && memcmp(got, "file", 4) == 0));
    CHECK_EQUAL(-1, sendfile(fds[0], pipes[0], NULL, 10));
    CHECK_EQUAL(EINVAL, errno);
    CHECK_EQUAL(-1, splice(fds[0], &(off_t){0}, pipes[1], NULL, 10, 0));
    CHECK(errno == ESPIPE || errno == EINVAL);
    for (int i = 0; i < 2; i++) {
        close(pipes[i]);
        close(fds[i]);
    }
}

static int kinds_listen(struct sockaddr_in *address, int by_number)
{
    socklen_t length = sizeof *address;
    if (!by_number)
        return calls_listen(address);
    int listener = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK_OK((int)syscall(SYS_bind, listener, address, sizeof *address));
    CHECK_OK((int)syscall(SYS_listen, listener, 10));
    CHECK_OK((int)syscall(SYS_getsockname, listener, address, &length));
    return listener;
}

/* A connection by numbers of system calls, made by names or by numbers, too. */
void calls_numbers_all(void)
{
    for (int by_number = 0; by_number < 2; by_number++) {
        struct sockaddr_in address;
        char bytes[10];
        struct iovec part = {bytes, 3};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        int listener = kinds_listen(&address, by_number), waiting = 0, on = 1, found = 0;
        socklen_t length = sizeof found;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK_OK(by_number ? (int)syscall(SYS_connect, fd, &address, sizeof address)
                           : connect(fd, (struct sockaddr *)&address, sizeof address));
        int server =
            by_number ? (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC) : accept(listener, NULL, NULL);
        CHECK(server >= 0);
        calls_greet(fd, server);
        CHECK_EQUAL(3, syscall(SYS_sendto, fd, "one", 3, 0, NULL, 0));
        struct pollfd one = {server, POLLIN, 0};
        CHECK_EQUAL(1, syscall(SYS_ppoll, &one, 1, NULL, NULL, 8));
        CHECK_OK((int)syscall(SYS_ioctl, server, FIONREAD, &waiting));
        CHECK_EQUAL(3, waiting);
        CHECK_EQUAL(3, syscall(SYS_recvfrom, server, bytes, 10, 0, NULL, NULL));
        CHECK_EQUAL(3, syscall(SYS_sendmsg, fd, &message, 0));
        CHECK_EQUAL(3, syscall(SYS_recvmsg, server, &message, 0));
        CHECK_OK((int)syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on));
        CHECK_OK((int)syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, &found, &length));
        CHECK_EQUAL(1, found);
        CHECK_OK((int)syscall(SYS_fcntl, fd, F_SETFL, O_NONBLOCK));
        CHECK_EQUAL(-1, syscall(SYS_recvfrom, fd, bytes, 10, 0, NULL, NULL));
        CHECK_EQUAL(EAGAIN, errno);
        int copy = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 50);
        CHECK_OK((int)syscall(SYS_close, fd));
        CHECK_OK((int)syscall(SYS_shutdown, copy, SHUT_WR));
        CHECK_EQUAL(0, read(server, bytes, 1));
        calls_write_all(server, "b", 1);
        fd_set in;
        FD_ZERO(&in);
        FD_SET(copy, &in);
        CHECK_EQUAL(1, syscall(SYS_pselect6, copy + 1, &in, NULL, NULL, NULL, NULL));
        calls_read_all(copy, bytes, 1);
        CHECK_OK((int)syscall(SYS_close, server));
        CHECK_OK((int)syscall(SYS_close, copy));
        CHECK_OK((int)syscall(SYS_close, listener));
    }
}

static void *kinds_drain(void *argument)
{
    static char bytes[1 << 16];
    check_asleep(getpid());
    while (read(*(const int *)argument, bytes, sizeof bytes) > 0)
        ;
    return NULL;
}

/* A call that succeeds leaves errno alone, also if it waited: so programs tell the end of a stream from an error. */
void calls_errno_kept(void)
{
    static char many[48 << 20];
    int fds[2], set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    pthread_t thread;
    char bytes[4];
    struct iovec part = {bytes, 4};
    calls_pair(fds);
    struct pollfd one = {fds[1], POLLIN, 0};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    for (int way = 0; way < 5; way++) {
        CHECK_OK(pthread_create(&thread, NULL, calls_write_late, &fds[0]));
        errno = 0;
        CHECK(way == 0   ? read(fds[1], bytes, 4) == 4
              : way == 1 ? recv(fds[1], bytes, 4, MSG_WAITALL) == 4
              : way == 2 ? readv(fds[1], &part, 1) == 4
              : way == 3 ? poll(&one, 1, -1) == 1
                         : epoll_wait(set, &event, 1, -1) == 1);
        CHECK_EQUAL(0, errno);
        if (way >= 3)
            calls_read_all(fds[1], bytes, 4);
        CHECK_EQUAL(0, errno);
        pthread_join(thread, NULL);
    }
    CHECK_OK(pthread_create(&thread, NULL, kinds_drain, &fds[1]));
    errno = 0;
    CHECK_EQUAL((ssize_t)sizeof many, write(fds[0], many, sizeof many));
    CHECK_EQUAL(0, errno);
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    pthread_join(thread, NULL);
    errno = 0;
    CHECK_EQUAL(0, read(fds[1], bytes, 1));
    CHECK_EQUAL(0, errno);
    close(set);
    close(fds[0]);
    close(fds[1]);
}

typedef struct kinds_small {
    int fds[2], file;
} kinds_small;

static void *kinds_run_small(void *argument)
{
    const kinds_small *small = argument;
    off_t offset = 0;
    char byte;
    fd_set in;
    CHECK_EQUAL(5000, sendfile(small->fds[0], small->file, &offset, 5000));
    FD_ZERO(&in);
    FD_SET(small->fds[1], &in);
    CHECK_EQUAL(1, select(small->fds[1] + 1, &in, NULL, NULL, NULL));
    for (int i = 0; i < 5000; i++)
        calls_read_all(small->fds[1], &byte, 1);
    return NULL;
}

/* A thread with the smallest stack. */
void calls_small_stack(void)
{
    kinds_small small = {.file = memfd_create("file", 0)};
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK_OK(ftruncate(small.file, 5000));
    calls_pair(small.fds);
    CHECK_OK(pthread_attr_init(&attributes));
    CHECK_OK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    CHECK_OK(pthread_create(&thread, &attributes, kinds_run_small, &small));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    close(small.file);
    close(small.fds[0]);
    close(small.fds[1]);
}

/* No file may have a byte (ulimit -f 0): neither may those that the program does not know of, and it goes on. */
void calls_file_limit(void)
{
    const struct rlimit none = {0, 0};
    int fds[2], null = open("/dev/null", O_WRONLY);
    CHECK_EQUAL(STDERR_FILENO, dup2(null, STDERR_FILENO)); /* may be a file, too */
    close(null);
    CHECK_OK(setrlimit(RLIMIT_FSIZE, &none));
    calls_pair(fds);
    calls_greet(fds[0], fds[1]);
    close(fds[0]);
    close(fds[1]);
}
