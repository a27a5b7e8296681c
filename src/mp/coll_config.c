/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/coll_config.h"

#include <stddef.h>

#define COLL_FIELD(field) offsetof(cor_coll_config, field)

static const cor_knob coll_rows[] = {
    {"check", COR_KNOB_BOOL, COLL_FIELD(is_checked), "no", NULL, 0, 0,
     "compare the arguments of collective calls between ranks, check handles, and report at the end what was not "
     "freed or received"},
    {"coll.rules", COR_KNOB_TEXT, COLL_FIELD(rules), "", "the path of a rules file", 0, COR_COLL_TEXT_MAX,
     "rules that choose algorithms, ahead of the built-in ones"},
    {"coll.node_ranks", COR_KNOB_INT, COLL_FIELD(node_ranks), "0", NULL, 0, 1 << 20,
     "treat this many consecutive ranks as a node, to try out algorithms; 0: real nodes"},
    {"coll.board", COR_KNOB_SIZE, COLL_FIELD(board_bytes), "2M", NULL, 16384, 1L << 26,
     "shared memory of each rank for the collective operations of one communicator"},
    {"coll.learn", COR_KNOB_CHOICE, COLL_FIELD(learn), "no", "no|yes|unbounded", 0, 0,
     "try algorithms while the program runs, in at most 1 % of its time (unbounded: in any), and use the fastest"},
    {"coll.learn_file", COR_KNOB_TEXT, COLL_FIELD(learn_file), "", "the path of a file", 0, COR_COLL_TEXT_MAX,
     "where rank 0 writes what coll.learn has found, as rules for coll.rules"},
#define COLL_FORCED(NAME, name)                                                                                       \
    {"coll." #name,                                                                                                   \
     COR_KNOB_TEXT,                                                                                                   \
     COLL_FIELD(forced[COR_##NAME]),                                                                                  \
     "",                                                                                                              \
     "an algorithm and its parameters",                                                                               \
     0,                                                                                                               \
     COR_COLL_TEXT_MAX,                                                                                               \
     "the algorithm for " #name ", whatever the rules say (corunna info --coll " #name ")"},
    COR_PRIMITIVE_LIST(COLL_FORCED)
#undef COLL_FORCED
};

const cor_knob_table cor_coll_knobs = {coll_rows, sizeof coll_rows / sizeof *coll_rows};
