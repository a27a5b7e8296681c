// SPDX-License-Identifier: Apache-2.0
import corunna.net.FastServerSocket;
import corunna.net.FastSocket;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages over one TCP connection between two JVMs, as NetPIPE measures them, and remote calls; the Java side of
 * netpipe.c. {@code netpipe_java.sh} runs it with the JDK's sockets, with Corunna's agent, and with {@code --direct}.
 *
 * <pre>NetPipe [--max BYTES] [--only BYTES] [--ms MILLISECONDS] [--check] [--direct] TEST...</pre>
 *
 * Tests: bytes, by the streams of a socket; ints, doubles and objects, by object streams; rmi-null and rmi-doubles,
 * calls without and with an argument. With {@code --direct} sockets are FastSockets, arrays go by FastChannel and calls
 * by FastRmi. One line a size: test, bytes, microseconds (the least of three runs; half of a round trip, or a call). A
 * size is measured once the compiler has done its work: when as much time again makes it no faster.
 */
public final class NetPipe {
    private static final int RUNS = 3;
    private static final int AROUND = 3;
    private static final int PERIODS_MAX = 10;
    /** What changes by less does not change any more. */
    private static final double STABLE = 0.97;
    /** A connection that no peer makes is given up. */
    private static final int PEER_MS = 60_000;

    private int maxBytes = 16 << 20;
    private int onlyBytes;
    private int runMs = 100;
    private int peerPort;
    private boolean isChecked;
    private boolean isDirect;
    private final List<String> tests = new ArrayList<>();

    private NetPipe() {
    }

    public static void main(String[] arguments) throws Exception {
        NetPipe pipe = new NetPipe();
        if (!pipe.parse(arguments)) {
            System.err.println("usage: NetPipe [--max BYTES] [--only BYTES] [--ms N] [--check] [--direct] TEST...\n"
                    + "tests: " + String.join(", ", Exchange.TESTS) + ", " + String.join(", ", Calls.TESTS));
            System.exit(2);
        }
        if (pipe.peerPort != 0) {
            pipe.serve();
        } else {
            for (String test : pipe.tests) {
                pipe.measure(test);
            }
        }
        System.exit(0);
    }

    private boolean parse(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
            case "--check":
                isChecked = true;
                break;
            case "--direct":
                isDirect = true;
                break;
            case "--max":
            case "--only":
            case "--ms":
            case "--peer":
                if (i + 1 == arguments.length || !arguments[i + 1].matches("[1-9][0-9]{0,8}")) {
                    return false;
                }
                set(arguments[i], Integer.parseInt(arguments[++i]));
                break;
            default:
                if (!Exchange.TESTS.contains(arguments[i]) && !Calls.TESTS.contains(arguments[i])) {
                    return false;
                }
                tests.add(arguments[i]);
            }
        }
        return !tests.isEmpty();
    }

    private void set(String option, int value) {
        if (option.equals("--max")) {
            maxBytes = value;
        } else if (option.equals("--only")) {
            onlyBytes = value;
        } else if (option.equals("--ms")) {
            runMs = value;
        } else {
            peerPort = value;
        }
    }

    // ---- the two sides ----

    /** The other JVM: as this one was started. */
    private Process startPeer(String test, int port) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NetPipe.class.getName(), "--peer",
                String.valueOf(port)));
        if (isDirect) {
            command.add("--direct");
        }
        command.add(test);
        return new ProcessBuilder(command).inheritIO().start();
    }

    private void measure(String test) throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        try (ServerSocket listener = isDirect ? new FastServerSocket(0, 2, here) : new ServerSocket(0, 2, here)) {
            listener.setSoTimeout(PEER_MS);
            Process peer = startPeer(test, listener.getLocalPort());
            try (Socket socket = listener.accept(); Socket orders = listener.accept()) {
                socket.setTcpNoDelay(true);
                if (Calls.TESTS.contains(test)) {
                    calls(test, new Calls(socket, isDirect));
                } else {
                    messages(test, socket, new DataOutputStream(orders.getOutputStream()));
                }
            } finally {
                peer.destroy();
                peer.waitFor();
            }
        }
    }

    private Socket connect() throws IOException {
        return isDirect ? new FastSocket("127.0.0.1", peerPort) : new Socket("127.0.0.1", peerPort);
    }

    /** Messages come over one connection, how many and how long over another, since object streams read ahead. */
    private void serve() throws Exception {
        String test = tests.get(0);
        try (Socket socket = connect(); Socket ordering = connect()) {
            socket.setTcpNoDelay(true);
            if (Calls.TESTS.contains(test)) {
                Calls.serve(socket, isDirect);
                return;
            }
            DataInputStream orders = new DataInputStream(ordering.getInputStream());
            Exchange exchange = Exchange.of(test, socket, isDirect);
            for (int bytes = orders.readInt(); bytes > 0; bytes = orders.readInt()) {
                exchange.setBytes(bytes);
                for (long left = orders.readLong(); left > 0; left--) {
                    exchange.receive();
                    exchange.send();
                }
            }
        }
    }

    // ---- measuring ----

    /** So many iterations; the time of one, in nanoseconds. */
    private interface Run {
        double of(long iterations) throws Exception;
    }

    private void messages(String test, Socket socket, DataOutputStream orders) throws Exception {
        Exchange exchange = Exchange.of(test, socket, isDirect);
        for (int bytes : sizes(exchange.maxBytes())) {
            exchange.setBytes(bytes);
            print(test, bytes, count -> {
                orders.writeInt(bytes);
                orders.writeLong(count);
                long begin = System.nanoTime();
                for (long i = 0; i < count; i++) {
                    if (isChecked) {
                        exchange.fill((int) i);
                    }
                    exchange.send();
                    exchange.receive();
                    if (isChecked) {
                        exchange.check((int) i);
                    }
                }
                return (System.nanoTime() - begin) / (double) count / 2;
            });
        }
        orders.writeInt(0);
    }

    private void calls(String test, Calls calls) throws Exception {
        for (int bytes : test.equals("rmi-null") ? List.of(0) : sizes(maxBytes)) {
            print(test, bytes, count -> {
                long begin = System.nanoTime();
                calls.run(bytes, count, isChecked);
                return (System.nanoTime() - begin) / (double) count;
            });
        }
    }

    private List<Integer> sizes(int limit) {
        if (onlyBytes > 0) {
            return List.of(onlyBytes);
        }
        List<Integer> all = new ArrayList<>();
        int end = Math.min(limit, maxBytes);
        for (long power = 1; power <= end; power *= 2) {
            for (int around = -AROUND; around <= AROUND; around += AROUND) {
                if ((around == 0 || power >= 8) && power + around <= end) {
                    all.add((int) power + around);
                }
            }
        }
        return all;
    }

    /** Until a period is no faster than the one before; the time of an iteration. */
    private double warmUp(Run run) throws Exception {
        double best = run.of(3);
        for (int period = 0; period < PERIODS_MAX; period++) {
            double before = best;
            for (long end = System.nanoTime() + runMs * 1_000_000L; System.nanoTime() < end;) {
                best = Math.min(best, run.of(Math.max(1, (long) (runMs * 1e5 / best))));
            }
            if (best > before * STABLE) {
                break;
            }
        }
        return best;
    }

    private void print(String test, int bytes, Run run) throws Exception {
        double once = warmUp(run);
        double best = once;
        for (int i = 0; i < RUNS; i++) {
            best = Math.min(best, run.of(1 + (long) (runMs * 1e6 / once / 2)));
        }
        System.out.printf("%s %d %.3f%n", test, bytes, best / 1e3);
    }
}
