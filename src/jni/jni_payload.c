/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Java heap array as a payload: read into the wire's slot and written out of it with no buffer in between.
 *
 * `base` is the offset of the payload in the array in bytes, `owner` the array: a local reference until hold makes it
 * a global one. Before that only the thread that made the payload touches it; afterwards any Java thread may.
 *
 * A critical section blocks the garbage collector (or waits for it), so it is entered only around one memcpy and
 * nothing in it waits or calls Java.
 */
#include "jni/jni_face.h"

#include <string.h>

/* Pieces of at least so many bytes are copied in a critical section, smaller ones by Get/Set<Type>ArrayRegion, which
 * leaves the collector alone but copies by elements. */
enum { JNI_CRITICAL_MIN_BYTES = 4096 };

static void jni_critical_read(JNIEnv *env, jarray array, size_t offset, void *to, size_t length)
{
    const char *from = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    COR_ASSERT(from);
    memcpy(to, from + offset, length);
    (*env)->ReleasePrimitiveArrayCritical(env, array, (void *)(uintptr_t)from, JNI_ABORT);
}

static void jni_critical_write(JNIEnv *env, jarray array, size_t offset, const void *from, size_t length)
{
    char *to = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    COR_ASSERT(to);
    memcpy(to + offset, from, length);
    (*env)->ReleasePrimitiveArrayCritical(env, array, to, 0);
}

/* A wire may split a message anywhere; a piece that does not begin and end with an element is not a region of the
 * array. Where the elements are not known, no piece is. */
static inline int jni_is_region(int kind, size_t offset, size_t length)
{
    size_t mask = ((size_t)1 << jni_kind_shift(kind)) - 1;
    return length < JNI_CRITICAL_MIN_BYTES && ((offset | length) & mask) == 0 && kind < JNI_KIND_DIRECT;
}

void jni_array_read(JNIEnv *env, jarray array, int kind, size_t offset, void *to, size_t length)
{
    if (COR_UNLIKELY(length == 0))
        return; /* it may lie beyond the array, where there is no region at all */
    if (COR_UNLIKELY(!jni_is_region(kind, offset, length))) {
        jni_critical_read(env, array, offset, to, length);
        return;
    }
    jsize at = (jsize)(offset >> jni_kind_shift(kind)), count = (jsize)(length >> jni_kind_shift(kind));
    switch ((enum jni_kind)kind) {
    case JNI_KIND_BYTE:
        (*env)->GetByteArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_CHAR:
        (*env)->GetCharArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_SHORT:
        (*env)->GetShortArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_BOOLEAN:
        (*env)->GetBooleanArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_INT:
        (*env)->GetIntArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_LONG:
        (*env)->GetLongArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_FLOAT:
        (*env)->GetFloatArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_DOUBLE:
        (*env)->GetDoubleArrayRegion(env, array, at, count, to);
        break;
    case JNI_KIND_DIRECT:
    case JNI_KIND_STORE:
    case JNI_KIND_ANY_ARRAY:
    case JNI_KIND_TYPED:
    case JNI_KIND_SHARED:
        COR_ASSERT(kind < JNI_KIND_DIRECT);
        break;
    }
}

void jni_array_write(JNIEnv *env, jarray array, int kind, size_t offset, const void *from, size_t length)
{
    if (COR_UNLIKELY(length == 0))
        return;
    if (COR_UNLIKELY(!jni_is_region(kind, offset, length))) {
        jni_critical_write(env, array, offset, from, length);
        return;
    }
    jsize at = (jsize)(offset >> jni_kind_shift(kind)), count = (jsize)(length >> jni_kind_shift(kind));
    switch ((enum jni_kind)kind) {
    case JNI_KIND_BYTE:
        (*env)->SetByteArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_CHAR:
        (*env)->SetCharArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_SHORT:
        (*env)->SetShortArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_BOOLEAN:
        (*env)->SetBooleanArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_INT:
        (*env)->SetIntArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_LONG:
        (*env)->SetLongArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_FLOAT:
        (*env)->SetFloatArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_DOUBLE:
        (*env)->SetDoubleArrayRegion(env, array, at, count, from);
        break;
    case JNI_KIND_DIRECT:
    case JNI_KIND_STORE:
    case JNI_KIND_ANY_ARRAY:
    case JNI_KIND_TYPED:
    case JNI_KIND_SHARED:
        COR_ASSERT(kind < JNI_KIND_DIRECT);
        break;
    }
}

static void jni_payload_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    jni_array_read(jni_env(), p->owner, p->kind, (size_t)(uintptr_t)p->base + offset, to, length);
}

static void jni_payload_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    jni_array_write(jni_env(), p->owner, p->kind, (size_t)(uintptr_t)p->base + offset, from, length);
}

static void *jni_payload_map(const cor_payload *p)
{
    JNIEnv *env = jni_env();
    char *array = (*env)->GetPrimitiveArrayCritical(env, p->owner, NULL);
    COR_ASSERT(array);
    return array + (uintptr_t)p->base;
}

static void jni_payload_unmap(const cor_payload *p, void *memory, int is_written)
{
    JNIEnv *env = jni_env();
    char *array = (char *)memory - (uintptr_t)p->base;
    (*env)->ReleasePrimitiveArrayCritical(env, p->owner, array, is_written ? 0 : JNI_ABORT);
}

static void jni_payload_hold(cor_payload *p)
{
    JNIEnv *env = jni_env();
    p->owner = (*env)->NewGlobalRef(env, p->owner);
    COR_ASSERT(p->owner);
}

static void jni_payload_release(cor_payload *p)
{
    JNIEnv *env = jni_env();
    (*env)->DeleteGlobalRef(env, p->owner);
}

static const cor_payload_ops jni_array_ops = {
    .read = jni_payload_read,
    .write = jni_payload_write,
    .map = jni_payload_map,
    .unmap = jni_payload_unmap,
    .hold = jni_payload_hold,
    .release = jni_payload_release,
};

cor_payload jni_payload(JNIEnv *env, jobject buffer, jlong offset, jlong bytes, jint kind)
{
    if (bytes == 0)
        return cor_payload_plain(NULL, 0);
    if (kind & JNI_KIND_TYPED)
        return jni_typed_payload(env, buffer, offset, bytes, kind & ~JNI_KIND_TYPED);
    if (kind == JNI_KIND_STORE) {
        jni_store *store = jni_store_at(offset);
        return bytes < 0 ? jni_store_payload(store) : cor_payload_plain(store->memory, (size_t)bytes);
    }
    if (kind == JNI_KIND_DIRECT)
        return cor_payload_plain((char *)(*env)->GetDirectBufferAddress(env, buffer) + offset, (size_t)bytes);
    return (cor_payload){
        .ops = &jni_array_ops,
        .base = (void *)(uintptr_t)offset,
        .bytes = (size_t)bytes,
        .owner = buffer,
        .kind = kind,
    };
}
