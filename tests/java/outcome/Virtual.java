// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/**
 * Many virtual threads wait for messages that other virtual threads send: more than there are carriers. Arguments: what
 * they wait in, one call after the other. Without virtual threads, Java before 21, it ends with 77.
 */
public final class Virtual {
    private static final int WAITERS = 16;
    /** Too long to be sent before it is received. */
    private static final int LONG = 1 << 20;

    private Virtual() {
    }

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        ExecutorService threads = threads();
        if (threads == null) {
            System.out.println("skipped: this Java has no virtual threads");
            Runtime.getRuntime().halt(77);
        }
        String[] calls = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        for (String call : calls) {
            exchange(threads, call, MPI.COMM_WORLD.Size() - 1 - rank);
            MPI.COMM_WORLD.Barrier();
        }
        MPI.Finalize();
        System.out.println("rank " + rank + ": " + WAITERS + " have waited in " + String.join(" ", calls));
    }

    private static void exchange(ExecutorService threads, String call, int other)
            throws InterruptedException, ExecutionException {
        List<Future<Integer>> waiters = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            int tag = i;
            waiters.add(threads.submit(() -> await(call, other, tag)));
        }
        Thread.sleep(300); // all of them wait, or else less is tested
        List<Future<Integer>> senders = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            int tag = i;
            senders.add(threads.submit(() -> answer(call, other, tag)));
        }
        for (int i = 0; i < WAITERS; i++) {
            int got = waiters.get(i).get();
            if (got != 100 * other + i) {
                throw new AssertionError(call + ": tag " + i + " brought " + got);
            }
            senders.get(i).get();
        }
    }

    /** An executor whose every task is a virtual thread, or null. */
    private static ExecutorService threads() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return null;
        }
    }

    /** What the other rank has sent with this tag. */
    private static int await(String call, int other, int tag) {
        int[] in = new int[LONG];
        int[] out = {0};
        switch (call) {
        case "Recv":
            MPI.COMM_WORLD.Recv(in, 0, 1, MPI.INT, other, tag);
            break;
        case "Long":
            MPI.COMM_WORLD.Recv(in, 0, LONG, MPI.INT, other, tag);
            break;
        case "Object":
            Object[] object = new Object[1];
            MPI.COMM_WORLD.Recv(object, 0, 1, MPI.OBJECT, other, tag);
            return (Integer) object[0];
        case "Ssend":
            MPI.COMM_WORLD.Ssend(out, 0, 1, MPI.INT, other, tag);
            MPI.COMM_WORLD.Recv(in, 0, 1, MPI.INT, other, tag + WAITERS);
            break;
        case "Probe":
            Status status = MPI.COMM_WORLD.Probe(other, tag);
            MPI.COMM_WORLD.Recv(in, 0, 1, MPI.INT, status.source, status.tag);
            break;
        case "Sendrecv":
            MPI.COMM_WORLD.Sendrecv(out, 0, 1, MPI.INT, other, tag + WAITERS, in, 0, 1, MPI.INT, other, tag);
            break;
        case "Sendrecv_replace":
            MPI.COMM_WORLD.Sendrecv_replace(in, 0, 1, MPI.INT, other, tag + WAITERS, other, tag);
            break;
        case "Wait":
            MPI.COMM_WORLD.Irecv(in, 0, 1, MPI.INT, other, tag).Wait();
            break;
        default:
            awaitOne(call, in, other, tag);
            break;
        }
        return in[0];
    }

    /** In a call that waits for several, of which one is null. */
    private static void awaitOne(String call, int[] in, int other, int tag) {
        Request[] requests = {MPI.COMM_WORLD.Irecv(in, 0, 1, MPI.INT, other, tag),
                MPI.COMM_WORLD.Irecv(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, tag)};
        requests[1].Wait();
        switch (call) {
        case "Waitany":
            Request.Waitany(requests);
            break;
        case "Waitsome":
            Request.Waitsome(requests);
            break;
        default:
            Request.Waitall(requests);
            break;
        }
    }

    private static int answer(String call, int other, int tag) {
        int[] out = new int[LONG];
        out[0] = 100 * MPI.COMM_WORLD.Rank() + tag;
        switch (call) {
        case "Long":
            MPI.COMM_WORLD.Send(out, 0, LONG, MPI.INT, other, tag);
            break;
        case "Object":
            MPI.COMM_WORLD.Send(new Object[] {out[0]}, 0, 1, MPI.OBJECT, other, tag);
            break;
        case "Ssend":
            MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, other, tag);
            MPI.COMM_WORLD.Send(out, 0, 1, MPI.INT, other, tag + WAITERS);
            break;
        case "Sendrecv":
        case "Sendrecv_replace":
            MPI.COMM_WORLD.Send(out, 0, 1, MPI.INT, other, tag);
            MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, other, tag + WAITERS);
            break;
        default:
            MPI.COMM_WORLD.Send(out, 0, 1, MPI.INT, other, tag);
            break;
        }
        return 0;
    }
}
