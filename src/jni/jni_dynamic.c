/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that meet: ports, names, parents and children. Java has checked that texts are there. */
#include "jni/jni_face.h"
#include "jni/jni_natives.h"
#include "jni/jni_numbers.h"

#include "dynamic/dynamic.h"

#include <stdlib.h>

/* ---- what the launcher tells; ports and names
 * ---------------------------------------------------------------------- */

static void jni_end(JNIEnv *env, jni_rank *rank, const char *call, int code)
{
    if (code < 0)
        jni_fail_status(env, rank, call, code, NULL);
}

jint JNICALL jni_native_rankProgram(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    return cor_rank_appnum(jni_rank_at(rank)->rank);
}

jint JNICALL jni_native_rankUniverse(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    return cor_rank_universe(jni_rank_at(rank)->rank);
}

jstring JNICALL jni_native_portOpen(JNIEnv *env, jclass native, jlong handle)
{
    (void)native;
    char port[COR_PORT_MAX];
    jni_rank *rank = jni_rank_at(handle);
    int code = cor_port_open(rank->rank, port);
    jni_end(env, rank, "openPort", code);
    return code < 0 ? NULL : (*env)->NewStringUTF(env, port);
}

void JNICALL jni_native_portClose(JNIEnv *env, jclass native, jlong handle, jstring port)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    char *text = jni_string_copy(env, port);
    jni_end(env, rank, "closePort", text ? cor_port_close(rank->rank, text) : COR_ERR_MEMORY);
    free(text);
}

void JNICALL jni_native_nameSet(JNIEnv *env, jclass native, jlong handle, jboolean is_there, jstring service,
                                jstring port)
{
    (void)native;
    jni_rank *rank = jni_rank_at(handle);
    char *name = jni_string_copy(env, service), *text = jni_string_copy(env, port);
    int code = COR_ERR_MEMORY;
    if (name && text)
        code = is_there ? cor_name_publish(rank->rank, name, text) : cor_name_withdraw(rank->rank, name, text);
    free(name);
    free(text);
    jni_end(env, rank, is_there ? "publishName" : "unpublishName", code);
}

jstring JNICALL jni_native_nameFind(JNIEnv *env, jclass native, jlong handle, jstring service)
{
    (void)native;
    char port[COR_PORT_MAX];
    jni_rank *rank = jni_rank_at(handle);
    char *name = jni_string_copy(env, service);
    int code = name ? cor_name_find(rank->rank, name, port) : COR_ERR_MEMORY;
    free(name);
    jni_end(env, rank, "lookupName", code);
    return code < 0 ? NULL : (*env)->NewStringUTF(env, port);
}

/* ---- meeting and parting ---------------------------------------------------------------------------------------- */

jlong JNICALL jni_native_parent(JNIEnv *env, jclass native, jlong rank)
{
    (void)env, (void)native;
    return jni_handle(jni_rank_at(rank)->parent);
}

/* The port is null but on the root. */
jlong JNICALL jni_native_commMeet(JNIEnv *env, jclass native, jlong handle, jboolean accepts, jstring port, jint root)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    char *text = port ? jni_string_copy(env, port) : NULL;
    int code =
        accepts ? cor_comm_accept(comm, root, text, NULL, &made) : cor_comm_connect(comm, root, text, NULL, &made);
    free(text);
    return jni_made(env, comm, accepts ? "accept" : "connect", code, made);
}

jlong JNICALL jni_native_commJob(JNIEnv *env, jclass native, jlong comm)
{
    (void)env, (void)native;
    return jni_handle(cor_dynamic_job_of(jni_comm_at(comm)));
}

void JNICALL jni_native_jobLeave(JNIEnv *env, jclass native, jlong job)
{
    (void)env, (void)native;
    cor_dynamic_leave((cor_rank *)(uintptr_t)job);
}

/* ---- starting processes ----------------------------------------------------------------------------------------- */

static cor_info *jni_hints(char **texts, int count)
{
    cor_info *info = cor_info_create();
    for (int i = 0; info && i + 1 < count; i += 2)
        cor_info_set(info, texts[i], texts[i + 1]);
    return info;
}

/* The programs of a call, laid out by Java in rows: every program's processes, arguments and hints (two texts each) are
 * so many as `numbers` has, three for each program. */
typedef struct jni_programs {
    char **commands, **arguments, **hints;
    int *numbers, count;
    cor_spawn_program *list;
} jni_programs;

static int jni_programs_fill(jni_programs *programs)
{
    int argument = 0, hint = 0;
    programs->list = calloc((size_t)programs->count, sizeof *programs->list);
    for (int i = 0; programs->list && i < programs->count; i++) {
        const int *row = programs->numbers + 3 * (size_t)i;
        char **own = calloc((size_t)row[1] + 1, sizeof *own);
        cor_info *info = jni_hints(programs->hints + hint, row[2]);
        for (int k = 0; own && k < row[1]; k++)
            own[k] = programs->arguments[argument + k];
        programs->list[i] = (cor_spawn_program){programs->commands[i], own, row[0], info};
        argument += row[1];
        hint += row[2];
        if (!own || !info)
            return COR_ERR_MEMORY;
    }
    return programs->list ? COR_OK : COR_ERR_MEMORY;
}

static void jni_programs_free(jni_programs *programs)
{
    for (int i = 0; programs->list && i < programs->count; i++) {
        free((void *)(uintptr_t)programs->list[i].arguments);
        cor_info_destroy((cor_info *)(uintptr_t)programs->list[i].info);
    }
    free(programs->list);
    free(programs->numbers);
    jni_overrides_free(programs->commands);
    jni_overrides_free(programs->arguments);
    jni_overrides_free(programs->hints);
}

/* The arrays are null but on the root. */
jlong JNICALL jni_native_commSpawn(JNIEnv *env, jclass native, jlong handle, jint root, jobjectArray commands,
                                   jobjectArray arguments, jobjectArray hints, jintArray numbers)
{
    (void)native;
    cor_comm *comm = jni_comm_at(handle), *made = NULL;
    jni_programs programs = {0};
    int code = COR_OK, total, length;
    if (commands) {
        programs.commands = jni_overrides_copy(env, commands);
        programs.arguments = jni_overrides_copy(env, arguments);
        programs.hints = jni_overrides_copy(env, hints);
        programs.numbers = jni_ints_copy(env, numbers, &length);
        programs.count = (*env)->GetArrayLength(env, commands);
        int is_fine = programs.commands && programs.arguments && programs.hints && programs.numbers;
        code = is_fine ? jni_programs_fill(&programs) : COR_ERR_MEMORY;
    }
    if (code == COR_OK)
        code = cor_comm_spawn(comm, root, programs.list, programs.count, NULL, &made, &total);
    jni_programs_free(&programs);
    return jni_made(env, comm, "spawn", code, made);
}
