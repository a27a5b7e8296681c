/* SPDX-License-Identifier: Apache-2.0 */
/* What both kinds of cache share: requests, limits, and what becomes of entries that are stale. */
#include "xxdev/soft/ibv/ibv_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void ibw_cache_init(ibw_cache *cache)
{
    cache->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_init(&cache->lock, NULL);
    cor_list_init(&cache->entries);
    cor_list_init(&cache->removed);
}

/* ---- finding; under the lock ------------------------------------------------------------------------------------ */

static ibw_entry *cache_entry(cor_link *link)
{
    return COR_OWNER(link, ibw_entry, link);
}

static ibw_entry *stack_find(ibw_cache *cache, uintptr_t start, uintptr_t end, int rights)
{
    for (cor_link *at = cache->entries.next; at != &cache->entries; at = at->next) {
        ibw_entry *entry = cache_entry(at);
        cache->counts.steps++;
        if (entry->start <= start && entry->end >= end && (entry->rights & rights) == rights)
            return entry;
    }
    return NULL;
}

static ibw_entry *stack_overlap(const ibw_cache *cache, uintptr_t start, uintptr_t end)
{
    for (cor_link *at = cache->entries.next; at != &cache->entries; at = at->next)
        if (cache_entry(at)->start < end && cache_entry(at)->end > start)
            return cache_entry(at);
    return NULL;
}

static ibw_entry *cache_find(ibw_cache *cache, uintptr_t start, uintptr_t end, int rights)
{
    return cache->kind == IBW_CACHE_TREE ? ibw_tree_find(cache, start, end, rights)
                                         : stack_find(cache, start, end, rights);
}

static ibw_entry *cache_overlap(const ibw_cache *cache, uintptr_t start, uintptr_t end)
{
    return cache->kind == IBW_CACHE_TREE ? ibw_tree_overlap(cache, start, end) : stack_overlap(cache, start, end);
}

static void cache_link(ibw_cache *cache, ibw_entry *entry)
{
    cor_list_prepend(&cache->entries, &entry->link);
    if (cache->kind == IBW_CACHE_TREE)
        ibw_tree_add(cache, entry);
    entry->is_kept = 1;
    cache->count++;
    cache->bytes += entry->end - entry->start;
}

static void cache_unlink(ibw_cache *cache, ibw_entry *entry)
{
    cor_list_remove(&entry->link);
    if (cache->kind == IBW_CACHE_TREE)
        ibw_tree_remove(cache, entry);
    entry->is_kept = 0;
    cache->count--;
    cache->bytes -= entry->end - entry->start;
}

/* Its registration is removed after the lock. */
static void cache_give_up(ibw_cache *cache, ibw_entry *entry)
{
    cor_list_append(&cache->removed, &entry->link);
    atomic_store_explicit(&cache->has_removed, 1, memory_order_relaxed);
}

void ibw_cache_forget(ibw_cache *cache, uintptr_t start, uintptr_t end)
{
    ibw_entry *entry;
    while ((entry = cache_overlap(cache, start, end)) != NULL) {
        cache_unlink(cache, entry);
        cache->counts.stale++;
        if (entry->users == 0)
            cache_give_up(cache, entry);
    }
}

/* Its pages are watched no longer, unless another entry needs it. A mapping that has changed is not ours to touch. */
static void cache_evict(ibw_cache *cache, ibw_entry *entry)
{
    cache_unlink(cache, entry);
    if (!cache_overlap(cache, entry->start, entry->end) && !cache->ops->is_changing(cache->subject))
        cache->ops->unwatch(cache->subject, entry->start, entry->end - entry->start);
    cache_give_up(cache, entry);
}

/* Entries that are not used leave, the least recently used first, until so many bytes more, of an entry, have room. 0:
 * they never will. */
static int cache_make_room(ibw_cache *cache, size_t bytes, size_t bytes_max, int entries_max)
{
    cor_link *at = cache->entries.prev;
    while (at != &cache->entries && (cache->bytes + bytes > bytes_max || cache->count >= entries_max)) {
        ibw_entry *entry = cache_entry(at);
        at = at->prev;
        if (entry->users > 0)
            continue;
        cache_evict(cache, entry);
        cache->counts.evicted++;
    }
    return cache->bytes + bytes <= bytes_max && cache->count < entries_max;
}

/* Entries that are not used and that this one covers will not be found again. */
static void cache_replace(ibw_cache *cache, const ibw_entry *by)
{
    for (cor_link *at = cache->entries.next; at != &cache->entries;) {
        ibw_entry *entry = cache_entry(at);
        at = at->next;
        if (entry->users == 0 && entry->start >= by->start && entry->end <= by->end &&
            (entry->rights & by->rights) == entry->rights) {
            cache_unlink(cache, entry); /* its pages stay watched */
            cache_give_up(cache, entry);
        }
    }
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static void cache_free(ibw_cache *cache, ibw_entry *entry)
{
    cache->ops->remove(cache->subject, entry->handle);
    free(entry);
}

/* Give back what was removed under the lock, after it. */
void ibw_cache_reap(ibw_cache *cache)
{
    ibw_entry *entry;
    do {
        pthread_mutex_lock(&cache->lock);
        entry = cor_list_is_empty(&cache->removed) ? NULL : cache_entry(cache->removed.next);
        if (entry)
            cor_list_remove(&entry->link);
        else
            atomic_store_explicit(&cache->has_removed, 0, memory_order_relaxed); /* ordered by the lock */
        pthread_mutex_unlock(&cache->lock);
        if (entry)
            cache_free(cache, entry);
    } while (entry);
}

/* After misses in a row on a full stack, as many requests do not look there. */
static int cache_bypasses(ibw_cache *cache)
{
    if (cache->kind != IBW_CACHE_STACK || cache->bypasses == 0)
        return 0;
    cache->bypasses--;
    return 1;
}

static void cache_missed(ibw_cache *cache)
{
    if (cache->kind != IBW_CACHE_STACK || cache->count < cache->entries_max)
        return;
    if (++cache->misses_in_row >= cache->misses_max) {
        cache->misses_in_row = 0;
        cache->bypasses = cache->misses_max;
    }
}

static ibw_entry *cache_search(ibw_cache *cache, uintptr_t start, uintptr_t end, int rights)
{
    pthread_mutex_lock(&cache->lock);
    ibw_entry *entry = cache_find(cache, start, end, rights);
    if (entry && cache->ops->is_changing(cache->subject))
        entry = NULL;
    if (entry) {
        entry->users++;
        cache->counts.hits++;
        cache->misses_in_row = 0;
    } else {
        cache_missed(cache);
    }
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

int ibw_cache_release(ibw_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    int had = cache->count;
    cache_make_room(cache, 0, 0, 0);
    int has_made_room = cache->count < had;
    pthread_mutex_unlock(&cache->lock);
    ibw_cache_reap(cache);
    return has_made_room;
}

/* What is kept for later may be what there is no room for now; but it is no help against memory that cannot be
 * accessed. */
static void *cache_register(ibw_cache *cache, uintptr_t start, size_t bytes, int rights)
{
    void *handle = cache->ops->add(cache->subject, start, bytes, rights);
    if (!handle && errno != EFAULT && ibw_cache_release(cache))
        handle = cache->ops->add(cache->subject, start, bytes, rights);
    return handle;
}

static void cache_keep(ibw_cache *cache, ibw_entry *entry)
{
    size_t bytes = entry->end - entry->start;
    if (bytes > cache->bytes_max) /* others need not leave for it: they may be found again */
        return;
    pthread_mutex_lock(&cache->lock);
    cache_replace(cache, entry);
    int has_room = cache_make_room(cache, bytes, cache->bytes_max, cache->entries_max);
    pthread_mutex_unlock(&cache->lock);
    if (!has_room)
        return;
    int is_watched = cache->ops->watch(cache->subject, entry->start, bytes);
    pthread_mutex_lock(&cache->lock);
    if (is_watched)
        cache_link(cache, entry);
    else
        cache->counts.unwatched++;
    pthread_mutex_unlock(&cache->lock);
}

ibw_entry *ibw_cache_get(ibw_cache *cache, const void *memory, size_t bytes, int rights)
{
    uintptr_t mask = cache->page_bytes - 1;
    uintptr_t start = (uintptr_t)memory & ~mask, end = ((uintptr_t)memory + bytes + mask) & ~mask;
    int may_keep = cache->kind != IBW_CACHE_OFF && !cache_bypasses(cache);
    ibw_entry *entry = may_keep ? cache_search(cache, start, end, rights) : NULL;
    if (entry)
        return entry;
    ibw_cache_reap(cache);
    entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    cor_list_init(&entry->link);
    entry->start = start;
    entry->end = end;
    entry->rights = rights;
    entry->users = 1;
    entry->handle = cache_register(cache, start, end - start, rights);
    if (!entry->handle) {
        free(entry);
        return NULL;
    }
    cache->counts.misses++;
    cache->counts.bypassed += !may_keep && cache->kind != IBW_CACHE_OFF;
    if (may_keep)
        cache_keep(cache, entry);
    ibw_cache_reap(cache);
    return entry;
}

void ibw_cache_put(ibw_cache *cache, ibw_entry *entry)
{
    pthread_mutex_lock(&cache->lock);
    int is_kept = entry->is_kept;
    int is_last = --entry->users == 0;
    if (is_kept) { /* now the most recently used */
        cor_list_remove(&entry->link);
        cor_list_prepend(&cache->entries, &entry->link);
    }
    pthread_mutex_unlock(&cache->lock);
    if (is_last && !is_kept)
        cache_free(cache, entry);
}

void ibw_cache_fini(ibw_cache *cache)
{
    ibw_cache_release(cache);
    pthread_mutex_destroy(&cache->lock);
}
