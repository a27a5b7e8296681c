/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point. Budget for 8 bytes of a byte[]: one region copy and no other call into the JVM. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

/* A blocking call copies messages up to this size through the stack: the copy costs less than the payload's operations
 * and GetEnv, and nothing has to be held if the call waits. */
enum { JNI_STACK_MAX_BYTES = 256 };

static const char *const jni_send_names[] = {
    [COR_STANDARD] = "Send",
    [COR_SYNCHRONOUS] = "Ssend",
    [COR_BUFFERED] = "Bsend",
    [COR_READY] = "Rsend",
};

static inline int jni_is_small(jlong bytes, jint kind)
{
    return bytes <= JNI_STACK_MAX_BYTES && kind < JNI_KIND_DIRECT && bytes != 0;
}

static __attribute__((noinline)) void jni_fail_comm(JNIEnv *env, const cor_comm *comm, const char *call, int code,
                                                    const cor_status *status)
{
    if (code == COR_ERR_PEER)
        cor_comm_name_loss(comm);
    jni_fail_status(env, jni_rank_of(comm), call, code, status);
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

void JNICALL jni_native_send(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset, jlong out_bytes,
                             jint out_kind, jint dest, jint tag, jint mode)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    char copy[JNI_STACK_MAX_BYTES];
    cor_payload payload;
    if (jni_is_small(out_bytes, jni_kind_of(out_kind))) {
        jni_array_read(env, out, jni_kind_of(out_kind), (size_t)out_offset, copy, (size_t)out_bytes);
        payload = jni_plain_payload(copy, (size_t)out_bytes, out_kind);
    } else {
        payload = jni_message_payload(env, out, out_offset, out_bytes, out_kind);
    }
    int code = cor_send(comm, &payload, dest, tag, (cor_send_mode)mode);
    if (COR_UNLIKELY(code < 0))
        jni_fail_comm(env, comm, jni_send_names[mode], code, NULL);
}

jlong JNICALL jni_native_recv(JNIEnv *env, jclass native, jlong handle, jobject in, jlong in_offset, jlong in_bytes,
                              jint in_kind, jint source, jint tag, jlongArray envelope)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    int code;
    if (jni_is_small(in_bytes, jni_kind_of(in_kind))) {
        char copy[JNI_STACK_MAX_BYTES];
        cor_payload payload = jni_plain_payload(copy, (size_t)in_bytes, in_kind);
        code = cor_recv(comm, &payload, jni_source(source), tag, &status);
        if (COR_LIKELY(code == COR_OK) && status.bytes > 0)
            jni_array_write(env, in, jni_kind_of(in_kind), (size_t)in_offset, copy, status.bytes);
    } else {
        cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
        code = cor_recv(comm, &payload, jni_source(source), tag, &status);
    }
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_comm(env, comm, "Recv", code, &status);
        return 0;
    }
    jni_envelope_set(env, envelope, 0, 0, &status);
    return (jlong)status.bytes;
}

/* The kinds of both messages, with their classes, as Native.kinds packs them. */
static inline jint jni_kinds_out(jint kinds)
{
    return kinds & 0xffff;
}

static inline jint jni_kinds_in(jint kinds)
{
    return kinds >> 16;
}

/* The rank at the other end and the tag, as Native.partner packs them. */
typedef struct jni_partner {
    jint rank, tag;
} jni_partner;

static inline jni_partner jni_partner_of(jlong packed)
{
    return (jni_partner){(jint)(packed >> 32), (jint)packed};
}

jlong JNICALL jni_native_sendrecv(JNIEnv *env, jclass native, jlong handle, jint kinds, jlong to, jobject out,
                                  jlong out_offset, jlong out_bytes, jlong from, jobject in, jlong in_offset,
                                  jlong in_bytes, jlongArray envelope)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    jni_partner dest = jni_partner_of(to), source = jni_partner_of(from);
    cor_payload sent = jni_message_payload(env, out, out_offset, out_bytes, jni_kinds_out(kinds));
    cor_payload received = jni_message_payload(env, in, in_offset, in_bytes, jni_kinds_in(kinds));
    int code = cor_sendrecv(comm, &sent, dest.rank, dest.tag, &received, jni_source(source.rank), source.tag, &status);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_comm(env, comm, "Sendrecv", code, &status);
        return 0;
    }
    jni_envelope_set(env, envelope, 0, 0, &status);
    return (jlong)status.bytes;
}

jlong JNICALL jni_native_sendrecvReplace(JNIEnv *env, jclass native, jlong handle, jobject both, jlong both_offset,
                                         jlong both_bytes, jint both_kind, jlong to, jlong from, jlongArray envelope)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    jni_partner dest = jni_partner_of(to), source = jni_partner_of(from);
    cor_payload payload = jni_message_payload(env, both, both_offset, both_bytes, both_kind);
    int code = cor_sendrecv_replace(comm, &payload, dest.rank, dest.tag, jni_source(source.rank), source.tag, &status);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_comm(env, comm, "Sendrecv_replace", code, &status);
        return 0;
    }
    jni_envelope_set(env, envelope, 0, 0, &status);
    return (jlong)status.bytes;
}

/* ---- non-blocking and persistent -------------------------------------------------------------------------------- */

/* An array is kept reachable by its payload. A direct buffer is plain memory to the engine, so the request carries a
 * reference to it until it is gone. */
void jni_object_unref(void *object)
{
    JNIEnv *env = jni_env();
    (*env)->DeleteGlobalRef(env, object);
}

jlong jni_started(JNIEnv *env, cor_request *request, jobject buffer, jlong offset, jint kind_and_class)
{
    jint kind = jni_kind_of(kind_and_class);
    if (kind == JNI_KIND_STORE) {
        jni_store_ref(jni_store_at(offset));
        cor_request_set_face(request, jni_store_at(offset), jni_store_unref);
    } else if ((kind & ~JNI_KIND_TYPED) == JNI_KIND_DIRECT && buffer)
        cor_request_set_face(request, (*env)->NewGlobalRef(env, buffer), jni_object_unref);
    return jni_handle(request);
}

jlong JNICALL jni_native_isend(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset,
                               jlong out_bytes, jint out_kind, jint dest, jint tag, jint mode, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, out, out_offset, out_bytes, out_kind);
    int code = cor_isend(comm, &payload, dest, tag, (cor_send_mode)mode, &request);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    return jni_started(env, request, out, out_offset, out_kind);
}

jlong JNICALL jni_native_irecv(JNIEnv *env, jclass native, jlong handle, jobject in, jlong in_offset, jlong in_bytes,
                               jint in_kind, jint source, jint tag, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
    int code = cor_irecv(comm, &payload, jni_source(source), tag, &request);
    if (COR_UNLIKELY(code < 0)) {
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    return jni_started(env, request, in, in_offset, in_kind);
}

/* What is sent is a copy, which goes with the request. */
jlong JNICALL jni_native_isendCopy(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset,
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
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    cor_request_set_face(request, copy, free);
    return jni_handle(request);
}

jlong JNICALL jni_native_sendInit(JNIEnv *env, jclass native, jlong handle, jobject out, jlong out_offset,
                                  jlong out_bytes, jint out_kind, jint dest, jint tag, jint mode)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, out, out_offset, out_bytes, out_kind);
    int code = cor_send_init(comm, &payload, dest, tag, (cor_send_mode)mode, &request);
    if (code < 0) {
        jni_fail_comm(env, comm, "Send_init", code, NULL);
        return 0;
    }
    return jni_started(env, request, out, out_offset, out_kind);
}

jlong JNICALL jni_native_recvInit(JNIEnv *env, jclass native, jlong handle, jobject in, jlong in_offset,
                                  jlong in_bytes, jint in_kind, jint source, jint tag)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_request *request;
    cor_payload payload = jni_message_payload(env, in, in_offset, in_bytes, in_kind);
    int code = cor_recv_init(comm, &payload, jni_source(source), tag, &request);
    if (code < 0) {
        jni_fail_comm(env, comm, "Recv_init", code, NULL);
        return 0;
    }
    return jni_started(env, request, in, in_offset, in_kind);
}

/* ---- probes ----------------------------------------------------------------------------------------------------- */

void JNICALL jni_native_probe(JNIEnv *env, jclass native, jlong handle, jint source, jint tag, jlongArray envelope)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    int code = cor_probe(comm, jni_source(source), tag, &status);
    if (code < 0)
        jni_fail_comm(env, comm, "Probe", code, NULL);
    else
        jni_envelope_set(env, envelope, 0, 0, &status);
}

jboolean JNICALL jni_native_iprobe(JNIEnv *env, jclass native, jlong handle, jint source, jint tag,
                                   jlongArray envelope, jstring call)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_status status;
    int flag = 0;
    int code = cor_iprobe(comm, jni_source(source), tag, &flag, &status);
    if (code < 0)
        jni_fail_call(env, jni_rank_of(comm), call, code, NULL);
    else if (flag)
        jni_envelope_set(env, envelope, 0, 0, &status);
    return code >= 0 && flag;
}
