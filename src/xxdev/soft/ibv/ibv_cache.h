/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of registrations: memory that was registered for one message stays so, and the next message from or to the
 * same place finds it. It knows nothing of verbs; how memory is registered, and how changes of its mapping are noticed,
 * is given to it as functions.
 *
 * An entry covers whole pages. A request finds an entry that covers it and has the rights it needs; several may use
 * one. Entries that nothing uses are kept up to a number and to a sum of bytes; the least recently used leave first.
 * Two ways to find them:
 *
 *   tree    by address, in a tree of intervals
 *   stack   as in the papers: entries are looked through one after the other, those that were used last first. When the
 *           stack is full and a number of requests in a row have found nothing, as many bypass it: they neither search
 *           nor stay.
 *
 * Memory that is unmapped, moved or discarded makes an entry stale. watch() says whether that will be noticed; if not,
 * the registration is not kept. Another thread, which notices, calls ibw_cache_forget().
 *
 * Locking: all functions but ibw_cache_forget() are called by one thread at a time. The cache's own lock stands between
 * them and the thread that notices changes. A thread that unmaps memory is held up until that thread has had the
 * lock, so nothing is allocated, freed, registered or unmapped under it.
 */
#ifndef COR_IBV_CACHE_H
#define COR_IBV_CACHE_H

#include "base/list.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ibw_cache_kind { IBW_CACHE_TREE, IBW_CACHE_STACK, IBW_CACHE_OFF } ibw_cache_kind;

#define IBW_CACHE_KINDS "tree|stack|off"

typedef struct ibw_cache_ops {
    /* Whole pages; `rights` are bits that mean nothing to the cache. NULL: refused, errno says why. */
    void *(*add)(void *subject, uintptr_t start, size_t bytes, int rights);
    void (*remove)(void *subject, void *handle);
    /* From here on changes to the mapping of these pages, which are registered, are noticed. 0: they cannot be. */
    int (*watch)(void *subject, uintptr_t start, size_t bytes);
    /* The last entry in these pages leaves. Called under the lock. */
    void (*unwatch)(void *subject, uintptr_t start, size_t bytes);
    /* Has some mapping changed of which ibw_cache_forget() has not been told? Called under the lock. */
    int (*is_changing)(void *subject);
} ibw_cache_ops;

typedef struct ibw_entry {
    cor_link link; /* by last use, the last first; or in the list of those to be removed */
    uintptr_t start, end;
    int rights;
    int users;
    int is_kept; /* it can be found */
    void *handle;
    struct ibw_entry *left, *right; /* in the tree: by start, a heap by weight */
    uintptr_t last_end;             /* of all below and itself */
    uint32_t weight;
} ibw_entry;

typedef struct ibw_cache_counts {
    uint64_t hits, misses; /* requests */
    uint64_t bypassed;     /* of the misses: not searched for */
    uint64_t unwatched;    /* of the misses: not kept, because changes would not be noticed */
    uint64_t stale;        /* entries whose mapping has changed */
    uint64_t evicted;      /* entries that made room */
    uint64_t steps;        /* entries looked at in searches */
} ibw_cache_counts;

typedef struct ibw_cache {
    ibw_cache_kind kind;
    int entries_max;
    size_t bytes_max;
    int misses_max; /* in a row, before a full stack is bypassed */
    const ibw_cache_ops *ops;
    void *subject;
    size_t page_bytes;

    pthread_mutex_t lock; /* guards what follows, and the entries */
    cor_list entries;     /* that are kept */
    cor_list removed;     /* to be given back by the thread that registers */
    atomic_int has_removed;
    ibw_entry *root;
    int count;
    size_t bytes;
    ibw_cache_counts counts;

    int misses_in_row, bypasses; /* of the thread that registers */
    uint32_t weights;
} ibw_cache;

/* Kind, limits, ops and subject are set by the caller. */
void ibw_cache_init(ibw_cache *cache);
/* Nothing is in use, and ibw_cache_forget() is not called any more. */
void ibw_cache_fini(ibw_cache *cache);

/* A registration that covers this memory, to be given back. NULL: it cannot be registered, errno says why. */
ibw_entry *ibw_cache_get(ibw_cache *cache, const void *memory, size_t bytes, int rights);
void ibw_cache_put(ibw_cache *cache, ibw_entry *entry);

/* Give back all that is not in use. 1: there was some. */
int ibw_cache_release(ibw_cache *cache);

void ibw_cache_reap(ibw_cache *cache);

/* Give back what ibw_cache_forget() has found stale, which stays locked until then. Budget where there is none: one
 * load. */
static inline void ibw_cache_collect(ibw_cache *cache)
{
    if (atomic_load_explicit(&cache->has_removed, memory_order_relaxed)) /* or it is seen the next time */
        ibw_cache_reap(cache);
}

/* The mapping of [start, end) has changed. Called under the lock, by any thread; it allocates and frees nothing. */
void ibw_cache_forget(ibw_cache *cache, uintptr_t start, uintptr_t end);

/* ibv_cache_tree.c; under the lock */
void ibw_tree_add(ibw_cache *cache, ibw_entry *entry);
void ibw_tree_remove(ibw_cache *cache, ibw_entry *entry);
ibw_entry *ibw_tree_find(ibw_cache *cache, uintptr_t start, uintptr_t end, int rights); /* one that covers all of it */
ibw_entry *ibw_tree_overlap(const ibw_cache *cache, uintptr_t start, uintptr_t end);    /* one that covers any of it */

#endif
