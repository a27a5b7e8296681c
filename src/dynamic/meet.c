/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting two jobs, and disconnecting them: accept, connect, join, disconnect, finalize. */
#define _GNU_SOURCE
#include "base/sha256.h"
#include "dynamic/bridge.h"
#include "dynamic/dynamic_state.h"
#include "dynamic/joined.h"
#include "dynamic/port.h"
#include "mp/collective.h"
#include "mp/create/comm.h"
#include "mp/create/intercomm.h"
#include "pmi/boot.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- what an origin keeps --------------------------------------------------------------------------------------- */

int dynamic_fail(cor_rank *rank, int code, const char *format, ...)
{
    char text[sizeof((cor_fault *)0)->text];
    cor_fault fault = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cor_fault_set(&fault, code, "%s", text);
    cor_rank_set_fault(rank, &fault);
    return code;
}

int dynamic_end(cor_rank *rank, int code, const cor_fault *fault)
{
    if (code != COR_OK && fault->code != COR_OK)
        cor_rank_set_fault(rank, fault);
    return code;
}

static int meet_apart(const cor_meeting *meeting, cor_comm **inter_p);

static void meet_free(void *data)
{
    cor_dynamic *dynamic = data;
    pthread_mutex_destroy(&dynamic->mutex);
    free(dynamic);
}

cor_dynamic *dynamic_of(cor_rank *rank)
{
    cor_dynamic *dynamic = cor_rank_dynamic(rank);
    if (dynamic)
        return dynamic;
    dynamic = calloc(1, sizeof *dynamic);
    if (!dynamic) {
        dynamic_fail(rank, COR_ERR_MEMORY, "no memory for connections with other jobs");
        return NULL;
    }
    pthread_mutex_init(&dynamic->mutex, NULL);
    cor_list_init(&dynamic->ports);
    cor_list_init(&dynamic->names);
    cor_list_init(&dynamic->jobs);
    cor_list_init(&dynamic->launchers);
    cor_rank_set_dynamic(rank, dynamic, meet_apart, meet_free);
    return dynamic;
}

int dynamic_goes_on(cor_rank *rank)
{
    cor_dynamic *dynamic = dynamic_of(rank);
    if (!dynamic)
        return 0;
    pthread_mutex_lock(&dynamic->mutex);
    int goes_on = !dynamic->is_closing;
    pthread_mutex_unlock(&dynamic->mutex);
    if (goes_on)
        cor_rank_step(rank);
    return goes_on;
}

cor_link *dynamic_take(cor_dynamic *dynamic, cor_list *list)
{
    pthread_mutex_lock(&dynamic->mutex);
    cor_link *first = cor_list_is_empty(list) ? NULL : list->next;
    if (first)
        cor_list_remove(first);
    pthread_mutex_unlock(&dynamic->mutex);
    return first;
}

/* ---- meeting ---------------------------------------------------------------------------------------------------- */

/* What the roots send each other first. */
typedef struct meet_hello {
    char mark[16];
    uint32_t size, is_first; /* in network order */
} meet_hello;

static const char meet_mark[16] = "corunna-meet-1";

static int meet_greet(cor_comm *comm, dynamic_bridge *bridge, int is_first, int *remote_size_p, cor_fault *fault)
{
    enum { RANKS_MAX = (1 << COR_PEER_BITS) - 1 };
    cor_rank *rank = cor_rank_origin(cor_comm_owner(comm));
    uint32_t own_size = (uint32_t)cor_comm_size(comm);
    meet_hello hello = {.size = htonl(own_size), .is_first = htonl((uint32_t)is_first)}, theirs;
    memcpy(hello.mark, meet_mark, sizeof hello.mark);
    int rc = bridge_send(rank, bridge, &hello, sizeof hello, fault);
    if (rc == COR_OK)
        rc = bridge_receive(rank, bridge, &theirs, sizeof theirs, fault);
    if (rc != COR_OK)
        return rc;
    uint32_t size = ntohl(theirs.size);
    if (memcmp(theirs.mark, meet_mark, sizeof meet_mark) != 0)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the other end of the connection is no job of this Corunna");
    if ((int)ntohl(theirs.is_first) == is_first || size < 1)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the other job does not take the other part of the meeting");
    if (size > RANKS_MAX - own_size)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%u and %u ranks are too many for one job; %d are possible",
                             own_size, size, RANKS_MAX);
    *remote_size_p = (int)size;
    return COR_OK;
}

/* The ranks of the new job have a device: make the intercommunicator. */
static int meet_make_inter(cor_rank *joined, const joined_sides *sides, cor_comm **inter_p)
{
    cor_comm *world = cor_rank_world(joined), *side;
    int local_size = cor_rank_size(joined) - sides->remote_size;
    int rc = cor_comm_split(world, sides->is_first, cor_rank_number(joined), &side);
    if (rc != COR_OK)
        return rc;
    rc = cor_intercomm_create(side, 0, world, sides->is_first ? local_size : 0, 0, inter_p);
    cor_comm_unref(side);
    return rc;
}

/* What joined_boot_create would take over. */
static void meet_drop(const joined_sides *sides)
{
    cor_comm_unref(sides->local);
    bridge_destroy(sides->bridge);
}

/* All memory comes first: once the rank is open, the other members count on it. */
static int meet_make(cor_dynamic *dynamic, const joined_sides *sides, cor_comm **inter_p, cor_fault *fault)
{
    cor_rank *origin = cor_rank_origin(cor_comm_owner(sides->local)), *joined;
    dynamic_job *job = calloc(1, sizeof *job);
    cor_boot *boot = job ? joined_boot_create(sides) : NULL;
    if (!boot) {
        free(job);
        meet_drop(sides);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a job");
    }
    cor_rank_options options = {.origin = origin, .boot = boot, .call = "the meeting of two jobs"};
    int rc = cor_rank_open(&options, &joined, fault);
    if (rc != COR_OK) {
        free(job);
        return rc;
    }
    job->rank = joined;
    pthread_mutex_lock(&dynamic->mutex);
    cor_list_prepend(&dynamic->jobs, &job->link);
    pthread_mutex_unlock(&dynamic->mutex);
    return meet_make_inter(joined, sides, inter_p);
}

static int meet_open(const joined_sides *sides, cor_comm **inter_p, cor_fault *fault)
{
    cor_dynamic *dynamic = dynamic_of(cor_comm_owner(sides->local));
    int is_closing = 1;
    if (dynamic) {
        pthread_mutex_lock(&dynamic->mutex);
        is_closing = dynamic->is_closing;
        dynamic->makers += !is_closing;
        pthread_mutex_unlock(&dynamic->mutex);
    }
    if (is_closing) {
        meet_drop(sides);
        return dynamic ? COR_ERR_FINALIZED : COR_ERR_MEMORY;
    }
    int rc = meet_make(dynamic, sides, inter_p, fault);
    pthread_mutex_lock(&dynamic->mutex);
    dynamic->makers--;
    pthread_mutex_unlock(&dynamic->mutex);
    return rc;
}

int meet_jobs(cor_comm *comm, int root, dynamic_bridge *bridge, int code, int is_first, cor_comm **inter_p)
{
    cor_rank *rank = cor_comm_owner(comm);
    cor_fault fault = {0};
    joined_sides sides = {.root = root, .bridge = bridge, .is_first = is_first};
    if (code != COR_OK)
        cor_rank_copy_fault(rank, &fault);
    if (fault.code != code)
        fault = (cor_fault){0};
    int rc = cor_comm_dup(comm, &sides.local);
    if (rc != COR_OK) {
        bridge_destroy(bridge);
        return rc;
    }
    if (code == COR_OK && bridge)
        code = meet_greet(comm, bridge, is_first, &sides.remote_size, &fault);
    rc = joined_share(sides.local, root, code, &sides.remote_size, sizeof sides.remote_size, &fault);
    if (rc == COR_OK)
        rc = meet_open(&sides, inter_p, &fault);
    else
        meet_drop(&sides);
    return dynamic_end(rank, rc, &fault);
}

int meet_check(cor_comm *comm)
{
    cor_rank *rank = cor_comm_owner(comm);
    return cor_rank_has_own_time(rank)
               ? dynamic_fail(rank, COR_ERR_UNSUPPORTED, "jobs in simulated time do not meet others")
               : COR_OK;
}

int meet_take_refusal(cor_rank *rank, const cor_fault *refused)
{
    return refused ? dynamic_end(rank, refused->code, refused) : COR_OK;
}

static int meet_check_root(cor_rank *rank, const char *port, const cor_fault *refused)
{
    int rc = meet_take_refusal(rank, refused);
    return rc != COR_OK || port ? rc : dynamic_fail(rank, COR_ERR_ARG, "port_name is a NULL pointer");
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

int cor_comm_accept(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p)
{
    cor_rank *rank = cor_comm_owner(comm);
    dynamic_bridge *bridge = NULL;
    int rc = meet_check(comm);
    if (rc != COR_OK)
        return rc;
    if (cor_comm_rank(comm) == root) {
        rc = meet_check_root(rank, port, refused);
        if (rc == COR_OK)
            rc = port_accept(rank, port, 0, 0, &bridge);
    }
    return meet_jobs(comm, root, bridge, rc, 1, inter_p);
}

int cor_comm_connect(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p)
{
    cor_rank *rank = cor_comm_owner(comm);
    dynamic_bridge *bridge = NULL;
    int rc = meet_check(comm);
    if (rc != COR_OK)
        return rc;
    if (cor_comm_rank(comm) == root) {
        rc = meet_check_root(rank, port, refused);
        if (rc == COR_OK)
            rc = port_connect(rank, port, &bridge);
    }
    return meet_jobs(comm, root, bridge, rc, 0, inter_p);
}

/* The leaders of the two sides get a connection. */
static int meet_connect_leaders(const cor_meeting *meeting, dynamic_bridge **bridge_p)
{
    cor_rank *rank = cor_comm_owner(meeting->local);
    char own[COR_PORT_MAX] = "", other[COR_PORT_MAX] = "";
    cor_fault fault = {0};
    int rc = meeting->is_first ? cor_port_open(rank, own) : COR_OK;
    int told = dynamic_end(rank, joined_exchange_sealed(meeting, own, other, sizeof own, &fault), &fault);
    other[sizeof other - 1] = 0;
    if (rc == COR_OK)
        rc = told;
    if (rc == COR_OK && meeting->is_first)
        rc = port_accept(rank, own, 0, PORT_CONNECT_S, bridge_p);
    else if (rc == COR_OK && other[0])
        rc = port_connect(rank, other, bridge_p);
    else if (rc == COR_OK)
        rc = dynamic_fail(rank, COR_ERR_PORT, "the leader of the other side could not open a port");
    if (own[0])
        cor_port_close(rank, own);
    return rc;
}

/* Members of several jobs, none of which has them all. */
static int meet_apart(const cor_meeting *meeting, cor_comm **inter_p)
{
    dynamic_bridge *bridge = NULL;
    int rc = COR_OK;
    if (cor_comm_rank(meeting->local) == meeting->local_leader)
        rc = meet_connect_leaders(meeting, &bridge);
    return meet_jobs(meeting->local, meeting->local_leader, bridge, rc, meeting->is_first, inter_p);
}

/* Which of the two comes first is settled by a number that each draws. */
static int meet_draw(cor_rank *rank, dynamic_bridge *bridge, int *is_first_p, cor_fault *fault)
{
    uint64_t mine, theirs;
    if (cor_random_bytes(&mine, sizeof mine) != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "no random numbers: %s", strerror(errno));
    int rc = bridge_send(rank, bridge, &mine, sizeof mine, fault);
    if (rc == COR_OK)
        rc = bridge_receive(rank, bridge, &theirs, sizeof theirs, fault);
    if (rc == COR_OK && mine == theirs)
        rc = cor_fault_set(fault, COR_ERR_PROTOCOL, "the other end of the connection sends back what it is sent");
    if (rc == COR_OK)
        *is_first_p = memcmp(&mine, &theirs, sizeof mine) < 0;
    return rc;
}

int cor_comm_join(cor_rank *rank, int fd, cor_comm **inter_p)
{
    int is_first = 0, type = 0;
    socklen_t room = sizeof type;
    cor_fault fault = {0};
    int rc = meet_check(cor_rank_self(rank));
    if (rc != COR_OK)
        return rc;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &room) != 0)
        return dynamic_fail(rank, COR_ERR_ARG, "descriptor %d: %s", fd, strerror(errno));
    if (type != SOCK_STREAM)
        return dynamic_fail(rank, COR_ERR_ARG, "descriptor %d is no stream socket", fd);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return dynamic_fail(rank, COR_ERR_SYSTEM, "no descriptor for the connection: %s", strerror(errno));
    dynamic_bridge *bridge = bridge_create(own, NULL, 0);
    if (!bridge) {
        close(own);
        return dynamic_fail(rank, COR_ERR_MEMORY, "no memory for the connection");
    }
    rc = dynamic_end(rank, meet_draw(rank, bridge, &is_first, &fault), &fault);
    return meet_jobs(cor_rank_self(rank), 0, bridge, rc, is_first, inter_p);
}

/* ---- parting ---------------------------------------------------------------------------------------------------- */

cor_rank *cor_dynamic_job_of(const cor_comm *comm)
{
    cor_rank *owner = cor_comm_owner(comm);
    int members = cor_comm_size(comm) + (cor_comm_is_inter(comm) ? cor_comm_remote_size(comm) : 0);
    return owner != cor_rank_origin(owner) && members == cor_rank_size(owner) ? owner : NULL;
}

void cor_dynamic_leave(cor_rank *joined)
{
    cor_dynamic *dynamic = dynamic_of(joined);
    dynamic_job *found = NULL;
    cor_fault fault = {0};
    if (cor_rank_comm_count(joined) > 0)
        return;
    pthread_mutex_lock(&dynamic->mutex);
    for (cor_link *link = dynamic->jobs.next; link != &dynamic->jobs; link = link->next)
        if (COR_OWNER(link, dynamic_job, link)->rank == joined)
            found = COR_OWNER(link, dynamic_job, link);
    if (found)
        cor_list_remove(&found->link);
    pthread_mutex_unlock(&dynamic->mutex);
    if (!found)
        return;
    /* A failure is that of a lost peer, of which the program was notified. */
    cor_rank_close(joined, &fault);
    free(found);
}

/* Other threads may be in calls on its communicators, so the rank itself stays. */
static void meet_end_all(cor_dynamic *dynamic)
{
    cor_link *link;
    while ((link = dynamic_take(dynamic, &dynamic->jobs))) {
        dynamic_job *job = COR_OWNER(link, dynamic_job, link);
        cor_fault fault = {0};
        cor_rank_finalize(job->rank, &fault);
        free(job);
    }
}

/* No job is being made any more. */
static void meet_stop(cor_rank *rank, cor_dynamic *dynamic)
{
    int makers;
    do {
        pthread_mutex_lock(&dynamic->mutex);
        dynamic->is_closing = 1;
        makers = dynamic->makers;
        pthread_mutex_unlock(&dynamic->mutex);
        if (makers > 0) {
            cor_rank_step(rank);
            poll(NULL, 0, 1);
        }
    } while (makers > 0);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

int cor_dynamic_open(cor_rank *rank, cor_comm **parent_p)
{
    const char *port = getenv(COR_PARENT_VARIABLE);
    if (parent_p)
        *parent_p = NULL;
    if (!dynamic_of(rank)) /* now, while there is one thread */
        return COR_ERR_MEMORY;
    if (!parent_p)
        return COR_OK;
    return port && !cor_rank_is_in_team(rank) ? cor_comm_connect(cor_rank_world(rank), 0, port, NULL, parent_p)
                                              : COR_OK;
}

void cor_dynamic_close(cor_rank *rank)
{
    cor_dynamic *dynamic = cor_rank_dynamic(rank);
    if (!dynamic)
        return;
    meet_stop(rank, dynamic);
    meet_end_all(dynamic);
    spawn_wait_all(rank, dynamic);
    name_withdraw_all(dynamic);
    port_close_all(dynamic);
}
