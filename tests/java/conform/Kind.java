// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mpi.Datatype;
import mpi.MPI;

/** Every kind of buffer, each filled and verified by a pattern that depends on a seed and the place. */
enum Kind {
    BYTE(1, MPI.BYTE) {
        @Override
        Object make(int length) {
            return new byte[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((byte[]) buffer)[at] = (byte) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((byte[]) buffer)[at] == (byte) value;
        }
    },
    CHAR(2, MPI.CHAR) {
        @Override
        Object make(int length) {
            return new char[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((char[]) buffer)[at] = (char) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((char[]) buffer)[at] == (char) value;
        }
    },
    SHORT(2, MPI.SHORT) {
        @Override
        Object make(int length) {
            return new short[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((short[]) buffer)[at] = (short) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((short[]) buffer)[at] == (short) value;
        }
    },
    BOOLEAN(1, MPI.BOOLEAN) {
        @Override
        Object make(int length) {
            return new boolean[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((boolean[]) buffer)[at] = (value & 1) != 0;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((boolean[]) buffer)[at] == ((value & 1) != 0);
        }
    },
    INT(4, MPI.INT) {
        @Override
        Object make(int length) {
            return new int[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((int[]) buffer)[at] = (int) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((int[]) buffer)[at] == (int) value;
        }
    },
    LONG(8, MPI.LONG) {
        @Override
        Object make(int length) {
            return new long[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((long[]) buffer)[at] = value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((long[]) buffer)[at] == value;
        }
    },
    FLOAT(4, MPI.FLOAT) {
        @Override
        Object make(int length) {
            return new float[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((float[]) buffer)[at] = (int) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((float[]) buffer)[at] == (float) (int) value;
        }
    },
    DOUBLE(8, MPI.DOUBLE) {
        @Override
        Object make(int length) {
            return new double[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((double[]) buffer)[at] = value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((double[]) buffer)[at] == (double) value;
        }
    },
    /** A direct buffer of bytes. */
    DIRECT_BYTE(1, MPI.BYTE) {
        @Override
        Object make(int length) {
            return ByteBuffer.allocateDirect(length);
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((ByteBuffer) buffer).put(at, (byte) value);
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((ByteBuffer) buffer).get(at) == (byte) value;
        }
    },
    /** A direct buffer of doubles. */
    DIRECT_DOUBLE(8, MPI.DOUBLE) {
        @Override
        Object make(int length) {
            return ByteBuffer.allocateDirect(length * 8).order(ByteOrder.nativeOrder());
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((ByteBuffer) buffer).putDouble(at * 8, value);
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((ByteBuffer) buffer).getDouble(at * 8) == (double) value;
        }
    },
    /** A buffer in the heap, beginning inside its array, of ints. */
    HEAP_INT(4, MPI.INT) {
        @Override
        Object make(int length) {
            ByteBuffer whole = ByteBuffer.allocate(length * 4 + 3);
            whole.position(3);
            return whole.slice().order(ByteOrder.nativeOrder());
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((ByteBuffer) buffer).putInt(at * 4, (int) value);
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((ByteBuffer) buffer).getInt(at * 4) == (int) value;
        }
    },
    /** Packed data is bytes. */
    PACKED(1, MPI.PACKED) {
        @Override
        Object make(int length) {
            return new byte[length];
        }

        @Override
        void put(Object buffer, int at, long value) {
            ((byte[]) buffer)[at] = (byte) value;
        }

        @Override
        boolean has(Object buffer, int at, long value) {
            return ((byte[]) buffer)[at] == (byte) value;
        }
    };

    final int bytes;
    final Datatype type;

    Kind(int bytes, Datatype type) {
        this.bytes = bytes;
        this.type = type;
    }

    abstract Object make(int length);

    abstract void put(Object buffer, int at, long value);

    abstract boolean has(Object buffer, int at, long value);

    boolean isDirect() {
        return this == DIRECT_BYTE || this == DIRECT_DOUBLE;
    }

    /** Another number for every seed and place. */
    static long pattern(long seed, long at) {
        long x = seed * 0x9E3779B97F4A7C15L + at * 0xC2B2AE3D27D4EB4FL;
        x ^= x >>> 29;
        x *= 0xBF58476D1CE4E5B9L;
        return x ^ x >>> 32;
    }

    void fill(Object buffer, int offset, int count, long seed) {
        for (int i = 0; i < count; i++) {
            put(buffer, offset + i, pattern(seed, i));
        }
    }

    void verify(Object buffer, int offset, int count, long seed, String what) {
        for (int i = 0; i < count; i++) {
            if (!has(buffer, offset + i, pattern(seed, i))) {
                throw new AssertionError(what + ": element " + i + " of " + count + " is wrong (" + this + ")");
            }
        }
    }

    Object filled(int count, long seed) {
        Object buffer = make(count);
        fill(buffer, 0, count, seed);
        return buffer;
    }
}
