// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import corunna.engine.Store;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes the objects of a message into a store, in the form that suits them best ({@link Format}). One thread at a
 * time.
 */
public final class Encoder {
    /** After a message of so many bytes the stream's tables are not worth keeping. */
    private static final int LARGE_BYTES = 16 << 20;

    private final Writer writer = new Writer();
    private final Seen seen = new Seen();
    private StreamOutput stream;

    /**
     * Writes {@code count} elements of the array as one message.
     *
     * @return the length of the message in bytes
     * @throws ObjectException if one of them cannot be serialised, or there is not enough memory
     */
    public int encode(Store store, Object[] array, int offset, int count) throws ObjectException {
        writer.begin(store);
        try {
            int kind = count == 0 ? -1 : arraysOf(array, offset, count);
            if (kind >= 0) {
                arrays(array, offset, count, kind);
            } else if (count > 0 && areStrings(array, offset, count)) {
                strings(array, offset, count);
            } else {
                objects(array, offset, count);
            }
            return writer.pad(count);
        } catch (OutOfMemoryError e) {
            throw new ObjectException(ObjectException.Kind.MEMORY,
                    "the objects of the buffer need more memory than there is: " + e.getMessage(), e);
        } finally {
            forget();
        }
    }

    /** Holds on to nothing of the program's between messages. */
    private void forget() {
        int length = writer.position();
        writer.end();
        seen.end();
        if (stream != null) {
            try {
                if (length > LARGE_BYTES) {
                    stream = null;
                } else {
                    stream.forget();
                }
            } catch (IOException e) {
                stream = null;
            }
        }
    }

    // ---- which form ----

    private static boolean areStrings(Object[] array, int offset, int count) {
        if (array instanceof String[]) {
            return true;
        }
        for (int i = offset; i < offset + count; i++) {
            if (array[i] != null && array[i].getClass() != String.class) {
                return false;
            }
        }
        return true;
    }

    /** The kind of primitive arrays all elements are, or -1. Nulls alone are strings. */
    private static int arraysOf(Object[] array, int offset, int count) {
        int kind = Format.kind(array.getClass().getComponentType());
        if (kind >= 0) {
            return kind;
        }
        for (int i = offset; i < offset + count; i++) {
            if (array[i] != null) {
                int one = Format.kind(array[i].getClass());
                if (one < 0 || kind >= 0 && one != kind) {
                    return -1;
                }
                kind = one;
            }
        }
        return kind;
    }

    // ---- the forms ----

    private void strings(Object[] array, int offset, int count) {
        seen.begin(count);
        for (int i = 0; i < count; i++) {
            String text = (String) array[offset + i];
            if (text == null) {
                writer.putInt(Format.NULL);
                continue;
            }
            int before = count == 1 ? -1 : seen.string(array, offset, i);
            if (before < 0) {
                writer.putString(text);
            } else {
                writer.putInt(Format.AGAIN);
                writer.putInt(before);
            }
        }
        writer.putHeader(Format.STRINGS, count, writer.position(), 0);
    }

    private void arrays(Object[] array, int offset, int count, int kind) {
        seen.begin(count);
        for (int i = 0; i < count; i++) {
            Object element = array[offset + i];
            if (element == null) {
                writer.putInt(Format.NULL);
                continue;
            }
            int before = count == 1 ? -1 : seen.object(array, offset, i);
            if (before < 0) {
                writer.putArray(element, kind);
            } else {
                writer.putInt(Format.AGAIN);
                writer.putInt(before);
            }
        }
        writer.putHeader(Format.ARRAYS, count, writer.position(), kind);
    }

    private void objects(Object[] array, int offset, int count) throws ObjectException {
        if (count == 0) {
            writer.putHeader(Format.STREAM, 0, writer.position(), 0);
            return;
        }
        StreamOutput used = stream == null ? openStream() : stream;
        stream = null; // comes back only if nothing goes wrong
        int index = 0;
        try {
            for (; index < count; index++) {
                used.writeObject(array[offset + index]);
            }
            used.flush();
        } catch (IOException | RuntimeException e) {
            throw failure(array[offset + Math.min(index, count - 1)], index, count, e.toString(), e);
        } catch (StackOverflowError e) {
            throw failure(array[offset + index], index, count, "it is nested too deeply", e);
        }
        int rawAt = writer.position();
        for (Object raw : used.raw()) {
            int kind = Format.kind(raw.getClass());
            writer.putInt(kind);
            writer.putArray(raw, kind);
        }
        writer.putHeader(Format.STREAM, count, rawAt, used.raw().size());
        stream = used;
    }

    /** A stream writes its header as soon as it is made; the receiver knows it, so it is taken back. */
    private StreamOutput openStream() {
        int position = writer.position();
        try {
            StreamOutput opened = new StreamOutput(writer);
            writer.rewind(position);
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectException failure(Object object, int index, int count, String reason, Throwable cause) {
        return new ObjectException(ObjectException.Kind.TYPE, "object " + index + " of " + count + ", a "
                + (object == null ? "null" : object.getClass().getName()) + ", cannot be serialised: " + reason,
                cause);
    }
}
