// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Native;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays over the streams of any socket, through a buffer that puts their elements into little-endian order. */
final class StreamWays implements FastChannel.Ways {
    private static final int BUFFER_BYTES = 8192;

    private final InputStream in;
    private final OutputStream out;
    private final ByteBuffer inBuffer = buffer();
    private final ByteBuffer outBuffer = buffer();

    StreamWays(Socket socket) throws IOException {
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public boolean isFast() {
        return false;
    }

    @Override
    public void write(Object array, int kind, long offset, long bytes) throws IOException {
        if (kind == Native.KIND_BYTE) {
            out.write((byte[]) array, (int) offset, (int) bytes);
            return;
        }
        int shift = shift(kind);
        synchronized (outBuffer) {
            for (long done = 0; done < bytes;) {
                int piece = (int) Math.min(BUFFER_BYTES, bytes - done);
                outBuffer.clear();
                put(array, kind, (int) (offset + done >> shift), piece >> shift);
                out.write(outBuffer.array(), 0, piece);
                done += piece;
            }
        }
    }

    /** Whole elements, as many as the buffer has room for. */
    @Override
    public long read(Object array, int kind, long offset, long bytes) throws IOException {
        if (kind == Native.KIND_BYTE) {
            return in.read((byte[]) array, (int) offset, (int) bytes);
        }
        int shift = shift(kind);
        synchronized (inBuffer) {
            int piece = (int) Math.min(BUFFER_BYTES, bytes);
            if (in.readNBytes(inBuffer.array(), 0, piece) < piece) {
                return -1;
            }
            inBuffer.clear();
            get(array, kind, (int) (offset >> shift), piece >> shift);
            return piece;
        }
    }

    private static int shift(int kind) {
        switch (kind) {
            case Native.KIND_CHAR:
            case Native.KIND_SHORT:
                return 1;
            case Native.KIND_INT:
            case Native.KIND_FLOAT:
                return 2;
            default:
                return 3;
        }
    }

    private void put(Object array, int kind, int at, int count) {
        switch (kind) {
            case Native.KIND_CHAR:
                outBuffer.asCharBuffer().put((char[]) array, at, count);
                break;
            case Native.KIND_SHORT:
                outBuffer.asShortBuffer().put((short[]) array, at, count);
                break;
            case Native.KIND_INT:
                outBuffer.asIntBuffer().put((int[]) array, at, count);
                break;
            case Native.KIND_LONG:
                outBuffer.asLongBuffer().put((long[]) array, at, count);
                break;
            case Native.KIND_FLOAT:
                outBuffer.asFloatBuffer().put((float[]) array, at, count);
                break;
            default:
                outBuffer.asDoubleBuffer().put((double[]) array, at, count);
        }
    }

    private void get(Object array, int kind, int at, int count) {
        switch (kind) {
            case Native.KIND_CHAR:
                inBuffer.asCharBuffer().get((char[]) array, at, count);
                break;
            case Native.KIND_SHORT:
                inBuffer.asShortBuffer().get((short[]) array, at, count);
                break;
            case Native.KIND_INT:
                inBuffer.asIntBuffer().get((int[]) array, at, count);
                break;
            case Native.KIND_LONG:
                inBuffer.asLongBuffer().get((long[]) array, at, count);
                break;
            case Native.KIND_FLOAT:
                inBuffer.asFloatBuffer().get((float[]) array, at, count);
                break;
            default:
                inBuffer.asDoubleBuffer().get((double[]) array, at, count);
        }
    }
}
