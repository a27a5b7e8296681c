/*
 * The native methods of corunna.engine.Native, each once: prototypes and the table for RegisterNatives come from here.
 *
 * X(result, name, signature, arguments after JNIEnv * and jclass). B, the buffer, is four arguments of Java: the
 * array or direct buffer, offset and length in bytes, and the kind.
 */
#ifndef COR_JNI_NATIVES_H
#define COR_JNI_NATIVES_H

#include <jni.h>

#define JNI_B "Ljava/lang/Object;JJI"
#define JNI_B_ARGUMENTS(name) jobject name, jlong name##_offset, jlong name##_bytes, jint name##_kind

#define JNI_NATIVE_LIST(X)                                                                                            \
    X(jlong, teamCreate, "(ILcorunna/engine/Failures;)J", jint size, jobject failures)                                \
    X(jlong, open, "(JI[Ljava/lang/String;Lcorunna/engine/Failures;)J", jlong team, jint number,                      \
      jobjectArray overrides, jobject failures)                                                                       \
    X(void, close, "(J)V", jlong rank)                                                                                \
    X(void, abort, "(JILjava/lang/String;)V", jlong rank, jint status, jstring reason)                                \
    X(jstring, host, "(J)Ljava/lang/String;", jlong rank)                                                             \
    X(jlong, world, "(J)J", jlong rank)                                                                               \
    X(jlong, self, "(J)J", jlong rank)                                                                                \
    X(void, attach, "(JLjava/lang/Object;J)V", jlong rank, jobject buffer, jlong bytes)                               \
    X(void, detach, "(J)V", jlong rank)                                                                               \
    X(jint, commRank, "(J)I", jlong comm)                                                                             \
    X(jint, commSize, "(J)I", jlong comm)                                                                             \
    X(jint, commCompare, "(JJ)I", jlong one, jlong other)                                                             \
    X(jlong, commDup, "(J)J", jlong comm)                                                                             \
    X(jlong, commSplit, "(JII)J", jlong comm, jint colour, jint key)                                                  \
    X(void, commFree, "(J)V", jlong comm)                                                                             \
    X(void, barrier, "(J)V", jlong comm)                                                                              \
    X(void, send, "(J" JNI_B "III)V", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag, jint mode)               \
    X(void, sendWord, "(JJIIII)V", jlong comm, jlong word, jint bytes, jint dest, jint tag, jint mode)                \
    X(jlong, recvWord, "(JLjava/lang/Object;JIIII)J", jlong comm, jobject array, jlong offset, jint bytes, jint kind, \
      jint source, jint tag)                                                                                          \
    X(jlong, recv, "(J" JNI_B "II[J)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag, jlongArray envelope)  \
    X(jlong, sendrecv, "(J" JNI_B "II" JNI_B "II[J)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint sendTag,     \
      JNI_B_ARGUMENTS(in), jint source, jint recvTag, jlongArray envelope)                                            \
    X(jlong, sendrecvReplace, "(J" JNI_B "IIII[J)J", jlong comm, JNI_B_ARGUMENTS(both), jint dest, jint sendTag,      \
      jint source, jint recvTag, jlongArray envelope)                                                                 \
    X(jlong, isend, "(J" JNI_B "III)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag, jint mode)             \
    X(jlong, irecv, "(J" JNI_B "II)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag)                        \
    X(jlong, sendInit, "(J" JNI_B "III)J", jlong comm, JNI_B_ARGUMENTS(out), jint dest, jint tag, jint mode)          \
    X(jlong, recvInit, "(J" JNI_B "II)J", jlong comm, JNI_B_ARGUMENTS(in), jint source, jint tag)                     \
    X(jboolean, start, "(JJ)Z", jlong rank, jlong request)                                                            \
    X(void, probe, "(JII[J)V", jlong comm, jint source, jint tag, jlongArray envelope)                                \
    X(jboolean, iprobe, "(JII[J)Z", jlong comm, jint source, jint tag, jlongArray envelope)                           \
    X(jlong, await, "(JJ[J)J", jlong rank, jlong request, jlongArray envelope)                                        \
    X(jlong, test, "(JJ[J)J", jlong rank, jlong request, jlongArray envelope)                                         \
    X(jlong, peek, "(JJ[J)J", jlong rank, jlong request, jlongArray envelope)                                         \
    X(jint, complete, "(JI[J[J)I", jlong rank, jint how, jlongArray requests, jlongArray envelopes)                   \
    X(void, cancel, "(J)V", jlong request)                                                                            \
    X(void, requestFree, "(J)V", jlong request)

#define JNI_PROTOTYPE(result, name, signature, ...) result JNICALL jni_native_##name(JNIEnv *, jclass, __VA_ARGS__);
JNI_NATIVE_LIST(JNI_PROTOTYPE)
#undef JNI_PROTOTYPE

#endif
