/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of any kind, whose result is known: what the cases about several at once are made of. */
#ifndef TESTS_COLL_FLIGHT_H
#define TESTS_COLL_FLIGHT_H

#include "coll_cases.h"

#include "mp/create/comm.h"

typedef struct flight {
    cor_call call;
    int *in, *out;
    size_t count; /* ints of a block */
    uint64_t key;
    int root;
} flight;

enum {
    FLIGHT_BARRIER,
    FLIGHT_BCAST,
    FLIGHT_ALLGATHER,
    FLIGHT_ALLTOALL,
    FLIGHT_REDUCE,
    FLIGHT_ALLREDUCE,
    FLIGHT_KINDS
};

/* A key says which operation it is, on what data and with which root: the same in all ranks. */
uint64_t flight_key(uint64_t luck, uint64_t kind);

void flight_init(flight *f, cor_comm *comm, uint64_t key, size_t count);
void flight_fini(flight *f);
/* What must be at a place of the output; -1: it is still what it was. */
int flight_expected(const flight *f, size_t place);
void flight_check(coll_rank *me, const flight *f);
/* All of it, blocking. */
void flight_run(coll_rank *me, cor_comm *comm, uint64_t key, size_t count);

/* A permutation. */
void flight_shuffle(uint64_t key, int *order, int count);

#endif
