// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A program with a connection that runs others: {@code Spawner CORUNNA}. What it runs is {@code corunna sock --stats}
 * on itself, which tells whether the connection is still fast. The JVM's sockets are not close-on-exec.
 */
public final class Spawner {
    private static final int CHILDREN = 3;

    private static long counter(String stats, String name) throws IOException {
        for (String line : stats.split("\n")) {
            String[] words = line.trim().split(" +");
            if (words[0].equals(name))
                return Long.parseLong(words[1]);
        }
        throw new IOException("no " + name + " in: " + stats);
    }

    private static String statistics(String corunna) throws Exception {
        long pid = ProcessHandle.current().pid();
        Process child = new ProcessBuilder(corunna, "sock", "--stats", Long.toString(pid))
                .redirectErrorStream(true).start();
        String stats = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (child.waitFor() != 0)
            throw new IOException("corunna sock --stats: " + stats);
        return stats;
    }

    private static void echo(Socket socket) {
        try (InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            for (int next = in.read(); next >= 0; next = in.read())
                out.write(next);
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void ask(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        int back = socket.getInputStream().read();
        if (back != value)
            throw new IOException(value + " came back as " + back);
    }

    public static void main(String[] arguments) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
             Socket accepted = server.accept()) {
            Thread echo = new Thread(() -> echo(accepted));
            echo.start();
            long before = 0;
            for (int i = 0; i < CHILDREN; i++) {
                ask(client, 10 + i);
                ask(client, 20 + i);
                String stats = statistics(arguments[0]);
                long bytes = counter(stats, "ring_in");
                if (bytes <= before || counter(stats, "returned") != 0)
                    throw new IOException("the connection is not fast with child " + i + ": " + stats);
                before = bytes;
            }
            client.shutdownOutput();
            echo.join();
        }
    }
}
