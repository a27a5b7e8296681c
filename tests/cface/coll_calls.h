/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words in which calls of collective operations are tested: each in its six forms, on buffers that are filled
 * before and checked after. What the algorithms do is tested in tests/coll; here the functions of the C face are.
 */
#ifndef CFACE_COLL_CALLS_H
#define CFACE_COLL_CALLS_H

#include "check.h"

#include <mpi.h>

enum { COLL_COUNT = 3, COLL_RANKS = 8, COLL_ROOM = 2 * COLL_RANKS * COLL_RANKS * COLL_COUNT };

/* What a call is tried with. */
typedef struct coll_try {
    MPI_Comm comm;
    int rank, size; /* on this side */
    int remote;     /* ranks of the other side; the same as size on an intracommunicator */
    int is_inter;
    int side; /* 0, or 1 on the second side of an intercommunicator */
    int form; /* 0..5, see COLL_TRY */
    int is_in_place;
    MPI_Datatype type; /* one int in every `stride` */
    int stride;
    int send[COLL_ROOM], recv[COLL_ROOM];
} coll_try;

enum { COLL_FORMS = 6 };

/* What a rank of a side sends to another as its i-th number. */
static inline int coll_value(int side, int from, int to, int i)
{
    return side * 100000 + from * 1000 + to * 10 + i + 1;
}

/* Nothing is in the buffers but what a test puts there. */
static inline void coll_clear(coll_try *t)
{
    for (int i = 0; i < COLL_ROOM; i++)
        t->send[i] = t->recv[i] = -1;
}

/* The numbers from `first` on are what (side, from, to) sends; or are they? */
static inline void coll_put(const coll_try *t, int *buffer, int first, int side, int from, int to, int count)
{
    for (int i = 0; i < count; i++)
        buffer[(first + i) * t->stride] = coll_value(side, from, to, i);
}

static inline int coll_has(const coll_try *t, const int *buffer, int first, int side, int from, int to, int count)
{
    for (int i = 0; i < count; i++)
        if (buffer[(first + i) * t->stride] != coll_value(side, from, to, i))
            return 0;
    return 1;
}

static inline int coll_is_clear(const coll_try *t, const int *buffer, int first, int count)
{
    for (int i = 0; i < count; i++)
        if (buffer[(first + i) * t->stride] != -1)
            return 0;
    return 1;
}

#define COLL_UNPACK(...) __VA_ARGS__

/* One of the six forms: fill, call, check; the persistent ones twice. `arguments` and `large` are in parentheses,
 * for the functions with ints and with large counts. */
#define COLL_TRY(t, fill, Name, Iname, arguments, large, check)                                                       \
    do {                                                                                                              \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                                      \
        int form_ = (t)->form, again_ = form_ >= 4;                                                                   \
        fill;                                                                                                         \
        if (form_ == 0)                                                                                               \
            CHECK(MPI_##Name(COLL_UNPACK arguments) == MPI_SUCCESS);                                                  \
        else if (form_ == 1)                                                                                          \
            CHECK(MPI_##Name##_c(COLL_UNPACK large) == MPI_SUCCESS);                                                  \
        else if (form_ == 2)                                                                                          \
            CHECK(MPI_##Iname(COLL_UNPACK arguments, &request_) == MPI_SUCCESS);                                      \
        else if (form_ == 3)                                                                                          \
            CHECK(MPI_##Iname##_c(COLL_UNPACK large, &request_) == MPI_SUCCESS);                                      \
        else if (form_ == 4)                                                                                          \
            CHECK(MPI_##Name##_init(COLL_UNPACK arguments, MPI_INFO_NULL, &request_) == MPI_SUCCESS);                 \
        else                                                                                                          \
            CHECK(MPI_##Name##_init_c(COLL_UNPACK large, MPI_INFO_NULL, &request_) == MPI_SUCCESS);                   \
        do {                                                                                                          \
            if (form_ >= 4) {                                                                                         \
                fill;                                                                                                 \
                CHECK_OK(MPI_Start(&request_));                                                                       \
            }                                                                                                         \
            CHECK_OK(MPI_Wait(&request_, MPI_STATUS_IGNORE));                                                         \
            check;                                                                                                    \
        } while (again_--);                                                                                           \
        if (form_ >= 4)                                                                                               \
            CHECK(request_ != MPI_REQUEST_NULL && MPI_Request_free(&request_) == MPI_SUCCESS);                        \
        CHECK(request_ == MPI_REQUEST_NULL);                                                                          \
    } while (0)

/* The roots tried: every rank; on an intercommunicator the ranks of the first side. What a rank passes as root, and
 * whether it is the root, or stands beside it. */
static inline int coll_root_count(const coll_try *t)
{
    return t->is_inter && t->side == 1 ? t->remote : t->size;
}

static inline int coll_is_root(const coll_try *t, int root)
{
    return t->side == 0 && t->rank == root;
}

static inline int coll_root_argument(const coll_try *t, int root)
{
    if (!t->is_inter || t->side == 1)
        return root;
    return t->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

/* Does this rank take part in what the root gathers or scatters? */
static inline int coll_is_partner(const coll_try *t)
{
    return !t->is_inter || t->side == 1;
}

/* The side whose data arrives here. */
static inline int coll_other(const coll_try *t)
{
    return t->is_inter ? !t->side : 0;
}

void coll_try_rooted(coll_try *t);
void coll_try_all(coll_try *t);
void coll_try_reductions(coll_try *t); /* MPI_INT only */
void coll_try_neighbors(coll_try *t);  /* makes its own communicators */
void coll_try_wrong(MPI_Comm comm);    /* errors are returned */

#endif
