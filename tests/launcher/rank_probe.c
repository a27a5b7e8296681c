/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank that does one odd thing.
 *
 *   rank_probe lines COUNT LENGTH   lines "rank:index:XXXX" to stdout, written in pieces that never end with a line
 *   rank_probe partial LENGTH       LENGTH bytes and no newline
 *   rank_probe bytes                every byte value once, then a newline
 *   rank_probe garbage TEXT         TEXT and a newline to the PMI socket, then wait to be ended
 *   rank_probe flood                a PMI line that never ends
 *   rank_probe hoard                put values until one is refused, print that answer and go on as if nothing was
 *   rank_probe ask TEXT             TEXT and a newline to the PMI socket; print the first line of the answer
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int probe_number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : -1;
}

/* All bytes, in pieces of at most `piece`. */
static void probe_write(int fd, const char *bytes, size_t length, size_t piece)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length < piece ? length : piece);
        if (written <= 0)
            exit(1);
        bytes += written;
        length -= (size_t)written;
    }
}

static int probe_lines(int count, size_t length)
{
    int rank = probe_number("PMI_RANK");
    size_t room = (length + 32) * (size_t)count, filled = 0;
    char *all = malloc(room);
    if (!all)
        return 1;
    for (int i = 0; i < count; i++) {
        size_t head = (size_t)snprintf(all + filled, 32, "%d:%d:", rank, i);
        memset(all + filled + head, 'A' + rank, length);
        all[filled + head + length] = '\n';
        filled += head + length + 1;
    }
    probe_write(1, all, filled, 777);
    free(all);
    return 0;
}

static int probe_partial(size_t length)
{
    char *bytes = malloc(length);
    if (!bytes)
        return 1;
    memset(bytes, '0' + probe_number("PMI_RANK"), length);
    probe_write(1, bytes, length, 4099);
    free(bytes);
    return 0;
}

static int probe_bytes(void)
{
    char bytes[257];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    bytes[256] = '\n';
    probe_write(1, bytes, sizeof bytes, sizeof bytes);
    return 0;
}

static int probe_send(const char *text)
{
    int fd = probe_number("PMI_FD");
    probe_write(fd, text, strlen(text), strlen(text));
    probe_write(fd, "\n", 1, 1);
    return fd;
}

static int probe_ask(const char *text)
{
    char answer[512];
    ssize_t got = read(probe_send(text), answer, sizeof answer - 1);
    if (got <= 0)
        return 1;
    answer[got] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    puts(answer);
    return 0;
}

static int probe_hoard(void)
{
    int fd = probe_number("PMI_FD");
    char question[1200], answer[512];
    /* The launcher ends the job together with its answer, which is to be printed first. */
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL);
    for (int i = 0; i < 100000; i++) {
        int length = snprintf(question, sizeof question, "cmd=put kvsname=s key=%d value=%01000d\n", i, i);
        probe_write(fd, question, (size_t)length, (size_t)length);
        ssize_t got = read(fd, answer, sizeof answer - 1);
        answer[got > 0 ? got : 0] = '\0';
        if (strncmp(answer, "cmd=put_result rc=0 ", 20) != 0) {
            fputs(answer, stdout);
            fflush(stdout);
            sigprocmask(SIG_UNBLOCK, &end, NULL);
            pause();
            return 0;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "lines") == 0 && argc == 4)
        return probe_lines(atoi(argv[2]), (size_t)atol(argv[3]));
    if (strcmp(mode, "partial") == 0 && argc == 3)
        return probe_partial((size_t)atol(argv[2]));
    if (strcmp(mode, "bytes") == 0)
        return probe_bytes();
    if (strcmp(mode, "hoard") == 0)
        return probe_hoard();
    if (strcmp(mode, "ask") == 0 && argc == 3)
        return probe_ask(argv[2]);
    if (strcmp(mode, "garbage") == 0 && argc == 3) {
        probe_send(argv[2]);
        pause();
        return 0;
    }
    if (strcmp(mode, "flood") == 0)
        for (;;)
            probe_write(probe_number("PMI_FD"), "xxxxxxxxxxxxxxxx", 16, 16);
    fprintf(stderr, "rank_probe: unknown mode %s\n", mode);
    return 2;
}
