/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: the table of natives is registered and everything Java-side that never changes is looked up, once. */
#include "jni/jni_coll.h"
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

/* Written by JNI_OnLoad before any native can run, and only read from then on. */
static struct {
    JavaVM *vm;
    jmethodID failures_make;
    jmethodID combiner_combine;
} jni_cache;

/* A Java thread keeps its environment for life. initial-exec: one load, no call. */
static _Thread_local JNIEnv *jni_thread_env __attribute__((tls_model("initial-exec")));

JNIEnv *jni_env(void)
{
    if (COR_LIKELY(jni_thread_env != NULL))
        return jni_thread_env;
    void *env = NULL;
    (*jni_cache.vm)->GetEnv(jni_cache.vm, &env, JNI_VERSION_1_8);
    jni_thread_env = env;
    return env;
}

jmethodID jni_failures_make(void)
{
    return jni_cache.failures_make;
}

jmethodID jni_combiner_combine(void)
{
    return jni_cache.combiner_combine;
}

#define JNI_ROW(result, name, signature, ...) {(char *)#name, (char *)signature, (void *)jni_native_##name},
static const JNINativeMethod jni_natives[] = {JNI_NATIVE_LIST(JNI_ROW)};
#undef JNI_ROW

/* A method of an interface of ours, or NULL. */
static jmethodID jni_method(JNIEnv *env, const char *type, const char *name, const char *signature)
{
    jclass found = (*env)->FindClass(env, type);
    if (!found)
        return NULL;
    jmethodID method = (*env)->GetMethodID(env, found, name, signature);
    (*env)->DeleteLocalRef(env, found);
    return method;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    jni_cache.vm = vm;
    JNIEnv *env = jni_env();
    if (!env)
        return JNI_ERR;

    jni_cache.failures_make =
        jni_method(env, "corunna/engine/Failures", "make", "(ILjava/lang/String;)Ljava/lang/RuntimeException;");
    if (!jni_cache.failures_make)
        return JNI_ERR;
    jni_cache.combiner_combine =
        jni_method(env, "corunna/engine/Combiner", "combine", "(Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;J)V");
    if (!jni_cache.combiner_combine)
        return JNI_ERR;

    jni_op_load();
    jclass native = (*env)->FindClass(env, "corunna/engine/Native");
    if (!native)
        return JNI_ERR;
    jint registered = (*env)->RegisterNatives(env, native, jni_natives, sizeof(jni_natives) / sizeof(jni_natives[0]));
    (*env)->DeleteLocalRef(env, native);
    return registered == 0 ? JNI_VERSION_1_8 : JNI_ERR;
}
