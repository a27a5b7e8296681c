// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** A communicator whose ranks form a grid, as the Open MPI Java bindings have it; mpiJava has {@link Cartcomm}. */
public final class CartComm extends Intracomm {
    CartComm(String name) {
        super(name);
    }

    /**
     * The engine's communicator of this number.
     *
     * @param handle the number
     * @throws MPIException if the call fails
     */
    protected CartComm(long handle) throws MPIException {
        super(handle);
    }

    /**
     * A communicator and the request that tells when it may be used.
     *
     * @param handles the numbers
     */
    protected CartComm(long[] handles) {
        super(handles);
    }

    @Override
    CartComm sibling(String name) {
        return new CartComm(name);
    }

    /**
     * A communicator of the same grid with a space of messages of its own. Collective.
     *
     * @return the new communicator
     */
    @Override
    public CartComm clone() {
        return (CartComm) super.clone();
    }

    /**
     * A communicator of the same grid with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public CartComm dup() throws MPIException {
        return (CartComm) super.dup();
    }

    /**
     * As {@link #dup()}, with hints of its own.
     *
     * @param info hints
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public CartComm dupWithInfo(Info info) throws MPIException {
        return (CartComm) super.dupWithInfo(info);
    }

    /**
     * Starts a {@link #dup()}. The new communicator may be used when the request that it has is complete.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    @Override
    public CartComm iDup() throws MPIException {
        return (CartComm) super.iDup();
    }

    /**
     * Fills in the dimensions of a grid that are 0, so that they are as close to each other as can be.
     *
     * @param nodes how many places the grid shall have
     * @param dims the length of each dimension
     * @throws MPIException if the call fails
     */
    public static void createDims(int nodes, int[] dims) throws MPIException {
        Grid.fillIn("createDims", nodes, dims);
    }

    /**
     * What the grid is like.
     *
     * @return its dimensions, which of them are rings, and where this rank is
     * @throws MPIException if the call fails
     */
    public CartParms getTopo() throws MPIException {
        return Grid.parms(this, "getTopo");
    }

    /**
     * The place of a rank.
     *
     * @param rank the rank
     * @return a coordinate for each dimension
     * @throws MPIException if the call fails
     */
    public int[] getCoords(int rank) throws MPIException {
        return Grid.coords(this, "getCoords", rank);
    }

    /**
     * The rank at a place.
     *
     * @param coords a coordinate for each dimension
     * @return the rank
     * @throws MPIException if the call fails
     */
    public int getRank(int[] coords) throws MPIException {
        return Grid.rank(this, "getRank", coords);
    }

    /**
     * The rank this one would have in a grid.
     *
     * @param dims the length of each dimension
     * @param periods which dimensions are rings
     * @return the rank, or {@link MPI#UNDEFINED} if it would not be in it
     * @throws MPIException if the call fails
     */
    public int map(int[] dims, boolean[] periods) throws MPIException {
        long comm = handle("map");
        Grid.check("map", dims, periods, size);
        return Native.cartMap(comm, dims);
    }

    /**
     * The ranks to receive from and to send to if all send in the same direction.
     *
     * @param direction the dimension, from 0 on
     * @param disp how far
     * @return the two ranks, {@link MPI#PROC_NULL} where they are off the grid
     * @throws MPIException if the call fails
     */
    public ShiftParms shift(int direction, int disp) throws MPIException {
        return Grid.shift(this, "shift", direction, disp);
    }

    /**
     * Parts the grid into grids of fewer dimensions. Collective.
     *
     * @param remainDims which dimensions stay
     * @return the grid this rank is in
     * @throws MPIException if the call fails
     */
    public CartComm sub(boolean[] remainDims) throws MPIException {
        return adopt(new CartComm(Get_name() + " sub"), Grid.sub(this, "sub", remainDims));
    }
}
