// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.io.IOException;
import java.io.InvalidClassException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Reads the objects of a message that an {@link Encoder} has written. One thread at a time. */
public final class Decoder {
    private static final int LARGE_BYTES = 16 << 20;

    private final Reader reader = new Reader();
    private final Reader streamReader = new Reader();
    private final Classes classes;
    private final Gate gate;
    private StreamInput stream;

    /** Classes are those that {@code home} sees, if {@code gate} lets them pass. */
    public Decoder(ClassLoader home, Gate gate) {
        this.classes = new Classes(home);
        this.gate = gate;
    }

    /** How many objects a message of so many bytes has, or -1 if none has this length. */
    public static int count(long bytes) {
        return Format.count(bytes);
    }

    /** How many objects the message has, or -1 if it is no message of objects. */
    private static int count(ByteBuffer message) {
        boolean isOurs = message.limit() >= Format.HEADER_BYTES
                && (message.getInt(0) & ~Format.FORM_MASK) == Format.MAGIC && message.getInt(4) >= 0;
        return isOurs ? message.getInt(4) : -1;
    }

    /**
     * Puts the objects of the message into the array.
     *
     * @param room how many elements from {@code offset} on may be written
     * @return how many were
     * @throws ObjectException if the message has more, or cannot be understood; the array may have been written to
     */
    public int decode(ByteBuffer message, Object[] array, int offset, int room) throws ObjectException {
        int count = count(message);
        if (count < 0) {
            throw new ObjectException(ObjectException.Kind.TYPE, "is not one of objects", null);
        }
        if (count > room) {
            throw new ObjectException(ObjectException.Kind.TRUNCATE, "has " + count
                    + " objects, more than the receive buffer's " + room, null);
        }
        try {
            read(message, array, offset, count);
            return count;
        } catch (ArrayStoreException e) {
            throw new ObjectException(ObjectException.Kind.TYPE, "has a " + e.getMessage() + ", which does not fit a "
                    + array.getClass().getSimpleName(), e);
        } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new ObjectException(ObjectException.Kind.OTHER, "is corrupt: " + e, e);
        } catch (OutOfMemoryError e) {
            throw new ObjectException(ObjectException.Kind.MEMORY, "needs more memory than there is: "
                    + e.getMessage(), e);
        }
    }

    private void read(ByteBuffer message, Object[] array, int offset, int count) throws ObjectException {
        int form = message.getInt(0) & Format.FORM_MASK;
        int rawAt = message.getInt(8);
        int number = message.getInt(12);
        message.position(Format.HEADER_BYTES);
        reader.begin(message);
        switch (form) {
        case Format.STRINGS:
            strings(array, offset, count);
            break;
        case Format.ARRAYS:
            arrays(array, offset, count, number);
            break;
        case Format.STREAM:
            objects(message, array, offset, count, rawAt, number);
            break;
        default:
            throw new IllegalArgumentException("form " + form);
        }
    }

    private void strings(Object[] array, int offset, int count) {
        for (int i = 0; i < count; i++) {
            int first = reader.getInt();
            array[offset + i] = isNew(first) ? reader.getString(first) : known(array, offset, i, first);
        }
    }

    private void arrays(Object[] array, int offset, int count, int kind) {
        for (int i = 0; i < count; i++) {
            int first = reader.getInt();
            array[offset + i] = isNew(first) ? reader.getArray(kind, first) : known(array, offset, i, first);
        }
    }

    private static boolean isNew(int first) {
        return first != Format.NULL && first != Format.AGAIN;
    }

    /** An element that is null, or the same as an earlier one. */
    private Object known(Object[] array, int offset, int index, int first) {
        return first == Format.NULL ? null : array[offset + earlier(index)];
    }

    /** The index that follows, which must be one before {@code index}. */
    private int earlier(int index) {
        int found = reader.getInt();
        if (found < 0 || found >= index) {
            throw new IndexOutOfBoundsException("index " + found + " at " + index);
        }
        return found;
    }

    private void objects(ByteBuffer message, Object[] array, int offset, int count, int rawAt, int rawCount)
            throws ObjectException {
        if (count == 0) {
            return;
        }
        int end = message.limit();
        message.limit(rawAt); // an offset that cannot be is an IllegalArgumentException
        ByteBuffer streamPart = message.slice();
        message.limit(end).position(rawAt);
        reader.begin(message);
        StreamInput used = stream;
        stream = null; // comes back only if nothing goes wrong
        classes.begin();
        int index = 0;
        try {
            if (used == null) {
                used = StreamInput.open(streamReader, classes, gate);
            }
            used.begin(streamPart, reader, rawCount);
            for (; index < count; index++) {
                array[offset + index] = used.readObject();
            }
            used.forget();
        } catch (ArrayStoreException e) {
            throw e;
        } catch (InvalidClassException e) {
            throw rejected(e);
        } catch (ClassNotFoundException e) {
            throw new ObjectException(ObjectException.Kind.OTHER, "has an object of class " + e.getMessage()
                    + ", which cannot be found", e);
        } catch (IOException | RuntimeException e) {
            throw new ObjectException(ObjectException.Kind.OTHER, "cannot be read at object " + index + " of " + count
                    + ": " + e, e);
        } catch (StackOverflowError e) {
            throw new ObjectException(ObjectException.Kind.OTHER, "cannot be read at object " + index + " of " + count
                    + ": it is nested too deeply", e);
        }
        if (end <= LARGE_BYTES) {
            stream = used;
        }
    }

    private static ObjectException rejected(InvalidClassException failure) {
        String name = failure.classname == null ? "" : " " + failure.classname;
        boolean isRejected = String.valueOf(failure.getMessage()).toLowerCase(java.util.Locale.ROOT)
                .contains("rejected");
        if (isRejected) {
            return new ObjectException(ObjectException.Kind.OTHER, "has an object of a class" + name
                    + " that corunna.object.filter or jdk.serialFilter rejects", failure);
        }
        Throwable cause = failure.getCause();
        if (cause instanceof ClassNotFoundException) {
            return new ObjectException(ObjectException.Kind.OTHER, "has an object of class " + cause.getMessage()
                    + ", which cannot be found", failure);
        }
        return new ObjectException(ObjectException.Kind.OTHER, "has an object that cannot be read: "
                + failure.getMessage(), failure);
    }
}
