/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "net/net_name.h"

#include "net/net_sys.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_NETNS_COOKIE = 71 }; /* SO_NETNS_COOKIE */

static int name_address(const struct sockaddr *address, uint8_t out[16], uint16_t *port_p)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;
        memset(out, 0, 10);
        memset(out + 10, 0xff, 2);
        memcpy(out + 12, &in->sin_addr, 4);
        *port_p = ntohs(in->sin_port);
        return 0;
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)address;
        memcpy(out, &in->sin6_addr, 16);
        *port_p = ntohs(in->sin6_port);
        return 0;
    }
    return -1;
}

uint64_t cor_net_name_space(int fd)
{
    uint64_t cookie = 0;
    socklen_t length = sizeof cookie;
    struct stat facts;
    if (net_sys_getsockopt(fd, SOL_SOCKET, NAME_NETNS_COOKIE, &cookie, &length) == 0)
        return cookie;
    /* An older kernel tells of the thread alone, in whose namespace the socket is, as a rule. */
    return stat("/proc/thread-self/ns/net", &facts) == 0 ? (uint64_t)facts.st_ino : 0;
}

uint32_t cor_net_name_pids(void)
{
    char self[16];
    struct stat facts;
    ssize_t length = readlink("/proc/self", self, sizeof self - 1);
    if (length <= 0 || stat("/proc/self/ns/pid", &facts) != 0)
        return 0;
    self[length] = '\0';
    return atoi(self) == (int)getpid() ? (uint32_t)facts.st_ino : 0;
}

int cor_net_name_set(cor_net_name *name, const struct sockaddr *from, const struct sockaddr *to)
{
    memset(name, 0, sizeof *name);
    return name_address(from, name->from, &name->from_port) == 0 && name_address(to, name->to, &name->to_port) == 0
               ? 0
               : -1;
}

int cor_net_name_is_local(const cor_net_name *name)
{
    static const uint8_t v4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (memcmp(name->from, name->to, 16) == 0)
        return 1;
    return memcmp(name->from, v4, 12) == 0 && name->from[12] == 127 && memcmp(name->to, v4, 12) == 0 &&
           name->to[12] == 127;
}

socklen_t cor_net_port_name(struct sockaddr_un *name, uid_t user, uint16_t port)
{
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    /* A name that begins with a zero is in no folder. */
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, COR_NET_PREFIX "%u-%u", (unsigned)user, port);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int name_hex(char *out, const uint8_t address[16])
{
    for (int i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", address[i]);
    return 32;
}

void cor_net_name_path(const cor_net_name *name, char path[COR_NET_PATH_MAX])
{
    char from[33], to[33];
    name_hex(from, name->from);
    name_hex(to, name->to);
    snprintf(path, COR_NET_PATH_MAX, COR_NET_FOLDER "/" COR_NET_PREFIX "%x-%llx-%s.%u-%s.%u", name->pids,
             (unsigned long long)name->space, from, name->from_port, to, name->to_port);
}

void cor_net_target_print(char target[COR_NET_PATH_MAX], int pid, int fd)
{
    snprintf(target, COR_NET_PATH_MAX, "/proc/%d/fd/%d", pid, fd);
}

int cor_net_target_parse(const char *target, int *pid_p, int *fd_p)
{
    char again[COR_NET_PATH_MAX];
    int pid, fd;
    if (sscanf(target, "/proc/%9d/fd/%9d", &pid, &fd) != 2 || pid <= 0 || fd < 0)
        return 0;
    cor_net_target_print(again, pid, fd);
    if (strcmp(again, target) != 0)
        return 0;
    *pid_p = pid;
    *fd_p = fd;
    return 1;
}

int cor_net_name_sweep(void)
{
    DIR *folder = opendir(COR_NET_FOLDER);
    if (!folder)
        return 0;
    int count = 0;
    /* Elsewhere the same ids are of other processes. */
    char ours[sizeof COR_NET_PREFIX + 16];
    int ours_length = snprintf(ours, sizeof ours, COR_NET_PREFIX "%x-", cor_net_name_pids());
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char target[COR_NET_PATH_MAX];
        int pid, fd;
        if (strncmp(entry->d_name, ours, (size_t)ours_length) != 0)
            continue;
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (length < 0)
            continue;
        target[length] = '\0';
        if (cor_net_target_parse(target, &pid, &fd) && kill(pid, 0) != 0 && errno == ESRCH &&
            unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            count++;
    }
    closedir(folder);
    return count;
}
