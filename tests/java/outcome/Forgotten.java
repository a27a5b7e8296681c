// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import mpi.MPI;

/** Leaves requests of every kind behind; after Finalize nothing holds their buffers any more. */
public final class Forgotten {
    private static final int TAG = 5;

    private Forgotten() {
    }

    public static void main(String[] args) throws InterruptedException {
        MPI.Init(args);
        List<WeakReference<Object>> buffers = leave();
        boolean isRankZero = MPI.COMM_WORLD.Rank() == 0;
        if (collected(buffers, 10) == buffers.size()) {
            throw new AssertionError("the buffers of requests under way were collected");
        }
        MPI.Finalize();
        int collected = collected(buffers, 1000);
        if (collected != buffers.size()) {
            throw new AssertionError("only " + collected + " of " + buffers.size() + " buffers were collected");
        }
        if (isRankZero) {
            System.out.println("nothing is held");
        }
    }

    private static List<WeakReference<Object>> leave() {
        List<WeakReference<Object>> buffers = new ArrayList<>();
        int me = MPI.COMM_WORLD.Rank();
        for (int i = 0; i < 100; i++) {
            ByteBuffer direct = ByteBuffer.allocateDirect(100);
            int[] array = new int[100];
            Object[] objects = new Object[1];
            MPI.COMM_WORLD.Irecv(direct, 0, 100, MPI.BYTE, me, TAG);
            MPI.COMM_WORLD.Irecv(array, 0, 100, MPI.INT, me, TAG);
            MPI.COMM_WORLD.Irecv(objects, 0, 1, MPI.OBJECT, me, TAG);
            for (Object buffer : new Object[] {direct, array, objects}) {
                buffers.add(new WeakReference<>(buffer));
            }
            ByteBuffer persistent = ByteBuffer.allocateDirect(100);
            double[] started = new double[100];
            MPI.COMM_WORLD.Recv_init(persistent, 0, 100, MPI.BYTE, me, TAG);
            MPI.COMM_WORLD.Recv_init(started, 0, 100, MPI.DOUBLE, me, TAG).Start();
            double[] freed = new double[100];
            MPI.COMM_WORLD.Irecv(freed, 0, 100, MPI.DOUBLE, me, TAG).Free();
            buffers.add(new WeakReference<>(freed));
            buffers.add(new WeakReference<>(persistent));
            buffers.add(new WeakReference<>(started));
        }
        return buffers;
    }

    private static int collected(List<WeakReference<Object>> buffers, int rounds) throws InterruptedException {
        int count = 0;
        for (int round = 0; round < rounds && count < buffers.size(); round++) {
            System.gc();
            Thread.sleep(10);
            count = 0;
            for (WeakReference<Object> buffer : buffers) {
                count += buffer.get() == null ? 1 : 0;
            }
        }
        return count;
    }
}
