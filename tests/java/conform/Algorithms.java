// SPDX-License-Identifier: Apache-2.0
package conform;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Every algorithm of every collective call that Java has, forced by its setting: one that can run must be right, one
 * that cannot must be refused with what it lacks, after which the job goes on.
 *
 * <p>The algorithms are what {@code corunna info --coll all} prints, in the file that {@code test.algorithms} names:
 * a new one is tested without a line here. MPI begins anew for every round, and in a round each call is forced to
 * take another one. Over tcpdev the ranks share no memory; with {@code test.threads=false} they are processes.
 */
public final class Algorithms {
    /** What an algorithm may need, as it is printed. */
    private enum Need {
        COMMUTATIVE("a commutative operator"),
        POWER_OF_TWO("a number of ranks that is a power of two"),
        ONE_NODE("all ranks on one node"),
        NODES("several nodes, and several ranks on one of them"),
        BLOCKING("a blocking call"),
        INTER("an intercommunicator"),
        ELEMENTS("at least one element a rank"),
        ROOM("elements that fit into the shared memory of a rank (coll.board)"),
        THREADS("ranks that are threads of one process"),
        FEW_RANKS("at most 64 ranks");

        final String words;

        Need(String words) {
            this.words = words;
        }
    }

    /** A call that moves data, between these forms. */
    private interface Move {
        void run(Intracomm comm, Form out, Form in, int count, int root);
    }

    private static final Map<String, Move> MOVES = new LinkedHashMap<>();
    private static final Set<String> COMBINING =
            new LinkedHashSet<>(Arrays.asList("reduce", "allreduce", "reduce_scatter", "scan"));
    /** Java has no such calls. */
    private static final Set<String> ABSENT = new LinkedHashSet<>(Arrays.asList("alltoallw", "reduce_scatter_block",
            "exscan", "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
            "neighbor_alltoallw"));

    static {
        MOVES.put("barrier", (comm, out, in, count, root) -> comm.Barrier());
        MOVES.put("bcast", (comm, out, in, count, root) ->
                Collectives.bcast(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), root));
        MOVES.put("gather", (comm, out, in, count, root) ->
                Collectives.gather(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), root, false));
        MOVES.put("gatherv", (comm, out, in, count, root) ->
                Collectives.gather(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), root, true));
        MOVES.put("scatter", (comm, out, in, count, root) ->
                Collectives.scatter(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), root, false));
        MOVES.put("scatterv", (comm, out, in, count, root) ->
                Collectives.scatter(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), root, true));
        MOVES.put("allgather", (comm, out, in, count, root) ->
                Collectives.allgather(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), false));
        MOVES.put("allgatherv", (comm, out, in, count, root) ->
                Collectives.allgather(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size(), true));
        MOVES.put("alltoall", (comm, out, in, count, root) ->
                Collectives.alltoall(Calls.mpiJava(comm), out, in, count * in.size(), count * out.size()));
        MOVES.put("alltoallv", (comm, out, in, count, root) ->
                Collectives.alltoallv(Calls.mpiJava(comm), out, in, count));
    }

    private final boolean isShared = !"tcpdev".equals(System.getenv("CORUNNA_DEV"));
    private final boolean isThreads = !"false".equals(System.getProperty("test.threads"));
    private int rank;
    private int size;
    private int done;
    private int refused;

    private Algorithms() {
    }

    // ---- the list ----

    /** By call: algorithms, and what each needs. */
    private static Map<String, Map<String, Set<Need>>> read(String path) throws IOException {
        Map<String, Map<String, Set<Need>>> calls = new LinkedHashMap<>();
        Map<String, Set<Need>> rows = null;
        Set<Need> needs = null;
        boolean isInList = false;
        for (String line : Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8)) {
            String[] words = line.trim().split(" +");
            if (line.matches("[a-z_]+ on [0-9]+ ranks?,.*")) {
                rows = new LinkedHashMap<>();
                calls.put(words[0], rows);
            } else if (line.startsWith("algorithms: ")) {
                isInList = true;
            } else if (line.startsWith("  p ranks, n bytes")) {
                isInList = false;
            } else if (isInList && line.matches("  [a-z0-9_]+ .*")) {
                needs = new LinkedHashSet<>();
                rows.put(words[0], needs);
            } else if (isInList && line.startsWith("      needs ")) {
                readNeeds(line.substring("      needs ".length()), needs);
            }
        }
        return calls;
    }

    private static void readNeeds(String text, Set<Need> needs) {
        String rest = text;
        for (Need need : Need.values()) {
            if (rest.contains(need.words)) {
                needs.add(need);
                rest = rest.replace(need.words, "");
            }
        }
        Check.that(rest.replace(",", "").trim().isEmpty(), "the needs \"" + text + "\" are known here");
    }

    // ---- rounds ----

    public static void main(String[] args) throws IOException {
        Map<String, Map<String, Set<Need>>> calls = read(System.getProperty("test.algorithms"));
        calls.keySet().removeAll(ABSENT);
        Set<String> expected = new LinkedHashSet<>(MOVES.keySet());
        expected.addAll(COMBINING);
        Check.that(calls.keySet().equals(expected), "the calls are " + expected + ", not " + calls.keySet());
        Algorithms test = new Algorithms();
        int most = calls.values().stream().mapToInt(Map::size).max().getAsInt();
        for (int i = 0; i < most; i++) {
            int round = i;
            Map<String, String> forced = new LinkedHashMap<>();
            calls.forEach((call, rows) -> rows.keySet().stream().skip(round).findFirst().ifPresent(name ->
                    forced.put(call, name)));
            test.round(calls, forced, 0, args);
        }
        // As if two ranks each were on one node: whole nodes, and one that is not full.
        for (String name : new String[] {"nodes", "board"}) {
            Map<String, String> forced = new LinkedHashMap<>();
            calls.forEach((call, rows) -> rows.keySet().stream()
                    .filter(row -> row.equals(name) || row.startsWith(name + "_")).findFirst()
                    .ifPresent(row -> forced.put(call, row)));
            Check.that(!forced.isEmpty(), "there are algorithms " + name);
            test.round(calls, forced, 2, args);
        }
        Check.that(test.done > 0 && test.refused > 0, "some can run and some cannot");
        if (test.rank == 0) {
            System.out.println("algorithms: " + test.done + " right, " + test.refused + " refused on " + test.size
                    + " ranks");
        }
    }

    /**
     * Settings are read in Init, which no rank leaves before all have come to it: so ranks that are threads, and share
     * the properties, read the same.
     */
    private void round(Map<String, Map<String, Set<Need>>> calls, Map<String, String> forced, int nodeRanks,
            String[] args) {
        set("node_ranks", nodeRanks == 0 ? null : Integer.toString(nodeRanks));
        calls.keySet().forEach(call -> set(call, forced.get(call)));
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        rank = world.Rank();
        size = world.Size();
        boolean hasNodes = nodeRanks > 0 && size > nodeRanks;
        forced.forEach((call, name) -> {
            try {
                row(world, call, name, calls.get(call).get(name), hasNodes);
            } catch (Throwable e) {
                throw new AssertionError("coll." + call + "=" + name + " on rank " + rank + " of " + size
                        + (hasNodes ? ", nodes of " + nodeRanks : ""), e);
            }
        });
        MPI.Finalize();
    }

    private static void set(String knob, String value) {
        if (value == null) {
            System.clearProperty("corunna.coll." + knob);
        } else {
            System.setProperty("corunna.coll." + knob, value);
        }
    }

    /** What the whole job lacks for it, or null. */
    private Need lacks(Set<Need> needs, boolean hasNodes) {
        for (Need need : needs) {
            if (need == Need.POWER_OF_TWO && Integer.bitCount(size) != 1
                    || need == Need.ONE_NODE && (!isShared || hasNodes) || need == Need.NODES && !hasNodes
                    || need == Need.THREADS && !isThreads || need == Need.FEW_RANKS && size > 64) {
                return need;
            }
        }
        return null;
    }

    // ---- one algorithm ----

    private void row(Intracomm comm, String call, String name, Set<Need> needs, boolean hasNodes) {
        if (needs.contains(Need.INTER)) {
            // It is no choice between ranks of one group, where the rules go on to choose.
            CollectiveArguments.betweenGroups(comm);
            perform(comm, call, needs, 7);
            done++;
            return;
        }
        Need lack = lacks(needs, hasNodes);
        if (lack != null) {
            refuse(call, name, lack, () -> perform(comm, call, needs, 7));
            return;
        }
        if (needs.contains(Need.COMMUTATIVE)) {
            refuse(call, name, Need.COMMUTATIVE, () -> Summands.ordered().perform(comm, call, size, 0));
        }
        if (needs.contains(Need.ELEMENTS) && size > 1) {
            refuse(call, name, Need.ELEMENTS, () -> Summands.plain(Kind.INT).perform(comm, call, 0, 0));
        }
        int most = size > 8 ? 17_001 : 40_001;
        int longest = call.equals("bcast") || COMBINING.contains(call) ? most : most / 3 / size;
        for (int count : new int[] {0, 1, 7, 333, longest}) {
            perform(comm, call, needs, count);
        }
        done++;
    }

    private void refuse(String call, String name, Need need, Runnable action) {
        String wanted = "the algorithm " + name + " that coll." + call + " asks for needs " + need.words + ", which";
        try {
            action.run();
        } catch (MPIException e) {
            Check.that(e.getMessage().contains(wanted), "\"" + e.getMessage() + "\" should say \"" + wanted + "\"");
            refused++;
            return;
        }
        throw new AssertionError("it ran, but it needs " + need.words);
    }

    /** {@code count} of several things, from or to several roots. */
    private static void perform(Intracomm comm, String call, Set<Need> needs, int count) {
        int size = comm.Size();
        int[] roots = size == 1 ? new int[] {0} : new int[] {size - 1, size / 2};
        Move move = MOVES.get(call);
        for (int root : roots) {
            if (move != null) {
                move.run(comm, Form.plain(Kind.BYTE), Form.plain(Kind.BYTE), count, root);
                move.run(comm, Form.vector(Kind.DOUBLE), Form.plain(Kind.DOUBLE), count / 4, root);
                move.run(comm, Form.plain(Kind.INT), Form.indexed(Kind.INT), count / 3, root);
                move.run(comm, Form.plain(Kind.DIRECT_DOUBLE), Form.plain(Kind.DIRECT_DOUBLE), count / 8, root);
                continue;
            }
            int elements = needs.contains(Need.ELEMENTS) ? Math.max(count, size) : count;
            Summands.plain(Kind.INT).perform(comm, call, elements, root);
            Summands.plain(Kind.DOUBLE).perform(comm, call, elements, root);
            Summands.vector().perform(comm, call, needs.contains(Need.ELEMENTS) ? elements : count / 4, root);
            if (!needs.contains(Need.COMMUTATIVE)) {
                Summands.ordered().perform(comm, call, needs.contains(Need.ELEMENTS) ? elements : count / 8, root);
            }
        }
    }
}
