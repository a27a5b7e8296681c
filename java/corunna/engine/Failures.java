// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/**
 * Makes the exceptions of one rank. Native code cannot know their class, because every rank's class loader may have
 * defined its own {@code mpi.MPIException}.
 */
public interface Failures {
    /**
     * Makes, but does not throw, the exception for a failure.
     *
     * @param code the engine's error code
     * @param sentence what happened
     */
    RuntimeException make(int code, String sentence);
}
