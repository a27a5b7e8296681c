// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The predefined keys that FastMPJ declares with this type. They hide the numbers of Open MPI from compilers. */
abstract class MPIKeys extends MPIBase {
    /** {@link Comm#Get_attr(Keyval)}: how many ranks the job has. */
    public static final Keyval UNIVERSE_SIZE = Keyval.predefined("MPI.UNIVERSE_SIZE", Keyval.UNIVERSE_SIZE_NUMBER);
    /** {@link Comm#Get_attr(Keyval)}: whether all ranks have the same {@link MPI#Wtime}; 0, for they need not. */
    public static final Keyval WTIME_IS_GLOBAL =
            Keyval.predefined("MPI.WTIME_IS_GLOBAL", Keyval.WTIME_IS_GLOBAL_NUMBER);

    MPIKeys() {
    }
}
