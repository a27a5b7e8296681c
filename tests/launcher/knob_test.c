/* SPDX-License-Identifier: Apache-2.0 */
/* Knobs: parsing, priorities, unknown names. */
#include "base/knob.h"
#include "base/knob_map.h"
#include "check.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_config {
    size_t size, limited;
    int number, flag, choice;
    char map[40];
} test_config;

static const cor_knob test_rows[] = {
    {"test.size", COR_KNOB_SIZE, offsetof(test_config, size), "4k", NULL, 0, 0, "a size"},
    {"test.limited", COR_KNOB_SIZE, offsetof(test_config, limited), "64", NULL, 16, 1024, "a size with limits"},
    {"test.number", COR_KNOB_INT, offsetof(test_config, number), "-7", NULL, -10, 10, "a number"},
    {"test.flag", COR_KNOB_BOOL, offsetof(test_config, flag), "no", NULL, 0, 0, "a flag"},
    {"test.choice", COR_KNOB_CHOICE, offsetof(test_config, choice), "never", "auto|never|always", 0, 0, "a choice"},
    {"test.force", COR_KNOB_MAP, offsetof(test_config, map), "", "red|green|blue", 0, 40, "a value for each"},
};

static const cor_knob_table test_table = {test_rows, sizeof test_rows / sizeof test_rows[0]};

/* Load with one override; the code. */
static int load_one(const char *override, test_config *config, cor_fault *fault)
{
    const char *const overrides[] = {override, NULL};
    memset(config, 0x55, sizeof *config);
    return cor_knobs_load(&test_table, overrides, config, NULL, fault);
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        size_t value;
    } good[] = {
        {"test.size=0", 0},      {"test.size=1", 1},         {"test.size=8k", 8192},
        {"test.size=8K", 8192},  {"test.size=4M", 4u << 20}, {"test.size=1G", 1u << 30},
        {"test.size=2kB", 2048}, {"test.size=2KiB", 2048},   {"test.size=007", 7},
    };
    static const char *const bad[] = {"test.size=",
                                      "test.size=k",
                                      "test.size=-1",
                                      "test.size=1.5k",
                                      "test.size= 8k",
                                      "test.size=8k ",
                                      "test.size=8kk",
                                      "test.size=8T",
                                      "test.size=0x10",
                                      "test.size=+8",
                                      "test.size=8Ki",
                                      "test.size=99999999999999999999",
                                      "test.size=18014398509481984k",
                                      "test.size=17179869184G"};
    test_config config;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cor_fault fault = {0};
        CHECK_OK(load_one(good[i].text, &config, &fault));
        CHECK(config.size == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cor_fault fault = {0};
        int code = load_one(bad[i], &config, &fault);
        if (code != COR_ERR_KNOB)
            fprintf(stderr, "accepted: %s\n", bad[i]);
        CHECK(code == COR_ERR_KNOB && strstr(fault.text, "test.size is \"") == fault.text);
    }
    cor_fault fault = {0};
    CHECK(load_one("test.size=18446744073709551615", &config, &fault) == COR_OK && config.size == SIZE_MAX);
    CHECK(load_one("test.limited=15", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.limited=16", &config, &fault) == COR_OK && config.limited == 16);
    CHECK(load_one("test.limited=1k", &config, &fault) == COR_OK && config.limited == 1024);
    CHECK(load_one("test.limited=1025", &config, &fault) == COR_ERR_KNOB);
    CHECK(strstr(fault.text, "from 16 to 1024") != NULL);
}

static void test_others(void)
{
    test_config config;
    cor_fault fault = {0};
    CHECK(load_one("test.number=10", &config, &fault) == COR_OK && config.number == 10);
    CHECK(load_one("test.number=-10", &config, &fault) == COR_OK && config.number == -10);
    CHECK(load_one("test.number=11", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.number=99999999999", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.number=--1", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.number=1k", &config, &fault) == COR_ERR_KNOB);
    static const char *const yes[] = {"test.flag=yes", "test.flag=ON", "test.flag=true", "test.flag=1"};
    static const char *const no[] = {"test.flag=no", "test.flag=off", "test.flag=False", "test.flag=0"};
    for (size_t i = 0; i < 4; i++) {
        CHECK(load_one(yes[i], &config, &fault) == COR_OK && config.flag == 1);
        CHECK(load_one(no[i], &config, &fault) == COR_OK && config.flag == 0);
    }
    CHECK(load_one("test.flag=2", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.flag=", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.choice=auto", &config, &fault) == COR_OK && config.choice == 0);
    CHECK(load_one("test.choice=always", &config, &fault) == COR_OK && config.choice == 2);
    CHECK(load_one("test.choice=alw", &config, &fault) == COR_ERR_KNOB);
    CHECK(load_one("test.choice=auto|never", &config, &fault) == COR_ERR_KNOB);
    CHECK(strstr(fault.text, "one of auto|never|always") != NULL);
}

static void test_priorities(void)
{
    test_config config;
    cor_fault fault = {0};
    cor_knob_origin origins[6];
    CHECK_OK(cor_knobs_load(&test_table, NULL, &config, origins, &fault));
    CHECK(config.size == 4096 && config.number == -7 && config.flag == 0 && config.choice == 1);
    CHECK(origins[0] == COR_KNOB_DEFAULT && origins[4] == COR_KNOB_DEFAULT);
    setenv("CORUNNA_TEST_SIZE", "1k", 1);
    setenv("CORUNNA_TEST_CHOICE", "always", 1);
    const char *const overrides[] = {"test.choice=never", "other.thing=1", "test.choice=auto", NULL};
    CHECK_OK(cor_knobs_load(&test_table, overrides, &config, origins, &fault));
    CHECK(config.size == 1024 && origins[0] == COR_KNOB_ENVIRONMENT);
    CHECK(config.choice == 0 && origins[4] == COR_KNOB_OVERRIDE);
    setenv("CORUNNA_TEST_SIZE", "", 1);
    CHECK(cor_knobs_load(&test_table, NULL, &config, origins, &fault) == COR_ERR_KNOB);
    CHECK(strstr(fault.text, "CORUNNA_TEST_SIZE") == fault.text);
    unsetenv("CORUNNA_TEST_SIZE");
    unsetenv("CORUNNA_TEST_CHOICE");
}

static void test_print(void)
{
    test_config config = {.size = 8192, .limited = 1000, .number = -3, .flag = 1, .choice = 2};
    static const char *const texts[] = {"8k", "1000", "-3", "yes", "always"};
    char out[64];
    for (size_t i = 0; i < 5; i++) {
        cor_knob_print(&test_rows[i], &config, out);
        CHECK_TEXT(texts[i], out);
    }
    config.size = 0;
    cor_knob_print(&test_rows[0], &config, out);
    CHECK_TEXT("0", out);
    config.size = (size_t)3 << 40;
    cor_knob_print(&test_rows[0], &config, out);
    CHECK_TEXT("3072G", out);
    cor_knob_variable("sm.eager_max", out);
    CHECK_TEXT("CORUNNA_SM_EAGER_MAX", out);
    cor_knob_variable("x.very-long-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on", out);
    CHECK(strlen(out) == 63);
}

/* The warning goes to stderr: catch it. */
static void check_warning(const char *variable, const char *expected)
{
    const cor_knob_table *const tables[] = {&test_table};
    static const char *const also[] = {"CORUNNA_TEST_KNOWN", NULL};
    const cor_log warn = {.level = COR_LOG_WARN, .rank = -1};
    char text[512] = "";
    int ends[2], old = dup(2);
    cor_fault fault = {0};
    setenv(variable, "1", 1);
    CHECK(old >= 0 && pipe(ends) == 0);
    dup2(ends[1], 2);
    close(ends[1]);
    int code = cor_knobs_check(tables, 1, NULL, also, &warn, &fault);
    dup2(old, 2);
    close(old);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    unsetenv(variable);
    CHECK(code == COR_OK);
    CHECK(*expected ? strstr(text, expected) != NULL && strstr(text, variable) != NULL : *text == '\0');
}

static void test_unknown(void)
{
    const cor_knob_table *const tables[] = {&test_table};
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    cor_fault fault = {0};
    static const char *const near[] = {"test.siez=1", NULL}, *const far[] = {"colour=blue", NULL};
    static const char *const bare[] = {"test.size", NULL}, *const good[] = {"test.size=1", "test.flag=1", NULL};
    CHECK_OK(cor_knobs_check(tables, 1, good, NULL, &quiet, &fault));
    CHECK(cor_knobs_check(tables, 1, near, NULL, &quiet, &fault) == COR_ERR_KNOB);
    CHECK_TEXT("unknown setting \"test.siez\"; did you mean test.size?", fault.text);
    CHECK(cor_knobs_check(tables, 1, far, NULL, &quiet, &fault) == COR_ERR_KNOB);
    CHECK(strstr(fault.text, "did you mean") == NULL && strstr(fault.text, "colour") != NULL);
    CHECK(cor_knobs_check(tables, 1, bare, NULL, &quiet, &fault) == COR_ERR_KNOB);
    check_warning("CORUNNA_TEST_NUMBRE", "did you mean CORUNNA_TEST_NUMBER?");
    check_warning("CORUNNA_COLOUR", "has no effect");
    check_warning("CORUNNA_TEST_KNOWN", "");
    check_warning("CORUNNA_TEST_FLAG", "");
}

/* Load with these; the text of the map. */
static const char *load_map(const char *first, const char *second, cor_knob_origin *origin_p)
{
    static test_config config;
    const char *const overrides[] = {first, second, NULL};
    cor_knob_origin origins[6];
    cor_fault fault = {0};
    CHECK_OK(cor_knobs_load(&test_table, first ? overrides : NULL, &config, origins, &fault));
    *origin_p = origins[5];
    return config.map;
}

static void refuse_map(const char *override, const char *expected)
{
    test_config config;
    cor_fault fault = {0};
    CHECK(load_one(override, &config, &fault) == COR_ERR_KNOB);
    CHECK_TEXT(expected, fault.text);
}

static void test_map(void)
{
    cor_knob_origin origin;
    size_t length;
    CHECK_TEXT("", load_map(NULL, NULL, &origin));
    CHECK_EQUAL(COR_KNOB_DEFAULT, origin);
    /* In the order of the names, whatever the order of the list, and by themselves. */
    CHECK_TEXT("red:1,blue:2 3", load_map("test.force=blue:2 3,red:1", NULL, &origin));
    CHECK_TEXT("red:1,blue:2 3", load_map("test.blue=2 3", "test.red=1", &origin));
    CHECK_EQUAL(COR_KNOB_OVERRIDE, origin);
    /* One name by itself before the list, but no variable before an override; empty: none. */
    CHECK_TEXT("red:4,blue:2", load_map("test.force=blue:2,red:1", "test.red=4", &origin));
    CHECK_TEXT("blue:2", load_map("test.force=blue:2,red:1", "test.red=", &origin));
    setenv("CORUNNA_TEST_FORCE", "green:5,red:6", 1);
    setenv("CORUNNA_TEST_BLUE", "7", 1);
    CHECK_TEXT("red:6,green:5,blue:7", load_map(NULL, NULL, &origin));
    CHECK_EQUAL(COR_KNOB_ENVIRONMENT, origin);
    CHECK_TEXT("red:1,green:5,blue:2", load_map("test.force=blue:2,red:1", NULL, &origin));
    unsetenv("CORUNNA_TEST_FORCE");
    unsetenv("CORUNNA_TEST_BLUE");
    refuse_map("test.force=red", "test.force is \"red\"; it must be NAME:VALUE, or several with commas between them");
    refuse_map("test.force=rde:1", "test.force has no value for \"rde\"; did you mean red?");
    refuse_map("test.force=red:1,blue:2,red:1", "test.force has two values for \"red\"; leave one of them out");
    refuse_map("test.force=:1", "test.force has no value for \"\"");
    refuse_map("test.red=1,2", "test.red is \"1,2\"; it must have no comma and at most 255 characters, and there is "
                               "room for 39 characters of test.force");
    refuse_map("test.red=123456789012345678901234567890123456",
               "test.red is \"123456789012345678901234567890123456\"; it must have no comma and at most 255 "
               "characters, and there is room for 39 characters of test.force");
    CHECK_TEXT("green:12345678901234567890123456789012",
               load_map("test.green=12345678901234567890123456789012", NULL, &origin));
    CHECK(cor_knob_map_find("red:1,blue:2", "green", &length) == NULL);
    CHECK(cor_knob_map_find("red:1,blue:2", "blu", &length) == NULL);
    CHECK(*cor_knob_map_find("red:1,blue:2", "blue", &length) == '2' && length == 1);
    CHECK(cor_knob_is_called(&test_rows[5], "test.green") && cor_knob_is_called(&test_rows[5], "test.force"));
    CHECK(!cor_knob_is_called(&test_rows[5], "test.yellow") && !cor_knob_is_called(&test_rows[0], "test.green"));
    check_warning("CORUNNA_TEST_GREEN", "");
    check_warning("CORUNNA_TEST_GREENN", "did you mean CORUNNA_TEST_GREEN?");
}

static void test_nearest(void)
{
    static const char *const words[] = {"run", "info", "mpjrun", "help"};
    CHECK_TEXT("run", cor_nearest("rnu", words, 4));
    CHECK_TEXT("info", cor_nearest("INFO", words, 4));
    CHECK_TEXT("mpjrun", cor_nearest("mpirun", words, 4));
    CHECK(cor_nearest("benchmark", words, 4) == NULL);
    CHECK(cor_nearest("", words, 4) == NULL);
    CHECK(cor_nearest("run", words, 0) == NULL);
    char longest[300];
    memset(longest, 'r', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CHECK(cor_nearest(longest, words, 4) == NULL);
}

int main(void)
{
    unsetenv("CORUNNA_TEST_SLOW"); /* unknown to these tables, and no concern of this test */
    test_sizes();
    test_others();
    test_priorities();
    test_print();
    test_unknown();
    test_map();
    test_nearest();
    return 0;
}
