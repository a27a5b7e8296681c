package mpi;

import corunna.engine.Native;

/** A communicator whose ranks are one group. */
public class Intracomm extends Comm {
    Intracomm(String name) {
        super(name);
    }

    /**
     * A communicator of the same ranks with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Intracomm clone() throws MPIException {
        long made = Native.commDup(handle("clone"));
        return adopt(new Intracomm(Get_name()), made);
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
     * Waits until every rank of the communicator has come here.
     *
     * @throws MPIException if the communicator cannot be used
     */
    public void Barrier() throws MPIException {
        Native.barrier(handle("Barrier"));
    }
}
