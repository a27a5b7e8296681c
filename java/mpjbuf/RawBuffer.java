// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

/** The memory of a {@link Buffer}, as {@link BufferFactory} makes it. */
public interface RawBuffer {
    /**
     * How long it is.
     *
     * @return bytes
     */
    int getCapacity();

    /** Says that it is no longer needed. */
    void free();

    /**
     * Writes one byte.
     *
     * @param value the byte
     * @param offset where
     */
    void putByte(int value, int offset);

    /**
     * Reads one byte.
     *
     * @param offset where
     * @return the byte, with its sign
     */
    int getByte(int offset);

    /**
     * Writes an int in the byte order of the machine.
     *
     * @param value the int
     * @param offset where
     */
    void putInt(int value, int offset);

    /**
     * Reads an int.
     *
     * @param offset where
     * @param isReversed whether it is in the other byte order than the machine's
     * @return the int
     */
    int getInt(int offset, boolean isReversed);
}
