/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamic/joined.h"

#include "mp/identity.h"
#include "mp/internal.h"
#include "pmi/boot_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct joined_boot {
    cor_boot base;
    joined_sides sides;
    boot_values *values;
} joined_boot;

enum { JOINED_VALUE = COR_BOOT_VALUE_MAX + 1 }; /* bytes of a value on the bridge, with its NUL */

/* ---- sealed
 * ------------------------------------------------------------------------------------------------------- */

/* What a member sends: a random number, the data encrypted, a MAC. So no secret crosses a network of the job in
 * clear. */
enum { SEALED_EXTRA = COR_NONCE_BYTES + COR_SHA256_BYTES };

static int joined_seal(const cor_comm *local, const void *data, size_t bytes, uint8_t *out, cor_fault *fault)
{
    cor_seal seal;
    if (cor_random_bytes(out, COR_NONCE_BYTES) != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "no random numbers: %s", strerror(errno));
    cor_comm_seal(local, out, &seal);
    memcpy(out + COR_NONCE_BYTES, data, bytes);
    cor_seal_begin(&seal, (uint32_t)bytes);
    cor_seal_piece(&seal, out + COR_NONCE_BYTES, bytes);
    cor_seal_end(&seal, out + COR_NONCE_BYTES + bytes);
    return COR_OK;
}

static int joined_unseal(const cor_comm *local, uint8_t *in, void *data, size_t bytes, cor_fault *fault)
{
    cor_seal seal;
    cor_comm_seal(local, in, &seal);
    if (!cor_seal_open(&seal, in + COR_NONCE_BYTES, bytes, in + COR_NONCE_BYTES + bytes))
        return cor_fault_set(fault, COR_ERR_PROTOCOL,
                             "what a member sent was changed on its way: somebody is in between");
    memcpy(data, in + COR_NONCE_BYTES, bytes);
    return COR_OK;
}

static int joined_no_memory(size_t bytes, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %zu bytes of the other job", bytes);
}

int joined_exchange_sealed(const cor_meeting *meeting, const void *out, void *in, size_t bytes, cor_fault *fault)
{
    uint8_t *sealed = malloc(2 * (bytes + SEALED_EXTRA)), *theirs = sealed ? sealed + bytes + SEALED_EXTRA : NULL;
    if (!sealed)
        return joined_no_memory(bytes, fault);
    int rc = joined_seal(meeting->bridge, out, bytes, sealed, fault);
    if (rc == COR_OK)
        rc = cor_meeting_exchange(meeting, sealed, theirs, bytes + SEALED_EXTRA);
    if (rc == COR_OK)
        rc = joined_unseal(meeting->bridge, theirs, in, bytes, fault);
    free(sealed);
    return rc;
}

/* What a call on the communicator has said. */
static int joined_failed(const cor_comm *local, int code, cor_fault *fault)
{
    cor_rank_copy_fault(cor_comm_owner(local), fault);
    fault->code = code;
    return code;
}

/* ---- among the members of a side -------------------------------------------------------------------------------- */

/* Broadcast the root's data. */
static int joined_spread(cor_comm *local, int root, void *data, size_t bytes, cor_fault *fault)
{
    uint8_t *sealed = malloc(bytes + SEALED_EXTRA);
    int rc = sealed ? COR_OK : joined_no_memory(bytes, fault);
    if (cor_comm_rank(local) != root) {
        if (rc == COR_OK)
            rc = cor_internal_recv(local, sealed, bytes + SEALED_EXTRA, root, COR_INTERNAL_TAG_JOINED);
        if (rc == COR_OK)
            rc = joined_unseal(local, sealed, data, bytes, fault);
    } else {
        if (rc == COR_OK)
            rc = joined_seal(local, data, bytes, sealed, fault);
        for (int i = 0; rc == COR_OK && i < cor_comm_size(local); i++)
            if (i != root)
                rc = cor_internal_send(local, sealed, bytes + SEALED_EXTRA, i, COR_INTERNAL_TAG_JOINED);
    }
    free(sealed);
    return rc;
}

/* Everybody's block comes to all. */
static int joined_gather(cor_comm *local, const void *block, size_t bytes, char *all, cor_fault *fault)
{
    size_t size = (size_t)cor_comm_size(local), each = bytes + SEALED_EXTRA;
    uint8_t *sealed = malloc((size + 1) * each), *own = sealed ? sealed + size * each : NULL;
    if (!sealed)
        return joined_no_memory(size * bytes, fault);
    int rc = joined_seal(local, block, bytes, own, fault);
    if (rc == COR_OK) {
        rc = cor_internal_gather_all(local, own, each, sealed);
        if (rc != COR_OK)
            joined_failed(local, rc, fault);
    }
    for (size_t i = 0; rc == COR_OK && i < size; i++)
        rc = joined_unseal(local, sealed + i * each, all + i * bytes, bytes, fault);
    free(sealed);
    return rc;
}

/* As joined_share; *is_alike_p: all of the side fail with the root's code. */
static int joined_share_alike(cor_comm *local, int root, int code, void *data, size_t bytes, int *is_alike_p,
                              cor_fault *fault)
{
    cor_fault outcome = *fault;
    int is_root = cor_comm_rank(local) == root, rc = COR_OK;
    cor_comm_name_loss_in(local, &outcome); /* which the members of this communicator understand */
    outcome.code = code;
    if (code != COR_OK && !outcome.text[0])
        cor_fault_set(&outcome, code, "%s", cor_error_text(code));
    for (int i = 0; is_root && i < cor_comm_size(local); i++) {
        int sent = i == root ? COR_OK : cor_internal_send(local, &outcome, sizeof outcome, i, COR_INTERNAL_TAG_JOINED);
        rc = rc != COR_OK ? rc : sent;
    }
    if (!is_root)
        rc = cor_internal_recv(local, &outcome, sizeof outcome, root, COR_INTERNAL_TAG_JOINED);
    if (rc == COR_OK && outcome.code == COR_OK && bytes)
        rc = joined_spread(local, root, data, bytes, fault);
    *is_alike_p = rc == COR_OK && outcome.code != COR_OK;
    if (rc != COR_OK)
        return rc;
    if (outcome.code != COR_OK)
        *fault = outcome;
    return outcome.code;
}

int joined_share(cor_comm *local, int root, int code, void *data, size_t bytes, cor_fault *fault)
{
    int is_alike;
    return joined_share_alike(local, root, code, data, bytes, &is_alike, fault);
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

/* The result of the root's exchange with the other side. If all fail, no rank is left waiting. */
static int joined_settle(joined_boot *self, int code, void *data, size_t bytes, cor_fault *fault)
{
    int is_alike;
    int rc = joined_share_alike(self->sides.local, self->sides.root, code, data, bytes, &is_alike, fault);
    self->base.may_give_up |= is_alike;
    return rc;
}

/* Fill both tables with the values of their side. */
static int joined_collect(joined_boot *self, const char *value, char *ours, char *theirs, cor_fault *fault)
{
    const joined_sides *sides = &self->sides;
    char own[JOINED_VALUE] = "";
    size_t local = (size_t)cor_comm_size(sides->local) * JOINED_VALUE,
           remote = (size_t)sides->remote_size * JOINED_VALUE;
    memcpy(own, value, strlen(value));
    int rc = joined_gather(sides->local, own, sizeof own, ours, fault);
    if (rc != COR_OK)
        return rc;
    if (sides->bridge)
        rc = joined_swap(sides, ours, local, theirs, remote, fault);
    return joined_settle(self, rc, theirs, remote, fault);
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
        rc = joined_collect(self, value, ours, theirs, fault);
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
    joined_boot *self = (joined_boot *)boot;
    const joined_sides *sides = &self->sides;
    char here = 1, there;
    (void)purpose;
    int rc = cor_internal_all_and(sides->local, NULL, 0);
    if (rc != COR_OK)
        return joined_failed(sides->local, rc, fault);
    if (sides->bridge)
        rc = joined_swap(sides, &here, 1, &there, 1, fault);
    return joined_settle(self, rc, NULL, 0, fault);
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
        .may_give_up = local_size == 1,
    };
    self->sides = *sides;
    return &self->base;
}
