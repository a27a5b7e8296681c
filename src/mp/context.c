/* Context numbers, agreed upon by the members of a communicator without any central place. */
#include "mp/internal.h"
#include "mp/mp_state.h"

#include <sched.h>
#include <string.h>

/*
 * Every member offers the set of numbers it has free; the lowest in the intersection is taken by all. Two threads of
 * a rank that agree at the same time (over two communicators) must not offer the same numbers: only one at a time
 * offers, the other offers nothing in that round and its whole communicator tries again. One more word says who
 * offered, so that "nothing in common" is told from "somebody was busy". The communicator with the lower context goes
 * first where both want in, so that two communicators cannot block each other for ever.
 */
static int context_offer(cor_rank *rank, uint64_t *words)
{
    cor_device_enter(rank->device);
    int is_ours = !rank->is_agreeing;
    if (is_ours) {
        rank->is_agreeing = 1;
        memcpy(words, rank->contexts, sizeof rank->contexts);
        words[COR_CONTEXT_WORDS] = 1;
    } else {
        memset(words, 0, (COR_CONTEXT_WORDS + 1) * sizeof *words);
    }
    cor_device_leave(rank->device);
    return is_ours;
}

static int context_lowest(const uint64_t *words, uint32_t *number_p)
{
    for (uint32_t i = 0; i < COR_CONTEXT_WORDS; i++)
        if (words[i]) {
            *number_p = i * 64 + (uint32_t)__builtin_ctzll(words[i]);
            return 1;
        }
    return 0;
}

int cor_context_agree(cor_comm *comm, uint32_t *number_p)
{
    cor_rank *rank = comm->owner;
    uint64_t words[COR_CONTEXT_WORDS + 1];
    for (uint32_t attempt = 0;; attempt++) {
        int is_ours = context_offer(rank, words);
        int rc = cor_internal_all_and(comm, words, COR_CONTEXT_WORDS + 1);
        uint32_t number = 0;
        int is_found = rc == COR_OK && words[COR_CONTEXT_WORDS] && context_lowest(words, &number);
        cor_device_enter(rank->device);
        if (is_found)
            rank->contexts[number / 64] &= ~((uint64_t)1 << number % 64);
        if (is_ours)
            rank->is_agreeing = 0;
        cor_device_leave(rank->device);
        if (rc != COR_OK)
            return rc;
        if (is_found) {
            *number_p = number;
            return COR_OK;
        }
        if (words[COR_CONTEXT_WORDS])
            return cor_fault_set(&rank->fault, COR_ERR_EXHAUSTED,
                                 "all %d communicators are in use; free some before making more",
                                 COR_CONTEXT_WORDS * 64);
        /* Let the lower context go first: the higher one stands back longer. */
        for (uint32_t i = 0; i < (attempt < 8 ? attempt : 8) * (comm->context % 16 + 1); i++)
            sched_yield();
    }
}

void cor_context_release(cor_rank *rank, uint32_t number)
{
    cor_device_enter(rank->device);
    rank->contexts[number / 64] |= (uint64_t)1 << number % 64;
    cor_device_leave(rank->device);
}
