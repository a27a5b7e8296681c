/* SPDX-License-Identifier: Apache-2.0 */
/* Intercommunicators. */
#include "mpi/face_comm.h"

#include "mp/create/intercomm.h"

/* Check the arguments that are significant at the leader only. Sets *bridge_p. */
static int inter_check_leader(const char *call, face_comm *local, MPI_Comm peer_comm, int remote_leader,
                              face_comm **bridge_p)
{
    face_comm *bridge = face_comm_find(local->owner, peer_comm);
    if (!bridge)
        return face_fail_comm(call, NULL, "peer_comm", peer_comm);
    if (remote_leader < 0 || remote_leader >= bridge->size)
        return face_fail(call, bridge, MPI_ERR_RANK, "remote_leader is %d, but peer_comm has %d ranks (0..%d)",
                         remote_leader, bridge->size, bridge->size - 1);
    *bridge_p = bridge;
    return MPI_SUCCESS;
}

static int inter_create(const char *call, face_comm *local_comm, int local_leader, MPI_Comm peer_comm,
                        int remote_leader, int tag, MPI_Comm *newintercomm)
{
    face_comm *bridge = NULL;
    int is_leader = cor_comm_rank(local_comm->comm) == local_leader;
    int error = is_leader ? inter_check_leader(call, local_comm, peer_comm, remote_leader, &bridge) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made;
    int code =
        cor_intercomm_create(local_comm->comm, local_leader, bridge ? bridge->comm : NULL, remote_leader, tag, &made);
    if (code != COR_OK)
        return face_fail_engine(call, local_comm, code, NULL);
    return face_comm_handle(call, local_comm, made, newintercomm);
}

FACE_API(Intercomm_create, inter_create)

static int inter_merge(const char *call, face_comm *intercomm, int high, MPI_Comm *newintracomm)
{
    cor_comm *made;
    int code = cor_intercomm_merge(intercomm->comm, high != 0, &made);
    if (code != COR_OK)
        return face_fail_engine(call, intercomm, code, NULL);
    return face_comm_handle(call, intercomm, made, newintracomm);
}

FACE_API(Intercomm_merge, inter_merge)

static int inter_remote_group(const char *call, face_comm *comm, MPI_Group *group)
{
    return face_group_handle_of(call, comm, cor_comm_remote_group(comm->comm), group);
}

FACE_API(Comm_remote_group, inter_remote_group)
