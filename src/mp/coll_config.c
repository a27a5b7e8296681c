/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/coll_config.h"

#include "base/knob_map.h"

#include <stddef.h>
#include <stdio.h>

#define COLL_FIELD(field) offsetof(cor_coll_config, field)

/* "|barrier|bcast|..." */
#define COLL_NAME(NAME, name) "|" #name
#define COLL_NAMES COR_PRIMITIVE_LIST(COLL_NAME)

static const cor_knob coll_rows[] = {
    {"check", COR_KNOB_BOOL, COLL_FIELD(is_checked), "no", NULL, 0, 0,
     "compare the arguments of collective calls between ranks, check handles and accesses to windows, and report at "
     "the end what was not freed or received"},
    {"coll.rules", COR_KNOB_TEXT, COLL_FIELD(rules), "", "the path of a rules file", 0, COR_COLL_TEXT_MAX,
     "file of rules that choose algorithms; they come before the built-in ones"},
    {"coll.node_ranks", COR_KNOB_INT, COLL_FIELD(node_ranks), "0", NULL, 0, 1 << 20,
     "treat this many consecutive ranks as a node, to try out algorithms; 0: real nodes"},
    {"coll.board", COR_KNOB_SIZE, COLL_FIELD(board_bytes), "2M", NULL, 16384, 1L << 26,
     "shared memory of each rank for the collective operations of one communicator"},
    {"coll.learn", COR_KNOB_CHOICE, COLL_FIELD(learn), "no", "no|yes|unbounded", 0, 0,
     "try algorithms while the program runs, in at most 1 % of its time (unbounded: without that limit), and use "
     "the fastest"},
    {"coll.learn_file", COR_KNOB_TEXT, COLL_FIELD(learn_file), "", "the path of a file", 0, COR_COLL_TEXT_MAX,
     "file to which rank 0 writes what coll.learn has found, as rules for coll.rules"},
    {"coll.force", COR_KNOB_MAP, COLL_FIELD(force), "", COLL_NAMES + 1, 0, COR_COLL_FORCE_MAX,
     "algorithms to force, overriding the rules, as bcast:mst,allreduce:bde; coll.bcast=mst does the same for one "
     "operation (corunna info --coll bcast lists its algorithms)"},
};

const cor_knob_table cor_coll_knobs = {coll_rows, sizeof coll_rows / sizeof *coll_rows};

const char *cor_coll_forced(const cor_coll_config *config, cor_primitive primitive, char out[COR_COLL_TEXT_MAX])
{
#define COLL_WORD(NAME, name) #name,
    static const char *const names[] = {COR_PRIMITIVE_LIST(COLL_WORD)};
#undef COLL_WORD
    size_t length = 0;
    const char *text = cor_knob_map_find(config->force, names[primitive], &length);
    snprintf(out, COR_COLL_TEXT_MAX, "%.*s", (int)length, text ? text : "");
    return out;
}
