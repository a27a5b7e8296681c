// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamConstants;
import java.io.StreamCorruptedException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** The other end of {@link StreamOutput}; it too lives for many messages, until one fails. */
final class StreamInput extends ObjectInputStream {
    private static final byte[] HEADER = {
        (byte) (ObjectStreamConstants.STREAM_MAGIC >>> 8), (byte) ObjectStreamConstants.STREAM_MAGIC,
        (byte) (ObjectStreamConstants.STREAM_VERSION >>> 8), (byte) ObjectStreamConstants.STREAM_VERSION,
    };
    private static final byte[] FORGET = {ObjectStreamConstants.TC_RESET, ObjectStreamConstants.TC_NULL};

    private final Reader source;
    private final Classes classes;
    private final Gate gate;
    private Reader raw;
    private int rawCount;
    private int rawNext;

    private StreamInput(Reader source, Classes classes, Gate gate) throws IOException {
        super(source);
        this.source = source;
        this.classes = classes;
        this.gate = gate;
        enableResolveObject(true);
        if (!gate.isOpen()) {
            setObjectInputFilter(gate);
        }
    }

    static StreamInput open(Reader source, Classes classes, Gate gate) throws IOException {
        source.begin(HEADER);
        return new StreamInput(source, classes, gate);
    }

    /** Reads from this stream, and the raw arrays it names from {@code newRaw}. */
    void begin(ByteBuffer message, Reader newRaw, int newRawCount) {
        source.begin(message);
        raw = newRaw;
        rawCount = newRawCount;
        rawNext = 0;
    }

    /** Forgets the objects of the message: that is done by reading an order to do so. */
    void forget() throws IOException, ClassNotFoundException {
        raw = null;
        source.begin(FORGET);
        readObject();
    }

    @Override
    protected ObjectStreamClass readClassDescriptor() throws IOException, ClassNotFoundException {
        String name = readUTF();
        long print = readLong();
        Class<?> type = classes.find(name);
        if (!gate.allows(type)) {
            throw new InvalidClassException(name, "rejected");
        }
        ObjectStreamClass description = ObjectStreamClass.lookupAny(type);
        if (Fingerprint.of(description) != print) {
            throw new InvalidClassException(name, "the sender has a different version of the class");
        }
        return description;
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description) {
        return description.forClass(); // it was found with the description
    }

    @Override
    protected Class<?> resolveProxyClass(String[] names) throws ClassNotFoundException {
        Class<?>[] interfaces = new Class<?>[names.length];
        for (int i = 0; i < names.length; i++) {
            interfaces[i] = classes.find(names[i]);
        }
        return Proxy.newProxyInstance(classes.loader(), interfaces, (proxy, method, arguments) -> null).getClass();
    }

    @Override
    protected Object resolveObject(Object object) throws IOException {
        if (!(object instanceof RawArray)) {
            return object;
        }
        if (((RawArray) object).number != rawNext || rawNext == rawCount) {
            throw new StreamCorruptedException("raw array " + rawNext + " of " + rawCount
                    + " is missing");
        }
        rawNext++;
        int kind = raw.getInt();
        return raw.getArray(kind, raw.getInt());
    }
}
