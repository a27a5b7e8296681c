/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that meet: ports, names, accept, connect, join, spawn. */
#include "mpi/face_comm.h"

#include "dynamic/dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)COR_PORT_MAX == MPI_MAX_PORT_NAME, "a name of a port has the room that MPI gives it");

/* ---- ports and names -------------------------------------------------------------------------------------------- */

/* A call that is not of a communicator: are its text arguments there? Then the rank, else NULL with the error. */
static face_rank *dynamic_begin(const char *call, MPI_Info info, const char *first_name, const void *first,
                                const char *second_name, const void *second, int *error_p)
{
    face_rank *rank = face_open(call);
    *error_p = MPI_SUCCESS;
    if (!first)
        *error_p = face_fail_null(call, NULL, first_name);
    else if (second_name && !second)
        *error_p = face_fail_null(call, NULL, second_name);
    else if (face_info_is_usable(call, rank->self, info, error_p))
        return rank;
    return NULL;
}

static int dynamic_end(const char *call, int code)
{
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, NULL, code, NULL);
}

COR_API(int, Open_port, (MPI_Info info, char *port_name))
{
    int error;
    face_rank *rank = dynamic_begin("MPI_Open_port", info, "port_name", port_name, NULL, NULL, &error);
    return rank ? dynamic_end("MPI_Open_port", cor_port_open(rank->rank, port_name)) : error;
}

COR_API(int, Close_port, (const char *port_name))
{
    int error;
    face_rank *rank = dynamic_begin("MPI_Close_port", MPI_INFO_NULL, "port_name", port_name, NULL, NULL, &error);
    return rank ? dynamic_end("MPI_Close_port", cor_port_close(rank->rank, port_name)) : error;
}

COR_API(int, Publish_name, (const char *service_name, MPI_Info info, const char *port_name))
{
    int error;
    face_rank *rank =
        dynamic_begin("MPI_Publish_name", info, "service_name", service_name, "port_name", port_name, &error);
    return rank ? dynamic_end("MPI_Publish_name", cor_name_publish(rank->rank, service_name, port_name)) : error;
}

COR_API(int, Unpublish_name, (const char *service_name, MPI_Info info, const char *port_name))
{
    int error;
    face_rank *rank =
        dynamic_begin("MPI_Unpublish_name", info, "service_name", service_name, "port_name", port_name, &error);
    return rank ? dynamic_end("MPI_Unpublish_name", cor_name_withdraw(rank->rank, service_name, port_name)) : error;
}

COR_API(int, Lookup_name, (const char *service_name, MPI_Info info, char *port_name))
{
    int error;
    face_rank *rank =
        dynamic_begin("MPI_Lookup_name", info, "service_name", service_name, "port_name", port_name, &error);
    return rank ? dynamic_end("MPI_Lookup_name", cor_name_find(rank->rank, service_name, port_name)) : error;
}

/* ---- accept and connect ----------------------------------------------------------------------------------------- */

/* What accept, connect and spawn have in common: the communicator, or NULL with the error. */
static face_comm *dynamic_ask(const char *call, MPI_Comm handle, int root, const char *result_name, const void *result,
                              int *error_p)
{
    face_comm *comm = face_comm_ask_intra(call, "comm", handle, result_name, result, error_p);
    if (!comm)
        return NULL;
    if (root >= 0 && root < comm->size)
        return comm;
    *error_p = face_fail(call, comm, MPI_ERR_ROOT, "root is %d, but comm has %d ranks (0..%d)", root, comm->size,
                         comm->size - 1);
    return NULL;
}

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

static int dynamic_meet(const char *call, dynamic_meet_fn meet, const char *port, MPI_Info info, int root,
                        MPI_Comm handle, MPI_Comm *newcomm)
{
    int error = MPI_SUCCESS;
    face_comm *comm = dynamic_ask(call, handle, root, "newcomm", newcomm, &error);
    if (!comm)
        return error;
    cor_comm *made;
    cor_fault fault = {0};
    const cor_fault *refused = comm->rank == root ? dynamic_check_info(comm->owner, "", info, &fault) : NULL;
    int code = meet(comm->comm, root, port, refused, &made);
    return code == COR_OK ? face_comm_handle(call, comm, made, newcomm) : face_fail_engine(call, comm, code, NULL);
}

COR_API(int, Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm))
{
    return dynamic_meet("MPI_Comm_accept", cor_comm_accept, port_name, info, root, comm, newcomm);
}

COR_API(int, Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm))
{
    return dynamic_meet("MPI_Comm_connect", cor_comm_connect, port_name, info, root, comm, newcomm);
}

COR_API(int, Comm_join, (int fd, MPI_Comm *intercomm))
{
    face_rank *rank = face_open("MPI_Comm_join");
    if (!intercomm)
        return face_fail_null("MPI_Comm_join", NULL, "intercomm");
    cor_comm *made;
    int code = cor_comm_join(rank->rank, fd, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Comm_join", NULL, code, NULL);
    return face_comm_handle("MPI_Comm_join", rank->self, made, intercomm);
}

/* ---- parents and children --------------------------------------------------------------------------------------- */

COR_API(int, Comm_get_parent, (MPI_Comm * parent))
{
    face_rank *rank = face_open("MPI_Comm_get_parent");
    if (!parent)
        return face_fail_null("MPI_Comm_get_parent", NULL, "parent");
    *parent = rank->parent;
    return MPI_SUCCESS;
}

static int spawn_run(const char *call, face_comm *comm, int root, const cor_spawn_program *programs, int count,
                     const cor_fault *refused, MPI_Comm *intercomm, int *errcodes)
{
    cor_comm *made;
    int total = 0, code = cor_comm_spawn(comm->comm, root, programs, count, refused, &made, &total);
    for (int i = 0; errcodes && i < total; i++)
        errcodes[i] = code == COR_OK ? MPI_SUCCESS : face_class_of(code);
    return code == COR_OK ? face_comm_handle(call, comm, made, intercomm) : face_fail_engine(call, comm, code, NULL);
}

COR_API(int, Comm_spawn,
        (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
         int array_of_errcodes[]))
{
    int error = MPI_SUCCESS;
    face_comm *face = dynamic_ask("MPI_Comm_spawn", comm, root, "intercomm", intercomm, &error);
    if (!face)
        return error;
    cor_spawn_program program = {.command = command, .arguments = argv, .count = maxprocs};
    cor_fault fault = {0};
    const cor_fault *refused = NULL;
    if (face->rank == root) {
        refused = dynamic_check_info(face->owner, "", info, &fault);
        program.info = face_info_find(face->owner, info);
    }
    return spawn_run("MPI_Comm_spawn", face, root, &program, 1, refused, intercomm, array_of_errcodes);
}

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

COR_API(int, Comm_spawn_multiple,
        (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
         const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]))
{
    static const char call[] = "MPI_Comm_spawn_multiple";
    int error = MPI_SUCCESS;
    face_comm *face = dynamic_ask(call, comm, root, "intercomm", intercomm, &error);
    if (!face)
        return error;
    if (face->rank != root)
        return spawn_run(call, face, root, NULL, 0, NULL, intercomm, array_of_errcodes);
    cor_fault fault = {0};
    const cor_fault *refused = spawn_check_arrays(count, array_of_commands, array_of_maxprocs, array_of_info, &fault);
    cor_spawn_program *programs = refused ? NULL : calloc((size_t)count, sizeof *programs);
    if (programs)
        refused = spawn_fill(face, count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, programs,
                             &fault);
    else if (!refused) {
        cor_fault_set(&fault, COR_ERR_MEMORY, "no memory for %d programs", count);
        refused = &fault;
    }
    error = spawn_run(call, face, root, programs, count, refused, intercomm, array_of_errcodes);
    free(programs);
    return error;
}
