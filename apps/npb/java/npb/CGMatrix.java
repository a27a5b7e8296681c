// SPDX-License-Identifier: Apache-2.0
package npb;

import java.util.Arrays;

/**
 * A block of CG's matrix, by rows. The matrix is a weighted sum of outer products of n sparse random vectors, whose
 * weights fall from 1 to about a tenth, and a tenth less the shift on the diagonal. Every rank draws all vectors, which
 * are few numbers, and computes the elements of its own block.
 */
final class CGMatrix {
    private static final double CONDITION = 0.1;

    private final int rows;
    private final int[] starts; // of rows in the two below
    private final int[] columns;
    private final double[] values;

    CGMatrix(int n, int nonzeros, double shift, int firstRow, int rows, int firstColumn, int columnCount) {
        Vectors vectors = new Vectors(n, nonzeros);
        this.rows = rows;
        starts = new int[rows + 1];

        // The vectors' elements by row: which of them lie in a row of this block.
        int[] heads = new int[rows + 1];
        for (int at = 0; at < vectors.starts[n]; at++) {
            int row = vectors.places[at] - firstRow;
            if (row >= 0 && row < rows) {
                heads[row + 1]++;
            }
        }
        for (int row = 0; row < rows; row++) {
            heads[row + 1] += heads[row];
        }
        int[] owners = new int[heads[rows]]; // the vector
        double[] weights = new double[heads[rows]];
        int[] next = Arrays.copyOf(heads, rows);
        long room = rows;
        double weight = 1;
        double ratio = Math.pow(CONDITION, 1.0 / n);
        for (int vector = 0; vector < n; vector++) {
            int inColumns = vectors.count(vector, firstColumn, columnCount);
            for (int at = vectors.starts[vector]; at < vectors.starts[vector + 1]; at++) {
                int row = vectors.places[at] - firstRow;
                if (row >= 0 && row < rows) {
                    owners[next[row]] = vector;
                    weights[next[row]++] = weight * vectors.values[at];
                    room += inColumns;
                }
            }
            weight *= ratio;
        }

        columns = new int[Math.toIntExact(room)];
        values = new double[columns.length];
        double[] row = new double[columnCount];
        int filled = 0;
        for (int i = 0; i < rows; i++) {
            for (int k = heads[i]; k < heads[i + 1]; k++) {
                int vector = owners[k];
                for (int at = vectors.starts[vector]; at < vectors.starts[vector + 1]; at++) {
                    int column = vectors.places[at] - firstColumn;
                    if (column >= 0 && column < columnCount) {
                        if (row[column] == 0) {
                            columns[filled++] = column;
                        }
                        row[column] += weights[k] * vectors.values[at];
                    }
                }
            }
            int diagonal = firstRow + i - firstColumn; // each vector has its own place, so the element is there
            if (diagonal >= 0 && diagonal < columnCount) {
                row[diagonal] += CONDITION - shift;
            }
            Arrays.sort(columns, starts[i], filled);
            for (int k = starts[i]; k < filled; k++) {
                values[k] = row[columns[k]];
                row[columns[k]] = 0;
            }
            starts[i + 1] = filled;
        }
    }

    /** to = block * from. */
    void multiply(double[] from, double[] to) {
        int[] starts = this.starts;
        int[] columns = this.columns;
        double[] values = this.values;
        for (int row = 0; row < rows; row++) {
            to[row] = product(columns, values, starts[row], starts[row + 1], from);
        }
    }

    /** Of a row, whose elements are those from {@code start} to {@code end}, with a vector. */
    private static double product(int[] columns, double[] values, int start, int end, double[] from) {
        double even = 0;
        double odd = 0;
        int at = start;
        for (; at < end - 1; at += 2) {
            even += values[at] * from[columns[at]];
            odd += values[at + 1] * from[columns[at + 1]];
        }
        if (at < end) {
            even += values[at] * from[columns[at]];
        }
        return even + odd;
    }

    /** The random vectors: each has so many elements at random places, all positive, and a half at its own place. */
    private static final class Vectors {
        final int[] starts;
        final int[] places;
        final double[] values;

        private long x = Lcg.next(Lcg.SEED); // the first number is not used

        Vectors(int n, int nonzeros) {
            int power = 1;
            while (power < n) {
                power *= 2;
            }
            starts = new int[n + 1];
            places = new int[n * (nonzeros + 1)];
            values = new double[n * (nonzeros + 1)];
            for (int vector = 0; vector < n; vector++) {
                int first = starts[vector];
                int end = draw(n, power, first, nonzeros);
                int own = find(first, end, vector);
                places[own] = vector;
                values[own] = 0.5;
                starts[vector + 1] = Math.max(end, own + 1);
            }
        }

        private int draw(int n, int power, int first, int nonzeros) {
            int end = first;
            while (end < first + nonzeros) {
                x = Lcg.next(x);
                double value = x * Lcg.SCALE;
                x = Lcg.next(x);
                int place = (int) (power * (x * Lcg.SCALE));
                if (place < n && find(first, end, place) == end) {
                    places[end] = place;
                    values[end++] = value;
                }
            }
            return end;
        }

        /** Where a place stands among these; their end if it does not. */
        private int find(int first, int end, int place) {
            int at = first;
            while (at < end && places[at] != place) {
                at++;
            }
            return at;
        }

        int count(int vector, int firstPlace, int placeCount) {
            int count = 0;
            for (int at = starts[vector]; at < starts[vector + 1]; at++) {
                int place = places[at] - firstPlace;
                count += place >= 0 && place < placeCount ? 1 : 0;
            }
            return count;
        }
    }
}
