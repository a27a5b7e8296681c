// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.engine.Settings;
import corunna.net.FastSocket;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ByteArrayOutputStream;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A port of another JVM, and the connections with it that no call uses at the moment. A thread that calls takes one, or
 * makes another, so there are as many as calls at the same time. One that is not used for some time is closed.
 */
final class Peer {
    /** As long as RMI keeps its own. */
    private static final long IDLE_MS = Long.getLong("sun.rmi.transport.connectionTimeout", 15_000);
    /** As long as RMI waits for a reply; 0: for ever. */
    private static final int REPLY_MS = Integer.getInteger("sun.rmi.transport.tcp.responseTimeout", 0);
    /** A server that takes longer to say hello gets an ordinary call. */
    private static final int HELLO_MS = 10_000;
    /** After this time the server is asked whether it is there, before a call is sent that could be lost. */
    private static final long DOUBT_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Map<Key, WeakReference<Peer>> PEERS = new HashMap<>();
    private static final ScheduledThreadPoolExecutor CLEANER = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "corunna RMI idle connections");
        thread.setDaemon(true);
        return thread;
    });

    private final Key key;
    private final Exports exports;
    private volatile boolean isOrdinary;
    /** The last used first. Guarded by itself. */
    private final Deque<Connection> idle = new ArrayDeque<>();
    /** Guarded by {@link #idle}. */
    private boolean isCleaned;

    private Peer(Key key, Exports exports) {
        this.key = key;
        this.exports = exports;
    }

    /** The peer at an address, whose results are of classes that {@code loader} finds. */
    static Peer of(Address address, ClassLoader loader, Exports exports) {
        Key key = new Key(address, loader);
        synchronized (PEERS) {
            WeakReference<Peer> known = PEERS.get(key);
            Peer peer = known == null ? null : known.get();
            if (peer == null) {
                PEERS.values().removeIf(old -> old.get() == null);
                peer = new Peer(key, exports);
                PEERS.put(key, new WeakReference<>(peer));
            }
            return peer;
        }
    }

    ClassLoader loader() {
        return key.loader;
    }

    // ---- connections ----

    /** A connection, which {@link #give} returns; null: calls must go the ordinary way, which also says what is
     * wrong. */
    Connection take() {
        for (;;) {
            Connection connection;
            synchronized (idle) {
                connection = idle.pollFirst();
            }
            if (connection == null) {
                return isOrdinary ? null : connect();
            }
            if (connection.idleNs() < DOUBT_NS || connection.isAlive()) {
                return connection;
            }
            connection.close();
        }
    }

    void give(Connection connection) {
        connection.touch();
        synchronized (idle) {
            idle.addFirst(connection);
            if (!isCleaned) {
                isCleaned = true;
                CLEANER.schedule(this::clean, IDLE_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void clean() {
        synchronized (idle) {
            while (!idle.isEmpty() && idle.peekLast().idleNs() >= TimeUnit.MILLISECONDS.toNanos(IDLE_MS)) {
                idle.pollLast().close();
            }
            isCleaned = !idle.isEmpty();
            if (isCleaned) {
                CLEANER.schedule(this::clean, IDLE_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    // ---- the first words ----

    private Connection connect() {
        Socket socket = null;
        boolean isConnected = false;
        try {
            InetAddress address = InetAddress.getByName(key.host);
            if (!isHere(address)) {
                return stayOrdinary("it is on another host");
            }
            socket = new FastSocket();
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(address, key.port), HELLO_MS);
            isConnected = true;
            socket.setSoTimeout(HELLO_MS);
            int answer = hello(socket);
            if (answer >= 0 && (answer & Frame.WELCOME) != 0) {
                socket.setSoTimeout(REPLY_MS);
                return new Connection(socket, exports, answer);
            }
            close(socket);
            return stayOrdinary("it did not export by FastRmi");
        } catch (SocketTimeoutException | ConnectException e) {
            close(socket);
            return null; // the next call may find another state
        } catch (IOException e) {
            close(socket);
            boolean isOurs = Thread.currentThread().isInterrupted(); // which ends what a virtual thread waits for
            return isConnected && !isOurs ? stayOrdinary("it does not answer: " + e.getMessage()) : null;
        } catch (LinkageError e) {
            return stayOrdinary("fast sockets are off: " + e.getMessage());
        }
    }

    private static int hello(Socket socket) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(Frame.HELLO);
        out.writeByte(Frame.VERSION);
        out.writeByte(Connection.features());
        socket.getOutputStream().write(bytes.toByteArray());
        return socket.getInputStream().read();
    }

    /** Is this an address of this host? */
    static boolean isHere(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /** For good: a key names one JVM, which stays what it is. */
    private Connection stayOrdinary(String why) {
        isOrdinary = true;
        if (Settings.isInfo()) {
            System.err.println("corunna: calls to " + key.host + ":" + key.port + " are ordinary RMI: " + why);
        }
        return null;
    }

    private static void close(Socket socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // it is gone all the same
            }
        }
    }

    /** Host and port, the JVM that has them, and the loader of the interfaces that are called there. */
    private static final class Key {
        private final String host;
        private final int port;
        private final int maker;
        private final ClassLoader loader;

        Key(Address address, ClassLoader loader) {
            host = address.host();
            port = address.port();
            maker = address.object().maker();
            this.loader = loader;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Key)) {
                return false;
            }
            Key that = (Key) other;
            return host.equals(that.host) && port == that.port && maker == that.maker && loader == that.loader;
        }

        @Override
        public int hashCode() {
            return Objects.hash(host, port, maker, System.identityHashCode(loader));
        }
    }
}
