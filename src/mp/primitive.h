/* SPDX-License-Identifier: Apache-2.0 */
/* The collective primitives, by name. In mp because a rank's settings name them; coll implements them. */
#ifndef COR_MP_PRIMITIVE_H
#define COR_MP_PRIMITIVE_H

/* X(NAME, name) */
#define COR_PRIMITIVE_LIST(X)                                                                                         \
    X(BARRIER, barrier)                                                                                               \
    X(BCAST, bcast)                                                                                                   \
    X(GATHER, gather)                                                                                                 \
    X(GATHERV, gatherv)                                                                                               \
    X(SCATTER, scatter)                                                                                               \
    X(SCATTERV, scatterv)                                                                                             \
    X(ALLGATHER, allgather)                                                                                           \
    X(ALLGATHERV, allgatherv)                                                                                         \
    X(ALLTOALL, alltoall)                                                                                             \
    X(ALLTOALLV, alltoallv)                                                                                           \
    X(ALLTOALLW, alltoallw)                                                                                           \
    X(REDUCE, reduce)                                                                                                 \
    X(ALLREDUCE, allreduce)                                                                                           \
    X(REDUCE_SCATTER, reduce_scatter)                                                                                 \
    X(REDUCE_SCATTER_BLOCK, reduce_scatter_block)                                                                     \
    X(SCAN, scan)                                                                                                     \
    X(EXSCAN, exscan)                                                                                                 \
    X(NEIGHBOR_ALLGATHER, neighbor_allgather)                                                                         \
    X(NEIGHBOR_ALLGATHERV, neighbor_allgatherv)                                                                       \
    X(NEIGHBOR_ALLTOALL, neighbor_alltoall)                                                                           \
    X(NEIGHBOR_ALLTOALLV, neighbor_alltoallv)                                                                         \
    X(NEIGHBOR_ALLTOALLW, neighbor_alltoallw)

typedef enum cor_primitive {
#define COR_PRIMITIVE_ENUM(NAME, name) COR_##NAME,
    COR_PRIMITIVE_LIST(COR_PRIMITIVE_ENUM)
#undef COR_PRIMITIVE_ENUM
        COR_PRIMITIVES
} cor_primitive;

#endif
