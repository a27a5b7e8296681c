// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.check;
import static sockets.Suite.see;
import static sockets.Suite.seeTry;

import corunna.net.FastChannel;
import corunna.net.FastSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;

/** {@link FastChannel}, over sockets of either kind; and which connections are fast. */
final class ArrayCases {
    private static final int LENGTH = 40_000;
    private static final int FROM = 17;

    private ArrayCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("kinds", ArrayCases::kinds);
        cases.put("order", ArrayCases::order);
        cases.put("ends", ArrayCases::ends);
        cases.put("fast", ArrayCases::fast);
    }

    /** Writes what the one end has, reads it at the other. */
    interface Transfer {
        void run(FastChannel channel) throws Exception;
    }

    private static void transfer(Ends.Pair pair, Transfer write, Transfer read) throws Exception {
        FastChannel from = FastChannel.of(pair.client);
        FastChannel to = FastChannel.of(pair.accepted);
        Suite.Helper writer = new Suite.Helper(() -> {
            write.run(from);
            return null;
        });
        read.run(to);
        writer.join();
    }

    private static void kinds(Ends ends) throws Exception {
        Random random = new Random(1);
        byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        char[] chars = new char[LENGTH];
        short[] shorts = new short[LENGTH];
        int[] ints = random.ints(LENGTH).toArray();
        long[] longs = random.longs(LENGTH).toArray();
        float[] floats = new float[LENGTH];
        double[] doubles = random.doubles(LENGTH).toArray();
        for (int i = 0; i < LENGTH; i++) {
            chars[i] = (char) ints[i];
            shorts[i] = (short) ints[i];
            floats[i] = ints[i];
        }
        byte[] gotBytes = new byte[LENGTH];
        char[] gotChars = new char[LENGTH];
        short[] gotShorts = new short[LENGTH];
        int[] gotInts = new int[LENGTH];
        long[] gotLongs = new long[LENGTH];
        float[] gotFloats = new float[LENGTH];
        double[] gotDoubles = new double[LENGTH];
        try (Ends.Pair pair = ends.pair()) {
            for (int length : new int[] {1, 3, 100, 2000, LENGTH - FROM}) {
                transfer(pair, channel -> {
                    channel.write(bytes, FROM, length);
                    channel.write(chars, FROM, length);
                    channel.write(shorts, FROM, length);
                    channel.write(ints, FROM, length);
                    channel.write(longs, FROM, length);
                    channel.write(floats, FROM, length);
                    channel.write(doubles, FROM, length);
                }, channel -> {
                    channel.read(gotBytes, FROM, length);
                    channel.read(gotChars, FROM, length);
                    channel.read(gotShorts, FROM, length);
                    channel.read(gotInts, FROM, length);
                    channel.read(gotLongs, FROM, length);
                    channel.read(gotFloats, FROM, length);
                    channel.read(gotDoubles, FROM, length);
                });
                int end = FROM + length;
                check(Arrays.equals(bytes, FROM, end, gotBytes, FROM, end), "bytes");
                check(Arrays.equals(chars, FROM, end, gotChars, FROM, end), "chars");
                check(Arrays.equals(shorts, FROM, end, gotShorts, FROM, end), "shorts");
                check(Arrays.equals(ints, FROM, end, gotInts, FROM, end), "ints");
                check(Arrays.equals(longs, FROM, end, gotLongs, FROM, end), "longs");
                check(Arrays.equals(floats, FROM, end, gotFloats, FROM, end), "floats");
                check(Arrays.equals(doubles, FROM, end, gotDoubles, FROM, end), "doubles");
                check(gotDoubles[0] == 0 && gotInts[FROM - 1] == 0, "elements outside of the part");
            }
        }
    }

    /** Streams and arrays stand in one order, and elements are little-endian. */
    private static void order(Ends ends) throws Exception {
        int[] numbers = {1, 0x01020304, -1};
        ByteBuffer expected = ByteBuffer.allocate(14).order(ByteOrder.LITTLE_ENDIAN);
        expected.put((byte) 9);
        expected.asIntBuffer().put(numbers);
        expected.put(13, (byte) 8);
        try (Ends.Pair pair = ends.pair()) {
            for (int round = 0; round < 3; round++) {
                pair.client.getOutputStream().write(9);
                FastChannel.of(pair.client).write(numbers, 0, numbers.length);
                pair.client.getOutputStream().write(8);
                byte[] got = pair.accepted.getInputStream().readNBytes(14);
                check(Arrays.equals(expected.array(), got), "another order: " + Arrays.toString(got));
                pair.accepted.getOutputStream().write(got);
                int[] back = new int[numbers.length];
                see("before", pair.client.getInputStream().read());
                FastChannel.of(pair.client).read(back, 0, back.length);
                check(Arrays.equals(numbers, back), "other numbers");
                see("after", pair.client.getInputStream().read());
            }
        }
    }

    private static void ends(Ends ends) throws Exception {
        try (Ends.Pair pair = ends.pair()) {
            FastChannel channel = FastChannel.of(pair.accepted);
            FastChannel.of(pair.client).write(new long[5], 0, 5);
            pair.client.shutdownOutput();
            channel.read(new long[5], 0, 5);
            String seen = "";
            try {
                channel.read(new long[5], 0, 5);
            } catch (java.io.EOFException e) {
                seen = "EOFException";
            }
            see("end", seen);
            channel.write(new int[0], 0, 0);
            seeTry("part", () -> {
                channel.write(new int[5], 3, 3);
                return "done";
            });
        }
        String seen = "";
        try {
            FastChannel.of(ends.client());
        } catch (java.io.IOException e) {
            seen = e.getMessage();
        }
        see("unconnected", seen);
    }

    /** Told apart by the property, not by what is printed. */
    private static void fast(Ends ends) throws Exception {
        String expected = System.getProperty("test.fast");
        try (Ends.Pair pair = ends.pair().used()) {
            boolean isFast = FastSocket.isFast(pair.client) && FastSocket.isFast(pair.accepted)
                    && FastChannel.of(pair.client).isFast();
            check(expected == null || isFast == Boolean.parseBoolean(expected), "fast is " + isFast);
        }
    }
}
