/* SPDX-License-Identifier: Apache-2.0 */
/* Children by posix_spawn, system and popen, which get all connections that are not close-on-exec. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs the image, which inherits the connection: nothing says that it is meant for it. */
static void children_run(int way, int fd)
{
    char number[16], command[5000];
    pid_t image;
    snprintf(number, sizeof number, "%d", fd);
    snprintf(command, sizeof command, "exec '%s' --image %d", calls_self, fd);
    char *const arguments[] = {(char *)calls_self, "--image", number, NULL};
    if (way == 0) {
        CHECK_OK(posix_spawn(&image, calls_self, NULL, NULL, arguments, environ));
        calls_wait(image);
    } else if (way == 1) {
        CHECK_OK(posix_spawnp(&image, calls_self, NULL, NULL, arguments, environ));
        calls_wait(image);
    } else if (way == 2) {
        CHECK_EQUAL(0, system(command));
    } else {
        FILE *output = popen(command, "r");
        CHECK(output != NULL);
        CHECK_EQUAL(0, pclose(output));
    }
}

/* posix_spawn, system and popen: the image uses a connection that was used before, and then so does this process. */
void calls_inherit(void)
{
    for (int way = 0; way < 4; way++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        char bytes[8];
        if (child == 0) {
            int fd = accept(listener, NULL, NULL);
            calls_read_all(fd, bytes, 1);
            calls_write_all(fd, bytes, 1);
            children_run(way, fd);
            calls_read_all(fd, bytes, 5);
            CHECK(memcmp(bytes, "after", 5) == 0);
            calls_write_all(fd, "all", 3);
            exit(0);
        }
        int fd = calls_connect(&address);
        close(listener);
        calls_write_all(fd, "u", 1);
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, "question", 8);
        calls_read_all(fd, bytes, 6);
        CHECK(memcmp(bytes, "answer", 6) == 0);
        calls_write_all(fd, "after", 5);
        calls_read_all(fd, bytes, 3);
        CHECK(memcmp(bytes, "all", 3) == 0);
        CHECK_EQUAL(0, read(fd, bytes, 1));
        close(fd);
        calls_wait(child);
    }
}

enum { CHILDREN_TALKERS = 3, CHILDREN_ROUND = 200, CHILDREN_RUNS = 400 };

typedef struct children_talk {
    struct sockaddr_in address;
    _Atomic int is_over;
} children_talk;

static void *children_answer(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char bytes[64];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) > 0)
        calls_write_all(fd, bytes, (size_t)got);
    close(fd);
    return NULL;
}

static void *children_accept_all(void *argument)
{
    for (;;) {
        pthread_t thread;
        int fd = accept(*(const int *)argument, NULL, NULL);
        CHECK(fd >= 0);
        CHECK_OK(pthread_create(&thread, NULL, children_answer, (void *)(intptr_t)fd));
        pthread_detach(thread);
    }
    return NULL;
}

/* Connections that come and go: the next has the number of the last. */
static void *children_talk_on(void *argument)
{
    children_talk *talk = argument;
    for (unsigned salt = 0; !talk->is_over; salt++) {
        int fd = calls_connect(&talk->address);
        for (size_t i = 0; i < CHILDREN_ROUND; i++) {
            unsigned char byte = calls_byte(i, salt), back;
            calls_write_all(fd, &byte, 1);
            calls_read_all(fd, &back, 1);
            CHECK_EQUAL(byte, back);
        }
        close(fd);
    }
    return NULL;
}

/* Both sides run programs while their threads open, use and close connections: no byte is lost, and none is added. */
void calls_run_beside(void)
{
    children_talk talk = {0};
    pthread_t threads[CHILDREN_TALKERS];
    int listener = calls_listen(&talk.address);
    pid_t child = calls_fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        CHECK_OK(pthread_create(&threads[0], NULL, children_accept_all, &listener));
        for (;;)
            CHECK_EQUAL(0, system("exit 0"));
    }
    close(listener);
    for (int i = 0; i < CHILDREN_TALKERS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, children_talk_on, &talk));
    for (int i = 0; i < CHILDREN_RUNS; i++)
        CHECK_EQUAL(0, system("exit 0"));
    talk.is_over = 1;
    for (int i = 0; i < CHILDREN_TALKERS; i++)
        pthread_join(threads[i], NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* A connection that no other image gets stays as it is. */
void calls_close_on_exec(void)
{
    int fds[2];
    calls_pair(fds);
    for (int i = 0; i < 2; i++)
        CHECK_OK(fcntl(fds[i], F_SETFD, FD_CLOEXEC));
    CHECK_EQUAL(0, system("exit 0"));
    FILE *output = popen("exit 0", "r");
    CHECK(output != NULL);
    CHECK_EQUAL(0, pclose(output));
    calls_greet(fds[0], fds[1]);
    CHECK_EQUAL(0, calls_returned());
    close(fds[0]);
    close(fds[1]);
}
