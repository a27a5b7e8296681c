/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/create/context.h"

#include "mp/internal.h"

#include <string.h>

/* ---- the set of free numbers, under the lock -------------------------------------------------------------------- */

static int context_take(cor_rank *rank, uint32_t number)
{
    uint64_t bit = (uint64_t)1 << number % 64;
    int is_free = (rank->contexts[number / 64] & bit) != 0;
    rank->contexts[number / 64] &= ~bit;
    return is_free;
}

static void context_give_back(cor_rank *rank, uint32_t number)
{
    rank->contexts[number / 64] |= (uint64_t)1 << number % 64;
}

/* The first number of the set from `start` on, going round once. */
static int context_find(const uint64_t *words, uint32_t start, uint32_t *number_p)
{
    uint32_t first = start / 64 % COR_CONTEXT_WORDS;
    for (uint32_t i = 0; i <= COR_CONTEXT_WORDS; i++) {
        uint32_t at = (first + i) % COR_CONTEXT_WORDS;
        uint64_t word = words[at];
        if (i == 0)
            word &= UINT64_MAX << start % 64;
        if (word) {
            *number_p = at * 64 + (uint32_t)__builtin_ctzll(word);
            return 1;
        }
    }
    return 0;
}

/* ---- an agreement ----------------------------------------------------------------------------------------------- */

static void agreement_offer(cor_agreement *agreement)
{
    cor_rank *rank = agreement->rank;
    agreement->phase = COR_AGREEMENT_OFFER;
    agreement->count = COR_CONTEXT_WORDS + 1;
    memcpy(agreement->words, rank->contexts, sizeof rank->contexts);
    agreement->words[COR_CONTEXT_WORDS] = agreement->is_alone ? UINT64_MAX : 0;
}

void cor_agreement_begin(cor_agreement *agreement, cor_rank *rank, uint32_t seed, int is_background)
{
    agreement->rank = rank;
    agreement->seed = seed;
    agreement->is_reserved = 0;
    agreement->is_alone = !is_background && !rank->is_threaded && rank->idup_count == 0;
    agreement_offer(agreement);
}

/* The offers are in. */
static int agreement_choose(cor_agreement *agreement)
{
    cor_rank *rank = agreement->rank;
    int is_alone = agreement->words[COR_CONTEXT_WORDS] != 0;
    /* From the bottom where no rank can come in between, else from a place of this agreement's own. */
    uint32_t start = is_alone ? 0 : agreement->seed * 0x9e3779b9u >> 20;
    if (!context_find(agreement->words, start, &agreement->number))
        return cor_fault_set(rank->fault, COR_ERR_EXHAUSTED,
                             "all %d communicators are in use; free some before making more", COR_CONTEXT_WORDS * 64);
    agreement->is_reserved = context_take(rank, agreement->number);
    if (is_alone) {
        COR_ASSERT(agreement->is_reserved);
        agreement->phase = COR_AGREEMENT_DONE;
        return COR_OK;
    }
    agreement->phase = COR_AGREEMENT_CONFIRM;
    agreement->count = 1;
    agreement->words[0] = agreement->is_reserved ? UINT64_MAX : 0;
    return COR_OK;
}

void cor_agreement_fail(cor_agreement *agreement)
{
    if (agreement->is_reserved)
        context_give_back(agreement->rank, agreement->number);
    agreement->is_reserved = 0;
}

int cor_agreement_next(cor_agreement *agreement)
{
    if (agreement->phase == COR_AGREEMENT_OFFER)
        return agreement_choose(agreement);
    if (agreement->words[0]) {
        agreement->phase = COR_AGREEMENT_DONE;
        return COR_OK;
    }
    cor_agreement_fail(agreement);
    agreement->seed = agreement->seed * 0x85ebca6bu + 1;
    agreement_offer(agreement);
    return COR_OK;
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

int cor_context_agree_by(cor_rank *rank, uint32_t seed, cor_all_and_fn all_and, void *state, uint32_t *number_p)
{
    cor_agreement agreement;
    cor_device_enter(rank->device);
    cor_agreement_begin(&agreement, rank, seed, 0);
    cor_device_leave(rank->device);
    while (agreement.phase != COR_AGREEMENT_DONE) {
        int rc = all_and(state, agreement.words, agreement.count);
        cor_device_enter(rank->device);
        if (rc == COR_OK)
            rc = cor_agreement_next(&agreement);
        if (rc != COR_OK)
            cor_agreement_fail(&agreement);
        cor_device_leave(rank->device);
        if (rc != COR_OK)
            return rc;
    }
    *number_p = agreement.number;
    return COR_OK;
}

static int context_members_round(void *state, uint64_t *words, size_t count)
{
    return cor_members_all_and(state, words, count);
}

int cor_context_agree_in(const cor_members *members, uint32_t *number_p)
{
    cor_members copy = *members;
    return cor_context_agree_by(members->owner, members->context + (uint32_t)members->tag, context_members_round,
                                &copy, number_p);
}

int cor_context_agree(cor_comm *comm, uint32_t *number_p)
{
    cor_members members = cor_members_of_comm(comm, COR_INTERNAL_TAG_AND);
    return cor_context_agree_in(&members, number_p);
}

void cor_context_release(cor_rank *rank, uint32_t number)
{
    cor_device_enter(rank->device);
    context_give_back(rank, number);
    cor_device_leave(rank->device);
}
