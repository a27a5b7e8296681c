/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes: every way to read and write. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct calls_sender {
    int fd;
    size_t length;
    unsigned salt;
} calls_sender;

static void *calls_send(void *argument)
{
    calls_sender *sender = argument;
    unsigned char *bytes = malloc(sender->length);
    for (size_t i = 0; i < sender->length; i++)
        bytes[i] = calls_byte(i, sender->salt);
    calls_write_all(sender->fd, bytes, sender->length);
    free(bytes);
    return NULL;
}

void calls_sizes(void)
{
    static const size_t sizes[] = {1,     2,     100,   4095,   4096,   16383,  16384,   16385,
                                   32768, 65535, 65536, 262143, 262144, 262145, 1 << 20, (3 << 20) + 1};
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_echo(listener);
    int fd = calls_connect(&address);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        calls_sender sender = {fd, sizes[i], (unsigned)i};
        unsigned char *bytes = malloc(sizes[i]);
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, NULL, calls_send, &sender));
        calls_read_all(fd, bytes, sizes[i]);
        pthread_join(thread, NULL);
        for (size_t j = 0; j < sizes[i]; j++)
            if (bytes[j] != calls_byte(j, (unsigned)i))
                CHECK_FAIL("byte %zu of %zu is wrong", j, sizes[i]);
        free(bytes);
    }
    close(fd);
    calls_wait(child);
    close(listener);
}

void calls_vectors(void)
{
    int fds[2];
    char a[3], b[5], c[8];
    calls_pair(fds);
    struct iovec out[3] = {{"abc", 3}, {"", 0}, {"defgh", 5}}, in[2] = {{a, 3}, {b, 5}};
    CHECK_EQUAL(8, writev(fds[0], out, 3));
    CHECK_EQUAL(8, readv(fds[1], in, 2));
    CHECK(memcmp(a, "abc", 3) == 0 && memcmp(b, "defgh", 5) == 0);
    struct msghdr message = {.msg_iov = out, .msg_iovlen = 3};
    CHECK_EQUAL(8, sendmsg(fds[1], &message, 0));
    struct iovec one = {c, 8};
    message = (struct msghdr){.msg_iov = &one, .msg_iovlen = 1};
    CHECK_EQUAL(8, recvmsg(fds[0], &message, MSG_WAITALL));
    CHECK(memcmp(c, "abcdefgh", 8) == 0);
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    CHECK_EQUAL(3, sendto(fds[0], "xyz", 3, 0, NULL, 0));
    CHECK_EQUAL(3, recvfrom(fds[1], c, 8, 0, (struct sockaddr *)&from, &length));
    CHECK_EQUAL(0, length);
    CHECK_EQUAL(0, write(fds[0], "", 0));
    close(fds[0]);
    close(fds[1]);
}

void calls_peek(void)
{
    int fds[2], waiting = -1;
    char bytes[10];
    calls_pair(fds);
    CHECK_EQUAL(6, send(fds[0], "peeked", 6, 0));
    CHECK_EQUAL(4, recv(fds[1], bytes, 4, MSG_PEEK));
    CHECK_EQUAL(6, recv(fds[1], bytes, 10, MSG_PEEK));
    CHECK(memcmp(bytes, "peeked", 6) == 0);
    CHECK_OK(ioctl(fds[1], FIONREAD, &waiting));
    CHECK_EQUAL(6, waiting);
    CHECK_EQUAL(3, read(fds[1], bytes, 3));
    CHECK_OK(ioctl(fds[1], FIONREAD, &waiting));
    CHECK_EQUAL(3, waiting);
    CHECK_EQUAL(3, recv(fds[1], bytes, 10, 0));
    CHECK_EQUAL(-1, recv(fds[1], bytes, 10, MSG_DONTWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    close(fds[0]);
    CHECK_EQUAL(0, recv(fds[1], bytes, 10, MSG_PEEK));
    close(fds[1]);
}

void calls_flags(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    int client = calls_connect(&address);
    int server = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    char byte;
    CHECK(server >= 0);
    CHECK(fcntl(server, F_GETFL) & O_NONBLOCK);
    CHECK(fcntl(server, F_GETFD) & FD_CLOEXEC);
    CHECK_EQUAL(-1, read(server, &byte, 1));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_EQUAL(1, write(client, "x", 1));
    struct pollfd one = {server, POLLIN, 0};
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(1, read(server, &byte, 1));
    CHECK_EQUAL(1, write(server, "y", 1));
    CHECK_EQUAL(1, read(client, &byte, 1));
    CHECK_EQUAL(-1, read(server, &byte, 1));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_OK(fcntl(server, F_SETFL, 0));
    struct timeval limit = {0, 50000};
    CHECK_OK(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    CHECK_EQUAL(-1, read(server, &byte, 1));
    CHECK_EQUAL(EAGAIN, errno);
    int on = 1;
    CHECK_OK(ioctl(client, FIONBIO, &on));
    CHECK_EQUAL(-1, read(client, &byte, 1));
    CHECK_EQUAL(EAGAIN, errno);
    close(client);
    close(server);
    close(listener);
}

void calls_files(void)
{
    int fds[2], pipes[2], file = memfd_create("file", 0);
    char bytes[100000], got[100000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)calls_byte(i, 7);
    calls_write_all(file, bytes, sizeof bytes);
    calls_pair(fds);
    off_t offset = 10;
    CHECK_EQUAL((ssize_t)sizeof bytes - 10, sendfile(fds[0], file, &offset, sizeof bytes));
    CHECK_EQUAL((off_t)sizeof bytes, offset);
    calls_read_all(fds[1], got, sizeof bytes - 10);
    CHECK(memcmp(got, bytes + 10, sizeof bytes - 10) == 0);
    CHECK_EQUAL(5, lseek(file, 5, SEEK_SET));
    CHECK_EQUAL(100, sendfile(fds[1], file, NULL, 100));
    CHECK_EQUAL(105, lseek(file, 0, SEEK_CUR));
    calls_read_all(fds[0], got, 100);
    CHECK(memcmp(got, bytes + 5, 100) == 0);
    CHECK_OK(pipe(pipes));
    close(fds[0]);
    close(fds[1]);
    /* splice, with a peer that answers */
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_echo(listener);
    int fd = calls_connect(&address);
    calls_write_all(fd, "before", 6);
    calls_read_all(fd, got, 6);
    calls_write_all(pipes[1], "spliced", 7);
    CHECK_EQUAL(7, splice(pipes[0], NULL, fd, NULL, 7, 0));
    calls_read_all(fd, got, 7);
    CHECK(memcmp(got, "spliced", 7) == 0);
    calls_write_all(fd, "back", 4);
    CHECK_EQUAL(4, splice(fd, NULL, pipes[1], NULL, 4, 0));
    calls_read_all(pipes[0], got, 4);
    CHECK(memcmp(got, "back", 4) == 0);
    close(fd);
    calls_wait(child);
    close(listener);
    close(file);
    close(pipes[0]);
    close(pipes[1]);
}

void calls_streams(void)
{
    int fds[2];
    char line[100];
    calls_pair(fds);
    FILE *out = fdopen(fds[0], "w"), *in = fdopen(fds[1], "r");
    CHECK(out && in);
    CHECK_EQUAL(fds[0], fileno(out));
    fprintf(out, "%s %d\n", "line", 1);
    fflush(out);
    CHECK(fgets(line, sizeof line, in));
    CHECK_TEXT("line 1\n", line);
    CHECK_EQUAL(7, dprintf(fds[0], "line %d\n", 2));
    CHECK(fgets(line, sizeof line, in));
    CHECK_TEXT("line 2\n", line);
    fclose(out);
    CHECK(!fgets(line, sizeof line, in));
    fclose(in);
    calls_pair(fds); /* the same numbers again */
    close(fds[0]);
    close(fds[1]);
}
