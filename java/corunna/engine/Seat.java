// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/**
 * A rank's place in a job whose ranks are threads of one JVM. The class loader of such a rank implements it, so that
 * the rank's own classes find it from whatever thread they are called.
 */
public interface Seat {
    /**
     * The rank begins to open its way into the engine, of which {@link #setOpen} or {@link #giveUp} tells the end.
     *
     * @return the team's handle
     * @throws IllegalStateException if the job is over
     */
    long enter();

    /** The way could not be opened. */
    void giveUp();

    /** The rank's number. */
    int number();

    /** The rank has opened or closed its way into the engine: {@code MPI.Init}, {@code MPI.Finalize}. */
    void setOpen(boolean isOpen);

    /** Ends the whole job with this status. Does not return. */
    void end(int status);

    /** The seat of classes loaded by {@code loader}; null where the rank is a process of its own. */
    static Seat of(ClassLoader loader) {
        return loader instanceof Seat ? (Seat) loader : null;
    }
}
