// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What holds something of the engine's that can be given back. */
public interface Freeable {
    /**
     * Gives it back.
     *
     * @throws MPIException if the call fails
     */
    void free() throws MPIException;
}
