/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived datatypes: Java's constructors, and a Java heap array under a datatype as a payload.
 *
 * Such a payload is packed straight into the wire's slot and unpacked straight out of it, inside a critical section
 * (see jni_payload.c) that holds for one piece.
 */
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include "dtype/dtype.h"

#include <stdlib.h>

static inline const cor_dtype *jni_type_at(jlong handle)
{
    return (const cor_dtype *)(uintptr_t)handle;
}

/* ---- arrays under a datatype ------------------------------------------------------------------------------------ */

/* `base` is the type, `kind` the first element's index in the array, `owner` the array; the table says how many bytes
 * an element has. The type's size divides `bytes` and gives the count. */

/* It may lie before the array, if the type's data begin at a positive offset. */
static inline ptrdiff_t jni_typed_begin(const cor_payload *p, unsigned shift)
{
    return (ptrdiff_t)p->kind * ((ptrdiff_t)1 << shift);
}

static void jni_typed_read(const cor_payload *p, unsigned shift, size_t offset, void *to, size_t length)
{
    JNIEnv *env = jni_env();
    const cor_dtype *type = p->base;
    const char *array = (*env)->GetPrimitiveArrayCritical(env, p->owner, NULL);
    COR_ASSERT(array);
    cor_dtype_pack(type, array + jni_typed_begin(p, shift), p->bytes / type->size, offset, to, length);
    (*env)->ReleasePrimitiveArrayCritical(env, p->owner, (void *)(uintptr_t)array, JNI_ABORT);
}

static void jni_typed_write(const cor_payload *p, unsigned shift, size_t offset, const void *from, size_t length)
{
    JNIEnv *env = jni_env();
    const cor_dtype *type = p->base;
    char *array = (*env)->GetPrimitiveArrayCritical(env, p->owner, NULL);
    COR_ASSERT(array);
    cor_dtype_unpack(type, array + jni_typed_begin(p, shift), p->bytes / type->size, offset, from, length);
    (*env)->ReleasePrimitiveArrayCritical(env, p->owner, array, 0);
}

static void jni_typed_hold(cor_payload *p)
{
    JNIEnv *env = jni_env();
    p->owner = (*env)->NewGlobalRef(env, p->owner);
    COR_ASSERT(p->owner);
    cor_dtype_ref(p->base);
}

static void jni_typed_release(cor_payload *p)
{
    JNIEnv *env = jni_env();
    (*env)->DeleteGlobalRef(env, p->owner);
    cor_dtype_unref(p->base);
}

#define JNI_TYPED_FUNCTIONS(shift)                                                                                    \
    static void jni_typed_read_##shift(const cor_payload *p, size_t offset, void *to, size_t length)                  \
    {                                                                                                                 \
        jni_typed_read(p, shift, offset, to, length);                                                                 \
    }                                                                                                                 \
    static void jni_typed_write_##shift(const cor_payload *p, size_t offset, const void *from, size_t length)         \
    {                                                                                                                 \
        jni_typed_write(p, shift, offset, from, length);                                                              \
    }
JNI_TYPED_FUNCTIONS(0)
JNI_TYPED_FUNCTIONS(1)
JNI_TYPED_FUNCTIONS(2)
JNI_TYPED_FUNCTIONS(3)
#undef JNI_TYPED_FUNCTIONS

#define JNI_TYPED_ROW(shift)                                                                                          \
    [shift] = {.read = jni_typed_read_##shift,                                                                        \
               .write = jni_typed_write_##shift,                                                                      \
               .hold = jni_typed_hold,                                                                                \
               .release = jni_typed_release}
static const cor_payload_ops jni_typed_ops[] = {JNI_TYPED_ROW(0), JNI_TYPED_ROW(1), JNI_TYPED_ROW(2),
                                                JNI_TYPED_ROW(3)};
#undef JNI_TYPED_ROW

cor_payload jni_typed_payload(JNIEnv *env, jobject buffer, jlong place, jlong type_handle, jint kind)
{
    const cor_dtype *type = jni_type_at(type_handle);
    size_t count = (size_t)(place & INT32_MAX);
    ptrdiff_t first = (ptrdiff_t)(place >> 32);
    if (kind == JNI_KIND_DIRECT)
        return cor_dtype_payload(type, (char *)(*env)->GetDirectBufferAddress(env, buffer) + first, count);
    return (cor_payload){
        .ops = &jni_typed_ops[jni_kind_shift(kind)],
        .base = (void *)(uintptr_t)type,
        .bytes = type->size * count,
        .owner = buffer,
        .kind = (int32_t)first,
    };
}

/* ---- constructors ----------------------------------------------------------------------------------------------- */

/* As extent: the bounds that the engine finds. */
#define JNI_NATURAL INT64_MIN

/* The type with Java's bounds, which know of LB and UB. Takes over `made`; 0 if there is no memory. */
static jlong jni_type_bounded(int code, const cor_dtype *made, jlong lb, jlong extent)
{
    if (code < 0)
        return 0;
    if (extent == JNI_NATURAL)
        return jni_handle(made);
    if (made->lb == lb && made->extent == extent)
        return jni_handle(made);
    const cor_dtype *resized;
    code = cor_dtype_resized(made, lb, extent, &resized);
    cor_dtype_unref(made);
    return code < 0 ? 0 : jni_handle(resized);
}

jlong JNICALL jni_native_typeRow(JNIEnv *env, jclass native, jint kind, jint elements)
{
    (void)env, (void)native;
    const cor_dtype *type;
    return cor_dtype_contiguous((size_t)elements, jni_kind_type(kind), &type) < 0 ? 0 : jni_handle(type);
}

jlong JNICALL jni_native_typePair(JNIEnv *env, jclass native, jint reduce_kind)
{
    (void)env, (void)native;
    return jni_handle(jni_element_type(0, reduce_kind));
}

jlong JNICALL jni_native_typeVector(JNIEnv *env, jclass native, jint count, jint length, jlong stride, jlong base,
                                    jlong lb, jlong extent)
{
    (void)env, (void)native;
    const cor_dtype *type;
    int code = cor_dtype_hvector((size_t)count, (size_t)length, stride, jni_type_at(base), &type);
    return jni_type_bounded(code, type, lb, extent);
}

/* Java's arrays of block lengths and displacements as the engine takes them, in one piece of memory. */
typedef struct jni_blocks {
    size_t count;
    size_t *lengths;
    ptrdiff_t *displacements;
    const cor_dtype **types;
} jni_blocks;

static int jni_blocks_init(jni_blocks *blocks, JNIEnv *env, jintArray lengths, jlongArray displacements,
                           jlongArray types)
{
    size_t count = (size_t)(*env)->GetArrayLength(env, lengths);
    char *memory = malloc((count + 1) * (sizeof(size_t) + sizeof(ptrdiff_t) + sizeof(void *) + sizeof(jint)));
    if (!memory)
        return 0;
    blocks->count = count;
    blocks->lengths = (void *)memory;
    blocks->displacements = (void *)(blocks->lengths + count);
    blocks->types = (void *)(blocks->displacements + count);
    jint *java_lengths = (void *)(blocks->types + count);
    (*env)->GetIntArrayRegion(env, lengths, 0, (jsize)count, java_lengths);
    (*env)->GetLongArrayRegion(env, displacements, 0, (jsize)count, (jlong *)blocks->displacements);
    if (types)
        (*env)->GetLongArrayRegion(env, types, 0, (jsize)count, (jlong *)(void *)blocks->types);
    for (size_t i = 0; i < count; i++)
        blocks->lengths[i] = (size_t)java_lengths[i];
    return 1;
}

_Static_assert(sizeof(jlong) == sizeof(ptrdiff_t) && sizeof(jlong) == sizeof(void *),
               "Java's longs are read in place");

jlong JNICALL jni_native_typeIndexed(JNIEnv *env, jclass native, jintArray lengths, jlongArray displacements,
                                     jlong base, jlong lb, jlong extent)
{
    (void)native;
    jni_blocks blocks;
    if (!jni_blocks_init(&blocks, env, lengths, displacements, NULL))
        return 0;
    const cor_dtype *type;
    int code = cor_dtype_hindexed(blocks.count, blocks.lengths, blocks.displacements, jni_type_at(base), &type);
    free(blocks.lengths);
    return jni_type_bounded(code, type, lb, extent);
}

jlong JNICALL jni_native_typeStruct(JNIEnv *env, jclass native, jintArray lengths, jlongArray displacements,
                                    jlongArray types, jlong lb, jlong extent)
{
    (void)native;
    jni_blocks blocks;
    if (!jni_blocks_init(&blocks, env, lengths, displacements, types))
        return 0;
    const cor_dtype *type;
    int code = cor_dtype_struct(blocks.count, blocks.lengths, blocks.displacements, blocks.types, &type);
    free(blocks.lengths);
    return jni_type_bounded(code, type, lb, extent);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

jboolean JNICALL jni_native_typeIsRow(JNIEnv *env, jclass native, jlong handle, jint kind)
{
    (void)env, (void)native;
    const cor_dtype *type = jni_type_at(handle), *only = cor_dtype_only(type);
    return type->is_contiguous && (only == jni_kind_type(kind) || type->size == 0);
}

jint JNICALL jni_native_typeReceiveMax(JNIEnv *env, jclass native, jlong type)
{
    (void)env, (void)native;
    size_t most = cor_dtype_receive_max(jni_type_at(type));
    return most < INT32_MAX ? (jint)most : INT32_MAX;
}

void JNICALL jni_native_typeFree(JNIEnv *env, jclass native, jlong type)
{
    (void)env, (void)native;
    cor_dtype_unref(jni_type_at(type));
}

/* ---- packing into byte[] ---------------------------------------------------------------------------------------- */

void JNICALL jni_native_pack(JNIEnv *env, jclass native, jobject in, jlong in_offset, jlong in_bytes, jint in_kind,
                             jbyteArray packed, jint position, jlong length)
{
    (void)native;
    cor_payload from = jni_payload(env, in, in_offset, in_bytes, in_kind);
    cor_payload to = jni_payload(env, packed, position, length, JNI_KIND_BYTE);
    cor_payload_copy(&to, &from, (size_t)length);
}

void JNICALL jni_native_unpack(JNIEnv *env, jclass native, jobject out, jlong out_offset, jlong out_bytes,
                               jint out_kind, jbyteArray packed, jint position, jlong length)
{
    (void)native;
    cor_payload to = jni_payload(env, out, out_offset, out_bytes, out_kind);
    cor_payload from = jni_payload(env, packed, position, length, JNI_KIND_BYTE);
    cor_payload_copy(&to, &from, (size_t)length);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Size, bounds and true bounds, in bytes. */
void JNICALL jni_native_typeBounds(JNIEnv *env, jclass native, jlong handle, jlongArray bounds)
{
    (void)native;
    const cor_dtype *type = jni_type_at(handle);
    const jlong numbers[] = {(jlong)type->size, type->lb, type->lb + type->extent, type->true_lb, type->true_ub};
    (*env)->SetLongArrayRegion(env, bounds, 0, (jsize)(sizeof numbers / sizeof *numbers), numbers);
}

jlong JNICALL jni_native_typeElements(JNIEnv *env, jclass native, jlong handle, jlong bytes)
{
    (void)env, (void)native;
    return cor_dtype_elements(jni_type_at(handle), (uint64_t)bytes);
}
