// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What {@link Cartcomm#Shift} returns: the ranks to receive from and to send to. Every dialect has its own names. */
public class ShiftParms {
    /** The rank to receive from, {@link MPI#PROC_NULL} off the grid. */
    public int rank_source;
    /** The rank to send to, {@link MPI#PROC_NULL} off the grid. */
    public int rank_dest;
    /** The same as {@link #rank_source}. */
    public int rankSource;
    /** The same as {@link #rank_dest}. */
    public int rankDest;

    /** Parameters yet unknown. */
    public ShiftParms() {
    }

    /**
     * Two ranks.
     *
     * @param source the one to receive from
     * @param dest the one to send to
     */
    protected ShiftParms(int source, int dest) {
        rank_source = source;
        rankSource = source;
        rank_dest = dest;
        rankDest = dest;
    }

    /**
     * The rank to receive from.
     *
     * @return the rank, {@link MPI#PROC_NULL} off the grid
     */
    public int getRankSource() {
        return rank_source;
    }

    /**
     * The rank to send to.
     *
     * @return the rank, {@link MPI#PROC_NULL} off the grid
     */
    public int getRankDest() {
        return rank_dest;
    }
}
