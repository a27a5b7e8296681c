// SPDX-License-Identifier: Apache-2.0
package sockets;

import corunna.net.FastServerSocket;
import corunna.net.FastSocket;
import java.io.IOException;

/** A program whose first fast socket is made while the JVM ends: {@code Late}. */
public final class Late {
    private Late() {
    }

    /** Ends at once; its hook has the sockets. */
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(Late::connect));
    }

    private static void connect() {
        try (FastServerSocket server = new FastServerSocket(0);
                FastSocket client = new FastSocket("localhost", server.getLocalPort())) {
            System.out.println(client.isConnected() ? "connected" : "not connected");
        } catch (IOException e) {
            System.out.println(e);
        }
    }
}
