/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores: native memory that Java fills with serialised objects before they are sent, and that a receive of objects
 * fills, of any length.
 *
 * A store is reference counted: Java has a reference while it encodes or decodes, a request has one while it is under
 * way. Without references, the store is in the rank's pool for the next message. MPI.Finalize frees the stores in the
 * pool; the others, which a thread still reads or writes, are freed with their last reference.
 */
#ifndef COR_JNI_STORE_H
#define COR_JNI_STORE_H

#include "base/list.h"
#include "base/lock.h"
#include "dtype/payload.h"

#include <stddef.h>

typedef struct jni_store {
    char *memory;
    size_t capacity;
    int references; /* under the pool's lock */
    struct jni_store_pool *pool;
    struct jni_store *next_free;
    cor_link link; /* pool's `all` */
} jni_store;

typedef struct jni_store_pool {
    cor_lock lock; /* innermost: no other lock is taken while it is held */
    cor_list all;
    jni_store *free;
    int free_count;
    int is_closed; /* nothing is kept any more */
} jni_store_pool;

void jni_store_pool_init(jni_store_pool *pool);
void jni_store_pool_close(jni_store_pool *pool);
/* After that, when no thread uses a store any more: frees those that were never released. */
void jni_store_pool_fini(jni_store_pool *pool);

jni_store *jni_store_take(jni_store_pool *pool); /* with one reference; NULL: no memory */
void jni_store_ref(jni_store *store);
void jni_store_unref(void *store); /* a jni_store; takes any pointer so that a request can call it */

/* Make room for at least `bytes` bytes and keep the contents; 0 if there is no memory, and then nothing has changed. */
int jni_store_reserve(jni_store *store, size_t bytes);

/* A payload to receive into: it takes messages of any length. Without memory the data are dropped, and then the
 * store's capacity is less than the length of the message. */
cor_payload jni_store_payload(jni_store *store);

#endif
