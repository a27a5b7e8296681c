// SPDX-License-Identifier: Apache-2.0
package conform;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** What the tests of objects send. */
final class Things {
    private Things() {
    }

    /** A small record with a bit of everything. */
    static final class Point implements Serializable {
        private static final long serialVersionUID = 1L;
        final int number;
        final double x;
        final String name;
        Point next;

        Point(int number) {
            this.number = number;
            this.x = number * 0.5;
            this.name = "point " + number % 100;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Point && ((Point) other).number == number && ((Point) other).x == x
                    && ((Point) other).name.equals(name);
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    /** With arrays inside, small and large, one of them shared. */
    static final class Matrix implements Serializable {
        private static final long serialVersionUID = 1L;
        final double[][] rows;
        final int[] small = {1, 2, 3};
        final double[] again;
        final boolean[] flags = new boolean[2000];
        final char[] text = new char[1000];
        @SuppressWarnings("serial") // what is put in can be serialised
        final Object[] mixed;

        Matrix(int size) {
            rows = new double[size][size];
            for (int i = 0; i < size; i++) {
                Arrays.fill(rows[i], i + 0.25);
            }
            again = rows[size / 2];
            for (int i = 0; i < flags.length; i++) {
                flags[i] = i % 3 == 0;
            }
            Arrays.fill(text, '\u20ac');
            mixed = new Object[] {new long[300], "text", null, new float[] {1.5f}, new byte[5000], new short[700]};
        }

        void verify(int size) {
            Matrix like = new Matrix(size);
            Check.that(Arrays.deepEquals(like.rows, rows), "rows");
            Check.that(again == rows[size / 2], "the shared row is still shared");
            Check.that(Arrays.equals(like.flags, flags) && Arrays.equals(like.text, text)
                    && Arrays.equals(like.small, small), "flags and text");
            Check.that(Arrays.deepEquals(like.mixed, mixed), "mixed");
        }
    }

    /** Writes itself. */
    static final class Custom implements Serializable {
        private static final long serialVersionUID = 1L;
        private transient int[] values;

        Custom(int... values) {
            this.values = values;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(values.length);
            for (int value : values) {
                out.writeInt(value);
            }
            out.writeObject("end");
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            values = new int[in.readInt()];
            for (int i = 0; i < values.length; i++) {
                values[i] = in.readInt();
            }
            Check.that("end".equals(in.readObject()), "end of a custom object");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Custom && Arrays.equals(values, ((Custom) other).values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    /** Writes itself in another way. */
    public static final class External implements Externalizable {
        private static final long serialVersionUID = 1L;
        private long value;

        public External() {
        }

        External(long value) {
            this.value = value;
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeLong(value);
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException {
            value = in.readLong();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof External && ((External) other).value == value;
        }

        @Override
        public int hashCode() {
            return Objects.hash(value);
        }
    }

    /** A set of names. */
    enum Colour {
        RED, GREEN { },
        BLUE
    }

    /** Cannot be sent. */
    static final class Stubborn {
    }

    /** Says that there is no memory for it. */
    static final class Huge implements Serializable {
        private static final long serialVersionUID = 1L;

        private void writeObject(ObjectOutputStream out) {
            throw new OutOfMemoryError("as it says");
        }
    }

    /** Can be sent, but needs more stack than there is to be received. */
    static final class Bottomless implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) {
            throw new StackOverflowError();
        }
    }

    /** Fails halfway. */
    static final class Fragile implements Serializable {
        private static final long serialVersionUID = 1L;
        @SuppressWarnings("serial")
        private final Object inside = new Stubborn();
        private final int[] before = new int[1000];

        int length() {
            return before.length + (inside == null ? 0 : 1);
        }
    }

    static Map<String, Object> map(int size) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < size; i++) {
            map.put("key " + i, i % 2 == 0 ? (Object) i : new Point(i));
        }
        return map;
    }
}
