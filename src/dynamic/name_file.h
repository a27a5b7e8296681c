/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a published name: three lines, of which the first may hold any characters:
 *
 *   the name
 *   the port
 *   <kernel> <pid namespace> <pid> <start time>      the process that has published it (base/process.h)
 *
 * That process keeps the file locked (LOCK_EX), and the lock ends with it, however it ends. A lock alone may say too
 * much: a child that the process has forked holds it on. So a process of this pid namespace is looked for itself, by id
 * and start time, since ids are used again. And a lock alone may say too little: where hosts share the folder, not
 * every file system tells one host of the locks of another. So a file without a lock is out of date and never found,
 * but nobody removes it except on the host that wrote it; the next that publishes the name takes it over.
 *
 * A test for a lock takes LOCK_SH, and a removal LOCK_EX, each for a moment only.
 */
#ifndef COR_DYNAMIC_NAME_FILE_H
#define COR_DYNAMIC_NAME_FILE_H

#include "dynamic/dynamic.h"

enum { NAME_TEXT_MAX = 4096, NAME_OWNER_MAX = 120 };

typedef enum name_state {
    NAME_LIVES,   /* its process is there */
    NAME_IS_HELD, /* locked, and no more is known */
    NAME_IS_LEFT, /* out of date, but perhaps not for this host to say */
    NAME_IS_DEAD, /* out of date for sure */
} name_state;

/* Writes all of a file that the caller has locked. -1: errno says why. */
int name_file_write(int fd, const char *service, const char *port);
/* The port, if the file is of this name and whole. 0: it is not. */
int name_file_read(int fd, const char *service, char port[COR_PORT_MAX]);

name_state name_file_state(int fd);
/* Is it still the file of this path? Another process may have removed that between open and lock. */
int name_file_is_at(int fd, const char *path);
/* Remove a file that was found NAME_IS_DEAD, unless it has been taken over since. */
void name_file_remove(int fd, const char *path);
/* Remove all that are dead in a folder. */
void name_file_sweep(const char *folder);

#endif
