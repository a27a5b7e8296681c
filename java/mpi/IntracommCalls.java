// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;
import java.util.Arrays;

/**
 * What one group of ranks can do, by the names of the Open MPI Java bindings; they are methods of {@link Intracomm}.
 */
abstract class IntracommCalls extends Comm {
    IntracommCalls(String name) {
        super(name);
    }

    private Intracomm intracomm() {
        return (Intracomm) this;
    }

    // ---- other communicators ----

    /**
     * Parts the communicator into one for each colour. Collective.
     *
     * @param colour ranks that give the same come together
     * @param key orders the ranks
     * @return the new communicator, a null one for {@link MPI#UNDEFINED}
     * @throws MPIException if the call fails
     */
    public final Intracomm split(int colour, int key) throws MPIException {
        return orNull(intracomm().Split(colour, key));
    }

    /**
     * The ranks that share memory. Collective.
     *
     * @param splitType {@link Comm#TYPE_SHARED} or {@link MPI#UNDEFINED}
     * @param key orders the ranks
     * @param info hints
     * @return the new communicator, a null one for {@link MPI#UNDEFINED}
     * @throws MPIException if the call fails
     */
    public final Intracomm splitType(int splitType, int key, Info info) throws MPIException {
        if (splitType != Comm.TYPE_SHARED && splitType != MPI.UNDEFINED) {
            throw new MPIException(ErrorClass.ARG, "splitType: the type is " + splitType
                    + "; it is Comm.TYPE_SHARED or MPI.UNDEFINED");
        }
        int colour = splitType == MPI.UNDEFINED ? MPI.UNDEFINED : 0;
        return orNull(made("host", Native.commSplitHost(handle("splitType"), colour, key)));
    }

    /**
     * A communicator of some of the ranks. Collective over all.
     *
     * @param group which ranks
     * @return the new communicator, a null one for ranks that are not in the group
     * @throws MPIException if the call fails
     */
    public final Intracomm create(Group group) throws MPIException {
        return orNull(intracomm().Create(group));
    }

    /**
     * As {@link #create}, but only the ranks of the group call.
     *
     * @param group which ranks
     * @param tag the tag
     * @return the new communicator, a null one for a rank that is not in the group
     * @throws MPIException if the call fails
     */
    public final Intracomm createGroup(Group group, int tag) throws MPIException {
        long comm = handle("createGroup");
        intracomm().checkMembers("createGroup", group);
        if (tag < 0) {
            throw new MPIException(ErrorClass.TAG, "createGroup: tag is " + tag + "; it cannot be negative");
        }
        return orNull(made("group", Native.commCreateGroup(comm, group.members(), tag)));
    }

    /**
     * A communicator whose ranks form a grid, in row-major order. Collective.
     *
     * @param dims the length of each dimension
     * @param periods which dimensions are rings
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator, a null one for ranks beyond the grid
     * @throws MPIException if the call fails
     */
    public final CartComm createCart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        long comm = handle("createCart");
        Grid.check("createCart", dims, periods, size);
        CartComm cart = new CartComm(Get_name() + " grid " + Arrays.toString(dims));
        return adoptIfAny(cart, Native.cartCreate(comm, dims, periods));
    }

    /**
     * A communicator whose ranks are the nodes of a graph. Collective.
     *
     * @param index which
     * @param edges the neighbours, node by node
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator, a null one for ranks beyond the nodes
     * @throws MPIException if the call fails
     */
    public final GraphComm createGraph(int[] index, int[] edges, boolean reorder) throws MPIException {
        long comm = handle("createGraph");
        Graphcomm.checkGraph("createGraph", index, edges, size);
        return adoptIfAny(new GraphComm(Get_name() + " graph"), Native.graphCreate(comm, index, edges));
    }

    /**
     * A graph of which every rank names any edges. Collective.
     *
     * @param sources where edges begin
     * @param degrees how many edges begin at each of them
     * @param destinations where edges end
     * @param weights a weight for each edge
     * @param info hints
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public final GraphComm createDistGraph(int[] sources, int[] degrees, int[] destinations, int[] weights, Info info,
            boolean reorder) throws MPIException {
        checkWeights("createDistGraph", destinations, weights);
        return distGraph(sources, degrees, destinations, weights);
    }

    /**
     * The same, without weights.
     *
     * @param sources where edges begin
     * @param degrees how many edges begin at each of them
     * @param destinations where edges end
     * @param info hints
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public final GraphComm createDistGraph(int[] sources, int[] degrees, int[] destinations, Info info,
            boolean reorder) throws MPIException {
        return distGraph(sources, degrees, destinations, null);
    }

    /**
     * A graph of which every rank names its own neighbours. Collective.
     *
     * @param sources where edges begin
     * @param sourceWeights a weight for each edge to this rank
     * @param destinations where edges end
     * @param destWeights a weight for each edge from this rank
     * @param info hints
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public final GraphComm createDistGraphAdjacent(int[] sources, int[] sourceWeights, int[] destinations,
            int[] destWeights, Info info, boolean reorder) throws MPIException {
        checkWeights("createDistGraphAdjacent", sources, sourceWeights);
        checkWeights("createDistGraphAdjacent", destinations, destWeights);
        return adjacent(sources, sourceWeights, destinations, destWeights);
    }

    /**
     * The same, without weights.
     *
     * @param sources where edges begin
     * @param destinations where edges end
     * @param info hints
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public final GraphComm createDistGraphAdjacent(int[] sources, int[] destinations, Info info, boolean reorder)
            throws MPIException {
        return adjacent(sources, null, destinations, null);
    }

    private GraphComm distGraph(int[] sources, int[] degrees, int[] destinations, int[] weights) {
        String call = "createDistGraph";
        long comm = handle(call);
        checkNodes(call, "sources", sources);
        checkNodes(call, "destinations", destinations);
        long edges = 0;
        for (int i = 0; degrees != null && i < degrees.length; i++) {
            edges = degrees[i] < 0 ? Long.MIN_VALUE / 2 : edges + degrees[i];
        }
        if (degrees == null || degrees.length != sources.length || edges != destinations.length) {
            throw new MPIException(ErrorClass.ARG, call + ": degrees need a number, not negative, for each of the "
                    + sources.length + " sources, and their sum must be " + destinations.length
                    + ", the number of destinations");
        }
        return adoptIfAny(new GraphComm(Get_name() + " graph"),
                Native.distGraph(comm, sources, degrees, destinations, weights));
    }

    private GraphComm adjacent(int[] sources, int[] sourceWeights, int[] destinations, int[] destWeights) {
        String call = "createDistGraphAdjacent";
        long comm = handle(call);
        checkNodes(call, "sources", sources);
        checkNodes(call, "destinations", destinations);
        return adoptIfAny(new GraphComm(Get_name() + " graph"),
                Native.distGraphAdjacent(comm, sources, sourceWeights, destinations, destWeights));
    }

    private void checkNodes(String call, String what, int[] nodes) {
        if (nodes == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of " + what + " is null");
        }
        for (int node : nodes) {
            checkRank(call, node);
        }
    }

    private static void checkWeights(String call, int[] nodes, int[] weights) {
        int edges = nodes == null ? 0 : nodes.length;
        boolean isNegative = false;
        for (int i = 0; weights != null && i < weights.length; i++) {
            isNegative |= weights[i] < 0;
        }
        if (weights == null || weights.length != edges || isNegative) {
            throw new MPIException(ErrorClass.ARG, call + ": weights need a number, not negative, for each of the "
                    + edges + " edges");
        }
    }

    private Intracomm made(String kind, long handle) {
        return handle == 0 ? null : adopt(new Intracomm(Get_name() + " " + kind), handle);
    }

    /** In this dialect a rank that gets no communicator gets a null one, and asks isNull. */
    private Intracomm orNull(Intracomm made) {
        return made == null ? new Intracomm("MPI.COMM_NULL") : made;
    }

    private <C extends Comm> C adoptIfAny(C comm, long made) {
        return made == 0 ? comm : adopt(comm, made);
    }

    /**
     * A communicator of the same ranks with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public Intracomm dup() throws MPIException {
        return (Intracomm) super.dup();
    }

    /**
     * As {@link #dup()}, with hints of its own.
     *
     * @param info hints
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public Intracomm dupWithInfo(Info info) throws MPIException {
        return (Intracomm) super.dupWithInfo(info);
    }

    /**
     * Starts a {@link #dup()}. The new communicator may be used when the request that it has is complete.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public Intracomm iDup() throws MPIException {
        return (Intracomm) super.iDup();
    }

    // ---- scans ----

    /**
     * Combines the values of this rank and of all with lower numbers, element by element.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void scan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        Reducing.scan(this, Places.side(sendbuf, count, type), Places.side(recvbuf, count, type), op);
    }

    /**
     * As the other {@code scan}; the result is where the values were.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void scan(Object buf, int count, Datatype type, Op op) throws MPIException {
        Reducing.scan(this, Places.side(buf, count, type), Places.side(buf, count, type), op);
    }

    /**
     * Combines the values of all ranks with lower numbers, element by element. The first rank has no result.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void exScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        Reducing.exscan(this, Places.side(sendbuf, count, type), Places.side(recvbuf, count, type), op);
    }

    /**
     * As the other {@code exScan}; the result is where the values were.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @throws MPIException if the call fails
     */
    public final void exScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        Reducing.exscan(this, Places.side(buf, count, type), Places.side(buf, count, type), op);
    }

    /**
     * Starts a {@code scan}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScan(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iScan", Native.SCAN, false, sendbuf, recvbuf, count, type, op);
    }

    /**
     * Starts a {@code scan} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScan(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iScan", Native.SCAN, true, null, buf, count, type, op);
    }

    /**
     * Starts an {@code exScan}.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iExScan(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return StartedReduction.all(this, "iExScan", Native.EXSCAN, false, sendbuf, recvbuf, count, type, op);
    }

    /**
     * Starts an {@code exScan} in place.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iExScan(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iExScan", Native.EXSCAN, true, null, buf, count, type, op);
    }

    /**
     * Starts a {@code scan}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iScan", Native.SCAN, false, sendbuf, recvbuf, count, type, op);
    }

    /**
     * Starts a {@code scan} in place, of arrays.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iScan", Native.SCAN, true, null, buf, count, type, op);
    }

    /**
     * Starts an {@code exScan}, of arrays.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iExScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return StartedReduction.all(this, "iExScan", Native.EXSCAN, false, sendbuf, recvbuf, count, type, op);
    }

    /**
     * Starts an {@code exScan} in place, of arrays.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param op how two are combined
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iExScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return StartedReduction.all(this, "iExScan", Native.EXSCAN, true, null, buf, count, type, op);
    }
}
