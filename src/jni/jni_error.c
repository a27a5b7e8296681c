/* The one place where Java exceptions are raised. */
#include "jni/jni_face.h"

#include <stdio.h>
#include <string.h>

/* Texts may carry foreign bytes (a path, a host name); JNI takes modified UTF-8 only. */
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
        return; /* Java itself failed first (out of memory): that one is told */
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

void jni_fail_status(JNIEnv *env, const jni_rank *rank, const char *call, int code, const cor_status *status)
{
    /* A collective operation has no message to tell of. */
    if (code != COR_ERR_TRUNCATE || !status || status->source < 0) {
        jni_fail(env, rank->failures, call, code, cor_rank_fault(rank->rank));
        return;
    }
    char text[400];
    snprintf(text, sizeof(text),
             "%s: the message of %zu bytes from rank %d with tag %d does not fit the receive buffer of %zu bytes",
             call, status->message_bytes, status->source, status->tag, status->bytes);
    jni_raise(env, rank->failures, code, text);
}
