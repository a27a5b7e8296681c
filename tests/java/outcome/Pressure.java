// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import mpi.Comm;
import mpi.MPI;
import mpi.Request;

/**
 * Two ranks exchange messages for so many seconds while memory comes and goes: arrays are moved by the collector, and
 * each message has a direct buffer of its own, mapped anew where another one has just been freed. What comes is
 * compared.
 */
public final class Pressure {
    private static final int WINDOW = 4;
    private static final int LONGEST = 1 << 20;
    private static final int TAG = 5;
    private static final int COLLECT_EVERY = 16;

    private Pressure() {
    }

    public static void main(String[] args) {
        String[] rest = MPI.Init(args);
        Comm comm = MPI.COMM_WORLD;
        Thread litter = new Thread(Pressure::litter);
        litter.setDaemon(true);
        litter.start();
        long end = System.nanoTime() + Integer.parseInt(rest[0]) * 1_000_000_000L;
        int[] seed = new int[1];
        int rounds = 0;
        do {
            seed[0] = System.nanoTime() < end ? rounds + 1 : 0;
            if (comm.Rank() == 0) {
                comm.Send(seed, 0, 1, MPI.INT, 1, TAG);
            } else {
                comm.Recv(seed, 0, 1, MPI.INT, 0, TAG);
            }
            if (seed[0] > 0) {
                exchange(comm, new Random(seed[0]));
                rounds++;
            }
            if (rounds % COLLECT_EVERY == 0) {
                System.gc();
            }
        } while (seed[0] > 0);
        int rank = comm.Rank();
        MPI.Finalize();
        System.out.println("rank " + rank + ": " + rounds + " rounds, " + collections() + " collections");
        System.out.println("now " + System.currentTimeMillis());
    }

    /** Both ranks draw the same numbers. */
    private static void exchange(Comm comm, Random random) {
        int me = comm.Rank();
        int peer = 1 - me;
        Object[] in = new Object[WINDOW];
        int[] lengths = new int[WINDOW];
        byte[] keys = new byte[WINDOW];
        Request[] requests = new Request[2 * WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            boolean isDirect = random.nextInt(3) > 0;
            lengths[i] = 1 + random.nextInt(random.nextBoolean() ? 300 : LONGEST);
            keys[i] = (byte) random.nextInt();
            in[i] = isDirect ? ByteBuffer.allocateDirect(lengths[i]) : new byte[lengths[i]];
            requests[i] = comm.Irecv(in[i], 0, lengths[i], MPI.BYTE, peer, i);
        }
        for (int i = 0; i < WINDOW; i++) {
            byte[] bytes = filled(lengths[i], keys[i] + me);
            Object out = random.nextBoolean() ? bytes : ByteBuffer.allocateDirect(bytes.length).put(bytes);
            requests[WINDOW + i] = comm.Isend(out, 0, lengths[i], MPI.BYTE, peer, i);
        }
        Request.Waitall(requests);
        for (int i = 0; i < WINDOW; i++) {
            verify(in[i], filled(lengths[i], keys[i] + peer));
        }
    }

    private static byte[] filled(int length, int key) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (key + i + (i >> 8));
        }
        return bytes;
    }

    private static void verify(Object got, byte[] wanted) {
        ByteBuffer bytes = got instanceof ByteBuffer ? ((ByteBuffer) got).duplicate() : ByteBuffer.wrap((byte[]) got);
        bytes.clear();
        int difference = bytes.mismatch(ByteBuffer.wrap(wanted));
        if (difference >= 0) {
            throw new AssertionError("byte " + difference + " of " + wanted.length + " is wrong");
        }
    }

    /** Garbage of all sizes and ages, on the heap and beside it. */
    private static void litter() {
        Object[] kept = new Object[64];
        while (true) {
            int size = 1 << ThreadLocalRandom.current().nextInt(4, 18);
            boolean isDirect = ThreadLocalRandom.current().nextInt(16) == 0;
            kept[ThreadLocalRandom.current().nextInt(kept.length)] =
                    isDirect ? ByteBuffer.allocateDirect(size) : new byte[size];
            if (isDirect) {
                Thread.yield();
            }
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }
}
