// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * Complex Fourier transforms of many rows of one length at a time, a power of two, by the method of Stockham: no bits
 * are reversed, and the innermost loop runs over the rows. Real and imaginary parts alternate; element j of row i of a
 * block that is worked on is number j * rows + i. Backward is forward with the elements of the result in the opposite
 * order.
 */
final class FFT {
    private final int length;
    private final int rows;
    private final double[] roots; // exp(-2 pi i k / length)
    private double[] from;
    private double[] to;

    FFT(int length, int rows) {
        this.length = length;
        this.rows = rows;
        roots = new double[2 * length];
        from = new double[2 * length * rows];
        to = new double[2 * length * rows];
        for (int k = 0; k < length; k++) {
            roots[2 * k] = Math.cos(2 * Math.PI * k / length);
            roots[2 * k + 1] = -Math.sin(2 * Math.PI * k / length);
        }
    }

    /**
     * Transforms count rows in place. Element j of row i is number {@code start + i * rowStep + j * step}, in complex
     * numbers; one of the steps is 1. A sign of 1 is forward, -1 backward, neither of them scaled.
     */
    void transform(double[] array, int start, int count, int rowStep, int step, int sign) {
        for (int first = 0; first < count; first += rows) {
            int width = Math.min(rows, count - first);
            int at = 2 * (start + first * rowStep);
            if (rowStep == 1) {
                loadColumns(array, at, width, 2 * step);
                run(2 * width);
                storeColumns(array, at, width, 2 * step, sign);
            } else {
                for (int i = 0; i < width; i++) {
                    loadRow(array, at + 2 * i * rowStep, length, from, 2 * i, 2 * width);
                }
                run(2 * width);
                for (int i = 0; i < width; i++) {
                    storeRow(from, 2 * i, 2 * width * sign, length, array, at + 2 * i * rowStep);
                }
            }
        }
    }

    // ---- between array and block: always along the neighbours of the array, which is large
    // ---------------------------

    private static void loadRow(double[] array, int at, int length, double[] block, int start, int step) {
        for (int j = 0; j < length; j++) {
            block[start + j * step] = array[at + 2 * j];
            block[start + j * step + 1] = array[at + 2 * j + 1];
        }
    }

    /** A negative step takes the elements after the first from the end. */
    private static void storeRow(double[] block, int start, int step, int length, double[] array, int at) {
        int last = step > 0 ? start : start - length * step;
        array[at] = block[start];
        array[at + 1] = block[start + 1];
        for (int j = 1; j < length; j++) {
            array[at + 2 * j] = block[last + j * step];
            array[at + 2 * j + 1] = block[last + j * step + 1];
        }
    }

    private void loadColumns(double[] array, int start, int width, int step) {
        for (int j = 0; j < length; j++) {
            System.arraycopy(array, start + j * step, from, 2 * j * width, 2 * width);
        }
    }

    private void storeColumns(double[] array, int start, int width, int step, int sign) {
        for (int j = 0; j < length; j++) {
            int element = sign > 0 || j == 0 ? j : length - j;
            System.arraycopy(from, 2 * element * width, array, start + j * step, 2 * width);
        }
    }

    // ---- transforms of a block --------------------------------------------------------------------------------------

    /** Transforms the block in `from`, which has the result as well; its elements are so many numbers apart. */
    private void run(int width) {
        int n = length;
        int stride = width;
        while (n > 1) {
            if (n % 4 == 0) {
                n /= 4;
                fourFirst(from, to, stride * n, stride);
                for (int p = 1; p < n; p++) {
                    int root = 2 * p * (length / (4 * n));
                    four(from, to, stride * p, stride * n, stride, roots[root], roots[root + 1]);
                }
                stride *= 4;
            } else {
                n /= 2;
                two(from, to, stride);
                stride *= 2;
            }
            double[] swap = from;
            from = to;
            to = swap;
        }
    }

    /** The last step where the length is no power of four: two elements, each so many numbers. */
    private static void two(double[] x, double[] y, int count) {
        for (int i = 0; i < count; i++) {
            y[i] = x[i] + x[count + i];
            y[count + i] = x[i] - x[count + i];
        }
    }

    /** Elements a, a + skip, ... of x, each so many numbers, to 4 a, 4 a + count, ... of y. */
    private static void four(double[] x, double[] y, int a, int skip, int count, double w1r, double w1i) {
        int b = a + skip;
        int c = b + skip;
        int d = c + skip;
        int y0 = 4 * a;
        int y1 = y0 + count;
        int y2 = y1 + count;
        int y3 = y2 + count;
        double w2r = w1r * w1r - w1i * w1i;
        double w2i = 2 * w1r * w1i;
        double w3r = w1r * w2r - w1i * w2i;
        double w3i = w1r * w2i + w1i * w2r;
        for (int i = 0; i < count; i += 2) {
            double acr = x[a + i] + x[c + i];
            double aci = x[a + i + 1] + x[c + i + 1];
            double amr = x[a + i] - x[c + i];
            double ami = x[a + i + 1] - x[c + i + 1];
            double bdr = x[b + i] + x[d + i];
            double bdi = x[b + i + 1] + x[d + i + 1];
            double bmr = x[b + i] - x[d + i];
            double bmi = x[b + i + 1] - x[d + i + 1];
            double t1r = amr + bmi;
            double t1i = ami - bmr;
            double t2r = acr - bdr;
            double t2i = aci - bdi;
            double t3r = amr - bmi;
            double t3i = ami + bmr;
            y[y0 + i] = acr + bdr;
            y[y0 + i + 1] = aci + bdi;
            y[y1 + i] = w1r * t1r - w1i * t1i;
            y[y1 + i + 1] = w1r * t1i + w1i * t1r;
            y[y2 + i] = w2r * t2r - w2i * t2i;
            y[y2 + i + 1] = w2r * t2i + w2i * t2r;
            y[y3 + i] = w3r * t3r - w3i * t3i;
            y[y3 + i + 1] = w3r * t3i + w3i * t3r;
        }
    }

    /** The same where a is 0, so that the roots are 1; in the last step that is all there is. */
    private static void fourFirst(double[] x, double[] y, int skip, int count) {
        int c = 2 * skip;
        int d = 3 * skip;
        int y2 = 2 * count;
        int y3 = 3 * count;
        for (int i = 0; i < count; i += 2) {
            double acr = x[i] + x[c + i];
            double aci = x[i + 1] + x[c + i + 1];
            double amr = x[i] - x[c + i];
            double ami = x[i + 1] - x[c + i + 1];
            double bdr = x[skip + i] + x[d + i];
            double bdi = x[skip + i + 1] + x[d + i + 1];
            double bmr = x[skip + i] - x[d + i];
            double bmi = x[skip + i + 1] - x[d + i + 1];
            y[i] = acr + bdr;
            y[i + 1] = aci + bdi;
            y[count + i] = amr + bmi;
            y[count + i + 1] = ami - bmr;
            y[y2 + i] = acr - bdr;
            y[y2 + i + 1] = aci - bdi;
            y[y3 + i] = amr - bmi;
            y[y3 + i + 1] = ami + bmr;
        }
    }
}
