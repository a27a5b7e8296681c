// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What calls throw that the engine has nothing for yet. */
final class NotYet {
    private NotYet() {
    }

    static MPIException call(String name) {
        return new MPIException(ErrorClass.UNSUPPORTED_OPERATION, name + ": not supported yet");
    }
}
