/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control variables, enumerations and categories: what the tables say is complete and fits together; values are those
 * of the settings, can be written before MPI_Init, are in force after it, and are constant from then on. As processes,
 * and as ranks that are threads, each of which has values of its own.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128, VALUE_BYTES = 1 << 16 };

static int cvar_index(const char *name)
{
    int index = -1;
    CHECK_OK(MPI_T_cvar_get_index(name, &index));
    return index;
}

static MPI_T_cvar_handle cvar_open(const char *name, int *count)
{
    MPI_T_cvar_handle handle;
    CHECK_OK(MPI_T_cvar_handle_alloc(cvar_index(name), NULL, &handle, count));
    return handle;
}

static int cvar_int(const char *name)
{
    int value = -12345, count;
    MPI_T_cvar_handle handle = cvar_open(name, &count);
    CHECK_EQUAL(1, count);
    CHECK_OK(MPI_T_cvar_read(handle, &value));
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    return value;
}

static unsigned long cvar_size(const char *name)
{
    unsigned long value = 12345;
    int count;
    MPI_T_cvar_handle handle = cvar_open(name, &count);
    CHECK_EQUAL(1, count);
    CHECK_OK(MPI_T_cvar_read(handle, &value));
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    return value;
}

static void cvar_text(const char *name, char out[VALUE_BYTES])
{
    int count;
    MPI_T_cvar_handle handle = cvar_open(name, &count);
    CHECK(count > 1 && count <= VALUE_BYTES);
    memset(out, 'x', (size_t)count);
    CHECK_OK(MPI_T_cvar_read(handle, out));
    CHECK(memchr(out, 0, (size_t)count));
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
}

static int cvar_write(const char *name, const void *value)
{
    int count;
    MPI_T_cvar_handle handle = cvar_open(name, &count);
    int error = MPI_T_cvar_write(handle, value);
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    return error;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Strings are cut where there is less room, and the length is always that of all of it. */
static void check_strings(int index, const char *name)
{
    char text[NAME_MAX_BYTES];
    int whole = (int)strlen(name) + 1, length = 0;
    CHECK_OK(MPI_T_cvar_get_info(index, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_EQUAL(whole, length);
    strcpy(text, "as it was");
    length = 0;
    CHECK_OK(MPI_T_cvar_get_info(index, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_EQUAL(whole, length);
    CHECK_TEXT("as it was", text);
    CHECK_OK(MPI_T_cvar_get_info(index, text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_TEXT("as it was", text);
    for (int room = 1; room <= whole; room++) {
        memset(text, 'x', sizeof text);
        length = room;
        CHECK_OK(MPI_T_cvar_get_info(index, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK_EQUAL(whole, length);
        CHECK(memcmp(text, name, (size_t)room - 1) == 0 && text[room - 1] == 0 && text[room] == 'x');
    }
}

static void check_enum(MPI_T_enum choices, const char *name)
{
    char text[NAME_MAX_BYTES], word[NAME_MAX_BYTES];
    int count, value, length = sizeof text;
    CHECK_OK(MPI_T_enum_get_info(choices, &count, text, &length));
    CHECK_TEXT(name, text);
    CHECK(count > 1);
    for (int i = 0; i < count; i++) {
        length = sizeof word;
        CHECK_OK(MPI_T_enum_get_item(choices, i, &value, word, &length));
        CHECK_EQUAL(i, value);
        CHECK(length > 1 && length == (int)strlen(word) + 1 && !strchr(word, '|'));
        for (int k = 0; k < i; k++) {
            char other[NAME_MAX_BYTES];
            length = sizeof other;
            CHECK_OK(MPI_T_enum_get_item(choices, k, &value, other, &length));
            CHECK(strcmp(other, word) != 0);
        }
    }
}

static void test_tables(void)
{
    int count, other;
    CHECK_OK(MPI_T_cvar_get_num(&count));
    CHECK(count > 50);
    for (int i = 0; i < count; i++) {
        char name[NAME_MAX_BYTES], desc[1024];
        int name_length = sizeof name, desc_length = sizeof desc, verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum choices;
        CHECK_OK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &choices, desc, &desc_length, &bind,
                                     &scope));
        CHECK(name_length > 1 && name_length == (int)strlen(name) + 1 && desc_length == (int)strlen(desc) + 1);
        CHECK(desc_length > 5);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(type == MPI_INT || type == MPI_UNSIGNED_LONG || type == MPI_CHAR);
        CHECK(choices == MPI_T_ENUM_NULL || type == MPI_INT);
        CHECK_EQUAL(MPI_T_BIND_NO_OBJECT, bind);
        CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_ALL_EQ);
        CHECK_OK(MPI_T_cvar_get_index(name, &other));
        CHECK_EQUAL(i, other); /* so names are unique */
        check_strings(i, name);
        if (choices != MPI_T_ENUM_NULL)
            check_enum(choices, name);
    }
    CHECK_OK(MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(MPI_T_cvar_get_info(cvar_index("dev"), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other));
    CHECK_EQUAL(MPI_T_SCOPE_ALL_EQ, other);
    CHECK_OK(MPI_T_cvar_get_info(cvar_index("log"), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other));
    CHECK_EQUAL(MPI_T_SCOPE_LOCAL, other);
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

typedef int (*members_fn)(int category, int len, int *indices);

/* The members of this category, each marked in `seen`, where it was not yet; and no more than there is room for. */
static void check_members(int category, members_fn members, int expected, int of, int *seen)
{
    int *indices = malloc(sizeof *indices * (size_t)(expected + 2));
    CHECK(indices);
    for (int i = 0; i < expected + 2; i++)
        indices[i] = -7;
    CHECK_OK(members(category, expected + 2, indices));
    CHECK(indices[expected] == -7 && indices[expected + 1] == -7);
    for (int i = 0; i < expected; i++) {
        CHECK(indices[i] >= 0 && indices[i] < of);
        CHECK_EQUAL(0, seen[indices[i]]++);
        indices[i] = -7;
    }
    if (expected > 0) {
        CHECK_OK(members(category, expected - 1, indices));
        CHECK_EQUAL(-7, indices[expected - 1]);
    }
    CHECK_OK(members(category, 0, NULL));
    free(indices);
}

static void check_all_seen(const int *seen, int first, int count)
{
    for (int i = first; i < count; i++)
        CHECK_EQUAL(1, seen[i]);
}

static void test_categories(void)
{
    enum { MOST = 1000 };
    static const int zero[MOST];
    int count, cvars, pvars, events, categories, of_cvars, of_pvars, of_events, changed, again;
    int seen_cvars[MOST], seen_pvars[MOST], seen_events[MOST], seen[MOST];
    memcpy(seen_cvars, zero, sizeof zero), memcpy(seen_pvars, zero, sizeof zero);
    memcpy(seen_events, zero, sizeof zero), memcpy(seen, zero, sizeof zero);
    CHECK_OK(MPI_T_category_changed(&changed));
    CHECK_OK(MPI_T_category_get_num(&count));
    CHECK_OK(MPI_T_cvar_get_num(&of_cvars));
    CHECK_OK(MPI_T_pvar_get_num(&of_pvars));
    CHECK_OK(MPI_T_event_get_num(&of_events));
    CHECK(count > 3 && count < MOST && of_cvars < MOST && of_pvars < MOST && of_events < MOST);
    for (int i = 0; i < count; i++) {
        char name[NAME_MAX_BYTES], desc[256];
        int length = sizeof name, desc_length = sizeof desc, index;
        CHECK_OK(MPI_T_category_get_info(i, name, &length, desc, &desc_length, &cvars, &pvars, &categories));
        CHECK(length > 1 && length == (int)strlen(name) + 1 && desc_length == (int)strlen(desc) + 1);
        CHECK_OK(MPI_T_category_get_index(name, &index));
        CHECK_EQUAL(i, index);
        CHECK_OK(MPI_T_category_get_num_events(i, &events));
        CHECK(cvars + pvars + events + categories > 0);
        CHECK(i == 0 || categories == 0);
        check_members(i, MPI_T_category_get_cvars, cvars, of_cvars, seen_cvars);
        check_members(i, MPI_T_category_get_pvars, pvars, of_pvars, seen_pvars);
        check_members(i, MPI_T_category_get_events, events, of_events, seen_events);
        check_members(i, MPI_T_category_get_categories, categories, count, seen);
    }
    check_all_seen(seen_cvars, 0, of_cvars);
    check_all_seen(seen_pvars, 0, of_pvars);
    check_all_seen(seen_events, 0, of_events);
    check_all_seen(seen, 1, count);
    CHECK_EQUAL(0, seen[0]);
    CHECK_OK(MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(MPI_T_category_changed(&again));
    CHECK_EQUAL(changed, again);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The choice with this name. */
static int choice_of(const char *cvar, const char *word)
{
    MPI_T_enum choices;
    int count, value;
    CHECK_OK(MPI_T_cvar_get_info(cvar_index(cvar), NULL, NULL, NULL, NULL, &choices, NULL, NULL, NULL, NULL));
    CHECK_OK(MPI_T_enum_get_info(choices, &count, NULL, NULL));
    for (int i = 0; i < count; i++) {
        char text[NAME_MAX_BYTES];
        int length = sizeof text;
        CHECK_OK(MPI_T_enum_get_item(choices, i, &value, text, &length));
        if (strcmp(text, word) == 0)
            return value;
    }
    CHECK_FAIL("%s has no choice %s", cvar, word);
    return -1;
}

static void test_written(const char *ports)
{
    static _Thread_local char text[VALUE_BYTES];
    CHECK_EQUAL(321, cvar_int("wait.spin_us"));
    CHECK_EQUAL(0, cvar_int("trace.stats"));
    CHECK_EQUAL(8192, cvar_size("soft.unexpected_max"));
    CHECK_EQUAL(choice_of("log", "error"), cvar_int("log"));
    cvar_text("tcp.ports", text);
    CHECK_TEXT(ports, text);
    cvar_text("coll.force", text);
    CHECK_TEXT("bcast:mst", text);
}

static void test_before(void)
{
    static _Thread_local char text[VALUE_BYTES];
    int value, count;
    unsigned long size;
    char nul_free[VALUE_BYTES];
    CHECK_EQUAL(1000, cvar_int("wait.spin_us"));
    CHECK_EQUAL(4 << 20, cvar_size("soft.unexpected_max"));
    CHECK_EQUAL(choice_of("log", "warn"), cvar_int("log"));
    CHECK_EQUAL(choice_of("log", "debug"), 3);
    cvar_text("tcp.ports", text);
    CHECK_TEXT("", text);
    value = 123;
    CHECK_OK(cvar_write("wait.spin_us", &value));
    CHECK_EQUAL(123, cvar_int("wait.spin_us"));
    value = 321;
    CHECK_OK(cvar_write("wait.spin_us", &value));
    size = 8192;
    CHECK_OK(cvar_write("soft.unexpected_max", &size));
    value = choice_of("log", "error");
    CHECK_OK(cvar_write("log", &value));
    CHECK_OK(cvar_write("tcp.ports", "20000-40000"));
    CHECK_OK(cvar_write("coll.force", "bcast:mst"));
    test_written("20000-40000");

    /* What a setting refuses, and what is no value of the type, changes nothing. */
    value = -1;
    CHECK(cvar_write("wait.spin_us", &value) == MPI_T_ERR_INVALID);
    size = 1;
    CHECK(cvar_write("soft.unexpected_max", &size) == MPI_T_ERR_INVALID);
    for (value = -1; value <= 5; value += 6) /* below and above the five choices */
        CHECK(cvar_write("log", &value) == MPI_T_ERR_INVALID);
    value = 2;
    CHECK(cvar_write("trace.stats", &value) == MPI_T_ERR_INVALID);
    CHECK(cvar_write("coll.force", "nosuch:mst") == MPI_T_ERR_INVALID);
    memset(nul_free, 'x', sizeof nul_free);
    MPI_T_cvar_handle handle = cvar_open("tcp.ports", &count);
    CHECK(count < VALUE_BYTES && MPI_T_cvar_write(handle, nul_free) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_write(handle, NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    test_written("20000-40000");
}

static void test_constant(int expected)
{
    int value = 1;
    unsigned long size = 16384;
    CHECK_EQUAL(expected, cvar_write("wait.spin_us", &value));
    CHECK_EQUAL(expected, cvar_write("soft.unexpected_max", &size));
    CHECK_EQUAL(expected, cvar_write("tcp.ports", ""));
    test_written("20000-40000");
}

static int body(int argc, char **argv)
{
    int provided, rank, x = 1, sum, count;
    MPI_T_cvar_handle handle;
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    test_tables();
    test_categories();
    test_before();
    CHECK_OK(MPI_T_finalize()); /* what was written stays */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    test_written("20000-40000");
    test_constant(MPI_T_ERR_CVAR_SET_NOT_NOW);
    test_tables();
    test_categories();
    handle = cvar_open("wait.spin_us", &count);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    CHECK_OK(MPI_T_cvar_read(handle, &x)); /* a handle from before */
    CHECK_EQUAL(321, x);
    test_constant(MPI_T_ERR_CVAR_SET_NEVER);
    test_categories();
    CHECK_OK(MPI_T_finalize());
    return 0;
}

/* Threads share the environment, but not what is written. */
static int body_of_own(int argc, char **argv)
{
    int rank, provided, value;
    static _Atomic int next;
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    value = 100 + next++;
    CHECK_OK(cvar_write("wait.spin_us", &value));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_EQUAL(value, cvar_int("wait.spin_us"));
    MPI_Finalize();
    return MPI_T_finalize();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body(argc, argv);
    for (int count = 1; count <= 4; count++)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    CHECK(corunna_threads_run(3, body_of_own, argc, argv) == 0);
    /* The environment, and a value of it that is wrong. */
    int provided, x, count;
    setenv("CORUNNA_WAIT_SPIN_US", "77", 1);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_EQUAL(77, cvar_int("wait.spin_us"));
    setenv("CORUNNA_WAIT_SPIN_US", "much", 1);
    MPI_T_cvar_handle handle = cvar_open("wait.spin_us", &count);
    CHECK(MPI_T_cvar_read(handle, &x) == MPI_T_ERR_NOT_ACCESSIBLE);
    CHECK_OK(MPI_T_finalize());
    puts("tool_cvars: passed");
    return 0;
}
