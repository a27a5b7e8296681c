// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A connection with a time-out, on which a thread of each end reads while another writes: both may wait at once, in
 * poll. No time-out may come, since there always is something to do.
 */
public final class Duplex {
    private static final int BYTES = 15 << 20;
    private static final int PIECE = 64 << 10;
    private static final int TIMEOUT_MS = 600_000;

    private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

    /** What one of the threads does. */
    private interface Task {
        void run() throws IOException;
    }

    private static byte at(int position, int salt) {
        return (byte) ((position + salt) * 0x9e3779b1 >> 24);
    }

    private static void write(Socket socket, int salt) throws IOException {
        byte[] piece = new byte[PIECE];
        for (int done = 0; done < BYTES; done += PIECE) {
            for (int i = 0; i < PIECE; i++)
                piece[i] = at(done + i, salt);
            socket.getOutputStream().write(piece);
        }
    }

    private static void read(Socket socket, int salt) throws IOException {
        byte[] piece = new byte[PIECE];
        for (int done = 0; done < BYTES;) {
            int got = socket.getInputStream().read(piece);
            for (int i = 0; i < got; i++)
                if (piece[i] != at(done + i, salt))
                    throw new IOException("byte " + (done + i) + " is wrong");
            if (got < 0)
                throw new IOException("end after " + done + " bytes");
            done += got;
        }
    }

    private static Thread start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | RuntimeException e) {
                FAILURE.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
             Socket accepted = server.accept()) {
            client.setSoTimeout(TIMEOUT_MS);
            accepted.setSoTimeout(TIMEOUT_MS);
            /* A byte each way: both ends go by memory from here on. */
            client.getOutputStream().write(1);
            accepted.getInputStream().read();
            accepted.getOutputStream().write(1);
            client.getInputStream().read();
            Thread[] threads = {
                start(() -> write(client, 1)), start(() -> write(accepted, 2)),
                start(() -> read(client, 2)), start(() -> read(accepted, 1)),
            };
            for (Thread thread : threads)
                thread.join();
            if (FAILURE.get() != null)
                throw new IOException("a connection of " + BYTES + " bytes each way", FAILURE.get());
        }
    }
}
