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
