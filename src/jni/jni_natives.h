/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native methods of corunna.engine.Native: prototypes, and JNI_NATIVE_LIST for RegisterNatives, which the build
 * makes from java/table/Native.natives.
 *
 * B, a buffer, is four arguments of Java: the array or direct buffer, offset and length in bytes, and the kind. Calls
 * with two buffers have the kinds of both in one argument (jni_what in jni_coll.h, jni_kinds_out in jni_p2p.c); S is a
 * buffer without its kind.
 */
#ifndef COR_JNI_NATIVES_H
#define COR_JNI_NATIVES_H

#include "jni_native_list.h"

#include <jni.h>

#define JNI_B_ARGUMENTS(name) jobject name, jlong name##_offset, jlong name##_bytes, jint name##_kind
#define JNI_S_ARGUMENTS(name) jobject name, jlong name##_offset, jlong name##_bytes

#define JNI_PROTOTYPE(result, name, signature, ...) result JNICALL jni_native_##name(JNIEnv *, jclass, __VA_ARGS__);
JNI_NATIVE_LIST(JNI_PROTOTYPE)
#undef JNI_PROTOTYPE

#endif
