// SPDX-License-Identifier: Apache-2.0
/**
 * Message passing in the dialect of mpiJava 1.2, as programs written for mpiJava, MPJ Express and FastMPJ use it.
 * Begin with {@link mpi.MPI#Init} and {@link mpi.MPI#COMM_WORLD}.
 */
package mpi;
