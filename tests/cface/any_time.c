/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What MPI lets a program call at any time: every function of the standard's list before MPI_Init, between, and after
 * MPI_Finalize, right and wrong; and what was made at one time is used at the others. In one process that is a rank,
 * then with ranks that are threads.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <string.h>

typedef enum when { BEFORE, INSIDE, AFTER } when;

/* Made at each time, used and freed at the last. */
typedef struct kept {
    MPI_Info infos[3];
    int info_numbers[3];
    MPI_Errhandler handlers[3];
    int handler_numbers[3], classes[3], codes[3];
} kept;

static void ignore_session(MPI_Session *session, int *code, ...)
{
    (void)session;
    (void)code;
}

static void ignore_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

/* ---- infos ------------------------------------------------------------------------------------------------------ */

/* Has the info this value? */
static int has(MPI_Info info, const char *key, const char *expected)
{
    char value[64] = "";
    int flag = 0, length = (int)sizeof value;
    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &flag));
    return flag && strcmp(value, expected) == 0;
}

static void call_infos(void)
{
    MPI_Info info, copy, started;
    char *argv[] = {"a-program", NULL}, key[MPI_MAX_INFO_KEY], value[64];
    int count, flag, length;
    CHECK_OK(MPI_Info_create(&info));
    CHECK(MPI_Info_set(info, "colour", "blue") == MPI_SUCCESS && MPI_Info_set(info, "shape", "round") == MPI_SUCCESS);
    CHECK_OK(MPI_Info_dup(info, &copy));
    CHECK_OK(MPI_Info_delete(info, "colour"));
    CHECK(MPI_Info_get_nkeys(info, &count) == MPI_SUCCESS && count == 1);
    CHECK(MPI_Info_get_nthkey(info, 0, key) == MPI_SUCCESS && strcmp(key, "shape") == 0);
    CHECK(MPI_Info_get_valuelen(copy, "colour", &length, &flag) == MPI_SUCCESS && flag && length == 4);
    CHECK(MPI_Info_get(copy, "colour", 63, value, &flag) == MPI_SUCCESS && flag && strcmp(value, "blue") == 0);
    CHECK(MPI_Info_fromint(MPI_Info_toint(copy)) == copy);
    CHECK(MPI_Info_create_env(1, argv, &started) == MPI_SUCCESS && has(started, "command", "a-program"));
    CHECK(MPI_Info_get_nkeys(MPI_INFO_ENV, &count) == MPI_SUCCESS && count > 0);
    CHECK(MPI_Info_free(&started) == MPI_SUCCESS && MPI_Info_free(&copy) == MPI_SUCCESS);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
}

static void call_infos_wrongly(void)
{
    MPI_Info info = MPI_INFO_NULL;
    int count, flag;
    char key[MPI_MAX_INFO_KEY];
    CHECK(MPI_Info_create(NULL) == MPI_ERR_ARG && MPI_Info_create_env(0, NULL, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Info_free(&info) == MPI_ERR_INFO && MPI_Info_dup(info, &info) == MPI_ERR_INFO);
    CHECK(MPI_Info_set(info, "a", "b") == MPI_ERR_INFO && MPI_Info_set(MPI_INFO_ENV, "a", "b") == MPI_ERR_INFO);
    CHECK(MPI_Info_get_nkeys(info, &count) == MPI_ERR_INFO && MPI_Info_get_nthkey(info, 0, key) == MPI_ERR_INFO);
    CHECK(MPI_Info_get(info, "a", 1, key, &flag) == MPI_ERR_INFO && MPI_Info_delete(info, "a") == MPI_ERR_INFO);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "a", "b"));
    CHECK(MPI_Info_get(info, "a", -1, key, &flag) == MPI_ERR_ARG &&
          MPI_Info_get(info, "a", 0, NULL, &flag) == MPI_ERR_ARG);
    CHECK_OK(MPI_Info_free(&info));
    CHECK(MPI_Info_fromint(4096 + 999) == NULL && MPI_Info_toint(MPI_INFO_ENV) != MPI_Info_toint(MPI_INFO_NULL));
}

/* ---- error handlers and codes ----------------------------------------------------------------------------------- */

static void call_handlers(void)
{
    MPI_Errhandler handler, none = MPI_ERRHANDLER_NULL, predefined = MPI_ERRORS_RETURN, stale;
    CHECK_OK(MPI_Session_create_errhandler(ignore_session, &handler));
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)) == handler);
    stale = handler;
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    CHECK(MPI_Errhandler_free(&stale) == MPI_ERR_ERRHANDLER && MPI_Errhandler_free(&none) == MPI_ERR_ERRHANDLER);
    CHECK(MPI_Errhandler_free(&predefined) == MPI_SUCCESS && MPI_Errhandler_free(NULL) == MPI_ERR_ARG);
    CHECK(MPI_Session_create_errhandler(NULL, &handler) == MPI_ERR_ARG);
    CHECK(MPI_Session_create_errhandler(ignore_session, NULL) == MPI_ERR_ARG);
    /* There are no sessions yet, but asking is no crash. */
    CHECK(MPI_Session_call_errhandler(MPI_SESSION_NULL, MPI_ERR_OTHER) != MPI_SUCCESS);
}

static void call_codes(void)
{
    int class, code, found, length;
    char text[MPI_MAX_ERROR_STRING];
    CHECK(MPI_Error_class(MPI_ERR_RANK, &found) == MPI_SUCCESS && found == MPI_ERR_RANK);
    CHECK(MPI_Error_string(MPI_ERR_RANK, text, &length) == MPI_SUCCESS && length == (int)strlen(text));
    CHECK_OK(MPI_Add_error_class(&class));
    CHECK_OK(MPI_Add_error_code(class, &code));
    CHECK_OK(MPI_Add_error_string(code, "out of tea"));
    CHECK(MPI_Error_class(code, &found) == MPI_SUCCESS && found == class);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && strcmp(text, "out of tea") == 0);
    CHECK_OK(MPI_Add_error_string(class, "out of everything"));
    /* The text of a code or class goes before it, and the codes of a class before the class. */
    CHECK(MPI_Remove_error_class(class) == MPI_ERR_ARG && MPI_Remove_error_code(code) == MPI_ERR_ARG);
    CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS && MPI_Remove_error_class(class) == MPI_ERR_ARG);
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_code(code));
    CHECK(MPI_Remove_error_class(class) == MPI_ERR_ARG);
    CHECK(MPI_Error_class(class, &found) == MPI_SUCCESS && found == class);
    CHECK_OK(MPI_Remove_error_string(class));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_string(class));
    CHECK_OK(MPI_Remove_error_class(class));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Remove_error_class(class));
    CHECK(MPI_Error_class(code, &found) == MPI_ERR_ARG && MPI_Error_string(-1, text, &length) == MPI_ERR_ARG);
    CHECK(MPI_Add_error_class(NULL) == MPI_ERR_ARG && MPI_Add_error_code(-5, &code) == MPI_ERR_ARG);
    CHECK(MPI_Add_error_string(MPI_ERR_RANK, "x") == MPI_ERR_ARG && MPI_Remove_error_code(-5) == MPI_ERR_ARG);
}

static void call_versions(when now)
{
    int version, subversion, length, flag;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == (now != BEFORE));
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == (now == AFTER));
    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == MPI_VERSION);
    CHECK(MPI_Abi_get_version(&version, &subversion) == MPI_SUCCESS && version == MPI_ABI_VERSION);
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length == (int)strlen(text));
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &version));
    CHECK_OK(MPI_T_finalize());
}

static void call_all(when now)
{
    call_versions(now);
    call_infos();
    call_infos_wrongly();
    call_handlers();
    call_codes();
}

/* ---- from one time to another ----------------------------------------------------------------------------------- */

static void keep(kept *k, when now)
{
    static const char *const names[] = {"before", "inside", "after"};
    CHECK_OK(MPI_Info_create(&k->infos[now]));
    CHECK_OK(MPI_Info_set(k->infos[now], "made", names[now]));
    k->info_numbers[now] = MPI_Info_toint(k->infos[now]);
    CHECK((now == INSIDE ? MPI_Comm_create_errhandler(ignore_comm, &k->handlers[now])
                         : MPI_Session_create_errhandler(ignore_session, &k->handlers[now])) == MPI_SUCCESS);
    k->handler_numbers[now] = MPI_Errhandler_toint(k->handlers[now]);
    CHECK_OK(MPI_Add_error_class(&k->classes[now]));
    CHECK_OK(MPI_Add_error_code(k->classes[now], &k->codes[now]));
    CHECK_OK(MPI_Add_error_string(k->codes[now], names[now]));
    /* Everything so far is still there. */
    for (int i = 0; i <= (int)now; i++) {
        char text[MPI_MAX_ERROR_STRING];
        int found, length;
        CHECK(has(k->infos[i], "made", names[i]));
        CHECK(MPI_Info_fromint(k->info_numbers[i]) == k->infos[i]);
        CHECK(MPI_Errhandler_fromint(k->handler_numbers[i]) == k->handlers[i]);
        CHECK(MPI_Error_class(k->codes[i], &found) == MPI_SUCCESS && found == k->classes[i]);
        CHECK(MPI_Error_string(k->codes[i], text, &length) == MPI_SUCCESS && strcmp(text, names[i]) == 0);
    }
}

static void let_go(kept *k)
{
    for (int i = 0; i < 3; i++)
        CHECK(MPI_Info_free(&k->infos[i]) == MPI_SUCCESS && MPI_Errhandler_free(&k->handlers[i]) == MPI_SUCCESS);
}

/* Infos and handlers that were made before work inside. */
static void use_inside(kept *k)
{
    MPI_Comm dup;
    char size[16];
    int ranks;
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, k->infos[BEFORE], &dup));
    CHECK_OK(MPI_Comm_set_errhandler(dup, k->handlers[INSIDE]));
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, k->handlers[BEFORE]) == MPI_ERR_ERRHANDLER);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, k->handlers[INSIDE]));
    CHECK_OK(MPI_Comm_free(&dup));
    /* MPI_INFO_ENV was asked for before there were ranks to count. */
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(size, sizeof size, "%d", ranks);
    CHECK(has(MPI_INFO_ENV, "maxprocs", size));
}

static int body(int argc, char **argv)
{
    kept k;
    call_all(BEFORE);
    keep(&k, BEFORE);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    call_all(INSIDE);
    keep(&k, INSIDE);
    use_inside(&k);
    MPI_Finalize();
    keep(&k, AFTER);
    call_all(AFTER);
    let_go(&k);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(corunna_threads_run(3, body, argc, argv) == 0);
    CHECK(body(argc, argv) == 0);
    puts("any_time: passed");
    return 0;
}
