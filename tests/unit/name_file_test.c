/* SPDX-License-Identifier: Apache-2.0 */
/* Files of published names: which live, which are dead, and which are for another host to say. */
#define _GNU_SOURCE
#include "base/process.h"
#include "check.h"
#include "dynamic/name_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char folder[] = "/tmp/corunna-name-file-XXXXXX";
static const char digest[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
static char path[128], host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX];

/* A file with this text; its descriptor has the lock if wanted. */
static int make(const char *text, int is_locked)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_EQUAL(strlen(text), write(fd, text, strlen(text)));
    if (is_locked)
        CHECK_EQUAL(0, flock(fd, LOCK_EX | LOCK_NB));
    return fd;
}

static name_state state(void)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    name_state found = name_file_state(fd);
    close(fd);
    return found;
}

static void expect(name_state wanted, const char *text, int is_locked)
{
    int fd = make(text, is_locked);
    CHECK_EQUAL(wanted, state());
    name_file_sweep(folder);
    CHECK_EQUAL(wanted == NAME_IS_DEAD ? -1 : 0, access(path, F_OK));
    unlink(path);
    close(fd);
}

static void test_states(void)
{
    unsigned long long started = cor_process_started();
    int own = getpid();
    struct {
        name_state unlocked, locked;
        const char *host, *space;
        int pid;
        unsigned long long started;
    } rows[] = {
        {NAME_IS_DEAD, NAME_LIVES, host, space, own, started},
        {NAME_IS_DEAD, NAME_IS_DEAD, host, space, own, started + 1}, /* the id is used again */
        {NAME_IS_DEAD, NAME_IS_DEAD, host, space, 1 << 30, started}, /* there is no such process */
        {NAME_IS_DEAD, NAME_IS_HELD, host, "17", 1 << 30, started},  /* another pid namespace */
        {NAME_IS_LEFT, NAME_IS_HELD, "another-host", space, 1 << 30, started},
        {NAME_IS_LEFT, NAME_IS_HELD, "another-host", space, own, started},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "name\nport\n%s %s %d %llu\n", rows[i].host, rows[i].space, rows[i].pid,
                 rows[i].started);
        expect(rows[i].unlocked, text, 0);
        expect(rows[i].locked, text, 1);
    }
}

/* What cannot be read is not found, and not removed: it may be written just now. */
static void test_nonsense(void)
{
    static char much[2 * NAME_TEXT_MAX];
    memset(much, 'x', sizeof much - 1);
    const char *texts[] = {"", "\n", "name", "name\n", "name\nport", "name\nport\n", "name\nport\nhost 1", much};
    char port[COR_PORT_MAX];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int fd = make(texts[i], 0);
        CHECK_EQUAL(0, name_file_read(fd, "name", port));
        close(fd);
        expect(NAME_IS_LEFT, texts[i], 0);
        expect(NAME_IS_HELD, texts[i], 1);
    }
}

static void test_round(void)
{
    char port[COR_PORT_MAX];
    int fd = make("what was there before, and was longer than what comes\n", 1);
    CHECK_OK(name_file_write(fd, "two\nlines", "corunna2+x"));
    CHECK_EQUAL(1, name_file_read(fd, "two\nlines", port));
    CHECK_TEXT("corunna2+x", port);
    CHECK_EQUAL(NAME_LIVES, state());
    name_file_sweep(folder);
    CHECK_EQUAL(0, access(path, F_OK));
    unlink(path);
    close(fd);
}

/* A dead file that another process has taken over, or replaced, since it was looked at. */
static void test_taken_over(void)
{
    char text[256];
    snprintf(text, sizeof text, "name\nport\n%s %s %d 1\n", host, space, 1 << 30);
    close(make(text, 0));
    int seen = open(path, O_RDONLY | O_CLOEXEC);
    CHECK_EQUAL(NAME_IS_DEAD, name_file_state(seen));
    int owner = open(path, O_RDWR | O_CLOEXEC);
    CHECK_EQUAL(0, flock(owner, LOCK_EX | LOCK_NB));
    CHECK_OK(name_file_write(owner, "name", "port"));
    name_file_remove(seen, path);
    CHECK_EQUAL(0, access(path, F_OK));
    unlink(path);
    close(owner);
    owner = make(text, 0); /* another file of the same path */
    name_file_remove(seen, path);
    CHECK_EQUAL(0, access(path, F_OK));
    close(seen);
    close(owner);
    unlink(path);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/%s", folder, digest);
    cor_process_where(host, space);
    test_states();
    test_nonsense();
    test_round();
    test_taken_over();
    CHECK_EQUAL(0, rmdir(folder));
    return 0;
}
