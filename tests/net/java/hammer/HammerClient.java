// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The client of the hammer: {@code HammerClient PORT...}, as its server prints them. Every way of its own on every way
 * of the server.
 */
public final class HammerClient {
    private static final boolean IS_SLOW = System.getenv("CORUNNA_TEST_SLOW") != null;
    private static final int TIMES = IS_SLOW ? 2 : 8;
    private static final int LIMIT = IS_SLOW ? 300_000 : 4_000_000;
    private static final int INTERRUPTS = 10;
    private static final int SERVER_WAYS = 4;
    private static final int INTERRUPT_PORT = 4;
    private static final int WEB_PORT = 5;
    private static final int RMI_PORT = 6;

    private final int[] ports;
    private final long seed;
    private final List<Thread> threads = new ArrayList<>();
    private int count;

    private HammerClient(int[] ports, long seed) {
        this.ports = ports;
        this.seed = seed;
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private void spawn(boolean isVirtual, Watch.Work work) throws ReflectiveOperationException {
        threads.add(ReaderWriter.start(isVirtual, Watch.guarded(work)));
    }

    private static void greet(SocketChannel channel, Plan plan) throws IOException {
        ByteBuffer header = plan.header();
        while (header.hasRemaining()) {
            channel.write(header);
        }
    }

    private static void bySocket(int port, Plan plan, boolean isVirtual) throws Exception {
        Socket socket = new Socket();
        socket.connect(address(port));
        socket.getOutputStream().write(plan.header().array());
        ReaderWriter.run(BlockingLink.of(socket, plan.dice(Plan.CLIENT, 5)), plan, Plan.CLIENT, isVirtual);
    }

    private static void byChannel(int port, Plan plan) throws Exception {
        SocketChannel channel = SocketChannel.open(address(port));
        greet(channel, plan);
        ReaderWriter.run(BlockingLink.of(channel, plan.dice(Plan.CLIENT, 5)), plan, Plan.CLIENT, false);
    }

    private static void byAsync(int port, Plan plan) throws Exception {
        AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
        channel.connect(address(port)).get();
        ByteBuffer header = plan.header();
        while (header.hasRemaining()) {
            channel.write(header).get();
        }
        Async.run(channel, plan, Plan.CLIENT);
    }

    private static void bySelector(List<Integer> ports, List<Plan> plans) throws IOException {
        Selector selector = Selector.open();
        for (int i = 0; i < plans.size(); i++) {
            SocketChannel channel = SocketChannel.open(address(ports.get(i)));
            greet(channel, plans.get(i));
            Selecting.join(selector, channel, plans.get(i), Plan.CLIENT);
        }
        for (int left = plans.size(); left > 0;) {
            left -= Selecting.turn(selector);
        }
        selector.close();
    }

    /** A thread that waits in a channel's read is interrupted: the channel is closed, and says why. */
    private static void interrupt(int port) throws Exception {
        CountDownLatch hasBegun = new CountDownLatch(1);
        Thread thread = new Thread(Watch.guarded(() -> {
            SocketChannel channel = SocketChannel.open(address(port));
            ByteBuffer bytes = ByteBuffer.allocate(2);
            channel.read(bytes);
            hasBegun.countDown();
            try {
                throw new AssertionError("a read that is interrupted returns " + channel.read(bytes));
            } catch (ClosedByInterruptException e) {
                if (channel.isOpen() || !Thread.interrupted()) {
                    throw new AssertionError("the channel is open, or the thread not interrupted", e);
                }
            }
            Watch.moved(1);
        }));
        thread.start();
        hasBegun.await();
        for (int naps = 0; naps < 10 && thread.getState() == Thread.State.RUNNABLE; naps++) {
            Thread.sleep(1); // before the read, or in it: both must do
        }
        thread.interrupt();
        thread.join();
    }

    private Plan plan() {
        count++;
        return new Plan(new Dice(seed, count).roll() | 1, LIMIT);
    }

    private void connections() throws Exception {
        List<Integer> selected = new ArrayList<>();
        List<Plan> selectedPlans = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            for (int way = 0; way < SERVER_WAYS; way++) {
                int port = ports[way];
                Plan socket = plan();
                Plan light = plan();
                Plan channel = plan();
                Plan async = plan();
                spawn(false, () -> bySocket(port, socket, false));
                spawn(true, () -> bySocket(port, light, true));
                spawn(false, () -> byChannel(port, channel));
                spawn(false, () -> byAsync(port, async));
                selected.add(port);
                selectedPlans.add(plan());
            }
        }
        spawn(false, () -> bySelector(selected, selectedPlans));
        for (int i = 0; i < INTERRUPTS; i++) {
            interrupt(ports[INTERRUPT_PORT]);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void end() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports[0])) {
            socket.getOutputStream().write(
                    ByteBuffer.allocate(Plan.HEADER_BYTES).putLong(HammerServer.END).putInt(count).array());
            if (socket.getInputStream().read() != 1) {
                throw new AssertionError("the server does not end");
            }
        }
    }

    /** All ways at a time, then HTTP and remote calls. */
    public static void main(String[] arguments) throws Exception {
        int[] ports = new int[arguments.length];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = Integer.parseInt(arguments[i]);
        }
        Watch.start();
        Watch.guarded(() -> {
            HammerClient client = new HammerClient(ports, Long.getLong("test.seed", 1));
            client.connections();
            Web.ask(ports[WEB_PORT], new Dice(client.seed), TIMES * 4, LIMIT);
            Turns.ask(ports[RMI_PORT], client.seed, TIMES * 20, LIMIT / 10);
            client.end();
            if (Boolean.getBoolean("test.fast") && Fast.bytesRead() == 0) {
                throw new AssertionError("no byte went through shared memory");
            }
            System.out.println(client.count + " connections, " + Watch.total() + " bytes"
                    + (ReaderWriter.hasVirtual() ? "" : ", no virtual threads"));
        }).run();
        System.exit(0);
    }
}
