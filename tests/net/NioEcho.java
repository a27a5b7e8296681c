// SPDX-License-Identifier: Apache-2.0
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;

/** An echo server by NIO's selector, and clients by blocking sockets: {@code serve}, or {@code ask PORT}. */
public final class NioEcho {
    private static final int CLIENTS = 20;
    private static final int MESSAGES = 200;

    private static void serve() throws IOException {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
        System.out.flush();
        for (int ended = 0; ended < CLIENTS;) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel channel = server.accept();
                    channel.configureBlocking(false);
                    channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(65536));
                } else if (!answer(key)) {
                    ended++;
                    key.channel().close();
                }
            }
            selector.selectedKeys().clear();
        }
    }

    /** Writes what was read; waits for room by OP_WRITE. */
    private static boolean answer(SelectionKey key) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        ByteBuffer buffer = (ByteBuffer) key.attachment();
        if (key.isReadable() && channel.read(buffer) < 0)
            return false;
        buffer.flip();
        channel.write(buffer);
        boolean isLeft = buffer.hasRemaining();
        buffer.compact();
        key.interestOps(isLeft ? SelectionKey.OP_WRITE | (buffer.hasRemaining() ? SelectionKey.OP_READ : 0)
                               : SelectionKey.OP_READ);
        return true;
    }

    private static void ask(int port, int seed) throws IOException {
        Random random = new Random(seed);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int i = 0; i < MESSAGES; i++) {
                byte[] sent = new byte[1 + random.nextInt(i % 20 == 0 ? 60000 : 300)];
                byte[] got = new byte[sent.length];
                random.nextBytes(sent);
                out.write(sent);
                in.readFully(got);
                if (!Arrays.equals(sent, got))
                    throw new IOException("message " + i + " of " + sent.length + " bytes came back as another");
            }
            if (in.available() != 0)
                throw new IOException("bytes are left");
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            serve();
            return;
        }
        int port = Integer.parseInt(arguments[1]);
        Thread[] threads = new Thread[CLIENTS];
        int[] failures = new int[1];
        for (int i = 0; i < CLIENTS; i++) {
            int seed = i;
            threads[i] = new Thread(() -> {
                try {
                    ask(port, seed);
                } catch (IOException e) {
                    e.printStackTrace();
                    synchronized (failures) {
                        failures[0]++;
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.exit(failures[0] == 0 ? 0 : 1);
    }
}
