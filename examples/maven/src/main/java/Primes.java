// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;

/**
 * How many numbers below a limit are prime, and which is the largest of them. Every rank tries the odd numbers that are
 * its own; two collective calls put the results together. The comment in {@code pom.xml} tells how to build and run it.
 */
public final class Primes {
    private Primes() {
    }

    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        int limit = words.length > 0 ? Integer.parseInt(words[0]) : 1_000_000;

        int[] count = {rank == 0 && limit > 2 ? 1 : 0}; // 2 itself
        int[] largest = {count[0] * 2};
        for (long number = 3 + 2L * rank; number < limit; number += 2L * size) {
            if (isPrime((int) number)) {
                count[0]++;
                largest[0] = (int) number;
            }
        }
        int[] total = new int[1];
        int[] last = new int[1];
        MPI.COMM_WORLD.Reduce(count, 0, total, 0, 1, MPI.INT, MPI.SUM, 0);
        MPI.COMM_WORLD.Reduce(largest, 0, last, 0, 1, MPI.INT, MPI.MAX, 0);
        if (rank == 0) {
            System.out.println(total[0] + " primes below " + limit + ", the largest is " + last[0]
                    + ", found by " + size + " ranks");
        }
        MPI.Finalize();
    }

    private static boolean isPrime(int odd) {
        for (int divisor = 3; (long) divisor * divisor <= odd; divisor += 2) {
            if (odd % divisor == 0) {
                return false;
            }
        }
        return true;
    }
}
