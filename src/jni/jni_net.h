/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native methods of corunna.engine.NativeNet, each once, as jni_natives.h has those of Native; and what the files of
 * fast sockets share.
 *
 * A socket is a descriptor and a cor_conn behind a Java long, 0 for a plain one. Java keeps both alive during a call.
 * Results are numbers; errors of the system are negative, and Java makes the exceptions.
 */
#ifndef COR_JNI_NET_H
#define COR_JNI_NET_H

#include "net/net.h"

#include <jni.h>

#define JNI_NET_LIST(X)                                                                                               \
    X(jlong, open, "([Ljava/lang/String;Lcorunna/engine/Failures;)J", jobjectArray overrides, jobject failures)       \
    X(void, leave, "(J)V", jlong net)                                                                                 \
    X(jboolean, hasIpv6, "()Z")                                                                                       \
    X(jstring, error, "(I)Ljava/lang/String;", jint number)                                                           \
    X(jint, socket, "(ZZ)I", jboolean is_server, jboolean is_ipv6)                                                    \
    X(void, close, "(JIJ)V", jlong net, jint fd, jlong conn)                                                          \
    X(void, stop, "(IJ)V", jint fd, jlong conn)                                                                       \
    X(jint, bind, "(I[BII)I", jint fd, jbyteArray address, jint scope, jint port)                                     \
    X(jint, listen, "(JII)I", jlong net, jint fd, jint backlog)                                                       \
    X(jint, connect, "(JI[BII[J)I", jlong net, jint fd, jbyteArray address, jint scope, jint port, jlongArray made)   \
    X(jint, connected, "(I)I", jint fd)                                                                               \
    X(jint, accept, "(JI[J)I", jlong net, jint fd, jlongArray made)                                                   \
    X(jint, poll, "(III)I", jint fd, jint events, jint timeout_ms)                                                    \
    X(jbyteArray, name, "(IZ)[B", jint fd, jboolean is_peer)                                                          \
    X(jlong, inode, "(I)J", jint fd)                                                                                  \
    X(jlong, write, "(IJLjava/lang/Object;IJJI)J", jint fd, jlong conn, jobject array, jint kind, jlong offset,       \
      jlong bytes, jint how)                                                                                          \
    X(jlong, read, "(IJLjava/lang/Object;IJJI)J", jint fd, jlong conn, jobject array, jint kind, jlong offset,        \
      jlong bytes, jint how)                                                                                          \
    X(jint, available, "(IJ)I", jint fd, jlong conn)                                                                  \
    X(jint, shutdown, "(IJI)I", jint fd, jlong conn, jint how)                                                        \
    X(jint, urgent, "(IJB)I", jint fd, jlong conn, jbyte data)                                                        \
    X(jboolean, isFast, "(J)Z", jlong conn)                                                                           \
    X(jint, setTimeout, "(II)I", jint fd, jint timeout_ms)                                                            \
    X(jint, setOption, "(IJII)I", jint fd, jlong conn, jint option, jint value)                                       \
    X(jint, getOption, "(II[I)I", jint fd, jint option, jintArray value)

#define JNI_NET_PROTOTYPE(result, name, signature, ...) result JNICALL jni_net_##name(JNIEnv *, jclass, ##__VA_ARGS__);
JNI_NET_LIST(JNI_NET_PROTOTYPE)
#undef JNI_NET_PROTOTYPE

static inline cor_conn *jni_conn_at(jlong handle)
{
    return (cor_conn *)(uintptr_t)handle;
}

#endif
