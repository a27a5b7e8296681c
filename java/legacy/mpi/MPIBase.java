// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * Members that class files compiled against other libraries look for, and that {@link MPI} has with other types. The
 * virtual machine finds a member by its name and its types, in the superclass if not in the class itself.
 */
abstract class MPIBase extends MPICalls {
    /** {@link MPI#COMM_SELF} as mpiJava, MPJ Express and FastMPJ declare it. */
    public static Comm COMM_SELF;
    /** {@link MPI#TAG_UB} as FastMPJ declares it. */
    public static final Keyval TAG_UB = Keyval.predefined("MPI.TAG_UB", MPI.TAG_UB);
    /** {@link MPI#HOST} as FastMPJ declares it. */
    public static final Keyval HOST = Keyval.predefined("MPI.HOST", MPI.HOST);
    /** {@link MPI#IO} as FastMPJ declares it. */
    public static final Keyval IO = Keyval.predefined("MPI.IO", MPI.IO);

    MPIBase() {
    }

    /** {@link MPI#Buffer_detach} as MPJ Express and FastMPJ declare it. */
    public static void Buffer_detach() throws MPIException {
        MPI.detach();
    }

    static void announce(Comm self) {
        COMM_SELF = self;
    }
}
