/* SPDX-License-Identifier: Apache-2.0 */
/* Info objects. They may be used at any time, also before MPI_Init. */
#include "mpi/face_comm.h"

#include "pmi/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

static face_info *info_made(MPI_Info handle)
{
    face_info *made = (face_info *)handle;
    return face_is_object(face_get(), handle) && made->kind == FACE_INFO ? made : NULL;
}

static const char *info_thread_level(const face_rank *rank)
{
    switch (rank->thread_level) {
    case MPI_THREAD_MULTIPLE:
        return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SERIALIZED:
        return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    default:
        return "MPI_THREAD_SINGLE";
    }
}

/* The keys of MPI_INFO_ENV; NULL when memory is out. */
static cor_info *info_make_env(const face_rank *rank)
{
    cor_info *info = cor_info_create();
    int size = face_is_open(rank) ? cor_rank_size(rank->rank)
               : rank->team       ? cor_team_size(rank->team)
                                  : cor_boot_expected_size();
    if (info && cor_info_fill_env(info, size, info_thread_level(rank)) != COR_OK) {
        cor_info_destroy(info);
        info = NULL;
    }
    return info;
}

cor_info *face_info_find(face_rank *rank, MPI_Info handle)
{
    face_info *made = info_made(handle);
    if (made)
        return made->info;
    if (handle != MPI_INFO_ENV)
        return NULL;
    pthread_mutex_lock(&rank->lock);
    if (!rank->env_info)
        rank->env_info = info_make_env(rank);
    cor_info *info = rank->env_info;
    pthread_mutex_unlock(&rank->lock);
    return info;
}

int face_info_is_usable(const char *call, face_comm *comm, MPI_Info handle, int *error_p)
{
    if (handle == MPI_INFO_NULL || face_info_find(comm->owner, handle))
        return 1;
    *error_p = face_fail_info(call, comm, "info", handle);
    return 0;
}

static int info_no_memory(const char *call)
{
    return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for an info");
}

int face_info_handle(const char *call, cor_info *info, MPI_Info *handle_p)
{
    face_info *made = info ? face_object_create(face_get(), FACE_INFO, call) : NULL;
    if (!made) {
        cor_info_destroy(info);
        return info_no_memory(call);
    }
    made->info = info;
    *handle_p = (MPI_Info)made;
    return MPI_SUCCESS;
}

int face_info_used(const char *call, cor_info *info, MPI_Info *handle_p)
{
    /* Those that the standard asks of every library, and no memory of devices. */
    if (info && cor_info_set(info, "mpi_memory_alloc_kinds", "mpi,system") != COR_OK) {
        cor_info_destroy(info);
        info = NULL;
    }
    return face_info_handle(call, info, handle_p);
}

static int info_create(const char *call, MPI_Info *info)
{
    return face_info_handle(call, cor_info_create(), info);
}

FACE_API(Info_create, info_create)

static int info_create_env(const char *call, int argc, char *argv[], MPI_Info *info)
{
    cor_info *made = info_make_env(face_get());
    if (made && argc > 0 && argv && argv[0] && cor_info_set(made, "command", argv[0]) != COR_OK) {
        cor_info_destroy(made);
        made = NULL;
    }
    return face_info_handle(call, made, info);
}

FACE_API(Info_create_env, info_create_env)

static int info_dup(const char *call, cor_info *info, MPI_Info *newinfo)
{
    return face_info_handle(call, cor_info_dup(info), newinfo);
}

FACE_API(Info_dup, info_dup)

static int info_free(const char *call, MPI_Info *info)
{
    face_info *made = info_made(*info);
    if (!made)
        return face_fail_early(call, MPI_ERR_INFO, "*info is MPI_INFO_ENV, which cannot be freed");
    cor_info_destroy(made->info);
    face_object_destroy(face_get(), made);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

FACE_API(Info_free, info_free)

/* ---- setting ---------------------------------------------------------------------------------------------------- */

static int info_check_key(const char *call, const char *key)
{
    size_t length = strnlen(key, MPI_MAX_INFO_KEY);
    if (length == 0)
        return face_fail_early(call, MPI_ERR_INFO_KEY, "key is empty");
    if (length >= MPI_MAX_INFO_KEY)
        return face_fail_early(call, MPI_ERR_INFO_KEY, "key is longer than %d characters", MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

static int info_check_change(const char *call, MPI_Info handle)
{
    if (handle == MPI_INFO_ENV)
        return face_fail_early(call, MPI_ERR_INFO, "info is MPI_INFO_ENV, which cannot be changed");
    return MPI_SUCCESS;
}

static int info_set(const char *call, MPI_Info info, const char *key, const char *value)
{
    int error = info_check_change(call, info) ?: info_check_key(call, key);
    if (error != MPI_SUCCESS)
        return error;
    if (strnlen(value, MPI_MAX_INFO_VAL) >= MPI_MAX_INFO_VAL)
        return face_fail_early(call, MPI_ERR_INFO_VALUE, "value is longer than %d characters", MPI_MAX_INFO_VAL - 1);
    return cor_info_set(face_info_find(face_get(), info), key, value) == COR_OK ? MPI_SUCCESS : info_no_memory(call);
}

FACE_API(Info_set, info_set)

static int info_delete(const char *call, MPI_Info info, const char *key)
{
    int error = info_check_change(call, info) ?: info_check_key(call, key);
    if (error != MPI_SUCCESS || cor_info_delete(face_info_find(face_get(), info), key))
        return error;
    return face_fail_early(call, MPI_ERR_INFO_NOKEY, "the info has no key \"%.128s\"", key);
}

FACE_API(Info_delete, info_delete)

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static int info_get(const char *call, cor_info *info, const char *key, int valuelen, char *value, int *flag)
{
    int error = info_check_key(call, key);
    if (error != MPI_SUCCESS)
        return error;
    const char *text = cor_info_get(info, key);
    *flag = text != NULL;
    if (text)
        snprintf(value, (size_t)valuelen + 1, "%s", text);
    return MPI_SUCCESS;
}

FACE_API(Info_get, info_get)

static int info_get_valuelen(const char *call, cor_info *info, const char *key, int *valuelen, int *flag)
{
    int error = info_check_key(call, key);
    if (error != MPI_SUCCESS)
        return error;
    const char *text = cor_info_get(info, key);
    *flag = text != NULL;
    if (text)
        *valuelen = (int)strlen(text);
    return MPI_SUCCESS;
}

FACE_API(Info_get_valuelen, info_get_valuelen)

static int info_get_string(const char *call, cor_info *info, const char *key, int *buflen, char *value, int *flag)
{
    int error = info_check_key(call, key);
    if (error != MPI_SUCCESS)
        return error;
    if (*buflen < 0)
        return face_fail_early(call, MPI_ERR_ARG, "*buflen is %d, but must not be negative", *buflen);
    if (*buflen > 0 && !value)
        return face_fail_early(call, MPI_ERR_ARG, "value is a NULL pointer, but *buflen is %d", *buflen);
    const char *text = cor_info_get(info, key);
    *flag = text != NULL;
    if (text) {
        if (*buflen > 0)
            snprintf(value, (size_t)*buflen, "%s", text);
        *buflen = (int)strlen(text) + 1;
    }
    return MPI_SUCCESS;
}

FACE_API(Info_get_string, info_get_string)

static int info_get_nkeys(const char *call, cor_info *info, int *nkeys)
{
    *nkeys = cor_info_count(info);
    return MPI_SUCCESS;
}

FACE_API(Info_get_nkeys, info_get_nkeys)

static int info_get_nthkey(const char *call, cor_info *info, int n, char *key)
{
    if (n < 0 || n >= cor_info_count(info))
        return face_fail_early(call, MPI_ERR_ARG, "n is %d, but the info has %d keys", n, cor_info_count(info));
    snprintf(key, MPI_MAX_INFO_KEY, "%s", cor_info_key(info, n));
    return MPI_SUCCESS;
}

FACE_API(Info_get_nthkey, info_get_nthkey)
