/* SPDX-License-Identifier: Apache-2.0 */
#include "host_pair.h"

#include "check.h"

static void host_must(int rc, const cor_fault *fault)
{
    if (rc != COR_OK)
        CHECK_FAIL("set-up of two hosts: %s", fault->text);
}

void host_pair_open(host_pair *pair, int is_apart, const cor_log *log)
{
    cor_fault fault = {0};
    char addresses[2][COR_HOST_ADDRESS_MAX];
    const char *all[2] = {addresses[0], addresses[1]};
    *pair = (host_pair){0};
    host_must(cor_knobs_load(&cor_host_knobs, NULL, &pair->config, NULL, &fault), &fault);
    for (int i = 0; i < 2; i++) {
        cor_host_options options = {.rank = i, .size = 2, .is_apart = is_apart, .log = log, .config = &pair->config};
        host_must(cor_host_open(&options, &pair->host[i], &fault), &fault);
        cor_host_address(pair->host[i], addresses[i]);
    }
    for (int i = 0; i < 2; i++)
        host_must(cor_host_connect(pair->host[i], all, &fault), &fault);
}

void host_pair_attach(host_pair *pair)
{
    cor_fault fault = {0};
    for (int i = 0; i < 2; i++)
        host_must(cor_host_make(pair->host[i], &fault), &fault);
    for (int i = 0; i < 2; i++)
        host_must(cor_host_attach(pair->host[i], &fault), &fault);
    for (int i = 0; i < 2; i++)
        cor_host_settle(pair->host[i]);
}

void host_pair_close(host_pair *pair)
{
    for (int i = 0; i < 2; i++)
        cor_host_close(pair->host[i]);
}
