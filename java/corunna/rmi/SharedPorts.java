// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.net.FastServerSocket;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMIServerSocketFactory;

/** Ports that serve ordinary and fast clients: connections that RMI accepts, and whose {@link FirstWords} it reads. */
final class SharedPorts implements RMIServerSocketFactory {
    private final Exports exports;

    SharedPorts(Exports exports) {
        this.exports = exports;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        try {
            return new FastListener(port);
        } catch (LinkageError e) {
            ServerSocket listener = new OrdinaryListener(port);
            Throwable why = e.getCause() == null ? e : e.getCause();
            System.err.println("corunna: port " + listener.getLocalPort() + " serves ordinary RMI only, "
                    + "because fast sockets cannot be had: " + why.getMessage());
            return listener;
        }
    }

    private final class FastListener extends FastServerSocket {
        FastListener(int port) throws IOException {
            super(port);
        }

        @Override
        public Socket accept() throws IOException {
            return new SharedSocket(super.accept(), exports);
        }
    }

    /** Without the native library: no client is fast, but all are judged by {@link Users}. */
    private static final class OrdinaryListener extends ServerSocket {
        OrdinaryListener(int port) throws IOException {
            super(port);
        }

        @Override
        public Socket accept() throws IOException {
            return new SharedSocket(super.accept(), null);
        }
    }
}
