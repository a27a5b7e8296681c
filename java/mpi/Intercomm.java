package mpi;

import corunna.engine.Native;

/** A communicator that joins two groups: messages go from one side to the other. */
public class Intercomm extends Comm {
    Intercomm(String name) {
        super(name);
    }

    /**
     * A communicator of the same two sides with a space of messages of its own. Collective over both.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intercomm clone() throws MPIException {
        long made = Native.commDup(handle("clone"));
        return adopt(new Intercomm(Get_name() + " clone"), made);
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
}
