// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import mpi.Comm;
import mpi.Group;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.Keyval;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Groups, communicators made of them, intercommunicators, attributes. */
final class Groups {
    private static final int COMM = 5;
    private static final int RANK = 6;
    private static final int GROUP = 9;
    private static final int ARG = 13;

    private Groups() {
    }

    private static int[] ranks(int first, int end, int step) {
        int[] ranks = new int[first >= end ? 0 : (end - first + step - 1) / step];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = first + i * step;
        }
        return ranks;
    }

    private static void members(Group all, Group group, int... wanted) {
        int[] found = Group.Translate_ranks(group, ranks(0, group.Size(), 1), all);
        Check.that(Arrays.equals(wanted, found), "members " + Arrays.toString(found) + " should be "
                + Arrays.toString(wanted));
    }

    static void sets(Intracomm comm) {
        int me = comm.Rank();
        int size = comm.Size();
        Group all = comm.Group();
        Check.equal(size, all.Size(), "size");
        Check.equal(me, all.Rank(), "rank");
        Check.that(comm.group == all, "the field");
        members(all, all, ranks(0, size, 1));
        Group even = all.Incl(ranks(0, size, 2));
        Group odd = all.Excl(ranks(0, size, 2));
        members(all, even, ranks(0, size, 2));
        members(all, odd, ranks(1, size, 2));
        Check.equal(me % 2 == 0 ? me / 2 : MPI.UNDEFINED, even.Rank(), "rank among the even");
        Check.equal(size, Group.Union(even, odd).Size(), "union");
        Check.equal(size < 3 ? MPI.IDENT : MPI.SIMILAR, Group.Compare(all, Group.Union(even, odd)), "other order");
        Check.equal(MPI.IDENT, Group.Compare(even, Group.Difference(all, odd)), "difference");
        Check.equal(MPI.IDENT, Group.Compare(odd, Group.Intersection(all, odd)), "intersection");
        Check.equal(MPI.UNEQUAL, Group.Compare(even, odd), "unequal");
        Check.equal(0, Group.Intersection(even, odd).Size(), "nothing in common");
        Check.equal(MPI.IDENT, Group.Compare(MPI.GROUP_EMPTY, Group.Intersection(even, odd)), "the empty group");
        Check.equal(MPI.IDENT, Group.Compare(all, Group.Union(MPI.GROUP_EMPTY, all)), "union with nothing");
        Check.equal(me, Group.Union(MPI.GROUP_EMPTY, all).Rank(), "and the rank in it");
        Check.equal(Group.EMPTY, MPI.GROUP_EMPTY.code, "code");
        members(all, all.Range_incl(new int[][] {{size - 1, 0, -1}}), Groups.reversed(size));
        members(all, all.Range_incl(new int[][] {{0, size - 1, 2}}), ranks(0, size, 2));
        members(all, all.Range_excl(new int[][] {{0, size - 1, 2}}), ranks(1, size, 2));
        ranges(all, size);
        Check.that(Arrays.equals(new int[] {MPI.PROC_NULL, MPI.UNDEFINED},
                Group.Translate_ranks(even, new int[] {MPI.PROC_NULL, 0}, odd)), "translated");
        even.free();
        even.finalize();
        Check.equal((size + 1) / 2, even.Size(), "a group stays what it is");

        Check.fails(RANK, "Incl: rank " + size + " is not in the group, which has " + size + " members",
                () -> all.Incl(new int[] {size}));
        Check.fails(RANK, "Excl: rank 0 appears twice in the list", () -> all.Excl(new int[] {0, 0}));
        Check.fails(ARG, "Range_incl: range 0 is \\[0, 0, 0\\]; ", () -> all.Range_incl(new int[][] {{0, 0, 0}}));
        Check.fails(RANK, "Range_excl: rank -1 ", () -> all.Range_excl(new int[][] {{0, -1, -1}}));
        Check.fails(RANK, "Range_incl: a rank appears twice|Range_incl: rank 0 appears twice",
                () -> all.Range_incl(new int[][] {{0, size - 1, 1}, {0, 0, 1}}));
        Check.fails(ARG, "Incl: the array of ranks is null", () -> all.Incl(null));
        Check.fails(GROUP, "Union: the group is a null reference", () -> Group.Union(all, null));
        Check.fails(GROUP, "Size: the group is MPI.GROUP_NULL", () -> MPI.GROUP_NULL.Size());
    }

    /** The last number of a range bounds it and need not be a rank of it, nor of the group. */
    private static void ranges(Group all, int size) {
        members(all, all.Range_incl(new int[][] {{size - 1, size, 2}}), size - 1);
        members(all, all.Range_incl(new int[][] {{0, 2 * size, 2 * size + 1}}), 0);
        members(all, all.Range_incl(new int[][] {{(size + 1) % 2, size, 2}, {size % 2, size - 1, 2}}),
                concatenated(ranks((size + 1) % 2, size, 2), ranks(size % 2, size, 2)));
        members(all, all.Range_excl(new int[][] {{size - 1, size + 5, 7}}), ranks(0, size - 1, 1));
        members(all, all.Range_incl(new int[][] {{size - 1, -5, -size - 5}}), size - 1);
        members(all, all.Range_excl(new int[][] {{0, Integer.MIN_VALUE + 1, Integer.MIN_VALUE}}), ranks(1, size, 1));
        members(all, all.Range_incl(new int[][] {{size, 0, 1}, {0, size, -1}}));
        Check.fails(RANK, "Range_incl: rank " + size + " is not in the group, which has " + size + " members",
                () -> all.Range_incl(new int[][] {{0, size, 1}}));
        Check.fails(RANK, "Range_incl: rank -1 ", () -> all.Range_incl(new int[][] {{size - 1, -2, -size}}));
    }

    private static int[] concatenated(int[] first, int[] second) {
        int[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static int[] reversed(int size) {
        int[] ranks = new int[size];
        for (int i = 0; i < size; i++) {
            ranks[i] = size - 1 - i;
        }
        return ranks;
    }

    static void creation(Intracomm comm) {
        int me = comm.Rank();
        int size = comm.Size();
        Group all = comm.Group();
        Intracomm backwards = comm.Create(all.Incl(reversed(size)));
        Check.equal(size - 1 - me, backwards.Rank(), "rank in the reverse communicator");
        Check.equal(size == 1 ? MPI.CONGRUENT : MPI.SIMILAR, Comm.Compare(comm, backwards), "reverse");
        int[] in = new int[1];
        Request send = backwards.Isend(new int[] {me}, 0, 1, MPI.INT, size - 1 - (me + 1) % size, 3);
        backwards.Recv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, 3);
        send.Wait();
        Check.equal((me + size - 1) % size, in[0], "from whom");
        backwards.Free();
        Intracomm even = comm.Creat(all.Incl(ranks(0, size, 2)));
        Check.that((even == null) == (me % 2 == 1), "members only");
        if (even != null) {
            Check.equal(me / 2, even.Rank(), "rank among the even");
            even.Barrier();
            Intracomm copy = even.clone();
            Check.equal(MPI.CONGRUENT, Comm.Compare(even, copy), "clone");
            Check.that(copy.Get_name().equals(even.Get_name() + " clone"), "the name of a clone");

            copy.Free();
            even.Free();
        }
        Check.that(comm.Create(MPI.GROUP_EMPTY) == null, "nobody");
        Check.fails(GROUP, "Create: the group is a null reference", () -> comm.Create(null));
        if (MPI.COMM_WORLD.Size() > 1) {
            Check.fails(GROUP, "Create: the group has a rank that is not in the communicator",
                    () -> MPI.COMM_SELF.Create(MPI.COMM_WORLD.Group()));
        }
    }

    /** Even ranks on one side, odd ones on the other. */
    static void intercommunicators(Intracomm comm) {
        int me = comm.Rank();
        int size = comm.Size();
        Check.fails(COMM, "Create_intercomm: the local communicator is a null reference",
                () -> comm.Create_intercomm(null, 0, 0, 1));
        Check.fails(RANK, "Create_intercomm: the local leader is " + size + ", ",
                () -> comm.Create_intercomm(comm, size, 0, 1));
        if (size < 2) {
            return;
        }
        int side = me % 2;
        Intracomm half = comm.Split(side, me);
        Intercomm inter = comm.Create_intercomm(half, 0, 1 - side, 7);
        Check.that(inter.Test_inter() && !half.Test_inter(), "an intercommunicator");
        Check.equal(half.Rank(), inter.Rank(), "rank on this side");
        Check.equal(half.Size(), inter.Size(), "size of this side");
        Check.equal(size - half.Size(), inter.Remote_size(), "size of the other side");
        Check.equal(MPI.IDENT, Group.Compare(half.Group(), inter.Group()), "group of this side");
        members(comm.Group(), inter.Remote_group(), ranks(1 - side, size, 2));
        int[] in = new int[1];
        int partner = half.Rank();
        if (partner < inter.Remote_size()) {
            Object[] text = {"from " + me};
            Status status = inter.Sendrecv(new int[] {me}, 0, 1, MPI.INT, partner, 1, in, 0, 1, MPI.INT, partner, 1);
            Check.equal(me ^ 1, in[0], "from the other side");
            Check.equal(partner, status.source, "its rank there");
            inter.Sendrecv_replace(text, 0, 1, MPI.OBJECT, partner, 2, partner, 2);
            Check.that(text[0].equals("from " + (me ^ 1)), "objects from the other side");
        }
        Check.fails(RANK, "Send: dest is " + inter.Remote_size() + ", ",
                () -> inter.Send(in, 0, 1, MPI.INT, inter.Remote_size(), 1));
        Intercomm copy = inter.clone();
        Check.equal(MPI.CONGRUENT, Comm.Compare(inter, copy), "clone of an intercommunicator");
        Check.that(copy.Get_name().equals(inter.Get_name() + " clone"), "the name of such a clone");
        copy.Free();
        Intracomm merged = inter.Merge(side == 1);
        Check.equal(size, merged.Size(), "merged");
        Check.equal(side == 0 ? half.Rank() : (size + 1) / 2 + half.Rank(), merged.Rank(), "the low side comes first");
        merged.Barrier();
        merged.Free();
        inter.Free();
        half.Free();
    }

    static void attributes(Intracomm comm) {
        Check.equal(Integer.MAX_VALUE, comm.Attr_get(MPI.TAG_UB), "highest tag");
        Check.equal(MPI.PROC_NULL, comm.Attr_get(MPI.HOST), "host");
        Check.equal(MPI.ANY_SOURCE, comm.Attr_get(MPI.IO), "io");
        Integer slots = (Integer) comm.Get_attr(MPI.UNIVERSE_SIZE);
        Check.that(slots == null || slots >= MPI.COMM_WORLD.Size(), "the slots, where the launcher tells");
        Check.that(comm.Get_attr(MPI.WTIME_IS_GLOBAL) != null, "clock");
        Check.that(comm.Get_attr(MPI.TAG_UB).equals(Integer.MAX_VALUE), "highest tag as an object");
        comm.Attr_put(17, 4);
        Check.equal(4, comm.Attr_get(17), "a number");
        comm.Attr_delete(17);
        Check.that(comm.Attr_get(17) == null, "deleted");
        Keyval one = MPI.Comm_create_keyval();
        Keyval other = MPI.Comm_create_keyval();
        comm.Set_attr(one, "text");
        Check.that("text".equals(comm.Get_attr(one)) && comm.Get_attr(other) == null, "an object");
        Check.that(!one.toString().equals(other.toString()), "names of keys");
        Intracomm copy = comm.clone();
        Check.that(copy.Get_attr(one) == null, "a clone begins without");
        copy.Free();
        comm.Delete_attr(one);
        Check.that(comm.Get_attr(one) == null, "deleted");
        MPI.Comm_free_keyval(one);
        Check.fails(ARG, "Set_attr: the key Keyval .* has been freed", () -> comm.Set_attr(one, 1));
        Check.fails(ARG, "Get_attr: the key is a null reference", () -> comm.Get_attr((Keyval) null));
        Check.fails(ARG, "Attr_put: the key .* is predefined and cannot be changed",
                () -> comm.Attr_put(MPI.TAG_UB, 1));
        Check.fails(ARG, "Comm_free_keyval: the key MPI.UNIVERSE_SIZE is predefined",
                () -> MPI.Comm_free_keyval(MPI.UNIVERSE_SIZE));
    }
}
