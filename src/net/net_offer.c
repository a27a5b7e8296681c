/* SPDX-License-Identifier: Apache-2.0 */
/* A segment for a connection: the client's offer, and how the acceptor finds it. */
#define _GNU_SOURCE
#include "base/segment.h"
#include "net/net_state.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { OFFER_FD_BASE_MAX = 4096, OFFER_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static int offer_is_stream(int fd)
{
    int type = 0, protocol = 0;
    socklen_t length = sizeof type;
    if (net_sys_getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM)
        return 0;
    length = sizeof protocol;
    return net_sys_getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 && protocol == IPPROTO_TCP;
}

/* The source that connect() would choose for a destination on this host: for the loopback network its first address, for
 * any other address that address itself. Binding to it fails where it is not on this host. */
static int offer_source(const struct sockaddr *to, struct sockaddr_storage *from_p, socklen_t *length_p)
{
    memset(from_p, 0, sizeof *from_p);
    if (to->sa_family == AF_INET) {
        struct sockaddr_in *from = (void *)from_p;
        *from = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = ((const struct sockaddr_in *)to)->sin_addr};
        uint32_t address = ntohl(from->sin_addr.s_addr);
        if (address == INADDR_ANY || address >> 24 == 127)
            from->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        *length_p = sizeof *from;
        return 1;
    }
    if (to->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)to;
        struct sockaddr_in6 *from = (void *)from_p;
        *from = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_addr = in->sin6_addr, .sin6_scope_id = in->sin6_scope_id};
        if (IN6_IS_ADDR_UNSPECIFIED(&in->sin6_addr))
            from->sin6_addr = in6addr_loopback;
        else if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr) && in->sin6_addr.s6_addr[12] == 127)
            memcpy(&from->sin6_addr.s6_addr[12], (const uint8_t[]){127, 0, 0, 1}, 4);
        *length_p = sizeof *from;
        return 1;
    }
    return 0;
}

static int offer_is_any(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static int offer_port(const struct sockaddr *address)
{
    return address->sa_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_port
                                         : ((const struct sockaddr_in6 *)address)->sin6_port;
}

/* The name of a connection that is about to be made; binds the socket. 0: it stays plain. */
static int offer_name(cor_net *net, int fd, const struct sockaddr *to, socklen_t to_length, cor_net_name *name)
{
    struct sockaddr_storage from, bound;
    socklen_t length, bound_length = sizeof bound;
    if (to_length < (to->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)) ||
        !offer_source(to, &from, &length) || !offer_is_stream(fd) || !net_is_announced(net, to))
        return 0;
    if (getsockname(fd, (struct sockaddr *)&bound, &bound_length) != 0 || bound.ss_family != to->sa_family)
        return 0;
    if (offer_port((struct sockaddr *)&bound) == 0) {
        if (!offer_is_any((struct sockaddr *)&bound) || bind(fd, (struct sockaddr *)&from, length) != 0)
            return 0;
        bound_length = sizeof bound;
        if (getsockname(fd, (struct sockaddr *)&bound, &bound_length) != 0)
            return 0;
    } else if (offer_is_any((struct sockaddr *)&bound)) {
        return 0; /* the program chose the port, and the kernel will choose the address */
    }
    if (cor_net_name_set(name, (struct sockaddr *)&bound, to) != 0)
        return 0;
    /* A connection to the address 'any' arrives at the loopback address. */
    if (offer_is_any(to))
        memcpy(name->to, name->from, sizeof name->to);
    name->space = net->space;
    return cor_net_name_is_local(name);
}

/* ---- the client ------------------------------------------------------------------------------------------------- */

int cor_net_own_base(void)
{
    struct rlimit limit;
    rlim_t base = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 2 : 512;
    return base < OFFER_FD_BASE_MAX ? (int)base : OFFER_FD_BASE_MAX;
}

int net_move_up(int fd)
{
    int moved = net_sys_fcntl(fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    int saved = errno;
    net_sys_close(fd);
    errno = saved;
    return moved;
}

static cor_net_segment *offer_segment(size_t bytes, size_t near_bytes, int *fd_p)
{
    int low = memfd_create("corunna-sock", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int fd = low < 0 ? -1 : net_move_up(low);
    if (fd < 0)
        return NULL;
    int cause = cor_segment_size(fd, bytes, 0);
    void *memory = MAP_FAILED;
    if (cause != 0)
        errno = cause;
    else if (net_sys_fcntl(fd, F_ADD_SEALS, OFFER_SEALS) == 0 && fchmod(fd, 0600) == 0)
        memory = mmap(NULL, near_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        int saved = errno;
        net_sys_close(fd);
        errno = saved;
        return NULL;
    }
    *fd_p = fd;
    return memory;
}

/* The link is removed first when it is of a process that ended, or left by an earlier connection of these ports. */
static int offer_link(const char *target, const char *path)
{
    char old[COR_NET_PATH_MAX];
    int pid, fd;
    if (symlink(target, path) == 0)
        return 0;
    if (errno != EEXIST)
        return -1;
    ssize_t length = readlink(path, old, sizeof old - 1);
    if (length > 0) {
        old[length] = '\0';
        if (cor_net_target_parse(old, &pid, &fd) && kill(pid, 0) != 0 && errno == ESRCH && unlink(path) == 0)
            return symlink(target, path);
    }
    errno = EEXIST;
    return -1;
}

void net_offer_close(cor_conn *conn)
{
    int fd = atomic_exchange_explicit(&conn->offer_fd, -1, memory_order_relaxed);
    if (fd < 0)
        return;
    if (conn->offer_pid == (pid_t)conn->net->pid) {
        char target[COR_NET_PATH_MAX], mine[COR_NET_PATH_MAX];
        cor_net_target_print(mine, (int)conn->offer_pid, fd);
        ssize_t length = readlink(conn->path, target, sizeof target - 1);
        /* The acceptor has removed it, as a rule. */
        if (length > 0) {
            target[length] = '\0';
            if (strcmp(target, mine) == 0)
                unlink(conn->path);
        }
    }
    net_sys_close(fd);
}

void cor_conn_leave(cor_conn *conn)
{
    net_offer_close(conn);
}

static int offer_refuse(cor_conn *conn, int why, const char *what, const char *path)
{
    net_say_once(conn->net, why, "%s%s: %s", what, path, strerror(errno));
    NET_COUNT(conn, plain, 1);
    return 0;
}

static int offer_create(cor_conn *conn, const cor_net_name *name)
{
    cor_net *net = conn->net;
    char target[COR_NET_PATH_MAX];
    int fd = -1;
    conn->ring_bytes = net->config.ring_bytes;
    conn->far_bytes = net->config.far_bytes;
    size_t near_bytes = net_near_bytes(conn->ring_bytes);
    cor_net_segment *segment = offer_segment(net_all_bytes(conn->ring_bytes, conn->far_bytes), near_bytes, &fd);
    if (!segment && conn->far_bytes > 0) { /* there may be a limit on the size of files */
        conn->far_bytes = 0;
        segment = offer_segment(near_bytes, near_bytes, &fd);
    }
    if (!segment)
        return offer_refuse(conn, NET_WHY_MEMORY, "no shared memory", "");
    segment->magic = NET_SEGMENT_MAGIC;
    segment->ring_bytes = conn->ring_bytes;
    segment->far_bytes = conn->far_bytes;
    segment->name = *name;
    for (int i = 0; i < 2; i++) {
        /* Both sides wait on the descriptor until they know of the rings. */
        atomic_store_explicit(&segment->dirs[i].reader_armed, 1, memory_order_relaxed);
        atomic_store_explicit(&segment->dirs[i].writer_cpu, -1, memory_order_relaxed);
        atomic_store_explicit(&segment->dirs[i].reader_cpu, -1, memory_order_relaxed);
    }
    net_conn_map(conn, segment);
    cor_net_name_path(name, conn->path);
    cor_net_target_print(target, (int)net->pid, fd);
    conn->offer_pid = (pid_t)net->pid;
    if (offer_link(target, conn->path) != 0) {
        offer_refuse(conn, NET_WHY_LINK, "cannot create the link ", conn->path);
        net_sys_close(fd);
        return 0;
    }
    atomic_store_explicit(&conn->offer_fd, fd, memory_order_relaxed);
    return 1;
}

cor_conn *cor_conn_offer(cor_net *net, int fd, const struct sockaddr *to, socklen_t length)
{
    cor_net_name name;
    if (atomic_load_explicit(&net->is_stopped, memory_order_relaxed) || !offer_name(net, fd, to, length, &name))
        return NULL;
    cor_conn *conn = net_conn_new(net, NET_CLIENT);
    if (!conn)
        return NULL;
    if (!offer_create(conn, &name)) {
        cor_conn_unref(conn);
        return NULL;
    }
    net_store(&conn->local->is_begun, 1);
    cor_conn_set_blocking(conn, !(net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK));
    NET_COUNT(conn, offered, 1);
    return conn;
}

/* ---- the acceptor ----------------------------------------------------------------------------------------------- */

/* The segment that the link leads to, or -1. Both must be this user's. */
static int find_open(cor_net *net, const char *path)
{
    char target[COR_NET_PATH_MAX];
    struct stat facts;
    int pid, fd;
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        if (errno == EINVAL)
            net_say_once(net, NET_WHY_GARBAGE, "%s is not a link of ours", path);
        return -1;
    }
    target[length] = '\0';
    if (lstat(path, &facts) != 0)
        return -1;
    if (facts.st_uid != geteuid()) {
        /* root serves other users, and they may connect to root; that is nothing to tell. */
        return -1;
    }
    unlink(path);
    if (!cor_net_target_parse(target, &pid, &fd)) {
        net_say_once(net, NET_WHY_GARBAGE, "the link %s leads to %s, which is no segment", path, target);
        return -1;
    }
    int found = open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (found < 0)
        net_say_once(net, NET_WHY_MAP, "cannot open the segment %s: %s", target, strerror(errno));
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
        net_say_once(net, NET_WHY_GARBAGE, "the segment of a connection has %lld bytes, or may shrink",
                     (long long)facts->st_size);
        return 0;
    }
    if (begin->magic != NET_SEGMENT_MAGIC || !find_is_size(begin->ring_bytes) ||
        (begin->far_bytes != 0 && !find_is_size(begin->far_bytes)) ||
        (uint64_t)facts->st_size != net_all_bytes(begin->ring_bytes, begin->far_bytes)) {
        net_say_once(net, NET_WHY_GARBAGE, "the segment of a connection is garbage");
        return 0;
    }
    return 1;
}

static cor_net_segment *find_map(cor_net *net, int fd, const cor_net_name *name, find_begin *begin)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || facts.st_uid != geteuid() || (facts.st_mode & 077) || !S_ISREG(facts.st_mode)) {
        net_say_once(net, NET_WHY_OWNER, "the segment of a connection belongs to another user");
        return NULL;
    }
    if (!find_is_whole(net, fd, &facts, begin))
        return NULL;
    size_t bytes = net_near_bytes(begin->ring_bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        net_say_once(net, NET_WHY_MAP, "cannot map a segment: %s", strerror(errno));
        return NULL;
    }
    /* A client that has closed meanwhile may use the descriptor for its next connection; that is nothing to tell. */
    if (memcmp(&((const cor_net_segment *)memory)->name, name, sizeof *name) != 0) {
        munmap(memory, bytes);
        return NULL;
    }
    return memory;
}

cor_conn *cor_conn_find(cor_net *net, int fd)
{
    struct sockaddr_storage from, to;
    socklen_t from_length = sizeof from, to_length = sizeof to;
    cor_net_name name;
    char path[COR_NET_PATH_MAX];
    if (atomic_load_explicit(&net->is_stopped, memory_order_relaxed) ||
        getpeername(fd, (struct sockaddr *)&from, &from_length) != 0 ||
        getsockname(fd, (struct sockaddr *)&to, &to_length) != 0 ||
        cor_net_name_set(&name, (struct sockaddr *)&from, (struct sockaddr *)&to) != 0 ||
        !cor_net_name_is_local(&name))
        return NULL;
    name.space = net->space;
    cor_net_name_path(&name, path);
    int found = find_open(net, path);
    if (found < 0)
        return NULL;
    find_begin begin = {0};
    cor_net_segment *segment = find_map(net, found, &name, &begin);
    net_sys_close(found);
    cor_conn *conn = segment ? net_conn_new(net, NET_SERVER) : NULL;
    if (!conn) {
        if (segment)
            munmap(segment, net_near_bytes(begin.ring_bytes));
        return NULL;
    }
    conn->ring_bytes = begin.ring_bytes;
    conn->far_bytes = begin.far_bytes;
    net_conn_map(conn, segment);
    cor_conn_set_blocking(conn, !(net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK));
    return conn;
}
