// SPDX-License-Identifier: Apache-2.0
import corunna.net.FastChannel;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.net.Socket;
import java.util.List;

/** Messages of one kind of elements, in both directions of a connection. */
abstract class Exchange {
    static final List<String> TESTS = List.of("bytes", "ints", "doubles", "objects");
    /** Objects are slow: beyond this they only take time. */
    private static final int OBJECTS_MAX_BYTES = 1 << 20;

    /** How many elements a message has. */
    int count;

    /** Both sides make theirs at the same time. */
    static Exchange of(String test, Socket socket, boolean isDirect) throws IOException {
        switch (test) {
        case "bytes":
            return new Bytes(socket);
        case "ints":
            return isDirect ? new DirectInts(socket) : new Ints(socket);
        case "doubles":
            return isDirect ? new DirectDoubles(socket) : new Doubles(socket);
        default:
            return new Objects(socket);
        }
    }

    /** From here on messages have about so many bytes, one element at least. */
    abstract void setBytes(int bytes);

    abstract void send() throws Exception;

    abstract void receive() throws Exception;

    /** Writes numbers that depend on the round. */
    abstract void fill(int round);

    /** Throws, unless these numbers have come. */
    abstract void check(int round);

    int maxBytes() {
        return Integer.MAX_VALUE;
    }

    static int number(int index, int round) {
        return index * 7 + round;
    }

    static void compare(int index, int round, double found, double expected) {
        if (found != expected) {
            throw new IllegalStateException("element " + index + " of round " + round + " is " + found + ", not "
                    + expected);
        }
    }

    private static final class Bytes extends Exchange {
        private final InputStream in;
        private final OutputStream out;
        private byte[] values;

        Bytes(Socket socket) throws IOException {
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        @Override
        void setBytes(int bytes) {
            count = bytes;
            values = new byte[bytes];
        }

        @Override
        void send() throws IOException {
            out.write(values, 0, count);
        }

        @Override
        void receive() throws IOException {
            if (in.readNBytes(values, 0, count) < count) {
                throw new EOFException("the other side is gone");
            }
        }

        @Override
        void fill(int round) {
            for (int i = 0; i < count; i++) {
                values[i] = (byte) number(i, round);
            }
        }

        @Override
        void check(int round) {
            for (int i = 0; i < count; i++) {
                compare(i, round, values[i], (byte) number(i, round));
            }
        }
    }

    private abstract static class IntArray extends Exchange {
        int[] values;

        @Override
        void setBytes(int bytes) {
            count = Math.max(1, bytes / Integer.BYTES);
            values = new int[count];
        }

        @Override
        void fill(int round) {
            for (int i = 0; i < count; i++) {
                values[i] = number(i, round);
            }
        }

        @Override
        void check(int round) {
            for (int i = 0; i < count; i++) {
                compare(i, round, values[i], number(i, round));
            }
        }
    }

    private abstract static class DoubleArray extends Exchange {
        double[] values;

        @Override
        void setBytes(int bytes) {
            count = Math.max(1, bytes / Double.BYTES);
            values = new double[count];
        }

        @Override
        void fill(int round) {
            for (int i = 0; i < count; i++) {
                values[i] = number(i, round) * 0.5;
            }
        }

        @Override
        void check(int round) {
            for (int i = 0; i < count; i++) {
                compare(i, round, values[i], number(i, round) * 0.5);
            }
        }
    }

    // ---- by FastChannel ----

    private static final class DirectInts extends IntArray {
        private final FastChannel channel;

        DirectInts(Socket socket) throws IOException {
            channel = FastChannel.of(socket);
        }

        @Override
        void send() throws IOException {
            channel.write(values, 0, count);
        }

        @Override
        void receive() throws IOException {
            channel.read(values, 0, count);
        }
    }

    private static final class DirectDoubles extends DoubleArray {
        private final FastChannel channel;

        DirectDoubles(Socket socket) throws IOException {
            channel = FastChannel.of(socket);
        }

        @Override
        void send() throws IOException {
            channel.write(values, 0, count);
        }

        @Override
        void receive() throws IOException {
            channel.read(values, 0, count);
        }
    }

    // ---- by object streams ----

    /** The object streams of a connection, buffered as programs do. */
    private static final class Streams {
        private static final int BUFFER_BYTES = 64 << 10;

        private final ObjectOutputStream out;
        private final ObjectInputStream in;

        Streams(Socket socket) throws IOException {
            out = new ObjectOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
            out.flush(); // its header, for which the other side waits
            in = new ObjectInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        }

        void send(Object message) throws IOException {
            out.reset(); // so that it is sent, and not a reference to what was sent before
            out.writeObject(message);
            out.flush();
        }

        Object receive() throws IOException, ClassNotFoundException {
            return in.readObject();
        }
    }

    private static final class Ints extends IntArray {
        private final Streams streams;

        Ints(Socket socket) throws IOException {
            streams = new Streams(socket);
        }

        @Override
        void send() throws IOException {
            streams.send(values);
        }

        @Override
        void receive() throws IOException, ClassNotFoundException {
            values = (int[]) streams.receive();
        }
    }

    private static final class Doubles extends DoubleArray {
        private final Streams streams;

        Doubles(Socket socket) throws IOException {
            streams = new Streams(socket);
        }

        @Override
        void send() throws IOException {
            streams.send(values);
        }

        @Override
        void receive() throws IOException, ClassNotFoundException {
            values = (double[]) streams.receive();
        }
    }

    private static final class Item implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final int BYTES = 16;

        private int number;
        private double value;
    }

    private static final class Objects extends Exchange {
        private final Streams streams;
        private Item[] items;

        Objects(Socket socket) throws IOException {
            streams = new Streams(socket);
        }

        @Override
        void setBytes(int bytes) {
            count = Math.max(1, bytes / Item.BYTES);
            items = new Item[count];
            for (int i = 0; i < count; i++) {
                items[i] = new Item();
            }
        }

        @Override
        int maxBytes() {
            return OBJECTS_MAX_BYTES;
        }

        @Override
        void send() throws IOException {
            streams.send(items);
        }

        @Override
        void receive() throws IOException, ClassNotFoundException {
            items = (Item[]) streams.receive();
        }

        @Override
        void fill(int round) {
            for (int i = 0; i < count; i++) {
                items[i].number = number(i, round);
                items[i].value = -items[i].number;
            }
        }

        @Override
        void check(int round) {
            for (int i = 0; i < count; i++) {
                compare(i, round, items[i].number, number(i, round));
                compare(i, round, items[i].value, -number(i, round));
            }
        }
    }
}
