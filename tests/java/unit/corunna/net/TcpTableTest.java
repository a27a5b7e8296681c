// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose the other end of a connection is, by tables that say all kinds of things. */
class TcpTableTest {
    private static final String ESTABLISHED = "01";
    private static final String FIN_WAIT2 = "05";
    private static final String TIME_WAIT = "06";
    private static final String CLOSE_WAIT = "08";
    private static final String LAST_ACK = "09";
    private static final int USER = 1234;
    private static final int STAND_IN = 65534;
    private static final InetSocketAddress THERE = at("127.0.0.1", 40000);
    private static final InetSocketAddress HERE = at("127.0.0.1", 5000);
    private static final long OWN = 77;
    private static final String OWN_ROW = row(HERE, THERE, ESTABLISHED, 999, OWN);

    /** Files of which each opening shows the next content; the last one stays. */
    private static final class Files implements TcpTable.Proc {
        private final Map<String, Deque<String>> contents = new HashMap<>();

        Files() {
            set("sys/kernel/overflowuid", STAND_IN + "\n");
            set("self/uid_map", "         0          0 4294967295\n");
        }

        Files set(String name, String... given) {
            contents.put(name, new ArrayDeque<>(List.of(given)));
            return this;
        }

        @Override
        public BufferedReader open(String name) throws IOException {
            Deque<String> left = contents.get(name);
            if (left == null) {
                throw new NoSuchFileException(name);
            }
            return new BufferedReader(new StringReader(left.size() > 1 ? left.poll() : left.peek()));
        }
    }

    private static InetSocketAddress at(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static String end(InetSocketAddress end, boolean isMapped) {
        byte[] bytes = end.getAddress().getAddress();
        ByteBuffer words = isMapped ? ByteBuffer.allocate(16).putLong(0).putInt(0xFFFF).put(bytes)
                : ByteBuffer.wrap(bytes);
        words.rewind();
        words.order(ByteOrder.nativeOrder());
        String text = "";
        while (words.hasRemaining()) {
            text += String.format("%08X", words.getInt());
        }
        return text + String.format(":%04X", end.getPort());
    }

    private static String row(InetSocketAddress local, InetSocketAddress remote, String state, int user, long inode) {
        return row(end(local, false), end(remote, false), state, user, inode);
    }

    private static String mapped(InetSocketAddress local, InetSocketAddress remote, int user, long inode) {
        return row(end(local, true), end(remote, true), ESTABLISHED, user, inode);
    }

    private static String row(String local, String remote, String state, int user, long inode) {
        return String.format("  12: %s %s %s 00000000:00000000 00:00000000 00000000 %5d        0 %d 1 0000 "
                + "20 4 30 10 -1%n", local, remote, state, user, inode);
    }

    private static long userIn(Files files) throws IOException {
        return new TcpTable(files).userOf(THERE, HERE, OWN);
    }

    private static long userIn(String... rows) throws IOException {
        return userIn(new Files().set("net/tcp", "  sl  local_address ...\n" + String.join("", rows)));
    }

    @Test
    void bothEndsAreThere() throws Exception {
        String peer = row(THERE, HERE, ESTABLISHED, USER, 5);
        assertEquals(USER, userIn(OWN_ROW, peer));
        assertEquals(USER, userIn(peer, row(at("127.0.0.1", 40001), HERE, ESTABLISHED, 1, 6), OWN_ROW));
        assertEquals(PeerUser.UNKNOWN, userIn(OWN_ROW));
        assertEquals(PeerUser.UNKNOWN, userIn(new Files()));
    }

    @Test
    void endsOfOtherFamiliesAreMapped() throws Exception {
        assertEquals(USER, userIn(new Files()
                .set("net/tcp6", mapped(HERE, THERE, 0, OWN) + mapped(THERE, HERE, USER, 5))));
        assertEquals(USER, userIn(new Files().set("net/tcp", row(THERE, HERE, ESTABLISHED, USER, 5))
                .set("net/tcp6", mapped(HERE, THERE, 0, OWN))));
        InetSocketAddress there = at("::1", 40000);
        InetSocketAddress here = at("::1", 5000);
        Files six = new Files().set("net/tcp", "").set("net/tcp6", row(here, there, ESTABLISHED, 0, OWN)
                + row(there, here, ESTABLISHED, USER, 5));
        assertEquals(USER, new TcpTable(six).userOf(there, here, 0));
    }

    /** Somebody may have the port of a peer that has gone. */
    @Test
    void theConnectionIsStillTheOwn() throws Exception {
        String peer = row(THERE, HERE, ESTABLISHED, USER, 5);
        assertEquals(PeerUser.UNKNOWN, userIn(peer));
        assertEquals(PeerUser.UNKNOWN, userIn(peer, row(HERE, THERE, ESTABLISHED, 999, OWN + 1)));
        assertEquals(PeerUser.UNKNOWN, userIn(peer, row(HERE, THERE, ESTABLISHED, 999, 0)));
        Files unknown = new Files().set("net/tcp", peer + row(HERE, THERE, ESTABLISHED, 999, OWN + 1));
        assertEquals(USER, new TcpTable(unknown).userOf(THERE, HERE, 0));
    }

    @Test
    void theConnectionIsEstablished() throws Exception {
        assertEquals(PeerUser.UNKNOWN, userIn(OWN_ROW, row(THERE, HERE, TIME_WAIT, 0, 0)));
        assertEquals(PeerUser.UNKNOWN, userIn(OWN_ROW, row(THERE, HERE, ESTABLISHED, 0, 0)));
        assertEquals(PeerUser.UNKNOWN, userIn(OWN_ROW, row(THERE, HERE, LAST_ACK, USER, 5)));
        assertEquals(PeerUser.UNKNOWN,
                userIn(row(HERE, THERE, FIN_WAIT2, 999, OWN), row(THERE, HERE, ESTABLISHED, USER, 5)));
        assertEquals(USER, userIn(row(HERE, THERE, CLOSE_WAIT, 999, OWN), row(THERE, HERE, FIN_WAIT2, USER, 5)),
                "the peer sends no more, but waits for an answer");
    }

    @Test
    void rowsThatWereMissedAreLookedForAgain() throws Exception {
        String peer = row(THERE, HERE, ESTABLISHED, USER, 5);
        assertEquals(USER, userIn(new Files().set("net/tcp", OWN_ROW, peer, OWN_ROW + peer)));
        assertEquals(USER, userIn(new Files().set("net/tcp", "", "", "", "", OWN_ROW + peer)));
    }

    /** In a user namespace one number stands for all users who have none. */
    @Test
    void aNumberForManyIsNobodys() throws Exception {
        String both = OWN_ROW + row(THERE, HERE, ESTABLISHED, STAND_IN, 5);
        assertEquals(STAND_IN, userIn(new Files().set("net/tcp", both)));
        String few = "         0       1000          1\n";
        assertEquals(PeerUser.UNKNOWN, userIn(new Files().set("net/tcp", both).set("self/uid_map", few)));
        assertEquals(PeerUser.UNKNOWN, userIn(new Files().set("net/tcp", both).set("self/uid_map", "")));
        String many = "         0     100000      65536\n";
        assertEquals(PeerUser.UNKNOWN, userIn(new Files().set("net/tcp", both).set("self/uid_map", many)));
        assertEquals(STAND_IN, userIn(new Files().set("net/tcp", both).set("self/uid_map", few)
                .set("sys/kernel/overflowuid", "60000\n")));
        assertEquals(USER, userIn(new Files().set("self/uid_map", few)
                .set("net/tcp", OWN_ROW + row(THERE, HERE, ESTABLISHED, USER, 5))));
    }

    /** The real table: of sockets of the JDK and of ours. */
    @Test
    void ofThisProcess() throws Exception {
        int self = (Integer) java.nio.file.Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (ServerSocket plain = new ServerSocket(0); FastServerSocket fast = new FastServerSocket(0)) {
            for (ServerSocket listener : List.of(plain, fast)) {
                for (String address : List.of("127.0.0.1", "127.0.0.2")) {
                    try (Socket accepted = accept(listener, address, self)) {
                        assertEquals(PeerUser.UNKNOWN, PeerUser.of(accepted), "the client has closed");
                    }
                }
            }
        }
    }

    private static Socket accept(ServerSocket listener, String address, int user) throws IOException {
        try (Socket client = new Socket(address, listener.getLocalPort())) {
            Socket accepted = listener.accept();
            assertEquals(user, PeerUser.of(accepted));
            assertEquals(user, PeerUser.of(client));
            return accepted;
        }
    }
}
