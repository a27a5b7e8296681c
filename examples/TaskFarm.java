// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;
import mpi.Status;

/**
 * A farm of tasks whose lengths differ: rank 0 hands out one after the other to whichever rank is free, so that none
 * waits for the slowest. The task here is to count the steps of the Collatz sequence from a number on.
 *
 *     mpijavac TaskFarm.java
 *     mpjrun -np 4 TaskFarm 1000
 */
public class TaskFarm {
    private static final int TASK = 1;
    private static final int RESULT = 2;
    private static final int STOP = 3;

    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int tasks = words.length > 0 ? Integer.parseInt(words[0]) : 1000;
        if (MPI.COMM_WORLD.Rank() != 0) {
            work();
        } else if (MPI.COMM_WORLD.Size() < 2) {
            System.out.println("TaskFarm needs two ranks or more: one hands out, the others work");
        } else {
            handOut(tasks);
        }
        MPI.Finalize();
    }

    private static void handOut(int tasks) {
        int workers = MPI.COMM_WORLD.Size() - 1;
        int next = 1;
        int pending = 0;
        long[] result = new long[2];
        long steps = 0;
        long longest = 0;
        long from = 0;
        for (int worker = 1; worker <= workers && next <= tasks; worker++, pending++) {
            MPI.COMM_WORLD.Send(new int[] {next++}, 0, 1, MPI.INT, worker, TASK);
        }
        while (pending > 0) {
            Status status = MPI.COMM_WORLD.Recv(result, 0, 2, MPI.LONG, MPI.ANY_SOURCE, RESULT);
            steps += result[1];
            if (result[1] > longest || result[1] == longest && result[0] < from) {
                longest = result[1];
                from = result[0];
            }
            if (next <= tasks) {
                MPI.COMM_WORLD.Send(new int[] {next++}, 0, 1, MPI.INT, status.source, TASK);
            } else {
                pending--;
            }
        }
        for (int worker = 1; worker <= workers; worker++) {
            MPI.COMM_WORLD.Send(new int[1], 0, 1, MPI.INT, worker, STOP);
        }
        System.out.println(tasks + " tasks: " + steps + " steps, the longest sequence from " + from
                + " with " + longest);
    }

    private static void work() {
        int[] task = new int[1];
        while (MPI.COMM_WORLD.Recv(task, 0, 1, MPI.INT, 0, MPI.ANY_TAG).tag == TASK) {
            MPI.COMM_WORLD.Send(new long[] {task[0], collatz(task[0])}, 0, 2, MPI.LONG, 0, RESULT);
        }
    }

    private static long collatz(long number) {
        long steps = 0;
        for (long n = number; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
            steps++;
        }
        return steps;
    }
}
