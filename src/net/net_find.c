/* SPDX-License-Identifier: Apache-2.0 */
/* The acceptor's side of an offer (net_offer.c): the segment that a link names, if all about it is right. */
#define _GNU_SOURCE
#include "net/net_state.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The segment that the link leads to, or -1. Both must be this user's. *is_early_p: there is no link. */
static int find_open(cor_net *net, const char *path, int *is_early_p)
{
    char target[COR_NET_PATH_MAX];
    struct stat facts;
    int pid, fd;
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        *is_early_p = errno == ENOENT;
        if (errno == EINVAL)
            net_say_once(net, COR_NET_WHY_GARBAGE, "%s is not a link of ours", path);
        return -1;
    }
    target[length] = '\0';
    if (lstat(path, &facts) != 0)
        return -1;
    if (facts.st_uid != geteuid()) {
        cor_net_note(net, COR_NET_WHY_CLIENT); /* root serves other users; that is nothing to tell */
        return -1;
    }
    unlink(path);
    if (!cor_net_target_parse(target, &pid, &fd)) {
        net_say_once(net, COR_NET_WHY_GARBAGE, "the link %s leads to %s, which is no segment", path, target);
        return -1;
    }
    /* The thread that accepts is not cancelled here. */
    int found = net_sys_open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (found < 0 && errno == ENOENT) /* the client has closed meanwhile */
        cor_net_note(net, COR_NET_WHY_CLIENT);
    else if (found < 0)
        net_say_once(net, COR_NET_WHY_MAP, "cannot open the segment %s: %s", target, strerror(errno));
    return found;
}

static int find_is_size(uint64_t bytes)
{
    return bytes >= 4096 && bytes <= 1u << 30 && (bytes & (bytes - 1)) == 0;
}

/* How a segment begins. */
typedef struct find_begin {
    uint64_t magic, ring_bytes, far_bytes;
} find_begin;

_Static_assert(offsetof(cor_net_segment, magic) == offsetof(find_begin, magic) &&
                   offsetof(cor_net_segment, ring_bytes) == offsetof(find_begin, ring_bytes) &&
                   offsetof(cor_net_segment, far_bytes) == offsetof(find_begin, far_bytes),
               "the begin of a segment");

/* It cannot shrink, and the sizes that it states are those of the file. */
static int find_is_whole(cor_net *net, int fd, const struct stat *facts, find_begin *begin)
{
    int seals = net_sys_fcntl(fd, F_GET_SEALS, 0);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || facts->st_size < (off_t)net_all_bytes(4096, 0) ||
        net_sys_read(fd, begin, sizeof *begin) != sizeof *begin) {
        net_say_once(net, COR_NET_WHY_GARBAGE, "the segment of a connection has %lld bytes, or may shrink",
                     (long long)facts->st_size);
        return 0;
    }
    if (begin->magic != NET_SEGMENT_MAGIC || !find_is_size(begin->ring_bytes) ||
        (begin->far_bytes != 0 && !find_is_size(begin->far_bytes)) ||
        (uint64_t)facts->st_size != net_all_bytes(begin->ring_bytes, begin->far_bytes)) {
        net_say_once(net, COR_NET_WHY_GARBAGE, "the segment of a connection is garbage");
        return 0;
    }
    return 1;
}

/* A client that has closed meanwhile may use the descriptor for its next connection. One that has been reset may hold
 * an offer whose addresses and ports are another connection's by now. Neither is anything to tell. */
static int find_is_for(const cor_net_segment *segment, const cor_net_name *name)
{
    uint64_t socket = segment->socket;
    if (memcmp(&segment->name, name, sizeof *name) != 0)
        return 0;
    uint32_t now = cor_net_name_socket(name);
    return now == 0 || socket == 0 || now == (uint32_t)socket;
}

static cor_net_segment *find_map(cor_net *net, int fd, const cor_net_name *name, find_begin *begin)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || facts.st_uid != geteuid() || (facts.st_mode & 077) || !S_ISREG(facts.st_mode)) {
        net_say_once(net, COR_NET_WHY_OWNER, "the segment of a connection belongs to another user");
        return NULL;
    }
    if (!find_is_whole(net, fd, &facts, begin))
        return NULL;
    size_t bytes = net_near_bytes(begin->ring_bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        net_say_once(net, COR_NET_WHY_MAP, "cannot map a segment: %s", strerror(errno));
        return NULL;
    }
    if (!find_is_for(memory, name)) {
        munmap(memory, bytes);
        cor_net_note(net, COR_NET_WHY_CLIENT);
        return NULL;
    }
    return memory;
}

/* The name of the connection. COR_NET_WHYS: it has one. */
static cor_net_why find_name(cor_conn *conn, int fd, cor_net_name *name)
{
    struct sockaddr_storage from, to;
    socklen_t from_length = sizeof from, to_length = sizeof to;
    if (getpeername(fd, (struct sockaddr *)&from, &from_length) != 0 ||
        getsockname(fd, (struct sockaddr *)&to, &to_length) != 0 ||
        cor_net_name_set(name, (struct sockaddr *)&from, (struct sockaddr *)&to) != 0 || !cor_net_name_is_local(name))
        return COR_NET_WHY_CLIENT;
    name->space = cor_net_name_space(fd);
    name->pids = conn->net->pids;
    return COR_NET_WHYS;
}

/* The reason is noted. */
static cor_net_why find_refuse(cor_conn *conn)
{
    NET_COUNT(conn, plain, 1);
    net_store(&conn->local->is_plain, 1);
    return COR_NET_WHYS;
}

cor_net_why net_find(cor_conn *conn, int fd)
{
    cor_net_name name;
    char path[COR_NET_PATH_MAX];
    int is_early = 0;
    cor_net_why why = find_name(conn, fd, &name);
    if (why != COR_NET_WHYS)
        return why;
    cor_net_name_path(&name, path);
    int found = find_open(conn->net, path, &is_early);
    if (is_early) {
        net_young_later(conn);
        return COR_NET_WHYS;
    }
    if (found < 0)
        return find_refuse(conn);
    find_begin begin = {0};
    cor_net_segment *segment = find_map(conn->net, found, &name, &begin);
    net_sys_close(found);
    if (!segment)
        return find_refuse(conn);
    conn->ring_bytes = begin.ring_bytes;
    conn->far_bytes = begin.far_bytes;
    net_young_learn(conn, fd);
    if (net_young_grown(conn, fd, segment))
        net_store(&segment->is_found, 1);
    else
        munmap(segment, net_near_bytes(begin.ring_bytes));
    return COR_NET_WHYS;
}
