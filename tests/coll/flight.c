/* SPDX-License-Identifier: Apache-2.0 */
#include "flight.h"

#include <stdlib.h>
#include <string.h>

static int flight_value(uint64_t key, int rank, size_t place)
{
    return (int)(coll_mix2(key + (uint64_t)rank, place) & 0xffff);
}

uint64_t flight_key(uint64_t key, uint64_t kind)
{
    return (key >> 1) - (key >> 1) % FLIGHT_KINDS + kind;
}

void flight_init(flight *f, cor_comm *comm, uint64_t key, size_t count)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    size_t bytes = count * sizeof(int);
    *f = (flight){.count = count, .key = key, .root = (int)(key / 8 % (uint64_t)size)};
    f->in = coll_alloc(bytes * (size_t)size);
    f->out = coll_alloc(bytes * (size_t)size);
    for (size_t i = 0; i < count * (size_t)size; i++) {
        f->in[i] = flight_value(key, rank, i);
        f->out[i] = -1;
    }
    switch (key % FLIGHT_KINDS) {
    case FLIGHT_BARRIER:
        f->call = coll_call_barrier(comm);
        break;
    case FLIGHT_BCAST:
        if (rank == f->root)
            memcpy(f->out, f->in, bytes);
        f->call = coll_call_bcast(comm, f->out, bytes, f->root);
        break;
    case FLIGHT_ALLGATHER:
        f->call = coll_call_allgather(comm, f->in, f->out, bytes);
        break;
    case FLIGHT_ALLTOALL:
        f->call = coll_call_alltoall(comm, f->in, f->out, bytes);
        break;
    case FLIGHT_REDUCE:
        f->call = coll_call_reduce(COR_REDUCE, comm, f->in, f->out, count, COLL_SUM, f->root);
        break;
    default:
        f->call = coll_call_sum(comm, f->in, f->out, count);
    }
}

static int flight_sum(const flight *f, int size, size_t place)
{
    int sum = 0;
    for (int rank = 0; rank < size; rank++)
        sum += flight_value(f->key, rank, place);
    return sum;
}

int flight_expected(const flight *f, size_t place)
{
    cor_comm *comm = f->call.comm;
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm), block = (int)(place / f->count);
    size_t within = place % f->count;
    switch (f->key % FLIGHT_KINDS) {
    case FLIGHT_BCAST:
        return block == 0 ? flight_value(f->key, f->root, place) : -1;
    case FLIGHT_ALLGATHER:
        return flight_value(f->key, block, within);
    case FLIGHT_ALLTOALL:
        return flight_value(f->key, block, (size_t)rank * f->count + within);
    case FLIGHT_REDUCE:
        return block == 0 && rank == f->root ? flight_sum(f, size, place) : -1;
    case FLIGHT_ALLREDUCE:
        return block == 0 ? flight_sum(f, size, place) : -1;
    default:
        return -1;
    }
}

void flight_check(coll_rank *me, const flight *f)
{
    for (size_t i = 0; i < f->count * (size_t)cor_comm_size(f->call.comm); i++)
        if (f->out[i] != flight_expected(f, i))
            CHECK_FAIL("operation %d of key %llx, root %d: int %zu: expected %d, got %d", (int)(f->key % FLIGHT_KINDS),
                       (unsigned long long)f->key, f->root, i, flight_expected(f, i), f->out[i]);
    coll_turn(me);
}

void flight_fini(flight *f)
{
    free(f->in);
    free(f->out);
}

void flight_run(coll_rank *me, cor_comm *comm, uint64_t key, size_t count)
{
    flight f;
    flight_init(&f, comm, key, count);
    CHECK_OK(cor_coll_run(&f.call));
    flight_check(me, &f);
    flight_fini(&f);
}

void flight_shuffle(uint64_t key, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(coll_mix2(key, (uint64_t)i) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
