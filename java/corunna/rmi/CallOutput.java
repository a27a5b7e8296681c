// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.rmi.Remote;
import java.rmi.server.RMIClassLoader;

/**
 * The object stream of one message. It describes a class by its number if the other side knows it; else as Java does,
 * followed by the place from which RMI could load it, which classes of the platform do not need.
 */
final class CallOutput extends ObjectOutputStream {
    private final Output out;

    CallOutput(Output out) throws IOException {
        super(out);
        this.out = out;
        enableReplaceObject(true);
    }

    @Override
    protected void writeStreamHeader() {
        // both sides know it
    }

    @Override
    protected void writeClassDescriptor(ObjectStreamClass description) throws IOException {
        Class<?> type = description.forClass();
        int number = out.describe(type);
        writeInt(number);
        if (number < 0) {
            super.writeClassDescriptor(description);
            writeUTF(annotation(type));
        }
    }

    @Override
    protected void annotateProxyClass(Class<?> type) throws IOException {
        writeUTF(annotation(type));
    }

    /** Where RMI could load the class from; empty: nowhere but where the receiver has it. */
    private static String annotation(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        boolean isPlatform = loader == null || loader == ClassLoader.getPlatformClassLoader();
        String place = isPlatform ? null : RMIClassLoader.getClassAnnotation(type);
        return place == null ? "" : place;
    }

    @Override
    protected Object replaceObject(Object object) throws IOException {
        if (object instanceof Remote) {
            return out.stubOf((Remote) object);
        }
        return Elements.kind(object.getClass()) < 0 ? object : out.placeOf(object);
    }
}
