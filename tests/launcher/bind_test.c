/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping, ranking and binding on machines that hwloc describes: which CPUs each rank gets, and what is refused. */
#define _GNU_SOURCE
#include "check.h"
#include "launch/bind/bind_place.h"
#include "launch/bind/bind_set.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 32 };

/* Machines in hwloc's words. CPUs have the kernel's usual numbers: the first thread of every core, then the second. */
#define TWO_SOCKETS "package:2 l3:1 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" /* 2 x 4 x 2 */
#define ONE_CORE "core:1 pu:1"
#define NUMA "package:2 numa:2 l3:2 core:2 pu:1" /* 2 sockets x 2 nodes x 2 caches x 2 cores */

/* 0: hwloc is not here. */
static int machine_read(const char *description, bind_machine *machine)
{
    cor_fault fault = {0};
    CHECK(setenv("HWLOC_SYNTHETIC", description, 1) == 0);
    int rc = cor_bind_machine_ask_hwloc(machine, &fault);
    CHECK(unsetenv("HWLOC_SYNTHETIC") == 0);
    if (rc == COR_ERR_UNSUPPORTED) {
        const char *ci = getenv("CI");
        printf("skipped: %s\n", fault.text);
        CHECK(!ci || strcmp(ci, "true") != 0);
        return 0;
    }
    CHECK_OK(rc);
    CHECK(machine->is_other);
    return 1;
}

/* ---- where ranks go --------------------------------------------------------------------------------------------- */

/* "0,8 1,9": the CPUs of each rank; "free"; or "notice: ..." and "error: ..." with the beginning of the sentence. */
typedef struct bind_case {
    const char *machine;
    int ranks;
    run_binding binding;
    const char *expected;
} bind_case;

static const bind_case cases[] = {
    /* cores in their order, all threads of each */
    {TWO_SOCKETS, 4, {.bind_to = "core"}, "0,8 1,9 2,10 3,11"},
    {TWO_SOCKETS, 8, {.bind_to = "core"}, "0,8 1,9 2,10 3,11 4,12 5,13 6,14 7,15"},
    {TWO_SOCKETS, 2, {.bind_to = "hwthread"}, "0 8"},
    {TWO_SOCKETS, 3, {.bind_to = "core", .use_hwthreads = 1}, "0,8 0,8 1,9"},
    {TWO_SOCKETS, 2, {.bind_to = "board"}, "0-15 0-15"},
    {ONE_CORE, 1, {.bind_to = "core"}, "0"},
    {ONE_CORE, 3, {.bind_to = "core:overload-allowed"}, "0 0 0"},
    /* objects in turn, and bound to them or to less or more */
    {TWO_SOCKETS, 4, {.map_by = "socket", .bind_to = "socket"}, "0-3,8-11 4-7,12-15 0-3,8-11 4-7,12-15"},
    {TWO_SOCKETS, 4, {.map_by = "socket", .bind_to = "core"}, "0,8 4,12 1,9 5,13"},
    {TWO_SOCKETS, 2, {.map_by = "package", .bind_to = "auto"}, "0-3,8-11 4-7,12-15"},
    {TWO_SOCKETS, 2, {.map_by = "Core", .bind_to = "l3cache"}, "0-3,8-11 0-3,8-11"},
    {TWO_SOCKETS, 3, {.map_by = "hwthread", .bind_to = "auto"}, "0 8 1"},
    {NUMA, 5, {.map_by = "numa", .bind_to = "core"}, "0 4 8 12 1"},
    {NUMA, 4, {.map_by = "l3", .bind_to = "numa"}, "0-3 0-3 4-7 4-7"},
    {NUMA, 3, {.map_by = "numa", .bind_to = "auto"}, "0-3 4-7 8-11"},
    {NUMA, 2, {.map_by = "socket", .bind_to = "l3"}, "0-1 8-9"},
    /* several cores each */
    {TWO_SOCKETS, 4, {.map_by = "slot:PE=2", .bind_to = "core"}, "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15"},
    {TWO_SOCKETS, 3, {.map_by = "socket:PE=2", .bind_to = "auto"}, "0-1,8-9 4-5,12-13 2-3,10-11"},
    {TWO_SOCKETS, 2, {.bind_to = "core:1"}, "0,8 1,9"},
    {TWO_SOCKETS, 2, {.bind_to = "core:3"}, "0-2,8-10 3-5,11-13"},
    {TWO_SOCKETS, 2, {.map_by = "socket", .bind_to = "core:2"}, "0-1,8-9 4-5,12-13"},
    {TWO_SOCKETS, 2, {.bind_to = "hwthread:3"}, "0-1,8 2,9-10"},
    {TWO_SOCKETS, 2, {.bind_to = "socket:1"}, "0-3,8-11 0-3,8-11"},
    {TWO_SOCKETS, 2, {.bind_to = "socket:2"}, "0-15 0-15"},
    {NUMA, 3, {.bind_to = "numa:2"}, "0-7 8-15 0-7"},
    {TWO_SOCKETS, 3, {.bind_to = "core:4"}, "error: 3 ranks of 4 cores each do not fit this host, where 2 can have"},
    {TWO_SOCKETS, 3, {.bind_to = "core:4:overload-allowed"}, "0-3,8-11 4-7,12-15 0-3,8-11"},
    {TWO_SOCKETS, 1, {.bind_to = "socket:3"}, "error: PE=3: a board has only 2 sockets"},
    {TWO_SOCKETS, 2, {.map_by = "slot:PE=3,HWTCPUS", .bind_to = "hwthread"}, "0-1,8 2,9-10"},
    {TWO_SOCKETS, 2, {.map_by = "socket:pe=3", .bind_to = "core"}, "0-2,8-10 4-6,12-14"},
    /* so many on an object */
    {TWO_SOCKETS, 4, {.map_by = "ppr:2:socket", .bind_to = "core"}, "0,8 1,9 4,12 5,13"},
    {TWO_SOCKETS, 3, {.map_by = "ppr:2:socket:PE=2", .bind_to = "auto"}, "0-1,8-9 2-3,10-11 4-5,12-13"},
    {NUMA, 4, {.map_by = "ppr:1:numa", .bind_to = "auto"}, "0-3 4-7 8-11 12-15"},
    {TWO_SOCKETS, 2, {.map_by = "ppr:2:node", .bind_to = "core"}, "0,8 1,9"},
    /* numbering */
    {TWO_SOCKETS, 4, {.map_by = "ppr:2:socket", .rank_by = "socket", .bind_to = "core"}, "0,8 4,12 1,9 5,13"},
    {TWO_SOCKETS, 4, {.map_by = "ppr:2:socket", .rank_by = "core", .bind_to = "core"}, "0,8 1,9 4,12 5,13"},
    {TWO_SOCKETS, 4, {.map_by = "socket", .rank_by = "fill", .bind_to = "core"}, "0,8 1,9 4,12 5,13"},
    {TWO_SOCKETS, 4, {.map_by = "socket", .rank_by = "slot", .bind_to = "core"}, "0,8 4,12 1,9 5,13"},
    {TWO_SOCKETS, 4, {.map_by = "ppr:2:socket", .rank_by = "span", .bind_to = "core"}, "0,8 4,12 1,9 5,13"},
    {TWO_SOCKETS, 4, {.map_by = "core", .rank_by = "socket:span", .bind_to = "core"}, "0,8 1,9 2,10 3,11"},
    {TWO_SOCKETS, 8, {.rank_by = "socket", .bind_to = "auto"}, "0,8 4,12 1,9 5,13 2,10 6,14 3,11 7,15"},
    /* a part of the machine */
    {TWO_SOCKETS, 2, {.cpu_set = "2,4,12", .bind_to = "core"}, "2 4,12"},
    {TWO_SOCKETS, 2, {.cpu_set = "2-5", .bind_to = "none"}, "2-5 2-5"},
    {TWO_SOCKETS, 2, {.cpu_set = "3-5", .map_by = "socket", .bind_to = "auto"}, "3 4-5"},
    /* more ranks than cores */
    {TWO_SOCKETS,
     5,
     {.map_by = "slot:PE=2", .bind_to = "core:overload-allowed"},
     "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15 0-1,8-9"},
    {ONE_CORE, 2, {.bind_to = "core"}, "error: 2 ranks do not fit this host, where 1 can have cores of their own"},
    {TWO_SOCKETS, 9, {.bind_to = "socket"}, "error: 9 ranks do not fit"},
    {TWO_SOCKETS, 17, {.bind_to = "hwthread"}, "error: 17 ranks do not fit"},
    {TWO_SOCKETS, 9, {.map_by = "core", .bind_to = "auto"}, "notice: 9 ranks do not fit"},
    {TWO_SOCKETS, 4, {.map_by = "ppr:5:socket", .bind_to = "core"}, "0,8 1,9 2,10 3,11"},
    {TWO_SOCKETS, 6, {.map_by = "ppr:5:socket", .bind_to = "core"}, "error: 6 ranks do not fit"},
    /* nothing to be kept apart from; the default */
    {TWO_SOCKETS, 4, {.bind_to = "auto"}, "0,8 1,9 2,10 3,11"},
    {TWO_SOCKETS, 9, {.bind_to = "auto"}, "free"},
    {TWO_SOCKETS, 1, {.bind_to = "auto"}, "free"},
    {TWO_SOCKETS, 4, {.bind_to = "none"}, "free"},
    {TWO_SOCKETS, 4, {.bind_to = NULL}, "free"},
    /* wishes that cannot be met */
    {TWO_SOCKETS, 1, {.map_by = "slot:PE=9", .bind_to = "core"}, "error: PE=9: a board has only 8 cores"},
    {TWO_SOCKETS, 1, {.map_by = "socket:PE=5", .bind_to = "auto"}, "error: PE=5: a socket has only 4 cores"},
    {TWO_SOCKETS, 5, {.map_by = "ppr:2:socket", .bind_to = "none"}, "notice: --map-by and --rank-by change nothing"},
    {TWO_SOCKETS, 5, {.map_by = "ppr:2:socket", .bind_to = "auto"}, "error: 5 ranks are more than the 4"},
    {ONE_CORE, 1, {.bind_to = "l3"}, "error: this host has no L3 caches"},
    {ONE_CORE, 1, {.bind_to = "l3:if-supported"}, "free"},
    {ONE_CORE, 1, {.map_by = "l2", .bind_to = "auto"}, "notice: this host has no L2 caches"},
    {ONE_CORE, 1, {.bind_to = "socket"}, "0"}, /* a host that tells of none has one */
};

static void case_run(const bind_case *each, char *text)
{
    static bind_machine machine;
    cor_cpu_set sets[RANKS_MAX];
    bind_policy policy;
    bind_places places;
    cor_fault fault = {0};
    CHECK(machine_read(each->machine, &machine));
    CHECK_OK(cor_bind_policy_parse(&each->binding, &policy, &fault));
    if (policy.has_set)
        CHECK_EQUAL(-1, cor_bind_machine_restrict(&machine, &policy.set));
    int rc = cor_bind_place(&machine, &policy, NULL, each->ranks, sets, &places, &fault);
    if (rc != COR_OK) {
        sprintf(text, "error: %s", fault.text);
        return;
    }
    if (places.notice.code != COR_OK) {
        CHECK(!places.is_bound);
        sprintf(text, "notice: %s", places.notice.text);
        return;
    }
    strcpy(text, places.is_bound ? "" : "free");
    for (int rank = 0; places.is_bound && rank < each->ranks; rank++) {
        if (rank > 0)
            strcat(text, " ");
        cor_bind_set_print(&sets[rank], text + strlen(text));
    }
}

static void test_places(void)
{
    static char text[RANKS_MAX * BIND_SET_TEXT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bind_case *each = &cases[i];
        case_run(each, text);
        if (strchr(each->expected, ':')) /* only the beginning */
            text[strlen(each->expected) < strlen(text) ? strlen(each->expected) : strlen(text)] = '\0';
        if (strcmp(text, each->expected) != 0)
            CHECK_FAIL("%d ranks on %s, bind %s, map %s, rank %s: \"%s\" instead of \"%s\"", each->ranks,
                       each->machine, each->binding.bind_to, each->binding.map_by, each->binding.rank_by, text,
                       each->expected);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static void expect_refused(run_binding binding, const char *expected)
{
    bind_policy policy;
    cor_fault fault = {0};
    CHECK_EQUAL(COR_ERR_ARG, cor_bind_policy_parse(&binding, &policy, &fault));
    if (!strstr(fault.text, expected))
        CHECK_FAIL("\"%s\" lacks \"%s\"", fault.text, expected);
}

static void test_words(void)
{
    expect_refused((run_binding){.bind_to = "scoket"}, "--bind-to is \"scoket\"; did you mean socket?");
    expect_refused((run_binding){.bind_to = "galaxy"}, "it must be none, auto, core, socket, numa, l3, l2, l1");
    expect_refused((run_binding){.bind_to = "core:overlod"}, "\"overlod\" is unknown");
    expect_refused((run_binding){.bind_to = "core:0"}, "\"0\" is not a number of 1 or more");
    expect_refused((run_binding){.bind_to = "none:1"}, "a number goes with objects");
    expect_refused((run_binding){.map_by = "slot:PE=2", .bind_to = "core:3"}, "a number goes with objects");
    expect_refused((run_binding){.map_by = "core", .bind_to = "socket:2"}, "with --map-by an object");
    expect_refused((run_binding){.bind_to = ""}, "--bind-to is \"\"");
    expect_refused((run_binding){.map_by = "coer"}, "--map-by is \"coer\"; did you mean core?");
    expect_refused((run_binding){.map_by = "slot:PE=0"}, "\"0\" is not a number of 1 or more");
    expect_refused((run_binding){.map_by = "slot:PE=two"}, "\"two\" is not a number");
    expect_refused((run_binding){.map_by = "slot:PE=99999999999999999999"}, "is not a number");
    expect_refused((run_binding){.map_by = "slot:PEE=2"}, "\"pee=2\" is unknown: PE=N, span");
    expect_refused((run_binding){.map_by = "ppr:2"}, "it must be ppr:N:object");
    expect_refused((run_binding){.map_by = "ppr:x:socket"}, "\"x\" is not a number");
    expect_refused((run_binding){.map_by = "ppr:2:sockets"}, "did you mean socket?");
    expect_refused((run_binding){.map_by = "seq"}, "--rankfile FILE places every rank");
    expect_refused((run_binding){.rank_by = "slots"}, "--rank-by is \"slots\"; did you mean slot?");
    expect_refused((run_binding){.rank_by = "slot:span"}, "only span, and only after an object");
    for (int i = 0; i < 2; i++)
        expect_refused((run_binding){.cpu_set = i ? "" : "0-"}, "it must be a list such as 0-3,8");
    expect_refused((run_binding){.cpu_set = "3-1"}, "it must be a list such as 0-3,8");
    expect_refused((run_binding){.cpu_set = "0,1024"}, "the numbers end with 1023");
    expect_refused((run_binding){.cpu_set = "99999999999"}, "the numbers end with 1023");
}

/* ---- slots of a rank file --------------------------------------------------------------------------------------- */

static void expect_slots(const char *description, bind_kind unit, const char *slots, const char *expected)
{
    static bind_machine machine;
    char text[BIND_SET_TEXT_MAX];
    cor_cpu_set set;
    cor_fault fault = {0};
    CHECK(machine_read(description, &machine));
    machine.is_usable[machine.count - 1] = 0;
    if (cor_bind_slots(&machine, unit, slots, &set, &fault) == COR_OK) {
        cor_bind_set_print(&set, text);
        CHECK_TEXT(expected, text);
    } else if (!strstr(fault.text, expected)) {
        CHECK_FAIL("slot=%s: \"%s\" lacks \"%s\"", slots, fault.text, expected);
    }
}

static void test_slots(void)
{
    expect_slots(TWO_SOCKETS, BIND_CORE, "0", "0,8");
    expect_slots(TWO_SOCKETS, BIND_CORE, "1:0-2", "4-6,12-14");
    expect_slots(TWO_SOCKETS, BIND_CORE, "0:0,1", "0-1,8-9");
    expect_slots(TWO_SOCKETS, BIND_CORE, "0:1,1:0-1", "1,4-5,9,12-13");
    expect_slots(TWO_SOCKETS, BIND_CORE, "1:*", "4-7,12-14");
    expect_slots(TWO_SOCKETS, BIND_CORE, "*", "0-14");
    expect_slots(TWO_SOCKETS, BIND_HWTHREAD, "0-2", "0-1,8");
    expect_slots(TWO_SOCKETS, BIND_HWTHREAD, "1:1", "12");
    expect_slots(TWO_SOCKETS, BIND_CORE, "7", "CPU 15, which this means, may not be used");
    expect_slots(TWO_SOCKETS, BIND_CORE, "8", "the last of the cores of this host is 7, there is no 8");
    expect_slots(TWO_SOCKETS, BIND_CORE, "0:4", "the last of the cores of that socket is 3, there is no 4");
    expect_slots(TWO_SOCKETS, BIND_CORE, "2:0", "the sockets of this host are 0 to 1");
    expect_slots(TWO_SOCKETS, BIND_CORE, "x:0", "before a colon stands the number of a socket");
    expect_slots(TWO_SOCKETS, BIND_CORE, "", "it must be a list such as 0-3,8");
    expect_slots(ONE_CORE, BIND_CORE, "*", "no CPU of these may be used");
}

/* ---- this machine ----------------------------------------------------------------------------------------------- */

/* Both readers see the same CPUs, and may use the same. */
static void test_readers(void)
{
    static bind_machine files, asked;
    cor_fault fault = {0};
    cor_cpu_set allowed;
    int usable = 0;
    cor_bind_machine_read(&files);
    cor_cpu_allowed(&allowed);
    CHECK(files.count > 0 && files.objects[BIND_CORE] > 0 && files.objects[BIND_SOCKET] > 0);
    for (int i = 0; i < files.count; i++)
        usable += files.is_usable[i];
    CHECK_EQUAL(cor_cpu_count(&allowed), usable);
    CHECK_OK(cor_bind_machine_ask_hwloc(&asked, &fault));
    CHECK(!asked.is_other);
    CHECK_EQUAL(files.count, asked.count);
    usable = 0;
    for (int i = 0; i < asked.count; i++)
        usable += asked.is_usable[i];
    CHECK_EQUAL(cor_cpu_count(&allowed), usable);
}

static void test_picture(void)
{
    static bind_machine machine;
    char text[BIND_PICTURE_MAX];
    cor_cpu_set set = {{0}};
    CHECK(machine_read(TWO_SOCKETS, &machine));
    machine.is_usable[15] = 0;
    cor_bind_set_add(&set, 1);
    cor_bind_set_add(&set, 9);
    cor_bind_set_add(&set, 4);
    cor_bind_machine_draw(&machine, &set, text);
    CHECK_TEXT("[../BB/../..][B./../../.~]", text);
    cor_bind_machine_draw(&machine, NULL, text);
    CHECK_TEXT("[../../../..][../../../.~]", text);
}

int main(void)
{
    static bind_machine machine;
    test_words();
    if (!machine_read(ONE_CORE, &machine))
        return 77;
    test_places();
    test_slots();
    test_readers();
    test_picture();
    return 0;
}
