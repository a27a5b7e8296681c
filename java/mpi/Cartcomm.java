package mpi;

import corunna.engine.Native;

/** A communicator whose ranks form a grid. */
public class Cartcomm extends Intracomm {
    Cartcomm(String name) {
        super(name);
    }

    /**
     * A communicator of the same grid with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Cartcomm clone() throws MPIException {
        long made = Native.commDup(handle("clone"));
        return adopt(new Cartcomm(Get_name() + " clone"), made);
    }

    /**
     * Fills in the dimensions of a grid so that they are as close to each other as can be.
     *
     * @param nnodes how many places the grid shall have
     * @param dims the dimensions; those that are 0 are filled in, the others stay
     * @throws MPIException if the array is null, a number is negative, or {@code nnodes} is no multiple of the
     *     dimensions that are given
     */
    public static void Dims_create(int nnodes, int[] dims) throws MPIException {
        if (dims == null) {
            throw new MPIException(ErrorClass.ARG, "Dims_create: the array of dimensions is null");
        }
        long product = 1;
        for (int dim : dims) {
            if (dim < 0) {
                throw new MPIException(ErrorClass.DIMS, "Dims_create: a dimension is " + dim
                        + "; it cannot be negative");
            }
            product = Math.min(Integer.MAX_VALUE + 1L, product * Math.max(dim, 1));
        }
        if (nnodes < 1 || !Native.dimsCreate(nnodes, dims)) {
            throw new MPIException(ErrorClass.DIMS, "Dims_create: nnodes is " + nnodes
                    + "; it must be positive and a multiple of the dimensions that are given, which make " + product);
        }
    }

    /**
     * What the grid is like.
     *
     * @return its dimensions, which of them are rings, and where this rank is
     * @throws MPIException if the communicator cannot be used
     */
    public CartParms Get() throws MPIException {
        long comm = handle("Get");
        CartParms parms = new CartParms();
        parms.dims = Native.cartDims(comm);
        parms.periods = Native.cartPeriods(comm);
        parms.coords = Native.cartCoords(comm, Rank());
        return parms;
    }

    /**
     * The rank at a place.
     *
     * @param coords a coordinate for each dimension; those of a ring may leave it
     * @return the rank
     * @throws MPIException if there are not as many coordinates as dimensions, or the place is off the grid
     */
    public int Rank(int[] coords) throws MPIException {
        long comm = handle("Rank");
        int[] dims = Native.cartDims(comm);
        if (coords == null || coords.length != dims.length) {
            throw new MPIException(ErrorClass.ARG, "Rank: the grid has " + dims.length + " dimensions, but "
                    + (coords == null ? "the array of coordinates is null" : "there are " + coords.length
                            + " coordinates"));
        }
        int rank = Native.cartRank(comm, coords);
        if (rank < 0) {
            throw new MPIException(ErrorClass.ARG, "Rank: " + java.util.Arrays.toString(coords)
                    + " is off the grid of " + java.util.Arrays.toString(dims));
        }
        return rank;
    }

    /**
     * The place of a rank.
     *
     * @param rank the rank
     * @return a coordinate for each dimension
     * @throws MPIException if there is no such rank
     */
    public int[] Coords(int rank) throws MPIException {
        long comm = handle("Coords");
        checkRank("Coords", rank);
        return Native.cartCoords(comm, rank);
    }

    /**
     * The ranks to receive from and to send to if all send in the same direction.
     *
     * @param direction the dimension, from 0 on
     * @param disp how far, backwards if negative
     * @return the two ranks, {@link MPI#PROC_NULL} where they are off the grid
     * @throws MPIException if there is no such dimension
     */
    public ShiftParms Shift(int direction, int disp) throws MPIException {
        long comm = handle("Shift");
        int dims = Native.cartDims(comm).length;
        if (direction < 0 || direction >= dims) {
            throw new MPIException(ErrorClass.ARG, "Shift: direction is " + direction + ", but the grid has " + dims
                    + " dimensions");
        }
        int[] ranks = Native.cartShift(comm, direction, disp);
        return new ShiftParms(ranks[0], ranks[1]);
    }

    /**
     * Parts the grid into grids of fewer dimensions. Collective.
     *
     * @param remainDims which dimensions stay
     * @return the grid this rank is in
     * @throws MPIException if there are not as many as the grid has dimensions
     */
    public Cartcomm Sub(boolean[] remainDims) throws MPIException {
        long comm = handle("Sub");
        int dims = Native.cartDims(comm).length;
        if (remainDims == null || remainDims.length != dims) {
            throw new MPIException(ErrorClass.ARG, "Sub: the grid has " + dims + " dimensions, but "
                    + (remainDims == null ? "the array is null" : "the array has " + remainDims.length));
        }
        return adopt(new Cartcomm(Get_name() + " sub"), Native.cartSub(comm, remainDims));
    }

    /**
     * The rank this one would have in a grid.
     *
     * @param dims the length of each dimension
     * @param periods which dimensions are rings
     * @return the rank, or {@link MPI#UNDEFINED} if it would not be in it
     * @throws MPIException as {@link Intracomm#Create_cart}
     */
    public int Map(int[] dims, boolean[] periods) throws MPIException {
        long comm = handle("Map");
        checkDims("Map", dims, Size());
        return Native.cartMap(comm, dims);
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
                    + " positions, but the communicator has "
                    + size + " ranks");
        }
    }
}
