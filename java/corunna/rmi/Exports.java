// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.ObjectInputFilter;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The objects that this JVM has exported to fast clients. */
final class Exports {
    private final Map<ObjectName, Export> table = new ConcurrentHashMap<>();
    /** Objects that were collected. */
    private final ReferenceQueue<Remote> gone = new ReferenceQueue<>();

    /** Adds an object that has just been exported the ordinary way, with that stub. */
    void add(Remote object, Remote stub, ObjectInputFilter filter) {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            table.remove(((Export) one).name());
        }
        Export export = new Export(nameOf(stub), object, stub, filter, gone);
        table.put(export.name(), export);
    }

    private static ObjectName nameOf(Remote stub) {
        return Address.of(FastRmi.refOf(stub)).object();
    }

    /** The export of this name, or null. */
    Export find(ObjectName name) {
        return table.get(name);
    }

    /** The export with this stub, or null. */
    Export find(Remote stub) {
        return table.get(nameOf(stub));
    }

    /** Forgets an object that is not exported any more. */
    void remove(ObjectName name) {
        table.remove(name);
    }

    /** The ordinary stub of a remote object; the object itself, if it is a stub or is not exported. */
    static Remote stubOf(Remote object) {
        try {
            return RemoteObject.toStub(object);
        } catch (NoSuchObjectException e) {
            return object; // it travels by value
        }
    }

    /**
     * What must live so that a remote object does while its stub is on its way, before the receiver has a lease: the
     * object, or the stub, whose lease keeps an object elsewhere.
     */
    Object holdOf(Remote object) {
        RemoteRef ref = FastRmi.refOf(object);
        Address address = ref == null ? null : Address.of(ref);
        Export export = address == null ? null : find(address.object());
        return export == null ? object : export.object();
    }
}
