/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamic/joined.h"

#include "mp/comm.h"
#include "mp/internal.h"
#include "pmi/boot_values.h"

#include <stdlib.h>
#include <string.h>

typedef struct joined_boot {
    cor_boot base;
    joined_sides sides;
    boot_values *values;
} joined_boot;

enum { JOINED_VALUE = COR_BOOT_VALUE_MAX + 1 }; /* bytes of a value on the bridge, with its NUL */

/* ---- among the members of a side -------------------------------------------------------------------------------- */

int joined_share(cor_comm *local, int root, int code, void *data, size_t bytes, cor_fault *fault)
{
    cor_fault outcome = *fault;
    int is_root = cor_comm_rank(local) == root, rc = COR_OK;
    cor_comm_name_loss_in(local, &outcome); /* which the members of this communicator understand */
    outcome.code = code;
    if (code != COR_OK && !outcome.text[0])
        cor_fault_set(&outcome, code, "%s", cor_error_text(code));
    for (int i = 0; is_root && i < cor_comm_size(local); i++) {
        if (i == root)
            continue;
        int sent = cor_internal_send(local, &outcome, sizeof outcome, i, COR_INTERNAL_TAG_JOINED);
        if (sent == COR_OK && code == COR_OK && bytes)
            sent = cor_internal_send(local, data, bytes, i, COR_INTERNAL_TAG_JOINED);
        rc = rc != COR_OK ? rc : sent;
    }
    if (!is_root) {
        rc = cor_internal_recv(local, &outcome, sizeof outcome, root, COR_INTERNAL_TAG_JOINED);
        if (rc == COR_OK && outcome.code == COR_OK && bytes)
            rc = cor_internal_recv(local, data, bytes, root, COR_INTERNAL_TAG_JOINED);
    }
    if (rc != COR_OK)
        return rc;
    if (outcome.code != COR_OK)
        *fault = outcome;
    return outcome.code;
}

/* ---- between the sides ------------------------------------------------------------------------------------------ */

/* The first side speaks first: two that both wrote would wait for each other once the socket is full. */
static int joined_swap(const joined_sides *sides, const void *out, size_t out_bytes, void *in, size_t in_bytes,
                       cor_fault *fault)
{
    cor_rank *rank = cor_rank_origin(cor_comm_owner(sides->local));
    int rc = COR_OK;
    if (sides->is_first)
        rc = bridge_send(rank, sides->bridge, out, out_bytes, fault);
    if (rc == COR_OK)
        rc = bridge_receive(rank, sides->bridge, in, in_bytes, fault);
    if (rc == COR_OK && !sides->is_first)
        rc = bridge_send(rank, sides->bridge, out, out_bytes, fault);
    return rc;
}

/* Fill both tables with the values of their side. */
static int joined_collect(const joined_sides *sides, const char *value, char *ours, char *theirs, cor_fault *fault)
{
    char own[JOINED_VALUE] = "";
    size_t local = (size_t)cor_comm_size(sides->local) * JOINED_VALUE,
           remote = (size_t)sides->remote_size * JOINED_VALUE;
    memcpy(own, value, strlen(value));
    int rc = cor_internal_gather_all(sides->local, own, sizeof own, ours);
    if (rc != COR_OK)
        return cor_fault_set(fault, rc, "%s", cor_rank_fault(cor_comm_owner(sides->local))->text);
    if (sides->bridge)
        rc = joined_swap(sides, ours, local, theirs, remote, fault);
    return joined_share(sides->local, sides->root, rc, theirs, remote, fault);
}

static int joined_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                           cor_fault *fault)
{
    joined_boot *self = (joined_boot *)boot;
    const joined_sides *sides = &self->sides;
    int local_size = cor_comm_size(sides->local);
    boot_values *values;
    int rc = cor_boot_values_begin(boot, key, value, &self->values, &values, fault);
    char *table = rc == COR_OK ? malloc((size_t)boot->size * JOINED_VALUE) : NULL;
    if (rc == COR_OK && !table)
        rc = cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", boot->size);
    if (rc == COR_OK) {
        char *ours = table + (sides->is_first ? 0 : (size_t)sides->remote_size * JOINED_VALUE);
        char *theirs = table + (sides->is_first ? (size_t)local_size * JOINED_VALUE : 0);
        rc = joined_collect(sides, value, ours, theirs, fault);
    }
    for (int i = 0; rc == COR_OK && i < boot->size; i++) {
        char *text = table + (size_t)i * JOINED_VALUE;
        text[JOINED_VALUE - 1] = 0; /* whatever the other side has sent */
        if (!cor_boot_is_token(text, COR_BOOT_VALUE_MAX))
            rc = cor_fault_set(fault, COR_ERR_PROTOCOL, "the other job sent an address that is none");
        else
            cor_boot_values_set(values, i, text);
    }
    free(table);
    if (rc == COR_OK)
        *values_p = values->by_rank;
    return rc;
}

static int joined_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    const joined_sides *sides = &((joined_boot *)boot)->sides;
    char here = 1, there;
    (void)purpose;
    int rc = cor_internal_all_and(sides->local, NULL, 0);
    if (rc != COR_OK)
        return cor_fault_set(fault, rc, "%s", cor_rank_fault(cor_comm_owner(sides->local))->text);
    if (sides->bridge)
        rc = joined_swap(sides, &here, 1, &there, 1, fault);
    return joined_share(sides->local, sides->root, rc, NULL, 0, fault);
}

/* The job has no launcher of its own. */
static int joined_finalize(cor_boot *boot, cor_fault *fault)
{
    (void)boot, (void)fault;
    return COR_OK;
}

/* Not called: an abort is the origin's. */
static void joined_abort(cor_boot *boot, int status, const char *reason)
{
    (void)boot, (void)status, (void)reason;
}

static void joined_close(cor_boot *boot)
{
    joined_boot *self = (joined_boot *)boot;
    bridge_destroy(self->sides.bridge);
    cor_comm_unref(self->sides.local);
    cor_boot_values_destroy(&self->values);
    free(self);
}

static const cor_boot_ops joined_ops = {
    .name = "two jobs",
    .exchange = joined_exchange,
    .fence = joined_fence,
    .finalize = joined_finalize,
    .abort = joined_abort,
    .close = joined_close,
};

cor_boot *joined_boot_create(const joined_sides *sides)
{
    joined_boot *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    int local_size = cor_comm_size(sides->local), index = cor_comm_rank(sides->local);
    self->base = (cor_boot){
        .ops = &joined_ops,
        .rank = sides->is_first ? index : sides->remote_size + index,
        .size = local_size + sides->remote_size,
    };
    self->sides = *sides;
    return &self->base;
}
