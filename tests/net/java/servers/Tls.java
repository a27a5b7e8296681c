// SPDX-License-Identifier: Apache-2.0
package servers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSocketFactory;

/** TLS over sockets: {@code serve PORT}, an echo for one client, or {@code ask PORT}. The properties name the keys. */
public final class Tls {
    private Tls() {
    }

    private static void serve(int port) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (var server = SSLServerSocketFactory.getDefault().createServerSocket(port, 5, here)) {
            // A look at the port, by the test, is no client.
            for (boolean isDone = false; !isDone;) {
                try (Socket socket = server.accept()) {
                    isDone = echo(socket);
                } catch (IOException e) {
                    System.err.println(e);
                }
            }
        }
    }

    private static boolean echo(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        for (int length = in.readInt(); length > 0; length = in.readInt()) {
            out.write(in.readNBytes(length));
            out.flush();
        }
        return true;
    }

    private static void ask(int port) throws IOException {
        try (Socket socket = SSLSocketFactory.getDefault().createSocket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            Random random = new Random(1);
            for (int length : new int[] {1, 100, 20_000, 300_000, 5}) {
                byte[] sent = new byte[length];
                random.nextBytes(sent);
                out.writeInt(length);
                out.write(sent);
                out.flush();
                System.out.println(length + " came back " + Arrays.equals(sent, in.readNBytes(length)));
            }
            out.writeInt(0);
        }
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[1]);
        if (args[0].equals("serve")) {
            serve(port);
        } else {
            ask(port);
        }
    }
}
