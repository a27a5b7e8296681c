/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies under the name of a fast socket: the target of a link, of any bytes. What is taken for a process and a
 * descriptor is printed as the same target again; and any two addresses make a path of the folder of links.
 *
 * FUZZ_SOURCES: src/net/net_name.c
 */
#define _GNU_SOURCE
#include "net/net_name.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fuzz_target(const unsigned char *data, size_t size)
{
    char target[COR_NET_PATH_MAX] = "", again[COR_NET_PATH_MAX];
    int pid = -7, fd = -7;
    memcpy(target, data, size < sizeof target - 1 ? size : sizeof target - 1);
    if (!cor_net_target_parse(target, &pid, &fd)) {
        if (pid != -7 || fd != -7)
            abort();
        return;
    }
    cor_net_target_print(again, pid, fd);
    if (pid <= 0 || fd < 0 || strcmp(again, target) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct sockaddr_storage from = {0}, to = {0};
    cor_net_name name;
    char path[COR_NET_PATH_MAX];
    fuzz_target(data, size);
    memcpy(&from, data, size < sizeof from ? size : sizeof from);
    memcpy(&to, data + size / 2, size - size / 2 < sizeof to ? size - size / 2 : sizeof to);
    if (cor_net_name_set(&name, (struct sockaddr *)&from, (struct sockaddr *)&to) == 0) {
        cor_net_name_is_local(&name);
        cor_net_name_path(&name, path);
        if (strncmp(path, COR_NET_FOLDER "/" COR_NET_PREFIX, strlen(COR_NET_FOLDER "/" COR_NET_PREFIX)) != 0 ||
            strchr(path + strlen(COR_NET_FOLDER) + 1, '/'))
            abort();
    }
    return 0;
}
