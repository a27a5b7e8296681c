/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store of handle structs: slabs that stay as long as the rank. A freed struct is reused last, so that a stale
 * handle is detected for as long as possible.
 */
#include "mpi/face.h"

#include "dtype/op.h"

#include <stdlib.h>
#include <string.h>

enum { STORE_SLAB_OBJECTS = 64 };

struct slab {
    struct slab *next;
    face_object objects[STORE_SLAB_OBJECTS];
};

static int store_grow(face_rank *rank)
{
    struct slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return 0;
    slab->next = atomic_load_explicit(&rank->slabs, memory_order_relaxed);
    for (int i = 0; i < STORE_SLAB_OBJECTS; i++)
        cor_list_append(&rank->store, &slab->objects[i].stored.link);
    /* release: a thread that finds the slab finds `next`. */
    atomic_store_explicit(&rank->slabs, slab, memory_order_release);
    return 1;
}

void *face_object_create(face_rank *rank, face_kind kind, const char *call)
{
    face_object *object = NULL;
    pthread_mutex_lock(&rank->lock);
    if (!cor_list_is_empty(&rank->store) || store_grow(rank)) {
        object = COR_OWNER(rank->store.next, face_object, stored.link);
        cor_list_remove(&object->stored.link);
    }
    pthread_mutex_unlock(&rank->lock);
    if (object) {
        memset(object, 0, sizeof *object);
        object->stored.kind = kind;
        face_check_note(rank, kind, object, call);
    }
    return object;
}

void face_object_destroy(face_rank *rank, void *object)
{
    face_object *freed = object;
    face_check_forget(rank, object);
    pthread_mutex_lock(&rank->lock);
    freed->stored.kind = FACE_FREE;
    cor_list_append(&rank->store, &freed->stored.link);
    pthread_mutex_unlock(&rank->lock);
}

int face_store_owns(const face_rank *rank, const void *address)
{
    const struct slab *slab = atomic_load_explicit(&rank->slabs, memory_order_acquire); /* see store_grow */
    for (; slab; slab = slab->next) {
        uintptr_t offset = (uintptr_t)address - (uintptr_t)slab->objects;
        if (offset < sizeof slab->objects)
            return offset % sizeof *slab->objects == 0;
    }
    return 0;
}

/* Free what the program did not free. */
static void store_free_object(face_rank *rank, face_object *object)
{
    switch (object->stored.kind) {
    case FACE_TYPE:
        free(object->type.name);
        cor_attributes_drop(rank->keys, &object->type.attributes);
        cor_dtype_unref(object->type.type);
        break;
    case FACE_GROUP:
        cor_group_unref(object->group.group);
        break;
    case FACE_INFO:
        cor_info_destroy(object->info.info);
        break;
    case FACE_OP:
        cor_op_unref(object->op.op);
        break;
    case FACE_SESSION:
        cor_session_unref(object->session.scope.session);
        break;
    default:
        break;
    }
}

void face_store_finalize(face_rank *rank)
{
    for (struct slab *slab = rank->slabs; slab; slab = slab->next)
        for (int i = 0; i < STORE_SLAB_OBJECTS; i++) {
            face_kind kind = slab->objects[i].stored.kind;
            if (kind == FACE_FREE || kind == FACE_INFO || kind == FACE_ERRHANDLER)
                continue;
            if (kind == FACE_COMM || kind == FACE_WIN || kind == FACE_FILE) { /* all begin as a communicator */
                cor_attributes_drop(rank->keys, &slab->objects[i].comm.attributes);
                continue;
            }
            store_free_object(rank, &slab->objects[i]);
            face_object_destroy(rank, &slab->objects[i]);
        }
}

void face_store_free(face_rank *rank)
{
    while (rank->slabs) {
        struct slab *slab = rank->slabs;
        rank->slabs = slab->next;
        for (int i = 0; i < STORE_SLAB_OBJECTS; i++)
            store_free_object(rank, &slab->objects[i]);
        free(slab);
    }
    cor_list_init(&rank->store);
}
