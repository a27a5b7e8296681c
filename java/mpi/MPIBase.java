// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What {@link CommBase} is for {@link Comm}, this is for {@link MPI}. */
abstract class MPIBase extends MPICalls {
    MPIBase() {
    }

    /** The communicator of this rank alone is now this one. */
    static void announce(Comm self) {
    }
}
