/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that a probe has matched: no other receive gets them, and they are received by their handle. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

/* What a probe returns instead of a handle. 0 is the message from no rank. */
enum { JNI_NO_MESSAGE = -1 };

static inline cor_message *jni_message_at(jlong handle)
{
    return (cor_message *)(uintptr_t)handle;
}

jlong JNICALL jni_native_mprobe(JNIEnv *env, jclass native, jlong handle, jint source, jint tag, jboolean is_waiting,
                                jlongArray envelope, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_message *message = NULL;
    cor_status status;
    int flag = 1;
    int code = is_waiting ? cor_mprobe(comm, jni_source(source), tag, &message, &status)
                          : cor_improbe(comm, jni_source(source), tag, &flag, &message, &status);
    if (code < 0) {
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
        return JNI_NO_MESSAGE;
    }
    if (!flag)
        return JNI_NO_MESSAGE;
    jni_envelope_set(env, envelope, 0, 0, &status);
    return jni_handle(message);
}

/* The probe has taken a reference to the communicator, which goes with the message. */

jlong JNICALL jni_native_mrecv(JNIEnv *env, jclass native, jlong handle, jlong message, jobject in, jlong in_offset,
                               jlong in_bytes, jint in_kind, jlongArray envelope, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
    cor_status status;
    int code = cor_mrecv(comm, jni_message_at(message), &payload, &status);
    if (code < 0)
        jni_fail_call(env, jni_rank_of(comm), call, code, &status);
    else
        jni_envelope_set(env, envelope, 0, 0, &status);
    cor_comm_unref(comm);
    return code < 0 ? 0 : (jlong)status.bytes;
}

jlong JNICALL jni_native_imrecv(JNIEnv *env, jclass native, jlong handle, jlong message, jobject in, jlong in_offset,
                                jlong in_bytes, jint in_kind, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
    cor_request *request;
    jlong started = 0;
    int code = cor_imrecv(comm, jni_message_at(message), &payload, &request);
    if (code < 0)
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
    else
        started = jni_started(env, request, in, in_offset, in_kind);
    cor_comm_unref(comm);
    return started;
}
