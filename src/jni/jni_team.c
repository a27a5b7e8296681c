/* SPDX-License-Identifier: Apache-2.0 */
/* A job whose ranks are threads of this JVM, and what remains of its ranks until no thread of them can come any
 * more. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"
#include "pmi/boot.h"

#include <stdlib.h>

struct jni_team {
    cor_team *team;
    cor_lock lock;
    cor_list ranks; /* all that were opened; under the lock */
};

static jni_team *team_at(jlong handle)
{
    return (jni_team *)(uintptr_t)handle;
}

jlong JNICALL jni_native_teamCreate(JNIEnv *env, jclass native, jint size, jobject failures)
{
    (void)native;
    cor_fault fault = {0};
    jni_team *self = calloc(1, sizeof *self);
    int code = self ? cor_team_create(size, &self->team, &fault) : COR_ERR_MEMORY;
    if (code < 0) {
        free(self);
        jni_fail(env, failures, "ThreadJob", code, &fault);
        return 0;
    }
    cor_list_init(&self->ranks);
    return jni_handle(self);
}

cor_team *jni_team_of(jlong handle)
{
    return handle ? team_at(handle)->team : NULL;
}

void jni_team_keep(jlong handle, jni_rank *rank)
{
    if (!handle)
        return;
    jni_team *self = team_at(handle);
    cor_lock_acquire(&self->lock);
    cor_list_append(&self->ranks, &rank->of_team);
    cor_lock_release(&self->lock);
}

/* A rank that no thread has closed may still have its part in the team. */
static int team_is_closed(const jni_team *self)
{
    for (const cor_link *link = self->ranks.next; link != &self->ranks; link = link->next)
        if (!COR_OWNER(link, const jni_rank, of_team)->is_closed)
            return 0;
    return 1;
}

/* The caller knows that no thread is in a call of any of the ranks, nor has a handle with which to make one. */
void JNICALL jni_native_teamFree(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    jni_team *self = team_at(handle);
    if (!team_is_closed(self))
        return;
    while (!cor_list_is_empty(&self->ranks)) {
        jni_rank *rank = COR_OWNER(self->ranks.next, jni_rank, of_team);
        cor_list_remove(&rank->of_team);
        jni_rank_destroy(env, rank);
    }
    cor_team_destroy(self->team);
    free(self);
}
