/* SPDX-License-Identifier: Apache-2.0 */
/* The calls in records and traces, with their names in C and in Java. */
#ifndef COR_TRACE_CALLS_H
#define COR_TRACE_CALLS_H

/* X(NAME, in C, in Java). Sends are in the order of the four modes. */
#define COR_TRACED_LIST(X)                                                                                            \
    X(SEND, "MPI_Send", "Comm.Send")                                                                                  \
    X(SSEND, "MPI_Ssend", "Comm.Ssend")                                                                               \
    X(BSEND, "MPI_Bsend", "Comm.Bsend")                                                                               \
    X(RSEND, "MPI_Rsend", "Comm.Rsend")                                                                               \
    X(ISEND, "MPI_Isend", "Comm.Isend")                                                                               \
    X(ISSEND, "MPI_Issend", "Comm.Issend")                                                                            \
    X(IBSEND, "MPI_Ibsend", "Comm.Ibsend")                                                                            \
    X(IRSEND, "MPI_Irsend", "Comm.Irsend")                                                                            \
    X(RECV, "MPI_Recv", "Comm.Recv")                                                                                  \
    X(IRECV, "MPI_Irecv", "Comm.Irecv")                                                                               \
    X(SENDRECV, "MPI_Sendrecv", "Comm.Sendrecv")                                                                      \
    X(SENDRECV_REPLACE, "MPI_Sendrecv_replace", "Comm.Sendrecv_replace")                                              \
    X(ISENDRECV, "MPI_Isendrecv", "Comm.iSendRecv")                                                                   \
    X(ISENDRECV_REPLACE, "MPI_Isendrecv_replace", "Comm.iSendRecvReplace")                                            \
    X(START, "MPI_Start", "Prequest.Start")                                                                           \
    X(PROBE, "MPI_Probe", "Comm.Probe")                                                                               \
    X(MPROBE, "MPI_Mprobe", "Comm.Mprobe")                                                                            \
    X(MRECV, "MPI_Mrecv", "Message.Mrecv")                                                                            \
    X(IMRECV, "MPI_Imrecv", "Message.imRecv")                                                                         \
    X(WAIT, "MPI_Wait", "Request.Wait")                                                                               \
    X(WAITALL, "MPI_Waitall", "Request.Waitall")                                                                      \
    X(WAITANY, "MPI_Waitany", "Request.Waitany")                                                                      \
    X(WAITSOME, "MPI_Waitsome", "Request.Waitsome")                                                                   \
    X(BUFFER_DETACH, "MPI_Buffer_detach", "MPI.Buffer_detach")                                                        \
    X(COMM_CREATE, "a call that makes a communicator", "a call that makes a communicator")                            \
    X(FINALIZE, "MPI_Finalize", "MPI.Finalize")                                                                       \
    COR_TRACED_COLL_LIST(X)

/* In the order of the primitives: the blocking ones, then the non-blocking ones. */
#define COR_TRACED_COLL_LIST(X)                                                                                       \
    X(BARRIER, "MPI_Barrier", "Comm.Barrier")                                                                         \
    X(BCAST, "MPI_Bcast", "Comm.Bcast")                                                                               \
    X(GATHER, "MPI_Gather", "Comm.Gather")                                                                            \
    X(GATHERV, "MPI_Gatherv", "Comm.Gatherv")                                                                         \
    X(SCATTER, "MPI_Scatter", "Comm.Scatter")                                                                         \
    X(SCATTERV, "MPI_Scatterv", "Comm.Scatterv")                                                                      \
    X(ALLGATHER, "MPI_Allgather", "Comm.Allgather")                                                                   \
    X(ALLGATHERV, "MPI_Allgatherv", "Comm.Allgatherv")                                                                \
    X(ALLTOALL, "MPI_Alltoall", "Comm.Alltoall")                                                                      \
    X(ALLTOALLV, "MPI_Alltoallv", "Comm.Alltoallv")                                                                   \
    X(ALLTOALLW, "MPI_Alltoallw", "Comm.Alltoallw")                                                                   \
    X(REDUCE, "MPI_Reduce", "Comm.Reduce")                                                                            \
    X(ALLREDUCE, "MPI_Allreduce", "Comm.Allreduce")                                                                   \
    X(REDUCE_SCATTER, "MPI_Reduce_scatter", "Comm.Reduce_scatter")                                                    \
    X(REDUCE_SCATTER_BLOCK, "MPI_Reduce_scatter_block", "Comm.Reduce_scatter_block")                                  \
    X(SCAN, "MPI_Scan", "Comm.Scan")                                                                                  \
    X(EXSCAN, "MPI_Exscan", "Comm.Exscan")                                                                            \
    X(NEIGHBOR_ALLGATHER, "MPI_Neighbor_allgather", "Comm.neighborAllgather")                                         \
    X(NEIGHBOR_ALLGATHERV, "MPI_Neighbor_allgatherv", "Comm.neighborAllgatherv")                                      \
    X(NEIGHBOR_ALLTOALL, "MPI_Neighbor_alltoall", "Comm.neighborAlltoall")                                            \
    X(NEIGHBOR_ALLTOALLV, "MPI_Neighbor_alltoallv", "Comm.neighborAlltoallv")                                         \
    X(NEIGHBOR_ALLTOALLW, "MPI_Neighbor_alltoallw", "Comm.neighborAlltoallw")                                         \
    X(IBARRIER, "MPI_Ibarrier", "Comm.iBarrier")                                                                      \
    X(IBCAST, "MPI_Ibcast", "Comm.iBcast")                                                                            \
    X(IGATHER, "MPI_Igather", "Comm.iGather")                                                                         \
    X(IGATHERV, "MPI_Igatherv", "Comm.iGatherv")                                                                      \
    X(ISCATTER, "MPI_Iscatter", "Comm.iScatter")                                                                      \
    X(ISCATTERV, "MPI_Iscatterv", "Comm.iScatterv")                                                                   \
    X(IALLGATHER, "MPI_Iallgather", "Comm.iAllGather")                                                                \
    X(IALLGATHERV, "MPI_Iallgatherv", "Comm.iAllGatherv")                                                             \
    X(IALLTOALL, "MPI_Ialltoall", "Comm.iAllToAll")                                                                   \
    X(IALLTOALLV, "MPI_Ialltoallv", "Comm.iAllToAllv")                                                                \
    X(IALLTOALLW, "MPI_Ialltoallw", "Comm.iAllToAllw")                                                                \
    X(IREDUCE, "MPI_Ireduce", "Comm.iReduce")                                                                         \
    X(IALLREDUCE, "MPI_Iallreduce", "Comm.iAllReduce")                                                                \
    X(IREDUCE_SCATTER, "MPI_Ireduce_scatter", "Comm.iReduceScatter")                                                  \
    X(IREDUCE_SCATTER_BLOCK, "MPI_Ireduce_scatter_block", "Comm.iReduceScatterBlock")                                 \
    X(ISCAN, "MPI_Iscan", "Comm.iScan")                                                                               \
    X(IEXSCAN, "MPI_Iexscan", "Comm.iExScan")                                                                         \
    X(INEIGHBOR_ALLGATHER, "MPI_Ineighbor_allgather", "Comm.iNeighborAllgather")                                      \
    X(INEIGHBOR_ALLGATHERV, "MPI_Ineighbor_allgatherv", "Comm.iNeighborAllgatherv")                                   \
    X(INEIGHBOR_ALLTOALL, "MPI_Ineighbor_alltoall", "Comm.iNeighborAlltoall")                                         \
    X(INEIGHBOR_ALLTOALLV, "MPI_Ineighbor_alltoallv", "Comm.iNeighborAlltoallv")                                      \
    X(INEIGHBOR_ALLTOALLW, "MPI_Ineighbor_alltoallw", "Comm.iNeighborAlltoallw")

typedef enum cor_traced {
#define COR_TRACED_ENUM(NAME, in_c, in_java) COR_TRACED_##NAME,
    COR_TRACED_LIST(COR_TRACED_ENUM)
#undef COR_TRACED_ENUM
        COR_TRACED_CALLS
} cor_traced;

/* The language of a rank's program. */
typedef enum cor_face { COR_FACE_C, COR_FACE_JAVA } cor_face;

/* Any number is allowed: "?" for those that are not a call. */
const char *cor_traced_name(unsigned call, unsigned face);

#endif
