// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import mpi.MPI;

/**
 * Section 1 of the suite, how fast messages are: between two ranks, and in collective operations, of numbers and of
 * objects that have a number each. Sizes grow by equal factors; as in the suite each is repeated twice as often until
 * it takes long enough, with a barrier after each operation, whose own time is measured and taken off. What arrived
 * last is compared with what should have.
 *
 * <p>Arguments: a class, then which transfers, all of them by default (Transfer). Class C is as large as the suite.
 */
public final class Section1 {
    private static final int[] LARGEST = {10000, 100000, 1000000}; // numbers of a message
    private static final int SMALLEST = 4;
    private static final int[] SIZES = {6, 12, 20};
    private static final double[] SECONDS = {0.01, 0.2, 10}; // that a size takes, at least
    private static final int REPEATED_MAX = 1000000;
    private static final int WARM_UP = 50;

    private final Job job;
    private final List<Transfer> transfers;
    private double numbers; // that a rank sent, and how long that took
    private double seconds;

    private Section1(Job job, List<Transfer> transfers) {
        this.job = job;
        this.transfers = transfers;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "Section1", args);
        List<Transfer> transfers = new ArrayList<>();
        for (String word : job.words) {
            List<Transfer> named = Arrays.stream(Transfer.values()).filter(t -> t.word().equals(word))
                    .collect(Collectors.toList());
            job.accepts(!named.isEmpty(), "transfer is '" + word + "'; transfers are " + Transfer.words());
            transfers.addAll(named);
        }
        if (job.words.length == 0) {
            transfers.addAll(Arrays.asList(Transfer.values()));
        }
        job.accepts(job.size > 1, "the number of ranks is 1; messages need 2 or more");
        job.run(() -> new Section1(job, transfers).run());
    }

    private void run() {
        boolean isRight = true;
        int largest = LARGEST[job.index];
        job.title("up to " + largest + " numbers", transfers.size());
        job.say(" transfer   of           count    repeated   microseconds           MB/s");
        for (Transfer transfer : transfers) {
            for (Payload kind : transfer.kinds()) {
                warmUp(transfer, kind);
                int sizes = transfer == Transfer.BARRIER ? 1 : SIZES[job.index];
                for (int i = 0; i < sizes; i++) {
                    double part = sizes == 1 ? 0 : (double) i / (sizes - 1);
                    int count = (int) Math.round(SMALLEST * Math.pow((double) largest / SMALLEST, part));
                    isRight &= measure(transfer, kind, count);
                }
            }
        }
        job.report(Integer.toString(largest), transfers.size(), seconds, numbers, "numbers sent", isRight);
    }

    /** Classes are loaded and connections made before anything is timed. */
    private void warmUp(Transfer transfer, Payload kind) {
        int all = SMALLEST * job.size;
        time(transfer, kind, kind.make(job.rank, all), kind.make(-1, all), SMALLEST, WARM_UP);
    }

    /** One size of one transfer; false: something wrong has arrived, at this rank or another. */
    private boolean measure(Transfer transfer, Payload kind, int count) {
        Object out = kind.make(job.rank, count * job.size);
        Object in = kind.make(-1, count * job.size);
        double taken = 0;
        int repeated = 0;
        for (int times = 1; taken < SECONDS[job.index] && times <= REPEATED_MAX; times *= 2) {
            repeated = times;
            taken = time(transfer, kind, out, in, count, times);
        }
        double barriers = transfer.hasBarrier() ? time(Transfer.BARRIER, kind, null, null, 0, repeated) : 0;
        double each = Math.max(0, taken - barriers) / repeated;
        if (transfer == Transfer.BARRIER) {
            job.say(" %-10s %-9s %8s %11d %14.2f %14s", transfer.word(), "", "", repeated, each * 1e6, "");
        } else {
            job.say(" %-10s %-9s %8d %11d %14.2f %14.2f", transfer.word(), kind.word(), count, repeated, each * 1e6,
                    each > 0 ? 8e-6 * count / each : 0);
            numbers += (double) count * repeated;
            seconds += Math.max(0, taken - barriers);
        }
        int[] own = {transfer.isRight(job, kind, in, count) ? 0 : 1};
        int[] wrong = new int[1];
        job.comm.Allreduce(own, 0, wrong, 0, 1, MPI.INT, MPI.SUM);
        if (wrong[0] > 0) {
            job.say(" FAILURE: %s of %d %s: %d ranks have wrong numbers",
                    transfer.word(), count, kind.word(), wrong[0]);
        }
        return wrong[0] == 0;
    }

    /** Seconds of rank 0, which all ranks learn. */
    private double time(Transfer transfer, Payload kind, Object out, Object in, int count, int times) {
        job.comm.Barrier();
        long start = System.nanoTime(); // Wtime counts whole seconds in MPJ Express
        for (int i = 0; i < times; i++) {
            transfer.run(job, kind.type(), out, in, count);
            if (transfer.hasBarrier()) {
                job.comm.Barrier();
            }
        }
        double[] taken = {(System.nanoTime() - start) * 1e-9};
        job.comm.Bcast(taken, 0, 1, MPI.DOUBLE, 0);
        return taken[0];
    }
}
