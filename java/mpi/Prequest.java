package mpi;

import corunna.engine.Native;

/** A persistent request: prepared once, started as often as wanted, completed each time like any other. */
public class Prequest extends Request {
    Prequest(Endpoint endpoint, long handle, Datatype type) {
        super(endpoint, handle, type, false, MPI.ANY_SOURCE, MPI.ANY_TAG); // it may be waited for while inactive
    }

    @Override
    boolean isPersistent() {
        return true;
    }

    /**
     * Starts the operation.
     *
     * @throws MPIException if the request is null or already active
     */
    public void Start() throws MPIException {
        long started = active("Start");
        if (!Native.start(rank("Start"), started)) {
            throw new MPIException(ErrorClass.REQUEST, "Start: the request is already active");
        }
    }

    /**
     * Starts several operations, in the order of the array.
     *
     * @param requests the operations
     * @throws MPIException if one of the requests is null or already active
     */
    public static void Startall(Prequest[] requests) throws MPIException {
        if (requests == null) {
            throw new MPIException(ErrorClass.REQUEST, "Startall: the array of requests is null");
        }
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] == null) {
                throw new MPIException(ErrorClass.REQUEST, "Startall: request " + i + " of " + requests.length
                        + " is a null reference");
            }
            requests[i].Start();
        }
    }
}
