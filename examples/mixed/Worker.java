// SPDX-License-Identifier: Apache-2.0
import java.util.stream.LongStream;
import mpi.MPI;

/** The Java ranks of a job whose rank 0 is a C program, {@code master.c}: each counts the primes in the blocks that it
 * gets. */
public class Worker {
    private static final int BLOCK = 1;
    private static final int RESULT = 2;

    public static void main(String[] args) {
        MPI.Init(args);
        int[] length = new int[1];
        int[] block = new int[1];
        MPI.COMM_WORLD.Bcast(length, 0, 1, MPI.INT, 0);
        while (MPI.COMM_WORLD.Recv(block, 0, 1, MPI.INT, 0, MPI.ANY_TAG).tag == BLOCK) {
            long first = (long) block[0] * length[0];
            long primes = LongStream.range(first, first + length[0]).filter(Worker::isPrime).count();
            MPI.COMM_WORLD.Send(new long[] {block[0], primes}, 0, 2, MPI.LONG, 0, RESULT);
        }
        MPI.Finalize();
    }

    private static boolean isPrime(long number) {
        return number > 1 && LongStream.rangeClosed(2, (long) Math.sqrt(number)).allMatch(n -> number % n != 0);
    }
}
