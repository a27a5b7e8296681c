/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a rank: open it, in step with every other rank's. */
#include "mp/compat.h"
#include "mp/mp_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- addresses -------------------------------------------------------------------------------------------------- */

/* An address begins with the name and the version of a protocol. */
static int rank_check_alike(const char *const *addresses, int size, cor_fault *fault)
{
    int length = (int)strcspn(addresses[0], ",");
    for (int i = 1; i < size; i++)
        if (strncmp(addresses[i], addresses[0], (size_t)length + 1) != 0)
            return cor_fault_set(
                fault, COR_ERR_UNREACHABLE,
                "rank %d uses protocol %.*s, rank 0 %.*s: all ranks of a job need the same build of Corunna", i,
                (int)strcspn(addresses[i], ","), addresses[i], length, addresses[0]);
    return COR_OK;
}

/* All ranks have found the same difference. Rank 0 reports it and ends the job; if it cannot, because it has died or is
 * too different to detect a difference, the others report it later. */
static void rank_let_first_tell(const cor_rank *rank)
{
    enum { PATIENCE_S = 5 };
    struct timespec rest = {.tv_sec = PATIENCE_S};
    while (rank->known.rank > 0 && !rank->is_in_team && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

/* The text of the first round: what all must have in common; which process it is; where it runs; which program it
 * is; the device's address. */
enum {
    RANK_TEXT_MAX =
        COR_COMPAT_MAX + COR_IDENTITY_TEXT_MAX + COR_HOST_ADDRESS_MAX + 1 + COR_PLACE_TEXT_MAX + COR_DEVICE_ADDRESS_MAX
};
_Static_assert((int)RANK_TEXT_MAX <= (int)COR_BOOT_VALUE_MAX, "all goes in one exchange");

/* The parts of every rank's texts of the first round. */
static void rank_cut(const char *const *texts, int size, int parts, const char **addresses)
{
    for (int i = 0; i < size; i++) {
        addresses[i] = texts[i];
        for (int part = 0; part < parts; part++)
            addresses[i] = cor_compat_end(addresses[i]);
    }
}

/* Compare what must be the same, find the ranks of this host, keep the addresses. Another build may have another text
 * from the second part on, so the name of its protocol is compared before that. */
static int rank_learn(cor_rank *rank, const char *const *texts, const char **addresses, cor_fault *fault)
{
    int size = rank->known.size;
    int rc = cor_compat_compare(texts, size, &rank->config, fault);
    rank_cut(texts, size, 4, addresses);
    if (rc == COR_OK)
        rc = rank_check_alike(addresses, size, fault);
    rank_cut(texts, size, 1, addresses);
    if (rc == COR_OK)
        rc = cor_identity_learn(rank, addresses, fault);
    rank_cut(texts, size, 2, addresses);
    if (rc == COR_OK)
        rc = cor_host_connect(rank->node, addresses, fault);
    if (rc == COR_OK)
        rc = cor_rank_find_nodes(rank, addresses, fault);
    rank_cut(texts, size, 3, addresses);
    if (rc == COR_OK)
        rc = cor_places_learn(rank, texts, addresses, fault);
    rank_cut(texts, size, 4, addresses);
    return rc;
}

/* Publish this rank's text and get those of the others. */
static int rank_exchange(cor_rank *rank, int round, const char *text, const char **addresses, cor_fault *fault)
{
    const char *const *texts;
    int rc = rank->boot->ops->exchange(rank->boot, "address", text, &texts, fault);
    if (rc == COR_OK && round == 0)
        rc = rank_learn(rank, texts, addresses, fault);
    if (rc == COR_OK && round > 0) {
        rank_cut(texts, rank->known.size, 0, addresses);
        rc = rank_check_alike(addresses, rank->known.size, fault);
    }
    if (rc == COR_ERR_UNREACHABLE)
        rank_let_first_tell(rank);
    return rc;
}

/* One round of the set-up. 1: done; 0: the device needs no more. */
static int rank_introduce(cor_rank *rank, int round, const char **addresses, cor_fault *fault)
{
    cor_device *device = rank->device;
    char text[RANK_TEXT_MAX] = "";
    int rc = COR_OK;
    if (round == 0) {
        rc = cor_compat_write(&rank->config, rank->host, rank->long_double_bits, text, fault);
        if (rc == COR_OK)
            rc = cor_identity_write(rank, text + strlen(text), fault);
        cor_host_address(rank->node, text + strlen(text));
        strcat(text, ";");
        cor_place_write(rank, text + strlen(text));
    }
    if (rc != COR_OK)
        return rc;
    int has_text = device->ops->address(device, round, text + strlen(text), fault);
    if (has_text <= 0)
        return has_text;
    rc = rank_exchange(rank, round, text, addresses, fault);
    if (rc == COR_OK)
        rc = device->ops->connect(device, round, addresses, fault);
    return rc == COR_OK ? 1 : rc;
}

static int rank_introduce_all(cor_rank *rank, cor_fault *fault)
{
    const char **addresses = calloc((size_t)rank->known.size, sizeof *addresses);
    int rc = 1;
    if (!addresses)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", rank->known.size);
    for (int round = 0; rc == 1; round++)
        rc = rank_introduce(rank, round, addresses, fault);
    free(addresses);
    return rc;
}

/* ---- routes ----------------------------------------------------------------------------------------------------- */

int cor_rank_route(cor_rank *rank, int peer, char *out, size_t out_bytes)
{
    char next[COR_ROUTE_MAX];
    int last = peer;
    rank->device->ops->describe(rank->device, peer, out, out_bytes);
    while (last + 1 < rank->known.size) {
        rank->device->ops->describe(rank->device, last + 1, next, sizeof next);
        if (strncmp(out, next, out_bytes - 1) != 0)
            break;
        last++;
    }
    return last;
}

/* Log the route to each peer, consecutive peers with the same route in one line. */
static void rank_tell_routes(cor_rank *rank)
{
    char line[COR_ROUTE_MAX];
    for (int peer = 0, last; peer < rank->known.size; peer = last + 1) {
        last = cor_rank_route(rank, peer, line, sizeof line);
        if (peer == last)
            COR_LOG(&rank->log, INFO, "%s to rank %d: %s", rank->device->name, peer, line);
        else
            COR_LOG(&rank->log, INFO, "%s to ranks %d-%d: %s", rank->device->name, peer, last, line);
    }
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static int rank_has_ended(const void *owner, int peer)
{
    cor_boot *boot = ((const cor_rank *)owner)->boot;
    return boot->ops->has_ended && boot->ops->has_ended(boot, peer);
}

/* No process is left to end this rank, to read its output, or to be notified: it ends itself. */
static void rank_look(void *subject)
{
    cor_rank *rank = subject;
    if (!rank->boot->ops->is_orphaned(rank->boot))
        return;
    fprintf(stderr, "corunna: rank %d on %s: the launcher's process on this host has ended, and so this rank ends\n",
            rank->known.rank, rank->host);
    fflush(NULL);
    _exit(1);
}

static int rank_open_both(cor_rank *rank, cor_fault *fault)
{
    int kind = rank->config.mp.device;
    cor_host_options host = {
        .rank = rank->known.rank,
        .size = rank->known.size,
        .is_apart = cor_device_kinds[kind].is_apart,
        .log = &rank->log,
        .config = &rank->config.host,
        .look = rank->boot->ops->is_orphaned ? rank_look : NULL,
        .look_subject = rank,
    };
    int rc = cor_host_open(&host, &rank->node, fault);
    if (rc != COR_OK)
        return rc;
    cor_device_options options = {
        .rank = rank->known.rank,
        .size = rank->known.size,
        .host = rank->node,
        .lock = rank->lock,
        .wait = &rank->config.wait,
        .log = &rank->log,
        .boot = rank->boot,
        .defers_losses = rank->boot->announces_failures,
        .fault = rank->fault,
        .holds = cor_comm_holds,
        .has_ended = rank_has_ended,
        .owner = rank,
    };
    rc = cor_device_open(kind, &options, &rank->config.devices, &rank->device, fault);
    if (rc == COR_OK)
        rank->device->watch = &rank->monitor.waits;
    return rc;
}

int cor_rank_open_device(cor_rank *rank, cor_fault *fault)
{
    const cor_boot_ops *boot = rank->boot->ops;
    int rc = rank_open_both(rank, fault);
    if (rc == COR_OK)
        rc = rank_introduce_all(rank, fault);
    if (rc == COR_OK)
        rc = cor_host_make(rank->node, fault);
    if (rc == COR_OK)
        rc = boot->fence(rank->boot, "allocated memory for messages", fault);
    if (rc == COR_OK)
        rc = cor_host_attach(rank->node, fault);
    if (rc == COR_OK)
        rc = rank->device->ops->attach(rank->device, fault);
    if (rc == COR_OK)
        rc = boot->fence(rank->boot, "mapped each other's memory", fault);
    if (rc != COR_OK)
        return rc;
    cor_host_settle(rank->node);
    rc = cor_device_settle(rank->device, fault);
    if (rc == COR_OK && rank->log.level >= COR_LOG_INFO)
        rank_tell_routes(rank);
    return rc;
}
