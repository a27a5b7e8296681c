// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.check;
import static sockets.Suite.see;
import static sockets.Suite.seeTry;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What goes through a connection. */
final class ByteCases {
    private static final long SEED = Long.getLong("test.seed", System.nanoTime());

    private ByteCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("streams", ByteCases::streams);
        cases.put("sizes", ByteCases::sizes);
        cases.put("large", ByteCases::large);
        cases.put("bounds", ByteCases::bounds);
        cases.put("available", ByteCases::available);
        cases.put("readTimeout", ByteCases::readTimeout);
        cases.put("interrupt", ByteCases::interrupt);
        cases.put("urgent", ByteCases::urgent);
        cases.put("objects", ByteCases::objects);
        cases.put("threads", ByteCases::threads);
    }

    /** Pieces of random lengths in both directions at once, each byte checked. */
    private static void streams(Ends ends) throws Exception {
        System.err.println("streams: -Dtest.seed=" + SEED);
        try (Ends.Pair pair = ends.pair()) {
            Socket[] sockets = {pair.client, pair.accepted};
            List<Suite.Helper> helpers = new ArrayList<>();
            for (int side = 0; side < 2; side++) {
                int from = side;
                helpers.add(new Suite.Helper(() -> send(sockets[from], new Random(SEED + from), SEED + 10 + from)));
                helpers.add(new Suite.Helper(() -> receive(sockets[1 - from], new Random(SEED + from), SEED + 20)));
            }
            for (Suite.Helper helper : helpers) {
                helper.join();
            }
        }
    }

    private static final int STREAM_BYTES = 6_000_000;

    private static int length(Random lengths, int left) {
        int most = lengths.nextInt(8) == 0 ? 300_000 : 3000;
        return Math.min(left, 1 + lengths.nextInt(most));
    }

    private static Object send(Socket socket, Random content, long seed) throws IOException {
        Random lengths = new Random(seed);
        byte[] all = new byte[STREAM_BYTES];
        content.nextBytes(all);
        OutputStream out = socket.getOutputStream();
        for (int done = 0; done < all.length;) {
            int length = length(lengths, all.length - done);
            out.write(all, done, length);
            done += length;
        }
        socket.shutdownOutput();
        return null;
    }

    private static Object receive(Socket socket, Random content, long seed) throws IOException {
        Random lengths = new Random(seed);
        byte[] expected = new byte[STREAM_BYTES];
        content.nextBytes(expected);
        byte[] got = new byte[STREAM_BYTES + 1];
        InputStream in = socket.getInputStream();
        int done = 0;
        for (int count = 0; count >= 0; done += count) {
            count = in.read(got, done, length(lengths, got.length - done));
            if (count < 0) {
                break;
            }
        }
        check(done == STREAM_BYTES, done + " bytes came");
        check(Arrays.equals(expected, 0, done, got, 0, done), "other bytes came");
        return null;
    }

    private static void sizes(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            DataInputStream there = new DataInputStream(pair.accepted.getInputStream());
            DataInputStream back = new DataInputStream(pair.client.getInputStream());
            for (int size : new int[] {1, 2, 7, 8, 63, 64, 65, 4095, 4096, 8191, 8192, 8193, 16384, 65535, 100_000}) {
                byte[] sent = new byte[size];
                new Random(size).nextBytes(sent);
                pair.client.getOutputStream().write(sent);
                byte[] got = new byte[size];
                there.readFully(got);
                check(Arrays.equals(sent, got), size + " bytes came as others");
                pair.accepted.getOutputStream().write(got);
                Arrays.fill(sent, (byte) 0);
                back.readFully(sent);
                check(Arrays.equals(sent, got), size + " bytes came back as others");
            }
        }
    }

    /** One write of more than any buffer holds, to a reader that begins late. */
    private static void large(Ends ends) throws Exception {
        byte[] sent = new byte[8_000_000];
        new Random(5).nextBytes(sent);
        try (Ends.Pair pair = ends.pair().used()) {
            Suite.Helper writer = new Suite.Helper(() -> {
                pair.client.getOutputStream().write(sent);
                return null;
            });
            Suite.awaitBlocked(writer.thread());
            check(Arrays.equals(sent, pair.accepted.getInputStream().readNBytes(sent.length)), "other bytes came");
            writer.join();
        }
    }

    private static void bounds(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            InputStream in = pair.client.getInputStream();
            OutputStream out = pair.client.getOutputStream();
            byte[] ten = new byte[10];
            see("nothing wanted", in.read(ten, 3, 0) + " " + in.read(new byte[0]));
            for (int[] part : new int[][] {{-1, 2}, {0, 11}, {5, 6}, {11, 0}, {2, -1}}) {
                seeTry("read " + Arrays.toString(part), () -> in.read(ten, part[0], part[1]));
                seeTry("write " + Arrays.toString(part), () -> {
                    out.write(ten, part[0], part[1]);
                    return "done";
                });
            }
            out.write(ten, 10, 0);
            out.write(0x1ff);
            see("one byte", pair.accepted.getInputStream().read());
        }
    }

    private static int awaitAvailable(Socket socket, int wanted) throws Exception {
        int seen = 0;
        for (int i = 0; i < 60_000 && seen < wanted; i++) {
            seen = socket.getInputStream().available();
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return seen;
    }

    private static void available(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            for (int round = 0; round < 3; round++) {
                see("none", pair.accepted.getInputStream().available());
                pair.client.getOutputStream().write(new byte[1000]);
                pair.client.getOutputStream().write(new byte[234]);
                see("exactly", awaitAvailable(pair.accepted, 1234));
                pair.accepted.getInputStream().readNBytes(1000);
                see("the rest", pair.accepted.getInputStream().available());
                pair.accepted.getInputStream().readNBytes(234);
                pair.accepted.getOutputStream().write(1);
                pair.client.getInputStream().read();
            }
            pair.client.getOutputStream().write(new byte[5]);
            pair.client.close();
            see("before the end", awaitAvailable(pair.accepted, 5));
            see("all", pair.accepted.getInputStream().readAllBytes().length);
            see("at the end", pair.accepted.getInputStream().available());
            seeTry("of a closed one", () -> pair.client.getInputStream().available());
        }
    }

    private static void readTimeout(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            for (int round = 0; round < 2; round++) {
                pair.client.setSoTimeout(80);
                long begin = System.nanoTime();
                seeTry("short", () -> pair.client.getInputStream().read());
                see("not before", System.nanoTime() - begin >= 79_000_000L);
                seeTry("long", () -> pair.client.getInputStream().read(new byte[100_000]));
                pair.accepted.getOutputStream().write(9);
                see("still there", pair.client.getInputStream().read());
                pair.client.setSoTimeout(0);
                Thread reader = Thread.currentThread();
                Suite.Helper late = new Suite.Helper(() -> {
                    TimeUnit.MILLISECONDS.sleep(100); // longer than the limit that was
                    Suite.awaitBlocked(reader);
                    pair.accepted.getOutputStream().write(8);
                    return null;
                });
                see("without limit", pair.client.getInputStream().read());
                late.join();
                pair.used();
            }
        }
    }

    /** An interrupt does not end a read of a platform thread. */
    private static void interrupt(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair().used()) {
            String[] seen = new String[1];
            Suite.Helper reader = new Suite.Helper(() -> {
                int got = pair.client.getInputStream().read();
                seen[0] = got + ", interrupted " + Thread.currentThread().isInterrupted();
                return null;
            });
            Suite.awaitBlocked(reader.thread());
            reader.thread().interrupt();
            TimeUnit.MILLISECONDS.sleep(50); // nothing comes of it, sooner or later
            pair.accepted.getOutputStream().write(6);
            reader.join();
            see("read", seen[0]);
        }
    }

    private static void urgent(Ends ends) throws Exception {
        for (boolean isInline : new boolean[] {true, false}) {
            for (boolean isUsed : new boolean[] {false, true}) {
                try (Ends.Pair pair = ends.pair()) {
                    if (isUsed) {
                        pair.used();
                    }
                    pair.accepted.setOOBInline(isInline);
                    byte[] got = new byte[isInline ? 5 : 4];
                    Suite.Helper reader =
                            new Suite.Helper(() -> pair.accepted.getInputStream().readNBytes(got, 0, got.length));
                    pair.client.getOutputStream().write(new byte[] {'a', 'b'});
                    pair.client.sendUrgentData('!');
                    pair.client.getOutputStream().write(new byte[] {'c', 'd'});
                    reader.join();
                    see(isInline ? "in line" : "apart", new String(got, "US-ASCII"));
                    pair.accepted.getOutputStream().write(4);
                    see("and back", pair.client.getInputStream().read());
                }
            }
        }
    }

    private static void objects(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            Suite.Helper writer = new Suite.Helper(() -> {
                ObjectOutputStream out = new ObjectOutputStream(pair.client.getOutputStream());
                for (int i = 0; i < 50; i++) {
                    out.writeObject(new double[i * 100]);
                    out.writeObject("number " + i);
                }
                out.flush();
                return null;
            });
            ObjectInputStream in = new ObjectInputStream(pair.accepted.getInputStream());
            for (int i = 0; i < 50; i++) {
                check(((double[]) in.readObject()).length == i * 100, "another array");
                check(in.readObject().equals("number " + i), "another text");
            }
            writer.join();
        }
    }

    /** Several connections at work at once, and several threads that write to one. */
    private static void threads(Ends ends) throws Exception {
        List<Suite.Helper> helpers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            helpers.add(new Suite.Helper(() -> {
                try (Ends.Pair pair = ends.pair()) {
                    for (int round = 0; round < 300; round++) {
                        pair.client.getOutputStream().write(new byte[] {(byte) number, (byte) round});
                        byte[] got = pair.accepted.getInputStream().readNBytes(2);
                        check(got[0] == number && got[1] == (byte) round, "another message");
                        pair.accepted.getOutputStream().write(got);
                        check(Arrays.equals(got, pair.client.getInputStream().readNBytes(2)), "another answer");
                    }
                }
                return null;
            }));
        }
        try (Ends.Pair pair = ends.pair()) {
            for (int i = 0; i < 3; i++) {
                byte mark = (byte) i;
                helpers.add(new Suite.Helper(() -> {
                    byte[] block = new byte[1000];
                    Arrays.fill(block, mark);
                    for (int round = 0; round < 100; round++) {
                        pair.client.getOutputStream().write(block);
                    }
                    return null;
                }));
            }
            for (int block = 0; block < 300; block++) {
                byte[] got = pair.accepted.getInputStream().readNBytes(1000);
                for (byte each : got) {
                    check(each == got[0], "two writes are mixed");
                }
            }
            for (Suite.Helper helper : helpers) {
                helper.join();
            }
        }
    }
}
