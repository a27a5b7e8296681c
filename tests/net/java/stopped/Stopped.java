// SPDX-License-Identifier: Apache-2.0
package stopped;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A read with a time-out of five seconds, on a connection that has moved, or could have. */
public final class Stopped {
    private static final int GREETINGS = 50;

    private Stopped() {
    }

    public static void main(String[] arguments) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket listener = new ServerSocket(0, 1, here);
                Socket client = new Socket(here, listener.getLocalPort());
                Socket server = listener.accept()) {
            for (int i = 0; i < GREETINGS; i++) {
                client.getOutputStream().write(i);
                server.getOutputStream().write(server.getInputStream().read());
                if (client.getInputStream().read() != i) {
                    throw new IOException("the greeting is wrong");
                }
            }
            client.setSoTimeout(5000);
            System.out.println("reading");
            try {
                client.getInputStream().read();
            } catch (SocketTimeoutException e) {
                System.out.println("timed out");
            }
        }
    }
}
