// SPDX-License-Identifier: Apache-2.0
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/** The plate parted among the ranks, each with a tile and up to four neighbours. */
final class Plate {
    private static final int TAG_ROW = 1;
    private static final int TAG_COLUMN = 2;
    private static final int TAG_SUM = 3;
    private static final int TAG_TILE = 4;

    final int size;
    private final Intracomm comm;
    private final int down;
    private final int across;
    private final Tile tile;
    /** Neighbours, PROC_NULL at the edge of the plate: messages to and from nobody cost nothing and need no `if`. */
    private final int north;
    private final int south;
    private final int west;
    private final int east;
    private final double[] toWest;
    private final double[] toEast;
    private final double[] fromWest;
    private final double[] fromEast;

    Plate(Intracomm comm, int size) {
        this.comm = comm;
        this.size = size;
        this.down = nearestToSquare(comm.Size());
        this.across = comm.Size() / down;
        int row = comm.Rank() / across;
        int column = comm.Rank() % across;
        this.tile = tileOf(comm.Rank());
        this.north = row > 0 ? comm.Rank() - across : MPI.PROC_NULL;
        this.south = row < down - 1 ? comm.Rank() + across : MPI.PROC_NULL;
        this.west = column > 0 ? comm.Rank() - 1 : MPI.PROC_NULL;
        this.east = column < across - 1 ? comm.Rank() + 1 : MPI.PROC_NULL;
        this.toWest = new double[tile.rows];
        this.toEast = new double[tile.rows];
        this.fromWest = new double[tile.rows];
        this.fromEast = new double[tile.rows];
        tile.heat(size);
    }

    /** The largest divisor of {@code ranks} not above its square root. */
    private static int nearestToSquare(int ranks) {
        int divisor = (int) Math.sqrt(ranks);
        while (ranks % divisor != 0) {
            divisor--;
        }
        return divisor;
    }

    private Tile tileOf(int rank) {
        int row = rank / across;
        int column = rank % across;
        int firstRow = (int) ((long) size * row / down);
        int firstColumn = (int) ((long) size * column / across);
        int endRow = (int) ((long) size * (row + 1) / down);
        int endColumn = (int) ((long) size * (column + 1) / across);
        return new Tile(firstRow, firstColumn, endRow - firstRow, endColumn - firstColumn);
    }

    String shape() {
        return down + " x " + across + " tiles";
    }

    void step() {
        exchange();
        tile.step();
    }

    /** Fills the rim: columns travel while the rows are exchanged. */
    private void exchange() {
        int rows = tile.rows;
        tile.packColumn(0, toWest);
        tile.packColumn(tile.columns - 1, toEast);
        Request[] columns = {
            comm.Irecv(fromWest, 0, rows, MPI.DOUBLE, west, TAG_COLUMN),
            comm.Irecv(fromEast, 0, rows, MPI.DOUBLE, east, TAG_COLUMN),
            comm.Isend(toWest, 0, rows, MPI.DOUBLE, west, TAG_COLUMN),
            comm.Isend(toEast, 0, rows, MPI.DOUBLE, east, TAG_COLUMN),
        };
        shift(0, north, tile.rows, south);
        shift(tile.rows - 1, south, -1, north);
        Request.Waitall(columns);
        if (west != MPI.PROC_NULL) {
            tile.unpackColumn(-1, fromWest);
        }
        if (east != MPI.PROC_NULL) {
            tile.unpackColumn(tile.columns, fromEast);
        }
    }

    /** Sends one row to a neighbour and fills one row of the rim from the neighbour opposite. */
    private void shift(int rowOut, int dest, int rowIn, int source) {
        comm.Sendrecv(tile.cells(), tile.index(rowOut, 0), tile.columns, MPI.DOUBLE, dest, TAG_ROW,
                tile.cells(), tile.index(rowIn, 0), tile.columns, MPI.DOUBLE, source, TAG_ROW);
    }

    /** The mean temperature on rank 0; the others return 0. */
    double mean() {
        double[] sum = {tile.sum()};
        if (comm.Rank() != 0) {
            comm.Send(sum, 0, 1, MPI.DOUBLE, 0, TAG_SUM);
            return 0;
        }
        double total = sum[0];
        for (int rank = 1; rank < comm.Size(); rank++) {
            comm.Recv(sum, 0, 1, MPI.DOUBLE, rank, TAG_SUM);
            total += sum[0];
        }
        return total / ((double) size * size);
    }

    /** The whole plate, row by row, on rank 0; the others return null. */
    double[] gather() {
        double[] mine = tile.pack();
        if (comm.Rank() != 0) {
            comm.Send(mine, 0, mine.length, MPI.DOUBLE, 0, TAG_TILE);
            return null;
        }
        double[] whole = new double[size * size];
        place(tile, mine, whole);
        for (int rank = 1; rank < comm.Size(); rank++) {
            Tile other = tileOf(rank);
            double[] cells = new double[other.rows * other.columns];
            comm.Recv(cells, 0, cells.length, MPI.DOUBLE, rank, TAG_TILE);
            place(other, cells, whole);
        }
        return whole;
    }

    private void place(Tile part, double[] cells, double[] whole) {
        for (int row = 0; row < part.rows; row++) {
            System.arraycopy(cells, row * part.columns, whole, (part.firstRow + row) * size + part.firstColumn,
                    part.columns);
        }
    }
}
