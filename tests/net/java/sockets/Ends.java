// SPDX-License-Identifier: Apache-2.0
package sockets;

import corunna.net.FastServerSocket;
import corunna.net.FastSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Which sockets are at the two ends: the JDK's, or ours. With the agent the JDK's are ours, too. */
final class Ends {
    private final boolean isFastServer;
    private final boolean isFastClient;

    Ends(String server, String client) {
        isFastServer = isFast(server);
        isFastClient = isFast(client);
    }

    private static boolean isFast(String word) {
        if (!word.equals("fast") && !word.equals("plain")) {
            throw new IllegalArgumentException("\"" + word + "\" is neither fast nor plain");
        }
        return word.equals("fast");
    }

    /** What another process shall have as client. */
    String clientWord() {
        return isFastClient ? "fast" : "plain";
    }

    ServerSocket server() throws IOException {
        return isFastServer ? new FastServerSocket() : new ServerSocket();
    }

    ServerSocket server(int port, int backlog, InetAddress address) throws IOException {
        return isFastServer ? new FastServerSocket(port, backlog, address) : new ServerSocket(port, backlog, address);
    }

    ServerSocket loopbackServer() throws IOException {
        return server(0, 50, InetAddress.getLoopbackAddress());
    }

    Socket client() throws IOException {
        return isFastClient ? new FastSocket() : new Socket();
    }

    Socket client(InetAddress address, int port) throws IOException {
        return isFastClient ? new FastSocket(address, port) : new Socket(address, port);
    }

    /** A connection: the client's end and the accepted one. */
    static final class Pair implements AutoCloseable {
        final ServerSocket server;
        final Socket client;
        final Socket accepted;

        Pair(Ends ends) throws IOException {
            server = ends.loopbackServer();
            client = ends.client();
            client.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
            accepted = server.accept();
        }

        /** Bytes have gone both ways: a connection that can be fast is. */
        Pair used() throws IOException {
            for (int round = 0; round < 2; round++) {
                client.getOutputStream().write(1);
                accepted.getInputStream().read();
                accepted.getOutputStream().write(2);
                client.getInputStream().read();
            }
            return this;
        }

        @Override
        public void close() throws IOException {
            client.close();
            accepted.close();
            server.close();
        }
    }

    Pair pair() throws IOException {
        return new Pair(this);
    }
}
