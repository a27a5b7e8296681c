/*
 * What a blocking call is for a virtual thread, whose carrier must not wait: started here, and looked after in short
 * calls, between which Java lets the carrier go (corunna.engine.Blocking). The name of the call comes from Java, for the
 * sentence of a failure.
 */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

static __attribute__((noinline)) void try_fail(JNIEnv *env, const jni_rank *rank, jstring call, int code,
                                               const cor_status *status)
{
    enum { NAME_MAX_BYTES = 32 };
    char name[NAME_MAX_BYTES] = "";
    if ((*env)->GetStringUTFLength(env, call) < NAME_MAX_BYTES)
        (*env)->GetStringUTFRegion(env, call, 0, (*env)->GetStringLength(env, call), name);
    jni_fail_status(env, rank, name, code, status);
}

jlong JNICALL jni_native_rankOf(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return jni_handle(jni_rank_of(jni_comm_at(comm)));
}

jlong JNICALL jni_native_startRecv(JNIEnv *env, jclass native, jlong handle, jobject in, jlong in_offset,
                                   jlong in_bytes, jint in_kind, jint source, jint tag, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
    int code = cor_irecv(comm, &payload, jni_source(source), tag, &request);
    if (COR_UNLIKELY(code < 0)) {
        try_fail(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    return jni_started(env, request, in, in_offset, in_kind);
}

jlong JNICALL jni_native_startSend(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset,
                                   jlong out_bytes, jint out_kind, jint dest, jint tag, jint mode, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, out, out_offset, out_bytes, out_kind);
    int code = cor_isend(comm, &payload, dest, tag, (cor_send_mode)mode, &request);
    if (COR_UNLIKELY(code < 0)) {
        try_fail(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    return jni_started(env, request, out, out_offset, out_kind);
}

/* What is sent is a copy, which goes with the request. */
jlong JNICALL jni_native_startSendCopy(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset,
                                       jlong out_bytes, jint out_kind, jint dest, jint tag, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, out, out_offset, out_bytes, out_kind);
    void *copy = malloc(payload.bytes + 1);
    int code = COR_ERR_MEMORY;
    if (copy) {
        cor_payload_read(&payload, 0, copy, payload.bytes);
        cor_payload plain = jni_plain_payload(copy, payload.bytes, out_kind);
        code = cor_isend(comm, &plain, dest, tag, COR_STANDARD, &request);
    }
    if (COR_UNLIKELY(code < 0)) {
        free(copy);
        try_fail(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    cor_request_set_face(request, copy, free);
    return jni_handle(request);
}

jlong JNICALL jni_native_tryWait(JNIEnv *env, jclass native, jlong handle, jlong request_handle, jlongArray envelope,
                                 jstring call)
{
    (void)native;
    const jni_rank *rank = jni_rank_at(handle);
    cor_request *request = jni_request_at(request_handle);
    cor_status status;
    int flag = 0;
    int code = cor_test(rank->rank, &request, &flag, &status);
    if (COR_UNLIKELY(code < 0)) {
        try_fail(env, rank, call, code, &status);
        return 0;
    }
    if (!flag)
        return JNI_PENDING;
    jni_envelope_set(env, envelope, 0, 0, &status);
    return jni_completion(&status);
}

jboolean JNICALL jni_native_tryProbe(JNIEnv *env, jclass native, jlong handle, jint source, jint tag,
                                     jlongArray envelope)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    int flag = 0;
    int code = cor_iprobe(comm, jni_source(source), tag, &flag, &status);
    if (code < 0)
        jni_fail_status(env, jni_rank_of(comm), "Probe", code, NULL);
    else if (flag)
        jni_envelope_set(env, envelope, 0, 0, &status);
    return code >= 0 && flag;
}
