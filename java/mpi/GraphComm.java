// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * A communicator whose ranks are the nodes of a graph, as the Open MPI Java bindings have it; see {@link Graphcomm} for
 * mpiJava's. The graph is known to all ranks, or each knows a part of it.
 */
public final class GraphComm extends Intracomm {
    GraphComm(String name) {
        super(name);
    }

    /**
     * The engine's communicator of this number.
     *
     * @param handle the number
     * @throws MPIException if the call fails
     */
    protected GraphComm(long handle) throws MPIException {
        super(handle);
    }

    /**
     * A communicator and the request that tells when it may be used.
     *
     * @param handles the numbers
     */
    protected GraphComm(long[] handles) {
        super(handles);
    }

    @Override
    GraphComm sibling(String name) {
        return new GraphComm(name);
    }

    /**
     * A communicator of the same graph with a space of messages of its own. Collective.
     *
     * @return the new communicator
     */
    @Override
    public GraphComm clone() {
        return (GraphComm) super.clone();
    }

    /**
     * A communicator of the same graph with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public GraphComm dup() throws MPIException {
        return (GraphComm) super.dup();
    }

    /**
     * As {@link #dup()}, with hints of its own.
     *
     * @param info hints
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public GraphComm dupWithInfo(Info info) throws MPIException {
        return (GraphComm) super.dupWithInfo(info);
    }

    /**
     * Starts a {@link #dup()}. The new communicator may be used when the request that it has is complete.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public GraphComm iDup() throws MPIException {
        return (GraphComm) super.iDup();
    }

    /**
     * What the graph is like.
     *
     * @return its nodes and edges
     * @throws MPIException if the call fails
     */
    public GraphParms getDims() throws MPIException {
        long comm = graph("getDims", MPI.GRAPH);
        return new GraphParms(Native.graphIndex(comm), Native.graphEdges(comm));
    }

    /**
     * The neighbours of a rank.
     *
     * @param rank the rank
     * @return its neighbours, in the order in which they were given
     * @throws MPIException if the call fails
     */
    public int[] getNeighbors(int rank) throws MPIException {
        long comm = graph("getNeighbors", MPI.GRAPH);
        checkRank("getNeighbors", rank);
        return Native.graphNeighbours(comm, rank);
    }

    /**
     * The neighbours of this rank in a graph of which each rank knows a part.
     *
     * @return both sides, and the weights
     * @throws MPIException if the call fails
     */
    public DistGraphNeighbors getDistGraphNeighbors() throws MPIException {
        long comm = graph("getDistGraphNeighbors", MPI.DIST_GRAPH);
        int[] weights = Native.neighbourWeights(comm, true);
        return new DistGraphNeighbors(Native.neighbours(comm, true), weights, Native.neighbours(comm, false),
                Native.neighbourWeights(comm, false), weights != null);
    }

    /**
     * The rank this one would have in a graph.
     *
     * @param index which
     * @param edges the neighbours, node by node
     * @return the rank, or {@link MPI#UNDEFINED} if it would not be in it
     * @throws MPIException if the call fails
     */
    public int map(int[] index, int[] edges) throws MPIException {
        long comm = handle("map");
        Graphs.check("map", index, edges, size);
        return Native.graphMap(comm, index.length);
    }

    /** The engine's communicator, if the graph is of this kind. */
    private long graph(String call, int kind) {
        long comm = handle(call);
        if (Native.topologyKind(comm) != kind) {
            throw new MPIException(ErrorClass.TOPOLOGY, call + ": the graph is one "
                    + (kind == MPI.GRAPH ? "of which each rank knows a part" : "that all ranks know"));
        }
        return comm;
    }
}
