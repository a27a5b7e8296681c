package corunna.rmi;

import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The objects that this JVM has exported to fast clients. */
final class Exports {
    private final Map<ObjectName, Export> table = new ConcurrentHashMap<>();

    void add(ObjectName name, Export export) {
        table.values().removeIf(Export::isGone);
        table.put(name, export);
    }

    /** The export of this name, or null. */
    Export find(ObjectName name) {
        return table.get(name);
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
