/* SPDX-License-Identifier: Apache-2.0 */
/* A build without the header of hwloc: what the kernel tells still binds ranks, and the rest names what is missing. */
#include "check.h"
#include "run/bind_place.h"
#include "run/bind_set.h"

#include <string.h>

static void test_missing_is_named(void)
{
    bind_machine machine;
    cor_fault fault = {0};
    CHECK(cor_bind_machine_ask_hwloc(&machine, &fault) == COR_ERR_UNSUPPORTED);
    CHECK(strstr(fault.text, "libhwloc-dev"));
}

static void test_cores_are_known(void)
{
    const run_binding binding = {.bind_to = "core"};
    bind_machine machine;
    bind_policy policy;
    bind_places places;
    cor_cpu_set set;
    cor_fault fault = {0};
    char text[BIND_SET_TEXT_MAX];
    cor_bind_machine_read(&machine);
    CHECK_OK(cor_bind_policy_parse(&binding, &policy, &fault));
    CHECK(cor_bind_missing(&machine, &policy) == BIND_KINDS);
    CHECK_OK(cor_bind_place(&machine, &policy, NULL, 1, &set, &places, &fault));
    CHECK(places.is_bound);
    cor_bind_set_print(&set, text);
    CHECK(text[0]);
}

static void test_caches_are_not(void)
{
    const run_binding binding = {.map_by = "l3", .bind_to = "l3"};
    bind_machine machine;
    bind_policy policy;
    cor_fault fault = {0};
    cor_bind_machine_read(&machine);
    CHECK_OK(cor_bind_policy_parse(&binding, &policy, &fault));
    CHECK(cor_bind_missing(&machine, &policy) == BIND_L3);
}

int main(void)
{
    test_missing_is_named();
    test_cores_are_known();
    test_caches_are_not();
    return 0;
}
