// SPDX-License-Identifier: Apache-2.0
import java.util.LinkedHashMap;
import java.util.Map;
import mpi.MPI;

/**
 * One benchmark program for every Java library with the mpiJava API; what bench/c does, with the same arguments, tests
 * and output:
 *
 * <pre>MpjBench TEST:TYPE:MODE:SIZES ...     e.g. pingpong:byte::8,1024  allreduce:double:row:8,65536</pre>
 */
public final class MpjBench {
    /** A test: which modes it has, how many ranks take part (0: all), whether it has sizes. */
    private static final class Test {
        final String modes;
        final int ranks;
        final boolean isSized;
        final Runner runner;

        Test(String modes, int ranks, boolean isSized, Runner runner) {
            this.modes = modes;
            this.ranks = ranks;
            this.isSized = isSized;
            this.runner = runner;
        }
    }

    /** Measures one case and prints it. */
    interface Runner {
        void run(Case one);
    }

    private static final Map<String, Test> TESTS = new LinkedHashMap<>();

    static {
        TESTS.put("pingpong", new Test("", 2, true, Pair::pingpong));
        TESTS.put("openpingpong", new Test("", 2, true, one -> byName("OpenPair").run(one)));
        TESTS.put("pingping", new Test("", 2, true, Pair::pingping));
        TESTS.put("stream", new Test("", 2, true, Pair::stream));
        TESTS.put("bistream", new Test("", 2, true, Pair::bistream));
        TESTS.put("rate", new Test("", 2, true, Pair::rate));
        TESTS.put("overlap", new Test("", 2, true, Pair::overlap));
        TESTS.put("ring", new Test("", 0, true, Group::ring));
        TESTS.put("exchange", new Test("", 0, true, Group::exchange));
        TESTS.put("pairs", new Test("", 0, true, Group::pairs));
        TESTS.put("threads", new Test("1 2 4 8", 2, true, Threads::run));
        TESTS.put("memory", new Test("start all", 0, true, Memory::run));
        for (String name : Collective.NAMES) {
            TESTS.put(name, new Test("apart row", 0, !name.equals("barrier"), Collective::run));
        }
    }

    private MpjBench() {
    }

    /** A test that not every library can compile. */
    private static Runner byName(String name) {
        try {
            return (Runner) Class.forName(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this library has not been compiled with " + name, e);
        }
    }

    private static void run(Bench bench, String word) {
        String[] parts = word.split(":", -1);
        Test test = parts.length == 4 ? TESTS.get(parts[0]) : null;
        if (test == null) {
            throw new IllegalArgumentException("'" + word + "' is not TEST:TYPE:MODE:SIZES of a test there is");
        }
        if (!java.util.Arrays.asList(test.modes.split(" ")).contains(parts[2])) {
            throw new IllegalArgumentException("test " + parts[0] + " has no mode '" + parts[2] + "'");
        }
        int ranks = test.ranks > 0 ? test.ranks : MPI.COMM_WORLD.Size();
        String type = parts[1].isEmpty() ? "byte" : parts[1];
        boolean isFirst = true;
        for (String size : (test.isSized ? parts[3] : "0").split(",")) {
            Case one = new Case(bench, parts[0], type, parts[2], Integer.parseInt(size), ranks, isFirst);
            if (bench.rank() < ranks) {
                test.runner.run(one);
            }
            isFirst = false;
        }
    }

    /** Starts the library, runs the tests, and ends the job with the first failure. */
    public static void main(String[] arguments) throws Exception {
        String[] words = MPI.Init(arguments);
        Bench bench = new Bench();
        try {
            for (String word : words) {
                run(bench, word);
            }
        } catch (RuntimeException failure) {
            System.err.println("bench: rank " + bench.rank() + ": " + failure);
            MPI.COMM_WORLD.Abort(3);
        }
        MPI.Finalize();
    }
}
