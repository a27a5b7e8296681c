/* SPDX-License-Identifier: Apache-2.0 */
/* Info objects. */
#include "comm_suite.h"

#include <stdio.h>
#include <string.h>

static void expect_value(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    int flag, length = -1;
    CHECK_OK(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag));
    CHECK_EQUAL(expected != NULL, flag);
    CHECK_OK(MPI_Info_get_valuelen(info, key, &length, &flag));
    CHECK_EQUAL(expected != NULL, flag);
    if (!expected)
        return;
    CHECK_EQUAL((int)strlen(expected), length);
    if (strcmp(value, expected) != 0)
        CHECK_FAIL("%s is \"%s\", not \"%s\"", key, value, expected);
}

void case_info_pairs(const test *t)
{
    (void)t;
    MPI_Info info, copy;
    char key[MPI_MAX_INFO_KEY], value[16];
    int count, flag, length;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_get_nkeys(info, &count));
    CHECK_EQUAL(0, count);
    for (int i = 0; i < 30; i++) {
        snprintf(key, sizeof key, "key %d", i);
        snprintf(value, sizeof value, "value %d", i * i);
        CHECK_OK(MPI_Info_set(info, key, value));
    }
    CHECK_OK(MPI_Info_set(info, "key 5", "other"));
    CHECK_OK(MPI_Info_dup(info, &copy));
    CHECK_OK(MPI_Info_delete(info, "key 7"));
    CHECK_EQUAL(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "key 7"));
    CHECK_OK(MPI_Info_get_nkeys(info, &count));
    CHECK_EQUAL(29, count);
    CHECK_OK(MPI_Info_get_nkeys(copy, &count));
    CHECK_EQUAL(30, count);
    /* In the order of setting. */
    for (int i = 0, n = 0; i < 30; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "key %d", i);
        CHECK_OK(MPI_Info_get_nthkey(copy, i, key));
        CHECK_EQUAL(0, strcmp(key, expected));
        if (i == 7)
            continue;
        CHECK_OK(MPI_Info_get_nthkey(info, n++, key));
        CHECK_EQUAL(0, strcmp(key, expected));
    }
    expect_value(info, "key 5", "other");
    expect_value(info, "key 7", NULL);
    expect_value(copy, "key 7", "value 49");
    CHECK_OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    expect_value(copy, "key 29", "value 841");
    /* Short room. */
    CHECK_OK(MPI_Info_get(copy, "key 29", 3, value, &flag));
    CHECK_EQUAL(0, strcmp(value, "val"));
    length = 0;
    CHECK_OK(MPI_Info_get_string(copy, "key 29", &length, NULL, &flag));
    CHECK_EQUAL(10, length);
    length = 6;
    CHECK_OK(MPI_Info_get_string(copy, "key 29", &length, value, &flag));
    CHECK_EQUAL(10, length);
    CHECK_EQUAL(0, strcmp(value, "value"));
    /* The longest that are allowed, and an empty value. */
    char long_key[MPI_MAX_INFO_KEY + 1], long_value[MPI_MAX_INFO_VAL + 1];
    memset(long_key, 'k', sizeof long_key);
    memset(long_value, 'v', sizeof long_value);
    long_key[MPI_MAX_INFO_KEY] = long_value[MPI_MAX_INFO_VAL] = '\0';
    CHECK_EQUAL(MPI_ERR_INFO_KEY, MPI_Info_set(copy, long_key, "x"));
    CHECK_EQUAL(MPI_ERR_INFO_VALUE, MPI_Info_set(copy, "x", long_value));
    long_key[MPI_MAX_INFO_KEY - 1] = long_value[MPI_MAX_INFO_VAL - 1] = '\0';
    CHECK_OK(MPI_Info_set(copy, long_key, long_value));
    expect_value(copy, long_key, long_value);
    CHECK_OK(MPI_Info_set(copy, "empty", ""));
    expect_value(copy, "empty", "");
    CHECK(MPI_Info_fromint(MPI_Info_toint(copy)) == copy);
    CHECK_OK(MPI_Info_free(&copy));
}

void case_info_environment(const test *t)
{
    MPI_Info info;
    char value[64], expected[16];
    int flag;
    char *argv[] = {"a-program", NULL};
    CHECK_OK(MPI_Info_get(MPI_INFO_ENV, "maxprocs", 63, value, &flag));
    snprintf(expected, sizeof expected, "%d", t->size);
    CHECK(flag && strcmp(value, expected) == 0);
    CHECK_OK(MPI_Info_get(MPI_INFO_ENV, "arch", 63, value, &flag));
    CHECK(flag && value[0]);
    CHECK_EQUAL(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_ENV, "arch", "x"));
    CHECK_OK(MPI_Info_create_env(1, argv, &info));
    CHECK_OK(MPI_Info_get(info, "command", 63, value, &flag));
    CHECK(flag && strcmp(value, "a-program") == 0);
    CHECK_OK(MPI_Info_set(info, "arch", "x"));
    CHECK_OK(MPI_Info_free(&info));
}
