// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import mpi.MPIException;

/**
 * Makes the memory of buffers. There is no pool behind it: {@link #destroy} may be called but need not, and
 * {@link #init} and {@link #shut} mean nothing.
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
     * @return memory of at least that size
     * @throws MPIException if the size is negative
     */
    public static RawBuffer create(int size) {
        if (size < 0) {
            throw new MPIException("BufferFactory.create: size is " + size + "; it cannot be negative");
        }
        return new NIOBuffer(size);
    }

    /**
     * Says that the memory is no longer needed.
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
