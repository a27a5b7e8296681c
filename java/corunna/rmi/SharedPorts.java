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
            return new Listener(port);
        } catch (LinkageError e) {
            System.err.println("corunna: port " + port + " serves ordinary RMI only: " + e.getMessage());
            return new ServerSocket(port);
        }
    }

    private final class Listener extends FastServerSocket {
        Listener(int port) throws IOException {
            super(port);
        }

        @Override
        public Socket accept() throws IOException {
            return new SharedSocket(super.accept(), exports);
        }
    }
}
