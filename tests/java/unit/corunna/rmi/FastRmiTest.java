// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import corunna.net.PeerUser;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.ExportException;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FastRmiTest {
    private static final int CLOSED_PORT = 1;

    /** Methods of all kinds. The interface is not public, as those of programs need not be. */
    interface Kinds extends Remote {
        void nothing() throws RemoteException;

        int twice(int number) throws RemoteException;

        String[] mixed(boolean a, byte b, char c, short d, long e, float f, double g, int[][] h, Kinds i)
                throws RemoteException;

        <T extends Comparable<T>> T largest(List<T> all) throws RemoteException;
    }

    private static final class Serving implements Kinds {
        @Override
        public void nothing() {
        }

        @Override
        public int twice(int number) {
            return 2 * number;
        }

        @Override
        public String[] mixed(boolean a, byte b, char c, short d, long e, float f, double g, int[][] h, Kinds i) {
            return new String[] {"" + a + b + c + d + e + f + g + h.length};
        }

        @Override
        public <T extends Comparable<T>> T largest(List<T> all) {
            return all.get(0);
        }
    }

    private static final class Factory implements RMIClientSocketFactory, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return new Socket(host, port);
        }
    }

    @Test
    void hashesAreThoseOfRmi() throws Exception {
        Elsewhere ref = new Elsewhere("192.0.2.1", CLOSED_PORT);
        Kinds stub = ref.stub(Kinds.class);
        stub.nothing();
        stub.twice(1);
        stub.mixed(true, (byte) 1, 'c', (short) 2, 3, 4, 5, null, null);
        stub.largest(List.of("a"));
        assertEquals(4, ref.methods.size());
        for (int i = 0; i < ref.methods.size(); i++) {
            assertEquals(ref.hashes.get(i), Signature.hash(ref.methods.get(i)), ref.methods.get(i).toString());
        }
    }

    /** An address that is for documentation: no host has it, and no connection is tried. */
    @Test
    void callsToAnotherHostAreOrdinary() throws Exception {
        Elsewhere ref = new Elsewhere("192.0.2.1", CLOSED_PORT);
        Kinds fast = FastRmi.accelerate(ref.stub(Kinds.class));
        assertFalse(FastRmi.isFast(fast));
        assertEquals(4711, fast.twice(1));
        assertEquals(1, ref.methods.size());
    }

    /** The ordinary call says what is wrong. */
    @Test
    void callsToClosedPortsAreOrdinary() throws Exception {
        Elsewhere ref = new Elsewhere("127.0.0.1", CLOSED_PORT);
        assertEquals(4711, FastRmi.accelerate(ref.stub(Kinds.class)).twice(1));
    }

    @Test
    void stubsWithFactoriesStayWhatTheyAre() throws Exception {
        Serving serving = new Serving();
        Remote stub = UnicastRemoteObject.exportObject(serving, 0, new Factory(), null);
        try {
            assertSame(stub, FastRmi.accelerate(stub));
        } finally {
            UnicastRemoteObject.unexportObject(serving, true);
        }
    }

    @Test
    void exports() throws Exception {
        Serving serving = new Serving();
        Kinds stub = (Kinds) FastRmi.export(serving, 0);
        assertTrue(FastRmi.isFast(stub));
        assertSame(stub, FastRmi.accelerate(stub));
        assertEquals(8, stub.twice(4));
        assertEquals("true1c234.05.02", stub.mixed(true, (byte) 1, 'c', (short) 2, 3, 4, 5, new int[2][1], serving)[0]);
        assertEquals("z", stub.largest(List.of("z", "a")));
        String again = assertThrows(ExportException.class, () -> FastRmi.export(serving, 0)).getMessage();
        assertTrue(again.contains("exported already"), again);
        while (!FastRmi.unexport(serving, false)) { // the last call ends after its reply
            Thread.sleep(1);
        }
        assertThrows(NoSuchObjectException.class, () -> stub.twice(4));
        assertThrows(NoSuchObjectException.class, () -> FastRmi.unexport(serving, false));
        Kinds anew = (Kinds) FastRmi.export(serving, 0);
        assertNotSame(stub, anew);
        assertEquals(10, anew.twice(5));
        assertThrows(NoSuchObjectException.class, () -> stub.twice(4));
        FastRmi.unexport(serving, true);
    }

    /** An interrupt ends the wait of a virtual thread; the server is what it was. */
    @Test
    void interruptedThreadsDoNotMakeCallsOrdinary() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "no virtual threads");
        Serving serving = new Serving();
        Remote stub = FastRmi.export(serving, 0);
        Runnable look = () -> {
            Thread.currentThread().interrupt();
            FastRmi.isFast(stub);
        };
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, look);
        thread.join();
        assertTrue(FastRmi.isFast(stub));
        FastRmi.unexport(serving, true);
    }

    // ---- clients that mean no good ----

    private static Socket hello(int port) throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(600_000);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(Frame.HELLO);
        out.writeShort(Frame.VERSION << 8);
        assertEquals(Frame.WELCOME, socket.getInputStream().read() & Frame.WELCOME);
        return socket;
    }

    /** Reads until the server closes the connection, by an end or a reset. */
    private static void awaitEnd(InputStream in) throws IOException {
        try {
            while (in.read() >= 0) {
                continue;
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            assertTrue(e instanceof java.net.SocketException, e.toString());
        }
    }

    @Test
    void nonsenseEndsItsConnectionOnly() throws Exception {
        Serving serving = new Serving();
        Kinds stub = (Kinds) FastRmi.export(serving, 0);
        int port = Address.of(FastRmi.refOf(stub)).port();
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            byte[] nonsense = new byte[1 + random.nextInt(100)];
            random.nextBytes(nonsense);
            try (Socket socket = hello(port)) {
                socket.getOutputStream().write(nonsense);
                socket.shutdownOutput();
                awaitEnd(socket.getInputStream());
            } catch (IOException e) {
                throw new AssertionError("seed " + seed, e);
            }
            assertEquals(2 * i, stub.twice(i), "seed " + seed);
        }
        FastRmi.unexport(serving, true);
    }

    /** An array needs memory, so nothing of it is taken before the message has named an object. */
    @Test
    void messagesDoNotBeginWithAnArray() throws Exception {
        Serving serving = new Serving();
        Kinds stub = (Kinds) FastRmi.export(serving, 0);
        try (Socket socket = hello(Address.of(FastRmi.refOf(stub)).port())) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(Integer.MIN_VALUE); // of bytes
            out.writeInt(1 << 20);
            awaitEnd(socket.getInputStream()); // though the elements have not come
        }
        assertEquals(8, stub.twice(4));
        FastRmi.unexport(serving, true);
    }

    /** What reads the other end of a connection, to which something has been written. */
    private interface Reading {
        void read(Elements elements) throws Exception;
    }

    private interface Writing {
        void write(Socket socket) throws IOException;
    }

    private static void overConnection(Writing writing, Reading reading) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                try {
                    writing.write(client);
                    client.shutdownOutput();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            reading.read(new Elements(accepted));
            written.get();
        }
    }

    /** A length that is more than the heap has: what has not come is not made room for. */
    @Test
    void arraysGrowAsTheirElementsCome() throws Exception {
        for (int kind = 0; kind < Elements.TYPES.length; kind++) {
            int which = kind;
            overConnection(socket -> socket.getOutputStream().write(new byte[Long.BYTES]),
                    elements -> assertThrows(IOException.class, () -> elements.read(which, Integer.MAX_VALUE)));
        }
    }

    @Test
    void longArraysArriveWhole() throws Exception {
        int bytes = 30_000_000;
        for (int kind = 0; kind < Elements.TYPES.length; kind++) {
            int which = kind;
            int length = (int) (bytes / Elements.bytes(kind, 1));
            Object sent = Array.newInstance(Elements.TYPES[kind].getComponentType(), length);
            for (int i = 0; i < length; i += 997) {
                if (kind == 1) {
                    Array.setChar(sent, i, (char) i);
                } else {
                    Array.setByte(sent, i, (byte) i);
                }
            }
            overConnection(socket -> new Elements(socket).write(sent),
                    elements -> assertTrue(Objects.deepEquals(sent, elements.read(which, length))));
        }
    }

    @Test
    void usersOfConnectionsAreKnown() throws Exception {
        for (String host : new String[] {"127.0.0.1", "::1"}) {
            InetAddress address = InetAddress.getByName(host);
            try (ServerSocket listener = new ServerSocket(0, 1, address);
                    Socket client = new Socket(address, listener.getLocalPort());
                    Socket accepted = listener.accept()) {
                assertEquals(Users.self(), PeerUser.of(accepted), host);
                assertTrue(Users.mayConnect(accepted));
                client.shutdownOutput();
                assertEquals(Users.self(), PeerUser.of(accepted), host);
            } catch (BindException e) {
                continue; // this host has no IPv6
            }
        }
    }

    /** Objects and methods that are not there, and arguments of other types. */
    @Test
    void wrongNamesAreRefused() throws Exception {
        Serving serving = new Serving();
        Remote stub = FastRmi.export(serving, 0);
        Address address = Address.of(FastRmi.refOf(stub));
        Exports none = new Exports();
        Signature nothing = new Signature(Kinds.class.getMethod("nothing"));
        Peer peer = Peer.of(address, FastRmiTest.class.getClassLoader(), none);
        Call unknown = new Call(peer, peer.take());
        String text = assertThrows(java.rmi.ServerException.class,
                () -> unknown.run(address.object(), 1, nothing, null)).getCause().getMessage();
        assertTrue(text.contains("unrecognized method hash"), text);
        long largest = Signature.hash(Kinds.class.getMethod("largest", List.class));
        Signature takesText = new Signature(String.class.getMethod("concat", String.class));
        Call wrong = new Call(peer, peer.take());
        assertThrows(IllegalArgumentException.class,
                () -> wrong.run(address.object(), largest, takesText, new Object[] {"no list"}));
        Call tooShort = new Call(peer, peer.take());
        assertThrows(java.rmi.ServerException.class, () -> tooShort.run(address.object(), largest, nothing, null));
        FastRmi.unexport(serving, true);
        Call gone = new Call(peer, peer.take());
        assertThrows(NoSuchObjectException.class, () -> gone.run(address.object(), 1, nothing, null));
    }
}
