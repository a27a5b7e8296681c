// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** A communicator whose ranks are the nodes of a graph. */
public class Graphcomm extends Intracomm {
    Graphcomm(String name) {
        super(name);
    }

    /**
     * A communicator of the same graph with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Graphcomm clone() throws MPIException {
        return (Graphcomm) super.clone();
    }

    @Override
    Graphcomm sibling(String name) {
        return new Graphcomm(name);
    }

    /**
     * What the graph is like.
     *
     * @return its nodes and edges
     * @throws MPIException if the communicator cannot be used
     */
    public GraphParms Get() throws MPIException {
        long comm = handle("Get");
        GraphParms parms = new GraphParms();
        parms.index = Native.graphIndex(comm);
        parms.edges = Native.graphEdges(comm);
        return parms;
    }

    /**
     * The neighbours of a rank.
     *
     * @param rank the rank
     * @return its neighbours, in the order in which they were given
     * @throws MPIException if there is no such rank
     */
    public int[] Neighbours(int rank) throws MPIException {
        long comm = handle("Neighbours");
        checkRank("Neighbours", rank);
        return Native.graphNeighbours(comm, rank);
    }

    /**
     * The rank this one would have in a graph.
     *
     * @param index for each node where in {@code edges} its neighbours end
     * @param edges the neighbours, node by node
     * @return the rank, or {@link MPI#UNDEFINED} if it would not be in it
     * @throws MPIException as {@link Intracomm#Create_graph}
     */
    public int Map(int[] index, int[] edges) throws MPIException {
        long comm = handle("Map");
        Graphs.check("Map", index, edges, Size());
        return Native.graphMap(comm, index.length);
    }
}
