// SPDX-License-Identifier: Apache-2.0
/**
 * A rectangle of the plate with a rim one cell wide, which holds the neighbours' cells or the plate's cold edge.
 * The same code computes one rank's part and, in one tile, the whole plate.
 */
final class Tile {
    /** How much of the difference to its neighbours a cell takes over in a step; stable up to 0.25. */
    private static final double RATE = 0.2;

    final int firstRow;
    final int firstColumn;
    final int rows;
    final int columns;
    /** Cells in one row of the arrays, the rim included. */
    final int stride;
    private double[] cells;
    private double[] next;

    Tile(int firstRow, int firstColumn, int rows, int columns) {
        this.firstRow = firstRow;
        this.firstColumn = firstColumn;
        this.rows = rows;
        this.columns = columns;
        this.stride = columns + 2;
        this.cells = new double[(rows + 2) * stride];
        this.next = new double[(rows + 2) * stride];
    }

    /** The cells with their rim, row by row. */
    double[] cells() {
        return cells;
    }

    /** Where the cell in this row and column of the tile is in {@link #cells}; -1 and the size are the rim. */
    int index(int row, int column) {
        return (row + 1) * stride + column + 1;
    }

    /** A cold plate of {@code size} x {@code size} with a hot ring, a hot bar and a hot spot. */
    void heat(int size) {
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                double y = (firstRow + row + 0.5) / size;
                double x = (firstColumn + column + 0.5) / size;
                double fromCentre = Math.sqrt((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
                boolean isRing = fromCentre > 0.26 && fromCentre < 0.36;
                boolean isBar = x > 0.08 && x < 0.92 && y > 0.86 && y < 0.92;
                boolean isSpot = fromCentre < 0.09;
                cells[index(row, column)] = isRing || isBar || isSpot ? 1.0 : 0.0;
            }
        }
    }

    /** One step of time: every cell moves towards the mean of its four neighbours. */
    void step() {
        for (int row = 0; row < rows; row++) {
            int begin = index(row, 0);
            for (int i = begin; i < begin + columns; i++) {
                next[i] = cells[i]
                        + RATE * (cells[i - stride] + cells[i + stride] + cells[i - 1] + cells[i + 1] - 4 * cells[i]);
            }
        }
        // The plate's edge stays cold and the neighbours' cells are sent anew, so the rim need not be carried over.
        double[] swap = cells;
        cells = next;
        next = swap;
    }

    /** The heat in the tile. */
    double sum() {
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                sum += cells[index(row, column)];
            }
        }
        return sum;
    }

    /** The cells without their rim, row by row. */
    double[] pack() {
        double[] packed = new double[rows * columns];
        for (int row = 0; row < rows; row++) {
            System.arraycopy(cells, index(row, 0), packed, row * columns, columns);
        }
        return packed;
    }

    void packColumn(int column, double[] to) {
        for (int row = 0; row < rows; row++) {
            to[row] = cells[index(row, column)];
        }
    }

    void unpackColumn(int column, double[] from) {
        for (int row = 0; row < rows; row++) {
            cells[index(row, column)] = from[row];
        }
    }
}
