// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.engine.Settings;
import java.io.ObjectInputFilter;
import java.lang.reflect.Proxy;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.ExportException;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.rmi.server.RemoteRef;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;

/**
 * Remote method invocation through fast sockets.
 *
 * <p>A server exports with {@link #export(Remote, int)} and registers the stub as ever; a client calls
 * {@link #accelerate} on what it has looked up. The calls between them go by a protocol of Corunna's own, on the port
 * of the ordinary export. Everything else stays with {@code java.rmi}: what travels to a registry or another client is
 * the ordinary stub, which needs no class of Corunna, and leases are those of the ordinary stub.
 *
 * <p>A call goes the ordinary way, with the same result, if the server did not export with this class, runs on another
 * host, or asks for a socket factory of its own.
 */
public final class FastRmi {
    private static final Exports EXPORTS = new Exports();
    /** One for all: objects exported on the same port must name the same factory. */
    private static final RMIServerSocketFactory PORTS = new SharedPorts(EXPORTS);

    private FastRmi() {
    }

    /**
     * Exports an object to fast and to ordinary clients.
     *
     * @param object the object, not exported yet; so none whose class extends {@link UnicastRemoteObject}
     * @param port the port; 0: any. Objects exported by this method may share one, with others they may not
     * @return a fast stub of the object
     * @throws RemoteException if the export fails
     */
    public static Remote export(Remote object, int port) throws RemoteException {
        return export(object, port, null);
    }

    /**
     * Exports an object to fast and to ordinary clients, with a filter for the arguments of its calls.
     *
     * @param object the object, not exported yet; so none whose class extends {@link UnicastRemoteObject}
     * @param port the port; 0: any. Objects exported by this method may share one, with others they may not
     * @param filter what the arguments of calls may contain, besides what the filter of the JVM says; null: no more
     * @return a fast stub of the object
     * @throws RemoteException if the export fails
     */
    public static Remote export(Remote object, int port, ObjectInputFilter filter) throws RemoteException {
        if (isExported(object)) {
            throw new ExportException("the " + object.getClass().getName() + " is exported already; unexport it first,"
                    + " or let its class not extend UnicastRemoteObject");
        }
        try {
            Settings.isRmiForAny();
        } catch (IllegalArgumentException e) {
            throw new ExportException(e.getMessage());
        }
        Remote ordinary = filter == null ? UnicastRemoteObject.exportObject(object, port, null, PORTS)
                : UnicastRemoteObject.exportObject(object, port, null, PORTS, filter);
        EXPORTS.add(object, ordinary, filter);
        return accelerate(ordinary);
    }

    private static boolean isExported(Remote object) {
        try {
            RemoteObject.toStub(object);
            return true;
        } catch (NoSuchObjectException e) {
            return false;
        }
    }

    /**
     * Takes an object back: further calls end with {@link NoSuchObjectException}. The same as
     * {@link UnicastRemoteObject#unexportObject}, which does not see fast calls under way.
     *
     * @param object an object that was exported by this class
     * @param isForced true: also while calls are under way, which go on
     * @return whether the object is unexported now
     * @throws NoSuchObjectException if it is not exported
     */
    public static boolean unexport(Remote object, boolean isForced) throws NoSuchObjectException {
        Export export = EXPORTS.find(RemoteObject.toStub(object));
        if (export != null && !isForced && !export.close()) {
            return false;
        }
        boolean isGone = UnicastRemoteObject.unexportObject(object, isForced);
        if (export != null && isGone) {
            EXPORTS.remove(export.name());
        } else if (export != null) {
            export.open();
        }
        return isGone;
    }

    /**
     * A stub for the same object whose calls go the fast way where they can. It equals the given one, has its hash
     * code, and travels as the ordinary stub. Stubs among the arguments and results of fast calls are accelerated by
     * themselves.
     *
     * @param <T> the remote interface
     * @param stub an ordinary stub, or a fast one, which is returned as it is; so is one that cannot be accelerated:
     *        one that names a socket factory, because it may encrypt, and one that is no dynamic proxy
     * @return the stub
     */
    @SuppressWarnings("unchecked") // a proxy of the same interfaces
    public static <T extends Remote> T accelerate(T stub) {
        RemoteRef ordinary = refOf(stub);
        Address address = ordinary == null || ordinary instanceof FastRef ? null : Address.of(ordinary);
        if (address == null) {
            return stub;
        }
        Class<?> type = stub.getClass();
        FastRef ref = new FastRef(ordinary, address, Peer.of(address, type.getClassLoader(), EXPORTS));
        return (T) Proxy.newProxyInstance(type.getClassLoader(), type.getInterfaces(),
                new RemoteObjectInvocationHandler(ref));
    }

    /**
     * Do the calls of a stub go by Corunna's protocol? A connection is made if there is none.
     *
     * @param stub any stub
     * @return true if they do; false if they go the ordinary way, or the server cannot be reached
     */
    public static boolean isFast(Remote stub) {
        RemoteRef ref = refOf(stub);
        return ref instanceof FastRef && ((FastRef) ref).isFast();
    }

    /** The reference behind a stub that is a dynamic proxy; null: it is no such stub. */
    static RemoteRef refOf(Object stub) {
        if (!Proxy.isProxyClass(stub.getClass())) {
            return null;
        }
        Object handler = Proxy.getInvocationHandler(stub);
        return handler instanceof RemoteObjectInvocationHandler ? ((RemoteObject) handler).getRef() : null;
    }
}
