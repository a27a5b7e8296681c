/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files. A buffer goes to the engine as a payload, as in messages: it moves a Java array in pieces, or holds it and
 * works on a copy of its own, where another thread than the caller's reads and writes the file.
 */
#include "file/file.h"
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include <stdlib.h>

/* The numbers of corunna.engine.Native. */
enum { JNI_FILE_WRITE = 1, JNI_FILE_COLLECTIVE = 2, JNI_FILE_POINTER_SHIFT = 3 };

enum jni_file_number {
    JNI_FILE_SIZE,
    JNI_FILE_POSITION,
    JNI_FILE_POSITION_SHARED,
    JNI_FILE_DISPLACEMENT,
    JNI_FILE_ATOMICITY,
    JNI_FILE_ROOM,
    JNI_FILE_SYNC,
};

enum jni_file_format { JNI_FILE_NATIVE, JNI_FILE_INTERNAL, JNI_FILE_EXTERNAL32 };

static inline cor_file *jni_file_at(jlong handle)
{
    return (cor_file *)(uintptr_t)handle;
}

/* Java gives the exception the name of the method that the program called. */
static __attribute__((noinline)) void jni_file_fail(JNIEnv *env, cor_comm *comm, const char *call, int code)
{
    if (code == COR_ERR_PEER)
        cor_comm_name_loss(comm);
    jni_fail_status(env, jni_rank_of(comm), call, code, NULL);
}

/* Java's bytes as a name; NULL: no memory. */
static char *jni_file_name(JNIEnv *env, jbyteArray name)
{
    jsize length = (*env)->GetArrayLength(env, name);
    char *copy = calloc((size_t)length + 1, 1);
    if (copy)
        (*env)->GetByteArrayRegion(env, name, 0, length, (jbyte *)copy);
    return copy;
}

/* Java's keys and values, in turn, as hints. *hints_p is NULL if there are none. */
static int jni_file_hints_of(JNIEnv *env, jobjectArray strings, cor_info **hints_p)
{
    *hints_p = NULL;
    jsize count = (*env)->GetArrayLength(env, strings);
    if (count == 0)
        return COR_OK;
    cor_info *hints = cor_info_create();
    char **texts = jni_overrides_copy(env, strings);
    int code = hints && texts ? COR_OK : COR_ERR_MEMORY;
    for (jsize i = 0; code == COR_OK && i + 1 < count; i += 2)
        code = cor_info_set(hints, texts[i], texts[i + 1]);
    jni_overrides_free(texts);
    if (code < 0)
        cor_info_destroy(hints);
    else
        *hints_p = hints;
    return code;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_fileOpen(JNIEnv *env, jclass native, jlong handle, jbyteArray name, jint mode,
                                  jobjectArray strings)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle);
    cor_file *file = NULL;
    cor_info *hints = NULL;
    char *path = jni_file_name(env, name);
    int code = path ? jni_file_hints_of(env, strings, &hints) : COR_ERR_MEMORY;
    if (code == COR_OK)
        code = cor_file_open(comm, path, mode, hints, &file);
    cor_info_destroy(hints);
    free(path);
    if (code < 0) {
        jni_file_fail(env, comm, "File", code);
        return 0;
    }
    return jni_handle(file);
}

void JNICALL jni_native_fileClose(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_comm *comm = cor_file_comm(file);
    cor_comm_hold(comm); /* a failure needs it after the file is gone */
    int code = cor_file_close(&file);
    if (code < 0)
        jni_file_fail(env, comm, "close", code);
    cor_comm_unref(comm);
}

void JNICALL jni_native_fileDelete(JNIEnv *env, jclass native, jlong rank, jbyteArray name)
{
    (void)native;
    char *path = jni_file_name(env, name);
    int code = path ? cor_file_delete(jni_rank_at(rank)->rank, path) : COR_ERR_MEMORY;
    free(path);
    if (code < 0)
        jni_fail_status(env, jni_rank_at(rank), "delete", code, NULL);
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_fileNumber(JNIEnv *env, jclass native, jlong handle, jint which)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    int64_t number = 0;
    int code = COR_OK;
    switch ((enum jni_file_number)which) {
    case JNI_FILE_SIZE:
        code = cor_file_size(file, &number);
        break;
    case JNI_FILE_POSITION:
        number = cor_file_position(file);
        break;
    case JNI_FILE_POSITION_SHARED:
        code = cor_file_position_shared(file, &number);
        break;
    case JNI_FILE_DISPLACEMENT:
        number = cor_file_view_of(file)->displacement;
        break;
    case JNI_FILE_ATOMICITY:
        number = cor_file_is_atomic(file);
        break;
    case JNI_FILE_ROOM:
    case JNI_FILE_SYNC:
        code = COR_ERR_ARG;
        break;
    }
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "getSize", code);
    return number;
}

void JNICALL jni_native_fileSet(JNIEnv *env, jclass native, jlong handle, jint what, jlong value)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    int code = COR_ERR_ARG;
    switch ((enum jni_file_number)what) {
    case JNI_FILE_SIZE:
        code = cor_file_set_size(file, value);
        break;
    case JNI_FILE_ROOM:
        code = cor_file_preallocate(file, value);
        break;
    case JNI_FILE_ATOMICITY:
        code = cor_file_set_atomic(file, value != 0);
        break;
    case JNI_FILE_SYNC:
        code = cor_file_sync(file);
        break;
    case JNI_FILE_POSITION:
    case JNI_FILE_POSITION_SHARED:
    case JNI_FILE_DISPLACEMENT:
        break;
    }
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "sync", code);
}

void JNICALL jni_native_fileSetHints(JNIEnv *env, jclass native, jlong handle, jobjectArray strings)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_info *hints;
    int code = jni_file_hints_of(env, strings, &hints);
    if (code == COR_OK)
        code = cor_file_set_hints(file, hints);
    cor_info_destroy(hints);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "setInfo", code);
}

/* Keys and values, in turn; NULL with an exception where Java has no memory. */
static jobjectArray jni_file_strings(JNIEnv *env, const cor_info *hints)
{
    int count = cor_info_count(hints);
    jclass strings = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array = strings ? (*env)->NewObjectArray(env, 2 * count, strings, NULL) : NULL;
    for (int i = 0; array && i < 2 * count; i++) {
        const char *key = cor_info_key(hints, i / 2);
        jstring text = (*env)->NewStringUTF(env, i % 2 ? cor_info_get(hints, key) : key);
        if (!text)
            return NULL;
        (*env)->SetObjectArrayElement(env, array, i, text);
        (*env)->DeleteLocalRef(env, text);
    }
    return array;
}

jobjectArray JNICALL jni_native_fileHints(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    const cor_file *file = jni_file_at(handle);
    cor_info *hints = cor_info_create();
    int code = hints ? cor_file_hints(file, hints) : COR_ERR_MEMORY;
    jobjectArray array = NULL;
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "getInfo", code);
    else
        array = jni_file_strings(env, hints);
    cor_info_destroy(hints);
    return array;
}

/* ---- the view, and where the next access begins ----------------------------------------------------------------- */

static const cor_file_format *jni_file_format_of(jint format)
{
    switch ((enum jni_file_format)format) {
    case JNI_FILE_INTERNAL:
        return &cor_file_internal;
    case JNI_FILE_EXTERNAL32:
        return &cor_file_external32;
    case JNI_FILE_NATIVE:
        break;
    }
    return &cor_file_native;
}

void JNICALL jni_native_fileSetView(JNIEnv *env, jclass native, jlong handle, jlong displacement, jlong etype,
                                    jlong filetype, jint format)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_file_view view = {
        .displacement = displacement < 0 ? COR_FILE_HERE : displacement,
        .etype = (const cor_dtype *)(uintptr_t)etype,
        .filetype = (const cor_dtype *)(uintptr_t)filetype,
        .format = jni_file_format_of(format),
    };
    int code = cor_file_set_view(file, &view);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "setView", code);
}

jlong JNICALL jni_native_fileTypeExtent(JNIEnv *env, jclass native, jlong handle, jlong type)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    int64_t extent = 0;
    int code = cor_file_type_extent(file, (const cor_dtype *)(uintptr_t)type, &extent);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "getTypeExtent", code);
    return extent;
}

jlong JNICALL jni_native_fileByteOffset(JNIEnv *env, jclass native, jlong handle, jlong offset)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    int64_t bytes = 0;
    int code = cor_file_byte_offset(file, offset, &bytes);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "getByteOffset", code);
    return bytes;
}

/* Java has the numbers of cor_file_whence. */
void JNICALL jni_native_fileSeek(JNIEnv *env, jclass native, jlong handle, jlong offset, jint whence,
                                 jboolean is_shared)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    int code = is_shared ? cor_file_seek_shared(file, offset, (cor_file_whence)whence)
                         : cor_file_seek(file, offset, (cor_file_whence)whence);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), is_shared ? "seekShared" : "seek", code);
}

/* ---- reading and writing ---------------------------------------------------------------------------------------- */

static cor_file_access jni_file_access(jint what, jlong offset)
{
    return (cor_file_access){
        .is_write = (what & JNI_FILE_WRITE) != 0,
        .is_collective = (what & JNI_FILE_COLLECTIVE) != 0,
        .pointer = (uint8_t)(what >> JNI_FILE_POINTER_SHIFT),
        .offset = offset,
    };
}

/* What is moved, and what its elements are, which formats of files convert. */
static void jni_file_set_memory(JNIEnv *env, cor_file_access *access, jobject buffer, jlong at, jlong bytes, jint kind,
                                jint element)
{
    const cor_dtype *type = jni_kind_type(element);
    access->memory = jni_payload(env, buffer, at, bytes, kind);
    if (kind & JNI_KIND_TYPED)
        access->type = (const cor_dtype *)(uintptr_t)bytes;
    else
        access->type = type ? type : jni_element_type(0, element);
    access->count = access->type->size > 0 ? access->memory.bytes / access->type->size : 0;
}

jlong JNICALL jni_native_fileRun(JNIEnv *env, jclass native, jlong handle, jint what, jlong offset, jobject buffer,
                                 jlong at, jlong bytes, jint kind, jint element)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_file_access access = jni_file_access(what, offset);
    jni_file_set_memory(env, &access, buffer, at, bytes, kind, element);
    cor_status status = cor_status_empty;
    int code = cor_file_run(file, &access, &status);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "read", code);
    return (jlong)status.bytes;
}

jlong JNICALL jni_native_fileStart(JNIEnv *env, jclass native, jlong handle, jint what, jlong offset, jobject buffer,
                                   jlong at, jlong bytes, jint kind, jint element)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_file_access access = jni_file_access(what, offset);
    jni_file_set_memory(env, &access, buffer, at, bytes, kind, element);
    cor_request *request = NULL;
    int code = cor_file_start(file, &access, &request);
    if (code < 0) {
        jni_file_fail(env, cor_file_comm(file), "iRead", code);
        return 0;
    }
    return jni_started(env, request, buffer, at, kind);
}

void JNICALL jni_native_fileBegin(JNIEnv *env, jclass native, jlong handle, jint what, jlong offset, jobject buffer,
                                  jlong at, jlong bytes, jint kind, jint element)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_file_access access = jni_file_access(what, offset);
    jni_file_set_memory(env, &access, buffer, at, bytes, kind, element);
    int code = cor_file_begin(file, &access);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "readAllBegin", code);
}

/* Java has compared the buffers. */
jlong JNICALL jni_native_fileEnd(JNIEnv *env, jclass native, jlong handle, jint what)
{
    (void)native;
    cor_file *file = jni_file_at(handle);
    cor_file_access access = jni_file_access(what, 0);
    cor_status status = cor_status_empty;
    int code = cor_file_end(file, &access, &status);
    if (code < 0)
        jni_file_fail(env, cor_file_comm(file), "readAllEnd", code);
    return (jlong)status.bytes;
}
