// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.util.Arrays;

/** A communicator whose ranks are one group. */
public class Intracomm extends ProcessCalls {
    Intracomm(String name) {
        super(name);
    }

    /** A communicator that cannot be used yet. */
    protected Intracomm() {
        super("communicator");
    }

    /**
     * The engine's communicator of this number.
     *
     * @param handle the number; 0 for the null communicator
     */
    protected Intracomm(long handle) {
        super("communicator");
        if (handle != 0) {
            bind(MPI.current("Intracomm"), handle);
        }
    }

    /**
     * A communicator and the request that tells when it may be used.
     *
     * @param handles the two numbers
     */
    protected Intracomm(long[] handles) {
        this(handles[0]);
    }

    /**
     * A communicator of the same ranks with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intracomm clone() throws MPIException {
        return (Intracomm) super.clone();
    }

    @Override
    Intracomm sibling(String name) {
        return new Intracomm(name);
    }

    /**
     * Parts the communicator into one for each colour. Collective.
     *
     * @param colour ranks that give the same come together; {@link MPI#UNDEFINED} for none
     * @param key orders the ranks of the new communicator; where equal, their old order does
     * @return the new communicator, or null for {@link MPI#UNDEFINED}
     * @throws MPIException if the colour is negative or the communicator cannot be used
     */
    public Intracomm Split(int colour, int key) throws MPIException {
        long comm = handle("Split");
        if (colour < 0 && colour != MPI.UNDEFINED) {
            throw new MPIException(ErrorClass.ARG, "Split: colour is " + colour
                    + "; it cannot be negative, except MPI.UNDEFINED");
        }
        long made = Native.commSplit(comm, colour, key);
        return made == 0 ? null : adopt(new Intracomm(Get_name() + " split " + colour), made);
    }

    /**
     * A communicator of some of the ranks. Collective over all.
     *
     * @param group which ranks, all of them in this communicator
     * @return the new communicator, or null for ranks that are not in the group
     * @throws MPIException if the group is null or has ranks that are not in this communicator
     */
    public Intracomm Create(Group group) throws MPIException {
        long comm = handle("Create");
        checkMembers("Create", group);
        long made = Native.commCreate(comm, group.members());
        return made == 0 ? null : adopt(new Intracomm(Get_name() + " part"), made);
    }

    /** A group whose ranks are all in this communicator. */
    final void checkMembers(String call, Group group) {
        Group.require(call, group);
        int[] ranks = new int[group.Size()];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = i;
        }
        for (int rank : Group.Translate_ranks(group, ranks, Group())) {
            if (rank == MPI.UNDEFINED) {
                throw new MPIException(ErrorClass.GROUP,
                        call + ": the group has a rank that is not in the communicator");
            }
        }
    }

    /**
     * As {@link #Create}, by the name it has in mpiJava.
     *
     * @param group as for {@link #Create}
     * @return as {@link #Create}
     * @throws MPIException as {@link #Create}
     */
    public Intracomm Creat(Group group) throws MPIException {
        return Create(group);
    }

    /**
     * A communicator whose ranks form a grid, in row-major order. Collective.
     *
     * @param dims the length of each dimension
     * @param periods which dimensions are rings
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator, or null for ranks beyond the grid
     * @throws MPIException if the arrays are null or of different length, a dimension is less than 1, or the grid has
     *     more places than the communicator ranks
     */
    public Cartcomm Create_cart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        long comm = handle("Create_cart");
        Grid.check("Create_cart", dims, periods, Size());
        long made = Native.cartCreate(comm, dims, periods);
        return made == 0 ? null : adopt(new Cartcomm(Get_name() + " grid " + Arrays.toString(dims)), made);
    }

    /**
     * A communicator whose ranks are the nodes of a graph. Collective.
     *
     * @param index for each node where in {@code edges} its neighbours end
     * @param edges the neighbours, node by node
     * @param reorder whether ranks may be given other numbers; they keep theirs
     * @return the new communicator, or null for ranks beyond the nodes
     * @throws MPIException if the arrays are null or do not describe a graph, or it has more nodes than ranks
     */
    public Graphcomm Create_graph(int[] index, int[] edges, boolean reorder) throws MPIException {
        long comm = handle("Create_graph");
        Graphcomm.checkGraph("Create_graph", index, edges, Size());
        long made = Native.graphCreate(comm, index, edges);
        return made == 0 ? null : adopt(new Graphcomm(Get_name() + " graph"), made);
    }
}
