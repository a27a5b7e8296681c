/* SPDX-License-Identifier: Apache-2.0 */
/* Other images that get a connection, or a listening socket: by exec, after vfork, by posix_spawn; other processes by
 * SCM_RIGHTS. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

static void calls_ask_image(int fd)
{
    char bytes[20];
    calls_write_all(fd, "question", 8);
    calls_read_all(fd, bytes, 6);
    CHECK(memcmp(bytes, "answer", 6) == 0);
    CHECK_EQUAL(0, read(fd, bytes, 1));
}

/* exec before and after the connection was used, with the library and without; on a high descriptor and on 0. */
void calls_exec(void)
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

int calls_links_image(void)
{
    char own[64], target[64];
    int count = 0;
    DIR *folder = opendir("/dev/shm");
    const struct dirent *entry;
    CHECK(folder != NULL);
    snprintf(own, sizeof own, "/proc/%d/", (int)getpid());
    while ((entry = readdir(folder)) != NULL) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        count += strncmp(target, own, strlen(own)) == 0;
    }
    closedir(folder);
    return count;
}

/* A client that becomes another image takes back what it has offered and no server has taken: nothing stays in
 * /dev/shm. One whose image cannot be changed goes on. */
void calls_exec_offered(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0) {
        int fd = calls_connect(&address);
        close(listener);
        CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
        calls_write_all(fd, "x", 1);
        CHECK_EQUAL(-1, execl("/nowhere/at/all", "nowhere", NULL));
        calls_write_all(fd, "y", 1);
        execl(calls_self, calls_self, "--links", "0", NULL);
        exit(1);
    }
    calls_wait(child);
    int fd = accept(listener, NULL, NULL);
    char bytes[3];
    calls_read_all(fd, bytes, 2);
    CHECK(memcmp(bytes, "xy", 2) == 0);
    CHECK_EQUAL(0, read(fd, bytes, 1));
    close(fd);
    close(listener);
}

/* By calls that name a folder, by number, and by words that a shell expands. */
void calls_exec_otherwise(void)
{
    for (int way = 0; way < 3; way++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        if (child == 0) {
            char number[16], command[5000], byte;
            int fd = accept(listener, NULL, NULL);
            calls_read_all(fd, &byte, 1);
            calls_write_all(fd, &byte, 1);
            snprintf(number, sizeof number, "%d", fd);
            snprintf(command, sizeof command, "$(exec '%s' --image %d)", calls_self, fd);
            char *const arguments[] = {(char *)calls_self, "--image", number, NULL};
            wordexp_t words;
            if (way == 0)
                execveat(AT_FDCWD, calls_self, arguments, environ, 0);
            else if (way == 1)
                syscall(SYS_execve, calls_self, arguments, environ);
            else
                exit(wordexp(command, &words, 0));
            exit(1);
        }
        int fd = calls_connect(&address);
        char byte = 'u';
        close(listener);
        calls_write_all(fd, &byte, 1);
        calls_read_all(fd, &byte, 1);
        calls_ask_image(fd);
        close(fd);
        calls_wait(child);
    }
}

int calls_image(int fd)
{
    char bytes[8];
    calls_read_all(fd, bytes, 8);
    CHECK(memcmp(bytes, "question", 8) == 0);
    calls_write_all(fd, "answer", 6);
    return 0;
}

void calls_rights(void)
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

/* ---- posix_spawn and vfork
 * ------------------------------------------------------------------------------------------- */

/* The other side of a case: connects, uses the connection before the image gets it, and asks the image. */
static void images_ask(int listener, const struct sockaddr_in *address)
{
    char byte = 'u';
    int fd = calls_connect(address);
    close(listener);
    calls_write_all(fd, &byte, 1);
    calls_read_all(fd, &byte, 1);
    calls_ask_image(fd);
    close(fd);
}

/* A connection that has been used. */
static int images_accept(int listener)
{
    char byte;
    int fd = accept(listener, NULL, NULL);
    calls_read_all(fd, &byte, 1);
    calls_write_all(fd, &byte, 1);
    return fd;
}

/* The image gets the connection as its standard input, as inetd does it, or as another descriptor. */
void calls_spawn(void)
{
    for (int target = 0; target <= 50; target += 50) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        if (child == 0) {
            posix_spawn_file_actions_t actions;
            char number[16];
            pid_t image;
            int fd = images_accept(listener);
            snprintf(number, sizeof number, "%d", target);
            char *const arguments[] = {(char *)calls_self, "--image", number, NULL};
            CHECK_OK(posix_spawn_file_actions_init(&actions));
            CHECK_OK(posix_spawn_file_actions_adddup2(&actions, fd, target));
            CHECK_OK(posix_spawn_file_actions_addclose(&actions, fd));
            CHECK_OK(posix_spawn(&image, calls_self, &actions, NULL, arguments, environ));
            CHECK_OK(posix_spawn_file_actions_destroy(&actions));
            close(fd);
            calls_wait(image);
            exit(0);
        }
        images_ask(listener, &address);
        calls_wait(child);
    }
}

/* The child of vfork runs in its parent's memory: what it closes and copies stays open, and where it was, in the
 * parent. */
void calls_vfork(void)
{
    int fds[2], set = epoll_create1(0);
    char *const nothing[] = {"true", NULL};
    calls_pair(fds);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[1]};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    pid_t child = vfork();
    if (child == 0) {
        for (int fd = 3; fd < 200; fd++) /* NOLINT(clang-analyzer-unix.Vfork): what it must not do is tested */
            close(fd);
        execvp(nothing[0], nothing);
        _exit(1);
    }
    CHECK(child > 0);
    calls_wait(child);
    for (int i = 0; i < 100; i++)
        calls_greet(fds[0], fds[1]);
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(fds[1], event.data.fd);
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* Starts the image with the connection as `target`. */
static pid_t images_vfork(int fd, int target, char *const *arguments)
{
    pid_t image = vfork();
    if (image == 0) {
        dup2(fd, target); /* NOLINT(clang-analyzer-unix.Vfork): what it must not do is tested */
        close(fd);
        execv(arguments[0], arguments);
        _exit(1);
    }
    CHECK(image > 0);
    return image;
}

/* After vfork the connection goes to the image, as another descriptor. */
void calls_vfork_exec(void)
{
    for (int target = 0; target <= 50; target += 50) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        if (child == 0) {
            char number[16];
            snprintf(number, sizeof number, "%d", target);
            char *const arguments[] = {(char *)calls_self, "--image", number, NULL};
            int fd = images_accept(listener);
            pid_t image = images_vfork(fd, target, arguments);
            close(fd);
            calls_wait(image);
            exit(0);
        }
        images_ask(listener, &address);
        calls_wait(child);
    }
}

/* ---- a listening socket
 * ---------------------------------------------------------------------------------------------- */

enum { IMAGES_SERVED = 3 };

int calls_serve_image(int listener)
{
    for (int i = 0; i < IMAGES_SERVED; i++) {
        char byte;
        int fd = accept(listener, NULL, NULL);
        while (read(fd, &byte, 1) == 1)
            calls_write_all(fd, &byte, 1);
        close(fd);
    }
    return 0;
}

/* An image that got a listening socket, as by socket activation: it never calls listen(), and its clients are fast once
 * it has accepted one. */
void calls_inherited(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", listener);
        execl(calls_self, calls_self, "--serve", number, NULL);
        exit(1);
    }
    close(listener);
    for (int i = 0; i < IMAGES_SERVED; i++) {
        char byte = (char)i, back;
        int fd = calls_connect(&address);
        for (int j = 0; j < 5; j++) {
            calls_write_all(fd, &byte, 1);
            calls_read_all(fd, &back, 1);
            CHECK_EQUAL(byte, back);
        }
        close(fd);
    }
    calls_wait(child);
}
