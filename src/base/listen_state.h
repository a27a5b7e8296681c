/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of listen.h, shared by its files. */
#ifndef COR_BASE_LISTEN_STATE_H
#define COR_BASE_LISTEN_STATE_H

#include "base/listen.h"

/* Of tcp.ports; 0: the kernel chooses. */
typedef struct listen_range {
    int first, last;
} listen_range;

int listen_range_parse(const char *ports, listen_range *range_p, cor_fault *fault);
/* A socket that listens at the place, whose port is filled in. -1, with errno. */
int listen_in(const cor_listen_options *options, const listen_range *range, cor_place *place);

#endif
