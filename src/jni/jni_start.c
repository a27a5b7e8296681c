/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations in the background, on plain memory: package mpi packs what is not, and keeps both buffers
 * reachable through one object, to which the request holds a reference until it is gone.
 */
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

/* ---- streams ---------------------------------------------------------------------------------------------------- */

/* A stream as Java describes it: where it is, its bytes, those of one block; or an address and a length for each
 * part. */
typedef struct jni_plain {
    jlong address, bytes, block;
    jlongArray parts;
} jni_plain;

/* *memory_p is what the parts are in, to be freed when the call has been started. */
static int jni_plain_open(JNIEnv *env, const jni_plain *plain, cor_stream *stream, void **memory_p)
{
    *memory_p = NULL;
    if (!plain->parts) {
        stream->payload = cor_payload_plain((const void *)(uintptr_t)plain->address, (size_t)plain->bytes);
        stream->bytes = (size_t)plain->block;
        return COR_OK;
    }
    size_t count = (size_t)(*env)->GetArrayLength(env, plain->parts) / 2;
    cor_payload *parts = malloc(count * sizeof *parts + (count + 1) * sizeof(size_t) + 1);
    if (!parts)
        return COR_ERR_MEMORY;
    size_t *starts = (size_t *)(void *)(parts + count);
    starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        jlong place[2]; /* address and length */
        (*env)->GetLongArrayRegion(env, plain->parts, (jsize)(2 * i), 2, place);
        parts[i] = cor_payload_plain((const void *)(uintptr_t)place[0], (size_t)place[1]);
        starts[i + 1] = starts[i] + parts[i].bytes;
    }
    stream->parts = parts;
    stream->starts = starts;
    *memory_p = parts;
    return COR_OK;
}

static void jni_kept_unref(void *kept)
{
    JNIEnv *env = jni_env();
    (*env)->DeleteGlobalRef(env, kept);
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
        cor_request_set_face(request, (*env)->NewGlobalRef(env, kept), jni_kept_unref);
    return jni_handle(request);
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_startCollect(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root,
                                      jboolean is_in_place, jlong out, jlong out_bytes, jlong out_block,
                                      jlongArray out_parts, jlong in, jlong in_bytes, jlong in_block,
                                      jlongArray in_parts, jobject kept, jstring name)
{
    (void)native;
    cor_call call = {
        .primitive = (cor_primitive)primitive, .comm = jni_comm_at(comm), .root = root, .is_in_place = is_in_place};
    jni_plain sent = {out, out_bytes, out_block, out_parts}, received = {in, in_bytes, in_block, in_parts};
    void *out_memory = NULL, *in_memory = NULL;
    jlong request = 0;
    int code = jni_plain_open(env, &sent, &call.send, &out_memory);
    if (code == COR_OK)
        code = jni_plain_open(env, &received, &call.recv, &in_memory);
    if (code == COR_OK)
        request = jni_coll_start(env, &call, kept, name);
    else
        jni_fail_call(env, jni_rank_of(call.comm), name, code, NULL);
    free(out_memory);
    free(in_memory);
    return request;
}

jlong JNICALL jni_native_startReduce(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root,
                                     jboolean is_in_place, jlong out, jlong out_bytes, jlong in, jlong in_bytes,
                                     jintArray counts, jlong element_bytes, jint op, jint kind, jobject combiner,
                                     jboolean is_commutative, jlong type, jobject kept, jstring name)
{
    (void)native;
    cor_call call = {
        .primitive = (cor_primitive)primitive, .comm = jni_comm_at(comm), .root = root, .is_in_place = is_in_place};
    size_t *starts = NULL;
    cor_op *own;
    jlong request = 0;
    int code = jni_reducer_init(env, &call.reducer, op, kind, combiner, is_commutative,
                                (const cor_dtype *)(uintptr_t)type, &own);
    call.send.payload = cor_payload_plain((const void *)(uintptr_t)out, (size_t)out_bytes);
    call.send.bytes = (size_t)out_bytes;
    call.recv.payload = cor_payload_plain((const void *)(uintptr_t)in, (size_t)in_bytes);
    call.recv.bytes = (size_t)in_bytes;
    if (code == COR_OK && counts) {
        starts = jni_block_starts(env, counts, element_bytes, cor_comm_size(call.comm), NULL);
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
                                      jint op, jint kind, jstring name)
{
    (void)native;
    cor_reducer reducer;
    cor_op *own;
    void *result = (void *)(uintptr_t)inout;
    int code = jni_reducer_init(env, &reducer, op, kind, NULL, 1, NULL, &own);
    if (code == COR_OK)
        code = cor_reduce_packed(&reducer, (const void *)(uintptr_t)in, result, result, (size_t)bytes);
    if (own)
        cor_op_unref(own);
    if (code < 0)
        jni_fail_call(env, jni_rank_at(rank), name, code, NULL);
}
