package npb;

/**
 * Complex Fourier transforms of many rows of one length at a time, a power of two, by the method of Stockham: no bits are
 * reversed, and the innermost loop runs over the rows. An array has real and imaginary parts in turn; element j of row i
 * of a block is number j * rows + i.
 */
final class FFT {
    private final int length;
    private final int rows;
    private final double[] roots; // exp(-2 pi i k / length)
    private final double[] one;
    private final double[] two;

    FFT(int length, int rows) {
        this.length = length;
        this.rows = rows;
        roots = new double[2 * length];
        one = new double[2 * length * rows];
        two = new double[2 * length * rows];
        for (int k = 0; k < length; k++) {
            roots[2 * k] = Math.cos(2 * Math.PI * k / length);
            roots[2 * k + 1] = -Math.sin(2 * Math.PI * k / length);
        }
    }

    /**
     * Transforms count rows in place. Element j of row i is number {@code start + i * rowStep + j * step}, in complex
     * numbers. A sign of 1 is forward, -1 backward, neither of them scaled.
     */
    void transform(double[] array, int start, int count, int rowStep, int step, int sign) {
        for (int first = 0; first < count; first += rows) {
            int width = Math.min(rows, count - first);
            int from = start + first * rowStep;
            load(array, from, width, rowStep, step);
            store(run(width, sign), array, from, width, rowStep, step);
        }
    }

    private void load(double[] array, int start, int width, int rowStep, int step) {
        double[] block = one;
        for (int i = 0; i < width; i++) {
            int from = 2 * (start + i * rowStep);
            int to = 2 * i;
            for (int j = 0; j < length; j++) {
                block[to] = array[from];
                block[to + 1] = array[from + 1];
                from += 2 * step;
                to += 2 * width;
            }
        }
    }

    private void store(double[] block, double[] array, int start, int width, int rowStep, int step) {
        for (int i = 0; i < width; i++) {
            int to = 2 * (start + i * rowStep);
            int from = 2 * i;
            for (int j = 0; j < length; j++) {
                array[to] = block[from];
                array[to + 1] = block[from + 1];
                to += 2 * step;
                from += 2 * width;
            }
        }
    }

    /** Transforms the block in `one`; returns the one of the two that has the result. */
    private double[] run(int width, int sign) {
        double[] from = one;
        double[] to = two;
        int n = length;
        int stride = width;
        while (n > 1) {
            if (n % 4 == 0) {
                four(from, to, n / 4, stride, sign);
                n /= 4;
                stride *= 4;
            } else {
                half(from, to, n / 2, stride, sign);
                n /= 2;
                stride *= 2;
            }
            double[] swap = from;
            from = to;
            to = swap;
        }
        return from;
    }

    private void half(double[] x, double[] y, int m, int stride, int sign) {
        for (int p = 0; p < m; p++) {
            int root = 2 * p * (length / (2 * m));
            double wr = roots[root];
            double wi = sign * roots[root + 1];
            int a = 2 * stride * p;
            int b = 2 * stride * (p + m);
            int to = 4 * stride * p;
            int end = to + 2 * stride;
            for (; to < end; to += 2, a += 2, b += 2) {
                double ar = x[a];
                double ai = x[a + 1];
                double br = x[b];
                double bi = x[b + 1];
                double dr = ar - br;
                double di = ai - bi;
                y[to] = ar + br;
                y[to + 1] = ai + bi;
                y[to + 2 * stride] = wr * dr - wi * di;
                y[to + 2 * stride + 1] = wr * di + wi * dr;
            }
        }
    }

    private void four(double[] x, double[] y, int m, int stride, int sign) {
        int quarter = 2 * stride * m;
        int skip = 2 * stride;
        for (int p = 0; p < m; p++) {
            int root = 2 * p * (length / (4 * m));
            double w1r = roots[root];
            double w1i = sign * roots[root + 1];
            double w2r = w1r * w1r - w1i * w1i;
            double w2i = 2 * w1r * w1i;
            double w3r = w1r * w2r - w1i * w2i;
            double w3i = w1r * w2i + w1i * w2r;
            int a = skip * p;
            int to = 4 * skip * p;
            int end = to + skip;
            for (; to < end; to += 2, a += 2) {
                double ar = x[a];
                double ai = x[a + 1];
                double br = x[a + quarter];
                double bi = x[a + quarter + 1];
                double cr = x[a + 2 * quarter];
                double ci = x[a + 2 * quarter + 1];
                double dr = x[a + 3 * quarter];
                double di = x[a + 3 * quarter + 1];
                double acr = ar + cr;
                double aci = ai + ci;
                double amr = ar - cr;
                double ami = ai - ci;
                double bdr = br + dr;
                double bdi = bi + di;
                double jr = -sign * (bi - di); // i (b - d), or its negative
                double ji = sign * (br - dr);
                y[to] = acr + bdr;
                y[to + 1] = aci + bdi;
                double tr = amr - jr;
                double ti = ami - ji;
                y[to + skip] = w1r * tr - w1i * ti;
                y[to + skip + 1] = w1r * ti + w1i * tr;
                tr = acr - bdr;
                ti = aci - bdi;
                y[to + 2 * skip] = w2r * tr - w2i * ti;
                y[to + 2 * skip + 1] = w2r * ti + w2i * tr;
                tr = amr + jr;
                ti = ami + ji;
                y[to + 3 * skip] = w3r * tr - w3i * ti;
                y[to + 3 * skip + 1] = w3r * ti + w3i * tr;
            }
        }
    }
}
