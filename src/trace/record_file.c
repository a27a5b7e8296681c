/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "trace/record_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The link of a memfd: "/memfd:NAME (deleted)". */
#define FILE_LINK "/memfd:" COR_RECORD_PREFIX

static int file_is_record(const char *path)
{
    char target[sizeof FILE_LINK + 64];
    ssize_t length = readlink(path, target, sizeof target - 1);
    return length > (ssize_t)strlen(FILE_LINK) && strncmp(target, FILE_LINK, strlen(FILE_LINK)) == 0;
}

static cor_record_found *file_known(const cor_record_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

/* Several processes have the descriptor; the one that made it counts. Takes the record over. */
static int file_add(cor_record_list *list, cor_record *record, int pid)
{
    const cor_record_header *header = &record->header;
    cor_record_found *known = file_known(list, header->name);
    if (header->pid != pid || (known && !(header->flags & COR_RECORD_IS_ROOT))) {
        cor_record_close(record);
        return COR_OK;
    }
    if (known) {
        cor_record_close(&known->record);
    } else {
        cor_record_found *items = realloc(list->items, (list->count + 1) * sizeof *items);
        if (!items) {
            cor_record_close(record);
            return COR_ERR_MEMORY;
        }
        list->items = items;
        known = &items[list->count++];
    }
    memcpy(known->name, header->name, sizeof known->name);
    known->pid = pid;
    known->record = *record;
    return COR_OK;
}

static int file_look_at(cor_record_list *list, const char *path, int pid)
{
    cor_record record;
    cor_fault ignored = {0};
    int fd = file_is_record(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return COR_OK;
    if (cor_record_open(&record, fd, 0, &ignored) != COR_OK) {
        close(fd); /* of another version */
        return COR_OK;
    }
    return file_add(list, &record, pid);
}

/* The descriptors of one process. */
static int file_look_into(cor_record_list *list, int pid)
{
    char folder_path[64], path[128];
    snprintf(folder_path, sizeof folder_path, "/proc/%d/fd", pid);
    DIR *folder = opendir(folder_path); /* fails for processes of other users, and for one that has just ended */
    const struct dirent *entry;
    int rc = COR_OK;
    while (folder && rc == COR_OK && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0])) {
            snprintf(path, sizeof path, "%s/%.20s", folder_path, entry->d_name);
            rc = file_look_at(list, path, pid);
        }
    if (folder)
        closedir(folder);
    return rc;
}

static int file_compare(const void *left, const void *right)
{
    const cor_record_found *a = left, *b = right;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int cor_record_find(cor_record_list *list, cor_fault *fault)
{
    *list = (cor_record_list){0};
    DIR *processes = opendir("/proc");
    if (!processes)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read /proc: %s", strerror(errno));
    const struct dirent *entry;
    int rc = COR_OK;
    while (rc == COR_OK && (entry = readdir(processes)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            rc = file_look_into(list, atoi(entry->d_name));
    closedir(processes);
    if (rc != COR_OK) {
        cor_record_list_fini(list);
        return cor_fault_set(fault, rc, "no memory for the list of jobs");
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, file_compare);
    return COR_OK;
}

void cor_record_list_fini(cor_record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        cor_record_close(&list->items[i].record);
    free(list->items);
    *list = (cor_record_list){0};
}
