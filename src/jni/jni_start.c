/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations in the background, on plain memory: package mpi packs what is not, and keeps both buffers
 * reachable through one object, to which the request holds a reference until it is gone.
 */
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

/* ---- streams ---------------------------------------------------------------------------------------------------- */

/* In place of the bytes of a block: the stream is in parts. Java has the same number. */
enum { JNI_IN_PARTS = -1 };

/* A stream as Java describes it: the bytes of one block, then address and length; or JNI_IN_PARTS, then an address and
 * a length for each part. *memory_p is what the parts are in, to be freed when the call has been started. */
static int jni_stream_open(JNIEnv *env, jlongArray numbers, cor_stream *stream, void **memory_p)
{
    jlong block, place[2]; /* address and length */
    *memory_p = NULL;
    (*env)->GetLongArrayRegion(env, numbers, 0, 1, &block);
    if (block != JNI_IN_PARTS) {
        (*env)->GetLongArrayRegion(env, numbers, 1, 2, place);
        stream->payload = cor_payload_plain((const void *)(uintptr_t)place[0], (size_t)place[1]);
        stream->bytes = (size_t)block;
        return COR_OK;
    }
    size_t count = (size_t)(*env)->GetArrayLength(env, numbers) / 2;
    cor_payload *parts = malloc(count * sizeof *parts + (count + 1) * sizeof(size_t));
    if (!parts)
        return COR_ERR_MEMORY;
    size_t *starts = (size_t *)(void *)(parts + count);
    starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        (*env)->GetLongArrayRegion(env, numbers, (jsize)(1 + 2 * i), 2, place);
        parts[i] = cor_payload_plain((const void *)(uintptr_t)place[0], (size_t)place[1]);
        starts[i + 1] = starts[i] + parts[i].bytes;
    }
    stream->parts = parts;
    stream->starts = starts;
    *memory_p = parts;
    return COR_OK;
}

/* Starts the call; the request keeps `kept`. 0: it could not be, and the exception is raised. */
static jlong jni_coll_start(JNIEnv *env, const cor_call *call, jobject kept, jstring name)
{
    cor_request *request;
    int code = cor_coll_start(call, &request);
    if (code < 0) {
        jni_fail_call(env, jni_rank_of(call->comm), name, code, NULL);
        return 0;
    }
    if (kept)
        cor_request_set_face(request, (*env)->NewGlobalRef(env, kept), jni_object_unref);
    return jni_handle(request);
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_startCollect(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root,
                                      jboolean is_in_place, jlongArray out, jlongArray in, jobject kept, jstring name)
{
    (void)native;
    cor_call call = {
        .primitive = (cor_primitive)primitive, .comm = jni_comm_at(comm), .root = root, .is_in_place = is_in_place};
    void *out_memory = NULL, *in_memory = NULL;
    jlong request = 0;
    int code = jni_stream_open(env, out, &call.send, &out_memory);
    if (code == COR_OK)
        code = jni_stream_open(env, in, &call.recv, &in_memory);
    if (code == COR_OK)
        request = jni_coll_start(env, &call, kept, name);
    else
        jni_fail_call(env, jni_rank_of(call.comm), name, code, NULL);
    free(out_memory);
    free(in_memory);
    return request;
}

/* Both streams are in one piece. */
jlong JNICALL jni_native_startReduce(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root,
                                     jboolean is_in_place, jlongArray out, jlongArray in, jintArray counts, jlong op,
                                     jobject kept, jstring name)
{
    (void)native;
    cor_call call = {
        .primitive = (cor_primitive)primitive, .comm = jni_comm_at(comm), .root = root, .is_in_place = is_in_place};
    size_t *starts = NULL;
    void *none;
    cor_op *own;
    jlong request = 0;
    int code = jni_reducer_init(&call.reducer, op, &own);
    jni_stream_open(env, out, &call.send, &none);
    jni_stream_open(env, in, &call.recv, &none);
    if (code == COR_OK && counts) {
        starts = jni_block_starts(env, counts, call.send.bytes, cor_comm_size(call.comm), NULL);
        call.send.starts = starts;
        code = starts ? COR_OK : COR_ERR_MEMORY;
    }
    if (code == COR_OK)
        request = jni_coll_start(env, &call, kept, name);
    else
        jni_fail_call(env, jni_rank_of(call.comm), name, code, NULL);
    free(starts);
    if (own)
        cor_op_unref(own);
    return request;
}

void JNICALL jni_native_combineMemory(JNIEnv *env, jclass native, jlong rank, jlong in, jlong inout, jlong bytes,
                                      jlong op, jstring name)
{
    (void)native;
    cor_reducer reducer;
    cor_op *own;
    void *result = (void *)(uintptr_t)inout;
    int code = jni_reducer_init(&reducer, op, &own);
    if (code == COR_OK)
        code = cor_reduce_packed(&reducer, (const void *)(uintptr_t)in, result, result, (size_t)bytes);
    if (own)
        cor_op_unref(own);
    if (code < 0)
        jni_fail_call(env, jni_rank_at(rank), name, code, NULL);
}
