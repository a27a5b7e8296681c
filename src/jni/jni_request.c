/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of requests, one at a time and many at once. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

/* ---- one request ------------------------------------------------------------------------------------------------ */

jlong JNICALL jni_native_await(JNIEnv *env, jclass native, jlong handle, jlong request_handle, jlongArray envelope)
{
    (void)native;
    const jni_rank *rank = jni_rank_at(handle);
    cor_request *request = jni_request_at(request_handle);
    cor_status status;
    int code = cor_wait(rank->rank, &request, &status);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_status(env, rank, "Wait", code, &status);
        return 0;
    }
    jni_envelope_set(env, envelope, 0, 0, &status);
    return jni_completion(&status);
}

jlong JNICALL jni_native_test(JNIEnv *env, jclass native, jlong handle, jlong request_handle, jlongArray envelope,
                              jstring call)
{
    (void)native;
    const jni_rank *rank = jni_rank_at(handle);
    cor_request *request = jni_request_at(request_handle);
    cor_status status;
    int flag = 0;
    int code = cor_test(rank->rank, &request, &flag, &status);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_call(env, rank, call, code, &status);
        return 0;
    }
    if (!flag)
        return JNI_PENDING;
    jni_envelope_set(env, envelope, 0, 0, &status);
    return jni_completion(&status);
}

jlong JNICALL jni_native_peek(JNIEnv *env, jclass native, jlong handle, jlong request_handle, jlongArray envelope)
{
    (void)native;
    const jni_rank *rank = jni_rank_at(handle);
    cor_status status;
    int flag = 0;
    int code = cor_request_get_status(rank->rank, jni_request_at(request_handle), &flag, &status);
    if (code < 0) {
        jni_fail_status(env, rank, "Get_status", code, &status);
        return 0;
    }
    if (!flag)
        return JNI_PENDING;
    jni_envelope_set(env, envelope, 0, 0, &status);
    return jni_completion(&status);
}

/* False, and nothing happens, when the request is active already. */
jboolean JNICALL jni_native_start(JNIEnv *env, jclass native, jlong handle, jlong request_handle)
{
    (void)native;
    cor_request *request = jni_request_at(request_handle);
    if (cor_request_is_active(request))
        return JNI_FALSE;
    int code = cor_start(request);
    if (code < 0)
        jni_fail_status(env, jni_rank_at(handle), "Start", code, NULL);
    return JNI_TRUE;
}

void JNICALL jni_native_cancel(JNIEnv *env, jclass native, jlong request)
{
    (void)env, (void)native;
    cor_cancel(jni_request_at(request));
}

void JNICALL jni_native_requestFree(JNIEnv *env, jclass native, jlong handle)
{
    (void)env, (void)native;
    cor_request *request = jni_request_at(handle);
    cor_request_free(&request);
}

/* ---- many requests ---------------------------------------------------------------------------------------------- */

/* The numbers of corunna.engine.Native. */
enum jni_how { JNI_WAIT_ALL, JNI_TEST_ALL, JNI_WAIT_ANY, JNI_TEST_ANY, JNI_WAIT_SOME, JNI_TEST_SOME };

/* Flag of a wait: return at once, as the test would, but with the name of the wait in messages. */
enum { JNI_TRY = 8 };

static const char *const jni_how_names[] = {"Waitall", "Testall", "Waitany", "Testany", "Waitsome", "Testsome"};

/* Working memory of one call: handles as Java has them, as the engine takes them, and what comes out. */
typedef struct jni_batch {
    size_t count;
    jlong *handles;
    cor_request **requests;
    cor_status *statuses;
    int *indices;
} jni_batch;

static int jni_batch_init(jni_batch *batch, JNIEnv *env, jlongArray handles)
{
    size_t count = (size_t)(*env)->GetArrayLength(env, handles);
    char *memory = malloc((count + 1) * (sizeof(jlong) + sizeof(cor_request *) + sizeof(cor_status) + sizeof(int)));
    if (!memory)
        return COR_ERR_MEMORY;
    batch->count = count;
    batch->statuses = (void *)memory;
    batch->handles = (void *)(batch->statuses + count + 1);
    batch->requests = (void *)(batch->handles + count);
    batch->indices = (void *)(batch->requests + count);
    (*env)->GetLongArrayRegion(env, handles, 0, (jsize)count, batch->handles);
    for (size_t i = 0; i < count; i++) {
        batch->requests[i] = jni_request_at(batch->handles[i]);
        batch->indices[i] = (int)i;
    }
    return COR_OK;
}

static void jni_batch_fini(jni_batch *batch)
{
    free(batch->statuses);
}

/* Run the engine's function. *done_p: statuses filled, COR_UNDEFINED when nothing was active, or JNI_PENDING. */
static int jni_batch_run(jni_batch *b, cor_rank *rank, enum jni_how how, int *done_p)
{
    int code = COR_OK, flag = 1;
    *done_p = (int)b->count;
    switch (how) {
    case JNI_WAIT_ALL:
        code = cor_waitall(rank, b->count, b->requests, b->statuses);
        break;
    case JNI_TEST_ALL:
        code = cor_testall(rank, b->count, b->requests, &flag, b->statuses);
        break;
    case JNI_WAIT_ANY:
        code = cor_waitany(rank, b->count, b->requests, b->indices, b->statuses);
        *done_p = 1;
        break;
    case JNI_TEST_ANY:
        code = cor_testany(rank, b->count, b->requests, b->indices, &flag, b->statuses);
        *done_p = 1;
        break;
    case JNI_WAIT_SOME:
        code = cor_waitsome(rank, b->count, b->requests, done_p, b->indices, b->statuses);
        break;
    case JNI_TEST_SOME:
        code = cor_testsome(rank, b->count, b->requests, done_p, b->indices, b->statuses);
        break;
    }
    if (code == COR_OK && !flag)
        *done_p = JNI_PENDING;
    if (code == COR_ERR_FINALIZED)
        *done_p = 0;
    return code;
}

/* Return the state of the requests to Java, then raise the first failure, if any. */
static void jni_batch_report(const jni_batch *b, JNIEnv *env, const jni_rank *rank, enum jni_how how, int code,
                             int done, jlongArray handles, jlongArray envelopes)
{
    const cor_status *failed = NULL;
    int has_faults = how != JNI_WAIT_ANY && how != JNI_TEST_ANY;
    for (int i = 0; i < done; i++) {
        jni_envelope_set(env, envelopes, (size_t)i, b->indices[i], &b->statuses[i]);
        if (!failed && b->statuses[i].error < 0 && b->indices[i] != COR_UNDEFINED)
            failed = &b->statuses[i];
    }
    for (size_t i = 0; i < b->count; i++)
        b->handles[i] = jni_handle(b->requests[i]);
    (*env)->SetLongArrayRegion(env, handles, 0, (jsize)b->count, b->handles);
    if (failed && failed->error == COR_ERR_PEER)
        cor_rank_defer(rank->rank);
    if (failed && has_faults && failed->fault)
        jni_fail(env, rank->failures, jni_how_names[how], failed->error, failed->fault);
    else if (failed)
        jni_fail_status(env, rank, jni_how_names[how], failed->error, failed);
    else if (code < 0)
        jni_fail_status(env, rank, jni_how_names[how], code, NULL);
    for (int i = 0; has_faults && i < done; i++)
        if (b->statuses[i].error < 0)
            free(b->statuses[i].fault);
}

jint JNICALL jni_native_complete(JNIEnv *env, jclass native, jlong handle, jint how, jlongArray requests,
                                 jlongArray envelopes)
{
    (void)native;
    const jni_rank *rank = jni_rank_at(handle);
    jni_batch batch;
    int code = jni_batch_init(&batch, env, requests);
    if (code < 0) {
        jni_fail_status(env, rank, jni_how_names[how & ~JNI_TRY], code, NULL);
        return 0;
    }
    int done, is_try = how & JNI_TRY;
    how &= ~JNI_TRY;
    code = jni_batch_run(&batch, rank->rank, (enum jni_how)(is_try ? how + 1 : how), &done);
    jni_batch_report(&batch, env, rank, (enum jni_how)how, code, done, requests, envelopes);
    jni_batch_fini(&batch);
    return done == COR_UNDEFINED ? JNI_UNDEFINED : done;
}
