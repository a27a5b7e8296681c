// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * An object stream of Java that lives for many messages. It describes a class by its name and a {@link Fingerprint},
 * because the receiver has the class too, and leaves larger arrays of primitive types to the {@link Encoder}.
 */
final class StreamOutput extends ObjectOutputStream {
    /** Arrays that shall follow behind the stream, in the order of their numbers. */
    private final List<Object> raw = new ArrayList<>();

    StreamOutput(Writer sink) throws IOException {
        super(sink);
        enableReplaceObject(true);
        flush(); // the stream's own header
    }

    List<Object> raw() {
        return raw;
    }

    /** Forgets the objects of the last message. The sink must be closed. */
    void forget() throws IOException {
        raw.clear();
        reset();
        flush();
    }

    @Override
    protected void writeClassDescriptor(ObjectStreamClass description) throws IOException {
        writeUTF(description.getName());
        writeLong(Fingerprint.of(description));
    }

    @Override
    protected Object replaceObject(Object object) {
        Class<?> type = object.getClass();
        if (!type.isArray()) {
            return object;
        }
        int kind = Format.kind(type);
        if (kind < 0 || (long) Array.getLength(object) << Format.SHIFT[kind] < Format.RAW_MIN_BYTES) {
            return object;
        }
        raw.add(object);
        return new RawArray(raw.size() - 1);
    }
}
