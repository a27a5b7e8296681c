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
    int size = face_state_of(rank) == FACE_OPEN ? cor_rank_size(rank->rank)
               : rank->team                     ? cor_team_size(rank->team)
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

COR_API(int, Info_create, (MPI_Info * info))
{
    if (!info)
        return face_fail_early("MPI_Info_create", MPI_ERR_ARG, "info is a NULL pointer");
    return face_info_handle("MPI_Info_create", cor_info_create(), info);
}

COR_API(int, Info_create_env, (int argc, char *argv[], MPI_Info *info))
{
    if (!info)
        return face_fail_early("MPI_Info_create_env", MPI_ERR_ARG, "info is a NULL pointer");
    cor_info *made = info_make_env(face_get());
    if (made && argc > 0 && argv && argv[0] && cor_info_set(made, "command", argv[0]) != COR_OK) {
        cor_info_destroy(made);
        made = NULL;
    }
    return face_info_handle("MPI_Info_create_env", made, info);
}

/* The info of a call, or NULL with the error reported in *error_p. */
static cor_info *info_ask(const char *call, MPI_Info handle, int *error_p)
{
    cor_info *info = face_info_find(face_get(), handle);
    if (!info)
        *error_p = face_fail_info(call, NULL, "info", handle);
    return info;
}

COR_API(int, Info_dup, (MPI_Info info, MPI_Info *newinfo))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask("MPI_Info_dup", info, &error);
    if (!found)
        return error;
    if (!newinfo)
        return face_fail_early("MPI_Info_dup", MPI_ERR_ARG, "newinfo is a NULL pointer");
    return face_info_handle("MPI_Info_dup", cor_info_dup(found), newinfo);
}

COR_API(int, Info_free, (MPI_Info * info))
{
    if (!info)
        return face_fail_early("MPI_Info_free", MPI_ERR_ARG, "info is a NULL pointer");
    face_info *made = info_made(*info);
    if (!made)
        return *info == MPI_INFO_ENV
                   ? face_fail_early("MPI_Info_free", MPI_ERR_INFO, "*info is MPI_INFO_ENV, which cannot be freed")
                   : face_fail_info("MPI_Info_free", NULL, "*info", *info);
    cor_info_destroy(made->info);
    face_object_destroy(face_get(), made);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

/* ---- setting ---------------------------------------------------------------------------------------------------- */

static int info_check_key(const char *call, const char *key)
{
    if (!key)
        return face_fail_early(call, MPI_ERR_INFO_KEY, "key is a NULL pointer");
    size_t length = strnlen(key, MPI_MAX_INFO_KEY);
    if (length == 0)
        return face_fail_early(call, MPI_ERR_INFO_KEY, "key is empty");
    if (length >= MPI_MAX_INFO_KEY)
        return face_fail_early(call, MPI_ERR_INFO_KEY, "key is longer than %d characters", MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

/* An info that may be changed, and a key; NULL with the error reported in *error_p. */
static cor_info *info_ask_change(const char *call, MPI_Info handle, const char *key, int *error_p)
{
    cor_info *info = info_ask(call, handle, error_p);
    if (!info)
        return NULL;
    if (handle == MPI_INFO_ENV)
        *error_p = face_fail_early(call, MPI_ERR_INFO, "info is MPI_INFO_ENV, which cannot be changed");
    else
        *error_p = info_check_key(call, key);
    return *error_p == MPI_SUCCESS ? info : NULL;
}

COR_API(int, Info_set, (MPI_Info info, const char *key, const char *value))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask_change("MPI_Info_set", info, key, &error);
    if (!found)
        return error;
    if (!value)
        return face_fail_early("MPI_Info_set", MPI_ERR_INFO_VALUE, "value is a NULL pointer");
    if (strnlen(value, MPI_MAX_INFO_VAL) >= MPI_MAX_INFO_VAL)
        return face_fail_early("MPI_Info_set", MPI_ERR_INFO_VALUE, "value is longer than %d characters",
                               MPI_MAX_INFO_VAL - 1);
    return cor_info_set(found, key, value) == COR_OK ? MPI_SUCCESS : info_no_memory("MPI_Info_set");
}

COR_API(int, Info_delete, (MPI_Info info, const char *key))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask_change("MPI_Info_delete", info, key, &error);
    if (!found || cor_info_delete(found, key))
        return error;
    return face_fail_early("MPI_Info_delete", MPI_ERR_INFO_NOKEY, "the info has no key \"%.128s\"", key);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* The info and a key of a call that asks for its value; NULL with the error reported in *error_p. */
static cor_info *info_ask_value(const char *call, MPI_Info handle, const char *key, const char *names,
                                const void *first, const void *second, int *error_p)
{
    cor_info *info = info_ask(call, handle, error_p);
    if (!info)
        return NULL;
    *error_p = info_check_key(call, key);
    if (*error_p == MPI_SUCCESS && (!first || !second))
        *error_p = face_fail_early(call, MPI_ERR_ARG, "%s is a NULL pointer", names);
    return *error_p == MPI_SUCCESS ? info : NULL;
}

COR_API(int, Info_get, (MPI_Info info, const char *key, int valuelen, char *value, int *flag))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask_value("MPI_Info_get", info, key, "value or flag", value, flag, &error);
    if (!found)
        return error;
    if (valuelen < 0)
        return face_fail_early("MPI_Info_get", MPI_ERR_ARG, "valuelen is %d, but must not be negative", valuelen);
    const char *text = cor_info_get(found, key);
    *flag = text != NULL;
    if (text)
        snprintf(value, (size_t)valuelen + 1, "%s", text);
    return MPI_SUCCESS;
}

COR_API(int, Info_get_valuelen, (MPI_Info info, const char *key, int *valuelen, int *flag))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask_value("MPI_Info_get_valuelen", info, key, "valuelen or flag", valuelen, flag, &error);
    if (!found)
        return error;
    const char *text = cor_info_get(found, key);
    *flag = text != NULL;
    if (text)
        *valuelen = (int)strlen(text);
    return MPI_SUCCESS;
}

COR_API(int, Info_get_string, (MPI_Info info, const char *key, int *buflen, char *value, int *flag))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask_value("MPI_Info_get_string", info, key, "buflen or flag", buflen, flag, &error);
    if (!found)
        return error;
    if (*buflen < 0)
        return face_fail_early("MPI_Info_get_string", MPI_ERR_ARG, "*buflen is %d, but must not be negative", *buflen);
    if (*buflen > 0 && !value)
        return face_fail_early("MPI_Info_get_string", MPI_ERR_ARG, "value is a NULL pointer, but *buflen is %d",
                               *buflen);
    const char *text = cor_info_get(found, key);
    *flag = text != NULL;
    if (text) {
        if (*buflen > 0)
            snprintf(value, (size_t)*buflen, "%s", text);
        *buflen = (int)strlen(text) + 1;
    }
    return MPI_SUCCESS;
}

COR_API(int, Info_get_nkeys, (MPI_Info info, int *nkeys))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask("MPI_Info_get_nkeys", info, &error);
    if (!found)
        return error;
    if (!nkeys)
        return face_fail_early("MPI_Info_get_nkeys", MPI_ERR_ARG, "nkeys is a NULL pointer");
    *nkeys = cor_info_count(found);
    return MPI_SUCCESS;
}

COR_API(int, Info_get_nthkey, (MPI_Info info, int n, char *key))
{
    int error = MPI_SUCCESS;
    cor_info *found = info_ask("MPI_Info_get_nthkey", info, &error);
    if (!found)
        return error;
    if (!key)
        return face_fail_early("MPI_Info_get_nthkey", MPI_ERR_ARG, "key is a NULL pointer");
    if (n < 0 || n >= cor_info_count(found))
        return face_fail_early("MPI_Info_get_nthkey", MPI_ERR_ARG, "n is %d, but the info has %d keys", n,
                               cor_info_count(found));
    snprintf(key, MPI_MAX_INFO_KEY, "%s", cor_info_key(found, n));
    return MPI_SUCCESS;
}
