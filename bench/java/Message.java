// SPDX-License-Identifier: Apache-2.0
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import mpi.Datatype;
import mpi.MPI;

/**
 * Room for messages of one type and size, one behind the other: arrays of byte, int or double, memory outside of the
 * heap (direct), every other double of an array (column), or objects, of which the size tells the number: strings, map,
 * records, matrix.
 */
final class Message {
    /** A small record, as programs send them by the thousand. */
    static final class Particle implements Serializable {
        private static final long serialVersionUID = 1L;
        final int number;
        final double x;
        final double mass;

        Particle(int number) {
            this.number = number;
            this.x = number * 0.5;
            this.mass = 1.0 / (number + 1);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Particle && ((Particle) other).number == number && ((Particle) other).x == x
                    && ((Particle) other).mass == mass;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    final Object buffer;
    /** Elements of the datatype in one message, and of the buffer. */
    final int count;
    final int length;
    final Datatype datatype;
    private final Case one;

    Message(Case one, int blocks) {
        this.one = one;
        switch (one.type) {
        case "byte":
            length = count = one.size;
            buffer = new byte[length * blocks];
            datatype = MPI.BYTE;
            break;
        case "direct":
            length = count = one.size;
            buffer = ByteBuffer.allocateDirect(length * blocks);
            datatype = MPI.BYTE;
            break;
        case "int":
            length = count = elements(Integer.BYTES);
            buffer = new int[length * blocks];
            datatype = MPI.INT;
            break;
        case "double":
            length = count = elements(Double.BYTES);
            buffer = new double[length * blocks];
            datatype = MPI.DOUBLE;
            break;
        case "column":
            count = 1;
            length = 2 * elements(Double.BYTES);
            buffer = new double[length * blocks];
            datatype = Datatype.Vector(length / 2, 1, 2, MPI.DOUBLE);
            datatype.Commit();
            break;
        default:
            Object[] made = make(one.type, one.size);
            length = count = made.length;
            buffer = new Object[length * blocks];
            datatype = MPI.OBJECT;
        }
    }

    private int elements(int bytes) {
        if (one.size % bytes != 0) {
            throw new IllegalArgumentException(one.size + " bytes are not a number of elements of type " + one.type);
        }
        return one.size / bytes;
    }

    private static Object[] make(String what, int count) {
        switch (what) {
        case "strings":
            String[] strings = new String[count];
            Arrays.setAll(strings, i -> "string number " + i);
            return strings;
        case "map":
            Map<String, Integer> map = new HashMap<>();
            for (int i = 0; i < count; i++) {
                map.put("key " + i, i);
            }
            return new Object[] {map};
        case "records":
            Object[] records = new Object[count];
            Arrays.setAll(records, Particle::new);
            return records;
        case "matrix":
            double[][] matrix = new double[count][count];
            for (int i = 0; i < count; i++) {
                Arrays.fill(matrix[i], i + 0.5);
            }
            return matrix;
        default:
            throw new IllegalArgumentException("'" + what + "' is not a type that is measured");
        }
    }

    /** The bytes of all messages are this value; of objects each block gets the objects. */
    Message fill(int value) {
        if (buffer instanceof byte[]) {
            Arrays.fill((byte[]) buffer, (byte) value);
        } else if (buffer instanceof int[]) {
            Arrays.fill((int[]) buffer, value);
        } else if (buffer instanceof double[]) {
            Arrays.fill((double[]) buffer, value);
        } else if (buffer instanceof ByteBuffer) {
            ByteBuffer bytes = (ByteBuffer) buffer;
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, (byte) value);
            }
        } else {
            Object[] objects = (Object[]) buffer;
            for (int at = 0; at < objects.length; at += length) {
                System.arraycopy(make(one.type, one.size), 0, objects, at, length);
            }
        }
        return this;
    }

    /** Fails unless all data that were received are what fill(value) makes. */
    void verify(int value, int blocks) {
        Message wanted = new Message(one, blocks).fill(value);
        if (one.type.equals("column")) { // gaps are not sent
            double[] gaps = (double[]) wanted.buffer;
            for (int i = 1; i < gaps.length; i += 2) {
                gaps[i] = ((double[]) buffer)[i];
            }
        }
        if (!Arrays.deepEquals(new Object[] {wanted.buffer}, new Object[] {buffer})) {
            one.fail("received other data than were sent");
        }
    }
}
