// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * The predefined keys that FastMPJ declares as {@link Keyval} and Open MPI as numbers. This class is in mpi.jar, where
 * compilers see the numbers, which are fields of {@link MPIConstants}; {@code keyvals/mpi} has the one in the other
 * jars.
 */
abstract class MPIKeys extends MPIBase {
    MPIKeys() {
    }
}
