/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of numbers in a peer's memory, by its adapter. What stood there comes to a registered result at this end. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdlib.h>

_Static_assert(IBW_RESULTS == 64, "each result has a bit in a word");

/* Verbs have no swap. */
unsigned ibw_atomics(const ibw_wire *wire)
{
    return wire->has_atomics ? 1u << COR_WIRE_ADD | 1u << COR_WIRE_FETCH_ADD | 1u << COR_WIRE_COMPARE : 0;
}

static int atomic_make_results(ibw_wire *wire)
{
    enum { BYTES = IBW_RESULTS * sizeof(uint64_t) };
    void *memory = aligned_alloc(BYTES, BYTES);
    if (!memory)
        return 0;
    wire->results = wire->library.do_ibv_reg_mr(wire->domain, memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
    wire->free_results = ~UINT64_C(0);
    if (!wire->results)
        free(memory);
    return wire->results != NULL;
}

void ibw_results_close(ibw_wire *wire)
{
    if (!wire->results)
        return;
    void *memory = wire->results->addr;
    wire->library.do_ibv_dereg_mr(wire->results);
    free(memory);
    wire->results = NULL;
}

void ibw_result_free(ibw_wire *wire, const ibw_copy *copy)
{
    const char *first = wire->results->addr;
    wire->free_results |= UINT64_C(1) << ((size_t)(copy->local - first) / sizeof(uint64_t));
}

void ibw_result_take(const ibw_copy *copy)
{
    if (copy->atomic.result_p)
        *copy->atomic.result_p = *(const uint64_t *)(const void *)copy->local;
}

void ibw_atomic_fill(const ibw_copy *copy, struct ibv_send_wr *request)
{
    int is_compare = copy->atomic.kind == COR_WIRE_COMPARE;
    request->opcode = is_compare ? IBV_WR_ATOMIC_CMP_AND_SWP : IBV_WR_ATOMIC_FETCH_AND_ADD;
    request->wr.atomic.remote_addr = copy->remote;
    request->wr.atomic.rkey = copy->remote_key;
    request->wr.atomic.compare_add = is_compare ? copy->atomic.compare : copy->atomic.operand;
    request->wr.atomic.swap = is_compare ? copy->atomic.operand : 0;
}

int ibw_update(cor_wire *base, int rank, const cor_wire_key *to, size_t offset, const cor_wire_atomic *atomic,
               void *context)
{
    ibw_wire *wire = ibw_of(base);
    if ((!wire->results && !atomic_make_results(wire)) || !wire->free_results)
        return COR_AGAIN;
    int slot = __builtin_ctzll(wire->free_results);
    wire->free_results &= ~(UINT64_C(1) << slot);
    ibw_copy copy = {.is_get = 1,
                     .is_update = 1,
                     .atomic = *atomic,
                     .local = (char *)wire->results->addr + (size_t)slot * sizeof(uint64_t),
                     .local_key = wire->results->lkey,
                     .bytes = sizeof(uint64_t),
                     .context = context};
    int rc = ibw_copy_begin(wire, rank, to, offset, copy);
    if (rc != COR_OK)
        ibw_result_free(wire, &copy);
    return rc;
}
