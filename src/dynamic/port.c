/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: a listening socket, and a name that tells where it is and a secret:
 *
 *   corunna1+<secret>+<port>+<address>+<address>...
 *
 * A root that connects sends the secret. A connection that does not is dropped, and the next one accepted: the name is all
 * that a process must know to be let in, and not to be guessed.
 */
#define _GNU_SOURCE
#include "base/hex.h"
#include "base/sha256.h"
#include "dynamic/bridge.h"
#include "dynamic/dynamic_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PORT_SECRET = 16,
    PORT_SECRET_DIGITS = 2 * PORT_SECRET,
    PORT_HELLO_S = 10,
    PORT_ADDRESS_S = 5,
    PORT_ADDRESSES = 8
};
static const char port_mark[] = "corunna1+";

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Append the addresses of this host that others may reach; the loopback if there is no other. */
static void port_print_addresses(char *name, size_t room)
{
    struct ifaddrs *all = NULL;
    size_t at = strlen(name);
    int count = 0;
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (struct ifaddrs *one = all; one && count < PORT_ADDRESSES; one = one->ifa_next) {
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET || !(one->ifa_flags & IFF_UP) ||
            one->ifa_flags & IFF_LOOPBACK)
            continue;
        char text[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)one->ifa_addr)->sin_addr, text, sizeof text);
        at += (size_t)snprintf(name + at, room - at, "+%s", text);
        count++;
    }
    freeifaddrs(all);
    if (count == 0)
        snprintf(name + at, room - at, "+127.0.0.1");
}

typedef struct port_place {
    char secret[PORT_SECRET_DIGITS + 1];
    int port, count;
    struct in_addr addresses[PORT_ADDRESSES];
} port_place;

/* 1: it is a name as above. */
static int port_parse(const char *name, port_place *place)
{
    uint8_t secret[PORT_SECRET];
    int at = 0;
    *place = (port_place){0};
    if (!name || strncmp(name, port_mark, sizeof port_mark - 1) != 0 || strlen(name) >= COR_PORT_MAX)
        return 0;
    name += sizeof port_mark - 1;
    if (sscanf(name, "%32[0-9a-f]+%5d%n", place->secret, &place->port, &at) != 2 ||
        !cor_hex_parse(place->secret, PORT_SECRET, secret) || place->port < 1 || place->port > 65535)
        return 0;
    name += at;
    while (*name == '+' && place->count < PORT_ADDRESSES) {
        char text[INET_ADDRSTRLEN] = "";
        size_t length = strcspn(++name, "+");
        if (length >= sizeof text)
            return 0;
        memcpy(text, name, length);
        if (inet_pton(AF_INET, text, &place->addresses[place->count++]) != 1)
            return 0;
        name += length;
    }
    return !*name && place->count > 0;
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static int port_listen(int *port_p)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t room = sizeof where;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&where, sizeof where) == 0 && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr *)&where, &room) == 0) {
        *port_p = ntohs(where.sin_port);
        return fd;
    }
    int cause = errno;
    if (fd >= 0)
        close(fd);
    errno = cause;
    return -1;
}

int cor_port_open(cor_rank *rank, char name[COR_PORT_MAX])
{
    cor_dynamic *dynamic = dynamic_of(rank);
    dynamic_port *port = dynamic ? calloc(1, sizeof *port) : NULL;
    uint8_t secret[PORT_SECRET];
    char digits[PORT_SECRET_DIGITS + 1];
    int number;
    if (!port)
        return cor_fault_set(dynamic_fault(rank), COR_ERR_MEMORY, "no memory for a port");
    port->fd = port_listen(&number);
    if (port->fd < 0 || cor_random_bytes(secret, sizeof secret) != COR_OK) {
        int rc = cor_fault_set(dynamic_fault(rank), COR_ERR_SYSTEM, "a port cannot be opened: %s", strerror(errno));
        if (port->fd >= 0)
            close(port->fd);
        free(port);
        return rc;
    }
    cor_hex_print(secret, sizeof secret, digits);
    snprintf(port->name, sizeof port->name, "%s%s+%d", port_mark, digits, number);
    port_print_addresses(port->name, sizeof port->name);
    memcpy(name, port->name, COR_PORT_MAX);
    pthread_mutex_lock(&dynamic->mutex);
    cor_list_append(&dynamic->ports, &port->link);
    pthread_mutex_unlock(&dynamic->mutex);
    return COR_OK;
}

/* Under the mutex. */
static dynamic_port *port_find(cor_dynamic *dynamic, const char *name)
{
    for (cor_link *link = dynamic->ports.next; link != &dynamic->ports; link = link->next)
        if (strcmp(COR_OWNER(link, dynamic_port, link)->name, name) == 0)
            return COR_OWNER(link, dynamic_port, link);
    return NULL;
}

static int port_unknown(cor_rank *rank, const char *name)
{
    return cor_fault_set(dynamic_fault(rank), COR_ERR_PORT, "\"%.60s\" is no port that this process has open", name);
}

int cor_port_close(cor_rank *rank, const char *name)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    if (!dynamic)
        return COR_ERR_MEMORY;
    pthread_mutex_lock(&dynamic->mutex);
    dynamic_port *port = port_find(dynamic, name);
    if (port)
        cor_list_remove(&port->link);
    pthread_mutex_unlock(&dynamic->mutex);
    if (!port)
        return port_unknown(rank, name);
    close(port->fd);
    free(port);
    return COR_OK;
}

void port_close_all(cor_dynamic *dynamic)
{
    while (!cor_list_is_empty(&dynamic->ports)) {
        dynamic_port *port = COR_OWNER(dynamic->ports.next, dynamic_port, link);
        cor_list_remove(&port->link);
        close(port->fd);
        free(port);
    }
}

/* ---- accepting -------------------------------------------------------------------------------------------------- */

static void port_hurry(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Does the new connection say the secret? It has PORT_HELLO_S for it. */
static int port_is_invited(cor_rank *rank, int fd, const char *secret)
{
    char said[PORT_SECRET_DIGITS];
    size_t got = 0;
    uint64_t limit_ns = bridge_limit(PORT_HELLO_S);
    while (got < sizeof said) {
        if (bridge_wait(rank, fd, 0, limit_ns, 0) <= 0)
            return 0;
        ssize_t count = recv(fd, said + got, sizeof said - got, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return 0;
        got += count > 0 ? (size_t)count : 0;
    }
    return cor_bytes_are_equal(said, secret, sizeof said);
}

/* The next connection that says the secret. One that fails is not this rank's failure, unless no other could be accepted. */
static int port_next(cor_rank *rank, int listener, const char *secret, pid_t pid, int *fd_p)
{
    while (bridge_wait(rank, listener, 0, 0, pid) > 0) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
            return cor_fault_set(dynamic_fault(rank), COR_ERR_SYSTEM, "a connection cannot be accepted: %s",
                                 strerror(errno));
        if (fd >= 0 && port_is_invited(rank, fd, secret)) {
            port_hurry(fd);
            *fd_p = fd;
            return COR_OK;
        }
        if (fd >= 0)
            close(fd);
    }
    return COR_ERR_SPAWN;
}

int port_accept(cor_rank *rank, const char *name, pid_t pid, int *fd_p)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    port_place place;
    if (!dynamic)
        return COR_ERR_MEMORY;
    pthread_mutex_lock(&dynamic->mutex);
    dynamic_port *port = name ? port_find(dynamic, name) : NULL;
    int listener = port ? fcntl(port->fd, F_DUPFD_CLOEXEC, 0) : -1; /* another thread may close the port meanwhile */
    pthread_mutex_unlock(&dynamic->mutex);
    if (!port || !port_parse(name, &place))
        return port_unknown(rank, name ? name : "");
    if (listener < 0)
        return cor_fault_set(dynamic_fault(rank), COR_ERR_SYSTEM, "no descriptor for the port: %s", strerror(errno));
    int rc = port_next(rank, listener, place.secret, pid, fd_p);
    close(listener);
    return rc;
}

/* ---- connecting ------------------------------------------------------------------------------------------------- */

/* 0: connected; else why not. */
static int port_try(cor_rank *rank, struct in_addr address, int port, int *fd_p)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr = address, .sin_port = htons((uint16_t)port)};
    int cause = 0;
    socklen_t room = sizeof cause;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    if (connect(fd, (struct sockaddr *)&where, sizeof where) != 0) {
        cause = errno;
        if (cause == EINPROGRESS) {
            if (bridge_wait(rank, fd, 1, bridge_limit(PORT_ADDRESS_S), 0) <= 0)
                cause = ETIMEDOUT;
            else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &room) != 0)
                cause = errno;
        }
    }
    if (cause)
        close(fd);
    else
        *fd_p = fd;
    return cause;
}

int port_connect(cor_rank *rank, const char *name, int *fd_p)
{
    port_place place;
    int cause = EINVAL, fd = -1;
    if (!port_parse(name, &place))
        return cor_fault_set(dynamic_fault(rank), COR_ERR_PORT, "\"%.60s\" is not the name of a port",
                             name ? name : "");
    for (int i = 0; fd < 0 && i < place.count; i++)
        cause = port_try(rank, place.addresses[i], place.port, &fd);
    if (fd < 0) {
        char text[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, &place.addresses[0], text, sizeof text);
        return cor_fault_set(dynamic_fault(rank), COR_ERR_PORT, "no connection with the port at %s port %d: %s%s",
                             text, place.port, strerror(cause),
                             cause == ECONNREFUSED ? "; it was closed, or its process has ended" : "");
    }
    port_hurry(fd);
    if (send(fd, place.secret, PORT_SECRET_DIGITS, MSG_NOSIGNAL) != PORT_SECRET_DIGITS) {
        cause = errno;
        close(fd);
        return cor_fault_set(dynamic_fault(rank), COR_ERR_PORT, "the connection with the port broke: %s",
                             strerror(cause));
    }
    *fd_p = fd;
    return COR_OK;
}
