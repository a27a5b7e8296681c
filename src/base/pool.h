/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of one size, recycled. Grows by slabs, never shrinks until fini. get and put are a few instructions and
 * take no lock: a pool belongs to one rank and is used under its lock.
 */
#ifndef COR_BASE_POOL_H
#define COR_BASE_POOL_H

#include <stddef.h>

typedef struct cor_pool {
    void *free;          /* singly linked through the first word */
    void *slabs;         /* likewise */
    size_t object_bytes; /* rounded up to 16 */
    size_t in_use;
} cor_pool;

void cor_pool_init(cor_pool *pool, size_t object_bytes);
void cor_pool_fini(cor_pool *pool); /* frees every object, in use or not */
int cor_pool_grow(cor_pool *pool);  /* 0 or COR_ERR_MEMORY */
/* Calls fn with every object, in use or not. One that was never handed out is zero except for its first word. */
void cor_pool_each(const cor_pool *pool, void (*fn)(void *object, void *subject), void *subject);

/* Is `address` that of an object of this pool, in use or not? Slow. */
int cor_pool_owns(const cor_pool *pool, const void *address);

/* An object with undefined contents, or NULL: no memory. */
static inline void *cor_pool_get(cor_pool *pool)
{
    if (!pool->free && cor_pool_grow(pool) != 0)
        return NULL;
    void *object = pool->free;
    pool->free = *(void **)object;
    pool->in_use++;
    return object;
}

static inline void cor_pool_put(cor_pool *pool, void *object)
{
    *(void **)object = pool->free;
    pool->free = object;
    pool->in_use--;
}

#endif
