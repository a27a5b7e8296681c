/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a published name: three lines, of which the first may have any characters:
 *
 *   the name
 *   the port
 *   <kernel> <pid namespace> <pid> <start time>      the process that has published it (base/process.h)
 *
 * That process keeps the file locked (LOCK_EX), and the lock ends with it, however it ends. A lock is no proof that the
 * process runs: a forked child keeps it. So a process of this pid namespace is checked itself, by id and start time,
 * since ids are reused. A missing lock is no proof that it has ended: where hosts share the folder, not every file
 * system shows the locks of one host to another. So a file without a lock is out of date and never found, but it is
 * removed only on the host that wrote it; the next process that publishes the name takes it over.
 *
 * A test for a lock takes LOCK_SH, and a removal LOCK_EX, each for a moment only.
 */
#ifndef COR_DYNAMIC_NAME_FILE_H
#define COR_DYNAMIC_NAME_FILE_H

#include "dynamic/dynamic.h"

enum { NAME_TEXT_MAX = 4096, NAME_OWNER_MAX = 120 };

typedef enum name_state {
    NAME_LIVES,   /* its process runs */
    NAME_IS_HELD, /* locked, and no more is known */
    NAME_IS_LEFT, /* out of date, but this host may not be able to tell */
    NAME_IS_DEAD, /* out of date for sure */
} name_state;

/* Writes all of a file that the caller has locked. -1, with errno. */
int name_file_write(int fd, const char *service, const char *port);
/* Read the port, if the file is of this name and complete. 0: it is not. */
int name_file_read(int fd, const char *service, char port[COR_PORT_MAX]);

name_state name_file_state(int fd);
/* Is `fd` still the file of this path? Another process may have removed that between open and lock. */
int name_file_is_at(int fd, const char *path);
/* Remove a file that was found NAME_IS_DEAD, unless it has been taken over since. */
void name_file_remove(int fd, const char *path);
/* Remove all that are dead in a folder. */
void name_file_sweep(const char *folder);

#endif
