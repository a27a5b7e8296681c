/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a port (port.h): open, accept, close. */
#define _GNU_SOURCE
#include "dynamic/port.h"
#include "base/listen.h"
#include "dynamic/dynamic_state.h"

#include "base/clock.h"
#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static dynamic_port *port_make(void)
{
    dynamic_port *port = calloc(1, sizeof *port);
    if (!port)
        return NULL;
    pthread_mutex_init(&port->mutex, NULL);
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++)
        port->incoming[i].greeting.fd = -1;
    return port;
}

static void port_free(dynamic_port *port)
{
    pthread_mutex_destroy(&port->mutex);
    explicit_bzero(port, sizeof *port);
    free(port);
}

static int port_listen(cor_rank *rank, dynamic_port *port, cor_fault *fault)
{
    cor_listen_options options = {.no_loopback_beside = 1};
    cor_fault why;
    if (cor_random_bytes(port->name.secret, sizeof port->name.secret) != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the kernel gives no random bytes: %s", strerror(errno));
    cor_rank_listen_options(rank, &options);
    int rc = cor_listen_open(&options, port->name.places, port->listeners, PORT_PLACES_MAX, &port->name.count, &why);
    return rc == COR_OK ? COR_OK : cor_fault_set(fault, rc, "a port cannot be opened: %s", why.text);
}

void port_keep(const cor_rank *rank, int fd)
{
    cor_listen_options options = {0};
    cor_rank_listen_options(rank, &options);
    cor_connection_keep(fd, options.heartbeat_s);
}

int cor_port_open(cor_rank *rank, char name[COR_PORT_MAX])
{
    cor_dynamic *dynamic = dynamic_of(rank);
    dynamic_port *port = dynamic ? port_make() : NULL;
    if (!port)
        return dynamic_fail(rank, COR_ERR_MEMORY, "no memory for a port");
    cor_fault fault = {0};
    int rc = port_listen(rank, port, &fault);
    if (rc != COR_OK) {
        port_free(port);
        return dynamic_end(rank, rc, &fault);
    }
    port_name_print(&port->name, port->text);
    memcpy(name, port->text, COR_PORT_MAX);
    pthread_mutex_lock(&dynamic->mutex);
    cor_list_append(&dynamic->ports, &port->link);
    pthread_mutex_unlock(&dynamic->mutex);
    return COR_OK;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

/* Under the mutex. */
static dynamic_port *port_find(cor_dynamic *dynamic, const char *name)
{
    for (cor_link *link = dynamic->ports.next; link != &dynamic->ports; link = link->next)
        if (strcmp(COR_OWNER(link, dynamic_port, link)->text, name) == 0)
            return COR_OWNER(link, dynamic_port, link);
    return NULL;
}

static int port_unknown(cor_rank *rank, const char *name)
{
    char where[PORT_WHERE_MAX];
    port_name_describe(name, where);
    return dynamic_fail(rank, COR_ERR_PORT, "%s is no port that this process has open", where);
}

/* The list holds a port as one of its users; the last one frees it. */
static void port_leave(cor_dynamic *dynamic, dynamic_port *port)
{
    pthread_mutex_lock(&dynamic->mutex);
    int is_last = --port->users < 0;
    pthread_mutex_unlock(&dynamic->mutex);
    if (is_last)
        port_free(port);
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
    port_incoming_close(port);
    port_leave(dynamic, port);
    return COR_OK;
}

void port_close_all(cor_dynamic *dynamic)
{
    cor_link *link;
    while ((link = dynamic_take(dynamic, &dynamic->ports))) {
        dynamic_port *port = COR_OWNER(link, dynamic_port, link);
        port_incoming_close(port);
        port_leave(dynamic, port);
    }
}

/* ---- accepting -------------------------------------------------------------------------------------------------- */

int port_accept(cor_rank *rank, const char *name, pid_t pid, int limit_s, dynamic_bridge **bridge_p)
{
    uint64_t limit_ns = bridge_limit(limit_s);
    cor_dynamic *dynamic = dynamic_of(rank);
    cor_fault fault = {0};
    int rc;
    if (!dynamic)
        return COR_ERR_MEMORY;
    pthread_mutex_lock(&dynamic->mutex);
    dynamic_port *port = name ? port_find(dynamic, name) : NULL;
    if (port)
        port->users++; /* another thread may close it meanwhile */
    pthread_mutex_unlock(&dynamic->mutex);
    if (!port)
        return port_unknown(rank, name ? name : "");
    while ((rc = port_incoming_turn(rank, port, bridge_p, &fault)) == 0 && dynamic_goes_on(rank)) {
        if (pid && cor_process_is_gone(pid, 0)) {
            rc = COR_ERR_SPAWN;
            break;
        }
        if (limit_s && cor_clock_ns() > limit_ns) {
            rc = cor_fault_set(&fault, COR_ERR_PORT, "no process connected to the port within %d s", limit_s);
            break;
        }
        port_incoming_wait(port);
    }
    port_leave(dynamic, port);
    if (rc > 0)
        return COR_OK;
    return dynamic_goes_on(rank) ? dynamic_end(rank, rc, &fault) : COR_ERR_FINALIZED;
}
