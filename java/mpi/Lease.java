package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The engine's own memory in which the ranks of a communicator on one machine exchange data. Java writes what the next
 * collective call sends straight there, and takes out of it what the last one received, with no copy in between and no
 * call back into the virtual machine.
 */
final class Lease {
    private static final int LEAF = 0;
    private static final int TRAY = 1;

    /** Where the next call's data may be written: addresses that every call renews; 0: not now. */
    private final LongBuffer places;
    /** All of it, of all ranks. */
    final Stage memory;

    private Lease(ByteBuffer places, ByteBuffer memory) {
        this.places = places.order(ByteOrder.nativeOrder()).asLongBuffer();
        this.memory = new Stage(memory);
    }

    /** That of a communicator, or null if it has none, or none before its first call. */
    static Lease of(long comm) {
        ByteBuffer places = Native.lease(comm);
        return places == null ? null : new Lease(places, Native.leased(comm));
    }

    /** Where so many bytes that a call sends may be written, or 0. */
    long place(int primitive, long bytes) {
        if (bytes <= Native.LEAF_BYTES) {
            return places.get(LEAF);
        }
        return primitive == Native.ALLTOALL && bytes <= Native.TRAY_BYTES ? places.get(TRAY) : 0;
    }
}
