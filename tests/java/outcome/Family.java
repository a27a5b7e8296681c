// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.util.Arrays;
import mpi.Group;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Starts processes of its own class and works with them: arrays, objects, both dialects, groups of two jobs; then one
 * of a C program, {@code test.leaf}. Without an argument as the parent.
 */
public final class Family {
    private static final int CHILDREN = 2;

    private Family() {
    }

    public static void main(String[] all) {
        String[] args = MPI.Init(all);
        if (args.length > 0) {
            child(args);
        } else {
            parent();
        }
        MPI.Finalize();
    }

    private static void parent() {
        Intracomm world = MPI.COMM_WORLD;
        Info info = new Info();
        info.set("wdir", "/");
        String path = System.getProperty("test.path", System.getProperty("java.class.path"));
        String[] argv = {"-cp", path, "outcome.Family", "two words"};
        int[] codes = new int[CHILDREN];
        check(Intercomm.getParent().isNull(), "a job that was not started by another has no parent");
        Intercomm children = world.spawn("java", world.Rank() == 0 ? argv : null, CHILDREN, info, 0, codes);
        check(children.getRemoteSize() == CHILDREN && Arrays.equals(codes, new int[CHILDREN]), "the children");
        talk(children, false);
        children.disconnect();
        fails(MPI.ERR_SPAWN, () -> world.spawn("/nonexistent", null, 1, MPI.INFO_NULL, 0, null));
        String leaf = System.getProperty("test.leaf");
        if (leaf != null) {
            int[] seven = new int[1];
            String[] words = {"child-leaf", "two words"};
            Intercomm inC = MPI.COMM_SELF.spawn(leaf, words, 1, MPI.INFO_NULL, 0, null);
            inC.recv(seven, 1, MPI.INT, 0, 4);
            check(seven[0] == 7, "a message of a C program");
            inC.disconnect();
        }
        meet();
        if (world.Rank() == 0) {
            System.out.println("the family has met");
        }
    }

    private static void child(String[] args) {
        check(args[0].equals("two words") && System.getProperty("user.dir").equals("/"), "arguments");
        Intercomm parent = Intercomm.getParent();
        check(parent == Intercomm.getParent(), "one object");
        talk(parent, true);
        parent.disconnect();
        check(Intercomm.getParent().isNull(), "no parent any more");
    }

    private static void talk(Intercomm inter, boolean isChild) {
        int me = inter.getRank();
        if (me == 0) {
            double[] long1 = new double[100000];
            Arrays.fill(long1, isChild ? 2 : 1);
            double[] long2 = new double[100000];
            inter.Sendrecv(long1, 0, long1.length, MPI.DOUBLE, 0, 1, long2, 0, long2.length, MPI.DOUBLE, 0, 1);
            check(long2[0] == (isChild ? 1 : 2) && long2[99999] == long2[0], "a long array");
            Object[] words = {isChild ? "child" : "parent"};
            Object[] heard = new Object[1];
            inter.Sendrecv(words, 0, 1, MPI.OBJECT, 0, 2, heard, 0, 1, MPI.OBJECT, 0, 2);
            check(heard[0].equals(isChild ? "parent" : "child"), "an object");
        }
        Intracomm all = inter.merge(isChild);
        int size = all.getSize();
        int[] sum = new int[1];
        all.allReduce(new int[] {all.getRank()}, sum, 1, MPI.INT, MPI.SUM);
        check(sum[0] == size * (size - 1) / 2, "a sum of all");
        Group everybody = all.getGroup();
        Group own = MPI.COMM_WORLD.getGroup();
        int[] there = Group.translateRanks(own, new int[] {0}, everybody);
        check(there[0] == (isChild ? size - CHILDREN : 0), "where this job begins in both: " + there[0]);
        check(Group.intersection(everybody, own).getSize() == own.getSize(), "the members of this job");
        Group others = Group.difference(everybody, own);
        check(others.getSize() == inter.getRemoteSize(), "the members of the other");
        Intracomm again = all.create(own);
        check(again.getSize() == own.getSize() && again.getRank() == MPI.COMM_WORLD.getRank(), "one job of the two");
        again.disconnect();
        all.disconnect();
    }

    /** Two ranks of one job meet as if they were of two. */
    private static void meet() {
        Intracomm world = MPI.COMM_WORLD;
        if (world.getSize() < 2) {
            return;
        }
        String[] port = {null};
        if (world.getRank() == 0) {
            port[0] = Intracomm.openPort();
            Intracomm.publishName("family " + ProcessHandle.current().pid(), port[0]);
            String found = Intracomm.lookupName("family " + ProcessHandle.current().pid());
            check(found.equals(port[0]), "the published port");
        }
        Object[] told = {port[0]};
        world.Bcast(told, 0, 1, MPI.OBJECT, 0);
        if (world.getRank() < 2) {
            Intercomm other = world.getRank() == 0 ? MPI.COMM_SELF.accept(port[0], 0)
                    : MPI.COMM_SELF.connect((String) told[0], 0);
            int[] value = {world.getRank()};
            int[] got = new int[1];
            other.sendRecv(value, 1, MPI.INT, 0, 3, got, 1, MPI.INT, 0, 3);
            check(got[0] == 1 - world.getRank(), "the other rank");
            other.disconnect();
        }
        if (world.getRank() == 0) {
            Intracomm.unpublishName("family " + ProcessHandle.current().pid(), port[0]);
            Intracomm.closePort(port[0]);
            fails(MPI.ERR_PORT, () -> Intracomm.closePort(port[0]));
            fails(MPI.ERR_NAME, () -> Intracomm.lookupName("no such name"));
        }
        world.barrier();
    }

    private static void fails(int errorClass, Runnable call) {
        try {
            call.run();
        } catch (MPIException e) {
            check(e.getErrorClass() == errorClass, e.getMessage());
            return;
        }
        throw new AssertionError("it did not fail");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
