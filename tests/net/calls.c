/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket calls as programs make them, both ends in this program. It is run plain, where the kernel shows that the test is
 * right, and below the preloaded library, which must not make a difference.
 *
 *   sock_calls [CASE]
 *   sock_calls --image FD     another image of the program, which got a connection: answers one request
 */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

const char *calls_self;

/* ---- helpers --------------------------------------------------------------------------------------------------------- */

int calls_listen(struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(fd >= 0);
    CHECK_OK(bind(fd, (struct sockaddr *)address, sizeof *address));
    CHECK_OK(listen(fd, 128));
    CHECK_OK(getsockname(fd, (struct sockaddr *)address, &length));
    return fd;
}

int calls_connect(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0);
    CHECK_OK(connect(fd, (const struct sockaddr *)address, sizeof *address));
    return fd;
}

void calls_write_all(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t sent = write(fd, (const char *)bytes + done, length - done);
        if (sent <= 0)
            CHECK_FAIL("write: %s", strerror(errno));
        done += (size_t)sent;
    }
}

void calls_read_all(int fd, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, (char *)bytes + done, length - done);
        if (got <= 0)
            CHECK_FAIL("read: %s after %zu of %zu bytes", got == 0 ? "end of file" : strerror(errno), done, length);
        done += (size_t)got;
    }
}

static void calls_greet(int client, int server)
{
    char byte = 0;
    calls_write_all(client, "q", 1);
    calls_read_all(server, &byte, 1);
    CHECK_EQUAL('q', byte);
    calls_write_all(server, "a", 1);
    calls_read_all(client, &byte, 1);
    CHECK_EQUAL('a', byte);
}

void calls_pair(int fds[2])
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    fds[0] = calls_connect(&address);
    fds[1] = accept(listener, NULL, NULL);
    CHECK(fds[1] >= 0);
    close(listener);
    calls_greet(fds[0], fds[1]);
}

int calls_is_fast(void)
{
    DIR *list = opendir("/proc/self/fd");
    const struct dirent *entry;
    int is_fast = 0;
    while ((entry = readdir(list)) != NULL) {
        char target[64];
        uint64_t counters[14] = {0};
        ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strncmp(target, "/memfd:corunna-sock-stats", 25) == 0 &&
            pread(atoi(entry->d_name), counters, sizeof counters, 0) > 0)
            is_fast = counters[8] > 0; /* bytes read from shared memory */
    }
    closedir(list);
    return is_fast;
}

pid_t calls_fork(void)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

void calls_wait(pid_t child)
{
    int status;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        CHECK_FAIL("the other process ended with status %x", status);
}

static unsigned char calls_byte(size_t at, unsigned salt)
{
    uint32_t word = (uint32_t)(at + salt) * 2654435761u;
    return (unsigned char)(word >> 24);
}

/* A child that answers everything on one connection. */
static pid_t calls_echo(int listener)
{
    pid_t child = calls_fork();
    if (child > 0)
        return child;
    int fd = accept(listener, NULL, NULL);
    static char buffer[70000];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        calls_write_all(fd, buffer, (size_t)got);
    exit(got == 0 ? 0 : 1);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

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

static void calls_sizes(void)
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

static void calls_vectors(void)
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

static void calls_peek(void)
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

static void calls_flags(void)
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
    CHECK_EQUAL(1, poll(&one, 1, 10000));
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

static void calls_files(void)
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

static void calls_streams(void)
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

/* ---- the end --------------------------------------------------------------------------------------------------------- */

static void calls_shutdown(void)
{
    int fds[2];
    char bytes[10];
    calls_pair(fds);
    CHECK_EQUAL(3, write(fds[0], "end", 3));
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    CHECK_EQUAL(-1, send(fds[0], "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(3, read(fds[1], bytes, 10));
    CHECK_EQUAL(0, read(fds[1], bytes, 10));
    struct pollfd one = {fds[1], POLLIN | POLLOUT | POLLRDHUP, 0};
    CHECK_EQUAL(1, poll(&one, 1, 1000));
    CHECK_EQUAL(POLLIN | POLLOUT | POLLRDHUP, one.revents);
    CHECK_EQUAL(5, write(fds[1], "reply", 5));
    CHECK_EQUAL(5, read(fds[0], bytes, 10));
    CHECK_OK(shutdown(fds[1], SHUT_RDWR));
    CHECK_EQUAL(0, read(fds[0], bytes, 10));
    close(fds[0]);
    close(fds[1]);
}

static void calls_linger(void)
{
    int fds[2];
    char byte;
    struct linger now = {1, 0};
    calls_pair(fds);
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &now, sizeof now));
    close(fds[0]);
    CHECK_EQUAL(-1, read(fds[1], &byte, 1));
    CHECK_EQUAL(ECONNRESET, errno);
    CHECK_EQUAL(0, read(fds[1], &byte, 1));
    CHECK_EQUAL(-1, send(fds[1], "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    close(fds[1]);
    calls_pair(fds); /* bytes that the peer did not read */
    CHECK_EQUAL(1, write(fds[0], "x", 1));
    CHECK_EQUAL(3, write(fds[1], "end", 3));
    close(fds[1]);
    char bytes[4];
    CHECK_EQUAL(3, read(fds[0], bytes, 4));
    CHECK_EQUAL(-1, read(fds[0], bytes, 4));
    CHECK_EQUAL(ECONNRESET, errno);
    close(fds[0]);
}

static void calls_refused(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fd = socket(AF_INET, SOCK_STREAM, 0);
    close(listener);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_EQUAL(ECONNREFUSED, errno);
    close(fd);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    int error = errno;
    socklen_t length = sizeof error;
    if (error == EINPROGRESS) {
        struct pollfd one = {fd, POLLOUT, 0};
        CHECK_EQUAL(1, poll(&one, 1, 10000));
        CHECK(one.revents & POLLERR);
        CHECK_OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length));
    }
    CHECK_EQUAL(ECONNREFUSED, error);
    close(fd);
}

static void calls_killed(void)
{
    for (int round = 0; round < 20; round++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        char bytes[1000] = {0};
        if (child == 0) {
            int fd = round % 2 ? calls_connect(&address) : accept(listener, NULL, NULL);
            for (;;) {
                if (write(fd, bytes, sizeof bytes) <= 0 || read(fd, bytes, sizeof bytes) <= 0)
                    exit(0);
            }
        }
        int fd = round % 2 ? accept(listener, NULL, NULL) : calls_connect(&address);
        close(listener);
        for (int i = 0; i < round * 3; i++) {
            calls_read_all(fd, bytes, sizeof bytes);
            calls_write_all(fd, bytes, sizeof bytes);
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        ssize_t got;
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            ;
        CHECK(got == 0 || errno == ECONNRESET);
        struct pollfd one = {fd, POLLIN, 0};
        CHECK_EQUAL(1, poll(&one, 1, 1000));
        close(fd);
    }
}

/* ---- descriptors ----------------------------------------------------------------------------------------------------- */

static void calls_dup(void)
{
    int fds[2];
    char bytes[10];
    calls_pair(fds);
    int second = dup(fds[0]), third = fcntl(fds[0], F_DUPFD_CLOEXEC, 100), fourth = dup2(fds[1], 150);
    CHECK(second > 0 && third >= 100 && fourth == 150);
    CHECK_EQUAL(1, write(second, "a", 1));
    close(second);
    CHECK_EQUAL(1, write(third, "b", 1));
    close(fds[0]);
    CHECK_EQUAL(1, write(third, "c", 1));
    calls_read_all(fourth, bytes, 3);
    CHECK(memcmp(bytes, "abc", 3) == 0);
    close(fourth);
    CHECK_EQUAL(1, write(fds[1], "d", 1));
    CHECK_EQUAL(1, read(third, bytes, 1));
    /* the JDK closes so: another descriptor takes the number, and the connection ends */
    int null = open("/dev/null", O_RDWR);
    CHECK_EQUAL(third, dup2(null, third));
    CHECK_EQUAL(0, read(fds[1], bytes, 1));
    CHECK_EQUAL(0, read(third, bytes, 1));
    close(third);
    close(null);
    close(fds[1]);
}

static void calls_fork_share(void)
{
    int fds[2];
    char bytes[6];
    calls_pair(fds);
    pid_t child = calls_fork();
    if (child == 0) {
        close(fds[1]);
        calls_read_all(fds[0], bytes, 3);
        CHECK(memcmp(bytes, "one", 3) == 0);
        calls_write_all(fds[0], "two", 3);
        exit(0);
    }
    calls_write_all(fds[1], "one", 3);
    calls_read_all(fds[1], bytes, 3);
    calls_wait(child);
    calls_write_all(fds[0], "three", 5); /* the parent goes on with its copy */
    calls_read_all(fds[1], bytes, 5);
    CHECK(memcmp(bytes, "three", 5) == 0);
    close(fds[0]);
    CHECK_EQUAL(0, read(fds[1], bytes, 1));
    close(fds[1]);
}

/* Children that share a listening socket, as nginx does, and a child a connection, as PostgreSQL does. */
static void calls_fork_server(void)
{
    enum { CHILDREN = 3, CONNECTIONS = 200 };
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t children[CHILDREN], forking;
    for (int i = 0; i < CHILDREN; i++)
        if ((children[i] = calls_fork()) == 0)
            for (;;) {
                char byte;
                int fd = accept(listener, NULL, NULL);
                while (read(fd, &byte, 1) == 1)
                    calls_write_all(fd, &byte, 1);
                close(fd);
            }
    for (int i = 0; i < CONNECTIONS; i++) {
        int fd = calls_connect(&address);
        char byte = (char)i, back;
        for (int j = 0; j < 5; j++) {
            calls_write_all(fd, &byte, 1);
            calls_read_all(fd, &back, 1);
            CHECK_EQUAL(byte, back);
        }
        close(fd);
    }
    for (int i = 0; i < CHILDREN; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    if ((forking = calls_fork()) == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int fd = accept(listener, NULL, NULL);
            if (fork() == 0) {
                char byte;
                while (read(fd, &byte, 1) == 1)
                    calls_write_all(fd, &byte, 1);
                _exit(0);
            }
            close(fd);
        }
    }
    for (int i = 0; i < 50; i++) {
        int fd = calls_connect(&address);
        char byte = (char)i, back;
        calls_write_all(fd, &byte, 1);
        calls_read_all(fd, &back, 1);
        CHECK_EQUAL(byte, back);
        close(fd);
    }
    kill(forking, SIGKILL);
    waitpid(forking, NULL, 0);
    close(listener);
}

static void calls_ask_image(int fd)
{
    char bytes[20];
    calls_write_all(fd, "question", 8);
    calls_read_all(fd, bytes, 6);
    CHECK(memcmp(bytes, "answer", 6) == 0);
    CHECK_EQUAL(0, read(fd, bytes, 1));
}

/* exec before and after the connection was used, with the library and without; on a high descriptor and on 0. */
static void calls_exec(void)
{
    for (int round = 0; round < 8; round++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address), is_used = round & 1, is_bare = round & 2, is_zero = round & 4;
        pid_t child = calls_fork();
        if (child == 0) {
            char number[16];
            int fd = accept(listener, NULL, NULL);
            close(listener);
            if (is_used) {
                char byte;
                calls_read_all(fd, &byte, 1);
                calls_write_all(fd, &byte, 1);
            }
            if (is_bare)
                unsetenv("LD_PRELOAD");
            if (is_zero)
                CHECK_EQUAL(0, dup2(fd, 0));
            snprintf(number, sizeof number, "%d", is_zero ? 0 : fd);
            execl(calls_self, calls_self, "--image", number, NULL);
            exit(1);
        }
        int fd = calls_connect(&address);
        close(listener);
        if (is_used) {
            char byte = 'u';
            calls_write_all(fd, &byte, 1);
            calls_read_all(fd, &byte, 1);
        }
        calls_ask_image(fd);
        close(fd);
        calls_wait(child);
    }
}

static int calls_image(int fd)
{
    char bytes[8];
    calls_read_all(fd, bytes, 8);
    CHECK(memcmp(bytes, "question", 8) == 0);
    calls_write_all(fd, "answer", 6);
    return 0;
}

static void calls_rights(void)
{
    for (int is_used = 0; is_used < 2; is_used++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address), channel[2];
        char byte = 'x', room[CMSG_SPACE(sizeof(int))];
        struct iovec part = {&byte, 1};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, channel));
        pid_t child = calls_fork();
        if (child == 0) { /* gets the connection */
            close(listener);
            CHECK_EQUAL(1, recvmsg(channel[1], &message, 0));
            int fd;
            memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
            exit(calls_image(fd));
        }
        pid_t client = calls_fork();
        if (client == 0) {
            int fd = calls_connect(&address);
            if (is_used) {
                calls_write_all(fd, &byte, 1);
                calls_read_all(fd, &byte, 1);
            }
            calls_ask_image(fd);
            exit(0);
        }
        int fd = accept(listener, NULL, NULL);
        if (is_used) {
            calls_read_all(fd, &byte, 1);
            calls_write_all(fd, &byte, 1);
        }
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
        CHECK_EQUAL(1, sendmsg(channel[0], &message, 0));
        close(fd);
        calls_wait(child);
        calls_wait(client);
        close(channel[0]);
        close(channel[1]);
        close(listener);
    }
}

/* A program's own memory and its loops over all descriptors do not meet ours. */
static void calls_descriptors(void)
{
    int fds[2];
    calls_pair(fds);
    int shared = shm_open("/corunna-net-test", O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink("/corunna-net-test");
    CHECK(shared > 2 && shared < 20);
    close(shared);
    pid_t child = calls_fork();
    if (child == 0) {
        for (int fd = 3; fd < 5000; fd++)
            if (fd != fds[0] && fd != fds[1])
                close(fd);
        calls_greet(fds[0], fds[1]);
        close_range(3, ~0u, 0);
        CHECK_EQUAL(-1, write(fds[0], "x", 1));
        CHECK_EQUAL(EBADF, errno);
        CHECK_EQUAL(3, open("/dev/null", O_RDONLY));
        close(3);
        calls_pair(fds);
        CHECK(fds[0] < 10 && fds[1] < 10);
        exit(0);
    }
    calls_wait(child);
    close(fds[0]);
    close(fds[1]);
}

static void calls_urgent(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0) {
        int fd = accept(listener, NULL, NULL);
        char bytes[4];
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, bytes, 1);
        struct pollfd one = {fd, POLLPRI, 0};
        CHECK_EQUAL(1, poll(&one, 1, 10000));
        CHECK_EQUAL(1, recv(fd, bytes, 1, MSG_OOB));
        CHECK_EQUAL('!', bytes[0]);
        calls_read_all(fd, bytes, 1); /* the urgent byte is not in the stream */
        CHECK_EQUAL('a', bytes[0]);
        calls_read_all(fd, bytes, 1);
        CHECK_EQUAL('b', bytes[0]);
        exit(0);
    }
    int fd = calls_connect(&address);
    char byte = 'x';
    calls_write_all(fd, &byte, 1);
    calls_read_all(fd, &byte, 1);
    CHECK_EQUAL(1, write(fd, "a", 1));
    CHECK_EQUAL(1, send(fd, "!", 1, MSG_OOB));
    CHECK_EQUAL(1, write(fd, "b", 1));
    calls_wait(child);
    close(fd);
    close(listener);
}

/* Thousands of connections, opened and closed. */
static void calls_churn(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0)
        for (;;) {
            char bytes[200];
            int fd = accept(listener, NULL, NULL);
            ssize_t got = read(fd, bytes, sizeof bytes);
            if (got > 0)
                calls_write_all(fd, bytes, (size_t)got);
            close(fd);
        }
    for (int i = 0; i < 2000; i++) {
        int fd = calls_connect(&address);
        char bytes[200];
        memset(bytes, i, sizeof bytes);
        if (i % 7 != 0) {
            calls_write_all(fd, bytes, sizeof bytes);
            calls_read_all(fd, bytes, sizeof bytes);
            CHECK_EQUAL((char)i, bytes[199]);
            CHECK_EQUAL(0, read(fd, bytes, 1));
        }
        close(fd);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(listener);
}

static void calls_self_connect(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char bytes[4];
    CHECK_OK(bind(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_OK(getsockname(fd, (struct sockaddr *)&address, &length));
    CHECK_OK(connect(fd, (struct sockaddr *)&address, sizeof address));
    calls_write_all(fd, "self", 4);
    calls_read_all(fd, bytes, 4);
    CHECK(memcmp(bytes, "self", 4) == 0);
    close(fd);
}

static void calls_six(void)
{
    int listener = socket(AF_INET6, SOCK_STREAM, 0), off = 0;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    socklen_t length = sizeof address;
    if (listener < 0)
        return; /* a kernel without IPv6 */
    CHECK_OK(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off));
    CHECK_OK(bind(listener, (struct sockaddr *)&address, sizeof address));
    CHECK_OK(listen(listener, 5));
    CHECK_OK(getsockname(listener, (struct sockaddr *)&address, &length));
    struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = address.sin6_port, .sin_addr.s_addr = htonl(0x7f000003)};
    int client = calls_connect(&four), server = accept(listener, NULL, NULL);
    calls_greet(client, server);
    close(client);
    close(server);
    address.sin6_addr = in6addr_loopback;
    client = socket(AF_INET6, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) {
        server = accept(listener, NULL, NULL);
        calls_greet(client, server);
        close(server);
    }
    close(client);
    close(listener);
}

static const struct calls_case {
    const char *name;
    void (*run)(void);
    int is_fast; /* some of its bytes go through shared memory in this process */
} calls_cases[] = {
    {"sizes", calls_sizes, 1},
    {"vectors", calls_vectors, 1},
    {"peek", calls_peek, 1},
    {"flags", calls_flags, 1},
    {"files", calls_files, 1},
    {"streams", calls_streams, 1},
    {"shutdown", calls_shutdown, 1},
    {"linger", calls_linger, 1},
    {"refused", calls_refused, 0},
    {"killed", calls_killed, 1},
    {"dup", calls_dup, 1},
    {"fork_share", calls_fork_share, 1},
    {"fork_server", calls_fork_server, 1},
    {"exec", calls_exec, 1},
    {"rights", calls_rights, 0},
    {"descriptors", calls_descriptors, 1},
    {"urgent", calls_urgent, 1},
    {"self_connect", calls_self_connect, 0},
    {"six", calls_six, 1},
    {"poll", calls_poll, 1},
    {"select", calls_select, 1},
    {"epoll_level", calls_epoll_level, 1},
    {"epoll_edge", calls_epoll_edge, 1},
    {"epoll_oneshot", calls_epoll_oneshot, 1},
    {"epoll_before_connect", calls_epoll_before_connect, 1},
    {"epoll_out", calls_epoll_out, 1},
    {"epoll_end", calls_epoll_end, 1},
    {"epoll_threads", calls_epoll_threads, 1},
    {"idle", calls_idle, 1},
    {"churn", calls_churn, 1},
};

/* Each case in a process of its own. With SOCK_FAST=1 in the environment the library must have been at work. */
static void calls_run(const struct calls_case *one)
{
    printf("%s\n", one->name);
    pid_t child = calls_fork();
    if (child == 0) {
        alarm(60); /* a hang is a failure */
        one->run();
        if (getenv("SOCK_FAST") && one->is_fast && !calls_is_fast())
            CHECK_FAIL("%s: no byte went through shared memory", one->name);
        exit(0);
    }
    calls_wait(child);
}

int main(int argc, char **argv)
{
    static char self[4096];
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    calls_self = self;
    signal(SIGPIPE, SIG_IGN);
    if (argc == 3 && strcmp(argv[1], "--image") == 0)
        return calls_image(atoi(argv[2]));
    for (size_t i = 0; i < sizeof calls_cases / sizeof *calls_cases; i++)
        if (argc < 2 || strcmp(argv[1], calls_cases[i].name) == 0)
            calls_run(&calls_cases[i]);
    return 0;
}
