// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.check;
import static sockets.Suite.see;
import static sockets.Suite.seeTry;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How sockets come to be: addresses, states, connect, accept. */
final class LifeCases {
    private LifeCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("addresses", LifeCases::addresses);
        cases.put("families", LifeCases::families);
        cases.put("states", LifeCases::states);
        cases.put("binding", LifeCases::binding);
        cases.put("refused", LifeCases::refused);
        cases.put("backlog", LifeCases::backlog);
        cases.put("full", LifeCases::full);
        cases.put("acceptTimeout", LifeCases::acceptTimeout);
        cases.put("self", LifeCases::self);
        cases.put("many", LifeCases::many);
    }

    private static void addresses(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            Socket client = pair.client;
            Socket accepted = pair.accepted;
            see("remote", client.getInetAddress() + " " + (client.getPort() == pair.server.getLocalPort()));
            see("local", client.getLocalAddress() + " " + (client.getLocalPort() == accepted.getPort()));
            see("accepted", accepted.getInetAddress() + " " + accepted.getLocalAddress() + " "
                    + (accepted.getLocalPort() == pair.server.getLocalPort()));
            see("socket addresses", client.getRemoteSocketAddress().equals(accepted.getLocalSocketAddress()) + " "
                    + client.getLocalSocketAddress().equals(accepted.getRemoteSocketAddress()));
            see("server", pair.server.getInetAddress() + " "
                    + pair.server.toString().replaceAll("[0-9]{4,}", "PORT"));
            see("text", client.toString().replaceAll("[0-9]{4,}", "PORT"));
        }
    }

    private static void families(Ends ends) throws Exception {
        try (ServerSocket server = ends.server(0, 10, null)) {
            see("any", server.getInetAddress().isAnyLocalAddress());
            for (String host : new String[] {"127.0.0.1", "127.0.0.2", "::1", "localhost", "0.0.0.0"}) {
                seeTry(host, () -> {
                    try (Socket client = ends.client(InetAddress.getByName(host), server.getLocalPort());
                            Socket accepted = server.accept()) {
                        client.getOutputStream().write(7);
                        return accepted.getInputStream().read() + " "
                                + client.getLocalAddress().isLoopbackAddress() + " "
                                + accepted.getInetAddress().equals(client.getLocalAddress());
                    }
                });
            }
        }
    }

    private static void seeStates(String when, Socket socket) {
        see(when, socket.isBound() + " " + socket.isConnected() + " " + socket.isClosed() + " "
                + socket.isInputShutdown() + " " + socket.isOutputShutdown());
    }

    private static void states(Ends ends) throws Exception {
        Socket fresh = ends.client();
        seeStates("new", fresh);
        see("no addresses", fresh.getInetAddress() + " " + fresh.getPort() + " " + fresh.getLocalPort() + " "
                + fresh.getRemoteSocketAddress());
        seeTry("input of none", fresh::getInputStream);
        seeTry("output of none", fresh::getOutputStream);
        seeTry("shutdown of none", () -> {
            fresh.shutdownOutput();
            return "done";
        });
        fresh.close();
        seeStates("closed", fresh);
        seeTry("connect when closed", () -> {
            fresh.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
            return "done";
        });
        try (Ends.Pair pair = ends.pair()) {
            seeStates("connected", pair.client);
            seeStates("accepted", pair.accepted);
            seeTry("connect again", () -> {
                pair.client.connect(pair.client.getRemoteSocketAddress());
                return "done";
            });
            pair.client.shutdownInput();
            pair.client.shutdownOutput();
            seeStates("shut", pair.client);
            seeTry("shut again", () -> {
                pair.client.shutdownOutput();
                return "done";
            });
            pair.client.close();
            seeStates("after close", pair.client);
            see("addresses after close", pair.client.getInetAddress() + " "
                    + (pair.client.getPort() == pair.server.getLocalPort()));
            seeTry("timeout after close", pair.client::getSoTimeout);
        }
    }

    private static void binding(Ends ends) throws Exception {
        try (ServerSocket server = ends.server()) {
            see("unbound", server + " " + server.isBound() + " " + server.getLocalPort() + " "
                    + server.getInetAddress());
            seeTry("accept unbound", server::accept);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            see("bound", server.isBound() + " " + (server.getLocalPort() > 0));
            seeTry("bind again", () -> {
                server.bind(null);
                return "done";
            });
            seeTry("taken", () -> {
                try (ServerSocket second = ends.server()) {
                    second.bind(server.getLocalSocketAddress());
                    return "done";
                }
            });
            try (Socket client = ends.client()) {
                client.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                int port = client.getLocalPort();
                see("client bound", client.isBound() + " " + (port > 0) + " " + client.getLocalAddress());
                client.connect(server.getLocalSocketAddress());
                see("from there", client.getLocalPort() == port);
                server.accept().close();
            }
        }
        seeTry("no address of ours", () -> {
            try (Socket client = ends.client()) {
                client.bind(new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 0));
                return "done";
            }
        });
    }

    private static void refused(Ends ends) throws Exception {
        int port;
        try (ServerSocket server = ends.loopbackServer()) {
            port = server.getLocalPort();
        }
        Socket client = ends.client();
        for (int timeoutMs : new int[] {0, 5000}) {
            Socket each = ends.client();
            seeTry("refused within " + timeoutMs, () -> {
                each.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMs);
                return "connected";
            });
            see("closed by that", each.isClosed());
        }
        seeTry("unresolved", () -> {
            client.connect(InetSocketAddress.createUnresolved("no.such.host.invalid", 1));
            return "connected";
        });
        client.close();
        seeTry("at once", () -> ends.client(InetAddress.getLoopbackAddress(), port));
    }

    private static void backlog(Ends ends) throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (ServerSocket server = ends.server(0, 20, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 10; i++) {
                Socket client = ends.client(server.getInetAddress(), server.getLocalPort());
                client.getOutputStream().write(i);
                clients.add(client);
            }
            for (int i = 0; i < 10; i++) {
                try (Socket accepted = server.accept()) {
                    int first = accepted.getInputStream().read();
                    check(first == i, "connection " + first + " was accepted as number " + i);
                    accepted.getOutputStream().write(first + 100);
                    check(clients.get(i).getInputStream().read() == i + 100, "another answer");
                }
            }
        }
        for (Socket client : clients) {
            client.close();
        }
    }

    /** More wait than may: the next one's time is over. */
    private static void full(Ends ends) throws Exception {
        List<Socket> clients = new ArrayList<>();
        String seen = "nothing";
        try (ServerSocket server = ends.server(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 20 && seen.equals("nothing"); i++) {
                Socket client = ends.client();
                clients.add(client);
                try {
                    client.connect(server.getLocalSocketAddress(), 300);
                } catch (SocketTimeoutException e) {
                    seen = e + ", closed " + client.isClosed();
                }
            }
        }
        see("no room", seen);
        for (Socket client : clients) {
            client.close();
        }
    }

    private static void acceptTimeout(Ends ends) throws Exception {
        try (ServerSocket server = ends.loopbackServer()) {
            server.setSoTimeout(100);
            long begin = System.nanoTime();
            seeTry("accept", server::accept);
            see("not before", System.nanoTime() - begin >= 99_000_000L);
            try (Socket client = ends.client(server.getInetAddress(), server.getLocalPort());
                    Socket accepted = server.accept()) {
                client.getOutputStream().write(3);
                see("then", accepted.getInputStream().read() + ", time-out " + accepted.getSoTimeout());
            }
        }
    }

    /** A socket connected to itself. */
    private static void self(Ends ends) throws Exception {
        try (Socket socket = ends.client()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.connect(socket.getLocalSocketAddress());
            byte[] sent = {1, 2, 3, 4, 5};
            for (int round = 0; round < 3; round++) {
                socket.getOutputStream().write(sent);
                see("echo", java.util.Arrays.toString(socket.getInputStream().readNBytes(sent.length)));
            }
            socket.shutdownOutput();
            see("end", socket.getInputStream().read());
        }
    }

    /** Descriptors and names come back. */
    private static void many(Ends ends) throws Exception {
        int before = 0;
        for (int i = 0; i < 300; i++) {
            try (Ends.Pair pair = ends.pair()) {
                if (i % 3 != 0) {
                    pair.used();
                }
                pair.client.getOutputStream().write(new byte[100]);
                check(pair.accepted.getInputStream().readNBytes(100).length == 100, "bytes are missing");
            }
            if (i == 20) {
                before = descriptors();
            }
        }
        int after = descriptors();
        check(after <= before + 5, "there were " + before + " descriptors and are " + after);
    }

    private static int descriptors() throws IOException {
        String[] names = new java.io.File("/proc/self/fd").list();
        check(names != null, "no /proc/self/fd");
        return names.length;
    }
}
