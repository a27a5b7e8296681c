// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * Complex Fourier transforms of many rows of one length at a time, a power of two, by the method of Stockham: no bits are
 * reversed, and the innermost loop runs over the rows. Real and imaginary parts alternate in an array, and are apart in a block
 * that is worked on, so that each operation runs over neighbours; element j of row i of a block is number j * rows + i.
 */
final class FFT {
    private final int length;
    private final int rows;
    private final double[] roots; // exp(-2 pi i k / length)
    private Block from;
    private Block to;

    private static final class Block {
        final double[] re;
        final double[] im;

        Block(int elements) {
            re = new double[elements];
            im = new double[elements];
        }
    }

    FFT(int length, int rows) {
        this.length = length;
        this.rows = rows;
        roots = new double[2 * length];
        from = new Block(length * rows);
        to = new Block(length * rows);
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
                run(width, sign);
                storeColumns(array, at, width, 2 * step);
            } else {
                loadRows(array, at, width, 2 * rowStep);
                run(width, sign);
                storeRows(array, at, width, 2 * rowStep);
            }
        }
    }

    // ---- between array and block: always along the neighbours of the array, which is large ---------------------------

    private void loadRows(double[] array, int start, int width, int rowStep) {
        double[] re = from.re;
        double[] im = from.im;
        for (int i = 0; i < width; i++) {
            int at = start + i * rowStep;
            for (int j = 0; j < length; j++) {
                re[j * width + i] = array[at + 2 * j];
                im[j * width + i] = array[at + 2 * j + 1];
            }
        }
    }

    private void storeRows(double[] array, int start, int width, int rowStep) {
        double[] re = from.re;
        double[] im = from.im;
        for (int i = 0; i < width; i++) {
            int at = start + i * rowStep;
            for (int j = 0; j < length; j++) {
                array[at + 2 * j] = re[j * width + i];
                array[at + 2 * j + 1] = im[j * width + i];
            }
        }
    }

    private void loadColumns(double[] array, int start, int width, int step) {
        double[] re = from.re;
        double[] im = from.im;
        for (int j = 0; j < length; j++) {
            int block = j * width;
            int at = start + j * step;
            for (int i = 0; i < width; i++) {
                re[block + i] = array[at + 2 * i];
                im[block + i] = array[at + 2 * i + 1];
            }
        }
    }

    private void storeColumns(double[] array, int start, int width, int step) {
        double[] re = from.re;
        double[] im = from.im;
        for (int j = 0; j < length; j++) {
            int block = j * width;
            int at = start + j * step;
            for (int i = 0; i < width; i++) {
                array[at + 2 * i] = re[block + i];
                array[at + 2 * i + 1] = im[block + i];
            }
        }
    }

    // ---- transforms of a block --------------------------------------------------------------------------------------

    /** Transforms the block in `from`, which has the result as well. */
    private void run(int width, int sign) {
        int n = length;
        int stride = width;
        while (n > 1) {
            int radix = n % 4 == 0 ? 4 : 2;
            n /= radix;
            for (int p = 0; p < n; p++) {
                int root = 2 * p * (length / (radix * n));
                double wr = roots[root];
                double wi = sign * roots[root + 1];
                if (radix == 4) {
                    four(from, to, stride * p, stride * n, stride, wr, wi, sign);
                } else {
                    half(from, to, stride * p, stride * n, stride, wr, wi);
                }
            }
            stride *= radix;
            Block swap = from;
            from = to;
            to = swap;
        }
    }

    /** Elements a and a + skip of x, each so many in a row, to 2 a and 2 a + count of y. */
    private static void half(Block x, Block y, int a, int skip, int count, double wr, double wi) {
        double[] xr = x.re;
        double[] xi = x.im;
        double[] yr = y.re;
        double[] yi = y.im;
        int b = a + skip;
        int y0 = 2 * a;
        int y1 = y0 + count;
        for (int i = 0; i < count; i++) {
            double dr = xr[a + i] - xr[b + i];
            double di = xi[a + i] - xi[b + i];
            yr[y0 + i] = xr[a + i] + xr[b + i];
            yi[y0 + i] = xi[a + i] + xi[b + i];
            yr[y1 + i] = wr * dr - wi * di;
            yi[y1 + i] = wr * di + wi * dr;
        }
    }

    /** Elements a, a + skip, ... of x, each so many in a row, to 4 a, 4 a + count, ... of y. */
    private static void four(Block x, Block y, int a, int skip, int count, double w1r, double w1i, double sign) {
        double[] xr = x.re;
        double[] xi = x.im;
        double[] yr = y.re;
        double[] yi = y.im;
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
        for (int i = 0; i < count; i++) {
            double ar = xr[a + i];
            double ai = xi[a + i];
            double br = xr[b + i];
            double bi = xi[b + i];
            double cr = xr[c + i];
            double ci = xi[c + i];
            double dr = xr[d + i];
            double di = xi[d + i];
            double t1r = ar - cr + sign * (bi - di); // a - c and i (b - d), or its negative
            double t1i = ai - ci - sign * (br - dr);
            double t2r = ar + cr - (br + dr);
            double t2i = ai + ci - (bi + di);
            double t3r = ar - cr - sign * (bi - di);
            double t3i = ai - ci + sign * (br - dr);
            yr[y0 + i] = ar + cr + (br + dr);
            yi[y0 + i] = ai + ci + (bi + di);
            yr[y1 + i] = w1r * t1r - w1i * t1i;
            yi[y1 + i] = w1r * t1i + w1i * t1r;
            yr[y2 + i] = w2r * t2r - w2i * t2i;
            yi[y2 + i] = w2r * t2i + w2i * t2r;
            yr[y3 + i] = w3r * t3r - w3i * t3i;
            yi[y3 + i] = w3r * t3i + w3i * t3r;
        }
    }
}
