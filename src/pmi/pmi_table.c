/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pmi/pmi_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void cor_pmi_table_open(cor_pmi_table *table)
{
    *table = (cor_pmi_table){.fd = memfd_create("corunna-pmi", MFD_CLOEXEC)};
}

void cor_pmi_table_close(cor_pmi_table *table)
{
    if (table->fd >= 0)
        close(table->fd);
    table->fd = -1;
}

int cor_pmi_table_append(cor_pmi_table *table, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t written = pwrite(table->fd, bytes + done, length - done, (off_t)(table->end + done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return 0;
        done += (size_t)written;
    }
    table->end += length;
    return 1;
}

int cor_pmi_table_name(int fd, char name[COR_PMI_TABLE_NAME_MAX])
{
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) != 0)
        return 0;
    snprintf(name, COR_PMI_TABLE_NAME_MAX, "%d:%llx:%llx", fd, (unsigned long long)facts.st_dev,
             (unsigned long long)facts.st_ino);
    return 1;
}

/* Another file may have the number by now. */
int cor_pmi_table_find(const char *name)
{
    char found[COR_PMI_TABLE_NAME_MAX];
    int fd = atoi(name);
    return cor_pmi_table_name(fd, found) && strcmp(found, name) == 0 ? fd : -1;
}

char *cor_pmi_table_read(int fd, size_t offset, size_t length)
{
    char *bytes = malloc(length + 1);
    for (size_t done = 0; bytes && done < length;) {
        ssize_t got = pread(fd, bytes + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        done += (size_t)got;
    }
    if (bytes)
        bytes[length] = '\0';
    return bytes;
}
