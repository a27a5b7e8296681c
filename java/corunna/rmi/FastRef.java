// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.lang.ref.Reference;
import java.lang.reflect.Method;
import java.rmi.Remote;
import java.rmi.server.RemoteRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The reference behind a fast stub. It has the reference of the ordinary stub: for calls that cannot go the fast way,
 * for the lease, which that one holds, for its identity, and to be sent in its place.
 */
@SuppressWarnings("serial") // it is never read from a stream
final class FastRef implements RemoteRef {
    private final RemoteRef ordinary;
    private final ObjectName object;
    private final Peer peer;
    /** By the hashes of the methods, which are different within the interfaces of a stub. */
    private final Map<Long, Signature> signatures = new ConcurrentHashMap<>();

    FastRef(RemoteRef ordinary, Address address, Peer peer) {
        this.ordinary = ordinary;
        this.object = address.object();
        this.peer = peer;
    }

    boolean isFast() {
        Connection connection = peer.take();
        if (connection != null) {
            peer.give(connection);
        }
        return connection != null;
    }

    @Override
    public Object invoke(Remote stub, Method method, Object[] arguments, long hash) throws Exception {
        Connection connection = peer.take();
        if (connection == null) {
            return ordinary.invoke(stub, method, arguments, hash);
        }
        Signature signature = signatures.get(hash);
        if (signature == null) {
            signature = new Signature(method);
            signatures.put(hash, signature);
        }
        try {
            return new Call(peer, connection).run(object, hash, signature, arguments);
        } finally {
            Reference.reachabilityFence(this); // so that the lease lasts as long as the call
        }
    }

    // ---- identity, and travel: the ordinary reference ----

    @Override
    public String getRefClass(ObjectOutput out) {
        return ordinary.getRefClass(out);
    }

    @Override
    public void writeExternal(ObjectOutput out) throws java.io.IOException {
        ordinary.writeExternal(out);
    }

    @Override
    public void readExternal(ObjectInput in) {
        throw new UnsupportedOperationException("what travels is the ordinary reference");
    }

    @Override
    public int remoteHashCode() {
        return ordinary.remoteHashCode();
    }

    @Override
    public boolean remoteEquals(RemoteRef other) {
        return ordinary.remoteEquals(other instanceof FastRef ? ((FastRef) other).ordinary : other);
    }

    @Override
    public String remoteToString() {
        return ordinary.remoteToString();
    }

    // ---- stubs of the first version of Java, which accelerate() leaves alone ----

    @Override
    @Deprecated
    public java.rmi.server.RemoteCall newCall(java.rmi.server.RemoteObject object,
            java.rmi.server.Operation[] operations, int number, long hash) {
        throw new UnsupportedOperationException("only stubs that are dynamic proxies call a fast reference");
    }

    @Override
    @Deprecated
    public void invoke(java.rmi.server.RemoteCall call) {
        throw new UnsupportedOperationException("only stubs that are dynamic proxies call a fast reference");
    }

    @Override
    @Deprecated
    public void done(java.rmi.server.RemoteCall call) {
        throw new UnsupportedOperationException("only stubs that are dynamic proxies call a fast reference");
    }
}
