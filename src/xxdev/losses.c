/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/losses.h"

#include "xxdev/xxdev.h"

#include <stdlib.h>

/* The last loss, by its order, of which receives from any peer of a context have been told. */
struct cor_loss_notice {
    uint32_t context;
    uint32_t order;
};

void cor_losses_init(cor_losses *losses, const cor_device_options *options)
{
    *losses = (cor_losses){.rank = options->rank,
                           .size = options->size,
                           .log = options->log,
                           .is_deferred = options->defers_losses,
                           .holds = options->holds,
                           .has_ended = options->has_ended,
                           .owner = options->owner,
                           .fault = options->fault};
}

void cor_losses_end(cor_losses *losses, cor_fault *why)
{
    for (int i = 0; losses->peers && i < losses->size; i++)
        free(losses->peers[i].why);
    free(losses->peers);
    free(losses->told);
    losses->peers = NULL;
    losses->told = NULL;
    losses->told_count = 0;
    losses->end = (cor_loss){.why = why, .order = ++losses->count};
}

static _Noreturn void losses_no_memory(const cor_losses *losses)
{
    COR_LOG(losses->log, ERROR, "out of memory for the news that a peer is lost");
    abort();
}

const cor_fault *cor_losses_add(cor_losses *losses, int peer, const cor_fault *why)
{
    if (cor_losses_of(losses, peer))
        return NULL;
    if (!losses->peers)
        losses->peers = calloc((size_t)losses->size, sizeof *losses->peers);
    cor_fault *kept = malloc(sizeof *kept);
    if (!losses->peers || !kept)
        losses_no_memory(losses);
    *kept = *why;
    kept->lost = peer + 1;
    kept->lost_by = losses;
    cor_loss *loss = &losses->peers[peer];
    *loss = (cor_loss){.why = kept, .order = ++losses->count};
    loss->is_unreported = losses->is_deferred && losses->log->level < COR_LOG_INFO;
    if (!loss->is_unreported)
        COR_LOG(losses->log, ERROR, "%s", kept->text);
    return kept;
}

void cor_losses_report(cor_losses *losses)
{
    for (int i = 0; losses->peers && i < losses->size; i++)
        if (losses->peers[i].is_unreported) {
            losses->peers[i].is_unreported = 0;
            COR_LOG(losses->log, ERROR, "%s", losses->peers[i].why->text);
        }
}

/* ---- may something still come ----------------------------------------------------------------------------------- */

int cor_losses_holds(const cor_losses *losses, uint32_t context, int peer)
{
    return !losses->holds || losses->holds(losses->owner, context, peer);
}

/* The last of the lost peers that a context holds, or NULL; *is_empty_p: it holds no other. */
static const cor_loss *losses_last(const cor_losses *losses, uint32_t context, int *is_empty_p)
{
    const cor_loss *last = NULL;
    *is_empty_p = 1;
    for (int peer = 0; peer < losses->size; peer++) {
        const cor_loss *loss = cor_losses_of(losses, peer);
        if (peer == losses->rank || !cor_losses_holds(losses, context, peer))
            continue;
        if (!loss)
            *is_empty_p = 0;
        else if (!last || last->order < loss->order)
            last = loss;
    }
    return last;
}

static uint32_t *losses_told(cor_losses *losses, uint32_t context)
{
    for (int i = 0; i < losses->told_count; i++)
        if (losses->told[i].context == context)
            return &losses->told[i].order;
    struct cor_loss_notice *larger = realloc(losses->told, (size_t)(losses->told_count + 1) * sizeof *larger);
    if (!larger)
        losses_no_memory(losses);
    losses->told = larger;
    losses->told[losses->told_count] = (struct cor_loss_notice){.context = context};
    return &losses->told[losses->told_count++].order;
}

static const cor_loss *losses_check_any(cor_losses *losses, uint32_t context)
{
    int is_empty;
    const cor_loss *last = losses_last(losses, context, &is_empty);
    if (!last)
        return NULL;
    uint32_t *told = losses_told(losses, context);
    if (*told >= last->order && !is_empty)
        return NULL;
    *told = last->order;
    return last;
}

int cor_losses_check(cor_losses *losses, int peer, uint32_t context)
{
    if (losses->count == 0)
        return COR_OK;
    const cor_loss *loss = peer == COR_ANY_PEER ? losses_check_any(losses, context) : cor_losses_of(losses, peer);
    if (!loss)
        return COR_OK;
    if (losses->fault)
        *losses->fault = *loss->why;
    return COR_ERR_PEER;
}
