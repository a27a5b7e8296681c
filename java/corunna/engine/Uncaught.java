// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/**
 * What becomes of an uncaught exception in a rank that is a process of its own: it is printed as Java prints
 * it, and if it ended the thread that called {@code MPI.Init} while the rank was open, the whole job ends with it.
 * Otherwise the other ranks would wait for a rank that will never speak again.
 */
public final class Uncaught implements Thread.UncaughtExceptionHandler {
    private final long rank;
    private final Thread thread;

    private Uncaught(long rank, Thread thread) {
        this.rank = rank;
        this.thread = thread;
    }

    /**
     * Watches the calling thread on behalf of an open rank, unless the program has a handler of its own.
     *
     * @return what {@link #uninstall} takes
     */
    public static Uncaught install(long rank) {
        Uncaught handler = new Uncaught(rank, Thread.currentThread());
        if (Thread.getDefaultUncaughtExceptionHandler() == null) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        return handler;
    }

    /** The rank is about to close: stop watching. */
    public void uninstall() {
        if (Thread.getDefaultUncaughtExceptionHandler() == this) {
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
    }

    @Override
    public void uncaughtException(Thread failed, Throwable failure) {
        print(failed, failure);
        if (failed == thread) {
            Native.abort(rank, 1, describe(failed, failure));
        }
    }

    /** Prints as the JVM does, and if the program is for another library, says so. */
    public static void print(Thread failed, Throwable failure) {
        synchronized (System.err) {
            System.err.print("Exception in thread \"" + failed.getName() + "\" ");
            failure.printStackTrace();
            explain(failure);
        }
    }

    /**
     * Says that the program is for another library, if that is what failed.
     *
     * @param failure what the program let out
     */
    public static void explain(Throwable failure) {
        String hint = Dialect.hint(failure);
        if (hint != null) {
            System.err.println(hint);
        }
    }

    /** The failure in a few words, on one line. */
    public static String describe(Thread failed, Throwable failure) {
        return "uncaught " + failure.toString().split("\\R", 2)[0] + " in thread \"" + failed.getName() + "\"";
    }
}
