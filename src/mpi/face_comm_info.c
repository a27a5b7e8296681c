/* SPDX-License-Identifier: Apache-2.0 */
/* Hints on communicators: known hints are stored and returned, others are ignored. */
#include "mpi/face_comm.h"

#include <string.h>

/* The known hints; none of them has an effect, all are stored. */
static const char *const hint_keys[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                                        "mpi_assert_allow_overtaking"};

enum { HINT_COUNT = sizeof hint_keys / sizeof *hint_keys };

int face_comm_take_hints(face_comm *comm, const cor_info *info)
{
    int code = COR_OK;
    pthread_mutex_lock(&comm->owner->lock);
    if (!comm->hints && !(comm->hints = cor_info_create()))
        code = COR_ERR_MEMORY;
    for (int i = 0; i < HINT_COUNT && code == COR_OK; i++) {
        const char *value = cor_info_get(info, hint_keys[i]);
        if (value && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
            code = cor_info_set(comm->hints, hint_keys[i], value);
    }
    pthread_mutex_unlock(&comm->owner->lock);
    return code;
}

static int hint_set(const char *call, face_comm *comm, cor_info *info)
{
    if (face_comm_take_hints(comm, info) != COR_OK)
        return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for the hints");
    return MPI_SUCCESS;
}

FACE_API(Comm_set_info, hint_set)

/* All known hints, with the default where none was set. */
static cor_info *hint_list(face_comm *comm)
{
    cor_info *info = cor_info_create();
    int code = info ? COR_OK : COR_ERR_MEMORY;
    pthread_mutex_lock(&comm->owner->lock);
    for (int i = 0; i < HINT_COUNT && code == COR_OK; i++) {
        const char *value = comm->hints ? cor_info_get(comm->hints, hint_keys[i]) : NULL;
        code = cor_info_set(info, hint_keys[i], value ? value : "false");
    }
    pthread_mutex_unlock(&comm->owner->lock);
    if (code != COR_OK) {
        cor_info_destroy(info);
        info = NULL;
    }
    return info;
}

static int hint_get(const char *call, face_comm *comm, MPI_Info *info_used)
{
    return face_info_used(call, hint_list(comm), info_used);
}

FACE_API(Comm_get_info, hint_get)
