// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * The random numbers of the benchmarks: x' = a x mod 2^46, a = 5^13, and x / 2^46 is the number. Only the low 46 bits
 * of the product are wanted, and those a 64-bit product has right.
 */
final class Lcg {
    static final long A = 1220703125L;
    static final long SEED = 314159265L;
    static final double SCALE = 1.0 / (1L << 46);

    private static final long MASK = (1L << 46) - 1;

    private Lcg() {
    }

    static long next(long x) {
        return A * x & MASK;
    }

    static long times(long a, long x) {
        return a * x & MASK;
    }

    /** a to the n-th: a seed times this is n numbers further on. */
    static long power(long a, long n) {
        long result = 1;
        for (long square = a; n > 0; n >>= 1) {
            if ((n & 1) != 0) {
                result = times(result, square);
            }
            square = times(square, square);
        }
        return result;
    }
}
