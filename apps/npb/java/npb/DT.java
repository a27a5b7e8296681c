// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;

/**
 * DT, data traffic: a graph of tasks, one on each rank. Sources make arrays of features, comparators filter what
 * arrives and pass it on, sinks reduce it to a number. The graph is BH, a black hole that gathers; WH, a white hole
 * that spreads; or SH, a shuffle (DTGraph). Little is computed; along each edge goes a length, then an array.
 *
 * <p>Arguments: class and graph. The job needs a rank for each node of the graph; others are idle.
 */
public final class DT {
    private static final int[] SAMPLES = {1728, 1728 * 8, 1728 * 64, 1728 * 512, 1728 * 4096};
    private static final int[] DEVIATIONS = {128, 256, 512, 1024, 2048};
    private static final int[] SOURCES = {4, 8, 16, 32, 64};
    private static final int FIELDS = 4; // numbers of a sample

    // By graph, for classes S, W, A, B; the specification has none for C, which is not verified.
    private static final double[][] CHECKSUMS = {{30892725, 4102461, 17809491, 4317114},
        {67349758, 204280762, 1289925229, 7877279917.0}, {58875767, 186944764, 610856482, 1836863082}};
    private static final double TOLERANCE = 1e-8; // absolute

    private static final int TAG_SUM = 1 << 14; // above those of edges

    private final Job job;
    private final DTGraph graph;

    private DT(Job job, DTGraph graph) {
        this.job = job;
        this.graph = graph;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "DT", args);
        String name = job.words.length > 0 ? job.words[0].toUpperCase(java.util.Locale.ROOT) : "BH";
        DTGraph graph = null;
        if (job.accepts(DTGraph.NAMES.contains(name), "the graph is '" + name + "'; graphs are BH, WH and SH")) {
            graph = DTGraph.build(name, SOURCES[job.index]);
            job.accepts(graph.nodes <= job.size, "the number of ranks is " + job.size + "; graph " + name
                    + " of class " + job.letter + " needs at least " + graph.nodes);
        }
        DTGraph built = graph;
        job.run(() -> new DT(job, built).run());
    }

    private void run() {
        int features = SAMPLES[job.index] * FIELDS;
        job.title(Integer.toString(features), graph.nodes);
        job.say(" Graph: %s, %d nodes, %d edges%n", graph.name, graph.nodes, graph.edges);

        job.startTimer();
        if (job.rank < graph.nodes) {
            work(job.rank);
        }
        double sum = job.rank == 0 ? collect() : 0;
        double seconds = job.stopTimer();

        double bytes = (double) features * graph.edges / 1048576;
        job.report(Integer.toString(features), graph.nodes, seconds, bytes * 1e6, "bytes transmitted", isRight(sum));
    }

    private boolean isRight(double sum) {
        int row = DTGraph.NAMES.indexOf(graph.name);
        job.say(" checksum %.1f", sum);
        if (job.index >= CHECKSUMS[row].length) {
            job.say(" The specification has no checksum of class %c.", job.letter);
            return false;
        }
        return Math.abs(sum - CHECKSUMS[row][job.index]) < TOLERANCE;
    }

    /** What the node of this rank does. */
    private void work(int node) {
        int[] incoming = graph.incoming[node];
        if (incoming.length == 0) {
            send(node, draw(node));
        } else if (graph.outgoing[node].length > 0) {
            double[] result = new double[SAMPLES[job.index] * FIELDS];
            for (int edge : incoming) {
                result = DTFilter.apply(result, receive(edge), node);
            }
            for (int i = 0; i < result.length; i++) {
                result[i] = (int) result[i] / incoming.length;
            }
            send(node, result);
        } else {
            double sum = 0;
            for (int edge : incoming) {
                sum += (int) ((node + 1) * DTFilter.meanSquare(receive(edge)));
            }
            double[] own = {(node + 1) * (double) ((long) sum / incoming.length)};
            job.comm.Send(own, 0, 1, MPI.DOUBLE, 0, TAG_SUM);
        }
    }

    private void send(int node, double[] features) {
        int[] length = {features.length};
        for (int edge : graph.outgoing[node]) {
            job.comm.Send(length, 0, 1, MPI.INT, graph.heads[edge], edge);
            job.comm.Send(features, 0, features.length, MPI.DOUBLE, graph.heads[edge], edge);
        }
    }

    private double[] receive(int edge) {
        int[] length = new int[1];
        job.comm.Recv(length, 0, 1, MPI.INT, graph.tails[edge], edge);
        double[] features = new double[length[0]];
        job.comm.Recv(features, 0, features.length, MPI.DOUBLE, graph.tails[edge], edge);
        return features;
    }

    /** The sum of what the sinks have sent. */
    private double collect() {
        double[] one = new double[1];
        double sum = 0;
        for (int node = 0; node < graph.nodes; node++) {
            if (graph.outgoing[node].length == 0) {
                job.comm.Recv(one, 0, 1, MPI.DOUBLE, node, TAG_SUM);
                sum += one[0];
            }
        }
        return sum;
    }

    // ---- what sources make ------------------------------------------------------------------------------------------

    /** The features of a source: powers of small numbers, modulo primes. Products wrap as 32-bit integers do. */
    private double[] draw(int node) {
        int length = sampleCount(node) * FIELDS;
        int exponent = length * (node + 1) % 3141592;
        int x = power(2, exponent, 421);
        int y = power(2, exponent, 419);
        int z = power(2, exponent, 1427);
        int f = power(5, exponent, 3527);
        double[] features = new double[length];
        for (int i = 0; i < length; i += FIELDS) {
            x = x * 2 % 421;
            y = y * 2 % 419;
            z = z * 2 % 1427;
            f = f * 5 % 3527;
            features[i] = x;
            features[i + 1] = y;
            features[i + 2] = z;
            features[i + 3] = f;
        }
        return features;
    }

    private int sampleCount(int node) {
        double random = Lcg.times(2L * node + 1, Lcg.SEED) * Lcg.SCALE;
        int deviation = DEVIATIONS[job.index];
        int more = power((int) (1 / random) * 'S', 2 * node + 1, 2 * deviation);
        return SAMPLES[job.index] - deviation + Math.abs(more);
    }

    private static int power(int base, int exponent, int modulus) {
        int result = 1;
        int square = base;
        for (int n = Math.abs(exponent); n > 1;) {
            if (n % 2 == 0) {
                square = square * square % modulus;
                n /= 2;
            } else {
                result = result * square % modulus;
                n--;
            }
        }
        return exponent == 0 ? 1 : result * square % modulus;
    }
}
