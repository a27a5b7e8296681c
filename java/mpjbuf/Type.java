// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

/** What the elements of a section of a {@link Buffer} are. */
public class Type {
    /** Elements of a {@code byte[]}. */
    public static final Type BYTE = new Type("BYTE", 0, 1);
    /** Elements of a {@code char[]}. */
    public static final Type CHAR = new Type("CHAR", 1, 2);
    /** Elements of a {@code short[]}. */
    public static final Type SHORT = new Type("SHORT", 2, 2);
    /** Elements of a {@code boolean[]}. */
    public static final Type BOOLEAN = new Type("BOOLEAN", 3, 1);
    /** Elements of an {@code int[]}. */
    public static final Type INT = new Type("INT", 4, 4);
    /** Elements of a {@code long[]}. */
    public static final Type LONG = new Type("LONG", 5, 8);
    /** Elements of a {@code float[]}. */
    public static final Type FLOAT = new Type("FLOAT", 6, 4);
    /** Elements of a {@code double[]}. */
    public static final Type DOUBLE = new Type("DOUBLE", 7, 8);
    /** Objects. */
    public static final Type OBJECT = new Type("OBJECT", 8, 0);
    /** Bytes in the part of the buffer that grows. */
    public static final Type BYTE_DYNAMIC = new Type("BYTE_DYNAMIC", 9, 1);
    /** Characters in the part of the buffer that grows. */
    public static final Type CHAR_DYNAMIC = new Type("CHAR_DYNAMIC", 10, 2);
    /** Shorts in the part of the buffer that grows. */
    public static final Type SHORT_DYNAMIC = new Type("SHORT_DYNAMIC", 11, 2);
    /** Booleans in the part of the buffer that grows. */
    public static final Type BOOLEAN_DYNAMIC = new Type("BOOLEAN_DYNAMIC", 12, 1);
    /** Ints in the part of the buffer that grows. */
    public static final Type INT_DYNAMIC = new Type("INT_DYNAMIC", 13, 4);
    /** Longs in the part of the buffer that grows. */
    public static final Type LONG_DYNAMIC = new Type("LONG_DYNAMIC", 14, 8);
    /** Floats in the part of the buffer that grows. */
    public static final Type FLOAT_DYNAMIC = new Type("FLOAT_DYNAMIC", 15, 4);
    /** Doubles in the part of the buffer that grows. */
    public static final Type DOUBLE_DYNAMIC = new Type("DOUBLE_DYNAMIC", 16, 8);
    /** No type. */
    public static final Type UNDEFINED = new Type("UNDEFINED", -1, 0);

    private static final Type[] BY_CODE = {BYTE, CHAR, SHORT, BOOLEAN, INT, LONG, FLOAT, DOUBLE, OBJECT, BYTE_DYNAMIC,
        CHAR_DYNAMIC, SHORT_DYNAMIC, BOOLEAN_DYNAMIC, INT_DYNAMIC, LONG_DYNAMIC, FLOAT_DYNAMIC, DOUBLE_DYNAMIC};

    private final String name;
    private final int code;
    private final int bytes;

    private Type(String name, int code, int bytes) {
        this.name = name;
        this.code = code;
        this.bytes = bytes;
    }

    /**
     * The type's number.
     *
     * @return the number, -1 for {@link #UNDEFINED}
     */
    public int getCode() {
        return code;
    }

    /**
     * The type with a number.
     *
     * @param code the number
     * @return the type, {@link #UNDEFINED} if there is none
     */
    public static Type getType(int code) {
        return code < 0 || code >= BY_CODE.length ? UNDEFINED : BY_CODE[code];
    }

    /** Bytes of an element; 0 for objects. */
    int bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return name;
    }
}
