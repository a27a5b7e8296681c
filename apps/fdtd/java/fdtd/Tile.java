// SPDX-License-Identifier: Apache-2.0
package fdtd;

import mpi.Cartcomm;
import mpi.Datatype;
import mpi.MPI;
import mpi.Request;

/**
 * This rank's part of the fields, with a rim of one cell. The electric field ez stands on the corners of the cells, hx
 * and hy on their edges, and they are half a time step apart. Element (x, y) of the whole square is number
 * {@code (y - firstY + 1) * pitch + x - firstX + 1}.
 *
 * <p>A step needs one column or row of the neighbours: ez of those to the right and above for the magnetic fields, the
 * magnetic fields of those to the left and below for ez. While they are on their way the elements that do not need them
 * are computed. A column is a vector type: its elements lie a row apart.
 */
final class Tile {
    private static final int LEFT = 0;
    private static final int RIGHT = 1;
    private static final int BELOW = 2;
    private static final int ABOVE = 3;
    private static final int NONE = -1;

    final int firstX;
    final int firstY;
    final int width;
    final int height;
    final int pitch;
    final double[] ez;
    private final double[] hx;
    private final double[] hy;
    private final int last; // place of the far walls
    private final double courant;
    private final Cartcomm comm;
    private final int[] peers = new int[4];
    private final Datatype column;
    private final Request[] requests = new Request[4];

    /**
     * The square has n cells a side, so n + 1 corners; the walls are places 0 and n, where ez stays 0. Without a
     * communicator all of it is here.
     */
    Tile(Cartcomm comm, int n, double courant) {
        int[] dims = comm == null ? new int[] {1, 1} : comm.Get().dims;
        int[] place = comm == null ? new int[2] : comm.Get().coords;
        this.comm = comm;
        this.courant = courant;
        last = n;
        firstX = (n + 1) * place[1] / dims[1];
        firstY = (n + 1) * place[0] / dims[0];
        width = (n + 1) * (place[1] + 1) / dims[1] - firstX;
        height = (n + 1) * (place[0] + 1) / dims[0] - firstY;
        pitch = width + 2;
        ez = new double[pitch * (height + 2)];
        hx = new double[ez.length];
        hy = new double[ez.length];
        peers[LEFT] = place[1] > 0 ? comm.Shift(1, 1).rank_source : NONE;
        peers[RIGHT] = place[1] < dims[1] - 1 ? comm.Shift(1, 1).rank_dest : NONE;
        peers[BELOW] = place[0] > 0 ? comm.Shift(0, 1).rank_source : NONE;
        peers[ABOVE] = place[0] < dims[0] - 1 ? comm.Shift(0, 1).rank_dest : NONE;
        column = Datatype.Vector(height, 1, pitch, MPI.DOUBLE);
        column.Commit();
    }

    int index(int x, int y) {
        return (y - firstY + 1) * pitch + x - firstX + 1;
    }

    boolean contains(int x, int y) {
        return x >= firstX && x < firstX + width && y >= firstY && y < firstY + height;
    }

    // ---- one step ---------------------------------------------------------------------------------------------------

    /** Both magnetic fields, by so large a part of a step. */
    void stepMagnetic(double part) {
        start(ez, ez, RIGHT, ABOVE, LEFT, BELOW);
        updateMagnetic(0, width - 1, 0, height - 1, part);
        finish();
        updateMagnetic(width - 1, width, 0, height - 1, part);
        updateMagnetic(0, width, height - 1, height, part);
    }

    void stepElectric() {
        start(hy, hx, LEFT, BELOW, RIGHT, ABOVE);
        updateElectric(1, width, 1, height);
        finish();
        updateElectric(0, 1, 1, height);
        updateElectric(0, width, 0, 1);
    }

    private void updateMagnetic(int x0, int x1, int y0, int y1, double part) {
        double[] ez = this.ez;
        double[] hx = this.hx;
        double[] hy = this.hy;
        double factor = courant * part;
        int pitch = this.pitch;
        int endX = Math.min(x1, last - firstX);     // hy has one place less along x,
        int endY = Math.min(y1, last - firstY);     // hx one less along y
        for (int y = y0; y < y1; y++) {
            int row = (y + 1) * pitch + 1;
            if (y < endY) {
                for (int at = row + x0; at < row + x1; at++) {
                    hx[at] -= factor * (ez[at + pitch] - ez[at]);
                }
            }
            for (int at = row + x0; at < row + endX; at++) {
                hy[at] += factor * (ez[at + 1] - ez[at]);
            }
        }
    }

    private void updateElectric(int x0, int x1, int y0, int y1) {
        double[] ez = this.ez;
        double[] hx = this.hx;
        double[] hy = this.hy;
        int beginX = Math.max(x0, 1 - firstX);
        int endX = Math.min(x1, last - firstX);
        int endY = Math.min(y1, last - firstY);
        for (int y = Math.max(y0, 1 - firstY); y < endY; y++) {
            int row = (y + 1) * pitch + 1;
            for (int at = row + beginX; at < row + endX; at++) {
                ez[at] += courant * (hy[at] - hy[at - 1] - (hx[at] - hx[at - pitch]));
            }
        }
    }

    // ---- rims -------------------------------------------------------------------------------------------------------

    /** Starts to receive a column from one side and a row from another, and to send the same to the opposite ones. */
    private void start(double[] columns, double[] rows, int fromSide, int fromEnd, int toSide, int toEnd) {
        requests[0] = peers[fromSide] == NONE ? null
                : comm.Irecv(columns, edge(fromSide, true), 1, column, peers[fromSide], fromSide);
        requests[1] = peers[fromEnd] == NONE ? null
                : comm.Irecv(rows, edge(fromEnd, true), width, MPI.DOUBLE, peers[fromEnd], fromEnd);
        requests[2] = peers[toSide] == NONE ? null
                : comm.Isend(columns, edge(toSide, false), 1, column, peers[toSide], fromSide);
        requests[3] = peers[toEnd] == NONE ? null
                : comm.Isend(rows, edge(toEnd, false), width, MPI.DOUBLE, peers[toEnd], fromEnd);
    }

    private void finish() {
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] != null) {
                requests[i].Wait();
            }
        }
    }

    /** Where the column or row at a side begins: of the rim, or the first one inside it. */
    private int edge(int side, boolean isRim) {
        switch (side) {
        case LEFT:
            return pitch + (isRim ? 0 : 1);
        case RIGHT:
            return pitch + (isRim ? width + 1 : width);
        case BELOW:
            return (isRim ? 0 : pitch) + 1;
        default:
            return (isRim ? height + 1 : height) * pitch + 1;
        }
    }
}
