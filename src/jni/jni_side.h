/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A side is one of the two buffers of a collective call, sent or received, in one piece or in parts.
 *
 * Short arrays that Java did not copy itself (mpi.Stage) are copied through the stack; all others are read and written
 * by the engine, where they are. Data to send are copied first only if they share memory with the receive buffer:
 * programs may pass one array for both.
 */
#ifndef COR_JNI_SIDE_H
#define COR_JNI_SIDE_H

#include "coll/coll.h"
#include "jni/jni_face.h"

/* As in point-to-point: up to here a copy costs less than the payload's operations. */
enum { JNI_SIDE_STACK_BYTES = 256, JNI_SIDE_FEW_PARTS = 16 };

/* Whether the engine reads a side, writes it, or both; a side that this rank does not have is neither. */
enum { JNI_SIDE_NONE = 0, JNI_SIDE_READ = 1, JNI_SIDE_WRITTEN = 2 };

/* A buffer as Java passes it, see jni_natives.h. */
typedef struct jni_buffer {
    jobject object;
    jlong offset, bytes;
    jint kind;
} jni_buffer;

typedef struct jni_side {
    cor_stream stream;  /* passed to the engine */
    jni_buffer buffer;  /* as Java passed it */
    cor_payload origin; /* what `small` or `staged` replaces */
    int is_small;
    int is_shared;       /* sent: the other side has the same array */
    void *staged;        /* memory of a copy, or NULL */
    void *many;          /* memory of many parts, or NULL */
    uintptr_t low, high; /* the bytes it covers, as offsets in an array or as addresses */
    char small[JNI_SIDE_STACK_BYTES];
    cor_payload few_parts[JNI_SIDE_FEW_PARTS];
    size_t few_starts[JNI_SIDE_FEW_PARTS + 1];
    jlong few_places[JNI_SIDE_FEW_PARTS][2];
} jni_side;

/* A side in one piece. `blocks`: of how many equal blocks, 1 where there are none. */
void jni_side_open(JNIEnv *env, jni_side *side, jni_buffer buffer, int how, int blocks);

/* A side in `count` parts. `places` has two numbers for each, where it begins and its elements; `buffer.bytes` is a
 * datatype, or the bytes of one element, and `buffer.offset` is not used. After COR_ERR_MEMORY it must be closed,
 * too. */
int jni_side_open_parts(JNIEnv *env, jni_side *side, jni_buffer buffer, jlongArray places, int count);
/* The same for a side of one part, in one piece. */
void jni_side_open_part(JNIEnv *env, jni_side *side, jni_buffer buffer, jlongArray places, int how);

/* Copy the bytes of a side to memory of its own, which the engine then uses instead. COR_ERR_MEMORY. */
int jni_side_stage(jni_side *side, int how);
/* The same part by part; only for sides that are read. */
int jni_side_stage_parts(jni_side *side, int count);

/* Could receiving change what is sent? */
int jni_sides_overlap(const jni_side *send, const jni_side *recv);

/* The end of a side: copies are written back, if the call did not fail, and all memory is freed. */
void jni_side_close(JNIEnv *env, jni_side *side, int is_written);

#endif
