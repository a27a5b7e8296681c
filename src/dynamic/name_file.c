/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dynamic/name_file.h"

#include "base/process.h"
#include "base/sha256.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* In one write, so that no process reads half of it. */
int name_file_write(int fd, const char *service, const char *port)
{
    char text[NAME_TEXT_MAX], host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX];
    cor_process_where(host, space);
    int length = snprintf(text, sizeof text, "%s\n%s\n%s %s %d %llu\n", service, port, host, space, (int)getpid(),
                          (unsigned long long)cor_process_started());
    return ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) == length ? 0 : -1;
}

/* The whole text; 0: it is not all there. */
static int file_text(int fd, char text[NAME_TEXT_MAX + 1])
{
    ssize_t got = pread(fd, text, NAME_TEXT_MAX, 0);
    text[got > 0 ? got : 0] = 0;
    return got > 0 && text[got - 1] == '\n' && strlen(text) == (size_t)got;
}

int name_file_read(int fd, const char *service, char port[COR_PORT_MAX])
{
    char text[NAME_TEXT_MAX + 1];
    size_t length = strlen(service);
    if (!file_text(fd, text) || strncmp(text, service, length) != 0 || text[length] != '\n')
        return 0;
    char *begin = text + length + 1, *end = strchr(begin, '\n');
    if (!end || !end[1] || end - begin >= COR_PORT_MAX)
        return 0;
    *end = 0;
    memcpy(port, begin, (size_t)(end - begin) + 1);
    return 1;
}

/* ---- the process that has written it ----------------------------------------------------------------------------- */

typedef struct file_owner {
    int is_here;  /* on this running kernel, whose locks hold */
    int is_known; /* besides, in this pid namespace */
    int is_gone;  /* of a known one */
} file_owner;

static file_owner file_read_owner(int fd)
{
    char text[NAME_TEXT_MAX + 1], host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX],
        its_host[COR_PROCESS_HOST_MAX], its_space[COR_PROCESS_SPACE_MAX];
    file_owner owner = {0};
    unsigned long long started;
    int pid;
    if (!file_text(fd, text))
        return owner;
    text[strlen(text) - 1] = 0;
    const char *line = strrchr(text, '\n');
    if (!line || sscanf(line + 1, "%39s %23s %d %llu", its_host, its_space, &pid, &started) != 4 || pid < 1)
        return owner;
    cor_process_where(host, space);
    owner.is_here = strcmp(host, its_host) == 0 && strcmp(host, "unknown") != 0;
    owner.is_known = owner.is_here && strcmp(space, its_space) == 0;
    owner.is_gone = owner.is_known && cor_process_is_gone(pid, started);
    return owner;
}

name_state name_file_state(int fd)
{
    int is_locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (!is_locked)
        flock(fd, LOCK_UN);
    file_owner owner = file_read_owner(fd);
    if (owner.is_gone)
        return NAME_IS_DEAD;
    if (is_locked)
        return owner.is_known ? NAME_LIVES : NAME_IS_HELD;
    return owner.is_here ? NAME_IS_DEAD : NAME_IS_LEFT;
}

/* ---- removing --------------------------------------------------------------------------------------------------- */

int name_file_is_at(int fd, const char *path)
{
    struct stat own, there;
    return fstat(fd, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino &&
           own.st_dev == there.st_dev;
}

/* Under the lock the state is checked again: a process may just have taken the file over. Without the lock, a child of
 * an ended process has it, so no process can take the file over, but only remove it, as here. */
void name_file_remove(int fd, const char *path)
{
    int is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    file_owner owner = file_read_owner(fd);
    if ((is_locked ? owner.is_here : owner.is_gone) && name_file_is_at(fd, path))
        unlink(path);
    if (is_locked)
        flock(fd, LOCK_UN);
}

void name_file_sweep(const char *folder)
{
    char path[PATH_MAX];
    DIR *list = opendir(folder);
    if (!list)
        return;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strlen(entry->d_name) != (size_t)2 * COR_SHA256_BYTES ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
            continue;
        if (name_file_state(fd) == NAME_IS_DEAD)
            name_file_remove(fd, path);
        close(fd);
    }
    closedir(list);
}
