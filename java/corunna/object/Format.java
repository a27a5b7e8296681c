// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import corunna.engine.Native;

/**
 * How objects look on the wire, in the byte order of the machine.
 *
 * <p>A message begins with {@link #HEADER_BYTES}: a word of magic with the form in its lowest byte, the number of
 * objects, the offset at which raw arrays begin, and one number that is the form's own. What follows depends on the
 * form:
 * <ul>
 * <li>{@link #STRINGS}: for each string its length and its characters, one byte each; or {@link #WIDE}, the length and
 * two bytes each; or {@link #NULL}; or {@link #AGAIN} and the index of the string that stood here before;
 * <li>{@link #ARRAYS}: arrays of one primitive type, the form's number. For each its length and its elements, or
 * {@link #NULL}, or {@link #AGAIN} and an index;
 * <li>{@link #STREAM}: an object stream of Java, without its header and with short class descriptions, up to where the
 * raw arrays begin. A larger array of a primitive type is a {@link RawArray} in the stream; its type, length and
 * elements follow behind the stream, in the order in which the stream names them.
 * </ul>
 * The length of a message tells the number of its objects as well, see {@link #length}.
 */
final class Format {
    static final int MAGIC = 0x434F_4200;
    static final int FORM_MASK = 0xFF;
    static final int HEADER_BYTES = 16;

    static final int STREAM = 'J';
    static final int STRINGS = 'S';
    static final int ARRAYS = 'A';

    static final int NULL = -1;
    static final int AGAIN = -2;
    static final int WIDE = -3;

    /** An array inside an object becomes a {@link RawArray} from so many bytes on; below, the stream is cheaper. */
    static final int RAW_MIN_BYTES = 512;

    /** Bytes of an element as a power of two, by the kinds of {@link Native}. */
    static final int[] SHIFT = {0, 1, 1, 0, 2, 3, 2, 3};

    private Format() {
    }


    // ---- the length tells the number of objects ----

    /*
     * A probe sees the length of a message and nothing else, and programs probe to learn how many objects will come.
     * So a message is made a little longer until its length says so: its lowest 5 bits are the number of binary digits
     * of the count, and above them stand those digits without the leading one. That costs less than 64 bytes for up to
     * three objects, and less than 32 bytes for each of many.
     */
    private static final int DIGIT_BITS = 5;
    /** So many digits stand for a count that the length could not take. */
    private static final int UNKNOWN_DIGITS = 31;

    /** The least length of at least {@code bytes} that tells this count. */
    static int length(int bytes, int count) {
        int digits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
        long step = 1L << (DIGIT_BITS + Math.max(0, digits - 1));
        long code = (long) (count ^ Integer.highestOneBit(count)) << DIGIT_BITS | digits;
        long length = bytes + Math.floorMod(code - bytes, step);
        if (length > Integer.MAX_VALUE) {
            long unknown = bytes + Math.floorMod(UNKNOWN_DIGITS - (long) bytes, 1L << DIGIT_BITS);
            return (int) Math.min(unknown, Integer.MAX_VALUE); // the largest number has these digits too
        }
        return (int) length;
    }

    /** The count that a length tells, or -1 if it tells none. */
    static int count(long length) {
        int digits = (int) length & (1 << DIGIT_BITS) - 1;
        if (length < HEADER_BYTES || digits == UNKNOWN_DIGITS) {
            return -1;
        }
        if (digits == 0) {
            return 0;
        }
        int leading = 1 << digits - 1;
        return leading | (int) (length >> DIGIT_BITS) & leading - 1;
    }

    /** The kind of an array of a primitive type by its class, or -1. */
    static int kind(Class<?> type) {
        if (type == double[].class) {
            return Native.KIND_DOUBLE;
        } else if (type == int[].class) {
            return Native.KIND_INT;
        } else if (type == byte[].class) {
            return Native.KIND_BYTE;
        } else if (type == float[].class) {
            return Native.KIND_FLOAT;
        } else if (type == long[].class) {
            return Native.KIND_LONG;
        } else if (type == char[].class) {
            return Native.KIND_CHAR;
        } else if (type == short[].class) {
            return Native.KIND_SHORT;
        } else if (type == boolean[].class) {
            return Native.KIND_BOOLEAN;
        }
        return -1;
    }
}
