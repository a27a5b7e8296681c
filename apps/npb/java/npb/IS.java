// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import java.util.Arrays;
import mpi.MPI;

/**
 * IS, integer sort: the rank of each of many small keys, ten times. Keys are put into buckets by their leading bits,
 * each rank of the job gets a range of buckets with about as many keys as the others', and counts the keys of its
 * range.
 *
 * <p>Each iteration has one all-reduce of the buckets' sizes, one all-to-all of counts, and one of all keys.
 */
public final class IS {
    private static final int[] LOG_KEYS = {16, 20, 23, 25, 27};
    private static final int[] LOG_RANGE = {11, 16, 19, 21, 23};
    private static final int[] LOG_BUCKETS = {9, 10, 10, 10, 10};
    private static final int ITERATIONS = 10;
    private static final int STRIP = 4096; // keys that a method takes at a time

    // Keys at some places, and what their ranks are in iteration 0; in each iteration a rank grows or falls by one.
    private static final int TESTS = 5;
    private static final int[][] TEST_PLACES = {{48427, 17148, 23627, 62548, 4431},
        {357773, 934767, 875723, 898999, 404505}, {2112377, 662041, 5336171, 3642833, 4250760},
        {41869, 812306, 5102857, 18232239, 26860214}, {44172927, 72999161, 74326391, 129606274, 21736814}};
    private static final int[][] TEST_RANKS = {{0, 18, 346, 64917, 65463}, {1249, 11698, 1039987, 1043896, 1048018},
        {104, 17523, 123928, 8288932, 8388264}, {33422937, 10244, 59149, 33135281, 99},
        {61147, 882988, 266290, 133997595, 133525895}};
    private static final boolean[][] TEST_GROWS = {{true, true, true, false, false}, {true, true, false, false, false},
        {true, true, true, false, false}, {false, true, true, false, true}, {true, true, true, false, false}};
    private static final int[] TEST_GROW_BEHIND = {0, 2, 1, 0, 0};
    private static final int[] TEST_FALL_BEHIND = {0, 0, 1, 0, 0};

    private static final int TAG_EDGE = 1;

    private final Job job;
    private final int keyCount; // of this rank
    private final int range;
    private final int buckets;
    private final int shift; // from a key to its bucket
    private final int[] keys;
    private final int[] sorted; // by bucket
    private final int[] sizes;  // of buckets here, then the test keys
    private final int[] totals; // of all ranks
    private final int[] next;
    private final int[] sendCounts;
    private final int[] sendStarts;
    private final int[] receiveCounts;
    private final int[] receiveStarts;
    private int[] received;
    private int receivedCount;
    private int firstKey; // of this rank's range
    private int lastKey;
    private int[] below = new int[0]; // how many received keys are at most firstKey + i
    private int lesserCount; // keys of the ranks before
    private int passed;

    private IS(Job job) {
        this.job = job;
        keyCount = (1 << LOG_KEYS[job.index]) / job.size;
        range = 1 << LOG_RANGE[job.index];
        buckets = 1 << LOG_BUCKETS[job.index];
        shift = LOG_RANGE[job.index] - LOG_BUCKETS[job.index];
        keys = new int[keyCount];
        sorted = new int[keyCount];
        received = new int[keyCount + keyCount / 2];
        sizes = new int[buckets + TESTS];
        totals = new int[buckets + TESTS];
        next = new int[buckets];
        sendCounts = new int[job.size];
        sendStarts = new int[job.size];
        receiveCounts = new int[job.size];
        receiveStarts = new int[job.size];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "IS", args);
        job.acceptsPowerOfTwo(job.index == 0 ? 128 : 1024);
        job.run(() -> new IS(job).run());
    }

    private void run() {
        String size = Integer.toString(1 << LOG_KEYS[job.index]);
        job.title(size, ITERATIONS);
        draw();
        rank(1); // touches all memory and warms up; not timed
        passed = 0;

        job.startTimer();
        for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
            rank(iteration);
        }
        double seconds = job.stopTimer();

        passed += isSorted() ? 1 : 0;
        int[] own = {passed};
        int[] all = new int[1];
        job.comm.Reduce(own, 0, all, 0, 1, MPI.INT, MPI.SUM, 0);
        int wanted = TESTS * ITERATIONS + job.size;
        job.say(" %d of %d tests passed", all[0], wanted);
        job.report(size, ITERATIONS, seconds, ITERATIONS * (double) (1 << LOG_KEYS[job.index]), "keys ranked",
                all[0] == wanted);
    }

    /** Each key is the mean of four random numbers. */
    private void draw() {
        long x = Lcg.times(Lcg.SEED, Lcg.power(Lcg.A, 4L * keyCount * job.rank));
        double scale = range / 4 * Lcg.SCALE;
        for (int i = 0; i < keyCount; i++) {
            long sum = 0;
            for (int k = 0; k < 4; k++) {
                x = Lcg.next(x);
                sum += x;
            }
            keys[i] = (int) (scale * sum);
        }
    }

    // ---- one iteration ----------------------------------------------------------------------------------------------

    private void rank(int iteration) {
        if (job.rank == 0) {
            keys[iteration] = iteration;
            keys[iteration + ITERATIONS] = range - iteration;
        }
        sortByBucket();
        job.comm.Allreduce(sizes, 0, totals, 0, buckets + TESTS, MPI.INT, MPI.SUM);
        divideBuckets();
        exchange();
        count();
        test(iteration);
    }

    private void sortByBucket() {
        int[] keys = this.keys;
        int[] sizes = this.sizes;
        int[] next = this.next;
        int[] sorted = this.sorted;
        int shift = this.shift;
        Arrays.fill(sizes, 0);
        for (int i = 0; i < TESTS; i++) {
            int place = TEST_PLACES[job.index][i];
            if (place / keyCount == job.rank) {
                sizes[buckets + i] = keys[place % keyCount];
            }
        }
        for (int i = 0; i < keyCount; i += STRIP) {
            countBuckets(keys, i, Math.min(i + STRIP, keyCount), shift, sizes);
        }
        next[0] = 0;
        for (int i = 1; i < buckets; i++) {
            next[i] = next[i - 1] + sizes[i - 1];
        }
        for (int i = 0; i < keyCount; i += STRIP) {
            moveToBuckets(keys, i, Math.min(i + STRIP, keyCount), shift, next, sorted);
        }
    }

    /** A rank takes buckets until it and those before have their share of all keys. */
    private void divideBuckets() {
        int bucket = 0;
        int sum = 0;
        int start = 0;
        for (int peer = 0; peer < job.size; peer++) {
            int firstBucket = bucket;
            int before = sum;
            int count = 0;
            while (bucket < buckets && sum < (peer + 1) * keyCount) {
                sum += totals[bucket];
                count += sizes[bucket++];
            }
            sendStarts[peer] = start;
            sendCounts[peer] = count;
            start += count;
            if (peer == job.rank) {
                firstKey = firstBucket << shift;
                lastKey = (bucket << shift) - 1;
                lesserCount = before;
            }
        }
        // No key may be left: buckets after the last share are empty, and belong to the last rank.
        if (job.rank == job.size - 1) {
            lastKey = range - 1;
        }
    }

    private void exchange() {
        job.comm.Alltoall(sendCounts, 0, 1, MPI.INT, receiveCounts, 0, 1, MPI.INT);
        receivedCount = 0;
        for (int peer = 0; peer < job.size; peer++) {
            receiveStarts[peer] = receivedCount;
            receivedCount += receiveCounts[peer];
        }
        if (receivedCount > received.length) {
            received = new int[receivedCount];
        }
        job.comm.Alltoallv(sorted, 0, sendCounts, sendStarts, MPI.INT, received, 0, receiveCounts, receiveStarts,
                MPI.INT);
    }

    private void count() {
        int width = Math.max(lastKey - firstKey + 1, 0);
        if (below.length < width) {
            below = new int[width];
        } else {
            Arrays.fill(below, 0, width, 0);
        }
        int[] below = this.below;
        int[] received = this.received;
        int first = firstKey;
        for (int i = 0; i < receivedCount; i += STRIP) {
            countKeys(received, i, Math.min(i + STRIP, receivedCount), first, below);
        }
        for (int i = 1; i < width; i += STRIP) {
            addUp(below, i, Math.min(i + STRIP, width));
        }
    }

    // ---- loops over strips: methods that are called often are compiled whole, before the timer starts
    // ----------------

    private static void countBuckets(int[] keys, int from, int to, int shift, int[] sizes) {
        for (int i = from; i < to; i++) {
            sizes[keys[i] >> shift]++;
        }
    }

    private static void moveToBuckets(int[] keys, int from, int to, int shift, int[] next, int[] sorted) {
        for (int i = from; i < to; i++) {
            int key = keys[i];
            sorted[next[key >> shift]++] = key;
        }
    }

    private static void countKeys(int[] keys, int from, int to, int first, int[] counts) {
        for (int i = from; i < to; i++) {
            counts[keys[i] - first]++;
        }
    }

    /** Each element becomes the sum of those up to it; the one before {@code from} is done. */
    private static void addUp(int[] counts, int from, int to) {
        int sum = counts[from - 1];
        for (int i = from; i < to; i++) {
            sum += counts[i];
            counts[i] = sum;
        }
    }

    // ---- verification -----------------------------------------------------------------------------------------------

    private void test(int iteration) {
        for (int i = 0; i < TESTS; i++) {
            int key = totals[buckets + i];
            if (key < firstKey || key > lastKey) {
                continue;
            }
            int rank = lesserCount + (key > firstKey ? below[key - firstKey - 1] : 0);
            int wanted = TEST_GROWS[job.index][i]
                    ? TEST_RANKS[job.index][i] + iteration - TEST_GROW_BEHIND[job.index]
                    : TEST_RANKS[job.index][i] - iteration + TEST_FALL_BEHIND[job.index];
            if (rank == wanted) {
                passed++;
            } else {
                System.err.println("npb IS: rank " + job.rank + ": iteration " + iteration + ", test key " + key
                        + " has rank " + rank + "; its rank is " + wanted);
            }
        }
    }

    /** Puts the keys in order by their ranks, and looks whether they are, across ranks too. */
    private boolean isSorted() {
        int[] ordered = new int[receivedCount];
        for (int i = 0; i < receivedCount; i++) {
            ordered[--below[received[i] - firstKey]] = received[i];
        }
        // A rank without keys passes on what it was told.
        int[] edge = {-1};
        if (job.rank > 0) {
            job.comm.Recv(edge, 0, 1, MPI.INT, job.rank - 1, TAG_EDGE);
        }
        int previous = edge[0];
        int wrong = 0;
        for (int key : ordered) {
            wrong += key < previous ? 1 : 0;
            previous = key;
        }
        edge[0] = previous;
        if (job.rank < job.size - 1) {
            job.comm.Send(edge, 0, 1, MPI.INT, job.rank + 1, TAG_EDGE);
        }
        if (wrong > 0) {
            System.err.println("npb IS: rank " + job.rank + ": " + wrong + " keys are out of order");
        }
        return wrong == 0;
    }
}
