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
    OFFER_OLD_NS = 1000 * 1000 * 1000, /* a server that takes connections at all has taken an older one */
};

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

/* A connection that stands among the offers may have ended, and be another one by now, which may have no segment
 * yet. */
static int offer_has_descriptor(const cor_conn *conn)
{
    /* acquire: the segment is there. */
    return atomic_load_explicit(&conn->offer_fd, memory_order_acquire) >= 0;
}

/* The server has the segment, or no one will want it. */
static int offer_is_over(cor_conn *conn)
{
    if (!cor_conn_ref(conn))
        return 1;
    if (offer_has_descriptor(conn) && net_load(&conn->segment->is_found))
        net_offer_close(conn);
    int is_over = !offer_has_descriptor(conn);
    cor_conn_unref(conn);
    return is_over;
}

static void offer_give_up(cor_conn *conn, cor_net_why why)
{
    uint32_t expected = NET_OFFERED;
    if (!cor_conn_ref(conn))
        return;
    if (offer_has_descriptor(conn) &&
        atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_WITHDRAWN)) {
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

/* The name of the connection. COR_NET_WHYS: it has one, or none yet. */
static cor_net_why offer_name(cor_conn *conn, int fd, cor_net_name *name, int *is_named_p)
{
    struct sockaddr_storage from, to;
    socklen_t from_length = sizeof from, to_length = sizeof to;
    *is_named_p = 0;
    if (!offer_is_stream(fd))
        return COR_NET_WHY_ELSEWHERE;
    if (getpeername(fd, (struct sockaddr *)&to, &to_length) != 0 ||
        getsockname(fd, (struct sockaddr *)&from, &from_length) != 0)
        return COR_NET_WHYS;
    if (cor_net_name_set(name, (struct sockaddr *)&from, (struct sockaddr *)&to) != 0 || !cor_net_name_is_local(name))
        return COR_NET_WHY_ELSEWHERE;
    name->space = cor_net_name_space(fd);
    name->pids = conn->net->pids;
    *is_named_p = 1;
    return COR_NET_WHYS;
}

/* ---- the segment ------------------------------------------------------------------------------------------------ */

static cor_net_segment *offer_segment(const cor_net *net, size_t bytes, size_t near_bytes, int *fd_p)
{
    int low = memfd_create("corunna-sock", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int fd = low < 0 ? -1 : net_move_up(low);
    if (fd < 0)
        return NULL;
    int cause = cor_segment_size(fd, bytes, 0);
    if (cause == 0 && net->is_strict)
        cause = posix_fallocate(fd, 0, (off_t)near_bytes);
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

void cor_conn_abandon(cor_conn *conn)
{
    net_offer_close(conn);
}

static cor_net_why offer_refuse(cor_conn *conn, cor_net_why why, const char *what, const char *path)
{
    net_say_once(conn->net, why, "%s%s: %s", what, path, strerror(errno));
    NET_COUNT(conn, plain, 1);
    net_store(&conn->local->is_plain, 1);
    return COR_NET_WHYS;
}

static cor_net_segment *offer_new_segment(cor_conn *conn, int socket, const cor_net_name *name, int *fd_p)
{
    struct stat facts = {0};
    const cor_net_config *config = &conn->net->config;
    conn->ring_bytes = config->ring_bytes;
    conn->far_bytes = config->far_bytes;
    size_t near_bytes = net_near_bytes(conn->ring_bytes);
    cor_net_segment *segment =
        offer_segment(conn->net, net_all_bytes(conn->ring_bytes, conn->far_bytes), near_bytes, fd_p);
    if (!segment && conn->far_bytes > 0) { /* there may be a limit on the size of files */
        conn->far_bytes = 0;
        segment = offer_segment(conn->net, near_bytes, near_bytes, fd_p);
    }
    if (!segment)
        return NULL;
    segment->magic = NET_SEGMENT_MAGIC;
    segment->ring_bytes = conn->ring_bytes;
    segment->far_bytes = conn->far_bytes;
    segment->name = *name;
    segment->socket = fstat(socket, &facts) == 0 ? facts.st_ino : 0;
    for (int i = 0; i < 2; i++) {
        /* Both sides wait on the descriptor until they know of the rings. */
        atomic_store_explicit(&segment->dirs[i].reader_armed, NET_ARMED_BELL, memory_order_relaxed);
        atomic_store_explicit(&segment->dirs[i].writer_cpu, -1, memory_order_relaxed);
        atomic_store_explicit(&segment->dirs[i].reader_cpu, -1, memory_order_relaxed);
    }
    return segment;
}

/* The segment before the link, by which the acceptor finds it: from then on there is no way back without its
 * knowledge. */
static cor_net_why offer_create(cor_conn *conn, int fd, const cor_net_name *name)
{
    char target[COR_NET_PATH_MAX];
    int memory_fd = -1;
    cor_net_segment *segment = offer_new_segment(conn, fd, name, &memory_fd);
    if (!segment)
        return offer_refuse(conn, COR_NET_WHY_MEMORY, "no shared memory", "");
    net_young_learn(conn, fd);
    net_store(&conn->local->is_begun, 1);
    if (!net_young_grown(conn, fd, segment)) {
        net_store(&conn->local->is_begun, 0);
        munmap(segment, net_near_bytes(conn->ring_bytes));
        net_sys_close(memory_fd);
        return COR_NET_WHYS;
    }
    cor_net_name_path(name, conn->path);
    cor_net_target_print(target, (int)conn->net->process, memory_fd);
    conn->offer_pid = conn->net->process;
    if (offer_link(target, conn->path) != 0) {
        net_store(&segment->state, NET_WITHDRAWN);
        net_sys_close(memory_fd);
        return offer_refuse(conn, COR_NET_WHY_LINK, "cannot create the link ", conn->path);
    }
    /* release: the other side of offer_has_descriptor. */
    atomic_store_explicit(&conn->offer_fd, memory_fd, memory_order_release);
    offer_add(conn);
    NET_COUNT(conn, offered, 1);
    return COR_NET_WHYS;
}

cor_net_why net_offer(cor_conn *conn, int fd)
{
    cor_net_name name;
    int is_named;
    cor_net_why why = offer_name(conn, fd, &name, &is_named);
    if (!is_named)
        return why;
    return offer_has_place(conn->net) ? offer_create(conn, fd, &name) : COR_NET_WHY_DESCRIPTORS;
}

void cor_conn_disconnected(cor_conn *conn)
{
    int saved = errno;
    net_store(&conn->local->is_plain, 1);
    net_offer_close(conn);
    errno = saved;
}
