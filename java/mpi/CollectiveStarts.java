// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;

/**
 * The collectives of {@link Comm} that are started and go on in the background, by the names of the Open MPI Java
 * bindings. A buffer is direct, or a view of an array, which is copied when the call begins and when it is complete.
 */
abstract class CollectiveStarts extends CollectiveCalls {
    CollectiveStarts() {
    }

    /**
     * Starts a {@link #barrier}.
     *
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iBarrier() throws MPIException {
        return Starting.barrier(comm(), "iBarrier");
    }

    /**
     * Starts a {@link #bcast}.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iBcast(Buffer buf, int count, Datatype type, int root) throws MPIException {
        return Starting.bcast(comm(), "iBcast", Places.side(buf, count, type), root);
    }

    /**
     * Starts a {@code gather}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iGather(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf, int recvcount,
            Datatype recvtype, int root) throws MPIException {
        return Starting.gather(comm(), "iGather", false, Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype), root);
    }

    /**
     * Starts a {@code gather} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iGather(Buffer buf, int count, Datatype type, int root) throws MPIException {
        return Starting.gather(comm(), "iGather", checkInPlace("iGather", root), Places.side(buf, count, type),
                Places.side(buf, count, type), root);
    }

    /**
     * Starts a {@code gatherv}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iGatherv(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf,
            int[] recvcounts, int[] displs, Datatype recvtype, int root) throws MPIException {
        return Starting.gatherv(comm(), "iGatherv", false, Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype), root);
    }

    /**
     * Starts a {@code gatherv} at the root, in place.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iGatherv(Buffer recvbuf, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        checkForm("iGatherv", root, true);
        return Starting.gatherv(comm(), "iGatherv", true, Side.NONE,
                Places.parts(recvbuf, recvcounts, displs, recvtype), root);
    }

    /**
     * Starts a {@code gatherv} at a rank that is not the root.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iGatherv(Buffer sendbuf, int sendcount, Datatype sendtype, int root) throws MPIException {
        checkForm("iGatherv", root, false);
        return Starting.gatherv(comm(), "iGatherv", false, Places.side(sendbuf, sendcount, sendtype), VSide.NONE, root);
    }

    /**
     * Starts a {@code scatter}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScatter(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf, int recvcount,
            Datatype recvtype, int root) throws MPIException {
        return Starting.scatter(comm(), "iScatter", false, Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype), root);
    }

    /**
     * Starts a {@code scatter} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScatter(Buffer buf, int count, Datatype type, int root) throws MPIException {
        return Starting.scatter(comm(), "iScatter", checkInPlace("iScatter", root), Places.side(buf, count, type),
                Places.side(buf, count, type), root);
    }

    /**
     * Starts a {@code scatterv}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScatterv(Buffer sendbuf, int[] sendcounts, int[] displs, Datatype sendtype,
            Buffer recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        return Starting.scatterv(comm(), "iScatterv", false, Places.parts(sendbuf, sendcounts, displs, sendtype),
                Places.side(recvbuf, recvcount, recvtype), root);
    }

    /**
     * Starts a {@code scatterv} at the root, in place.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param sendtype what the elements sent are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScatterv(Buffer sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        checkForm("iScatterv", root, true);
        return Starting.scatterv(comm(), "iScatterv", true, Places.parts(sendbuf, sendcounts, displs, sendtype),
                Side.NONE, root);
    }

    /**
     * Starts a {@code scatterv} at a rank that is not the root.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScatterv(Buffer recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        checkForm("iScatterv", root, false);
        return Starting.scatterv(comm(), "iScatterv", false, VSide.NONE, Places.side(recvbuf, recvcount, recvtype),
                root);
    }

    /**
     * Starts an {@code allGather}.
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
    public final Request iAllGather(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf, int recvcount,
            Datatype recvtype) throws MPIException {
        return Starting.allgather(comm(), "iAllGather", false, Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Starts an {@code allGather} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iAllGather(Buffer buf, int count, Datatype type) throws MPIException {
        checkOneGroup("iAllGather");
        return Starting.allgather(comm(), "iAllGather", true, Side.NONE, Places.side(buf, count, type));
    }

    /**
     * Starts an {@code allGatherv}.
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
    public final Request iAllGatherv(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf,
            int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        return Starting.allgatherv(comm(), "iAllGatherv", false, Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * Starts an {@code allGatherv} in place.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iAllGatherv(Buffer recvbuf, int[] recvcounts, int[] displs, Datatype recvtype)
            throws MPIException {
        checkOneGroup("iAllGatherv");
        return Starting.allgatherv(comm(), "iAllGatherv", true, Side.NONE,
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * Starts an {@link #allToAll}.
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
    public final Request iAllToAll(Buffer sendbuf, int sendcount, Datatype sendtype, Buffer recvbuf, int recvcount,
            Datatype recvtype) throws MPIException {
        return Starting.alltoall(comm(), "iAllToAll", Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Starts an {@link #allToAllv}.
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
    public final Request iAllToAllv(Buffer sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Buffer recvbuf, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        return Starting.alltoallv(comm(), "iAllToAllv", Places.parts(sendbuf, sendcounts, sdispls, sendtype),
                Places.parts(recvbuf, recvcounts, rdispls, recvtype));
    }

    /**
     * Starts an {@link #allToAllw}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param sdispls where those for each rank begin
     * @param sendtypes what the elements for each rank are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param rdispls where those of each rank begin
     * @param recvtypes what the elements of each rank are
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iAllToAllw(Buffer sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes,
            Buffer recvbuf, int[] recvcounts, int[] rdispls, Datatype[] recvtypes) throws MPIException {
        return Starting.alltoallw(comm(), "iAllToAllw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                recvcounts, rdispls, recvtypes);
    }

    /**
     * Starts a {@code reduce}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduce(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op, int root)
            throws MPIException {
        return StartedReduction.reduce(comm(), "iReduce", false, sendbuf, recvbuf, count, type, op, root);
    }

    /**
     * Starts a {@code reduce} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @param root the root
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduce(Buffer buf, int count, Datatype type, Op op, int root) throws MPIException {
        return StartedReduction.reduce(comm(), "iReduce", checkInPlace("iReduce", root), buf, buf, count, type, op,
                root);
    }

    /**
     * Starts an {@code allReduce}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iAllReduce(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return StartedReduction.all(comm(), "iAllReduce", Native.ALLREDUCE, false, sendbuf, recvbuf, count, type, op);
    }

    /**
     * Starts an {@code allReduce} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iAllReduce(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        checkOneGroup("iAllReduce");
        return StartedReduction.all(comm(), "iAllReduce", Native.ALLREDUCE, true, null, buf, count, type, op);
    }

    /**
     * Starts a {@code reduceScatter}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduceScatter(Buffer sendbuf, Buffer recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        return StartedReduction.scatter(comm(), "iReduceScatter", sendbuf, recvbuf, recvcounts, type, op);
    }

    /**
     * Starts a {@code reduceScatter} in place.
     *
     * @param buf the array or buffer
     * @param counts elements of the datatype for each rank
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduceScatter(Buffer buf, int[] counts, Datatype type, Op op) throws MPIException {
        checkOneGroup("iReduceScatter");
        return StartedReduction.scatter(comm(), "iReduceScatter", buf, buf, counts, type, op);
    }

    /**
     * Starts a {@code reduceScatterBlock}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduceScatterBlock(Buffer sendbuf, Buffer recvbuf, int recvcount, Datatype type,
            Op op) throws MPIException {
        return StartedReduction.scatter(comm(), "iReduceScatterBlock", sendbuf, recvbuf,
                Starting.equalCounts(comm(), "iReduceScatterBlock", recvcount), type, op);
    }

    /**
     * Starts a {@code reduceScatterBlock} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iReduceScatterBlock(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        checkOneGroup("iReduceScatterBlock");
        return StartedReduction.scatter(comm(), "iReduceScatterBlock", buf, buf, Starting.equalCounts(comm(),
                "iReduceScatterBlock", count), type, op);
    }
}
