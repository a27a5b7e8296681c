/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Java glue: shared by its files. Not included from outside src/jni.
 *
 * Every native method belongs to one Java class, corunna.engine.Native. A rank is a jni_rank behind a Java long, a
 * communicator and a request are the engine's own pointers behind Java longs. Java has checked every argument before
 * it calls (ranks, tags, bounds, array class), so the natives only translate and call.
 *
 * Exceptions are raised by jni_fail and jni_fail_status alone; a native that called one returns at once.
 */
#ifndef COR_JNI_FACE_H
#define COR_JNI_FACE_H

#include "base/list.h"
#include "dtype/predefined.h"
#include "jni/jni_store.h"
#include "mp/mp.h"

#include <jni.h>

/* Java's numbers where they differ from the engine's. */
enum { JNI_ANY_SOURCE = -2, JNI_UNDEFINED = -1 };

/* What a completion returns instead of a length in bytes. */
enum { JNI_CANCELLED = -1, JNI_PENDING = -2 };

/* The kinds of buffers, as corunna.engine.Native numbers them. */
enum jni_kind {
    JNI_KIND_BYTE,
    JNI_KIND_CHAR,
    JNI_KIND_SHORT,
    JNI_KIND_BOOLEAN,
    JNI_KIND_INT,
    JNI_KIND_LONG,
    JNI_KIND_FLOAT,
    JNI_KIND_DOUBLE,
    JNI_KIND_DIRECT,    /* a direct java.nio.Buffer */
    JNI_KIND_STORE,     /* a jni_store: the offset is its handle; a negative length: receive any length */
    JNI_KIND_ANY_ARRAY, /* an array of any primitive type: its bytes, wherever an element begins */
    /* Added to one of the arrays or DIRECT: under a datatype. The length is the datatype's handle; the offset has the
     * first element in its upper half, bytes of a DIRECT or of ANY_ARRAY, and the count in its lower half. */
    JNI_KIND_TYPED = 16,
    /* Added to the kind of the send buffer of a collective call: the receive buffer is the same array, perhaps at
     * another place. */
    JNI_KIND_SHARED = 32,
};

/* Point-to-point calls get the type class (payload.h) in the bits above the kind: the kind of array that its datatype
 * requires, or JNI_CLASS_OBJECT. Bytes, packed data and data without elements have class 0, which matches
 * everything. */
enum { JNI_CLASS_SHIFT = 8, JNI_CLASS_OBJECT = 8 };

/* Is this kind an array of the Java heap, and not memory with an address? */
static inline int jni_kind_is_array(int kind)
{
    return kind < JNI_KIND_DIRECT || kind == JNI_KIND_ANY_ARRAY;
}

/* Bytes of an element as a power of two, by kind of array. */
static inline unsigned jni_kind_shift(int kind)
{
    static const uint8_t shift[] = {0, 1, 1, 0, 2, 3, 2, 3, [JNI_KIND_ANY_ARRAY] = 0};
    return shift[kind];
}

/* The type of an array's elements, by its kind. NULL: not known (ANY_ARRAY, DIRECT, STORE). */
static inline const cor_dtype *jni_kind_type(int kind)
{
    /* MPI_BYTE, MPI_UINT16_T, MPI_SHORT, MPI_C_BOOL, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE, in the MPI ABI. */
    static const uint16_t numbers[] = {0x247, 0x249, 0x208, 0x238, 0x209, 0x20a, 0x210, 0x214};
    return kind < JNI_KIND_DIRECT ? cor_dtype_table[numbers[kind] - COR_DTYPE_FIRST] : NULL;
}

/* A rank exists after MPI.Finalize, with its engine's rank: a thread may have read the handle before and use it at any
 * later time. Only the garbage collector knows when no thread will. Where ranks are threads, it collects their class
 * loaders, and then the team frees the ranks (jni_team.c); a rank that is a process keeps about 13 KiB for each cycle
 * of Init and Finalize, of which 10 KiB are the settings (cor_config). */
typedef struct jni_rank {
    cor_rank *rank;
    /* Makes this rank's exceptions, whose class its own loader defined. A weak reference: the class holds it, and a
     * strong one would keep the class for ever. */
    jobject failures;
    void *attached;          /* memory of Buffer_attach allocated here, else NULL */
    jobject attached_buffer; /* global reference to a direct buffer that is attached, else NULL */
    jni_store_pool stores;
    cor_comm *parent; /* connects to the job that started this one, or NULL; Java frees it */
    int is_closed;    /* read once no thread of the rank makes calls any more */
    cor_link of_team; /* the team's `ranks`, if it has a team */
} jni_rank;

typedef struct jni_team jni_team;

static inline jni_rank *jni_rank_at(jlong handle)
{
    return (jni_rank *)(uintptr_t)handle;
}

static inline cor_comm *jni_comm_at(jlong handle)
{
    return (cor_comm *)(uintptr_t)handle;
}

static inline cor_request *jni_request_at(jlong handle)
{
    return (cor_request *)(uintptr_t)handle;
}

static inline jni_store *jni_store_at(jlong handle)
{
    return (jni_store *)(uintptr_t)handle;
}

static inline jlong jni_handle(const void *object)
{
    return (jlong)(uintptr_t)object;
}

/* The jni_rank of a communicator (kept with the world communicator). */
static inline jni_rank *jni_rank_of(const cor_comm *comm)
{
    return cor_comm_face(cor_rank_world(cor_rank_origin(cor_comm_owner(comm))));
}

static inline int jni_source(jint source)
{
    return source == JNI_ANY_SOURCE ? COR_ANY_SOURCE : source;
}

/* ---- jni_load.c ------------------------------------------------------------------------------------------------- */

/* The calling thread's environment. Only Java threads call this. */
JNIEnv *jni_env(void);
/* corunna.engine.Failures.make(int, String). */
jmethodID jni_failures_make(void);
/* corunna.engine.Combiner.combine(ByteBuffer, ByteBuffer, long). */
jmethodID jni_combiner_combine(void);

/* ---- jni_topology.c ---------------------------------------------------------------------------------------------- */

/* The members that Java names, as a group of the communicator's job; NULL with the code. */
struct cor_group *jni_group_of(JNIEnv *env, cor_comm *comm, jintArray members, int *code_p);

/* ---- jni_error.c ------------------------------------------------------------------------------------------------ */

/* Raise the exception for a failed call. `fault` may be NULL or of another failure: then the text of the code is used.
 */
void jni_fail(JNIEnv *env, jobject failures, const char *call, int code, const cor_fault *fault);
/* The same for a call on a rank, with the rank's own message; and, if there is one, the status with more detail. */
void jni_fail_status(JNIEnv *env, const jni_rank *rank, const char *call, int code, const cor_status *status);
/* The same where the name of the call comes from Java. */
void jni_fail_call(JNIEnv *env, const jni_rank *rank, jstring call, int code, const cor_status *status);

/* ---- jni_rank.c ------------------------------------------------------------------------------------------------- */

/* Free a rank that was closed; no thread has its handle any more. */
void jni_rank_destroy(JNIEnv *env, jni_rank *rank);
/* Java's strings as a NULL-terminated list of copies; NULL: no memory. */
char *jni_string_copy(JNIEnv *env, jstring string); /* NULL: no memory */
char **jni_overrides_copy(JNIEnv *env, jobjectArray strings);
void jni_overrides_free(char **texts);

/* ---- jni_team.c ------------------------------------------------------------------------------------------------- */

/* The engine's team for a Java handle; NULL for 0: the rank is a process. */
cor_team *jni_team_of(jlong handle);
/* The team frees the rank when it is freed; nothing happens without a team. */
void jni_team_keep(jlong handle, jni_rank *rank);

/* ---- jni_payload.c ---------------------------------------------------------------------------------------------- */

/* The payload of a Java array or direct buffer; `offset` and `bytes` in bytes. Usable by this thread during this
 * call; beyond it once held. */
cor_payload jni_payload(JNIEnv *env, jobject buffer, jlong offset, jlong bytes, jint kind);

/* The two parts of the number that Java passes: the kind of the buffer, and the type class of its elements. */
static inline jint jni_kind_of(jint kind_and_class)
{
    return kind_and_class & ((1 << JNI_CLASS_SHIFT) - 1);
}

static inline uint16_t jni_class_of(jint kind_and_class)
{
    return (uint16_t)(kind_and_class >> JNI_CLASS_SHIFT);
}

static inline cor_payload jni_message_payload(JNIEnv *env, jobject buffer, jlong offset, jlong bytes, jint kind)
{
    cor_payload payload = jni_payload(env, buffer, offset, bytes, jni_kind_of(kind));
    payload.type_class = jni_class_of(kind);
    return payload;
}

/* The same for memory of the glue that replaces the buffer. */
static inline cor_payload jni_plain_payload(const void *memory, size_t bytes, jint kind)
{
    cor_payload payload = cor_payload_plain(memory, bytes);
    payload.type_class = jni_class_of(kind);
    return payload;
}
/* The same under a datatype, see JNI_KIND_TYPED; it lives until the call ends, or, once held, until release. */
cor_payload jni_typed_payload(JNIEnv *env, jobject buffer, jlong place, jlong type, jint kind);
/* Copy between an array and plain memory, by this thread, now. */
void jni_array_read(JNIEnv *env, jarray array, int kind, size_t offset, void *to, size_t length);
void jni_array_write(JNIEnv *env, jarray array, int kind, size_t offset, const void *from, size_t length);

/* ---- jni_p2p.c -------------------------------------------------------------------------------------------------- */

/* Delete a global reference that a request has as its face. */
void jni_object_unref(void *object);
/* The handle of a request that was just started with this buffer, which it keeps as long as it needs it. */
jlong jni_started(JNIEnv *env, cor_request *request, jobject buffer, jlong offset, jint kind_and_class);

/* ---- jni_status.c ----------------------------------------------------------------------------------------------- */

/* A status as Java receives it: JNI_ENVELOPE_LONGS longs, in this order. */
enum { JNI_INDEX, JNI_SOURCE, JNI_TAG, JNI_BYTES, JNI_IS_CANCELLED, JNI_ENVELOPE_LONGS };

/* Write a status into envelope number `at` of the array; nothing if the array is NULL. */
void jni_envelope_set(JNIEnv *env, jlongArray envelopes, size_t at, int index, const cor_status *status);

static inline jlong jni_completion(const cor_status *status)
{
    return status->is_cancelled ? JNI_CANCELLED : (jlong)status->bytes;
}

#endif
