// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * The collectives of {@link Comm} by the names of the Open MPI Java bindings. The forms with one buffer are those in
 * place: what a rank gives to itself already is where it belongs.
 */
abstract class CollectiveCalls extends MessageCalls {
    CollectiveCalls() {
    }

    /**
     * Waits until every rank of the communicator has come here.
     *
     * @throws MPIException if the call fails
     */
    public final void barrier() throws MPIException {
        comm().Barrier();
    }

    /**
     * Gives every rank what the root has.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void bcast(Object buf, int count, Datatype type, int root) throws MPIException {
        Sharing.bcast(comm(), Places.side(buf, count, type), root);
    }

    // ---- gather ----

    /**
     * Brings the same number of elements of every rank to the root, in the order of the ranks.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void gather(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype, int root) throws MPIException {
        Sharing.gather(comm(), Places.side(sendbuf, sendcount, sendtype), Places.side(recvbuf, recvcount, recvtype),
                root);
    }

    /**
     * As the other {@code gather}; the root has its own elements in place, the others send theirs from the buffer.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void gather(Object buf, int count, Datatype type, int root) throws MPIException {
        boolean isRoot = checkInPlace("gather", root);
        Sharing.gather(comm(), isRoot ? Places.block(buf, count, type, root) : Places.side(buf, count, type),
                Places.side(buf, count, type), root);
    }

    /**
     * Brings elements of every rank to the root.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void gatherv(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] displs, Datatype recvtype, int root) throws MPIException {
        Sharing.gatherv(comm(), Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype), root);
    }

    /**
     * As the other {@code gatherv}, for the root, which has its own elements in place.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void gatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        checkForm("gatherv", root, true);
        Sharing.gatherv(comm(), Places.part(recvbuf, recvcounts, displs, recvtype, root),
                Places.parts(recvbuf, recvcounts, displs, recvtype), root);
    }

    /**
     * As the other {@code gatherv}, for the ranks that are not the root.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void gatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) throws MPIException {
        checkForm("gatherv", root, false);
        Sharing.gatherv(comm(), Places.side(sendbuf, sendcount, sendtype), VSide.NONE, root);
    }

    // ---- scatter ----

    /**
     * Deals elements of the root out to all ranks, the same number to each.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void scatter(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype, int root) throws MPIException {
        Sharing.scatter(comm(), Places.side(sendbuf, sendcount, sendtype), Places.side(recvbuf, recvcount, recvtype),
                root);
    }

    /**
     * As the other {@code scatter}; the root leaves its own elements in place, the others receive theirs into the
     * buffer.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void scatter(Object buf, int count, Datatype type, int root) throws MPIException {
        boolean isRoot = checkInPlace("scatter", root);
        Sharing.scatter(comm(), Places.side(buf, count, type),
                isRoot ? Places.block(buf, count, type, root) : Places.side(buf, count, type), root);
    }

    /**
     * Deals elements of the root out to all ranks.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void scatterv(Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf,
            int recvcount, Datatype recvtype, int root) throws MPIException {
        Sharing.scatterv(comm(), Places.parts(sendbuf, sendcounts, displs, sendtype),
                Places.side(recvbuf, recvcount, recvtype), root);
    }

    /**
     * As the other {@code scatterv}, for the root, which leaves its own elements in place.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param sendtype what the elements sent are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void scatterv(Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        checkForm("scatterv", root, true);
        Sharing.scatterv(comm(), Places.parts(sendbuf, sendcounts, displs, sendtype),
                Places.part(sendbuf, sendcounts, displs, sendtype, root), root);
    }

    /**
     * As the other {@code scatterv}, for the ranks that are not the root.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void scatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        checkForm("scatterv", root, false);
        Sharing.scatterv(comm(), VSide.NONE, Places.side(recvbuf, recvcount, recvtype), root);
    }

    // ---- allGather, allToAll ----

    /**
     * Brings the same number of elements of every rank to all ranks, in the order of the ranks.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void allGather(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype) throws MPIException {
        Sharing.allgather(comm(), Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * As the other {@code allGather}; every rank has its own elements in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @throws MPIException if the call fails
     */
    public final void allGather(Object buf, int count, Datatype type) throws MPIException {
        checkOneGroup("allGather");
        Sharing.allgather(comm(), Places.block(buf, count, type, comm().rank), Places.side(buf, count, type));
    }

    /**
     * Brings elements of every rank to all ranks.
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
    public final void allGatherv(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] displs, Datatype recvtype) throws MPIException {
        Sharing.allgatherv(comm(), Places.side(sendbuf, sendcount, sendtype),
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * As the other {@code allGatherv}; every rank has its own elements in place.
     *
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param displs where those of each rank begin, in extents of the datatype
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void allGatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype)
            throws MPIException {
        checkOneGroup("allGatherv");
        Sharing.allgatherv(comm(), Places.part(recvbuf, recvcounts, displs, recvtype, comm().rank),
                Places.parts(recvbuf, recvcounts, displs, recvtype));
    }

    /**
     * Every rank sends the same number of elements to each, and receives as many from each.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @throws MPIException if the call fails
     */
    public final void allToAll(Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype) throws MPIException {
        Sharing.alltoall(comm(), Places.side(sendbuf, sendcount, sendtype),
                Places.side(recvbuf, recvcount, recvtype));
    }

    /**
     * Every rank sends elements to each and receives elements from each.
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
    public final void allToAllv(Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf,
            int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        Sharing.alltoallv(comm(), Places.parts(sendbuf, sendcounts, sdispls, sendtype),
                Places.parts(recvbuf, recvcounts, rdispls, recvtype));
    }

    /**
     * As {@link #allToAllv}, with a datatype for each rank and displacements in bytes.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcounts elements to send to each rank
     * @param sdispls where those for each rank begin
     * @param sendtypes what the elements for each rank are
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param rdispls where those of each rank begin
     * @param recvtypes what the elements of each rank are
     * @throws MPIException if the call fails
     */
    public final void allToAllw(Object sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes, Object recvbuf,
            int[] recvcounts, int[] rdispls, Datatype[] recvtypes) throws MPIException {
        Starting.alltoallw(comm(), "allToAllw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                recvtypes).Wait();
    }

    // ---- reductions ----

    /**
     * Combines the values of all ranks, element by element, and gives the result to the root.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void reduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root)
            throws MPIException {
        Reducing.reduce(comm(), Places.side(sendbuf, count, type), Places.side(recvbuf, count, type), op, root);
    }

    /**
     * As the other {@code reduce}; the root finds the result where its values were.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @param root the root
     * @throws MPIException if the call fails
     */
    public final void reduce(Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        checkInPlace("reduce", root);
        Reducing.reduce(comm(), Places.side(buf, count, type), Places.side(buf, count, type), op, root);
    }

    /**
     * Combines the values of all ranks, element by element, and gives the result to all.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void allReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        Reducing.allreduce(comm(), Places.side(sendbuf, count, type), Places.side(recvbuf, count, type), op);
    }

    /**
     * As the other {@code allReduce}; the result is where the values were.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void allReduce(Object buf, int count, Datatype type, Op op) throws MPIException {
        checkOneGroup("allReduce");
        Reducing.allreduce(comm(), Places.side(buf, count, type), Places.side(buf, count, type), op);
    }

    /**
     * Combines the values of all ranks, element by element, and deals the result out to them.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param recvcounts elements to receive from each rank
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void reduceScatter(Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        Reducing.reduceScatter(comm(), Places.array(sendbuf, type), Places.offset(sendbuf, type),
                Places.array(recvbuf, type), Places.offset(recvbuf, type), recvcounts, type, op);
    }

    /**
     * As the other {@code reduceScatter}; this rank's part of the result is at the beginning of its values.
     *
     * @param buf the array or buffer
     * @param counts elements of the datatype for each rank
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void reduceScatter(Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        checkOneGroup("reduceScatter");
        reduceScatter(buf, buf, counts, type, op);
    }

    /**
     * As {@link #reduceScatter(Object, Object, int[], Datatype, Op)}, with as many elements for each rank.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void reduceScatterBlock(Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        reduceScatter(sendbuf, recvbuf, Starting.equalCounts(comm(), "reduceScatterBlock", recvcount), type, op);
    }

    /**
     * As the other {@code reduceScatterBlock}; this rank's part of the result is at the beginning of its values.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void reduceScatterBlock(Object buf, int count, Datatype type, Op op) throws MPIException {
        checkOneGroup("reduceScatterBlock");
        reduceScatterBlock(buf, buf, count, type, op);
    }

    /**
     * Combines two vectors of this rank alone, element by element, into the second.
     *
     * @param inbuf the array or buffer with the elements
     * @param inoutbuf the second vector, and the result
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public static void reduceLocal(Object inbuf, Object inoutbuf, int count, Datatype type, Op op)
            throws MPIException {
        LocalReduction.reduce("reduceLocal", Places.side(inbuf, count, type), Places.side(inoutbuf, count, type), op);
    }

    // ---- checks ----

    final void checkOneGroup(String call) {
        comm().handle(call);
        if (comm().isInter) {
            throw new MPIException(ErrorClass.COMM, call + ": between two groups there is no form with one buffer");
        }
    }

    /** The root of a call with one buffer on one group. True on the root. */
    final boolean checkInPlace(String call, int root) {
        comm().checkRoot(call, root);
        checkOneGroup(call);
        return comm().isRoot(root);
    }

    /** Is this the form for the rank that calls it? */
    final void checkForm(String call, int root, boolean isForRoot) {
        comm().checkRoot(call, root);
        if (isForRoot) {
            checkOneGroup(call);
        }
        if (comm().isRoot(root) != isForRoot) {
            throw new MPIException(ErrorClass.ARG, call + ": rank " + comm().rank + " is " + (isForRoot ? "not " : "")
                    + "the root " + root + "; the form with " + (isForRoot ? "counts and displacements" : "one count")
                    + " is for " + (isForRoot ? "the root" : "the others"));
        }
    }
}
