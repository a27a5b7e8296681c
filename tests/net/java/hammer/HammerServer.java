// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;

/**
 * The server of the hammer: {@code HammerServer RMI_PORT}. It prints its ports: of blocking sockets, the same by
 * virtual threads, a selector, completion handlers, connections that are interrupted, HTTP, and that of RMI. It ends
 * when a client says how many connections there were, once all of them have ended.
 */
public final class HammerServer {
    /** As the seed of a connection: it says how many others there were. */
    static final long END = 0;

    private static final Semaphore ENDED = new Semaphore(0);

    private HammerServer() {
    }

    private static void spawn(boolean isVirtual, Watch.Work work) throws ReflectiveOperationException {
        ReaderWriter.start(isVirtual, Watch.guarded(work));
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
    }

    private static void serve(Socket socket, boolean isVirtual) throws Exception {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        long seed = in.readLong();
        int number = in.readInt();
        if (seed == END) {
            ENDED.acquire(number);
            socket.getOutputStream().write(1);
            socket.close();
            System.exit(0);
        }
        Plan plan = new Plan(seed, number);
        ReaderWriter.run(BlockingLink.of(socket, plan.dice(Plan.SERVER, 5)), plan, Plan.SERVER, isVirtual);
        ENDED.release();
    }

    private static int openSockets(boolean isVirtual) throws Exception {
        ServerSocket server = listen();
        spawn(false, () -> {
            for (;;) {
                Socket socket = server.accept();
                spawn(isVirtual, () -> serve(socket, isVirtual));
            }
        });
        return server.getLocalPort();
    }

    /** A byte goes out, and the client's thread is interrupted while it waits for more: the end comes, or a reset. */
    private static int openInterrupted() throws Exception {
        ServerSocket server = listen();
        spawn(false, () -> {
            for (;;) {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(1);
                    while (socket.getInputStream().read() >= 0) {
                        Watch.moved(1);
                    }
                } catch (IOException e) {
                    Watch.moved(1);
                }
            }
        });
        return server.getLocalPort();
    }

    private static int openSelector() throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open().bind(anyPort(), 500);
        server.configureBlocking(false);
        SelectionKey accepting = server.register(selector, SelectionKey.OP_ACCEPT);
        spawn(false, () -> {
            for (;;) {
                ENDED.release(Selecting.turn(selector));
                if (!accepting.isAcceptable()) {
                    continue;
                }
                for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
                    ByteBuffer header = ByteBuffer.allocate(Plan.HEADER_BYTES);
                    while (header.hasRemaining() && channel.read(header) >= 0) {
                        continue;
                    }
                    Selecting.join(selector, channel, Plan.of(header.flip()), Plan.SERVER);
                }
                selector.selectedKeys().remove(accepting);
            }
        });
        return server.socket().getLocalPort();
    }

    private static int openAsync() throws Exception {
        AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open().bind(anyPort(), 500);
        spawn(false, () -> {
            for (;;) {
                AsynchronousSocketChannel channel = server.accept().get();
                spawn(false, () -> {
                    ByteBuffer header = ByteBuffer.allocate(Plan.HEADER_BYTES);
                    while (header.hasRemaining() && channel.read(header).get() >= 0) {
                        continue;
                    }
                    Async.run(channel, Plan.of(header.flip()), Plan.SERVER);
                    ENDED.release();
                });
            }
        });
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** The ports, in one line. */
    public static void main(String[] arguments) throws Exception {
        Watch.start();
        Turns.Served served = new Turns.Served(Integer.parseInt(arguments[0]));
        System.out.println(openSockets(false) + " " + openSockets(true) + " " + openSelector() + " " + openAsync() + " "
                + openInterrupted() + " " + Web.serve() + " " + arguments[0]);
        System.out.flush();
        Thread.currentThread().join();
        System.out.println(served);
    }
}
