/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a JVM whose threads are ranks.
 *
 * Runtime.halt runs no shutdown hook, and a hook does not know which thread has called System.exit, nor the status.
 * JVMTI reports VM death in the thread that calls either; on_exit functions of the C library get the status.
 */
#define _GNU_SOURCE
#include "jni/jni_face.h"
#include "jni/jni_natives.h"

#include <jvmti.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct jni_exit {
    jobject watch; /* an ExitWatch */
    jmethodID is_failure;
    volatile int has_failed; /* written before the JVM's last thread calls exit, which reads it */
} jni_exit;

static void JNICALL exit_vm_death(jvmtiEnv *tools, JNIEnv *env)
{
    void *storage = NULL;
    if ((*tools)->GetEnvironmentLocalStorage(tools, &storage) != JVMTI_ERROR_NONE || !storage)
        return;
    jni_exit *self = storage;
    self->has_failed = (*env)->CallBooleanMethod(env, self->watch, self->is_failure);
    (*env)->ExceptionClear(env);
}

/* The last step of the process: a failed job must not exit with status 0. */
static void exit_with_status(int status, void *storage)
{
    const jni_exit *self = storage;
    if (status == 0 && self->has_failed)
        _exit(1);
}

static int exit_ask_jvm(JNIEnv *env, jni_exit *self)
{
    JavaVM *vm;
    void *found = NULL;
    if ((*env)->GetJavaVM(env, &vm) != 0 || (*vm)->GetEnv(vm, &found, JVMTI_VERSION_1_2) != JNI_OK)
        return -1;
    jvmtiEnv *tools = found;
    const jvmtiEventCallbacks callbacks = {.VMDeath = exit_vm_death};
    return (*tools)->SetEnvironmentLocalStorage(tools, self) != JVMTI_ERROR_NONE ||
                   (*tools)->SetEventCallbacks(tools, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
                   (*tools)->SetEventNotificationMode(tools, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL) !=
                       JVMTI_ERROR_NONE
               ? -1
               : 0;
}

/* What is made here lives as long as the process. Without JVMTI the JVM ends as usual. */
void JNICALL jni_native_watchExit(JNIEnv *env, jclass native, jobject watch)
{
    (void)native;
    jni_exit *self = calloc(1, sizeof *self);
    if (!self)
        return;
    jclass type = (*env)->GetObjectClass(env, watch);
    self->is_failure = (*env)->GetMethodID(env, type, "isFailure", "()Z");
    self->watch = self->is_failure ? (*env)->NewGlobalRef(env, watch) : NULL;
    if (!self->watch || exit_ask_jvm(env, self) != 0 || on_exit(exit_with_status, self) != 0)
        (*env)->ExceptionClear(env); /* the callback, if it was set, keeps what it needs */
}
