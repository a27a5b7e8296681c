/* SPDX-License-Identifier: Apache-2.0 */
/* The acceptor's side of an offer (net_offer.c): the segment that a link names, if all about it is right. */
#define _GNU_SOURCE
#include "net/net_state.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static cor_conn *find_stay(cor_net *net, cor_net_why why)
{
    net_count_plain(net, why);
    return NULL;
}

/* The segment that the link leads to, or -1. Both must be this user's. */
static int find_open(cor_net *net, const char *path)
{
    char target[COR_NET_PATH_MAX];
    struct stat facts;
    int pid, fd;
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        if (errno == EINVAL)
            net_say_once(net, COR_NET_WHY_GARBAGE, "%s is not a link of ours", path);
        else
            find_stay(net, COR_NET_WHY_CLIENT);
        return -1;
    }
    target[length] = '\0';
    if (lstat(path, &facts) != 0)
        return -1;
    if (facts.st_uid != geteuid()) {
        /* root serves other users, and they may connect to root; that is nothing to tell. */
        find_stay(net, COR_NET_WHY_CLIENT);
        return -1;
    }
    unlink(path);
    if (!cor_net_target_parse(target, &pid, &fd)) {
        net_say_once(net, COR_NET_WHY_GARBAGE, "the link %s leads to %s, which is no segment", path, target);
        return -1;
    }
    int found = open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (found < 0)
        net_say_once(net, COR_NET_WHY_MAP, "cannot open the segment %s: %s", target, strerror(errno));
    return found;
}

/* The header of a mapped segment belongs to this connection. */
static int find_is_right(const cor_net_segment *segment, uint64_t ring_bytes, const cor_net_name *name)
{
    return segment->magic == NET_SEGMENT_MAGIC && segment->ring_bytes == ring_bytes &&
           memcmp(&segment->name, name, sizeof *name) == 0;
}

static cor_net_segment *find_map(cor_net *net, int fd, const cor_net_name *name, uint64_t *ring_bytes_p)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || facts.st_uid != geteuid() || (facts.st_mode & 077) || !S_ISREG(facts.st_mode)) {
        net_say_once(net, COR_NET_WHY_OWNER, "the segment of a connection belongs to another user");
        return NULL;
    }
    uint64_t rings = (uint64_t)facts.st_size - NET_SEGMENT_HEADER, ring_bytes = rings / 2;
    int seals = net_sys_fcntl(fd, F_GET_SEALS, 0);
    if (facts.st_size < NET_SEGMENT_HEADER + 2 * 4096 || ring_bytes > 1u << 30 || (ring_bytes & (ring_bytes - 1)) ||
        rings % 2 || seals < 0 || !(seals & F_SEAL_SHRINK)) {
        net_say_once(net, COR_NET_WHY_GARBAGE, "the segment of a connection has %lld bytes, or may shrink",
                     (long long)facts.st_size);
        return NULL;
    }
    void *memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        net_say_once(net, COR_NET_WHY_MAP, "cannot map a segment: %s", strerror(errno));
        return NULL;
    }
    if (!find_is_right(memory, ring_bytes, name)) {
        /* A client that has closed meanwhile may use the descriptor for its next connection; that is nothing to tell. */
        if (((const cor_net_segment *)memory)->magic != NET_SEGMENT_MAGIC)
            net_say_once(net, COR_NET_WHY_GARBAGE, "the segment of a connection is garbage");
        munmap(memory, (size_t)facts.st_size);
        return NULL;
    }
    *ring_bytes_p = ring_bytes;
    return memory;
}

cor_conn *cor_conn_find(cor_net *net, int fd)
{
    struct sockaddr_storage from, to;
    socklen_t from_length = sizeof from, to_length = sizeof to;
    cor_net_name name;
    char path[COR_NET_PATH_MAX];
    if (getpeername(fd, (struct sockaddr *)&from, &from_length) != 0 ||
        getsockname(fd, (struct sockaddr *)&to, &to_length) != 0 ||
        cor_net_name_set(&name, (struct sockaddr *)&from, (struct sockaddr *)&to) != 0)
        return NULL;
    if (cor_net_is_stopped(net))
        return find_stay(net, COR_NET_WHY_STOPPED);
    if (!cor_net_name_is_local(&name))
        return find_stay(net, COR_NET_WHY_CLIENT);
    if (!cor_net_has_usual_options(fd))
        return find_stay(net, COR_NET_WHY_OPTION);
    name.space = cor_net_name_space(fd);
    name.pids = net->pids;
    cor_net_name_path(&name, path);
    int found = find_open(net, path);
    if (found < 0)
        return NULL;
    uint64_t ring_bytes = 0;
    cor_net_segment *segment = find_map(net, found, &name, &ring_bytes);
    net_sys_close(found);
    cor_conn *conn = segment ? net_conn_new(net, NET_SERVER) : NULL;
    if (!conn) {
        if (segment)
            munmap(segment, NET_SEGMENT_HEADER + 2 * ring_bytes);
        return NULL;
    }
    conn->ring_bytes = ring_bytes;
    net_conn_map(conn, segment);
    net_store(&segment->is_found, 1);
    cor_conn_set_blocking(conn, !(net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK));
    return conn;
}
