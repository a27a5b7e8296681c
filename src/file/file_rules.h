/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which strategy a collective access takes: the first rule of a table that fits. All members know the same facts,
 * because they exchange them when the access begins, so all choose the same.
 */
#ifndef COR_FILE_RULES_H
#define COR_FILE_RULES_H

#include "file/file_state.h"

/* What a member says of its part of an access. */
typedef struct file_part {
    int64_t first, end;    /* its range of the file; equal: it has no data */
    uint64_t bytes;        /* of data in the range */
    uint64_t pieces;       /* estimated from the first ones */
    uint64_t buffer_bytes; /* the hints: those of member 0 count */
    int32_t nodes;
    int32_t error;    /* it cannot take part, since it has failed before */
    uint32_t align;   /* the hint striping_unit: windows begin at its multiples */
    uint8_t is_write; /* members that do not call the same function are told so */
    uint8_t is_mixed; /* as that of its view: windows do not divide its stream */
    uint8_t choice;   /* file_choice: the hint romio_cb_read or romio_cb_write */
    uint8_t is_atomic;
} file_part;

typedef enum file_fact {
    FILE_FACT_WRITE = 1 << 0,
    FILE_FACT_READ = 1 << 1,
    FILE_FACT_ATOMIC = 1 << 2,
    FILE_FACT_FEW = 1 << 3, /* not more than one member has data */
    FILE_FACT_DISABLE = 1 << 4,
    FILE_FACT_ENABLE = 1 << 5,
    FILE_FACT_DISJOINT = 1 << 6, /* the ranges of the members do not overlap */
    FILE_FACT_MIXED = 1 << 7,    /* pieces of one member do not lie one behind the other */
} file_fact;

typedef struct file_situation {
    uint32_t facts;
    int members, nodes;
    int64_t first, end;    /* of all together */
    uint64_t bytes;        /* of all together */
    uint64_t piece_bytes;  /* on average */
    uint64_t gap;          /* bytes of the range for each byte of data */
    uint64_t own_gap;      /* the same in the members' own ranges */
    uint64_t buffer_bytes; /* hints */
    int cb_nodes;
    uint32_t align;
} file_situation;

enum {
    FILE_PIECE_LONG = 4096,  /* bytes that a system call copies in the time that it costs besides: measured */
    FILE_ALIGN = 4096,       /* a page: at its multiples windows of aggregators begin */
    FILE_GAP_VAST = 1 << 20, /* two-phase would go through windows without end, in most of which nothing lies */
};

typedef enum file_strategy {
    FILE_EACH_ALONE, /* every member by itself */
    FILE_TWO_PHASE,
} file_strategy;

typedef struct file_rule {
    uint32_t facts; /* all of these hold */
    uint64_t piece_least;
    uint64_t gap_least, own_gap_most; /* 0: whatever */
    file_strategy strategy;
    const char *when;
} file_rule;

extern const file_rule file_rules[];
extern const size_t file_rule_count;

/* What a strategy is called. */
const char *file_strategy_name(file_strategy strategy);

/* A range of the file. */
typedef struct file_range {
    int64_t first, end;
} file_range;

/* The facts, from the parts of all members, in their order. `ranges` is room for as many. */
void file_situation_init(file_situation *situation, const file_part *const *parts, int members, int nodes,
                         file_range *ranges);
const file_rule *file_rule_for(const file_situation *situation);

/* How the range of an access is divided: windows of the same size, which the aggregators have in turn. */
typedef struct file_division {
    int64_t base, end;
    size_t window; /* bytes of one */
    int aggregators;
} file_division;

file_division file_division_of(const file_situation *situation);
/* The member that is aggregator `number`. `node_of`: member -> node; NULL: all on one. */
int file_division_member(const file_situation *situation, const file_division *division, const int *node_of,
                         int number);

#endif
