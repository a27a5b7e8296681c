/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that meet: ports, names, accept, connect, join, spawn. */
#include "mpi/face_comm.h"

#include "dynamic/dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)COR_PORT_MAX == MPI_MAX_PORT_NAME, "a name of a port has the room that MPI gives it");

/* ---- ports and names -------------------------------------------------------------------------------------------- */

static int dynamic_end(const char *call, int code)
{
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, NULL, code, NULL);
}

static int dynamic_open_port(const char *call, cor_info *info, char *port_name)
{
    return dynamic_end(call, cor_port_open(face_get()->rank, port_name));
}

FACE_API(Open_port, dynamic_open_port)

static int dynamic_close_port(const char *call, const char *port_name)
{
    return dynamic_end(call, cor_port_close(face_get()->rank, port_name));
}

FACE_API(Close_port, dynamic_close_port)

static int dynamic_publish(const char *call, const char *service_name, cor_info *info, const char *port_name)
{
    return dynamic_end(call, cor_name_publish(face_get()->rank, service_name, port_name));
}

FACE_API(Publish_name, dynamic_publish)

static int dynamic_withdraw(const char *call, const char *service_name, cor_info *info, const char *port_name)
{
    return dynamic_end(call, cor_name_withdraw(face_get()->rank, service_name, port_name));
}

FACE_API(Unpublish_name, dynamic_withdraw)

static int dynamic_find(const char *call, const char *service_name, cor_info *info, char *port_name)
{
    return dynamic_end(call, cor_name_find(face_get()->rank, service_name, port_name));
}

FACE_API(Lookup_name, dynamic_find)

/* ---- accept and connect ----------------------------------------------------------------------------------------- */

/* The root's info, of which all members must hear if it is wrong: the fault, or NULL. */
static const cor_fault *dynamic_check_info(face_rank *rank, const char *place, MPI_Info handle, cor_fault *fault)
{
    if (handle == MPI_INFO_NULL || face_info_find(rank, handle))
        return NULL;
    cor_fault_set(fault, COR_ERR_INFO, "info%s is %p, which is not an info", place, (void *)handle);
    return fault;
}

typedef int (*dynamic_meet_fn)(cor_comm *comm, int root, const char *port, const cor_fault *refused,
                               cor_comm **inter_p);

static int dynamic_meet(const char *call, const char *port, MPI_Info info, int root, face_comm *comm,
                        MPI_Comm *newcomm, dynamic_meet_fn meet)
{
    cor_comm *made;
    cor_fault fault = {0};
    const cor_fault *refused = comm->rank == root ? dynamic_check_info(comm->owner, "", info, &fault) : NULL;
    int code = meet(comm->comm, root, port, refused, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

FACE_API(Comm_accept, dynamic_meet, cor_comm_accept)
FACE_API(Comm_connect, dynamic_meet, cor_comm_connect)

static int dynamic_join(const char *call, int fd, MPI_Comm *intercomm)
{
    cor_comm *made;
    int code = cor_comm_join(face_get()->rank, fd, &made);
    if (code != COR_OK)
        return face_fail_engine(call, NULL, code, NULL);
    return face_comm_handle(call, &face_get()->self_comm, made, intercomm);
}

FACE_API(Comm_join, dynamic_join)

/* ---- parents and children --------------------------------------------------------------------------------------- */

static int dynamic_parent(const char *call, MPI_Comm *parent)
{
    *parent = face_get()->parent;
    return MPI_SUCCESS;
}

FACE_API(Comm_get_parent, dynamic_parent)

static int spawn_run(const char *call, face_comm *comm, int root, const cor_spawn_program *programs, int count,
                     const cor_fault *refused, MPI_Comm *intercomm, int *errcodes)
{
    cor_comm *made;
    int total = 0, code = cor_comm_spawn(comm->comm, root, programs, count, refused, &made, &total);
    for (int i = 0; errcodes && i < total; i++)
        errcodes[i] = code == COR_OK ? MPI_SUCCESS : face_class_of(code);
    return code == COR_OK ? face_comm_handle(call, comm, made, intercomm) : face_fail_engine(call, comm, code, NULL);
}

static int spawn(const char *call, const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                 face_comm *comm, MPI_Comm *intercomm, int errcodes[])
{
    cor_spawn_program program = {.command = command, .arguments = argv, .count = maxprocs};
    cor_fault fault = {0};
    const cor_fault *refused = NULL;
    if (comm->rank == root) {
        refused = dynamic_check_info(comm->owner, "", info, &fault);
        program.info = face_info_find(comm->owner, info);
    }
    return spawn_run(call, comm, root, &program, 1, refused, intercomm, errcodes);
}

FACE_API(Comm_spawn, spawn)

static const cor_fault *spawn_fill(face_comm *comm, int count, char *commands[], char **argvs[], const int counts[],
                                   const MPI_Info infos[], cor_spawn_program *programs, cor_fault *fault)
{
    char place[32];
    const cor_fault *refused = NULL;
    for (int i = 0; i < count && !refused; i++) {
        programs[i] = (cor_spawn_program){.command = commands[i],
                                          .arguments = argvs ? argvs[i] : NULL,
                                          .count = counts[i],
                                          .info = face_info_find(comm->owner, infos[i])};
        snprintf(place, sizeof place, "[%d]", i);
        refused = dynamic_check_info(comm->owner, place, infos[i], fault);
    }
    return refused;
}

/* The arrays of the root, of which all members must hear if they are wrong. */
static const cor_fault *spawn_check_arrays(int count, char *commands[], const int counts[], const MPI_Info infos[],
                                           cor_fault *fault)
{
    if (count < 1)
        cor_fault_set(fault, COR_ERR_ARG, "count is %d, but must be at least 1", count);
    else if (!commands || !counts || !infos)
        cor_fault_set(fault, COR_ERR_ARG, "%s is a NULL pointer",
                      !commands ? "array_of_commands"
                      : !counts ? "array_of_maxprocs"
                                : "array_of_info");
    else
        return NULL;
    return fault;
}

static int spawn_multiple(const char *call, int count, char *commands[], char **argvs[], const int maxprocs[],
                          const MPI_Info infos[], int root, face_comm *comm, MPI_Comm *intercomm, int errcodes[])
{
    if (comm->rank != root)
        return spawn_run(call, comm, root, NULL, 0, NULL, intercomm, errcodes);
    cor_fault fault = {0};
    const cor_fault *refused = spawn_check_arrays(count, commands, maxprocs, infos, &fault);
    cor_spawn_program *programs = refused ? NULL : calloc((size_t)count, sizeof *programs);
    if (programs)
        refused = spawn_fill(comm, count, commands, argvs, maxprocs, infos, programs, &fault);
    else if (!refused) {
        cor_fault_set(&fault, COR_ERR_MEMORY, "no memory for %d programs", count);
        refused = &fault;
    }
    int error = spawn_run(call, comm, root, programs, count, refused, intercomm, errcodes);
    free(programs);
    return error;
}

FACE_API(Comm_spawn_multiple, spawn_multiple)
