// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/** Tells an open rank, in a process of its own, when the JVM begins to end: a JVM takes a while from there on. */
public final class Ending extends Thread {
    /** Guarded by this; 0 once the rank is closed. */
    private long rank;

    private Ending(long rank) {
        super("corunna ending");
        this.rank = rank;
    }

    /**
     * Watches on behalf of an open rank.
     *
     * @return what {@link #uninstall} takes
     */
    public static Ending install(long rank) {
        Ending ending = new Ending(rank);
        try {
            Runtime.getRuntime().addShutdownHook(ending);
        } catch (IllegalStateException e) {
            ending.run(); // it has begun already
        }
        return ending;
    }

    /** The rank is about to close: stop watching. */
    public void uninstall() {
        synchronized (this) {
            rank = 0;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(this);
        } catch (IllegalStateException e) {
            // it has begun, and finds no rank any more
        }
    }

    @Override
    public synchronized void run() {
        if (rank != 0) {
            Native.ending(rank);
        }
    }
}
