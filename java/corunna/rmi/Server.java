// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.ObjectStreamException;
import java.lang.reflect.InvocationTargetException;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.ServerError;
import java.rmi.ServerException;
import java.rmi.UnmarshalException;

/** Answers the calls of one connection, one after the other, until the client closes it. */
final class Server implements Runnable {
    private final Connection connection;
    private final Exports exports;
    private final Input in;
    private final Output out;

    Server(Connection connection, Exports exports) {
        this.connection = connection;
        this.exports = exports;
        this.in = connection.in();
        this.out = connection.out();
    }

    @Override
    public void run() {
        try (connection) {
            boolean isOpen;
            do {
                isOpen = answer();
            } while (isOpen);
        } catch (IOException e) {
            // the client is gone, or sent what is no message; either ends the connection
        }
    }

    /** Answers a message; false: it was the last one. */
    private boolean answer() throws IOException {
        int kind = in.begin();
        out.forget(); // the client has read the last reply
        if (kind == Frame.PING) {
            in.end();
            out.begin(Frame.PING);
            out.end();
            return true;
        }
        if (kind != Frame.CALL) {
            return false;
        }
        ObjectName name = ObjectName.get(in);
        long hash = in.getLong();
        Export export = exports.find(name);
        Remote object = export == null ? null : export.object();
        if (object == null) {
            exports.remove(name);
        }
        if (object == null || !export.enter()) {
            return refuse(new NoSuchObjectException("no such object in table"));
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(export.loader());
        try {
            return call(export, object, hash);
        } finally {
            thread.setContextClassLoader(before);
            export.leave();
        }
    }

    private boolean call(Export export, Remote object, long hash) throws IOException {
        Export.Target target = export.target(hash);
        if (target == null) {
            return refuse(inServer(new UnmarshalException(
                    "unrecognized method hash: method not supported by remote object")));
        }
        Object[] arguments;
        Object result;
        try {
            in.use(export.loader(), export.filter());
            arguments = target.signature.getArguments(in);
            in.end();
        } catch (IOException | ClassNotFoundException e) {
            return refuse(inServer(new UnmarshalException("error unmarshalling arguments", e)));
        } catch (RuntimeException | Error e) { // of a readObject of the program's own, or no memory
            return refuse(inServer(e));
        }
        try {
            result = target.method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            return reply(Frame.THROW, 'L', inServer(e.getTargetException()));
        } catch (IllegalAccessException | IllegalArgumentException e) {
            return reply(Frame.THROW, 'L', e);
        }
        return reply(Frame.RETURN, target.signature.result(), result);
    }

    /** The request has not been read to its end, so classes described in the rest of it would be unknown later. */
    private boolean refuse(Throwable failure) throws IOException {
        in.skip();
        reply(Frame.THROW_AND_CLOSE, 'L', failure);
        return false;
    }

    /** Sends a reply; false: it holds what cannot be sent, of which the object stream tells the client. */
    private boolean reply(int kind, char type, Object value) throws IOException {
        out.begin(kind);
        try {
            out.putValue(type, value);
        } catch (ObjectStreamException e) {
            out.end();
            return false;
        }
        out.end();
        return true;
    }

    /** As RMI tells a client of what was thrown. */
    private static Throwable inServer(Throwable thrown) {
        if (thrown instanceof Error) {
            return new ServerError("Error occurred in server thread", (Error) thrown);
        }
        if (thrown instanceof RemoteException) {
            return new ServerException("RemoteException occurred in server thread", (Exception) thrown);
        }
        return thrown;
    }
}
