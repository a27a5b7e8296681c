/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that connect while they run: the functions of both faces for MPI's chapter on dynamic processes.
 *
 * Functions return COR_OK or a code; the sentence is then in cor_rank_fault(). Those that are collective over `comm`
 * return the same on all its members, also if only the root found the error. `rank` and the owner of `comm` may be any
 * rank of this process; ports, names and connected jobs belong to the rank that the program began with
 * (cor_rank_origin).
 *
 * A joint job exists until all its members have disconnected from it, or all of them end: MPI_Finalize is collective
 * over all connected processes, as MPI requires.
 */
#ifndef COR_DYNAMIC_DYNAMIC_H
#define COR_DYNAMIC_DYNAMIC_H

#include "mp/info.h"
#include "mp/mp.h"

enum { COR_PORT_MAX = 1024 };

/* ---- meet.c ----------------------------------------------------------------------------------------------------- */

/* Called when a new rank has opened: connect to the job that started this one, if there is one. Collective over the
 * job. *parent_p: the intercommunicator, or NULL. parent_p NULL: do not connect; the program may do that later, by a
 * second call. */
int cor_dynamic_open(cor_rank *rank, cor_comm **parent_p);
/* Called before the rank closes: end all joint jobs together with the other sides, wait for started jobs, close ports,
 * withdraw names. */
void cor_dynamic_close(cor_rank *rank);

/* The following calls are collective, and arguments that count at the root only may be invalid there: all members must
 * get the error. `refused`: an error that the caller has found in the root's arguments, which every member gets; NULL:
 * none. A port or a command that is NULL and a number of processes below 1 are detected here.
 *
 * Collective over comm; `port` and `refused` count at the root only. accept waits without limit until a root connects;
 * connect waits at most two minutes until the other side accepts (port.h): COR_ERR_PORT. */
int cor_comm_accept(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p);
int cor_comm_connect(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p);
/* Connect two processes that have the ends of one connected socket; the program still owns it. */
int cor_comm_join(cor_rank *rank, int fd, cor_comm **inter_p);

/* For MPI_Comm_disconnect. cor_dynamic_job_of: the joint job that has all members of a communicator, or NULL; to be
 * called before the communicator is freed. cor_dynamic_leave, afterwards: leave that job if this was its last
 * communicator. Collective over the communicator. */
cor_rank *cor_dynamic_job_of(const cor_comm *comm);
void cor_dynamic_leave(cor_rank *job);

/* ---- port.c ----------------------------------------------------------------------------------------------------- */

/* Listen; the name is printable and without spaces. */
int cor_port_open(cor_rank *rank, char name[COR_PORT_MAX]);
int cor_port_close(cor_rank *rank, const char *name);

/* ---- spawn.c ---------------------------------------------------------------------------------------------------- */

typedef struct cor_spawn_program {
    const char *command;
    char *const *arguments; /* NULL-terminated; NULL: none */
    int count;              /* processes of it */
    const cor_info *info;   /* host, hostfile, wdir, path, and options of corunna run; or NULL */
} cor_spawn_program;

/* Collective over comm; programs and `refused` count at the root only. Either all of them are started or none.
 * *total_p: the number of processes, on all members, also if starting them fails; 0: it was not tried. */
int cor_comm_spawn(cor_comm *comm, int root, const cor_spawn_program *programs, int program_count,
                   const cor_fault *refused, cor_comm **inter_p, int *total_p);

/* ---- names.c ---------------------------------------------------------------------------------------------------- */

/* Names are published for the programs of this user, on this host or wherever CORUNNA_NAMES, a folder, is shared. A
 * name is valid as long as the process that publishes it: after that it is never found again, and its file is removed,
 * at the latest when this name is looked up or any name is published on the same host. */
int cor_name_publish(cor_rank *rank, const char *service, const char *port);
int cor_name_withdraw(cor_rank *rank, const char *service, const char *port);
int cor_name_find(cor_rank *rank, const char *service, char port[COR_PORT_MAX]);

#endif
