// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.see;
import static sockets.Suite.seeTry;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How connections end. */
final class CloseCases {
    private CloseCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("halfClose", CloseCases::halfClose);
        cases.put("shutInput", CloseCases::shutInput);
        cases.put("closedUnderReader", CloseCases::closedUnderReader);
        cases.put("closedUnderWriter", CloseCases::closedUnderWriter);
        cases.put("closedUnderAccept", CloseCases::closedUnderAccept);
        cases.put("streamsOfClosed", CloseCases::streamsOfClosed);
        cases.put("brokenPipe", CloseCases::brokenPipe);
        cases.put("reset", CloseCases::reset);
        cases.put("unread", CloseCases::unread);
        cases.put("untouched", CloseCases::untouched);
        cases.put("killed", CloseCases::killed);
    }

    private static Ends.Pair pair(Ends ends, boolean isUsed) throws IOException {
        Ends.Pair pair = ends.pair();
        return isUsed ? pair.used() : pair;
    }

    private static final boolean[] BOTH = {false, true};

    private static void halfClose(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                OutputStream out = pair.client.getOutputStream();
                out.write(new byte[1000]);
                pair.client.shutdownOutput();
                see("all before the end", pair.accepted.getInputStream().readAllBytes().length);
                see("the end again", pair.accepted.getInputStream().read());
                pair.accepted.getOutputStream().write(new byte[2000]);
                see("the other way", pair.client.getInputStream().readNBytes(2000).length);
                seeTry("write when shut", () -> {
                    out.write(1);
                    return "done";
                });
                seeTry("output when shut", pair.client::getOutputStream);
                pair.accepted.close();
                see("both", pair.client.getInputStream().read());
            }
        }
    }

    private static void shutInput(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                InputStream in = pair.client.getInputStream();
                pair.accepted.getOutputStream().write(new byte[10]);
                pair.client.shutdownInput();
                see("read", in.read() + " " + in.available());
                seeTry("input", pair.client::getInputStream);
                pair.client.getOutputStream().write(5);
                see("output goes on", pair.accepted.getInputStream().read());
            }
        }
    }

    private static void closedUnderReader(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            for (int length : new int[] {1, 100_000}) {
                try (Ends.Pair pair = pair(ends, isUsed)) {
                    InputStream in = pair.client.getInputStream();
                    Suite.Helper reader = new Suite.Helper(() -> {
                        seeTry("read of " + length, () -> in.read(new byte[length]));
                        return null;
                    });
                    Suite.awaitBlocked(reader.thread());
                    pair.client.close();
                    reader.join();
                    see("peer", pair.accepted.getInputStream().read());
                }
            }
        }
    }

    private static void closedUnderWriter(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                OutputStream out = pair.client.getOutputStream();
                Suite.Helper writer = new Suite.Helper(() -> {
                    seeTry("write", () -> {
                        for (;;) {
                            out.write(new byte[1_000_000]);
                        }
                    });
                    return null;
                });
                Suite.awaitBlocked(writer.thread());
                pair.client.close();
                writer.join();
            }
        }
    }

    private static void closedUnderAccept(Ends ends) throws Exception {
        ServerSocket server = ends.loopbackServer();
        int port = server.getLocalPort();
        Suite.Helper waiting = new Suite.Helper(() -> {
            seeTry("accept", server::accept);
            return null;
        });
        Suite.awaitBlocked(waiting.thread());
        server.close();
        waiting.join();
        seeTry("accept when closed", server::accept);
        try (ServerSocket again = ends.server(port, 5, server.getInetAddress())) {
            see("the port is free", again.isBound());
        }
    }

    private static void streamsOfClosed(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair().used()) {
            InputStream in = pair.client.getInputStream();
            OutputStream out = pair.client.getOutputStream();
            pair.client.close();
            pair.client.close();
            seeTry("read", in::read);
            seeTry("available", in::available);
            seeTry("write", () -> {
                out.write(1);
                return "done";
            });
            seeTry("input", pair.client::getInputStream);
            seeTry("urgent", () -> {
                pair.client.sendUrgentData(1);
                return "done";
            });
            seeTry("shut", () -> {
                pair.client.shutdownInput();
                return "done";
            });
            see("peer", pair.accepted.getInputStream().read());
            pair.accepted.getInputStream().close();
            see("closed by its stream", pair.accepted.isClosed());
        }
    }

    private static Object writeUntilFailure(Socket socket) throws Exception {
        for (int i = 0; i < 2000; i++) {
            socket.getOutputStream().write(new byte[100]);
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return "no failure";
    }

    private static void brokenPipe(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                pair.accepted.close();
                seeTry("write", () -> writeUntilFailure(pair.client));
                seeTry("write again", () -> writeUntilFailure(pair.client));
            }
        }
    }

    private static void reset(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                pair.accepted.setSoLinger(true, 0);
                pair.accepted.close();
                TimeUnit.MILLISECONDS.sleep(50);
                seeTry("read", () -> pair.client.getInputStream().read());
                seeTry("read again", () -> pair.client.getInputStream().read());
                seeTry("write", () -> writeUntilFailure(pair.client));
            }
        }
    }

    /** A side that closes without having read everything. */
    private static void unread(Ends ends) throws Exception {
        for (boolean isUsed : BOTH) {
            try (Ends.Pair pair = pair(ends, isUsed)) {
                pair.client.getOutputStream().write(new byte[100]);
                while (pair.accepted.getInputStream().available() < 100) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                pair.accepted.getOutputStream().write(new byte[7]);
                pair.accepted.close();
                TimeUnit.MILLISECONDS.sleep(50);
                seeTry("what came before", () -> pair.client.getInputStream().readNBytes(7).length);
                seeTry("then", () -> pair.client.getInputStream().read());
            }
        }
    }

    /** The other process dies, with and without bytes that it has not read. */
    private static void killed(Ends ends) throws Exception {
        for (boolean isUnread : BOTH) {
            try (ServerSocket server = ends.loopbackServer()) {
                server.setSoTimeout(600_000); // a victim that cannot start does not connect
                Process victim = Victim.start(ends, server);
                try (Socket socket = server.accept()) {
                    for (int i = 0; i < 2; i++) {
                        socket.getOutputStream().write(i);
                        socket.getInputStream().read();
                    }
                    if (isUnread) {
                        socket.getOutputStream().write(new byte[1000]);
                    }
                    Suite.Helper reader = new Suite.Helper(() -> {
                        seeTry("read", () -> socket.getInputStream().read());
                        return null;
                    });
                    Suite.awaitBlocked(reader.thread());
                    victim.destroyForcibly();
                    reader.join();
                    seeTry("write", () -> writeUntilFailure(socket));
                } finally {
                    victim.destroyForcibly().waitFor();
                }
            }
        }
    }

    /** Nothing was ever sent. */
    private static void untouched(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            pair.client.close();
            see("end", pair.accepted.getInputStream().read());
        }
        try (Ends.Pair pair = ends.pair()) {
            pair.accepted.close();
            see("end", pair.client.getInputStream().read());
        }
    }
}
