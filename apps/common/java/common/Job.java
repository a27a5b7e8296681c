// SPDX-License-Identifier: Apache-2.0
package common;

import java.util.Arrays;
import java.util.Locale;
import mpi.Intracomm;
import mpi.MPI;

/**
 * One benchmark of a suite on this rank, from its arguments to its report. The class is the first argument, the
 * smallest if there is none.
 *
 * <p>What does not fit, a class or a number of ranks, gets a sentence of rank 0 before any work; the job then ends with
 * status 1, as it does when the result is not verified.
 */
public final class Job {
    /** Where benchmarks come from, and the letters of their classes. */
    public enum Suite {
        NPB("npb", "NAS Parallel Benchmarks", "SWABC"),
        GRANDE("grande", "Java Grande", "ABC"),
        NBODY("nbody", "Galaxies", "SWABC");

        final String name;
        final String title;
        final String classes;

        Suite(String name, String title, String classes) {
            this.name = name;
            this.title = title;
            this.classes = classes;
        }
    }

    public final String name;
    public final Intracomm comm = MPI.COMM_WORLD;
    public final int rank = comm.Rank();
    public final int size = comm.Size();
    /** The class as a letter, and its place in tables; -1 if there is no such class. */
    public final char letter;
    public final int index;
    /** Arguments after the class. */
    public final String[] words;

    private final Suite suite;
    private boolean isFine;
    private boolean isVerified;
    private double started;

    private Job(Suite suite, String name, String[] args) {
        String classes = suite.classes;
        String wanted = args.length > 0 ? args[0] : classes.substring(0, 1);
        this.suite = suite;
        this.name = name;
        index = wanted.length() == 1 ? classes.indexOf(wanted.toUpperCase(Locale.ROOT)) : -1;
        letter = index < 0 ? '?' : classes.charAt(index);
        words = args.length > 1 ? Arrays.copyOfRange(args, 1, args.length) : new String[0];
        isFine = true;
        int last = classes.length() - 1;
        accepts(index >= 0, "class is '" + wanted + "'; classes are "
                + String.join(", ", classes.substring(0, last).split("")) + " and " + classes.charAt(last));
    }

    /** Initializes the library; {@code args} are those of main. */
    public static Job start(Suite suite, String name, String[] args) {
        return new Job(suite, name, MPI.Init(args));
    }

    /** False once a condition did not hold; the sentence of the first one that did not is told. */
    public boolean accepts(boolean holds, String sentence) {
        if (isFine && !holds && rank == 0) {
            System.err.println(suite.name + " " + name + ": " + sentence);
        }
        isFine = isFine && holds;
        return isFine;
    }

    public boolean acceptsPowerOfTwo(int most) {
        return accepts(Integer.bitCount(size) == 1 && size <= most,
                "the number of ranks is " + size + "; with class " + letter + " it is a power of two up to " + most);
    }

    public boolean acceptsSquare(int most) {
        int side = (int) Math.round(Math.sqrt(size));
        return accepts(side * side == size && side <= most, "the number of ranks is " + size + "; with class " + letter
                + " it is a square, 1, 4, 9, up to " + most * most);
    }

    /** Runs the benchmark, and ends the job. */
    public void run(Runnable benchmark) {
        if (isFine) {
            try {
                benchmark.run();
            } catch (OutOfMemoryError full) {
                System.err.println(suite.name + " " + name + ": rank " + rank + ": class " + letter + " on " + size
                        + " ranks needs more than the heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                        + " MB; more ranks or java -Xmx give it more");
                comm.Abort(1);
            }
        }
        MPI.Finalize();
        if (rank == 0 && !(isFine && isVerified)) {
            System.exit(1);
        }
    }

    // ---- output -----------------------------------------------------------------------------------------------------

    public void title(String size, int iterations) {
        say("%n%n %s (Java) -- %s Benchmark%n", suite.title, name);
        say(" Size: %s  (class %c)", size.trim(), letter);
        say(" Iterations: %d", iterations);
        say(" Number of processes: %d%n", this.size);
    }

    /** Prints a line on rank 0. */
    public void say(String format, Object... values) {
        if (rank == 0) {
            System.out.println(String.format(Locale.ROOT, format, values));
        }
    }

    // ---- time -------------------------------------------------------------------------------------------------------

    /** Not Wtime, which counts whole seconds in MPJ Express. */
    private static double now() {
        return System.nanoTime() * 1e-9;
    }

    public void startTimer() {
        comm.Barrier();
        started = now();
    }

    /** Seconds since startTimer on the slowest rank; valid on rank 0. */
    public double stopTimer() {
        double[] own = {now() - started};
        double[] most = new double[1];
        comm.Reduce(own, 0, most, 0, 1, MPI.DOUBLE, MPI.MAX, 0);
        return most[0];
    }

    // ---- report -----------------------------------------------------------------------------------------------------

    /** The summary in the form of the NAS Parallel Benchmarks. {@code isRight} counts on rank 0. */
    public void report(String size, int iterations, double seconds, double operations, String type, boolean isRight) {
        double mops = seconds > 0 ? operations / seconds / 1e6 : 0;
        isVerified = isRight;
        say("%n%n %s Benchmark Completed.", name);
        say(" Class           =             %12c", letter);
        say(" Size            =             %12s", size);
        say(" Iterations      =             %12d", iterations);
        say(" Time in seconds =             %12.2f", seconds);
        say(" Total processes =             %12d", this.size);
        say(" Mop/s total     =             %12.2f", mops);
        say(" Mop/s/process   =             %12.2f", mops / this.size);
        say(" Operation type  = %24s", type);
        say(" Verification    =             %12s", isRight ? "SUCCESSFUL" : "UNSUCCESSFUL");
        System.out.flush();
    }

    /** Is a value the reference, to so large a relative error? Never if it is no number. Tells on rank 0. */
    public boolean matches(String what, double value, double reference, double tolerance) {
        double error = Math.abs((value - reference) / reference);
        boolean isRight = error <= tolerance;
        say(" %s %-12s %21.13e   reference %21.13e   error %9.2e", isRight ? " " : "FAILURE:", what, value, reference,
                error);
        return isRight;
    }
}
