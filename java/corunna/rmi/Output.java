// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.rmi.Remote;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the messages of one side of a connection ({@link Frame}). One thread at a time. After an exception the
 * connection is of no use.
 */
final class Output extends OutputStream {
    private static final int HEAD_BYTES = Integer.BYTES;

    private final OutputStream sink;
    private final Elements elements;
    private final Exports exports;
    private final boolean isWhole;
    /** One frame: its head and its bytes. */
    private final ByteBuffer frame = ByteBuffer.allocate(HEAD_BYTES + Frame.CAPACITY);
    /** The classes that the other side knows, and their numbers. */
    private final Map<Class<?>, Integer> described = new IdentityHashMap<>();

    // Of one message.
    /** What was sent by itself: arrays, and strings where no object is sent that could refer to them. */
    private final Map<Object, SentArray> arrays = new IdentityHashMap<>();
    private boolean hasObjects;
    private CallOutput stream;
    /** What must not be collected while the message is on its way. */
    private final List<Object> held = new ArrayList<>();

    /** Messages to a peer whose object streams must be whole, or need not. */
    Output(Socket socket, Exports exports, boolean isWhole) throws IOException {
        sink = socket.getOutputStream();
        elements = new Elements(socket);
        this.exports = exports;
        this.isWhole = isWhole;
    }

    /** Begins a message of this kind. */
    void begin(int kind) {
        frame.clear().position(HEAD_BYTES);
        putByte(kind);
    }

    /** Ends the message and sends what is left of it. Remote objects in it live on until {@link #forget}. */
    void end() throws IOException {
        if (stream != null) {
            stream.flush();
        }
        if (!arrays.isEmpty()) { // after many, clearing takes time
            arrays.clear();
        }
        stream = null;
        hasObjects = false;
        send(Frame.LAST);
    }

    /** The message has been read at the other side. */
    void forget() {
        held.clear();
    }

    private void send(int last) throws IOException {
        frame.putInt(0, frame.position() - HEAD_BYTES << Frame.SIZE_SHIFT | last);
        sink.write(frame.array(), 0, frame.position());
        frame.clear().position(HEAD_BYTES);
    }

    private ByteBuffer room(int bytes) throws IOException {
        if (frame.remaining() < bytes) {
            send(0);
        }
        return frame;
    }

    // ---- primitive values ----

    private void putByte(int value) {
        frame.put((byte) value);
    }

    void putShort(short value) throws IOException {
        room(Short.BYTES).putShort(value);
    }

    void putInt(int value) throws IOException {
        room(Integer.BYTES).putInt(value);
    }

    void putLong(long value) throws IOException {
        room(Long.BYTES).putLong(value);
    }

    /** A value of a kind of {@link Signature}. */
    void putValue(char kind, Object value) throws IOException {
        room(Long.BYTES);
        switch (kind) {
        case 'Z':
            putByte((Boolean) value ? 1 : 0);
            break;
        case 'B':
            frame.put((Byte) value);
            break;
        case 'C':
            frame.putChar((Character) value);
            break;
        case 'S':
            frame.putShort((Short) value);
            break;
        case 'I':
            frame.putInt((Integer) value);
            break;
        case 'J':
            frame.putLong((Long) value);
            break;
        case 'F':
            frame.putFloat((Float) value);
            break;
        case 'D':
            frame.putDouble((Double) value);
            break;
        case 'V':
            break;
        default:
            putReference(value);
        }
    }

    // ---- references ----

    private void putReference(Object value) throws IOException {
        if (value == null) {
            putByte(Frame.NULL);
        } else if (Elements.kind(value.getClass()) >= 0) {
            SentArray sent = sendArray(value);
            room(Long.BYTES).put((byte) Frame.ARRAY).putInt(sent.number);
        } else if (isBytes(value) && !hasObjects) {
            putString((String) value);
        } else {
            putObject(value);
        }
    }

    private void putString(String value) throws IOException {
        SentArray sent = arrays.putIfAbsent(value, new SentArray(arrays.size()));
        if (sent != null) {
            room(Long.BYTES).put((byte) Frame.ARRAY).putInt(sent.number);
            return;
        }
        putByte(Frame.STRING);
        frame.putInt(value.length());
        write(value.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void putObject(Object value) throws IOException {
        room(1);
        putByte(Frame.OBJECT);
        if (stream == null) {
            stream = new CallOutput(this);
        }
        stream.writeObject(value);
        stream.flush();
    }

    /** Is it a string whose characters are bytes? */
    private static boolean isBytes(Object value) {
        if (value.getClass() != String.class) {
            return false;
        }
        String text = (String) value;
        int all = 0;
        for (int i = 0; i < text.length(); i++) {
            all |= text.charAt(i);
        }
        return all <= 0xFF;
    }

    private SentArray sendArray(Object array) throws IOException {
        SentArray sent = arrays.get(array);
        if (sent == null) {
            sent = new SentArray(arrays.size());
            arrays.put(array, sent);
            if (frame.position() > HEAD_BYTES) {
                send(0); // the object first, whose filter has a say
            }
            frame.putInt(0, Integer.MIN_VALUE | Elements.kind(array.getClass()));
            frame.putInt(Elements.length(array));
            sink.write(frame.array(), 0, frame.position());
            elements.write(array);
            frame.clear().position(HEAD_BYTES);
        }
        return sent;
    }

    /**
     * Sends an argument that is an array ahead of the others, so that the same array in one of them is known. Strings
     * cannot be sent ahead: beside an argument that is another object they go the way of that.
     */
    void announce(Object argument) throws IOException {
        if (argument == null) {
            return;
        }
        if (Elements.kind(argument.getClass()) >= 0) {
            sendArray(argument);
        } else if (!hasObjects) {
            hasObjects = !isBytes(argument);
        }
    }

    /** What stands for an array in the object stream: itself, or a {@link SentArray}. */
    Object placeOf(Object array) throws IOException {
        SentArray sent = arrays.get(array);
        if (sent != null) {
            return sent;
        }
        long bytes = Elements.bytes(Elements.kind(array.getClass()), Elements.length(array));
        return bytes < Frame.ARRAY_MIN_BYTES || isWhole ? array : sendArray(array);
    }

    /** A remote object goes as its stub, and lives at least until the other side has a lease on it. */
    Object stubOf(Remote object) {
        held.add(exports.holdOf(object));
        return Exports.stubOf(object);
    }

    /** The number of a class that the other side knows; -1: it does from now on, by the next number. */
    int describe(Class<?> type) {
        Integer known = described.putIfAbsent(type, described.size());
        return known == null ? -1 : known;
    }

    // ---- as the sink of the object stream ----

    @Override
    public void write(int value) throws IOException {
        room(1).put((byte) value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        for (int at = 0; at < length;) {
            int count = Math.min(length - at, room(1).remaining());
            frame.put(from, offset + at, count);
            at += count;
        }
    }
}
