// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.lang.ref.Reference;
import java.rmi.MarshalException;
import java.rmi.UnmarshalException;
import java.util.Arrays;

/** One call of a client. It fails with the exceptions with which an ordinary call fails. */
final class Call {
    private final Peer peer;
    private final Connection connection;
    private final Input in;
    private boolean isReusable;

    /** A call over a connection that was taken from the peer. */
    Call(Peer peer, Connection connection) {
        this.peer = peer;
        this.connection = connection;
        this.in = connection.in();
    }

    /** Makes the call, and gives the connection back. */
    Object run(ObjectName object, long hash, Signature signature, Object[] arguments) throws Exception {
        try {
            ask(object, hash, signature, arguments);
            return answer(signature.result());
        } finally {
            Reference.reachabilityFence(arguments); // a remote object among them must live until the server has a lease
            connection.out().forget();
            if (isReusable) {
                peer.give(connection);
            } else {
                connection.close();
            }
        }
    }

    private void ask(ObjectName object, long hash, Signature signature, Object[] arguments) throws MarshalException {
        try {
            Output out = connection.out();
            out.begin(Frame.CALL);
            object.put(out);
            out.putLong(hash);
            signature.putArguments(out, arguments);
            out.end();
        } catch (IOException e) {
            throw new MarshalException("error marshalling arguments", e);
        }
    }

    private Object answer(char kind) throws Exception {
        int status;
        try {
            status = in.begin();
            in.use(peer.loader(), connection.filter());
        } catch (IOException e) {
            throw new UnmarshalException("Error unmarshaling return header", e);
        }
        Object result;
        try {
            result = in.getValue(status == Frame.RETURN ? kind : 'L');
            in.end();
        } catch (IOException | ClassNotFoundException e) {
            throw new UnmarshalException("error unmarshalling return", e);
        }
        isReusable = status == Frame.RETURN || status == Frame.THROW;
        if (status == Frame.RETURN) {
            return result;
        }
        throw received(result);
    }

    /** An exception of the server, with its stack there and then the one here. */
    private static Exception received(Object thrown) throws UnmarshalException {
        if (!(thrown instanceof Exception)) {
            throw new UnmarshalException("Return type not Exception");
        }
        Exception exception = (Exception) thrown;
        StackTraceElement[] there = exception.getStackTrace();
        StackTraceElement[] here = new Throwable().getStackTrace();
        StackTraceElement[] both = Arrays.copyOf(there, there.length + here.length);
        System.arraycopy(here, 0, both, there.length, here.length);
        exception.setStackTrace(both);
        return exception;
    }
}
