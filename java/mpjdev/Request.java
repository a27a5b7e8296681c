// SPDX-License-Identifier: Apache-2.0
package mpjdev;

/** The type of {@link mpi.Request#req}, which programs for MPJ Express may name. There are no objects of it. */
public abstract class Request {
    /** For subclasses. */
    public Request() {
    }

    /**
     * Waits until the operation is complete.
     *
     * @return what is known of the message
     */
    public abstract Status iwait();

    /**
     * Looks whether the operation is complete.
     *
     * @return what is known of the message, or null
     */
    public abstract Status itest();

    /** Forgets the request. */
    public abstract void free();

    /**
     * Is it a request of nothing?
     *
     * @return true if so
     */
    public abstract boolean isnull();

    /**
     * Asks for the operation to be cancelled.
     *
     * @return true if that was possible
     */
    public abstract boolean cancel();
}
