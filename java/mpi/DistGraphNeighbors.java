// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What {@link GraphComm#getDistGraphNeighbors} tells: the neighbours of this rank. */
public final class DistGraphNeighbors {
    private final int[] sources;
    private final int[] sourceWeights;
    private final int[] destinations;
    private final int[] destWeights;
    private final boolean weighted;

    /**
     * The neighbours of a rank; weights are null in a graph without.
     *
     * @param sources where edges begin
     * @param sourceWeights a weight for each edge to this rank
     * @param destinations where edges end
     * @param destWeights a weight for each edge from this rank
     * @param weighted whether there are weights
     */
    protected DistGraphNeighbors(int[] sources, int[] sourceWeights, int[] destinations, int[] destWeights,
            boolean weighted) {
        this.sources = sources;
        this.sourceWeights = sourceWeights;
        this.destinations = destinations;
        this.destWeights = destWeights;
        this.weighted = weighted;
    }

    /**
     * How many edges lead to this rank.
     *
     * @return 0 or more
     */
    public int getInDegree() {
        return sources.length;
    }

    /**
     * How many edges lead from this rank.
     *
     * @return 0 or more
     */
    public int getOutDegree() {
        return destinations.length;
    }

    /**
     * The rank that an edge comes from.
     *
     * @param number a number
     * @return the rank
     */
    public int getSource(int number) {
        return sources[number];
    }

    /**
     * The weight of an edge to this rank.
     *
     * @param number a number
     * @return the weight, 1 in a graph without weights
     */
    public int getSourceWeight(int number) {
        return weighted ? sourceWeights[number] : 1;
    }

    /**
     * The rank that an edge leads to.
     *
     * @param number a number
     * @return the rank
     */
    public int getDestination(int number) {
        return destinations[number];
    }

    /**
     * The weight of an edge from this rank.
     *
     * @param number a number
     * @return the weight, 1 in a graph without weights
     */
    public int getDestinationWeight(int number) {
        return weighted ? destWeights[number] : 1;
    }

    /**
     * Has the graph weights?
     *
     * @return true if so
     */
    public boolean isWeighted() {
        return weighted;
    }
}
