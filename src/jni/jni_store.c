/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for serialised objects; see jni_store.h. */
#include "jni/jni_store.h"

#include "jni/jni_face.h"
#include "jni/jni_natives.h"

#include <stdlib.h>
#include <string.h>

/* What the pool keeps: enough for a few requests at a time, but not the memory of one huge message. */
enum { STORE_FIRST_BYTES = 16 << 10, STORE_KEPT_BYTES = 8 << 20, STORE_KEPT_COUNT = 16 };

/* ---- the pool --------------------------------------------------------------------------------------------------- */

void jni_store_pool_init(jni_store_pool *pool)
{
    *pool = (jni_store_pool){0};
    cor_list_init(&pool->all);
}

static void store_destroy(jni_store *store)
{
    cor_list_remove(&store->link);
    free(store->memory);
    free(store);
}

void jni_store_pool_close(jni_store_pool *pool)
{
    cor_lock_acquire(&pool->lock);
    pool->is_closed = 1;
    while (pool->free) {
        jni_store *store = pool->free;
        pool->free = store->next_free;
        store_destroy(store);
    }
    pool->free_count = 0;
    cor_lock_release(&pool->lock);
}

void jni_store_pool_fini(jni_store_pool *pool)
{
    while (!cor_list_is_empty(&pool->all))
        store_destroy(COR_OWNER(pool->all.next, jni_store, link));
}

static jni_store *store_create(jni_store_pool *pool)
{
    jni_store *store = calloc(1, sizeof *store);
    char *memory = malloc(STORE_FIRST_BYTES);
    if (!store || !memory) {
        free(store);
        free(memory);
        return NULL;
    }
    store->memory = memory;
    store->capacity = STORE_FIRST_BYTES;
    store->pool = pool;
    cor_list_append(&pool->all, &store->link);
    return store;
}

jni_store *jni_store_take(jni_store_pool *pool)
{
    cor_lock_acquire(&pool->lock);
    jni_store *store = pool->free;
    if (store) {
        pool->free = store->next_free;
        pool->free_count--;
    } else {
        store = store_create(pool);
    }
    if (store)
        store->references = 1;
    cor_lock_release(&pool->lock);
    return store;
}

void jni_store_ref(jni_store *store)
{
    cor_lock_acquire(&store->pool->lock);
    store->references++;
    cor_lock_release(&store->pool->lock);
}

void jni_store_unref(void *pointer)
{
    jni_store *store = pointer;
    jni_store_pool *pool = store->pool;
    cor_lock_acquire(&pool->lock);
    if (--store->references == 0) {
        if (store->capacity > STORE_KEPT_BYTES || pool->free_count == STORE_KEPT_COUNT || pool->is_closed) {
            store_destroy(store);
        } else {
            store->next_free = pool->free;
            pool->free = store;
            pool->free_count++;
        }
    }
    cor_lock_release(&pool->lock);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

int jni_store_reserve(jni_store *store, size_t bytes)
{
    if (COR_LIKELY(bytes <= store->capacity))
        return 1;
    size_t wanted = bytes > store->capacity * 2 ? bytes : store->capacity * 2;
    char *memory = realloc(store->memory, wanted);
    if (!memory && wanted > bytes)
        memory = realloc(store->memory, wanted = bytes);
    if (!memory)
        return 0;
    store->memory = memory;
    store->capacity = wanted;
    return 1;
}

static void store_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    jni_store *store = p->base;
    if (COR_LIKELY(jni_store_reserve(store, offset + length)))
        memcpy(store->memory + offset, from, length);
}

/* A payload made for receiving is never read; the table needs the entry. */
static void store_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    const jni_store *store = p->base;
    memcpy(to, store->memory + offset, length);
}

static const cor_payload_ops store_ops = {.read = store_read, .write = store_write};

cor_payload jni_store_payload(jni_store *store)
{
    return (cor_payload){.ops = &store_ops, .base = store, .bytes = SIZE_MAX};
}

/* ---- natives ---------------------------------------------------------------------------------------------------- */

static jobject store_view(JNIEnv *env, const jni_store *store)
{
    size_t most = INT32_MAX;
    return (*env)->NewDirectByteBuffer(env, store->memory, (jlong)(store->capacity < most ? store->capacity : most));
}

jlong JNICALL jni_native_storeTake(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    jni_store *store = jni_store_take(&rank->stores);
    if (!store)
        jni_fail(env, rank->failures, "MPI.OBJECT", COR_ERR_MEMORY, NULL);
    return jni_handle(store);
}

void JNICALL jni_native_storeGive(JNIEnv *env, jclass native, jlong store)
{
    (void)env, (void)native;
    jni_store_unref(jni_store_at(store));
}

jobject JNICALL jni_native_storeView(JNIEnv *env, jclass native, jlong handle, jlong bytes)
{
    (void)native;
    jni_store *store = jni_store_at(handle);
    jni_store_reserve(store, (size_t)bytes); /* the view's capacity shows whether it could */
    return store_view(env, store);
}
