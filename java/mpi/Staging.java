// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What short arrays are copied through in the collective calls of a communicator, of which one runs at a time.
 *
 * <p>Where it is the engine's memory ({@link ZeroCopy}), that goes in Finalize, which may come while another thread is
 * in a collective call. The engine keeps its memory as long as a call is in the engine; before and after, Java reads
 * and writes it between {@link #enter} and {@link #leave}, for which Finalize waits. The endpoint knows those that may
 * be there.
 */
final class Staging {
    private static final int CALLS_TO_FIRST_LOOK = 2;
    private static final int CALLS_TO_NEXT_LOOK = 1000;

    /** Nobody is in the engine's memory; a thread is; nobody may be, because it is about to go. */
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final int GONE = 2;

    private final Comm comm;
    private Stage out;
    private Stage in;
    /** What {@link #enter} takes: who sees it as FREE sees what the last one did, and Finalize sees it GONE after
     * that. */
    private final AtomicInteger guard = new AtomicInteger(FREE);
    /** Guarded by {@link #guard}. */
    private ZeroCopy zeroCopy;
    private int callsToLook = CALLS_TO_FIRST_LOOK;

    Staging(Comm comm) {
        this.comm = comm;
    }

    // ---- the engine's memory ----

    /** False: it has gone, or is about to. */
    private boolean enter() {
        while (!guard.compareAndSet(FREE, TAKEN)) {
            if (guard.get() == GONE) {
                return false;
            }
            Thread.yield(); // two threads are in calls of one communicator, which is wrong, but must not hang
        }
        return true;
    }

    private void leave() {
        guard.setRelease(FREE);
    }

    /** Inside: gets hold of the memory, if there is any, unless it is about to go. */
    private void look() {
        if (comm.endpoint.add(this)) {
            zeroCopy = ZeroCopy.of(comm.handle);
        }
    }

    /** Inside: where so many bytes that a call sends can be written, or 0. */
    private long place(long bytes) {
        // It is not there before the first calls, and where messages do the work never.
        if (zeroCopy == null && --callsToLook == 0) {
            look();
            callsToLook = CALLS_TO_NEXT_LOOK;
        }
        return zeroCopy == null ? 0 : zeroCopy.place(bytes);
    }

    /** Can so many bytes that a call sends be written in the engine's memory? */
    boolean hasPlace(long bytes) {
        if (!enter()) {
            return false;
        }
        try {
            return place(bytes) != 0;
        } finally {
            leave();
        }
    }

    /** What is sent lies there now; 0: it cannot. */
    private long putInPlace(Side side) {
        if (!enter()) {
            return 0; // the engine tells why
        }
        try {
            long place = place(side.bytes());
            if (place != 0) {
                put(zeroCopy.memory, place, side);
            }
            return place;
        } finally {
            leave();
        }
    }

    /** The blocks that the engine has left in its memory, from this place on; false: it has gone meanwhile. */
    boolean getInPlace(long place, int blocks, Side side, int count) {
        if (!enter()) {
            return false;
        }
        try {
            if (zeroCopy == null) {
                look();
            }
            if (zeroCopy == null) {
                return false;
            }
            zeroCopy.memory.getBlocks(place, zeroCopy.distance(), blocks, side.buffer, side.basicKind(), side.offset,
                    count);
            return true;
        } finally {
            leave();
        }
    }

    /** The engine's memory is about to go. Waits for the thread that is in it. */
    void close() {
        while (guard.get() != GONE && !guard.compareAndSet(FREE, GONE)) {
            Thread.yield();
        }
    }

    /** The communicator is another one now, with another memory. No thread is in a call of it. */
    void open() {
        zeroCopy = null;
        callsToLook = CALLS_TO_FIRST_LOOK;
        guard.set(FREE);
    }

    // ---- our own ----

    /** Copies what a call sends to where native code takes it from, and returns the address. */
    long put(Side side) {
        long place = putInPlace(side);
        if (place != 0) {
            return place;
        }
        out = atLeast(out, side.bytes());
        put(out, out.address, side);
        return out.address;
    }

    private static void put(Stage stage, long place, Side side) {
        long bytes = side.bytes();
        if (bytes > 0) {
            stage.put(place, side.buffer, side.basicKind(), side.offset, (int) (bytes >> side.type.shift()));
        }
    }

    /** Where results go, at least so many bytes; made by the first call that needs it. */
    Stage in(long bytes) {
        in = atLeast(in, bytes);
        return in;
    }

    private static Stage atLeast(Stage stage, long bytes) {
        if (stage != null && stage.capacity() >= bytes) {
            return stage;
        }
        return new Stage(bytes <= Stage.BYTES ? Stage.BYTES : (int) Math.max(Stage.MANY_BYTES, bytes));
    }
}
