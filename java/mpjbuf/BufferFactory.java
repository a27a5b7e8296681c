// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import corunna.engine.BufferPool;
import mpi.MPIException;

/**
 * Makes the memory of buffers. What {@link #destroy} gets is kept, up to 64 MiB or an eighth of the heap in
 * all ranks of a JVM together, and {@link #create} hands it out again, as it is. Without {@link #destroy} the garbage
 * collector takes it. {@link #init} and {@link #shut} mean nothing.
 */
public final class BufferFactory {
    private BufferFactory() {
    }

    /**
     * Does nothing: there is one way to make memory.
     *
     * @param strategy how MPJ Express shall keep it, for example {@code Buddy1}
     */
    public static void init(String strategy) {
    }

    /**
     * Can memory be made?
     *
     * @return true
     */
    public static boolean initialized() {
        return true;
    }

    /**
     * Makes memory.
     *
     * @param size bytes
     * @return memory of that size, with any content
     * @throws MPIException if the size is negative
     */
    public static RawBuffer create(int size) {
        if (size < 0) {
            throw new MPIException("BufferFactory.create: size is " + size + "; it cannot be negative");
        }
        return new NIOBuffer(size, BufferPool.ONLY);
    }

    /**
     * Says that the memory is no longer needed: another may get it. From now on it has no bytes, and a {@link Buffer}
     * in it must not be used any more.
     *
     * @param buffer the memory
     */
    public static void destroy(RawBuffer buffer) {
        if (buffer != null) {
            buffer.free();
        }
    }

    /** Does nothing. */
    public static void shut() {
    }
}
