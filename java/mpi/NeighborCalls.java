// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;

/** The collectives of {@link Comm} among the neighbours of a topology, as the Open MPI Java bindings have them. */
abstract class NeighborCalls extends ArrayStarts {
    NeighborCalls() {
    }

    /**
     * Brings the same number of elements of every neighbour to this rank.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void neighborAllGather(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        Starting.neighborAllgather(comm(), "neighborAllGather", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype)).Wait();
    }

    /**
     * Starts a {@link #neighborAllGather}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllGather(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        return Starting.neighborAllgather(comm(), "iNeighborAllGather", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Starts a {@link #neighborAllGather}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllGather(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        return Starting.neighborAllgather(comm(), "iNeighborAllGather", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Brings elements of every neighbour to this rank.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void neighborAllGatherv(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        Starting.neighborAllgatherv(comm(), "neighborAllGatherv", Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype)).Wait();
    }

    /**
     * Starts a {@link #neighborAllGatherv}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllGatherv(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf,
            int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        return Starting.neighborAllgatherv(comm(), "iNeighborAllGatherv", Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * Starts a {@link #neighborAllGatherv}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllGatherv(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        return Starting.neighborAllgatherv(comm(), "iNeighborAllGatherv", Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * Sends the same number of elements to each neighbour and receives as many from each.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void neighborAllToAll(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        Starting.neighborAlltoall(comm(), "neighborAllToAll", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype)).Wait();
    }

    /**
     * Starts a {@link #neighborAllToAll}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllToAll(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        return Starting.neighborAlltoall(comm(), "iNeighborAllToAll", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Starts a {@link #neighborAllToAll}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllToAll(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf,
            int recvcount, Datatype recvtype) throws MPIException {
        return Starting.neighborAlltoall(comm(), "iNeighborAllToAll", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Sends elements to each neighbour and receives elements from each.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param sdispls where those for each rank begin
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param rdispls where those of each rank begin
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void neighborAllToAllv(Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        Starting.neighborAlltoallv(comm(), "neighborAllToAllv", Places.parts(sendbuf, sendcounts, sdispls, sendtype),
                Places.parts(recvbuf, recvcounts, rdispls, recvtype)).Wait();
    }

    /**
     * Starts a {@link #neighborAllToAllv}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param sdispls where those for each rank begin
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param rdispls where those of each rank begin
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllToAllv(Buffer sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Buffer recvbuf, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        return Starting.neighborAlltoallv(comm(), "iNeighborAllToAllv",
                Places.parts(sendbuf, sendcounts, sdispls, sendtype),
                Places.parts(recvbuf, recvcounts, rdispls, recvtype));
    }

    /**
     * Starts a {@link #neighborAllToAllv}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param sdispls where those for each rank begin
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param rdispls where those of each rank begin
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iNeighborAllToAllv(Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        return Starting.neighborAlltoallv(comm(), "iNeighborAllToAllv",
                Places.parts(sendbuf, sendcounts, sdispls, sendtype),
                Places.parts(recvbuf, recvcounts, rdispls, recvtype));
    }
}
