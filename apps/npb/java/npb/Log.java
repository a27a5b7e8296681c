// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * The natural logarithm of numbers from 0 to 1, for EP, which spends most of its time there; that of the virtual
 * machine takes twice the time of a C library's.
 *
 * <p>A number is 2^e m with m from 1 on and below 2, and m is c (1 + r), where c is the middle of one of 256 parts. So
 * the logarithm is that of 2^e c, from tables, plus that of 1 + r, of which r^7 is below a unit of the last place.
 */
final class Log {
    private static final int PART_BITS = 8;
    private static final int FRACTION_BITS = 52;
    private static final int BIAS = 1023;
    private static final long FRACTION = (1L << FRACTION_BITS) - 1;
    private static final double LOG_2 = Math.log(2);
    private static final double[] INVERSES = new double[1 << PART_BITS]; // of c, and the logarithms
    private static final double[] LOGS = new double[1 << PART_BITS];

    static {
        for (int part = 0; part < INVERSES.length; part++) {
            INVERSES[part] = 1 / middle(part);
            LOGS[part] = Math.log(middle(part));
        }
    }

    private Log() {
    }

    private static double middle(int part) {
        return 1 + (part + 0.5) / INVERSES.length;
    }

    /** To two units of the last place, or of that of 1 if this is more; never above 0. */
    static double log(double x) {
        long bits = Double.doubleToRawLongBits(x);
        int exponent = (int) (bits >> FRACTION_BITS) - BIAS;
        int part = (int) (bits >> FRACTION_BITS - PART_BITS) & (1 << PART_BITS) - 1;
        double m = Double.longBitsToDouble(bits & FRACTION | (long) BIAS << FRACTION_BITS);
        double r = (m - middle(part)) * INVERSES[part]; // the difference is exact
        double square = r * r;
        double series = r - square * (0.5 - r * (1.0 / 3)) - square * square * (0.25 - r * 0.2 + square * (1.0 / 6));
        return Math.min(0, exponent * LOG_2 + LOGS[part] + series);
    }
}
