// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * Collectives with one buffer, as the Open MPI dialect has them: what a rank gives to itself is where it belongs
 * already. Which form a rank calls may depend on whether it is the root.
 */
final class InPlace {
    private InPlace() {
    }

    static void checkOneGroup(Comm comm, String call) {
        comm.handle(call);
        if (comm.isInter) {
            throw new MPIException(ErrorClass.COMM, call + ": between two groups there is no form with one buffer");
        }
    }

    /** The root of a call with one buffer on one group. True on the root. */
    static boolean isRoot(Comm comm, String call, int root) {
        comm.checkRoot(call, root);
        checkOneGroup(comm, call);
        return comm.isRoot(root);
    }

    /** What a rank gives or gets in a call with one buffer: the root's block is where it belongs. */
    static Side own(Comm comm, String call, Object buf, int count, Datatype type, int root) {
        return isRoot(comm, call, root) ? Places.block(buf, count, type, root) : Places.side(buf, count, type);
    }

    /** Is this the form for the rank that calls it? */
    static void checkForm(Comm comm, String call, int root, boolean isForRoot) {
        comm.checkRoot(call, root);
        if (isForRoot) {
            checkOneGroup(comm, call);
        }
        if (comm.isRoot(root) != isForRoot) {
            throw new MPIException(ErrorClass.ARG, call + ": rank " + comm.rank + " is " + (isForRoot ? "not " : "")
                    + "the root " + root + "; the form with " + (isForRoot ? "counts and displacements" : "one count")
                    + " is for " + (isForRoot ? "the root" : "the others"));
        }
    }
}
