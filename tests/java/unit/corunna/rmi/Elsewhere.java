// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.rmi.Remote;
import java.rmi.server.ObjID;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.rmi.server.RemoteRef;
import java.util.ArrayList;
import java.util.List;

/** An ordinary reference to an object at any address, which notes its calls. */
@SuppressWarnings("serial") // it is never read from a stream
final class Elsewhere implements RemoteRef {
    final List<Method> methods = new ArrayList<>();
    final List<Long> hashes = new ArrayList<>();

    private final String host;
    private final int port;

    Elsewhere(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** A stub with this reference. */
    <T extends Remote> T stub(Class<T> face) {
        return face.cast(Proxy.newProxyInstance(face.getClassLoader(), new Class<?>[] {face},
                new RemoteObjectInvocationHandler(this)));
    }

    @Override
    public Object invoke(Remote stub, Method method, Object[] arguments, long hash) {
        methods.add(method);
        hashes.add(hash);
        return method.getReturnType() == int.class ? (Object) 4711 : null;
    }

    @Override
    public String getRefClass(ObjectOutput out) {
        return "UnicastRef";
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        out.writeUTF(host);
        out.writeInt(port);
        new ObjID().write(out);
        out.writeBoolean(false);
    }

    @Override
    public void readExternal(ObjectInput in) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int remoteHashCode() {
        return port;
    }

    @Override
    public boolean remoteEquals(RemoteRef other) {
        return other == this;
    }

    @Override
    public String remoteToString() {
        return host + ":" + port;
    }

    @Override
    @Deprecated
    public java.rmi.server.RemoteCall newCall(java.rmi.server.RemoteObject object,
            java.rmi.server.Operation[] operations, int number, long hash) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    public void invoke(java.rmi.server.RemoteCall call) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    public void done(java.rmi.server.RemoteCall call) {
        throw new UnsupportedOperationException();
    }
}
