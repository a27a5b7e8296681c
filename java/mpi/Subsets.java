// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * Communicators of some of the ranks, for {@link Intracomm}. A rank that is in none gets null by the names of mpiJava,
 * and by those of Open MPI a null communicator.
 */
final class Subsets {
    private Subsets() {
    }

    /** The null communicator in place of none. */
    static Intracomm orNull(Intracomm made) {
        return made == null ? new Intracomm("MPI.COMM_NULL") : made;
    }

    static Intracomm split(Comm comm, String call, int colour, int key) {
        long handle = comm.handle(call);
        if (colour < 0 && colour != MPI.UNDEFINED) {
            throw new MPIException(ErrorClass.ARG, call + ": colour is " + colour
                    + "; it cannot be negative, except MPI.UNDEFINED");
        }
        return made(comm, "split " + colour, Native.commSplit(handle, colour, key));
    }

    static Intracomm splitType(Comm comm, String call, int splitType, int key) {
        if (splitType != Comm.TYPE_SHARED && splitType != MPI.UNDEFINED) {
            throw new MPIException(ErrorClass.ARG, call + ": the type is " + splitType
                    + "; it is Comm.TYPE_SHARED or MPI.UNDEFINED");
        }
        int colour = splitType == MPI.UNDEFINED ? MPI.UNDEFINED : 0;
        return made(comm, "host", Native.commSplitHost(comm.handle(call), colour, key));
    }

    static Intracomm create(Comm comm, String call, Group group) {
        long handle = comm.handle(call);
        checkMembers(comm, call, group);
        return made(comm, "part", Native.commCreate(handle, group.members()));
    }

    static Intracomm createGroup(Comm comm, String call, Group group, int tag) {
        long handle = comm.handle(call);
        checkMembers(comm, call, group);
        if (tag < 0) {
            throw new MPIException(ErrorClass.TAG, call + ": tag is " + tag + "; it cannot be negative");
        }
        return made(comm, "group", Native.commCreateGroup(handle, group.members(), tag));
    }

    private static Intracomm made(Comm comm, String kind, long handle) {
        return handle == 0 ? null : comm.adopt(new Intracomm(comm.name + " " + kind), handle);
    }

    private static void checkMembers(Comm comm, String call, Group group) {
        checkMembers(comm.group, "communicator", call, group);
    }

    /** A group whose ranks are all in the whole one, which is that of {@code what}. */
    static void checkMembers(Group whole, String what, String call, Group group) {
        Group.require(call, group);
        int[] ranks = new int[group.Size()];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = i;
        }
        for (int rank : Group.Translate_ranks(group, ranks, whole)) {
            if (rank == MPI.UNDEFINED) {
                throw new MPIException(ErrorClass.GROUP, call + ": the group has a rank that is not in the " + what);
            }
        }
    }
}
