/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, and the values that the servers of several hosts exchange in them. */
#include "pmi/pmi_server_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value from another server belongs to no rank of ours. */
static int server_refuse(const server_value *put, const char *whose, int limit_mib, cor_fault *fault)
{
    char last[64] = "";
    if (put->rank >= 0)
        snprintf(last, sizeof last, "; rank %d was the last that put something", put->rank);
    return cor_fault_set(fault, COR_ERR_MEMORY, "%s put more than %d MiB by PMI, which is the limit%s", whose,
                         limit_mib, last);
}

/* Store a value for the other servers. */
static int server_note(cor_pmi_server *server, const server_value *put, cor_fault *fault)
{
    if (!server->on_fence)
        return COR_OK;
    char line[COR_PMI_LINE_MAX];
    int length = snprintf(line, sizeof line, "kvsname=%s key=%s value=%s\n", put->space, put->key, put->value);
    size_t needed = server->updates_length + (size_t)length;
    if (length < 0 || (size_t)length >= sizeof line)
        return cor_fault_set(fault, COR_ERR_MEMORY, "a value of rank %d does not fit a PMI line", put->rank);
    if (needed > SERVER_UPDATES_MAX)
        return server_refuse(put, "between two barriers the ranks of this host, and of the hosts below it,",
                             SERVER_UPDATES_MAX >> 20, fault);
    if (needed > server->updates_room) {
        char *grown = realloc(server->updates, 2 * needed);
        if (!grown)
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a PMI value of rank %d", put->rank);
        server->updates = grown;
        server->updates_room = 2 * needed;
    }
    memcpy(server->updates + server->updates_length, line, (size_t)length);
    server->updates_length = needed;
    return COR_OK;
}

int cor_pmi_server_keep(cor_pmi_server *server, const server_value *put, int is_update, cor_fault *fault)
{
    long growth = cor_pmi_store_growth(&server->store, put->space, put->key, put->value);
    server_rank *self = put->rank >= 0 ? &server->ranks[put->rank] : NULL;
    if (self && growth > 0 && growth > COR_PMI_RANK_MAX - self->stored)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d puts more than %d KiB by PMI, the limit of a rank",
                             put->rank, COR_PMI_RANK_MAX >> 10);
    if (growth > 0 && growth > COR_PMI_JOB_MAX - (long)server->store.bytes)
        return server_refuse(put, "the ranks of this job", COR_PMI_JOB_MAX >> 20, fault);
    if (cor_pmi_store_put(&server->store, put->space, put->key, put->value) != COR_OK)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a PMI value of rank %d", put->rank);
    if (self)
        self->stored = self->stored + growth > 0 ? self->stored + growth : 0;
    return is_update ? server_note(server, put, fault) : COR_OK;
}

/* ---- barriers --------------------------------------------------------------------------------------------------- */

/* Release all ranks that wait here. */
static int server_open(cor_pmi_server *server, cor_fault *fault)
{
    server->waiting = 0;
    for (int each = 0; each < server->size; each++) {
        if (!server->ranks[each].in_barrier)
            continue;
        server->ranks[each].in_barrier = 0;
        int code = cor_pmi_server_answer(server, each, fault, "cmd=barrier_out rc=0 msg=success\n");
        if (code != COR_OK)
            return code;
    }
    return COR_OK;
}

int cor_pmi_server_enter(cor_pmi_server *server, cor_fault *fault)
{
    if (++server->waiting < server->parties)
        return COR_OK;
    if (!server->on_fence)
        return server_open(server, fault);
    /* The owner may release the barrier within the call, which clears the updates. */
    char *updates = server->updates;
    size_t length = server->updates_length;
    server->updates = NULL;
    server->updates_length = server->updates_room = 0;
    server->on_fence(server->context, updates, length);
    free(updates);
    return COR_OK;
}

/* ---- other servers ---------------------------------------------------------------------------------------------- */

void cor_pmi_server_share(cor_pmi_server *server, int parties, cor_pmi_fence_fn on_fence)
{
    server->parties = parties;
    server->on_fence = on_fence;
}

/* One value from another server. */
static int server_merge_line(cor_pmi_server *server, const char *text, size_t length, int is_update, cor_fault *fault)
{
    char copy[COR_PMI_LINE_MAX + 1];
    cor_pmi_line line;
    if (length > COR_PMI_LINE_MAX)
        return cor_fault_set(fault, COR_ERR_BOOT, "the values of other hosts have a line of %zu bytes", length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    int code = cor_pmi_line_parse(copy, length, &line, fault);
    if (code != COR_OK)
        return code;
    const char *space = cor_pmi_line_get(&line, "kvsname");
    const char *key = cor_pmi_line_get(&line, "key");
    const char *value = cor_pmi_line_get(&line, "value");
    if (!space || !key || !value)
        return cor_fault_set(fault, COR_ERR_BOOT, "a value of another host lacks its space, key or value");
    return cor_pmi_server_keep(server, &(server_value){-1, space, key, value}, is_update, fault);
}

static int server_merge(cor_pmi_server *server, const char *updates, size_t length, int is_update, cor_fault *fault)
{
    int code = COR_OK;
    while (length > 0 && code == COR_OK) {
        const char *newline = memchr(updates, '\n', length);
        if (!newline)
            return cor_fault_set(fault, COR_ERR_BOOT, "the values of other hosts end in the middle of a line");
        size_t line_length = (size_t)(newline - updates);
        code = server_merge_line(server, updates, line_length, is_update, fault);
        updates += line_length + 1;
        length -= line_length + 1;
    }
    return code;
}

int cor_pmi_server_arrive(cor_pmi_server *server, const char *updates, size_t length, cor_fault *fault)
{
    int code = server_merge(server, updates, length, 1, fault);
    return code == COR_OK ? cor_pmi_server_enter(server, fault) : code;
}

int cor_pmi_server_release(cor_pmi_server *server, const char *updates, size_t length, cor_fault *fault)
{
    int code = server_merge(server, updates, length, 0, fault);
    return code == COR_OK ? server_open(server, fault) : code;
}
