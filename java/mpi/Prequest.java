// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** A persistent request: prepared once, started as often as wanted, completed each time like any other. */
public class Prequest extends Request {
    /** How to start anew a request of objects or sections, which the engine cannot keep; else null. */
    private final Recipe recipe;
    private boolean isFreed;

    Prequest(Endpoint endpoint, long handle, Datatype type) {
        super(endpoint, handle, type, false, MPI.ANY_SOURCE, MPI.ANY_TAG); // it may be waited for while inactive
        this.recipe = null;
    }

    private Prequest(Endpoint endpoint, Datatype type, Recipe recipe) {
        super(endpoint, 0, type, null);
        this.recipe = recipe;
    }

    /** A send of a buffer that is not plain. */
    static Prequest send(Comm comm, String call, int mode, Side side, int dest, int tag) {
        Datatype type = side.type;
        if (type.isObject() || type.isSections(side.buffer)) {
            side.check(call);
            return new Prequest(comm.endpoint, type, new Recipe(comm, mode, side, dest, tag));
        }
        Cargo cargo = Cargo.out(call, comm.endpoint, side);
        long request = Native.sendInit(comm.handle(call), cargo.target, cargo.at, cargo.bytes, cargo.messageKind(),
                dest, tag, mode);
        cargo.leave();
        return new Prequest(comm.endpoint, request, type);
    }

    /** A receive into a buffer that is not plain. */
    static Prequest receive(Comm comm, Side side, int source, int tag) {
        String call = "Recv_init";
        Datatype type = side.type;
        if (type.isObject() || type.isSections(side.buffer)) {
            side.check(call);
            return new Prequest(comm.endpoint, type, new Recipe(comm, Recipe.RECEIVE, side, source, tag));
        }
        Cargo cargo = Cargo.in(call, comm.endpoint, side);
        long request = Native.recvInit(comm.handle(call), cargo.target, cargo.at, cargo.bytes, cargo.messageKind(),
                source, tag);
        cargo.leave();
        return new Prequest(comm.endpoint, request, type);
    }

    @Override
    boolean isPersistent() {
        return recipe == null;
    }

    @Override
    public boolean Is_null() {
        return recipe == null ? super.Is_null() : isFreed;
    }

    @Override
    public void Free() throws MPIException {
        super.Free();
        isFreed = true;
    }

    /**
     * Starts the operation.
     *
     * @throws MPIException if the request is null or already active
     */
    public void Start() throws MPIException {
        if (recipe != null) {
            startRecipe();
            return;
        }
        long started = active("Start");
        if (!Native.start(rank("Start"), started)) {
            throw alreadyActive();
        }
    }

    private void startRecipe() {
        rank("Start");
        if (isFreed) {
            throw new MPIException(ErrorClass.REQUEST, "Start: the request is null");
        }
        if (!super.Is_null()) {
            throw alreadyActive();
        }
        recipe.start(this);
    }

    private static MPIException alreadyActive() {
        return new MPIException(ErrorClass.REQUEST, "Start: the request is already active");
    }

    /**
     * Starts several operations, in the order of the array.
     *
     * @param requests the operations; null references are passed over
     * @throws MPIException if one of the requests has been freed or is already active
     */
    public static void Startall(Prequest[] requests) throws MPIException {
        if (requests == null) {
            throw new MPIException(ErrorClass.REQUEST, "Startall: the array of requests is null");
        }
        for (Prequest request : requests) {
            if (request != null) {
                request.Start();
            }
        }
    }

    /**
     * Starts the operation.
     *
     * @throws MPIException if the request is null or already active
     */
    public void start() throws MPIException {
        Start();
    }

    /**
     * Starts several operations, in the order of the array.
     *
     * @param requests the operations; null references are passed over
     * @throws MPIException if one of the requests has been freed or is already active
     */
    public static void startAll(Prequest[] requests) throws MPIException {
        Startall(requests);
    }

    /** All that such a send or receive needs. Objects are serialised, and sections taken, when it is started. */
    private static final class Recipe {
        static final int RECEIVE = -1;

        private final Comm comm;
        private final int mode;
        private final Side side;
        private final int peer;
        private final int tag;

        Recipe(Comm comm, int mode, Side side, int peer, int tag) {
            this.comm = comm;
            this.mode = mode;
            this.side = side;
            this.peer = peer;
            this.tag = tag;
        }

        void start(Prequest request) {
            long handle = comm.handle("Start");
            if (mode == RECEIVE) {
                Cargo cargo = Cargo.in("Start", comm.endpoint, side);
                request.restart(Native.irecv(handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), peer,
                        tag, "Start"), cargo);
                return;
            }
            Cargo cargo = Cargo.out("Start", comm.endpoint, side);
            try {
                request.restart(Native.isend(handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), peer,
                        tag, mode, "Start"), null);
            } finally {
                cargo.leave();
            }
        }
    }
}
