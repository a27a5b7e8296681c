// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.util.Arrays;

/** What communicators whose ranks form a grid do, whatever the dialect calls it. */
final class Grid {
    private Grid() {
    }

    static void fillIn(String call, int nodes, int[] dims) {
        if (dims == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of dimensions is null");
        }
        long product = 1;
        for (int dim : dims) {
            if (dim < 0) {
                throw new MPIException(ErrorClass.DIMS, call + ": a dimension is " + dim + "; it cannot be negative");
            }
            product = Math.min(Integer.MAX_VALUE + 1L, product * Math.max(dim, 1));
        }
        if (nodes < 1 || !Native.dimsCreate(nodes, dims)) {
            throw new MPIException(ErrorClass.DIMS, call + ": nnodes is " + nodes
                    + "; it must be positive and a multiple of the dimensions that are given, which make " + product);
        }
    }

    static Cartcomm create(Comm comm, String call, int[] dims, boolean[] periods) {
        long made = make(comm, call, dims, periods);
        return made == 0 ? null : comm.adopt(new Cartcomm(name(comm, dims)), made);
    }

    static CartComm createOrNull(Comm comm, String call, int[] dims, boolean[] periods) {
        return comm.adoptIfAny(new CartComm(name(comm, dims)), make(comm, call, dims, periods));
    }

    private static long make(Comm comm, String call, int[] dims, boolean[] periods) {
        long handle = comm.handle(call);
        check(call, dims, periods, comm.size);
        return Native.cartCreate(handle, dims, periods);
    }

    private static String name(Comm comm, int[] dims) {
        return comm.name + " grid " + Arrays.toString(dims);
    }

    static CartParms parms(Comm comm, String call) {
        long handle = comm.handle(call);
        CartParms parms = new CartParms();
        parms.dims = Native.cartDims(handle);
        parms.periods = Native.cartPeriods(handle);
        parms.coords = Native.cartCoords(handle, comm.rank);
        return parms;
    }

    static int rank(Comm comm, String call, int[] coords) {
        long handle = comm.handle(call);
        int[] dims = Native.cartDims(handle);
        if (coords == null || coords.length != dims.length) {
            throw new MPIException(ErrorClass.ARG, call + ": the grid has " + dims.length + " dimensions, but "
                    + (coords == null ? "the array of coordinates is null" : "there are " + coords.length
                            + " coordinates"));
        }
        int rank = Native.cartRank(handle, coords);
        if (rank < 0) {
            throw new MPIException(ErrorClass.ARG, call + ": " + Arrays.toString(coords) + " is off the grid of "
                    + Arrays.toString(dims));
        }
        return rank;
    }

    static int[] coords(Comm comm, String call, int rank) {
        long handle = comm.handle(call);
        comm.checkRank(call, rank);
        return Native.cartCoords(handle, rank);
    }

    static ShiftParms shift(Comm comm, String call, int direction, int disp) {
        long handle = comm.handle(call);
        int dims = Native.cartDims(handle).length;
        if (direction < 0 || direction >= dims) {
            throw new MPIException(ErrorClass.ARG, call + ": direction is " + direction + ", but the grid has " + dims
                    + " dimensions");
        }
        int[] ranks = Native.cartShift(handle, direction, disp);
        return new ShiftParms(ranks[0], ranks[1]);
    }

    /** The engine's communicator. On a grid without dimensions the array does not count. */
    static long sub(Comm comm, String call, boolean[] remainDims) {
        long handle = comm.handle(call);
        int dims = Native.cartDims(handle).length;
        if (dims == 0) {
            return Native.cartSub(handle, new boolean[0]);
        }
        if (remainDims == null || remainDims.length != dims) {
            throw new MPIException(ErrorClass.ARG, call + ": the grid has " + dims + " dimensions, but "
                    + (remainDims == null ? "the array is null" : "the array has " + remainDims.length));
        }
        return Native.cartSub(handle, remainDims);
    }

    /** A grid to be made, with a period for each dimension. */
    static void check(String call, int[] dims, boolean[] periods, int size) {
        checkDims(call, dims, size);
        if (periods == null || periods.length != dims.length) {
            throw new MPIException(ErrorClass.ARG, call + ": there are " + dims.length + " dimensions, but "
                    + (periods == null ? "the array of periods is null" : periods.length + " periods"));
        }
    }

    /** A grid has places, none of them empty, and there are ranks for all. */
    static void checkDims(String call, int[] dims, int size) {
        if (dims == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the array of dimensions is null");
        }
        long places = 1;
        for (int dim : dims) {
            if (dim < 1) {
                throw new MPIException(ErrorClass.DIMS, call + ": a dimension is " + dim + "; it must be positive");
            }
            places = Math.min(Integer.MAX_VALUE, places * dim);
        }
        if (places > size) {
            throw new MPIException(ErrorClass.DIMS, call + ": the grid has " + places
                    + " positions, but the communicator has " + size + " ranks");
        }
    }
}
