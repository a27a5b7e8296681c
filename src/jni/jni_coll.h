/* SPDX-License-Identifier: Apache-2.0 */
/* Collective calls from Java, with two sides (jni_side.h): for jni_coll.c and jni_op.c. */
#ifndef COR_JNI_COLL_H
#define COR_JNI_COLL_H

#include "jni/jni_side.h"

/* The three numbers that Java passes as one (Native.primitiveAndKinds). */
typedef struct jni_what {
    int primitive;
    jint out_kind, in_kind;
} jni_what;

static inline jni_what jni_what_of(jint packed)
{
    return (jni_what){packed & 0xff, packed >> 8 & 0xff, packed >> 16 & 0xff};
}

/* Begin a blocking call of Java's. */
static inline cor_call jni_coll_begin(jlong comm, jint primitive, jint root)
{
    cor_coll_begin(jni_comm_at(comm));
    return (cor_call){.primitive = (cor_primitive)primitive, .comm = jni_comm_at(comm), .root = root};
}

/* Raise the exception for a call that failed. */
void jni_coll_fail(JNIEnv *env, const cor_call *call, int code);

/* Run the call on both sides, and raise the exception if it fails. is_staged: both sides are plain memory, as an
 * operator of Java's needs them. The sides are closed. */
void jni_coll_run(JNIEnv *env, cor_call *call, jni_side *send, jni_side *recv, int is_staged);

/* Once, before all calls. */
void jni_op_load(void);

/* An operator as Java passes it: a small number is one of the engine's on a kind of elements (Native.opAndKind), any
 * other a combiner (Native.combinerCreate). *own_p is an operator for the caller to release, or NULL. COR_ERR_TYPE,
 * COR_ERR_MEMORY. */
int jni_reducer_init(cor_reducer *reducer, jlong op, cor_op **own_p);

/* The engine's type of the elements that one of its operators combines; 0: no operator. Not of pairs of shorts and of
 * longs, which the engine lacks. */
const cor_dtype *jni_element_type(uint32_t op, int kind);

/* Where the blocks of a result begin: blocks of `counts` elements, which together have `bytes` bytes. In `few` if that
 * is not NULL and large enough, else in memory that the caller frees. NULL: no memory. */
size_t *jni_block_starts(JNIEnv *env, jintArray counts, size_t bytes, int size, size_t few[]);

#endif
