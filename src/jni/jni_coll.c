/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations that move data: of arrays, of short arrays that come as plain memory, and of objects. */
#include "jni/jni_coll.h"

#include "jni/jni_natives.h"

#include <stdlib.h>

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* What Java calls the primitives, by their numbers. */
static const char *const jni_coll_names[COR_PRIMITIVES] = {
    [COR_BARRIER] = "Barrier",
    [COR_BCAST] = "Bcast",
    [COR_GATHER] = "Gather",
    [COR_GATHERV] = "Gatherv",
    [COR_SCATTER] = "Scatter",
    [COR_SCATTERV] = "Scatterv",
    [COR_ALLGATHER] = "Allgather",
    [COR_ALLGATHERV] = "Allgatherv",
    [COR_ALLTOALL] = "Alltoall",
    [COR_ALLTOALLV] = "Alltoallv",
    [COR_REDUCE] = "Reduce",
    [COR_ALLREDUCE] = "Allreduce",
    [COR_REDUCE_SCATTER] = "Reduce_scatter",
    [COR_SCAN] = "Scan",
    [COR_EXSCAN] = "exScan",
};

/* The numbers that corunna.engine.Native has. */
_Static_assert(offsetof(cor_zcopy, place) == 0 && offsetof(cor_zcopy, bytes) == 8 &&
                   offsetof(cor_zcopy, distance) == 16,
               "Java has these numbers");
_Static_assert(COR_BCAST == 1 && COR_GATHER == 2 && COR_GATHERV == 3 && COR_SCATTER == 4 && COR_SCATTERV == 5 &&
                   COR_ALLGATHER == 6 && COR_ALLGATHERV == 7 && COR_ALLTOALL == 8 && COR_ALLTOALLV == 9 &&
                   COR_REDUCE == 11 && COR_ALLREDUCE == 12 && COR_REDUCE_SCATTER == 13 && COR_SCAN == 15 &&
                   COR_BARRIER == 0 && COR_ALLTOALLW == 10 && COR_EXSCAN == 16 && COR_NEIGHBOR_ALLGATHER == 17 &&
                   COR_NEIGHBOR_ALLGATHERV == 18 && COR_NEIGHBOR_ALLTOALL == 19 && COR_NEIGHBOR_ALLTOALLV == 20,
               "Java has these numbers");

__attribute__((noinline)) void jni_coll_fail(JNIEnv *env, const cor_call *call, int code)
{
    if (code == COR_ERR_PEER)
        cor_comm_name_loss(call->comm);
    jni_fail_status(env, jni_rank_of(call->comm), jni_coll_names[call->primitive], code, NULL);
}

/* Has the reduction one buffer for values and result? Each rank may decide alone to run in place. */
static int jni_is_in_place(const cor_call *call, const jni_side *send, const jni_side *recv)
{
    int can_be = call->primitive == COR_ALLREDUCE || call->primitive == COR_REDUCE || call->primitive == COR_SCAN;
    return can_be && !((send->buffer.kind | recv->buffer.kind) & JNI_KIND_TYPED) && send->low == recv->low &&
           send->high == recv->high && !cor_comm_is_inter(call->comm);
}

static int jni_stage_sent(const cor_call *call, jni_side *send)
{
    return send->stream.parts ? jni_side_stage_parts(send, cor_comm_remote_size(call->comm))
                              : jni_side_stage(send, JNI_SIDE_READ);
}

void jni_coll_run(JNIEnv *env, cor_call *call, jni_side *send, jni_side *recv, int is_staged)
{
    int code = COR_OK;
    call->send = send->stream;
    if (COR_UNLIKELY(is_staged || (send->buffer.object && recv->buffer.object && jni_sides_overlap(send, recv)))) {
        if (!is_staged && jni_is_in_place(call, send, recv)) {
            call->is_in_place = 1;
            call->send = (cor_stream){0};
        } else {
            code = jni_stage_sent(call, send);
            call->send = send->stream;
        }
        if (code == COR_OK && is_staged)
            code = jni_side_stage(recv, JNI_SIDE_WRITTEN);
    }
    if (COR_LIKELY(code == COR_OK)) {
        call->recv = recv->stream;
        code = cor_coll_run(call);
    }
    jni_side_close(env, send, 0);
    jni_side_close(env, recv, code == COR_OK);
    if (COR_UNLIKELY(code < 0))
        jni_coll_fail(env, call, code);
}

/* Which side has a block for each rank? */
static inline int jni_sends_blocks(int primitive)
{
    return primitive == COR_SCATTER || primitive == COR_ALLTOALL;
}

static inline int jni_receives_blocks(int primitive)
{
    return primitive == COR_GATHER || primitive == COR_ALLGATHER || primitive == COR_ALLTOALL;
}

static inline int jni_blocks(const cor_call *call, int is_many)
{
    return is_many ? cor_comm_remote_size(call->comm) : 1;
}

void JNICALL jni_native_collect(JNIEnv *env, jclass native, jlong comm, jint packed, jint root, jobject out,
                                jlong out_offset, jlong out_bytes, jobject in, jlong in_offset, jlong in_bytes)
{
    (void)native;
    jni_what what = jni_what_of(packed);
    cor_call call = jni_coll_begin(comm, what.primitive, root);
    jni_side send, recv;
    jni_side_open(env, &send, (jni_buffer){out, out_offset, out_bytes, what.out_kind},
                  out_bytes ? JNI_SIDE_READ : JNI_SIDE_NONE, jni_blocks(&call, jni_sends_blocks(what.primitive)));
    jni_side_open(env, &recv, (jni_buffer){in, in_offset, in_bytes, what.in_kind},
                  in_bytes ? JNI_SIDE_READ | JNI_SIDE_WRITTEN : JNI_SIDE_NONE,
                  jni_blocks(&call, jni_receives_blocks(what.primitive)));
    jni_coll_run(env, &call, &send, &recv, 0);
}

/* Short arrays come as plain memory (mpi.Stage), for which no side is needed and no call into the JVM; the kinds are
 * those of the elements. Returns where the received data are. */
jlong JNICALL jni_native_collectMemory(JNIEnv *env, jclass native, jlong comm, jint packed, jint root, jlong out,
                                       jlong out_bytes, jlong in, jlong in_bytes)
{
    (void)native;
    jni_what what = jni_what_of(packed);
    cor_call call = jni_coll_begin(comm, what.primitive, root);
    size_t ranks = (size_t)cor_comm_remote_size(call.comm), sent = (size_t)out_bytes, received = (size_t)in_bytes;
    const void *in_place = NULL;
    call.send.payload = cor_payload_plain((const void *)(uintptr_t)out, sent);
    call.send.bytes = jni_sends_blocks(what.primitive) ? sent / ranks : sent;
    call.send.type = jni_kind_type(what.out_kind);
    call.recv.payload = cor_payload_plain((const void *)(uintptr_t)in, received);
    call.recv.bytes = jni_receives_blocks(what.primitive) ? received / ranks : received;
    call.recv.type = jni_kind_type(what.in_kind);
    call.zcopy_p = &in_place;
    int code = cor_coll_run(&call);
    if (COR_UNLIKELY(code < 0))
        jni_coll_fail(env, &call, code);
    return in_place ? jni_handle(in_place) : in;
}

/* Which side has parts, of different length? */
static int jni_sends_parts(int primitive)
{
    return primitive == COR_SCATTERV || primitive == COR_ALLTOALLV;
}

static int jni_receives_parts(int primitive)
{
    return primitive == COR_GATHERV || primitive == COR_ALLGATHERV || primitive == COR_ALLTOALLV;
}

/* Open a side of a call with parts; places of NULL: this rank does not have it. */
static int jni_side_open_any(JNIEnv *env, jni_side *side, jni_buffer buffer, jlongArray places, int is_parts, int how,
                             int count)
{
    if (places && is_parts)
        return jni_side_open_parts(env, side, buffer, places, count);
    if (places && buffer.bytes)
        jni_side_open_part(env, side, buffer, places, how);
    else
        jni_side_open(env, side, buffer, JNI_SIDE_NONE, 1);
    return COR_OK;
}

void JNICALL jni_native_collectParts(JNIEnv *env, jclass native, jlong comm, jint packed, jint root, jobject out,
                                     jlong out_unit, jlongArray out_parts, jobject in, jlong in_unit,
                                     jlongArray in_parts)
{
    (void)native;
    jni_what what = jni_what_of(packed);
    cor_call call = jni_coll_begin(comm, what.primitive, root);
    int count = cor_comm_remote_size(call.comm);
    jni_side send, recv;
    int sent = jni_side_open_any(env, &send, (jni_buffer){out, 0, out_unit, what.out_kind}, out_parts,
                                 jni_sends_parts(what.primitive), JNI_SIDE_READ, count);
    int received = jni_side_open_any(env, &recv, (jni_buffer){in, 0, in_unit, what.in_kind}, in_parts,
                                     jni_receives_parts(what.primitive), JNI_SIDE_READ | JNI_SIDE_WRITTEN, count);
    if (COR_LIKELY(sent == COR_OK && received == COR_OK)) {
        jni_coll_run(env, &call, &send, &recv, 0);
        return;
    }
    jni_side_close(env, &send, 0);
    jni_side_close(env, &recv, 0);
    jni_coll_fail(env, &call, COR_ERR_MEMORY);
}

/* ---- serialised objects: each block has a store of its own ------------------------------------------------------ */

/* Without memory a block is dropped, and then the store's capacity is less than its length. */
static cor_payload jni_store_part(jni_store *store, size_t bytes)
{
    if (bytes == 0 || !store)
        return cor_payload_plain(NULL, 0);
    if (jni_store_reserve(store, bytes))
        return cor_payload_plain(store->memory, bytes);
    cor_payload lossy = jni_store_payload(store);
    lossy.bytes = bytes;
    return lossy;
}

/* `memory` has space for `count` parts and their starts. is_many: a block for each rank. */
static void jni_stores_open(JNIEnv *env, cor_stream *stream, jlongArray stores, jlongArray lengths, int count,
                            int is_many, void *memory)
{
    cor_payload *parts = memory;
    size_t *starts = (size_t *)(void *)(parts + count);
    starts[0] = 0;
    for (int i = 0; i < count; i++) {
        jlong store, length;
        (*env)->GetLongArrayRegion(env, stores, i, 1, &store);
        (*env)->GetLongArrayRegion(env, lengths, i, 1, &length);
        parts[i] = jni_store_part(jni_store_at(store), length > 0 ? (size_t)length : 0);
        starts[i + 1] = starts[i] + parts[i].bytes;
    }
    if (count > 0 && is_many) {
        stream->parts = parts;
        stream->starts = starts;
    } else if (count > 0) {
        stream->payload = parts[0];
        stream->bytes = parts[0].bytes;
    }
}

void JNICALL jni_native_collectStores(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root,
                                      jlongArray out, jlongArray out_lengths, jlongArray in, jlongArray in_lengths)
{
    (void)native;
    cor_call call = jni_coll_begin(comm, primitive, root);
    int out_count = (*env)->GetArrayLength(env, out), in_count = (*env)->GetArrayLength(env, in);
    size_t out_room = (size_t)out_count * (sizeof(cor_payload) + sizeof(size_t)) + sizeof(size_t);
    size_t in_room = (size_t)in_count * (sizeof(cor_payload) + sizeof(size_t)) + sizeof(size_t);
    char *memory = malloc(out_room + in_room);
    int code = COR_ERR_MEMORY;
    if (memory) {
        jni_stores_open(env, &call.send, out, out_lengths, out_count, jni_sends_parts(primitive), memory);
        jni_stores_open(env, &call.recv, in, in_lengths, in_count, jni_receives_parts(primitive), memory + out_room);
        code = cor_coll_run(&call);
        free(memory);
    }
    if (COR_UNLIKELY(code < 0))
        jni_coll_fail(env, &call, code);
}

jlong JNICALL jni_native_address(JNIEnv *env, jclass native, jobject direct)
{
    (void)native;
    return jni_handle((*env)->GetDirectBufferAddress(env, direct));
}

jobject JNICALL jni_native_zeroCopy(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    void *memory;
    size_t bytes;
    const cor_zcopy *zcopy = cor_coll_zcopy(jni_comm_at(comm), &memory, &bytes);
    return zcopy ? (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)zcopy, sizeof *zcopy) : NULL;
}

jobject JNICALL jni_native_zeroCopyMemory(JNIEnv *env, jclass native, jlong comm)
{
    (void)native;
    void *memory;
    size_t bytes;
    const cor_zcopy *zcopy = cor_coll_zcopy(jni_comm_at(comm), &memory, &bytes);
    return zcopy ? (*env)->NewDirectByteBuffer(env, memory, (jlong)bytes) : NULL;
}
