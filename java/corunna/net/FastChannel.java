// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Native;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Arrays of primitive types, and parts of them, over a socket, without serialization: over a fast connection straight
 * from the array to the ring of shared memory, and from there straight to the array.
 *
 * <p>On the wire an element is its bytes in little-endian order, nothing else: no header, no length, no type. That is
 * the native order of all machines on which connections can be fast, and the fixed order over TCP. So the other end may
 * be anything that reads and writes such bytes, a {@code ByteBuffer} with {@link ByteOrder#LITTLE_ENDIAN} or a C
 * program. Both ends must know what comes next.
 *
 * <p>A channel shares its socket: bytes that the socket's streams read or write stand in the same order as the arrays.
 * Over a socket that does more with its bytes, as TLS does, the channel reads and writes that socket's streams.
 *
 * <p>One thread may read while another one writes; several that do the same take turns, array by array.
 */
public final class FastChannel {
    private final Ways ways;

    private FastChannel(Ways ways) {
        this.ways = ways;
    }

    /** How the bytes go. */
    interface Ways {
        void write(Object array, int kind, long offset, long bytes) throws IOException;

        /** Fewer may come; -1 is the end. */
        long read(Object array, int kind, long offset, long bytes) throws IOException;

        boolean isFast();
    }

    /**
     * A channel over a connected socket, of any kind.
     *
     * @param socket the socket
     * @return the channel; closing the socket closes it
     * @throws IOException if the socket is not connected
     */
    public static FastChannel of(Socket socket) throws IOException {
        if (!socket.isConnected()) {
            throw new IOException("the socket is not connected; connect it before FastChannel.of");
        }
        boolean isNative = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        FastSocketImpl impl = isNative ? FastSocketImpl.of(socket) : null;
        return new FastChannel(impl != null ? new ArrayWays(impl) : new StreamWays(socket));
    }

    /**
     * Do arrays go through shared memory? Not before the first bytes of the connection have gone.
     *
     * @return true if they do in both directions
     */
    public boolean isFast() {
        return ways.isFast();
    }

    private void write(Object array, int kind, int shift, int offset, int length, int room) throws IOException {
        Objects.checkFromIndexSize(offset, length, room);
        if (length > 0) {
            ways.write(array, kind, (long) offset << shift, (long) length << shift);
        }
    }

    private void read(Object array, int kind, int shift, int offset, int length, int room) throws IOException {
        Objects.checkFromIndexSize(offset, length, room);
        long wanted = (long) length << shift;
        for (long done = 0; done < wanted;) {
            long got = ways.read(array, kind, ((long) offset << shift) + done, wanted - done);
            if (got < 0) {
                throw new EOFException("the stream has ended after " + done + " of " + wanted + " bytes");
            }
            done += got;
        }
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(byte[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_BYTE, 0, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(byte[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_BYTE, 0, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(char[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_CHAR, 1, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(char[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_CHAR, 1, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(short[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_SHORT, 1, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(short[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_SHORT, 1, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(int[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_INT, 2, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(int[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_INT, 2, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(long[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_LONG, 3, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(long[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_LONG, 3, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(float[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_FLOAT, 2, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(float[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_FLOAT, 2, offset, length, array.length);
    }

    /**
     * Writes a part of an array.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws IOException if the connection fails
     */
    public void write(double[] array, int offset, int length) throws IOException {
        write(array, Native.KIND_DOUBLE, 3, offset, length, array.length);
    }

    /**
     * Reads a part of an array, all of it.
     *
     * @param array the array
     * @param offset the first element
     * @param length how many
     * @throws EOFException if the stream ends before
     * @throws IOException if the connection fails, or the socket's time-out passes while nothing comes
     */
    public void read(double[] array, int offset, int length) throws IOException {
        read(array, Native.KIND_DOUBLE, 3, offset, length, array.length);
    }
}
