// SPDX-License-Identifier: Apache-2.0
package mpi;

/** Groups by the names of the Open MPI Java bindings; they are methods of {@link Group}. */
abstract class GroupCalls implements Freeable {
    GroupCalls() {
    }

    private Group group() {
        return (Group) this;
    }

    /**
     * How many members the group has.
     *
     * @return 0 or more
     * @throws MPIException if the call fails
     */
    public int getSize() throws MPIException {
        return group().Size();
    }

    /**
     * This rank in the group.
     *
     * @return its number, or {@link MPI#UNDEFINED} if it is no member
     * @throws MPIException if the call fails
     */
    public int getRank() throws MPIException {
        return group().Rank();
    }

    /**
     * Is this no group at all?
     *
     * @return true of {@link MPI#GROUP_NULL}, and of a group that was freed
     */
    public boolean isNull() {
        return group().isNone();
    }

    /**
     * Compares two groups.
     *
     * @param group1 one
     * @param group2 the other
     * @return {@link MPI#IDENT}, {@link MPI#SIMILAR} or {@link MPI#UNEQUAL}
     * @throws MPIException if the call fails
     */
    public static int compare(Group group1, Group group2) throws MPIException {
        return Group.Compare(group1, group2);
    }

    /**
     * The ranks in one group of members of another.
     *
     * @param group1 one
     * @param ranks1 ranks in the first
     * @param group2 the other
     * @return a rank for each, or {@link MPI#UNDEFINED}
     * @throws MPIException if the call fails
     */
    public static int[] translateRanks(Group group1, int[] ranks1, Group group2) throws MPIException {
        return Group.Translate_ranks(group1, ranks1, group2);
    }

    /**
     * The members of both groups, those of the first first.
     *
     * @param group1 one
     * @param group2 the other
     * @return the new group
     * @throws MPIException if the call fails
     */
    public static Group union(Group group1, Group group2) throws MPIException {
        return Group.Union(group1, group2);
    }

    /**
     * The members that are in both groups.
     *
     * @param group1 one
     * @param group2 the other
     * @return the new group
     * @throws MPIException if the call fails
     */
    public static Group intersection(Group group1, Group group2) throws MPIException {
        return Group.Intersection(group1, group2);
    }

    /**
     * The members of the first group that are not in the second.
     *
     * @param group1 one
     * @param group2 the other
     * @return the new group
     * @throws MPIException if the call fails
     */
    public static Group difference(Group group1, Group group2) throws MPIException {
        return Group.Difference(group1, group2);
    }

    /**
     * Some members, in the order of the list.
     *
     * @param ranks which
     * @return the new group
     * @throws MPIException if the call fails
     */
    public Group incl(int[] ranks) throws MPIException {
        return group().Incl(ranks);
    }

    /**
     * All members but some.
     *
     * @param ranks which
     * @return the new group
     * @throws MPIException if the call fails
     */
    public Group excl(int[] ranks) throws MPIException {
        return group().Excl(ranks);
    }

    /**
     * Some members, by ranges.
     *
     * @param ranges first, last and distance of each range
     * @return the new group
     * @throws MPIException if the call fails
     */
    public Group rangeIncl(int[][] ranges) throws MPIException {
        return group().Range_incl(ranges);
    }

    /**
     * All members but some, by ranges.
     *
     * @param ranges first, last and distance of each range
     * @return the new group
     * @throws MPIException if the call fails
     */
    public Group rangeExcl(int[][] ranges) throws MPIException {
        return group().Range_excl(ranges);
    }
}
