// SPDX-License-Identifier: Apache-2.0
package sockets;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The other process of a connection, which is killed: {@code Victim plain|fast PORT}. */
public final class Victim {
    private Victim() {
    }

    /** One that is about to connect. */
    static Process start(Ends ends, ServerSocket server) throws IOException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        return new ProcessBuilder(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"), Victim.class.getName(), ends.clientWord(),
                String.valueOf(server.getLocalPort())).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Answers two bytes, so that the connection is what it can be, and reads no more. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int port = Integer.parseInt(args[1]);
        try (Socket socket = new Ends("plain", args[0]).client(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < 2; i++) {
                socket.getOutputStream().write(socket.getInputStream().read());
            }
            Thread.sleep(3_600_000); // until it is killed
        }
    }
}
