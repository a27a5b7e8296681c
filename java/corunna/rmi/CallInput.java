// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.rmi.Remote;
import java.rmi.server.RMIClassLoader;

/** The other end of {@link CallOutput}. Stubs that come out of it are fast. */
final class CallInput extends ObjectInputStream {
    private final Input in;
    private final ClassLoader loader;
    private Input.Described last;

    /** A stream whose classes are those that {@code loader} finds, or RMI does, and that {@code filter} lets pass. */
    CallInput(Input in, ClassLoader loader, CallFilter filter) throws IOException {
        super(in);
        this.in = in;
        this.loader = loader;
        enableResolveObject(true);
        if (filter != null) {
            setObjectInputFilter(filter);
        }
    }

    /** Does a filter watch every object stream of this JVM? */
    static boolean isWatched() {
        if (ObjectInputFilter.Config.getSerialFilter() != null) {
            return true;
        }
        try (ObjectInputStream any = new Any()) {
            return any.getObjectInputFilter() != null; // of a factory of filters
        } catch (IOException e) {
            return true;
        }
    }

    private static final class Any extends ObjectInputStream {
        Any() throws IOException {
            super(java.io.InputStream.nullInputStream());
        }

        @Override
        protected void readStreamHeader() {
            // there is nothing to read
        }
    }

    @Override
    protected void readStreamHeader() {
        // both sides know it
    }

    @Override
    protected ObjectStreamClass readClassDescriptor() throws IOException, ClassNotFoundException {
        int number = readInt();
        last = number >= 0 ? in.describedAs(number) : in.describe(super.readClassDescriptor(), readUTF());
        return last.description;
    }

    /** Called right after {@link #readClassDescriptor}, with what that has returned. */
    @Override
    protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
        Input.Described known = last;
        if (known.type == null || known.loader != loader) {
            known.type = load(description, known.annotation);
            known.loader = loader;
        }
        return known.type;
    }

    private Class<?> load(ObjectStreamClass description, String annotation) throws IOException, ClassNotFoundException {
        try {
            return RMIClassLoader.loadClass(place(annotation), description.getName(), loader);
        } catch (ClassNotFoundException e) {
            return super.resolveClass(description); // int.class and the like
        }
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws IOException, ClassNotFoundException {
        return RMIClassLoader.loadProxyClass(place(readUTF()), interfaces, loader);
    }

    private static String place(String annotation) {
        return annotation.isEmpty() ? null : annotation;
    }

    @Override
    protected Object resolveObject(Object object) throws IOException {
        if (object instanceof SentArray) {
            return in.arrayOf(((SentArray) object).number);
        }
        return object instanceof Remote ? FastRmi.accelerate((Remote) object) : object;
    }
}
