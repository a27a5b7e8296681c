// SPDX-License-Identifier: Apache-2.0
package mpjdev;

/** A set of ranks as package {@code mpjdev} has it: what {@link mpi.Group} can be made of. */
public abstract class Group {
    /** The rank of a process that is no member. */
    public static final int NO_RANK = -1;
    /** The same members in the same order. */
    public static final int IDENT = 0;
    /** The same members in the same order, in another context. */
    public static final int CONGRUENT = 3;
    /** The same members in another order. */
    public static final int SIMILAR = 1;
    /** Other members. */
    public static final int UNEQUAL = 2;

    /** The number of the maker in the group, or {@link #NO_RANK}. */
    public int rank;
    /** How many members there are. */
    public int size;

    /** For subclasses. */
    public Group() {
    }

    /**
     * The members.
     *
     * @return their ranks in the job
     */
    public abstract int[] peers();

    /**
     * The maker.
     *
     * @return its rank in the job
     */
    public abstract int self();

    /**
     * How many members there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * The number of the maker in the group.
     *
     * @return the number, or {@link #NO_RANK}
     */
    public int rank() {
        return rank;
    }
}
