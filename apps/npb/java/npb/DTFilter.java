// SPDX-License-Identifier: Apache-2.0
package npb;

/** What comparators and sinks of DT compute. */
final class DTFilter {
    private static final int FIELDS = 4;

    private DTFilter() {
    }

    /** Replaces each sample of a by the nearest of b's at, after and before its place, weighted; a may be a new
     * array. */
    static double[] apply(double[] a, double[] b, int node) {
        double weight = (node + 1.0) / (node + 2);
        if (a.length < b.length) {
            a = stretch(a, b.length);
        } else if (b.length < a.length) {
            b = stretch(b, a.length);
        }
        for (int i = FIELDS; i < a.length - FIELDS; i += FIELDS) {
            double best = distance(a, b, i);
            int from = i;
            double after = distance(a, b, i + FIELDS);
            if (after < best) {
                best = after;
                from = i + FIELDS;
            }
            if (distance(a, b, i - FIELDS) < best) {
                from = i - FIELDS;
            }
            a[i] = weight * b[from];
            a[i + 1] = weight * b[from + 1];
            a[i + 2] = weight * b[from + 2];
            a[i + 3] = weight * b[from + 3];
        }
        return a;
    }

    private static double distance(double[] a, double[] b, int i) {
        double d0 = a[i] - b[i];
        double d1 = a[i + 1] - b[i + 1];
        double d2 = a[i + 2] - b[i + 2];
        double d3 = a[i + 3] - b[i + 3];
        return d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
    }

    /** Spreads an array over a longer one. The specification's ratio is that of whole numbers. */
    private static double[] stretch(double[] a, int length) {
        double[] longer = new double[length];
        int ratio = length / a.length;
        for (int i = 1; i < a.length - 1; i++) {
            int low = (int) (0.5 * (2 * i - 1) * ratio);
            int high = (int) (0.5 * (2 * i + 1) * ratio);
            double share = a[i] / (high - low + 1);
            for (int j = low; j <= high; j++) {
                longer[j] += share;
            }
        }
        longer[0] = a[0];
        longer[length - 1] = a[a.length - 1];
        return longer;
    }

    static double meanSquare(double[] a) {
        double sum = 0;
        for (double value : a) {
            sum += value * value / a.length;
        }
        return sum;
    }
}
