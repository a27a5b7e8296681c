/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts of two ranks that are threads of this process, or of ranks that are apart. */
#ifndef TESTS_UNIT_HOST_PAIR_H
#define TESTS_UNIT_HOST_PAIR_H

#include "wait/host.h"

typedef struct host_pair {
    cor_host_config config;
    cor_host *host[2];
} host_pair;

/* Open and connect both, and what comes after a device has asked for its memory; a failure ends the test. */
void host_pair_open(host_pair *pair, int is_apart, const cor_log *log);
void host_pair_attach(host_pair *pair);
void host_pair_close(host_pair *pair);

#endif
