// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.io.IOException;

/** Errors of the system as the exceptions that the JDK's own sockets throw, with the same words. */
final class Errors {
    private Errors() {
    }

    static SocketException closed() {
        return new SocketException("Socket closed");
    }

    /** Of a call that makes a connection or an address. */
    static IOException of(int result) {
        int number = -result;
        String text = NativeNet.error(number);
        switch (number) {
            case NativeNet.EPROTO:
                return new ProtocolException(text);
            case NativeNet.ECONNREFUSED:
            case NativeNet.ETIMEDOUT:
            case NativeNet.ENOTCONN:
                return new ConnectException(text);
            case NativeNet.EHOSTUNREACH:
                return new NoRouteToHostException(text);
            case NativeNet.EADDRINUSE:
            case NativeNet.EADDRNOTAVAIL:
            case NativeNet.EPERM:
            case NativeNet.EACCES:
                return new BindException(text);
            default:
                return new SocketException(text);
        }
    }

    /** Of a call on a connected socket. */
    static SocketException ofBytes(long result) {
        return new SocketException(NativeNet.error((int) -result));
    }

    /** Throws if the result is an error. */
    static int check(int result) throws IOException {
        if (result < 0) {
            throw of(result);
        }
        return result;
    }
}
