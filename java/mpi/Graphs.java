// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * Communicators whose ranks are the nodes of a graph, for {@link Intracomm}: one that every rank knows, or one of which
 * every rank names some edges. Weights are null in a graph without them.
 */
final class Graphs {
    private Graphs() {
    }

    // ---- every rank knows the graph ----

    static Graphcomm create(Comm comm, String call, int[] index, int[] edges) {
        long made = make(comm, call, index, edges);
        return made == 0 ? null : comm.adopt(new Graphcomm(comm.name + " graph"), made);
    }

    static GraphComm createOrNull(Comm comm, String call, int[] index, int[] edges) {
        return comm.adoptIfAny(new GraphComm(comm.name + " graph"), make(comm, call, index, edges));
    }

    private static long make(Comm comm, String call, int[] index, int[] edges) {
        long handle = comm.handle(call);
        check(call, index, edges, comm.size);
        return Native.graphCreate(handle, index, edges);
    }

    static void check(String call, int[] index, int[] edges, int size) {
        if (index == null || edges == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of " + (index == null ? "indices" : "edges")
                    + " is null");
        }
        if (index.length > size) {
            throw new MPIException(ErrorClass.ARG, call + ": the graph has " + index.length
                    + " nodes, but the communicator has " + size + " ranks");
        }
        int before = 0;
        for (int i = 0; i < index.length; i++) {
            if (index[i] < before || index[i] > edges.length) {
                throw new MPIException(ErrorClass.ARG, call + ": index " + i + " is " + index[i] + "; it must be "
                        + before + " to " + edges.length);
            }
            before = index[i];
        }
        if (before != edges.length) {
            throw new MPIException(ErrorClass.ARG, call + ": the last index is " + before + ", but there are "
                    + edges.length + " edges");
        }
        for (int edge : edges) {
            if (edge < 0 || edge >= index.length) {
                throw new MPIException(ErrorClass.ARG, call + ": an edge leads to " + edge + ", but the graph has "
                        + index.length + " nodes");
            }
        }
    }

    // ---- every rank names some edges ----

    static GraphComm distribute(Comm comm, String call, int[] sources, int[] degrees, int[] destinations,
            int[] weights) {
        long handle = comm.handle(call);
        checkNodes(comm, call, "sources", sources);
        checkNodes(comm, call, "destinations", destinations);
        long edges = 0;
        for (int i = 0; degrees != null && i < degrees.length; i++) {
            edges = degrees[i] < 0 ? Long.MIN_VALUE / 2 : edges + degrees[i];
        }
        if (degrees == null || degrees.length != sources.length || edges != destinations.length) {
            throw new MPIException(ErrorClass.ARG, call + ": degrees need a number, not negative, for each of the "
                    + sources.length + " sources, and their sum must be " + destinations.length
                    + ", the number of destinations");
        }
        return comm.adoptIfAny(new GraphComm(comm.name + " graph"),
                Native.distGraph(handle, sources, degrees, destinations, weights));
    }

    static GraphComm adjacent(Comm comm, String call, int[] sources, int[] sourceWeights, int[] destinations,
            int[] destWeights) {
        long handle = comm.handle(call);
        checkNodes(comm, call, "sources", sources);
        checkNodes(comm, call, "destinations", destinations);
        return comm.adoptIfAny(new GraphComm(comm.name + " graph"),
                Native.distGraphAdjacent(handle, sources, sourceWeights, destinations, destWeights));
    }

    private static void checkNodes(Comm comm, String call, String what, int[] nodes) {
        if (nodes == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of " + what + " is null");
        }
        for (int node : nodes) {
            comm.checkRank(call, node);
        }
    }

    /** A weight for each edge. */
    static int[] weights(String call, int[] nodes, int[] weights) {
        int edges = nodes == null ? 0 : nodes.length;
        boolean isNegative = false;
        for (int i = 0; weights != null && i < weights.length; i++) {
            isNegative |= weights[i] < 0;
        }
        if (weights == null || weights.length != edges || isNegative) {
            throw new MPIException(ErrorClass.ARG, call + ": weights need a number, not negative, for each of the "
                    + edges + " edges");
        }
        return weights;
    }
}
