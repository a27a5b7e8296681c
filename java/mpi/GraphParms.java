// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What {@link Graphcomm#Get} tells of a graph. */
public class GraphParms {
    /** For each rank where in {@link #edges} its neighbours end; they begin where those of the rank before do. */
    public int[] index;
    /** The neighbours, rank by rank. */
    public int[] edges;

    /** Parameters yet unknown. */
    public GraphParms() {
    }

    /**
     * The parameters of a graph.
     *
     * @param index for each rank where its neighbours end
     * @param edges the neighbours, rank by rank
     */
    protected GraphParms(int[] index, int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    /**
     * How many nodes there are.
     *
     * @return 0 or more
     */
    public int getIndexCount() {
        return index.length;
    }

    /**
     * Where the neighbours of a node end.
     *
     * @param number which node
     * @return a place among the edges
     */
    public int getIndex(int number) {
        return index[number];
    }

    /**
     * How many edges there are.
     *
     * @return 0 or more
     */
    public int getEdgeCount() {
        return edges.length;
    }

    /**
     * Where an edge leads.
     *
     * @param number which edge
     * @return the rank
     */
    public int getEdge(int number) {
        return edges[number];
    }
}
