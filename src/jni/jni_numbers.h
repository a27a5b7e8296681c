/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of numbers between Java and the engine, for functions that make communicators and topologies. */
#ifndef COR_JNI_NUMBERS_H
#define COR_JNI_NUMBERS_H

#include "jni/jni_face.h"

#include <stdlib.h>

static inline jintArray jni_ints(JNIEnv *env, const int *values, int count)
{
    jintArray array = (*env)->NewIntArray(env, count);
    if (array && count > 0)
        (*env)->SetIntArrayRegion(env, array, 0, count, values);
    return array;
}

/* A copy of Java's numbers, NULL: no memory; the caller frees it. Booleans become 0 and 1. */
static inline int *jni_ints_copy(JNIEnv *env, jintArray array, int *count_p)
{
    jsize count = (*env)->GetArrayLength(env, array);
    int *values = malloc(((size_t)count + 1) * sizeof *values);
    if (values)
        (*env)->GetIntArrayRegion(env, array, 0, count, values);
    *count_p = count;
    return values;
}

static inline int *jni_booleans_copy(JNIEnv *env, jbooleanArray array)
{
    jsize count = (*env)->GetArrayLength(env, array);
    int *values = malloc(((size_t)count + 1) * sizeof *values);
    for (jsize i = 0; values && i < count; i++) {
        jboolean one;
        (*env)->GetBooleanArrayRegion(env, array, i, 1, &one);
        values[i] = one != 0;
    }
    return values;
}

static inline jint jni_rank_number(int rank)
{
    return rank == COR_UNDEFINED ? JNI_UNDEFINED : rank;
}

/* The result of a function that makes communicators, or its failure. */
static inline jlong jni_made(JNIEnv *env, cor_comm *comm, const char *call, int code, const cor_comm *made)
{
    if (code < 0) {
        jni_fail_status(env, jni_rank_of(comm), call, code, NULL);
        return 0;
    }
    return jni_handle(made);
}

#endif
