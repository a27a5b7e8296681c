// SPDX-License-Identifier: Apache-2.0
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
final class ZeroCopy {
    /** By the ZCOPY_ numbers of {@link Native}; the engine renews it in every call. */
    private final LongBuffer state;
    /** The memory, of all ranks. */
    final Stage memory;

    private ZeroCopy(ByteBuffer state, ByteBuffer memory) {
        this.state = state.order(ByteOrder.nativeOrder()).asLongBuffer();
        this.memory = new Stage(memory);
    }

    /** That of a communicator, or null if it has none, or none before its first call. */
    static ZeroCopy of(long comm) {
        ByteBuffer state = Native.zeroCopy(comm);
        return state == null ? null : new ZeroCopy(state, Native.zeroCopyMemory(comm));
    }

    /** Where so many bytes that the next call sends may be written, or 0. */
    long place(long length) {
        return length <= state.get(Native.ZCOPY_BYTES) ? state.get(Native.ZCOPY_PLACE) : 0;
    }

    /** How far the blocks are apart that the last call has left here. */
    long distance() {
        return state.get(Native.ZCOPY_DISTANCE);
    }
}
