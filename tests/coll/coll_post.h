/* Collective calls that a face makes without the engine: see cor_lease. */
#ifndef TESTS_COLL_POST_H
#define TESTS_COLL_POST_H

#include "coll/coll.h"

#include <string.h>

/* A lease, and the memory that it speaks of. */
typedef struct coll_leased {
    cor_lease *lease; /* NULL: none yet */
    void *memory;
    size_t bytes;
} coll_leased;

/* The lease of a communicator, kept as a face keeps it. NULL: there is none yet. */
static inline cor_lease *coll_lease(coll_leased *leased, cor_comm *comm)
{
    if (!leased->lease)
        leased->lease = cor_coll_lease(comm, &leased->memory, &leased->bytes);
    return leased->lease;
}

static inline int coll_is_leased(const coll_leased *leased, const void *place, size_t bytes)
{
    const char *first = place, *memory = leased->memory;
    return first >= memory && first + bytes <= memory + leased->bytes;
}

/* Bcast of its root, reduce of another rank. Returns 1: it is made; 0: it must be made by the engine. */
static inline int coll_post(coll_leased *leased, cor_comm *comm, cor_primitive primitive, const void *data,
                            size_t bytes)
{
    cor_lease *lease = coll_lease(leased, comm);
    if (!lease || !lease->line || bytes == 0 ||
        bytes > (primitive == COR_BCAST ? lease->bcast_bytes : lease->reduce_bytes))
        return 0;
    cor_line *line = (cor_line *)(uintptr_t)lease->line;
    memcpy(bytes <= COR_LINE_BYTES ? line->bytes : (char *)(uintptr_t)lease->leaf, data, bytes);
    line->word = cor_line_word(bytes);
    lease->posted = 1;
    lease->leaf = lease->tray = lease->line = 0;
    atomic_store_explicit(&line->flag, lease->flag, memory_order_seq_cst);
    if (atomic_load_explicit((_Atomic uint32_t *)leased->memory, memory_order_seq_cst) != 0)
        cor_coll_wake(comm);
    return 1;
}

#endif
