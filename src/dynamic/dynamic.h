/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that meet while they run. What both faces call for MPI's chapter on dynamic processes.
 *
 * Functions return COR_OK or a code; the sentence is then in cor_rank_fault(). Those that are collective over `comm`
 * return the same on all its members, also where only the root could know. `rank` and the owner of `comm` may be any
 * rank of this process; ports, names and met jobs belong to the one that the program began with (cor_rank_origin).
 *
 * A job that was met stays until all its members have disconnected from it, or all of them end: as MPI has it,
 * MPI_Finalize is collective over all processes that are connected.
 */
#ifndef COR_DYNAMIC_DYNAMIC_H
#define COR_DYNAMIC_DYNAMIC_H

#include "mp/info.h"
#include "mp/mp.h"

enum { COR_PORT_MAX = 1024 };

/* ---- meet.c ----------------------------------------------------------------------------------------------------- */

/* A new rank has opened: where the job was started by another one, meet that. Collective over the job. *parent_p: the
 * intercommunicator, or NULL. */
int cor_dynamic_open(cor_rank *rank, cor_comm **parent_p);
/* The rank is about to close: end, with the other side, all jobs that were met, wait for those that were started, close
 * ports, withdraw names. */
void cor_dynamic_close(cor_rank *rank);

/* What follows is collective, and arguments that count at the root only may be wrong there: the error must come to all
 * members. `refused`: what the caller has found wrong with the root's arguments, which every member gets; NULL:
 * nothing. A port or a command that is NULL and a number of processes below 1 are found here.
 *
 * Collective over comm; `port` and `refused` count at the root only. accept waits until a root connects, however long;
 * connect until the other accepts, for two minutes (port.h): COR_ERR_PORT. */
int cor_comm_accept(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p);
int cor_comm_connect(cor_comm *comm, int root, const char *port, const cor_fault *refused, cor_comm **inter_p);
/* Two processes with the ends of one connected socket, which stays the program's. */
int cor_comm_join(cor_rank *rank, int fd, cor_comm **inter_p);

/* For MPI_Comm_disconnect. The job of a communicator that has all its members, if it was met, else NULL: to be asked
 * before the communicator is freed; and, afterwards, leave that job if it was the last communicator of it. Collective
 * over that. */
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
    const cor_info *info;   /* host, hostfile, wdir, path, and what corunna run knows as options; or NULL */
} cor_spawn_program;

/* Collective over comm; programs and `refused` count at the root only. All of them are started or none. *total_p: how
 * many processes, on all members, also if they do not start; 0: none was tried. */
int cor_comm_spawn(cor_comm *comm, int root, const cor_spawn_program *programs, int program_count,
                   const cor_fault *refused, cor_comm **inter_p, int *total_p);

/* ---- names.c ---------------------------------------------------------------------------------------------------- */

/* Names are published for the programs of this user, on this host or wherever CORUNNA_NAMES, a folder, is shared. They
 * end with the process that publishes them: it is never found again, and its file is removed, at the latest when this
 * name is looked up or any name is published on the same host. */
int cor_name_publish(cor_rank *rank, const char *service, const char *port);
int cor_name_withdraw(cor_rank *rank, const char *service, const char *port);
int cor_name_find(cor_rank *rank, const char *service, char port[COR_PORT_MAX]);

#endif
