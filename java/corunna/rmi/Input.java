// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectStreamClass;
import java.io.StreamCorruptedException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the messages of the other side of a connection ({@link Frame}). One thread at a time. After an exception only
 * {@link #skip} may be called.
 */
final class Input extends InputStream {
    private final InputStream source;
    private final Elements elements;
    private final ByteBuffer frame = ByteBuffer.allocate(Frame.CAPACITY);
    /** The classes that the other side has described. */
    private final List<Described> described = new ArrayList<>();
    private boolean isLast;
    /** Bytes of an array that stand in the way of the next frame. */
    private long unread;

    // Of one message.
    /** What it is for is known, and what may come with it: until then it has no arrays. */
    private boolean isUsed;
    /** What was sent by itself, and may come again: arrays and strings. */
    private final List<Object> arrays = new ArrayList<>();
    private CallInput stream;
    private ClassLoader loader;
    private CallFilter filter;

    /** A class as the sender has it, and as the last of the receiving objects found it. */
    static final class Described {
        final ObjectStreamClass description;
        final String annotation;
        ClassLoader loader;
        Class<?> type;

        Described(ObjectStreamClass description, String annotation) {
            this.description = description;
            this.annotation = annotation;
        }
    }

    Input(Socket socket) throws IOException {
        source = socket.getInputStream();
        elements = new Elements(socket);
        frame.limit(0);
    }

    /** Waits for a message; returns its kind. */
    int begin() throws IOException {
        isLast = false;
        isUsed = false;
        frame.limit(0);
        return getByte();
    }

    /** Classes of the message are found by this loader, if this filter lets them pass. */
    void use(ClassLoader newLoader, CallFilter newFilter) {
        loader = newLoader;
        filter = newFilter;
        isUsed = true;
    }

    /** Ends the message. */
    void end() throws IOException {
        boolean isRead = !frame.hasRemaining() && (isLast || !refill());
        forget();
        if (!isRead) {
            throw new StreamCorruptedException("the message is longer than what it says");
        }
    }

    /** Lets the rest of the message pass, unseen. */
    void skip() throws IOException {
        forget();
        while (unread > 0 || !isLast) {
            if (unread > 0) {
                fill((int) Math.min(unread, Frame.CAPACITY));
                unread -= frame.remaining();
                continue;
            }
            int head = head();
            if (head < 0) {
                beginArray(head & Elements.KIND_MASK);
            } else {
                beginBytes(head);
            }
        }
        frame.limit(0);
    }

    private void forget() {
        arrays.clear();
        stream = null;
        loader = null;
    }

    /** Goes on to the next frame that has bytes; false: the message has no more. */
    private boolean refill() throws IOException {
        while (!frame.hasRemaining()) {
            if (isLast) {
                return false;
            }
            int head = head();
            if (head >= 0) {
                beginBytes(head);
            } else if (isUsed) {
                arrays.add(array(head & Elements.KIND_MASK));
            } else {
                throw new StreamCorruptedException("an array before the message says what it is for");
            }
        }
        return true;
    }

    private void beginBytes(int head) throws IOException {
        int size = head >>> Frame.SIZE_SHIFT;
        if (size > Frame.CAPACITY) {
            throw new StreamCorruptedException("a frame of " + size + " bytes");
        }
        isLast = (head & Frame.LAST) != 0;
        fill(size);
    }

    /** The length of the array that follows. */
    private int beginArray(int kind) throws IOException {
        int length = head();
        if (length < 0 || kind >= Elements.TYPES.length) {
            throw new StreamCorruptedException("an array of kind " + kind + " and length " + length);
        }
        unread = Elements.bytes(kind, length);
        return length;
    }

    private int head() throws IOException {
        fill(Integer.BYTES);
        int head = frame.getInt();
        frame.limit(0);
        return head;
    }

    private void fill(int bytes) throws IOException {
        if (source.readNBytes(frame.array(), 0, bytes) < bytes) {
            throw new EOFException("the other side closed the connection");
        }
        frame.position(0).limit(bytes);
    }

    private Object array(int kind) throws IOException {
        int length = beginArray(kind);
        if (filter != null) {
            filter.checkArray(Elements.TYPES[kind], length);
        }
        Object array = elements.read(kind, length);
        unread = 0;
        return array;
    }

    // ---- primitive values ----

    private ByteBuffer take(int bytes) throws IOException {
        if (!refill() || frame.remaining() < bytes) {
            throw new StreamCorruptedException("the message is shorter than what it says");
        }
        return frame;
    }

    private int getByte() throws IOException {
        return take(1).get();
    }

    short getShort() throws IOException {
        return take(Short.BYTES).getShort();
    }

    int getInt() throws IOException {
        return take(Integer.BYTES).getInt();
    }

    long getLong() throws IOException {
        return take(Long.BYTES).getLong();
    }

    /** A value of a kind of {@link Signature}. */
    Object getValue(char kind) throws IOException, ClassNotFoundException {
        switch (kind) {
        case 'Z':
            return getByte() != 0;
        case 'B':
            return (byte) getByte();
        case 'C':
            return take(Character.BYTES).getChar();
        case 'S':
            return getShort();
        case 'I':
            return getInt();
        case 'J':
            return getLong();
        case 'F':
            return take(Float.BYTES).getFloat();
        case 'D':
            return take(Double.BYTES).getDouble();
        case 'V':
            return null;
        default:
            return getReference();
        }
    }

    // ---- references ----

    private Object getReference() throws IOException, ClassNotFoundException {
        int tag = getByte();
        switch (tag) {
        case Frame.NULL:
            return null;
        case Frame.STRING:
            return getString();
        case Frame.ARRAY:
            return arrayOf(getInt());
        case Frame.OBJECT:
            if (stream == null) {
                stream = new CallInput(this, loader, filter);
            }
            return stream.readObject();
        default:
            throw new StreamCorruptedException("tag " + tag + " before a reference");
        }
    }

    private String getString() throws IOException {
        int length = getInt();
        byte[] text = readNBytes(Math.max(0, length));
        if (text.length != length) {
            throw new StreamCorruptedException("a string of length " + length + " is not there");
        }
        String string = new String(text, StandardCharsets.ISO_8859_1);
        arrays.add(string);
        return string;
    }

    /** The array, or string, that was sent as the one of this number. */
    Object arrayOf(int number) throws StreamCorruptedException {
        if (number < 0 || number >= arrays.size()) {
            throw new StreamCorruptedException("array " + number + " of " + arrays.size());
        }
        return arrays.get(number);
    }

    Described describedAs(int number) throws StreamCorruptedException {
        if (number < 0 || number >= described.size()) {
            throw new StreamCorruptedException("class " + number + " of " + described.size());
        }
        return described.get(number);
    }

    Described describe(ObjectStreamClass description, String annotation) {
        Described known = new Described(description, annotation);
        described.add(known);
        return known;
    }

    // ---- as the source of the object stream ----

    @Override
    public int read() throws IOException {
        return refill() ? frame.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!refill()) {
            return -1;
        }
        int count = Math.min(length, frame.remaining());
        frame.get(to, offset, count);
        return count;
    }

    @Override
    public int available() {
        return frame.remaining();
    }
}
