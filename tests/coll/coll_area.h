/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer of a call: blocks under datatypes, with gaps between blocks and inside of them, and guards at both ends. It
 * has a double that says what it must look like in the end, so that one comparison sees results, gaps and guards.
 */
#ifndef TESTS_COLL_AREA_H
#define TESTS_COLL_AREA_H

#include "coll_job.h"

typedef struct coll_area {
    coll_rank *me;
    char *memory, *expected;
    size_t bytes; /* of each, guards included */
    size_t block_count;
    struct coll_block *blocks;
    char *scratch; /* room for the longest block, packed */
    cor_payload *parts;
    size_t *starts;
    cor_payload whole;
    int has_parts;
} coll_area;

typedef struct coll_block {
    const cor_dtype *type;
    size_t offset; /* of the first element in the memory */
    size_t count;
} coll_block;

/* An area without blocks is for a buffer that the call does not have. `blocks` brings types and counts. has_parts:
 * each block lies somewhere; else all are of one type and lie in a row. */
void coll_area_init(coll_area *area, coll_rank *me, const coll_block *blocks, size_t block_count, int has_parts,
                    uint64_t key);
void coll_area_fini(coll_area *area);

/* Nothing but poison in it, and nothing else expected. */
void coll_area_poison(coll_area *area);
/* Put the first bytes of a packed stream in a block, and expect them there. */
void coll_area_put(coll_area *area, size_t block, const void *packed, size_t bytes);
/* Expect them there. */
void coll_area_expect(coll_area *area, size_t block, const void *packed, size_t bytes);
/* Does it look as it should? `name` for the message. */
void coll_area_check(const coll_area *area, const char *name);

/* As a call wants it. block_bytes: of one block, or of the whole stream. */
cor_stream coll_area_stream(const coll_area *area, size_t block_bytes);
/* The call has returned: what it was told is no longer there. */
void coll_area_forget(coll_area *area);

size_t coll_block_bytes(const coll_area *area, size_t block); /* packed */

#endif
