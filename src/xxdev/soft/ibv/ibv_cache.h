/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of registrations: memory that was registered for one message stays registered, and the next message from or
 * to the same place finds the registration. The cache is independent of verbs; functions in ibw_cache_ops register
 * memory and watch for changes of its mapping.
 *
 * An entry covers whole pages. A request finds an entry that covers it and has the rights it needs; several may use
 * one. Unused entries are kept up to a number and to a sum of bytes; the least recently used are evicted first. Two
 * ways to find them:
 *
 *   tree    by address, in a tree of intervals
 *   stack   as in the literature: entries are searched one after the other, the most recently used first. When the
 *           stack is full and a number of requests in a row have missed, as many bypass it: they neither search nor are
 *           kept.
 *
 * Memory that is unmapped, moved or discarded makes an entry stale. watch() returns whether that will be noticed; if
 * not, the registration is not kept. The thread that notices a change, another one, calls ibw_cache_forget().
 *
 * Locking: all functions but ibw_cache_forget() are called by one thread at a time. The cache's own lock is between
 * them and the thread that notices changes. A thread that unmaps memory is blocked until the noticing thread has had
 * the lock, so nothing is allocated, freed, registered or unmapped under the lock.
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
    /* Whole pages; `rights` are bits that the cache does not interpret. NULL: refused, with errno. */
    void *(*add)(void *subject, uintptr_t start, size_t bytes, int rights);
    void (*remove)(void *subject, void *handle);
    /* Watch the mapping of these pages, which are registered, from now on. 0: changes cannot be noticed. */
    int (*watch)(void *subject, uintptr_t start, size_t bytes);
    /* The last entry in these pages is removed. Called under the lock. */
    void (*unwatch)(void *subject, uintptr_t start, size_t bytes);
    /* Has some mapping changed for which ibw_cache_forget() was not called yet? Called under the lock. */
    int (*is_changing)(void *subject);
} ibw_cache_ops;

typedef struct ibw_entry {
    cor_link link; /* by last use, the most recent first; or in the list of entries to be removed */
    uintptr_t start, end;
    int rights;
    int users;
    int is_kept; /* it can be found */
    void *handle;
    struct ibw_entry *left, *right; /* in the tree: by start, a heap by weight */
    uintptr_t last_end;             /* the largest `end` of the subtree */
    uint32_t weight;
} ibw_entry;

typedef struct ibw_cache_counts {
    uint64_t hits, misses; /* requests */
    uint64_t bypassed;     /* of the misses: not searched for */
    uint64_t unwatched;    /* of the misses: not kept, because changes would not be noticed */
    uint64_t stale;        /* entries whose mapping has changed */
    uint64_t evicted;      /* entries removed to make room */
    uint64_t steps;        /* entries compared in searches */
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
    cor_list removed;     /* to be deregistered by the thread that registers */
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

/* A registration that covers this memory, to be released with ibw_cache_put. NULL: it cannot be registered, with
 * errno. */
ibw_entry *ibw_cache_get(ibw_cache *cache, const void *memory, size_t bytes, int rights);
void ibw_cache_put(ibw_cache *cache, ibw_entry *entry);

/* Deregister all that is not in use. 1: there was some. */
int ibw_cache_release(ibw_cache *cache);

void ibw_cache_reap(ibw_cache *cache);

/* Deregister the entries that ibw_cache_forget() has found stale; their memory stays pinned until then. Budget if there
 * is none: one load. */
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
