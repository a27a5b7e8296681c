// SPDX-License-Identifier: Apache-2.0
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
        return (Cartcomm) super.clone();
    }

    @Override
    Cartcomm sibling(String name) {
        return new Cartcomm(name);
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
        Grid.fillIn("Dims_create", nnodes, dims);
    }

    /**
     * What the grid is like.
     *
     * @return its dimensions, which of them are rings, and where this rank is
     * @throws MPIException if the communicator cannot be used
     */
    public CartParms Get() throws MPIException {
        return Grid.parms(this, "Get");
    }

    /**
     * The rank at a place.
     *
     * @param coords a coordinate for each dimension; those of a ring may leave it
     * @return the rank
     * @throws MPIException if there are not as many coordinates as dimensions, or the place is off the grid
     */
    public int Rank(int[] coords) throws MPIException {
        return Grid.rank(this, "Rank", coords);
    }

    /**
     * The place of a rank.
     *
     * @param rank the rank
     * @return a coordinate for each dimension
     * @throws MPIException if there is no such rank
     */
    public int[] Coords(int rank) throws MPIException {
        return Grid.coords(this, "Coords", rank);
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
        return Grid.shift(this, "Shift", direction, disp);
    }

    /**
     * Parts the grid into grids of fewer dimensions. Collective.
     *
     * @param remainDims which dimensions stay
     * @return the grid this rank is in
     * @throws MPIException if there are not as many as the grid has dimensions
     */
    public Cartcomm Sub(boolean[] remainDims) throws MPIException {
        return adopt(new Cartcomm(Get_name() + " sub"), Grid.sub(this, "Sub", remainDims));
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
        Grid.checkDims("Map", dims, Size());
        return Native.cartMap(comm, dims);
    }
}
