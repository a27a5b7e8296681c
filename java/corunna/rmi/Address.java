// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.rmi.server.RemoteRef;

/**
 * Where an ordinary stub leads: host, port and object. They are read from what the stub would send, whose form is part
 * of the specification of {@code java.rmi.server.RemoteObject}.
 */
final class Address {
    private static final String HOST_AND_PORT = "UnicastRef";
    private static final String HOST_PORT_AND_FACTORY = "UnicastRef2";
    private static final byte NO_FACTORY = 0;

    private final String host;
    private final int port;
    private final ObjectName object;

    private Address(String host, int port, ObjectName object) {
        this.host = host;
        this.port = port;
        this.object = object;
    }

    /** The address of a reference; null: host, port and object do not say all, since it names a socket factory. */
    static Address of(RemoteRef ordinary) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            String form = ordinary.getRefClass(out);
            if (!HOST_AND_PORT.equals(form) && !HOST_PORT_AND_FACTORY.equals(form)) {
                return null;
            }
            ordinary.writeExternal(out);
            out.flush();
            ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
            if (HOST_PORT_AND_FACTORY.equals(form) && in.readByte() != NO_FACTORY) {
                return null;
            }
            return new Address(in.readUTF(), in.readInt(), ObjectName.read(in));
        } catch (IOException e) {
            return null; // a factory that cannot be written
        }
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    ObjectName object() {
        return object;
    }
}
