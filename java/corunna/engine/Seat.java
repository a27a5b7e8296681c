// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/**
 * A rank's place in a job whose ranks are threads of one JVM. The class loader of such a rank implements it, so that
 * the rank's own classes find it from whatever thread they are called.
 */
public interface Seat {
    /** The team's handle. */
    long team();

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
