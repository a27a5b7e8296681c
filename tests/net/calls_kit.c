/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of a program, by plain calls. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

void calls_greet(int client, int server)
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

void *calls_write_late(void *argument)
{
    check_asleep(getpid());
    calls_write_all(*(const int *)argument, "late", 4);
    return NULL;
}

/* A counter of the preloaded library, by its place among the words; 0 without the library. */
static uint64_t calls_counter(int place)
{
    DIR *list = opendir("/proc/self/fd");
    const struct dirent *entry;
    uint64_t count = 0;
    while ((entry = readdir(list)) != NULL) {
        char target[64];
        uint64_t counters[14] = {0};
        ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strncmp(target, "/memfd:corunna-sock-stats", 25) == 0 &&
            pread(atoi(entry->d_name), counters, sizeof counters, 0) > 0)
            count = counters[place];
    }
    closedir(list);
    return count;
}

int calls_is_fast(void)
{
    return calls_counter(8) > 0; /* bytes read from shared memory */
}

uint64_t calls_returned(void)
{
    return calls_counter(6);
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

unsigned char calls_byte(size_t at, unsigned salt)
{
    uint32_t word = (uint32_t)(at + salt) * 2654435761u;
    return (unsigned char)(word >> 24);
}

pid_t calls_echo(int listener)
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

void calls_serve_on(const char *path)
{
    struct sockaddr_in address;
    char part[4096], byte;
    int listener = calls_listen(&address);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    CHECK(file != NULL);
    fprintf(file, "%d\n", ntohs(address.sin_port));
    fclose(file);
    CHECK_OK(rename(part, path)); /* whole when it is there */
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        while (read(fd, &byte, 1) == 1)
            calls_write_all(fd, &byte, 1);
        close(fd);
    }
}

int calls_ask(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    int fd = calls_connect(&address);
    char byte = 'q';
    calls_write_all(fd, &byte, 1);
    calls_read_all(fd, &byte, 1);
    close(fd);
    return byte == 'q' ? 0 : 1;
}
