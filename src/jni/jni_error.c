/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where Java exceptions are raised. */
#include "jni/jni_face.h"

#include <stdio.h>
#include <string.h>

/* Texts may contain any bytes (a path, a host name); JNI accepts modified UTF-8 only. */
static void jni_text_clean(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text >= 0x80 || (unsigned char)*text < 0x20)
            *text = '?';
    }
}

static void jni_raise(JNIEnv *env, jobject failures, int code, char *text)
{
    if ((*env)->ExceptionCheck(env))
        return; /* Java itself failed first (out of memory): that exception stays */
    jni_text_clean(text);
    jstring sentence = (*env)->NewStringUTF(env, text);
    if (!sentence)
        return;
    jthrowable failure = (*env)->CallObjectMethod(env, failures, jni_failures_make(), (jint)code, sentence);
    if (!(*env)->ExceptionCheck(env) && failure)
        (*env)->Throw(env, failure);
}

void jni_fail(JNIEnv *env, jobject failures, const char *call, int code, const cor_fault *fault)
{
    char text[400];
    const char *cause = fault && fault->code == code && fault->text[0] ? fault->text : cor_error_text(code);
    snprintf(text, sizeof(text), "%s: %s", call, cause);
    jni_raise(env, failures, code, text);
}

/* The name of a type class in messages. */
static const char *jni_class_name(unsigned type_class)
{
    static const char *const names[] = {
        [JNI_KIND_BYTE] = "MPI.BYTE",   [JNI_KIND_CHAR] = "MPI.CHAR",       [JNI_KIND_SHORT] = "MPI.SHORT",
        [JNI_KIND_INT] = "MPI.INT",     [JNI_KIND_BOOLEAN] = "MPI.BOOLEAN", [JNI_KIND_LONG] = "MPI.LONG",
        [JNI_KIND_FLOAT] = "MPI.FLOAT", [JNI_KIND_DOUBLE] = "MPI.DOUBLE",   [JNI_CLASS_OBJECT] = "MPI.OBJECT",
    };
    return type_class < sizeof(names) / sizeof(names[0]) ? names[type_class] : "another type";
}

void jni_fail_status(JNIEnv *env, const jni_rank *rank, const char *call, int code, const cor_status *status)
{
    cor_fault why; /* a copy: another thread may fail meanwhile */
    cor_rank_copy_fault(rank->rank, &why);
    if (code == COR_ERR_PEER) {
        cor_rank_defer(rank->rank);
        jni_fail(env, rank->failures, call, code, &why);
        return;
    }
    /* A collective operation has no message envelope. */
    if ((code != COR_ERR_TRUNCATE && code != COR_ERR_MISMATCH) || !status || status->source < 0) {
        jni_fail(env, rank->failures, call, code, &why);
        return;
    }
    char text[400];
    if (code == COR_ERR_MISMATCH)
        snprintf(text, sizeof(text), "%s: the message from rank %d with tag %d is of %s, but the receive is of %s",
                 call, status->source, status->tag, jni_class_name(cor_mismatch_sent(status->message_bytes)),
                 jni_class_name(cor_mismatch_expected(status->message_bytes)));
    else
        snprintf(text, sizeof(text),
                 "%s: the message of %zu bytes from rank %d with tag %d does not fit the receive buffer of %zu bytes",
                 call, status->message_bytes, status->source, status->tag, status->bytes);
    jni_raise(env, rank->failures, code, text);
}

__attribute__((noinline)) void jni_fail_call(JNIEnv *env, const jni_rank *rank, jstring call, int code,
                                             const cor_status *status)
{
    enum { NAME_MAX_BYTES = 32 };
    char name[NAME_MAX_BYTES] = "";
    if ((*env)->GetStringUTFLength(env, call) < NAME_MAX_BYTES)
        (*env)->GetStringUTFRegion(env, call, 0, (*env)->GetStringLength(env, call), name);
    jni_fail_status(env, rank, name, code, status);
}
