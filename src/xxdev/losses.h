/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which peers are lost, and for which contexts that was reported: the part of "a peer may be lost" (xxdev.h) that all
 * devices share.
 *
 * To receives from any peer of a context a loss is reported once, when one fails or is refused because of it; later
 * ones are accepted again, as long as the context has a peer that is not lost.
 */
#ifndef COR_XXDEV_LOSSES_H
#define COR_XXDEV_LOSSES_H

#include "base/error.h"
#include "base/log.h"

#include <stddef.h>
#include <stdint.h>

struct cor_device_options;

typedef struct cor_loss {
    cor_fault *why; /* NULL: the peer is not lost */
    uint32_t order; /* its number among the losses, from 1 */
    int is_unreported;
} cor_loss;

typedef struct cor_losses {
    uint32_t count; /* only grows */
    int rank, size;
    const cor_log *log;
    int is_deferred; /* nothing is logged, below COR_LOG_INFO, before cor_losses_report() */
    int (*holds)(const void *owner, uint32_t context, int peer); /* this and has_ended: cor_device_options */
    int (*has_ended)(const void *owner, int peer);
    const void *owner;
    cor_fault *fault; /* set to `why` when an operation fails because of a loss; may be NULL */
    cor_loss *peers;  /* NULL while there is none */
    struct cor_loss_notice *told;
    int told_count;
    cor_loss end; /* the rank has been finalised: why every peer is lost to it */
} cor_losses;

void cor_losses_init(cor_losses *losses, const struct cor_device_options *options);

/* Record and log that the peer is lost. Returns `why`, kept until the end, or NULL if that was known. */
const cor_fault *cor_losses_add(cor_losses *losses, int peer, const cor_fault *why);

static inline const cor_loss *cor_losses_of(const cor_losses *losses, int peer)
{
    if (losses->end.why)
        return &losses->end;
    return losses->peers && losses->peers[peer].why ? &losses->peers[peer] : NULL;
}

/* Has a peer been lost, other than by cor_losses_end? */
static inline int cor_losses_any(const cor_losses *losses)
{
    return losses->peers != NULL;
}

/* From now on every peer is lost, this rank too, for the reason `why`, which must outlive the losses; records of single
 * losses are freed. */
void cor_losses_end(cor_losses *losses, cor_fault *why);

/* Can a message of this context come from this peer? */
int cor_losses_holds(const cor_losses *losses, uint32_t context, int peer);

/* Can a message for a receive from this peer, or any in this context, still come? COR_OK, or COR_ERR_PEER, and the
 * fault is set; the loss is then reported for receives from any peer. */
int cor_losses_check(cor_losses *losses, int peer, uint32_t context);

/* Log what was deferred. */
void cor_losses_report(cor_losses *losses);

#endif
