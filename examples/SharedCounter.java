// SPDX-License-Identifier: Apache-2.0
import java.nio.LongBuffer;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * Ranks draw the numbers of tasks from a counter in the memory of rank 0, which takes no part in it. A task is the
 * sequence that begins with its number: halved while it is even, else three times as large and one more, down to 1.
 *
 *     mpijavac SharedCounter.java
 *     mpirun -n 4 java SharedCounter 10000
 */
public class SharedCounter {
    private static int stepsFrom(long task) {
        int steps = 0;
        for (long number = task; number != 1; steps++) {
            number = number % 2 == 0 ? number / 2 : 3 * number + 1;
        }
        return steps;
    }

    public static void main(String[] args) throws MPIException {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        long tasks = words.length > 0 ? Long.parseLong(words[0]) : 10_000;
        LongBuffer counter = MPI.newLongBuffer(rank == 0 ? 1 : 0);
        if (rank == 0) {
            counter.put(0, 1);
        }
        Win win = new Win(counter, counter.capacity(), 1, MPI.INFO_NULL, MPI.COMM_WORLD);
        LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
        LongBuffer drawn = MPI.newLongBuffer(1);
        long[] done = new long[2]; // tasks and steps
        win.lockAll(0);
        while (true) {
            win.fetchAndOp(one, drawn, MPI.LONG, 0, 0, MPI.SUM);
            win.flush(0); // from here on the number is in the buffer
            if (drawn.get(0) > tasks) {
                break;
            }
            done[0]++;
            done[1] += stepsFrom(drawn.get(0));
        }
        win.unlockAll();
        long[] all = new long[2];
        MPI.COMM_WORLD.reduce(done, all, 2, MPI.LONG, MPI.SUM, 0);
        if (rank == 0) {
            System.out.printf("%d tasks: %d steps, drawn from one counter by %d ranks, %d by rank 0%n", all[0], all[1],
                    MPI.COMM_WORLD.getSize(), done[0]);
        }
        win.free();
        MPI.Finalize();
    }
}
