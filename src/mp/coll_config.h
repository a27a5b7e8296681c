/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of the collective operations. The table is in mp because a rank reads all its knobs at once. */
#ifndef COR_MP_COLL_CONFIG_H
#define COR_MP_COLL_CONFIG_H

#include "base/knob.h"
#include "mp/primitive.h"

enum { COR_COLL_TEXT_MAX = 256, COR_COLL_FORCE_MAX = 4096 };

enum { COR_LEARN_NO, COR_LEARN_YES, COR_LEARN_UNBOUNDED };

typedef struct cor_coll_config {
    int is_checked; /* compare the arguments of all ranks in every call */
    int node_ranks; /* treat blocks of this many consecutive ranks as nodes; 0: the real nodes */
    size_t board_bytes;
    int learn;                          /* try algorithms while the program runs: COR_LEARN_... */
    char learn_file[COR_COLL_TEXT_MAX]; /* where to write what was learnt; empty: nowhere */
    char rules[COR_COLL_TEXT_MAX];      /* a file of rules that come before the default ones */
    char force[COR_COLL_FORCE_MAX];     /* "bcast:mst segment=64k,reduce:chain": cor_coll_forced */
} cor_coll_config;

extern const cor_knob_table cor_coll_knobs;

/* What is forced for the primitive, "mst segment=64k", or "" if the rules choose. Returns `out`. */
const char *cor_coll_forced(const cor_coll_config *config, cor_primitive primitive, char out[COR_COLL_TEXT_MAX]);

#endif
