/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native methods of corunna.engine.NativeNet, as jni_natives.h has those of Native; and shared by the files of fast
 * sockets.
 *
 * A socket is a descriptor and a cor_conn behind a Java long, 0 for a plain one. Java keeps both alive during a call.
 * Results are numbers; errors of the system are negative, and Java makes the exceptions.
 */
#ifndef COR_JNI_NET_H
#define COR_JNI_NET_H

#include "net/net.h"

#include "jni_nativenet_list.h"

#include <jni.h>

#define JNI_NET_PROTOTYPE(result, name, signature, ...) result JNICALL jni_net_##name(JNIEnv *, jclass, ##__VA_ARGS__);
JNI_NATIVENET_LIST(JNI_NET_PROTOTYPE)
#undef JNI_NET_PROTOTYPE

static inline cor_conn *jni_conn_at(jlong handle)
{
    return (cor_conn *)(uintptr_t)handle;
}

#endif
