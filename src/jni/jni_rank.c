/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a rank, and communicators. */
#include "coll/coll.h"
#include "dynamic/dynamic.h"
#include "jni/jni_face.h"
#include "jni/jni_natives.h"
#include "mp/create/comm.h"

#include <stdlib.h>

/* ---- overrides: Java's strings as the engine takes them --------------------------------------------------------- */

void jni_overrides_free(char **texts)
{
    for (char **text = texts; text && *text; text++)
        free(*text);
    free(texts);
}

char *jni_string_copy(JNIEnv *env, jstring string)
{
    jsize bytes = (*env)->GetStringUTFLength(env, string), units = (*env)->GetStringLength(env, string);
    char *copy = calloc((size_t)bytes + 1, 1);
    if (copy)
        (*env)->GetStringUTFRegion(env, string, 0, units, copy);
    return copy;
}

char **jni_overrides_copy(JNIEnv *env, jobjectArray strings)
{
    jsize count = (*env)->GetArrayLength(env, strings);
    char **texts = calloc((size_t)count + 1, sizeof(*texts));
    if (!texts)
        return NULL;
    for (jsize i = 0; i < count; i++) {
        jstring string = (*env)->GetObjectArrayElement(env, strings, i);
        texts[i] = jni_string_copy(env, string);
        (*env)->DeleteLocalRef(env, string);
        if (!texts[i]) {
            jni_overrides_free(texts);
            return NULL;
        }
    }
    return texts;
}

/* ---- rank ------------------------------------------------------------------------------------------------------- */

/* The world communicator carries the jni_rank but does not own it. */
static void jni_rank_keep(void *rank)
{
    (void)rank;
}

static int jni_rank_open(JNIEnv *env, jni_rank *rank, const cor_rank_options *options, jobject failures,
                         cor_fault *fault)
{
    rank->failures = (*env)->NewWeakGlobalRef(env, failures);
    if (!rank->failures)
        return COR_ERR_MEMORY;
    int code = cor_rank_open(options, &rank->rank, fault);
    if (code < 0) {
        (*env)->DeleteWeakGlobalRef(env, rank->failures);
        return code;
    }
    jni_store_pool_init(&rank->stores);
    cor_comm_set_face(cor_rank_world(rank->rank), rank, jni_rank_keep);
    code = cor_dynamic_open(rank->rank, &rank->parent);
    if (code < 0)
        cor_rank_abort(rank->rank, 1, cor_rank_fault(rank->rank)->text); /* the others of the job wait for it */
    return COR_OK;
}

jlong JNICALL jni_native_open(JNIEnv *env, jclass native, jlong team, jint number, jobjectArray overrides,
                              jobject failures)
{
    (void)native;
    cor_fault fault = {0};
    char **texts = jni_overrides_copy(env, overrides);
    jni_rank *rank = calloc(1, sizeof(*rank));
    int code = COR_ERR_MEMORY;
    if (texts && rank) {
        cor_rank_options options = {
            .team = jni_team_of(team),
            .team_rank = number,
            .is_threaded = 1,
            .overrides = (const char *const *)texts,
            .call = "MPI.Init",
            .is_java = 1,
            .prepare = cor_coll_open,
        };
        code = jni_rank_open(env, rank, &options, failures, &fault);
    }
    jni_overrides_free(texts);
    if (code < 0) {
        free(rank);
        jni_fail(env, failures, "Init", code, &fault);
        return 0;
    }
    jni_team_keep(team, rank);
    return jni_handle(rank);
}

void jni_rank_destroy(JNIEnv *env, jni_rank *rank)
{
    cor_rank_destroy(rank->rank);
    jni_store_pool_fini(&rank->stores);
    (*env)->DeleteWeakGlobalRef(env, rank->failures);
    free(rank);
}

static void jni_attached_forget(JNIEnv *env, jni_rank *rank)
{
    free(rank->attached);
    rank->attached = NULL;
    if (rank->attached_buffer)
        (*env)->DeleteGlobalRef(env, rank->attached_buffer);
    rank->attached_buffer = NULL;
}

void JNICALL jni_native_close(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    cor_fault fault = {0};
    cor_dynamic_close(rank->rank);
    int code = cor_coll_close(rank->rank, &fault), closed = cor_rank_finalize(rank->rank, &fault);
    code = closed < 0 ? closed : code;
    if (code < 0)
        jni_fail(env, rank->failures, "Finalize", code, &fault);
    jni_attached_forget(env, rank);
    jni_store_pool_close(&rank->stores);
    rank->is_closed = 1;
}

void JNICALL jni_native_abort(JNIEnv *env, jclass native, jlong rank, jint status, jstring reason)
{
    (void)native;
    char *text = reason ? jni_string_copy(env, reason) : NULL;
    cor_rank_abort(jni_rank_at(rank)->rank, status, text);
    free(text);
}

void JNICALL jni_native_ending(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    cor_rank_ending(jni_rank_at(rank)->rank);
}

jstring JNICALL jni_native_host(JNIEnv *env, jclass native, jlong rank)
{
    (void)native;
    return (*env)->NewStringUTF(env, cor_rank_host(jni_rank_at(rank)->rank));
}

jlong JNICALL jni_native_clock(JNIEnv *env, jclass native, jlong handle)
{
    (void)env, (void)native;
    cor_rank *rank = jni_rank_at(handle)->rank;
    return cor_rank_has_own_time(rank) ? (jlong)cor_rank_clock_ns(rank) : -1;
}

jlong JNICALL jni_native_world(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    return jni_handle(cor_rank_world(jni_rank_at(rank)->rank));
}

jlong JNICALL jni_native_self(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    return jni_handle(cor_rank_self(jni_rank_at(rank)->rank));
}

/* ---- the buffer of buffered sends ------------------------------------------------------------------------------- */

/* The memory of a direct buffer is used; an array can move, so memory of the same size replaces it. */
void JNICALL jni_native_attach(JNIEnv *env, jclass native, jlong handle, jobject buffer, jlong bytes)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    void *memory;
    if (buffer) {
        rank->attached_buffer = (*env)->NewGlobalRef(env, buffer);
        memory = rank->attached_buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
    } else {
        memory = rank->attached = malloc((size_t)bytes);
    }
    int code = memory ? cor_buffer_attach(rank->rank, memory, (size_t)bytes) : COR_ERR_MEMORY;
    if (code < 0) {
        jni_attached_forget(env, rank);
        jni_fail_status(env, rank, "Buffer_attach", code, NULL);
    }
}

void JNICALL jni_native_detach(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    void *memory;
    size_t bytes;
    int code = cor_buffer_detach(rank->rank, &memory, &bytes);
    if (code < 0)
        jni_fail_status(env, rank, "Buffer_detach", code, NULL);
    else
        jni_attached_forget(env, rank);
}

/* ---- communicators ---------------------------------------------------------------------------------------------- */

jint JNICALL jni_native_commRank(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return cor_comm_rank(jni_comm_at(comm));
}

jint JNICALL jni_native_commSize(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return cor_comm_size(jni_comm_at(comm));
}

jint JNICALL jni_native_commCompare(JNIEnv *env, jclass native, jlong one, jlong other)
{
    (void)env, (void)native;
    static const jint java_numbers[] = {[COR_IDENT] = 0, [COR_SIMILAR] = 1, [COR_UNEQUAL] = 2, [COR_CONGRUENT] = 3};
    return java_numbers[cor_comm_compare(jni_comm_at(one), jni_comm_at(other))];
}

jlong JNICALL jni_native_commDup(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    cor_comm *dup = NULL;
    int code = cor_comm_dup(jni_comm_at(comm), &dup);
    if (code < 0)
        jni_fail_status(env, jni_rank_of(jni_comm_at(comm)), "clone", code, NULL);
    return jni_handle(dup);
}

jlong JNICALL jni_native_commSplit(JNIEnv *env, jclass native, jlong comm, jint colour, jint key)
{
    (void)native;
    cor_comm *split = NULL;
    int code = cor_comm_split(jni_comm_at(comm), colour == JNI_UNDEFINED ? COR_UNDEFINED : colour, key, &split);
    if (code < 0)
        jni_fail_status(env, jni_rank_of(jni_comm_at(comm)), "Split", code, NULL);
    return jni_handle(split);
}

void JNICALL jni_native_commFree(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    cor_comm_unref(jni_comm_at(comm));
}

void JNICALL jni_native_barrier(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    int code = cor_barrier(jni_comm_at(comm));
    if (code < 0)
        jni_fail_status(env, jni_rank_of(jni_comm_at(comm)), "Barrier", code, NULL);
}

jlong JNICALL jni_native_rankOf(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return jni_handle(jni_rank_of(jni_comm_at(comm)));
}
