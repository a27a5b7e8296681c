// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.Arrays;

/**
 * An ordered set of ranks. A group never changes; it holds nothing that would have to be given back, and stays good
 * after {@link MPI#Finalize}.
 */
public class Group extends GroupCalls {
    /** The number of the empty group. */
    public static final int EMPTY = 0;

    /** As MPJ Express has it: {@link #EMPTY} if the group has no member, else 1. */
    public int code;
    /** As MPJ Express has it: null, unless a program gave one. */
    public mpjdev.Group mpjdevGroup;

    /** The members, by their rank in the job. */
    private final int[] members;
    /** The rank in the job of the process that made the group. */
    private final int me;
    private boolean isFreed;

    Group(int[] members, int me) {
        this.members = members;
        this.me = me;
        this.code = members.length == 0 ? EMPTY : 1;
    }

    /**
     * The members of another group of ranks.
     *
     * @param group the other
     */
    public Group(mpjdev.Group group) {
        this(group == null ? new int[0] : group.peers().clone(), group == null ? MPI.UNDEFINED : group.self());
        this.mpjdevGroup = group;
    }

    /** The members, by their rank in the job. Not to be written to. */
    final int[] members() {
        return members;
    }

    final int self() {
        return me;
    }

    static Group require(String call, Group group) {
        if (group == null || group == MPI.GROUP_NULL) {
            throw new MPIException(ErrorClass.GROUP, call + ": the group is "
                    + (group == null ? "a null reference" : "MPI.GROUP_NULL"));
        }
        return group;
    }

    // ---- members ----

    /**
     * How many members the group has.
     *
     * @return 0 or more
     * @throws MPIException if this is the null group
     */
    public int Size() throws MPIException {
        return require("Size", this).members.length;
    }

    /**
     * The number of this rank in the group.
     *
     * @return 0 to {@link #Size} - 1, or {@link MPI#UNDEFINED} if it is no member
     * @throws MPIException if this is the null group
     */
    public int Rank() throws MPIException {
        return require("Rank", this).rankOf(me);
    }

    private int rankOf(int member) {
        for (int i = 0; i < members.length; i++) {
            if (members[i] == member) {
                return i;
            }
        }
        return MPI.UNDEFINED;
    }

    /** The way back from members to ranks in this group; UNDEFINED for those that are none. */
    private int[] ranksOf(int size) {
        int[] ranks = new int[size];
        Arrays.fill(ranks, MPI.UNDEFINED);
        for (int i = 0; i < members.length; i++) {
            ranks[members[i]] = i;
        }
        return ranks;
    }

    /** One more than the highest rank in the job among the members of both. */
    private static int span(Group one, Group other) {
        int highest = -1;
        for (int member : one.members) {
            highest = Math.max(highest, member);
        }
        for (int member : other.members) {
            highest = Math.max(highest, member);
        }
        return highest + 1;
    }

    private Group of(int[] newMembers, int count) {
        return new Group(newMembers.length == count ? newMembers : Arrays.copyOf(newMembers, count), me);
    }

    /** The rank that the result of two groups is made for. */
    private static int maker(Group one, Group other) {
        return one.me >= 0 ? one.me : other.me;
    }

    /**
     * The ranks that members of one group have in another.
     *
     * @param group1 the one
     * @param ranks1 ranks in it; {@link MPI#PROC_NULL} stays what it is
     * @param group2 the other
     * @return their ranks in the other, {@link MPI#UNDEFINED} for those that are no members
     * @throws MPIException if an argument is null, or a rank is not in the first group
     */
    public static int[] Translate_ranks(Group group1, int[] ranks1, Group group2) throws MPIException {
        require("Translate_ranks", group1);
        require("Translate_ranks", group2);
        checkArray("Translate_ranks", ranks1);
        int[] back = group2.ranksOf(span(group1, group2));
        int[] ranks2 = new int[ranks1.length];
        for (int i = 0; i < ranks1.length; i++) {
            if (ranks1[i] == MPI.PROC_NULL) {
                ranks2[i] = MPI.PROC_NULL;
            } else {
                group1.checkRank("Translate_ranks", ranks1[i]);
                ranks2[i] = back[group1.members[ranks1[i]]];
            }
        }
        return ranks2;
    }

    /**
     * Compares two groups.
     *
     * @param group1 one
     * @param group2 the other
     * @return {@link MPI#IDENT}: the same members in the same order; {@link MPI#SIMILAR}: in another order;
     *     {@link MPI#UNEQUAL}: other members
     * @throws MPIException if one of them is null
     */
    public static int Compare(Group group1, Group group2) throws MPIException {
        require("Compare", group1);
        require("Compare", group2);
        if (Arrays.equals(group1.members, group2.members)) {
            return MPI.IDENT;
        }
        int[] one = group1.members.clone();
        int[] other = group2.members.clone();
        Arrays.sort(one);
        Arrays.sort(other);
        return Arrays.equals(one, other) ? MPI.SIMILAR : MPI.UNEQUAL;
    }

    // ---- sets ----

    /**
     * The members of either.
     *
     * @param group1 its members come first, in their order
     * @param group2 those of its members that are not in the first follow
     * @return the new group
     * @throws MPIException if one of them is null
     */
    public static Group Union(Group group1, Group group2) throws MPIException {
        require("Union", group1);
        require("Union", group2);
        int[] inFirst = group1.ranksOf(span(group1, group2));
        int[] all = Arrays.copyOf(group1.members, group1.members.length + group2.members.length);
        int count = group1.members.length;
        for (int member : group2.members) {
            if (inFirst[member] == MPI.UNDEFINED) {
                all[count++] = member;
            }
        }
        return new Group(Arrays.copyOf(all, count), maker(group1, group2));
    }

    /**
     * The members of both, in the order of the first.
     *
     * @param group1 one
     * @param group2 the other
     * @return the new group
     * @throws MPIException if one of them is null
     */
    public static Group Intersection(Group group1, Group group2) throws MPIException {
        return select("Intersection", group1, group2, true);
    }

    /**
     * The members of the first that are not in the second, in their order.
     *
     * @param group1 one
     * @param group2 the other
     * @return the new group
     * @throws MPIException if one of them is null
     */
    public static Group Difference(Group group1, Group group2) throws MPIException {
        return select("Difference", group1, group2, false);
    }

    private static Group select(String call, Group group1, Group group2, boolean isInSecond) {
        require(call, group1);
        require(call, group2);
        int[] inSecond = group2.ranksOf(span(group1, group2));
        int[] chosen = new int[group1.members.length];
        int count = 0;
        for (int member : group1.members) {
            if (inSecond[member] != MPI.UNDEFINED == isInSecond) {
                chosen[count++] = member;
            }
        }
        return new Group(Arrays.copyOf(chosen, count), maker(group1, group2));
    }

    // ---- by rank ----

    /**
     * The members with these ranks, in the order of the list.
     *
     * @param ranks the ranks
     * @return the new group
     * @throws MPIException if a rank is not in the group or appears twice
     */
    public Group Incl(int[] ranks) throws MPIException {
        return include("Incl", ranks);
    }

    /**
     * All members but those with these ranks, in their order.
     *
     * @param ranks the ranks
     * @return the new group
     * @throws MPIException if a rank is not in the group or appears twice
     */
    public Group Excl(int[] ranks) throws MPIException {
        return exclude("Excl", ranks);
    }

    /**
     * As {@link #Incl}, with ranks given as ranges.
     *
     * @param ranges for each the first rank, the last, and the distance from one rank to the next, negative to count
     *     down. The last need not be reached, nor be in the group: of 8 ranks, {5, 8, 2} names 5 and 7. A range whose
     *     last lies on the other side of its first is empty.
     * @return the new group
     * @throws MPIException if a range is not of three numbers, its distance is 0, a rank is not in the group or stands
     *     twice
     */
    public Group Range_incl(int[][] ranges) throws MPIException {
        return include("Range_incl", expand("Range_incl", ranges));
    }

    /**
     * As {@link #Excl}, with ranks given as ranges.
     *
     * @param ranges as for {@link #Range_incl}
     * @return the new group
     * @throws MPIException as {@link #Range_incl}
     */
    public Group Range_excl(int[][] ranges) throws MPIException {
        return exclude("Range_excl", expand("Range_excl", ranges));
    }

    private Group include(String call, int[] ranks) {
        checkRanks(call, ranks);
        int[] chosen = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            chosen[i] = members[ranks[i]];
        }
        return of(chosen, chosen.length);
    }

    private Group exclude(String call, int[] ranks) {
        boolean[] isOut = checkRanks(call, ranks);
        int[] chosen = new int[members.length - ranks.length];
        int count = 0;
        for (int i = 0; i < members.length; i++) {
            if (!isOut[i]) {
                chosen[count++] = members[i];
            }
        }
        return of(chosen, count);
    }

    private int[] expand(String call, int[][] ranges) {
        require(call, this);
        if (ranges == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of ranges is null");
        }
        int[] ranks = new int[members.length];
        int count = 0;
        for (int i = 0; i < ranges.length; i++) {
            int[] range = ranges[i];
            if (range == null || range.length != 3 || range[2] == 0) {
                throw new MPIException(ErrorClass.ARG, call + ": range " + i + " is " + Arrays.toString(range)
                        + "; it must be first, last and a distance that is not 0");
            }
            for (long rank = range[0]; range[2] > 0 ? rank <= range[1] : rank >= range[1]; rank += range[2]) {
                checkRank(call, (int) rank); // between two ints, so it is one
                if (count == ranks.length) {
                    throw new MPIException(ErrorClass.RANK, call + ": a rank appears twice in the ranges");
                }
                ranks[count++] = (int) rank;
            }
        }
        return Arrays.copyOf(ranks, count);
    }

    private static void checkArray(String call, int[] ranks) {
        if (ranks == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of ranks is null");
        }
    }

    private void checkRank(String call, int rank) {
        if (rank < 0 || rank >= members.length) {
            throw new MPIException(ErrorClass.RANK, call + ": rank " + rank + " is not in the group, which has "
                    + members.length + " members");
        }
    }

    /** Which ranks the list has; they must be in the group, each once. */
    private boolean[] checkRanks(String call, int[] ranks) {
        require(call, this);
        checkArray(call, ranks);
        boolean[] isListed = new boolean[members.length];
        for (int rank : ranks) {
            checkRank(call, rank);
            if (isListed[rank]) {
                throw new MPIException(ErrorClass.RANK, call + ": rank " + rank + " appears twice in the list");
            }
            isListed[rank] = true;
        }
        return isListed;
    }

    /** Makes {@link #isNull} true, unless the group is predefined. A group holds nothing that would be given back. */
    @Override
    public void free() {
        isFreed = this != MPI.GROUP_EMPTY;
    }

    /** Is it none, or freed? */
    final boolean isNone() {
        return isFreed || this == MPI.GROUP_NULL;
    }

    /** Does nothing: a group holds nothing. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() throws MPIException {
        // Empty, so that groups do not burden the garbage collector.
    }
}
