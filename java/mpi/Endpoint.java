// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Ending;
import corunna.engine.Failures;
import corunna.engine.Native;
import corunna.engine.Seat;
import corunna.engine.Settings;
import corunna.engine.Uncaught;
import corunna.object.Gate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * This rank's way into the engine, from {@code MPI.Init} to {@code MPI.Finalize}. Whatever holds a handle of the
 * engine asks the endpoint first, or is told by it, when the handle is no longer good.
 */
final class Endpoint {
    /** Of this class alone, because the engine keeps it for calls that come after Finalize. */
    private static final Failures FAILURES = (code, sentence) -> new MPIException(ErrorClass.of(code), sentence);

    private final Seat seat = Seat.of(Endpoint.class.getClassLoader());
    private final Thread mainThread = Thread.currentThread();
    /** Communicators that were made and not yet freed; Finalize frees them. */
    private final List<Comm> communicators = new ArrayList<>();
    /** Windows that were made and not yet freed: others write to their memory, which stays reachable through them. */
    private final Set<WinCore> windows = new HashSet<>();
    /** Files that were opened and not yet closed: a split access keeps its buffer through them. */
    private final Set<FileCore> files = new HashSet<>();
    /** Those that have been in the engine's memory; what is forgotten never is again. */
    private final Set<Staging> stagings = Collections.newSetFromMap(new WeakHashMap<>());
    /** Guarded by the stagings. */
    private boolean isClosing;
    private final Uncaught uncaught;
    private final Ending ending;
    private final ObjectRoom objects;
    private Intercomm parent;
    /**
     * The engine's rank, 0 once closed. Read without a lock: a thread that has read it, or the handle of a
     * communicator, just before Finalize hears from the engine that it comes too late.
     */
    private long handle;

    Endpoint() {
        Gate gate = openGate();
        handle = seat == null ? Native.open(0, 0, Settings.overrides(), FAILURES) : openSeat(seat);
        objects = new ObjectRoom(handle, gate);
        if (seat != null) {
            seat.setOpen(true);
            uncaught = null; // the job's own threads do that
            ending = null;
        } else {
            uncaught = Uncaught.install(handle);
            ending = Ending.install(handle);
        }
    }

    private static long openSeat(Seat seat) {
        long opened = 0;
        long team = seat.enter();
        try {
            opened = Native.open(team, seat.number(), Settings.overrides(), FAILURES);
            return opened;
        } finally {
            if (opened == 0) {
                seat.giveUp();
            }
        }
    }

    private static Gate openGate() {
        try {
            return Gate.open();
        } catch (IllegalArgumentException e) {
            throw new MPIException(ErrorClass.ARG, "Init: " + e.getMessage(), e);
        }
    }

    boolean isOpen() {
        return handle != 0;
    }

    boolean isMainThread() {
        return Thread.currentThread() == mainThread;
    }

    /** The engine's rank, for a call of this name. */
    long handle(String call) {
        long opened = handle; // read once: Finalize may come in between
        if (opened == 0) {
            throw finalised(call);
        }
        return opened;
    }

    static MPIException finalised(String call) {
        return new MPIException(ErrorClass.OTHER, call + ": MPI has been finalised");
    }

    /** What it takes to send and receive objects, for a call of this name. */
    ObjectRoom objects(String call) {
        handle(call);
        return objects;
    }

    /** This rank in the job. */
    int number() {
        return Native.commRank(Native.world(handle("Rank")));
    }

    /** The communicator with the job that has started this one, or null. */
    synchronized Intercomm parent() {
        long started = Native.parent(handle("getParent"));
        if (parent == null && started != 0) {
            parent = new Intercomm("MPI.COMM_PARENT");
            parent.bind(this, started);
            add(parent);
        }
        return parent;
    }

    /** Which of the job's programs this is; 0 if there is one. */
    int program() {
        return Native.rankProgram(handle("Get_attr"));
    }

    /** For how many processes the job's hosts have slots, or null where the launcher does not tell. */
    Integer universe() {
        int slots = Native.rankUniverse(handle("Get_attr"));
        return slots > 0 ? slots : null;
    }

    String host() {
        return Native.host(handle("Get_processor_name"));
    }

    void add(Comm comm) {
        synchronized (communicators) {
            communicators.add(comm);
        }
    }

    void remove(Comm comm) {
        synchronized (communicators) {
            communicators.remove(comm);
        }
    }

    void add(WinCore win) {
        synchronized (windows) {
            windows.add(win);
        }
    }

    void remove(WinCore win) {
        synchronized (windows) {
            windows.remove(win);
        }
    }

    void add(FileCore file) {
        synchronized (files) {
            files.add(file);
        }
    }

    void remove(FileCore file) {
        synchronized (files) {
            files.remove(file);
        }
    }

    /** Threads may be in the engine's memory from here on; false: it is about to go. */
    boolean add(Staging staging) {
        synchronized (stagings) {
            stagings.add(staging); // it may be there already
            return !isClosing;
        }
    }

    private void closeStagings() {
        List<Staging> all;
        synchronized (stagings) {
            isClosing = true;
            all = new ArrayList<>(stagings);
            stagings.clear();
        }
        all.forEach(Staging::close);
    }

    /** Collective. Afterwards every handle of this rank is void, and the objects that had one know it. */
    void close() {
        long closing = handle("Finalize");
        synchronized (communicators) {
            for (Comm comm : communicators) {
                comm.unbind(); // other threads may wait in it: the engine frees it once they do not
            }
            communicators.clear();
        }
        synchronized (windows) {
            windows.forEach(WinCore::unbind);
        }
        synchronized (files) {
            files.forEach(FileCore::unbind);
        }
        if (uncaught != null) {
            uncaught.uninstall();
            ending.uninstall();
        }
        handle = 0;
        closeStagings();
        try {
            Native.close(closing);
        } finally {
            synchronized (windows) {
                windows.clear();
            }
            synchronized (files) {
                files.forEach(FileCore::forget);
                files.clear();
            }
            objects.close();
            if (seat != null) {
                seat.setOpen(false);
            }
        }
    }

    /** Ends the whole job. */
    void abort(int status) {
        long opened = handle("Abort");
        int number = Native.commRank(Native.world(opened));
        Native.abort(opened, status, "MPI.Abort(" + status + ") was called by rank " + number);
        if (seat != null) {
            seat.end(status);
        }
        Runtime.getRuntime().halt(status);
    }
}
