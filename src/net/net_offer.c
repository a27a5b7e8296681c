/* SPDX-License-Identifier: Apache-2.0 */
/* A segment for a connection: the client's offer. net_find.c is how the acceptor finds it. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/segment.h"
#include "net/net_state.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
    OFFER_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
    OFFER_ANY_PORT = 9,                /* one must be named */
    OFFER_OLD_NS = 1000 * 1000 * 1000, /* a server that takes connections at all has taken an older one */
};

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

/* The server has the segment, or no one will want it. */
static int offer_is_over(cor_conn *conn)
{
    if (!cor_conn_ref(conn))
        return 1;
    if (net_load(&conn->segment->is_found))
        net_offer_close(conn);
    int is_over = atomic_load_explicit(&conn->offer_fd, memory_order_relaxed) < 0;
    cor_conn_unref(conn);
    return is_over;
}

static void offer_give_up(cor_conn *conn, cor_net_why why)
{
    uint32_t expected = NET_OFFERED;
    if (!cor_conn_ref(conn))
        return;
    if (atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_WITHDRAWN)) {
        cor_net_note(conn->net, why);
        net_stay_plain(conn);
    }
    net_offer_close(conn); /* a server that has attached needs it no more */
    cor_conn_unref(conn);
}

/* How many offers have a descriptor; closes those that need none any more. Under the lock. */
static int offer_count(cor_net *net)
{
    int count = 0;
    for (cor_conn **place = &net->offers; *place;) {
        cor_conn *conn = *place;
        if (offer_is_over(conn)) {
            *place = conn->next_offer;
            conn->is_in_offers = 0;
        } else {
            place = &conn->next_offer;
            count++;
        }
    }
    return count;
}

/* May there be one more? The program has a use for its descriptors. */
static int offer_has_place(cor_net *net)
{
    int most = net_own_most();
    cor_lock_acquire(&net->lock);
    int count = offer_count(net);
    if (count >= most) {
        uint64_t now = cor_clock_ns();
        /* A server that does not take an offer in this time is plain, or takes none at all. */
        for (cor_conn *conn = net->offers; conn; conn = conn->next_offer)
            if (now - conn->offered_ns >= OFFER_OLD_NS)
                offer_give_up(conn, COR_NET_WHY_PEER);
        count = offer_count(net);
    }
    cor_lock_release(&net->lock);
    return count < most;
}

void net_offer_make_way(cor_net *net, int fd)
{
    for (cor_conn *conn = net->offers; conn; conn = conn->next_offer)
        if (atomic_load_explicit(&conn->offer_fd, memory_order_relaxed) == fd)
            offer_give_up(conn, COR_NET_WHY_DESCRIPTORS);
}

static void offer_add(cor_conn *conn)
{
    cor_net *net = conn->net;
    conn->offered_ns = cor_clock_ns();
    cor_lock_acquire(&net->lock);
    if (!conn->is_in_offers) {
        conn->is_in_offers = 1;
        conn->next_offer = net->offers;
        net->offers = conn;
    }
    cor_lock_release(&net->lock);
}

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

/* An address of IP, whole. */
static int offer_is_address(const struct sockaddr *to, socklen_t length)
{
    return (to->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
           (to->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6));
}

/* The source that connect() would choose for a destination on this host: for the loopback network its first address, for
 * any other address that address itself. */
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

static int offer_stay(cor_net *net, cor_net_why why)
{
    net_count_plain(net, why);
    return 0;
}

/* Is it an address of this host? Then it is also the source of what is sent to it. To bind to it tells nothing: a socket, or all
 * (net.ipv4.ip_nonlocal_bind), may be allowed to have any address. */
static int offer_is_here(const struct sockaddr *address, socklen_t length)
{
    struct sockaddr_storage to, from;
    socklen_t from_length = sizeof from;
    cor_net_name name;
    if (address->sa_family == AF_INET && ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127)
        return 1;
    memcpy(&to, address, length);
    if (to.ss_family == AF_INET)
        ((struct sockaddr_in *)&to)->sin_port = htons(OFFER_ANY_PORT);
    else
        ((struct sockaddr_in6 *)&to)->sin6_port = htons(OFFER_ANY_PORT);
    int saved = errno, fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* nothing is sent */
    int is_here = fd >= 0 && net_sys_connect(fd, (struct sockaddr *)&to, length) == 0 &&
                  getsockname(fd, (struct sockaddr *)&from, &from_length) == 0 &&
                  cor_net_name_set(&name, (struct sockaddr *)&from, (struct sockaddr *)&to) == 0 &&
                  memcmp(name.from, name.to, sizeof name.to) == 0;
    if (fd >= 0)
        net_sys_close(fd);
    errno = saved;
    return is_here;
}

/* The address of the socket, which is given one if it has none. 0: it stays plain. */
static int offer_bind(cor_net *net, int fd, const struct sockaddr *to, struct sockaddr_storage *bound, int *is_ours_p)
{
    struct sockaddr_storage from;
    socklen_t length, bound_length = sizeof *bound;
    if (getsockname(fd, (struct sockaddr *)bound, &bound_length) != 0 || bound->ss_family != to->sa_family)
        return offer_stay(net, COR_NET_WHY_ELSEWHERE);
    int is_any = offer_is_any((struct sockaddr *)bound);
    if (offer_port((struct sockaddr *)bound) != 0)
        return !is_any || offer_stay(net, COR_NET_WHY_BOUND); /* the kernel will choose the address */
    if (!is_any)
        return offer_stay(net, COR_NET_WHY_BOUND);
    if (!offer_source(to, &from, &length) || !offer_is_here((struct sockaddr *)&from, length) ||
        bind(fd, (struct sockaddr *)&from, length) != 0)
        return offer_stay(net, COR_NET_WHY_ELSEWHERE);
    *is_ours_p = 1;
    bound_length = sizeof *bound;
    return getsockname(fd, (struct sockaddr *)bound, &bound_length) == 0;
}

static void offer_unbind(int fd)
{
    struct sockaddr_storage any = {0};
    socklen_t length = sizeof any;
    int on = 1, was = 0;
    socklen_t was_length = sizeof was;
    if (getsockname(fd, (struct sockaddr *)&any, &length) != 0)
        return;
    any = (struct sockaddr_storage){.ss_family = any.ss_family};
    /* The address alone, and no port. */
    net_sys_getsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &was, &was_length);
    net_sys_setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    (void)bind(fd, (struct sockaddr *)&any, length);
    net_sys_setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &was, sizeof was);
}

/* The name of a connection that is about to be made; binds the socket. 0: it stays plain. */
static int offer_name(cor_net *net, int fd, const struct sockaddr *to, cor_net_name *name, int *is_ours_p)
{
    struct sockaddr_storage bound;
    if (!net_is_announced(net, to))
        return offer_stay(net, COR_NET_WHY_SERVER);
    if (!cor_net_has_usual_options(fd))
        return offer_stay(net, COR_NET_WHY_OPTION);
    if (!offer_has_place(net))
        return offer_stay(net, COR_NET_WHY_DESCRIPTORS);
    if (!offer_bind(net, fd, to, &bound, is_ours_p) || cor_net_name_set(name, (struct sockaddr *)&bound, to) != 0)
        return 0;
    /* A connection to the address 'any' arrives at the loopback address. */
    if (offer_is_any(to))
        memcpy(name->to, name->from, sizeof name->to);
    name->space = cor_net_name_space(fd);
    name->pids = net->pids;
    return cor_net_name_is_local(name) || offer_stay(net, COR_NET_WHY_ELSEWHERE);
}

/* ---- the segment ------------------------------------------------------------------------------------------------ */

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
    if (conn->offer_pid == conn->net->process) {
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

static int offer_refuse(cor_conn *conn, cor_net_why why, const char *what, const char *path)
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
        return offer_refuse(conn, COR_NET_WHY_MEMORY, "no shared memory", "");
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
    cor_net_target_print(target, (int)net->process, fd);
    conn->offer_pid = net->process;
    if (offer_link(target, conn->path) != 0) {
        offer_refuse(conn, COR_NET_WHY_LINK, "cannot create the link ", conn->path);
        net_sys_close(fd);
        return 0;
    }
    atomic_store_explicit(&conn->offer_fd, fd, memory_order_relaxed);
    return 1;
}

cor_conn *cor_conn_offer(cor_net *net, int fd, const struct sockaddr *to, socklen_t length)
{
    cor_net_name name;
    int is_ours = 0;
    if (!offer_is_address(to, length) || !offer_is_stream(fd))
        return NULL;
    if (cor_net_is_stopped(net)) {
        offer_stay(net, COR_NET_WHY_STOPPED);
        return NULL;
    }
    if (!offer_name(net, fd, to, &name, &is_ours))
        return NULL;
    cor_conn *conn = net_conn_new(net, NET_CLIENT);
    if (!conn)
        return NULL;
    if (!offer_create(conn, &name)) {
        cor_conn_unref(conn);
        return NULL;
    }
    conn->is_bound_here = is_ours;
    offer_add(conn);
    net_store(&conn->local->is_begun, 1);
    cor_conn_set_blocking(conn, !(net_sys_fcntl(fd, F_GETFL, 0) & O_NONBLOCK));
    NET_COUNT(conn, offered, 1);
    return conn;
}

void cor_conn_disconnected(cor_conn *conn, int fd)
{
    int saved = errno;
    net_store(&conn->local->is_plain, 1);
    net_offer_close(conn);
    if (conn->is_bound_here)
        offer_unbind(fd);
    errno = saved;
}
