/* SPDX-License-Identifier: Apache-2.0 */
/* Intercommunicators. */
#include "mpi/face_comm.h"

#include "mp/create/intercomm.h"

/* Check the arguments that are significant at the leader only. Sets *bridge_p. */
static int inter_check_leader(face_comm *local, MPI_Comm peer_comm, int remote_leader, face_comm **bridge_p)
{
    face_comm *bridge = face_comm_find(local->owner, peer_comm);
    if (!bridge)
        return face_fail_comm("MPI_Intercomm_create", "peer_comm", peer_comm);
    if (remote_leader < 0 || remote_leader >= bridge->size)
        return face_fail("MPI_Intercomm_create", bridge, MPI_ERR_RANK,
                         "remote_leader is %d, but peer_comm has %d ranks (0..%d)", remote_leader, bridge->size,
                         bridge->size - 1);
    *bridge_p = bridge;
    return MPI_SUCCESS;
}

COR_API(int, Intercomm_create,
        (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
         MPI_Comm *newintercomm))
{
    face_comm *local = face_comm_find(face_open("MPI_Intercomm_create"), local_comm);
    if (!local)
        return face_fail_comm("MPI_Intercomm_create", "local_comm", local_comm);
    if (cor_comm_is_inter(local->comm))
        return face_fail("MPI_Intercomm_create", local, MPI_ERR_COMM, "local_comm is an intercommunicator");
    if (local_leader < 0 || local_leader >= local->size)
        return face_fail("MPI_Intercomm_create", local, MPI_ERR_RANK,
                         "local_leader is %d, but local_comm has %d ranks (0..%d)", local_leader, local->size,
                         local->size - 1);
    if (tag < 0)
        return face_fail("MPI_Intercomm_create", local, MPI_ERR_TAG, "tag is %d, but must be 0..%d", tag, COR_TAG_MAX);
    if (!newintercomm)
        return face_fail_null("MPI_Intercomm_create", local, "newintercomm");
    face_comm *bridge = NULL;
    int is_leader = cor_comm_rank(local->comm) == local_leader;
    int error = is_leader ? inter_check_leader(local, peer_comm, remote_leader, &bridge) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    cor_comm *made;
    int code =
        cor_intercomm_create(local->comm, local_leader, bridge ? bridge->comm : NULL, remote_leader, tag, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Intercomm_create", local, code, NULL);
    return face_comm_handle("MPI_Intercomm_create", local, made, newintercomm);
}

COR_API(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm))
{
    face_comm *inter = face_comm_find(face_open("MPI_Intercomm_merge"), intercomm);
    if (!inter)
        return face_fail_comm("MPI_Intercomm_merge", "intercomm", intercomm);
    if (!cor_comm_is_inter(inter->comm))
        return face_fail("MPI_Intercomm_merge", inter, MPI_ERR_COMM, "intercomm is not an intercommunicator");
    if (!newintracomm)
        return face_fail_null("MPI_Intercomm_merge", inter, "newintracomm");
    cor_comm *made;
    int code = cor_intercomm_merge(inter->comm, high != 0, &made);
    if (code != COR_OK)
        return face_fail_engine("MPI_Intercomm_merge", inter, code, NULL);
    return face_comm_handle("MPI_Intercomm_merge", inter, made, newintracomm);
}

COR_API(int, Comm_remote_group, (MPI_Comm comm, MPI_Group *group))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_remote_group", comm, "group", group, &error);
    if (!face)
        return error;
    if (!cor_comm_is_inter(face->comm))
        return face_fail("MPI_Comm_remote_group", face, MPI_ERR_COMM, "comm is not an intercommunicator");
    cor_group *remote = cor_comm_remote_group(face->comm);
    cor_group_ref(remote);
    return face_group_handle("MPI_Comm_remote_group", face, remote, group);
}
