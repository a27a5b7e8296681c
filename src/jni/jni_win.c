/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows. All buffers are direct ones, plain memory to the engine; package mpi keeps them reachable, except those of
 * an operation with a request, which the request keeps.
 */
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include "win/win.h"

#include <string.h>

/* The numbers of corunna.engine.Native. The sort of a window is the engine's flavour, its operations are the engine's
 * kinds. */
enum { JNI_WIN_FLAVOUR = 0xff, JNI_WIN_WITHOUT_LOCKS = 1 << 8, JNI_WIN_NONCONTIGUOUS = 1 << 9 };

/* Of the origin, the result and the target: a unit, and how many. */
typedef struct jni_win_numbers {
    jlong origin[2], result[2], target[2];
    jlong rank, displacement;
} jni_win_numbers;

enum jni_win_how {
    JNI_WIN_FENCE,
    JNI_WIN_COMPLETE,
    JNI_WIN_WAIT,
    JNI_WIN_TEST,
    JNI_WIN_LOCK_EXCLUSIVE,
    JNI_WIN_LOCK_SHARED,
    JNI_WIN_LOCK_ALL,
    JNI_WIN_UNLOCK,
    JNI_WIN_UNLOCK_ALL,
    JNI_WIN_FLUSH,
    JNI_WIN_FLUSH_LOCAL,
    JNI_WIN_SYNC,
};

static inline cor_win *jni_win_at(jlong handle)
{
    return (cor_win *)(uintptr_t)handle;
}

static __attribute__((noinline)) void jni_win_fail(JNIEnv *env, cor_comm *comm, const char *call, int code)
{
    if (code == COR_ERR_PEER)
        cor_comm_name_loss(comm);
    jni_fail_status(env, jni_rank_of(comm), call, code, NULL);
}

static void *jni_win_address(JNIEnv *env, jobject buffer)
{
    return buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_winMake(JNIEnv *env, jclass native, jlong handle, jint what, jobject buffer, jlong bytes,
                                 jlong unit, jlong alignment)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_win_options options = {
        .is_without_locks = (what & JNI_WIN_WITHOUT_LOCKS) != 0,
        .is_noncontiguous = (what & JNI_WIN_NONCONTIGUOUS) != 0,
        .alignment_bytes = (size_t)alignment,
    };
    cor_win *win = NULL;
    void *address = jni_win_address(env, buffer), *base = NULL;
    int code = COR_ERR_ARG;
    switch ((cor_win_flavour)(what & JNI_WIN_FLAVOUR)) {
    case COR_WIN_CREATED:
        code = cor_win_create(comm, address, (size_t)bytes, (size_t)unit, &options, &win);
        break;
    case COR_WIN_ALLOCATED:
        code = cor_win_allocate(comm, (size_t)bytes, (size_t)unit, &options, &base, &win);
        break;
    case COR_WIN_SHARED:
        code = cor_win_allocate_shared(comm, (size_t)bytes, (size_t)unit, &options, &base, &win);
        break;
    case COR_WIN_DYNAMIC:
        code = cor_win_create_dynamic(comm, &options, &win);
        break;
    }
    if (code < 0) {
        jni_win_fail(env, comm, "Win", code);
        return 0;
    }
    if (address && cor_win_flavour_of(win) != COR_WIN_CREATED)
        memcpy(address, &base, sizeof base);
    return jni_handle(win);
}

void JNICALL jni_native_winFree(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    cor_comm *comm = cor_win_comm(win);
    cor_comm_hold(comm); /* a failure needs it after the window is gone */
    int code = cor_win_free(&win);
    if (code < 0)
        jni_win_fail(env, comm, "free", code);
    cor_comm_unref(comm);
}

jlong JNICALL jni_native_winBase(JNIEnv *env, jclass native, jlong win)
{
    (void)env, (void)native;
    return jni_handle(cor_win_base(jni_win_at(win)));
}

jbooleanArray JNICALL jni_native_winDirect(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    const cor_win *win = jni_win_at(handle);
    int size = cor_comm_size(cor_win_comm(win));
    jbooleanArray array = (*env)->NewBooleanArray(env, size);
    for (int i = 0; array && i < size; i++) {
        jboolean one = cor_win_way_of(win, i) == COR_WIN_DIRECT;
        (*env)->SetBooleanArrayRegion(env, array, i, 1, &one);
    }
    return array;
}

void JNICALL jni_native_winAttach(JNIEnv *env, jclass native, jlong handle, jobject buffer, jlong bytes)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    int code = cor_win_attach(win, jni_win_address(env, buffer), (size_t)bytes);
    if (code < 0)
        jni_win_fail(env, cor_win_comm(win), "attach", code);
}

void JNICALL jni_native_winDetach(JNIEnv *env, jclass native, jlong handle, jobject buffer)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    int code = cor_win_detach(win, jni_win_address(env, buffer));
    if (code < 0)
        jni_win_fail(env, cor_win_comm(win), "detach", code);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

/* A unit is a kind of arrays, which stands for the type of its elements, or a datatype. */
static inline const cor_dtype *jni_win_type(jlong unit)
{
    return unit < JNI_KIND_DIRECT ? jni_kind_type((int)unit) : (const cor_dtype *)(uintptr_t)unit;
}

static cor_payload jni_win_payload(JNIEnv *env, jobject buffer, const jlong side[2])
{
    if (!buffer || side[1] == 0)
        return cor_payload_plain(NULL, 0);
    char *memory = (*env)->GetDirectBufferAddress(env, buffer);
    return cor_dtype_payload(jni_win_type(side[0]), memory, (size_t)side[1]);
}

jlong JNICALL jni_native_winStart(JNIEnv *env, jclass native, jlong handle, jint kind, jint op_and_kind,
                                  jobject origin, jobject result, jobject compare, jlongArray described, jobject kept)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    jni_win_numbers numbers;
    (*env)->GetLongArrayRegion(env, described, 0, (jsize)(sizeof numbers / sizeof(jlong)), (jlong *)(void *)&numbers);
    uint32_t op_number = (uint32_t)op_and_kind >> 8;
    cor_win_op op = {
        .kind = (cor_win_kind)kind,
        .target = (int)numbers.rank,
        .displacement = numbers.displacement,
        .count = (size_t)numbers.target[1],
        .type = jni_win_type(numbers.target[0]),
        .origin = jni_win_payload(env, origin, numbers.origin),
        .result = jni_win_payload(env, result, numbers.result),
        .compare = jni_win_address(env, compare),
        .element = jni_element_type(op_number, op_and_kind & 0xff),
        .op = op_number ? cor_op_predefined(op_number) : NULL,
    };
    cor_request *request = NULL;
    int code = cor_win_start(win, &op, kept ? &request : NULL);
    if (COR_UNLIKELY(code < 0)) {
        jni_win_fail(env, cor_win_comm(win), "put", code);
        return 0;
    }
    if (kept)
        cor_request_set_face(request, (*env)->NewGlobalRef(env, kept), jni_object_unref);
    return jni_handle(request);
}

/* ---- synchronization -------------------------------------------------------------------------------------------- */

static int jni_win_sync(cor_win *win, enum jni_win_how how, jint rank, jint asserts, int *flag_p)
{
    switch (how) {
    case JNI_WIN_FENCE:
        return cor_win_fence(win, asserts);
    case JNI_WIN_COMPLETE:
        return cor_win_complete(win);
    case JNI_WIN_WAIT:
        return cor_win_wait(win);
    case JNI_WIN_TEST:
        *flag_p = 0;
        return cor_win_test(win, flag_p);
    case JNI_WIN_LOCK_EXCLUSIVE:
    case JNI_WIN_LOCK_SHARED:
        return cor_win_lock(win, rank, how == JNI_WIN_LOCK_EXCLUSIVE, asserts);
    case JNI_WIN_LOCK_ALL:
        return cor_win_lock_all(win, asserts);
    case JNI_WIN_UNLOCK:
        return cor_win_unlock(win, rank);
    case JNI_WIN_UNLOCK_ALL:
        return cor_win_unlock_all(win);
    case JNI_WIN_FLUSH:
        return cor_win_flush(win, rank);
    case JNI_WIN_FLUSH_LOCAL:
        return cor_win_flush_local(win, rank);
    case JNI_WIN_SYNC:
        return cor_win_sync(win);
    }
    return COR_ERR_ARG;
}

jboolean JNICALL jni_native_winSync(JNIEnv *env, jclass native, jlong handle, jint how, jint rank, jint asserts)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    int flag = 1;
    int code = jni_win_sync(win, (enum jni_win_how)how, rank, asserts, &flag);
    if (COR_UNLIKELY(code < 0))
        jni_win_fail(env, cor_win_comm(win), "fence", code);
    return flag != 0;
}

void JNICALL jni_native_winGroup(JNIEnv *env, jclass native, jlong handle, jboolean is_post, jintArray members,
                                 jint asserts)
{
    (void)native;
    cor_win *win = jni_win_at(handle);
    int code;
    cor_group *group = jni_group_of(env, cor_win_comm(win), members, &code);
    if (group) {
        code = is_post ? cor_win_post(win, group, asserts) : cor_win_begin(win, group, asserts);
        cor_group_unref(group);
    }
    if (code < 0)
        jni_win_fail(env, cor_win_comm(win), is_post ? "post" : "start", code);
}
