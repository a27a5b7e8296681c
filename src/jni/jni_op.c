/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: Java's operators on the elements of Java's arrays.
 *
 * Predefined operators are the engine's, on the engine's type that looks like the Java one. Of the pairs for MINLOC
 * and MAXLOC the engine lacks those of shorts and of longs: they are operators of this file. A user-defined operator
 * is a corunna.engine.Combiner, which is called with views of the engine's memory.
 */
#include "dtype/op_kernels.h"
#include "jni/jni_coll.h"
#include "jni/jni_natives.h"

#include <stdlib.h>
#include <string.h>

enum { JNI_OP_MINLOC = 0x38, JNI_OP_MAXLOC = 0x39 }; /* the ABI's numbers, which Java uses as well */

/* What reductions know beside the kinds of arrays; corunna.engine.Native has the same numbers. */
enum {
    JNI_REDUCE_FLOAT_COMPLEX = JNI_KIND_DOUBLE + 1,
    JNI_REDUCE_DOUBLE_COMPLEX,
    JNI_REDUCE_SHORT_INT,
    JNI_REDUCE_LONG_INT,
    JNI_REDUCE_FLOAT_INT,
    JNI_REDUCE_DOUBLE_INT,
    JNI_REDUCE_KINDS
};

/* The engine's types by these kinds: MPI_INT8_T, MPI_UINT16_T, MPI_INT16_T, MPI_C_BOOL, MPI_INT32_T, MPI_INT64_T,
 * MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX; then MPI_SHORT_INT, MPI_LONG_INT, MPI_FLOAT_INT,
 * MPI_DOUBLE_INT, for which only MINLOC and MAXLOC are defined. */
static const uint16_t jni_kind_types[JNI_REDUCE_KINDS] = {0x240, 0x249, 0x248, 0x238, 0x250, 0x258, 0x210,
                                                          0x214, 0x212, 0x216, 0x22c, 0x22a, 0x228, 0x229};

/* Pairs: MPI_2INT, MPI_2REAL, MPI_2DOUBLE_PRECISION are those of int, float and double. For the others only the size
 * of the type counts, because the operator is ours: 4 bytes (MPI_INT32_T) and 16 (MPI_2DOUBLE_PRECISION). */
static uint32_t jni_pair_type(int kind)
{
    switch (kind) {
    case JNI_KIND_SHORT:
        return 0x250;
    case JNI_KIND_INT:
        return 0x22b;
    case JNI_KIND_FLOAT:
        return 0x230;
    case JNI_REDUCE_SHORT_INT:
    case JNI_REDUCE_LONG_INT:
    case JNI_REDUCE_FLOAT_INT:
    case JNI_REDUCE_DOUBLE_INT:
        return jni_kind_types[kind];
    default:
        return 0x231;
    }
}

/* ---- pairs of shorts and of longs ------------------------------------------------------------------------------- */

typedef struct jni_pair_op {
    int is_max;
} jni_pair_op;

static const jni_pair_op jni_pair_min = {0}, jni_pair_max = {1};

/* Of equal values the lower place counts. Memory need not be aligned. */
#define JNI_PAIR_APPLY(type)                                                                                          \
    static void jni_pair_apply_##type(const cor_op *op, const void *in, void *inout, size_t count,                    \
                                      const cor_dtype *unused, void *handle)                                          \
    {                                                                                                                 \
        (void)unused, (void)handle;                                                                                   \
        int is_max = ((const jni_pair_op *)op->context)->is_max;                                                      \
        for (size_t i = 0; i < count; i++) {                                                                          \
            type a[2], b[2];                                                                                          \
            char *place = (char *)inout + i * sizeof b;                                                               \
            memcpy(a, (const char *)in + i * sizeof a, sizeof a);                                                     \
            memcpy(b, place, sizeof b);                                                                               \
            if (is_max ? a[0] > b[0] : a[0] < b[0])                                                                   \
                memcpy(place, a, sizeof a);                                                                           \
            else if (a[0] == b[0] && a[1] < b[1])                                                                     \
                memcpy(place + sizeof a[0], &a[1], sizeof a[1]);                                                      \
        }                                                                                                             \
    }
JNI_PAIR_APPLY(int16_t)
JNI_PAIR_APPLY(int64_t)
#undef JNI_PAIR_APPLY

/* ---- a program's own -------------------------------------------------------------------------------------------- */

typedef struct jni_user_op {
    jobject combiner;      /* global reference: another thread of the rank may make the progress */
    const cor_dtype *type; /* of the elements; Java keeps it until the calls have begun */
    int is_lost;           /* a view could not be made: there was no memory for it */
} jni_user_op;

static void jni_user_free(void *context)
{
    jni_user_op *user = context;
    JNIEnv *env = jni_env();
    (*env)->DeleteGlobalRef(env, user->combiner);
    free(user);
}

/* Elements with gaps reach from the first byte that is really there to the last. */
static void jni_user_apply(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                           void *handle)
{
    (void)handle;
    jni_user_op *user = op->context;
    JNIEnv *env = jni_env();
    if (count == 0 || user->is_lost)
        return;
    ptrdiff_t span = (ptrdiff_t)(count - 1) * type->extent;
    ptrdiff_t low = type->true_lb + (span < 0 ? span : 0), high = type->true_ub + (span > 0 ? span : 0);
    if ((*env)->PushLocalFrame(env, 2) == 0) {
        jobject in_view = (*env)->NewDirectByteBuffer(env, (char *)(uintptr_t)in + low, high - low);
        jobject inout_view = in_view ? (*env)->NewDirectByteBuffer(env, (char *)inout + low, high - low) : NULL;
        if (inout_view)
            (*env)->CallVoidMethod(env, user->combiner, jni_combiner_combine(), in_view, inout_view, (jlong)count);
        (*env)->PopLocalFrame(env, NULL);
    }
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env); /* the engine must go on; jni_reduce reports it */
        user->is_lost = 1;
    }
}

static inline cor_op *jni_combiner_at(jlong handle)
{
    return (cor_op *)(uintptr_t)handle;
}

/* 0: no memory. */
jlong JNICALL jni_native_combinerCreate(JNIEnv *env, jclass native, jobject combiner, jboolean is_commutative,
                                        jlong type)
{
    (void)native;
    jni_user_op *user = malloc(sizeof *user);
    if (!user)
        return 0;
    *user = (jni_user_op){(*env)->NewGlobalRef(env, combiner), (const cor_dtype *)(uintptr_t)type, 0};
    cor_op *op = user->combiner ? cor_op_create(jni_user_apply, is_commutative, user, jni_user_free) : NULL;
    if (!op && user->combiner)
        jni_user_free(user);
    else if (!op)
        free(user);
    return jni_handle(op);
}

void JNICALL jni_native_combinerFree(JNIEnv *env, jclass native, jlong combiner)
{
    (void)env, (void)native;
    cor_op_unref(jni_combiner_at(combiner));
}

/* ---- the call --------------------------------------------------------------------------------------------------- */

/* The predefined operators on Java's elements, made when the library is loaded: to look one up is part of every short
 * reduction. Zero: not defined, or of pairs. */
static cor_reducer jni_reducers[COR_OP_ROWS][JNI_REDUCE_KINDS];

void jni_op_load(void)
{
    for (uint32_t number = COR_OP_FIRST; number < COR_OP_FIRST + COR_OP_ROWS; number++) {
        const cor_op *op = number < JNI_OP_MINLOC ? cor_op_predefined(number) : NULL;
        for (int kind = 0; op && kind < JNI_REDUCE_KINDS; kind++)
            cor_reducer_init(&jni_reducers[number - COR_OP_FIRST][kind], op,
                             cor_dtype_predefined(jni_kind_types[kind]), NULL);
    }
}

/* Numbers below are packed by Native.opAndKind, with UNFORCED the highest bit; all others are addresses. */
enum { JNI_OP_UNFORCED = 1 << 16, JNI_OP_NUMBERS = JNI_OP_UNFORCED << 1 };

static inline int jni_is_combiner(jlong op)
{
    return (uint64_t)op >= JNI_OP_NUMBERS;
}

static int jni_pair_reducer_init(cor_reducer *reducer, uint32_t number, int kind, cor_op **own_p)
{
    const cor_dtype *type = cor_dtype_predefined(jni_pair_type(kind));
    if (kind != JNI_KIND_SHORT && kind != JNI_KIND_LONG)
        return cor_reducer_init(reducer, cor_op_predefined(number), type, NULL);
    const jni_pair_op *pair = number == JNI_OP_MAXLOC ? &jni_pair_max : &jni_pair_min;
    *own_p = cor_op_create(kind == JNI_KIND_SHORT ? jni_pair_apply_int16_t : jni_pair_apply_int64_t, 1,
                           (void *)(uintptr_t)pair, NULL);
    return *own_p ? cor_reducer_init(reducer, *own_p, type, NULL) : COR_ERR_MEMORY;
}

int jni_reducer_init(cor_reducer *reducer, jlong op, cor_op **own_p)
{
    *own_p = NULL;
    if (jni_is_combiner(op)) {
        const jni_user_op *user = jni_combiner_at(op)->context;
        return cor_reducer_init(reducer, jni_combiner_at(op), user->type, NULL);
    }
    uint32_t number = (uint32_t)op >> 8 & 0xff;
    int kind = (int)(op & 0xff);
    if (COR_UNLIKELY(number == JNI_OP_MINLOC || number == JNI_OP_MAXLOC))
        return jni_pair_reducer_init(reducer, number, kind, own_p);
    *reducer = jni_reducers[number - COR_OP_FIRST][kind];
    return reducer->op ? COR_OK : COR_ERR_TYPE;
}

const cor_dtype *jni_element_type(uint32_t op, int kind)
{
    int is_pair = op == JNI_OP_MINLOC || op == JNI_OP_MAXLOC;
    return cor_dtype_predefined(is_pair ? jni_pair_type(kind) : jni_kind_types[kind]);
}

size_t *jni_block_starts(JNIEnv *env, jintArray counts, size_t bytes, int size, size_t few[])
{
    size_t *starts = few && size <= JNI_SIDE_FEW_PARTS ? few : malloc(((size_t)size + 1) * sizeof *starts);
    if (!starts)
        return NULL;
    starts[0] = 0;
    for (int i = 0; i < size; i++) {
        jint count;
        (*env)->GetIntArrayRegion(env, counts, i, 1, &count);
        starts[i + 1] = starts[i] + (size_t)count;
    }
    size_t element_bytes = starts[size] ? bytes / starts[size] : 0;
    for (int i = 0; i < size; i++)
        starts[i + 1] *= element_bytes;
    return starts;
}

void JNICALL jni_native_reduceMemory(JNIEnv *env, jclass native, jlong comm, jint primitive, jint root, jlong out,
                                     jlong in, jlong bytes, jint op_and_kind)
{
    (void)native;
    cor_call call = jni_coll_begin(comm, primitive, root);
    call.is_unforced = (op_and_kind & JNI_OP_UNFORCED) != 0;
    call.send.bytes = out ? (size_t)bytes : 0;
    call.send.payload = cor_payload_plain((const void *)(uintptr_t)out, call.send.bytes);
    call.recv.bytes = in ? (size_t)bytes : 0;
    call.recv.payload = cor_payload_plain((const void *)(uintptr_t)in, call.recv.bytes);
    cor_op *own;
    int code = jni_reducer_init(&call.reducer, op_and_kind, &own);
    if (COR_LIKELY(code == COR_OK))
        code = cor_coll_run(&call);
    if (COR_UNLIKELY(own != NULL))
        cor_op_unref(own);
    if (COR_UNLIKELY(code < 0))
        jni_coll_fail(env, &call, code);
}

/* `counts`: of the blocks of a reduce_scatter, else NULL. */
static void jni_reduce(JNIEnv *env, cor_call *call, jni_buffer out, jni_buffer in, jintArray counts, jlong op)
{
    cor_op *own;
    int code = jni_reducer_init(&call->reducer, op, &own);
    jni_side send, recv;
    jni_side_open(env, &send, out, out.bytes ? JNI_SIDE_READ : JNI_SIDE_NONE, 1);
    jni_side_open(env, &recv, in, in.bytes ? JNI_SIDE_WRITTEN : JNI_SIDE_NONE, 1);
    size_t *starts = NULL;
    if (code == COR_OK && counts) {
        starts = jni_block_starts(env, counts, send.stream.bytes, cor_comm_size(call->comm), send.few_starts);
        send.stream.starts = starts;
        code = starts ? COR_OK : COR_ERR_MEMORY;
    }
    int is_lost = 0;
    if (COR_LIKELY(code == COR_OK)) {
        /* While Java is called no array may be pinned: a user-defined operator works on copies. */
        jni_coll_run(env, call, &send, &recv, jni_is_combiner(op));
        is_lost = jni_is_combiner(op) && ((const jni_user_op *)jni_combiner_at(op)->context)->is_lost;
    }
    if (starts != send.few_starts)
        free(starts);
    if (own)
        cor_op_unref(own);
    if (COR_UNLIKELY(code < 0 || is_lost))
        jni_coll_fail(env, call, code < 0 ? code : COR_ERR_MEMORY);
}

void JNICALL jni_native_reduce(JNIEnv *env, jclass native, jlong comm, jint packed, jint root, jobject out,
                               jlong out_offset, jlong out_bytes, jobject in, jlong in_offset, jlong in_bytes,
                               jlong op)
{
    (void)native;
    jni_what what = jni_what_of(packed);
    cor_call call = jni_coll_begin(comm, what.primitive, root);
    jni_reduce(env, &call, (jni_buffer){out, out_offset, out_bytes, what.out_kind},
               (jni_buffer){in, in_offset, in_bytes, what.in_kind}, NULL, op);
}

void JNICALL jni_native_reduceScatter(JNIEnv *env, jclass native, jlong comm, jint packed, jobject out,
                                      jlong out_offset, jlong out_bytes, jobject in, jlong in_offset, jlong in_bytes,
                                      jintArray counts, jlong op)
{
    (void)native;
    jni_what what = jni_what_of(packed);
    cor_call call = jni_coll_begin(comm, what.primitive, 0);
    jni_reduce(env, &call, (jni_buffer){out, out_offset, out_bytes, what.out_kind},
               (jni_buffer){in, in_offset, in_bytes, what.in_kind}, counts, op);
}
