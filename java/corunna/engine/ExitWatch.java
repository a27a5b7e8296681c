// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/** Is told when the JVM ends; see {@link Native#watchExit}. */
public interface ExitWatch {
    /**
     * The calling thread ends the JVM, by {@code System.exit} or {@code Runtime.halt}: shutdown hooks are through, or
     * never run, and no other call follows. Throws nothing.
     *
     * @return whether the job has failed; a status of 0 then becomes 1
     */
    boolean isFailure();
}
