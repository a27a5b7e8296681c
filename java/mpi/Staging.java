// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What short arrays are copied through in the collective calls of a communicator, of which one runs at a time. */
final class Staging {
    private static final int CALLS_TO_FIRST_LOOK = 2;
    private static final int CALLS_TO_NEXT_LOOK = 1000;

    private final Comm comm;
    private Stage out;
    private Stage in;
    private ZeroCopy zeroCopy;
    private int callsToLook = CALLS_TO_FIRST_LOOK;

    Staging(Comm comm) {
        this.comm = comm;
    }

    /** Copies what a call sends to where native code takes it from, and returns the address. */
    long put(int primitive, Side side) {
        long bytes = side.bytes();
        long place = placeOf(primitive, bytes);
        Stage stage = place != 0 ? zeroCopy.memory : out();
        if (place == 0) {
            place = stage.address;
        }
        if (bytes > 0) {
            stage.put(place, side.buffer, side.basicKind(), side.offset, (int) (bytes >> side.type.shift()));
        }
        return place;
    }

    /** Where so many bytes that a call sends can be written in the engine's memory, or 0. */
    long placeOf(int primitive, long bytes) {
        // It is not there before the first calls, and where messages do the work never.
        if (zeroCopy == null && --callsToLook == 0) {
            zeroCopy = ZeroCopy.of(comm.handle);
            callsToLook = CALLS_TO_NEXT_LOOK;
        }
        return zeroCopy == null ? 0 : zeroCopy.place(primitive, bytes);
    }

    private Stage out() {
        if (out == null) {
            out = new Stage(Stage.BYTES);
        }
        return out;
    }

    /** Where results go, at least so many bytes; made by the first call that needs it. */
    Stage in(long bytes) {
        if (in == null || in.capacity() < bytes) {
            in = new Stage(bytes <= Stage.BYTES ? Stage.BYTES : Stage.MANY_BYTES);
        }
        return in;
    }

    /** The engine's memory, in which it has left what was received. */
    ZeroCopy received() {
        if (zeroCopy == null) {
            zeroCopy = ZeroCopy.of(comm.handle);
        }
        return zeroCopy;
    }

    /** The memory of another communicator counts no longer. */
    void forget() {
        zeroCopy = null;
        callsToLook = CALLS_TO_FIRST_LOOK;
    }
}
