/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool interface used wrongly: every function before it is initialised, and every argument that can be wrong,
 * before MPI_Init, between and after MPI_Finalize: each returns its code, writes nothing, and calls no error handler,
 * although the one of the program would end it. As a process, and as ranks that are threads.
 */
#include "check.h"

#include <corunna/threads.h>
#include <limits.h>
#include <mpi.h>
#include <string.h>

/* An index that is no index, and a handle that is none. */
enum { FAR = 100000 };

#define BAD_CVAR ((MPI_T_cvar_handle)(void *)nothing)
#define BAD_PVAR ((MPI_T_pvar_handle)(void *)nothing)
#define BAD_SESSION ((MPI_T_pvar_session)(void *)nothing)
#define BAD_REGISTRATION ((MPI_T_event_registration)(void *)nothing)
#define BAD_INSTANCE ((MPI_T_event_instance)(void *)nothing)
#define BAD_ENUM ((MPI_T_enum)(void *)nothing)
#define BAD_INFO ((MPI_Info)(uintptr_t)0x123)

static char nothing[256];

static void on_event(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *data)
{
    (void)event, (void)registration, (void)safety, (void)data;
}

/* ---- before it is initialised ------------------------------------------------------------------------------------ */

static void test_uninitialised(void)
{
    int n = 7, number = 7;
    char text[8] = "same";
    MPI_Count count = 7;
    MPI_T_cvar_handle cvar = BAD_CVAR;
    MPI_T_pvar_handle pvar = BAD_PVAR;
    MPI_T_pvar_session session = BAD_SESSION;
    MPI_T_event_registration registration = BAD_REGISTRATION;
    MPI_Info info;
    const int no = MPI_T_ERR_NOT_INITIALIZED;
    CHECK(MPI_T_finalize() == no);
    CHECK(MPI_T_category_changed(&number) == no);
    CHECK(MPI_T_category_get_categories(0, 1, &number) == no);
    CHECK(MPI_T_category_get_cvars(0, 1, &number) == no);
    CHECK(MPI_T_category_get_events(0, 1, &number) == no);
    CHECK(MPI_T_category_get_index("corunna", &number) == no);
    CHECK(MPI_T_category_get_info(0, text, &n, text, &n, &number, &number, &number) == no);
    CHECK(MPI_T_category_get_num(&number) == no);
    CHECK(MPI_T_category_get_num_events(0, &number) == no);
    CHECK(MPI_T_category_get_pvars(0, 1, &number) == no);
    CHECK(MPI_T_cvar_get_index("log", &number) == no);
    CHECK(MPI_T_cvar_get_info(0, text, &n, &number, NULL, NULL, text, &n, &number, &number) == no);
    CHECK(MPI_T_cvar_get_num(&number) == no);
    CHECK(MPI_T_cvar_handle_alloc(0, NULL, &cvar, &number) == no);
    CHECK(MPI_T_cvar_handle_free(&cvar) == no);
    CHECK(MPI_T_cvar_read(cvar, text) == no);
    CHECK(MPI_T_cvar_write(cvar, text) == no);
    CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, text, &n) == no);
    CHECK(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &number, text, &n) == no);
    CHECK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info) == no);
    CHECK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL) == no);
    CHECK(MPI_T_event_copy(BAD_INSTANCE, text) == no);
    CHECK(MPI_T_event_get_index("MPI_Send", &number) == no);
    CHECK(MPI_T_event_get_info(0, text, &n, &number, NULL, NULL, &n, NULL, NULL, text, &n, &number) == no);
    CHECK(MPI_T_event_get_num(&number) == no);
    CHECK(MPI_T_event_get_source(BAD_INSTANCE, &number) == no);
    CHECK(MPI_T_event_get_timestamp(BAD_INSTANCE, &count) == no);
    CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration) == no);
    CHECK(MPI_T_event_handle_free(registration, NULL, NULL) == no);
    CHECK(MPI_T_event_handle_get_info(registration, &info) == no);
    CHECK(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL) == no);
    CHECK(MPI_T_event_read(BAD_INSTANCE, 0, text) == no);
    CHECK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_event) == no);
    CHECK(MPI_T_event_set_dropped_handler(registration, NULL) == no);
    CHECK(MPI_T_pvar_get_index("calls", MPI_T_PVAR_CLASS_COUNTER, &number) == no);
    CHECK(MPI_T_pvar_get_info(0, text, &n, &number, &number, NULL, NULL, text, &n, &number, &number, &number,
                              &number) == no);
    CHECK(MPI_T_pvar_get_num(&number) == no);
    CHECK(MPI_T_pvar_handle_alloc(session, 0, NULL, &pvar, &number) == no);
    CHECK(MPI_T_pvar_handle_free(session, &pvar) == no);
    CHECK(MPI_T_pvar_handle_free(session, NULL) == no);
    CHECK(MPI_T_pvar_read(session, pvar, text) == no);
    CHECK(MPI_T_pvar_readreset(session, pvar, text) == no);
    CHECK(MPI_T_pvar_reset(session, pvar) == no);
    CHECK(MPI_T_pvar_session_create(&session) == no);
    CHECK(MPI_T_pvar_session_free(&session) == no);
    CHECK(MPI_T_pvar_start(session, pvar) == no);
    CHECK(MPI_T_pvar_stop(session, pvar) == no);
    CHECK(MPI_T_pvar_write(session, pvar, text) == no);
    CHECK(MPI_T_source_get_info(0, text, &n, text, &n, NULL, &count, &count, NULL) == no);
    CHECK(MPI_T_source_get_num(&number) == no);
    CHECK(MPI_T_source_get_timestamp(0, &count) == no);
    CHECK(n == 7 && number == 7 && count == 7 && strcmp(text, "same") == 0);
    CHECK(cvar == BAD_CVAR && pvar == BAD_PVAR && session == BAD_SESSION && registration == BAD_REGISTRATION);
}

/* ---- wrong arguments --------------------------------------------------------------------------------------------- */

static void test_categories(void)
{
    int n = -1, number = 7, count;
    char text[8] = "same";
    CHECK(MPI_T_category_changed(NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_category_get_num(&count));
    const int wrong[] = {-1, count, FAR, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(MPI_T_category_get_categories(wrong[i], 1, &number) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_category_get_cvars(wrong[i], 1, &number) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_category_get_pvars(wrong[i], 1, &number) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_category_get_events(wrong[i], 1, &number) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_category_get_num_events(wrong[i], &number) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_category_get_info(wrong[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    }
    CHECK(MPI_T_category_get_categories(0, -1, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_cvars(1, 1, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_pvars(1, -1, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_events(1, INT_MIN, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_num_events(1, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_info(0, text, &n, NULL, NULL, &number, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_info(0, NULL, NULL, text, &n, &number, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_index("no such category", &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_category_get_index("", &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_category_get_index(NULL, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_get_index("corunna", NULL) == MPI_T_ERR_INVALID);
    CHECK(n == -1 && number == 7 && strcmp(text, "same") == 0);
}

static void test_enums(MPI_T_enum choices)
{
    int n = -1, number = 7, count;
    char text[8] = "same";
    const MPI_T_enum wrong[] = {MPI_T_ENUM_NULL, BAD_ENUM, (MPI_T_enum)(uintptr_t)FAR};
    for (int i = 0; i < 3; i++) {
        CHECK(MPI_T_enum_get_info(wrong[i], &number, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_enum_get_item(wrong[i], 0, &number, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
    }
    CHECK_OK(MPI_T_enum_get_info(choices, &count, NULL, NULL));
    CHECK(MPI_T_enum_get_info(choices, &number, text, &n) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_enum_get_item(choices, 0, &number, text, &n) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_enum_get_item(choices, -1, &number, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_enum_get_item(choices, count, &number, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(n == -1 && number == 7 && strcmp(text, "same") == 0);
}

static void test_cvars(void)
{
    int n = -1, number = 7, count, value = 3;
    char text[8] = "same";
    MPI_T_cvar_handle cvar = MPI_T_CVAR_HANDLE_NULL, stale;
    MPI_T_enum choices;
    CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_cvar_get_num(&count));
    const int wrong[] = {-1, count, FAR, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(MPI_T_cvar_get_info(wrong[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
              MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_cvar_handle_alloc(wrong[i], NULL, &cvar, &number) == MPI_T_ERR_INVALID_INDEX);
    }
    CHECK(MPI_T_cvar_get_info(0, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, text, &n, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_index("lo", &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_cvar_get_index(NULL, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_index("log", NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_handle_alloc(0, NULL, NULL, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_handle_alloc(0, NULL, &cvar, NULL) == MPI_T_ERR_INVALID);
    CHECK(n == -1 && number == 7 && cvar == MPI_T_CVAR_HANDLE_NULL && strcmp(text, "same") == 0);
    CHECK_OK(MPI_T_cvar_handle_alloc(0, NULL, &cvar, &number));
    CHECK(MPI_T_cvar_read(cvar, NULL) == MPI_T_ERR_INVALID);
    stale = cvar;
    CHECK_OK(MPI_T_cvar_handle_free(&cvar));
    CHECK(cvar == MPI_T_CVAR_HANDLE_NULL);
    const MPI_T_cvar_handle none[] = {cvar, stale, BAD_CVAR};
    for (int i = 0; i < 3; i++) {
        MPI_T_cvar_handle freed = none[i];
        CHECK(MPI_T_cvar_read(none[i], &value) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_cvar_write(none[i], &value) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_cvar_handle_free(&freed) == MPI_T_ERR_INVALID_HANDLE && freed == none[i]);
    }
    CHECK(MPI_T_cvar_handle_free(NULL) == MPI_T_ERR_INVALID);
    CHECK_EQUAL(3, value);
    CHECK_OK(MPI_T_cvar_get_index("log", &number));
    CHECK_OK(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, &choices, NULL, NULL, NULL, NULL));
    test_enums(choices);
}

static void test_pvar_handles(MPI_T_pvar_session session, MPI_T_pvar_session other)
{
    int number = 7, index;
    double seconds = -1;
    unsigned long long value[64] = {5};
    MPI_T_pvar_handle pvar, level, timer, stale;
    CHECK_OK(MPI_T_pvar_get_index("sleeps", MPI_T_PVAR_CLASS_COUNTER, &index));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &pvar, &number));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &stale, &number));
    CHECK_OK(MPI_T_pvar_get_index("requests", MPI_T_PVAR_CLASS_LEVEL, &index));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &level, &number));
    CHECK_OK(MPI_T_pvar_get_index("wait_time", MPI_T_PVAR_CLASS_TIMER, &index));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &timer, &number));
    MPI_T_pvar_handle freed = stale;
    CHECK_OK(MPI_T_pvar_handle_free(session, &freed));
    CHECK(freed == MPI_T_PVAR_HANDLE_NULL);

    /* Handles that are none, of another session, or all of them where that is not possible. */
    const MPI_T_pvar_handle none[] = {MPI_T_PVAR_HANDLE_NULL, stale, BAD_PVAR, pvar, MPI_T_PVAR_ALL_HANDLES};
    for (int i = 0; i < 5; i++) {
        MPI_T_pvar_session at = none[i] == pvar ? other : session;
        freed = none[i];
        CHECK(MPI_T_pvar_read(at, none[i], value) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_readreset(at, none[i], value) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_write(at, none[i], value) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_handle_free(at, &freed) == MPI_T_ERR_INVALID_HANDLE && freed == none[i]);
        if (none[i] == MPI_T_PVAR_ALL_HANDLES)
            continue;
        CHECK(MPI_T_pvar_start(at, none[i]) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_stop(at, none[i]) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_reset(at, none[i]) == MPI_T_ERR_INVALID_HANDLE);
    }
    CHECK(MPI_T_pvar_handle_free(session, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_read(session, pvar, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_readreset(session, pvar, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_write(session, pvar, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_write(session, timer, &seconds) == MPI_T_ERR_INVALID);

    CHECK(MPI_T_pvar_start(session, level) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_stop(session, level) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_write(session, level, value) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_reset(session, level) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_readreset(session, level, value) == MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK(value[0] == 5);
    CHECK_OK(MPI_T_pvar_handle_free(session, &pvar)); /* the others go with the session */
}

static void test_pvars(void)
{
    int n = -1, number = 7, count;
    char text[8] = "same";
    unsigned long long value[64] = {5};
    MPI_T_pvar_handle pvar = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session, other;
    CHECK(MPI_T_pvar_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_pvar_get_num(&count));
    CHECK(MPI_T_pvar_session_create(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK_OK(MPI_T_pvar_session_create(&other));
    const int wrong[] = {-1, count, FAR, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(MPI_T_pvar_get_info(wrong[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
              MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_pvar_handle_alloc(session, wrong[i], NULL, &pvar, &number) == MPI_T_ERR_INVALID_INDEX);
    }
    CHECK(MPI_T_pvar_get_info(0, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, text, &n, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_get_index("call", MPI_T_PVAR_CLASS_COUNTER, &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_pvar_get_index("calls", MPI_T_PVAR_CLASS_LEVEL, &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_pvar_get_index(NULL, MPI_T_PVAR_CLASS_COUNTER, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_get_index("calls", MPI_T_PVAR_CLASS_COUNTER, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_handle_alloc(session, 0, NULL, NULL, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_handle_alloc(session, 0, NULL, &pvar, NULL) == MPI_T_ERR_INVALID);
    test_pvar_handles(session, other);

    MPI_T_pvar_session stale = session;
    CHECK_OK(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    const MPI_T_pvar_session none[] = {session, stale, BAD_SESSION};
    for (int i = 0; i < 3; i++) {
        MPI_T_pvar_session freed = none[i];
        CHECK(MPI_T_pvar_handle_alloc(none[i], 0, NULL, &pvar, &number) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_handle_free(none[i], &pvar) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_start(none[i], MPI_T_PVAR_ALL_HANDLES) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_stop(none[i], pvar) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_reset(none[i], pvar) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_read(none[i], pvar, value) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_readreset(none[i], pvar, value) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_write(none[i], pvar, value) == MPI_T_ERR_INVALID_SESSION);
        CHECK(MPI_T_pvar_session_free(&freed) == MPI_T_ERR_INVALID_SESSION && freed == none[i]);
    }
    CHECK(MPI_T_pvar_session_free(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_pvar_session_free(&other));
    CHECK(n == -1 && number == 7 && pvar == MPI_T_PVAR_HANDLE_NULL && strcmp(text, "same") == 0 && value[0] == 5);
}

static void test_registrations(void)
{
    const MPI_T_cb_safety bad_level = (MPI_T_cb_safety)5, none = MPI_T_CB_REQUIRE_NONE;
    MPI_T_event_registration made;
    MPI_Info info = BAD_INFO;
    CHECK_OK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &made));
    CHECK(MPI_T_event_handle_set_info(made, BAD_INFO) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_handle_get_info(made, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_callback_set_info(made, none, BAD_INFO) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_callback_set_info(made, bad_level, MPI_INFO_NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_callback_get_info(made, bad_level, &info) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_callback_get_info(made, none, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_register_callback(made, bad_level, MPI_INFO_NULL, NULL, on_event) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_register_callback(made, none, BAD_INFO, NULL, on_event) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_event_handle_free(made, NULL, NULL));
    const MPI_T_event_registration wrong[] = {made, BAD_REGISTRATION, NULL};
    for (int i = 0; i < 3; i++) {
        CHECK(MPI_T_event_handle_free(wrong[i], NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_handle_set_info(wrong[i], MPI_INFO_NULL) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_handle_get_info(wrong[i], &info) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_callback_set_info(wrong[i], none, MPI_INFO_NULL) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_callback_get_info(wrong[i], none, &info) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_set_dropped_handler(wrong[i], NULL) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_event_register_callback(wrong[i], none, MPI_INFO_NULL, NULL, on_event) ==
              MPI_T_ERR_INVALID_HANDLE);
    }
    CHECK(info == BAD_INFO);
}

static void test_events(void)
{
    int n = -1, number = 7, count;
    char text[8] = "same";
    MPI_Count ticks = 7;
    MPI_T_event_registration made = BAD_REGISTRATION;
    CHECK(MPI_T_event_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_event_get_num(&count));
    const int wrong[] = {-1, count, FAR, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(MPI_T_event_get_info(wrong[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
              MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_event_handle_alloc(wrong[i], NULL, MPI_INFO_NULL, &made) == MPI_T_ERR_INVALID_INDEX);
    }
    CHECK(MPI_T_event_get_info(0, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, text, &n, NULL) ==
          MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, &n, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_index("MPI_Finalize", &number) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_event_get_index(NULL, &number) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_index("MPI_Send", NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_handle_alloc(0, NULL, BAD_INFO, &made) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(made == BAD_REGISTRATION);
    test_registrations();
    /* Outside of a callback nothing is an instance. */
    CHECK(MPI_T_event_read(BAD_INSTANCE, 0, text) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_event_copy(BAD_INSTANCE, text) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_event_get_timestamp(BAD_INSTANCE, &ticks) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_event_get_source(BAD_INSTANCE, &number) == MPI_T_ERR_INVALID_HANDLE);

    CHECK(MPI_T_source_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_source_get_num(&count));
    const int no_source[] = {-1, count, FAR};
    for (int i = 0; i < 3; i++) {
        CHECK(MPI_T_source_get_info(no_source[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
              MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_source_get_timestamp(no_source[i], &ticks) == MPI_T_ERR_INVALID_INDEX);
    }
    CHECK(MPI_T_source_get_info(0, text, &n, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_source_get_info(0, NULL, NULL, text, &n, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_source_get_timestamp(0, NULL) == MPI_T_ERR_INVALID);
    CHECK(n == -1 && number == 7 && ticks == 7 && strcmp(text, "same") == 0);
}

/* ---- how often it is initialised --------------------------------------------------------------------------------- */

/* The last MPI_T_finalize ends it, and what was made: its handles are none any more. */
static void test_all(int is_open)
{
    int provided = -1, number;
    MPI_T_cvar_handle cvar;
    MPI_T_pvar_session session;
    MPI_T_event_registration registration;
    test_uninitialised();
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL));
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided));
    CHECK_EQUAL(MPI_THREAD_SERIALIZED, provided);
    CHECK_OK(MPI_T_finalize());
    test_categories();
    test_cvars();
    test_pvars();
    test_events();
    CHECK_OK(MPI_T_cvar_handle_alloc(0, NULL, &cvar, &number));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK_OK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration));
    CHECK_OK(MPI_T_finalize());
    test_uninitialised();
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQUAL(is_open ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, provided); /* the engine has no lock */
    CHECK(MPI_T_cvar_handle_free(&cvar) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_finalize());
}

static int body(int argc, char **argv)
{
    test_all(0);
    MPI_Init(&argc, &argv);
    test_all(1);
    MPI_Finalize();
    test_all(0);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body(argc, argv);
    for (int count = 1; count <= 3; count++)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    puts("tool_wrong: passed");
    return 0;
}
