/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of ports, for programs that were started separately. Each is a file in a folder of this user, by the digest of
 * its name (name_file.h). A process that ends in order removes its files. If a process was killed, the next lookup of
 * the name removes its file, and a process that publishes any name removes the files of all ended processes.
 */
#define _GNU_SOURCE
#include "base/hex.h"
#include "base/sha256.h"
#include "dynamic/dynamic_state.h"
#include "dynamic/name_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ATTEMPTS = 1000, NAME_HELD = 50 };

/* ---- the folder ------------------------------------------------------------------------------------------------- */

/* The folder that the program's user has chosen, or NULL. */
static const char *name_chosen_folder(void)
{
    const char *chosen = getenv("CORUNNA_NAMES");
    return chosen && *chosen ? chosen : NULL;
}

/* Where it is, made if is_needed. Without it no name is published. */
static int name_folder(int is_needed, char folder[PATH_MAX], cor_fault *fault)
{
    const char *chosen = name_chosen_folder(), *run = getenv("XDG_RUNTIME_DIR");
    struct stat found;
    if (chosen)
        snprintf(folder, PATH_MAX, "%s", chosen);
    else if (run && *run == '/' && access(run, W_OK) == 0)
        snprintf(folder, PATH_MAX, "%s/corunna-names", run);
    else
        snprintf(folder, PATH_MAX, "/tmp/corunna-names-%u", (unsigned)geteuid());
    if (is_needed && mkdir(folder, 0700) != 0 && errno != EEXIST)
        return cor_fault_set(fault, COR_ERR_SERVICE, "the folder of names %.160s: %s", folder, strerror(errno));
    if (lstat(folder, &found) != 0)
        return errno == ENOENT
                   ? COR_OK
                   : cor_fault_set(fault, COR_ERR_SERVICE, "the folder of names %.160s: %s", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || found.st_mode & 022)
        return cor_fault_set(fault, COR_ERR_SERVICE, "the folder of names %.160s is not this user's alone", folder);
    return COR_OK;
}

static int name_path(const char *service, int is_needed, char path[PATH_MAX], cor_fault *fault)
{
    uint8_t digest[COR_SHA256_BYTES];
    char digits[2 * COR_SHA256_BYTES + 1], folder[PATH_MAX];
    cor_sha256 hash;
    int rc = name_folder(is_needed, folder, fault);
    if (rc != COR_OK)
        return rc;
    cor_sha256_init(&hash);
    cor_sha256_add(&hash, service, strlen(service));
    cor_sha256_end(&hash, digest);
    cor_hex_print(digest, sizeof digest, digits);
    if (snprintf(path, PATH_MAX, "%s/%s", folder, digits) >= PATH_MAX)
        return cor_fault_set(fault, COR_ERR_SERVICE, "the folder of names has too long a path");
    return COR_OK;
}

/* ---- publishing ------------------------------------------------------------------------------------------------- */

static int name_fail(cor_fault *fault, const char *service, const char *why)
{
    return cor_fault_set(fault, COR_ERR_SERVICE, "the name \"%.80s\" cannot be published: %s", service, why);
}

/* The file of the name, locked. Lookups and removals hold their locks for a moment only, and folder and file may be
 * removed meanwhile by the process that withdraws the last name: then it tries again. What is held for long is
 * published, though nothing is known of the process that holds it. */
static int name_lock(const char *service, char path[PATH_MAX], int *fd_p, cor_fault *fault)
{
    int held = 0;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        int rc = name_path(service, 1, path, fault);
        if (rc != COR_OK)
            return rc;
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != ENOENT)
            return name_fail(fault, service, strerror(errno));
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && name_file_is_at(fd, path)) {
            *fd_p = fd;
            return COR_OK;
        }
        name_state state = fd >= 0 ? name_file_state(fd) : NAME_IS_LEFT;
        if (state == NAME_IS_DEAD)
            name_file_remove(fd, path);
        held = state == NAME_IS_HELD ? held + 1 : 0;
        if (fd >= 0)
            close(fd);
        if (state == NAME_LIVES || held > NAME_HELD)
            return cor_fault_set(fault, COR_ERR_SERVICE, "the name \"%.80s\" is published already", service);
        poll(NULL, 0, 1);
    }
    return name_fail(fault, service, "its file changes all the time");
}

static void name_free(dynamic_name *name)
{
    if (!name)
        return;
    free(name->path);
    free(name->service);
    free(name->port);
    free(name);
}

static dynamic_name *name_make(const char *path, const char *service, const char *port)
{
    dynamic_name *name = calloc(1, sizeof *name);
    if (!name)
        return NULL;
    name->path = strdup(path);
    name->service = strdup(service);
    name->port = strdup(port);
    if (name->path && name->service && name->port)
        return name;
    name_free(name);
    return NULL;
}

/* What a lookup could not read back is not published. */
static int name_check(const char *service, const char *port, cor_fault *fault)
{
    if (strlen(port) >= COR_PORT_MAX || strchr(port, '\n'))
        return name_fail(fault, service, "its port is not the name of one");
    if (strlen(service) + strlen(port) + NAME_OWNER_MAX > NAME_TEXT_MAX)
        return name_fail(fault, service, "it is too long");
    return COR_OK;
}

/* Write the locked file and keep it. */
static int name_keep(cor_dynamic *dynamic, dynamic_name *name, cor_fault *fault)
{
    if (name_file_write(name->fd, name->service, name->port) != 0)
        return name_fail(fault, name->service, strerror(errno));
    pthread_mutex_lock(&dynamic->mutex);
    cor_list_append(&dynamic->names, &name->link);
    pthread_mutex_unlock(&dynamic->mutex);
    return COR_OK;
}

static void name_end(dynamic_name *name)
{
    unlink(name->path); /* under its lock */
    close(name->fd);
    *strrchr(name->path, '/') = 0;
    if (!name_chosen_folder())
        rmdir(name->path); /* if it was the last */
    name_free(name);
}

/* Sweep the folder of this file: remove names whose processes have ended. */
static void name_sweep(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    name_file_sweep(folder);
}

static int name_publish(cor_dynamic *dynamic, const char *service, const char *port, cor_fault *fault)
{
    char path[PATH_MAX];
    int fd = -1, rc = name_check(service, port, fault);
    if (rc == COR_OK)
        rc = name_lock(service, path, &fd, fault);
    if (rc != COR_OK)
        return rc;
    dynamic_name *name = name_make(path, service, port);
    if (!name) {
        unlink(path);
        close(fd);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a name");
    }
    name->fd = fd;
    rc = name_keep(dynamic, name, fault);
    if (rc != COR_OK)
        name_end(name);
    else
        name_sweep(path);
    return rc;
}

int cor_name_publish(cor_rank *rank, const char *service, const char *port)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    cor_fault fault = {0};
    return dynamic ? dynamic_end(rank, name_publish(dynamic, service, port, &fault), &fault) : COR_ERR_MEMORY;
}

int cor_name_withdraw(cor_rank *rank, const char *service, const char *port)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    dynamic_name *found = NULL;
    if (!dynamic)
        return COR_ERR_MEMORY;
    pthread_mutex_lock(&dynamic->mutex);
    for (cor_link *link = dynamic->names.next; !found && link != &dynamic->names; link = link->next) {
        dynamic_name *name = COR_OWNER(link, dynamic_name, link);
        if (strcmp(name->service, service) == 0 && strcmp(name->port, port) == 0)
            found = name;
    }
    if (found)
        cor_list_remove(&found->link);
    pthread_mutex_unlock(&dynamic->mutex);
    if (!found)
        return dynamic_fail(rank, COR_ERR_SERVICE, "this process has not published \"%.80s\" for that port", service);
    name_end(found);
    return COR_OK;
}

void name_withdraw_all(cor_dynamic *dynamic)
{
    cor_link *link;
    while ((link = dynamic_take(dynamic, &dynamic->names)))
        name_end(COR_OWNER(link, dynamic_name, link));
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

int cor_name_find(cor_rank *rank, const char *service, char port[COR_PORT_MAX])
{
    cor_fault fault = {0};
    char path[PATH_MAX];
    int rc = name_path(service, 0, path, &fault);
    if (rc != COR_OK)
        return dynamic_end(rank, rc, &fault);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    name_state state = fd >= 0 ? name_file_state(fd) : NAME_IS_LEFT;
    int is_found = (state == NAME_LIVES || state == NAME_IS_HELD) && name_file_read(fd, service, port);
    if (state == NAME_IS_DEAD)
        name_file_remove(fd, path);
    if (fd >= 0)
        close(fd);
    return is_found ? COR_OK : dynamic_fail(rank, COR_ERR_NAME, "the name \"%.80s\" is not published", service);
}
