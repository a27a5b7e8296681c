/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_ALIGN = 64, POOL_SLAB_OBJECTS = 64 };

void cor_pool_init(cor_pool *pool, size_t object_bytes)
{
    pool->free = pool->slabs = NULL;
    pool->object_bytes = (object_bytes + 15) / 16 * 16;
    pool->in_use = 0;
}

void cor_pool_fini(cor_pool *pool)
{
    while (pool->slabs) {
        void *slab = pool->slabs;
        pool->slabs = *(void **)slab;
        free(slab);
    }
    pool->free = NULL;
    pool->in_use = 0;
}

int cor_pool_grow(cor_pool *pool)
{
    size_t bytes = POOL_ALIGN + POOL_SLAB_OBJECTS * pool->object_bytes;
    bytes = (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
    char *slab = aligned_alloc(POOL_ALIGN, bytes);
    if (!slab)
        return COR_ERR_MEMORY;
    memset(slab, 0, bytes);
    *(void **)slab = pool->slabs;
    pool->slabs = slab;
    for (int i = POOL_SLAB_OBJECTS - 1; i >= 0; i--) {
        void *object = slab + POOL_ALIGN + (size_t)i * pool->object_bytes;
        *(void **)object = pool->free;
        pool->free = object;
    }
    return COR_OK;
}

void cor_pool_each(const cor_pool *pool, void (*fn)(void *object, void *subject), void *subject)
{
    for (char *slab = pool->slabs; slab; slab = *(void **)slab)
        for (size_t i = 0; i < POOL_SLAB_OBJECTS; i++)
            fn(slab + POOL_ALIGN + i * pool->object_bytes, subject);
}

int cor_pool_owns(const cor_pool *pool, const void *address)
{
    for (const char *slab = pool->slabs; slab; slab = *(void *const *)slab) {
        uintptr_t offset = (uintptr_t)address - (uintptr_t)(slab + POOL_ALIGN);
        if (offset < POOL_SLAB_OBJECTS * pool->object_bytes)
            return offset % pool->object_bytes == 0;
    }
    return 0;
}
