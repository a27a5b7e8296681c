// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** A communicator that joins two groups: messages go from one side to the other. */
public class Intercomm extends Comm {
    Intercomm(String name) {
        super(name);
    }

    /**
     * The engine's communicator of this number.
     *
     * @param handle the number; 0 for the null communicator
     */
    protected Intercomm(long handle) {
        super(handle);
    }

    /**
     * A communicator and the request that tells when it may be used.
     *
     * @param handles the two numbers
     */
    protected Intercomm(long[] handles) {
        super(handles);
    }

    /**
     * A communicator of the same two sides with a space of messages of its own. Collective over both.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intercomm clone() throws MPIException {
        return (Intercomm) super.clone();
    }

    @Override
    Intercomm sibling(String name) {
        return new Intercomm(name);
    }

    /**
     * How many ranks the other side has.
     *
     * @return at least 1
     * @throws MPIException if the communicator cannot be used
     */
    public int Remote_size() throws MPIException {
        handle("Remote_size");
        return peers;
    }

    /**
     * The ranks of the other side.
     *
     * @return the group
     * @throws MPIException if the communicator cannot be used
     */
    public Group Remote_group() throws MPIException {
        handle("Remote_group");
        return group(true);
    }

    /**
     * One communicator of both sides. Collective over both.
     *
     * @param high true on one side: its ranks come behind those of the other
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used, or ranks of one side gave different values
     */
    public Intracomm Merge(boolean high) throws MPIException {
        long made = Native.intercommMerge(handle("Merge"), high);
        return adopt(new Intracomm(Get_name() + " merged"), made);
    }

    // ---- by the names of the Open MPI Java bindings ----

    /**
     * A communicator of the same two sides with a space of messages of its own. Collective over both.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intercomm dup() throws MPIException {
        return (Intercomm) super.dup();
    }

    /**
     * As {@link #dup()}, with hints of its own.
     *
     * @param info hints
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intercomm dupWithInfo(Info info) throws MPIException {
        return (Intercomm) super.dupWithInfo(info);
    }

    /**
     * Starts a {@link #dup()}. The new communicator may be used when the request that it has is complete.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intercomm iDup() throws MPIException {
        return (Intercomm) super.iDup();
    }

    /**
     * How many ranks the other side has.
     *
     * @return at least 1
     * @throws MPIException if the communicator cannot be used
     */
    public int getRemoteSize() throws MPIException {
        return Remote_size();
    }

    /**
     * The ranks of the other side.
     *
     * @return the group
     * @throws MPIException if the communicator cannot be used
     */
    public Group getRemoteGroup() throws MPIException {
        return Remote_group();
    }

    /**
     * One communicator of both sides. Collective over both.
     *
     * @param high true on one side: its ranks come behind those of the other
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used, or ranks of one side gave different values
     */
    public Intracomm merge(boolean high) throws MPIException {
        return Merge(high);
    }

    /**
     * The communicator with the job that started this one by {@link Intracomm#spawn}.
     *
     * @return the communicator; a null communicator if no job did, or it was freed or disconnected
     * @throws MPIException if MPI is not initialised
     */
    public static Intercomm getParent() throws MPIException {
        Intercomm parent = MPI.current("getParent").parent();
        return parent == null || parent.handle == 0 ? new Intercomm("MPI.COMM_NULL") : parent;
    }
}
