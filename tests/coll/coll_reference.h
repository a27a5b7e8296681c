/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a collective operation must yield, worked out by one rank alone: every rank knows what every other passes.
 *
 * Buffers are blocks of units: a unit is a packed element of the case's kind. Which blocks a rank has, how long they
 * are, what is in them before and after is all there is to say about a primitive.
 */
#ifndef TESTS_COLL_REFERENCE_H
#define TESTS_COLL_REFERENCE_H

#include "coll_case.h"

/* A rank's view of a case. */
typedef struct coll_place {
    const coll_case *c;
    coll_rank *me;
    cor_comm *comm;
    int is_inter, side;
    int rank, size, remote_size;
    int root, root_side; /* rank on its side */
    int is_root;
    int is_in_place; /* here: some primitives have it at the root only */
    int round;       /* a persistent operation runs twice, on other data */
    size_t units;    /* of a block, where all are of one length */
    size_t unit_bytes;
} coll_place;

/* What comm is to be for a case's `where` is the caller's to know. */
void coll_place_init(coll_place *place, const coll_case *c, coll_rank *me, cor_comm *comm);
/* The root as the call says it. */
int coll_place_root(const coll_place *place);

size_t coll_send_blocks(const coll_place *place);
size_t coll_recv_blocks(const coll_place *place);
size_t coll_send_units(const coll_place *place, size_t block);
size_t coll_recv_units(const coll_place *place, size_t block);

/* What this rank passes in a block of its send buffer: packed. */
void coll_send_content(const coll_place *place, size_t block, void *packed);
/* What must be in a block of the receive buffer in the end. 0: the block stays as it was. */
int coll_recv_content(const coll_place *place, size_t block, void *packed);

#endif
