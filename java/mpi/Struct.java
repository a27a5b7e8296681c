// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A struct whose fields a program adds one after the other, in a subclass with a {@link Data} of its own. Buffers of it
 * are of bytes. With its first use the struct is complete; then no field can be added.
 */
public abstract class Struct {
    private final List<Field> fields = new ArrayList<>();
    /** Where the next field begins; once complete, the extent. */
    private int end;
    private Datatype type;

    /** A struct without fields yet. */
    public Struct() {
    }

    /** So many elements of a basic kind, of a datatype, or of another struct. */
    private static final class Field {
        final int kind;
        final Datatype type;
        final int offset;
        final int length;

        Field(int kind, Datatype type, int offset, int length) {
            this.kind = kind;
            this.type = type;
            this.offset = offset;
            this.length = length;
        }

        /** Known when the struct is complete: those of {@link MPI} are made before its datatypes are. */
        Datatype type() {
            if (type != null) {
                return type;
            }
            Datatype[] basic = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE};
            return basic[kind];
        }
    }

    private int add(int kind, Datatype fieldType, int extent, int length) {
        checkOpen();
        int offset = end;
        fields.add(new Field(kind, fieldType, offset, length));
        end += extent * length;
        return offset;
    }

    private void checkOpen() {
        if (type != null) {
            throw new IllegalStateException("the struct is in use; no field can be added");
        }
    }

    private synchronized Datatype complete() {
        if (type == null) {
            int[] lengths = new int[fields.size()];
            int[] offsets = new int[lengths.length];
            Datatype[] types = new Datatype[lengths.length];
            for (int i = 0; i < lengths.length; i++) {
                Field field = fields.get(i);
                lengths[i] = field.length;
                offsets[i] = field.offset;
                types[i] = field.type();
            }
            type = Datatype.createStruct(lengths, offsets, types);
            end = type.getExtent();
        }
        return type;
    }

    // ---- the struct ----

    /**
     * Where the next field shall begin, in bytes; not before the last ends.
     *
     * @param offset the place, in bytes
     * @return this struct
     */
    public final Struct setOffset(int offset) {
        checkOpen();
        if (offset < end) {
            throw new IllegalArgumentException("offset is " + offset + ", but the fields so far reach to " + end);
        }
        end = offset;
        return this;
    }

    /**
     * The distance from one struct to the next.
     *
     * @return bytes
     * @throws MPIException if the call fails
     */
    public final int getExtent() throws MPIException {
        complete();
        return end;
    }

    /**
     * The datatype of the struct.
     *
     * @return the datatype
     * @throws MPIException if the call fails
     */
    public final Datatype getType() throws MPIException {
        return complete();
    }

    /**
     * Adds a field of type {@code byte}.
     *
     * @return where it is, in bytes
     */
    public final int addByte() {
        return addByte(1);
    }

    /**
     * Adds an array of type {@code byte}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addByte(int length) {
        return add(Native.KIND_BYTE, null, Byte.BYTES, length);
    }

    /**
     * Adds a field of type {@code char}.
     *
     * @return where it is, in bytes
     */
    public final int addChar() {
        return addChar(1);
    }

    /**
     * Adds an array of type {@code char}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addChar(int length) {
        return add(Native.KIND_CHAR, null, Character.BYTES, length);
    }

    /**
     * Adds a field of type {@code short}.
     *
     * @return where it is, in bytes
     */
    public final int addShort() {
        return addShort(1);
    }

    /**
     * Adds an array of type {@code short}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addShort(int length) {
        return add(Native.KIND_SHORT, null, Short.BYTES, length);
    }

    /**
     * Adds a field of type {@code int}.
     *
     * @return where it is, in bytes
     */
    public final int addInt() {
        return addInt(1);
    }

    /**
     * Adds an array of type {@code int}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addInt(int length) {
        return add(Native.KIND_INT, null, Integer.BYTES, length);
    }

    /**
     * Adds a field of type {@code long}.
     *
     * @return where it is, in bytes
     */
    public final int addLong() {
        return addLong(1);
    }

    /**
     * Adds an array of type {@code long}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addLong(int length) {
        return add(Native.KIND_LONG, null, Long.BYTES, length);
    }

    /**
     * Adds a field of type {@code float}.
     *
     * @return where it is, in bytes
     */
    public final int addFloat() {
        return addFloat(1);
    }

    /**
     * Adds an array of type {@code float}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addFloat(int length) {
        return add(Native.KIND_FLOAT, null, Float.BYTES, length);
    }

    /**
     * Adds a field of type {@code double}.
     *
     * @return where it is, in bytes
     */
    public final int addDouble() {
        return addDouble(1);
    }

    /**
     * Adds an array of type {@code double}.
     *
     * @param length how many
     * @return where it is, in bytes
     */
    public final int addDouble(int length) {
        return add(Native.KIND_DOUBLE, null, Double.BYTES, length);
    }

    /**
     * Adds another struct as a field.
     *
     * @param struct the other
     * @return where it is, in bytes
     * @throws MPIException if the call fails
     */
    public final int addStruct(Struct struct) throws MPIException {
        return addStruct(struct, 1);
    }

    /**
     * Adds an array of other structs.
     *
     * @param struct the other
     * @param length how many
     * @return where it is, in bytes
     * @throws MPIException if the call fails
     */
    public final int addStruct(Struct struct, int length) throws MPIException {
        return add(0, struct.complete(), struct.end, length);
    }

    /**
     * Adds a field of a datatype.
     *
     * @param type what the elements are
     * @return where it is, in bytes
     * @throws MPIException if the call fails
     */
    public final int addData(Datatype type) throws MPIException {
        return addData(type, 1);
    }

    /**
     * Adds an array of a datatype.
     *
     * @param type what the elements are
     * @param length how many
     * @return where it is, in bytes
     * @throws MPIException if the call fails
     */
    public final int addData(Datatype type, int length) throws MPIException {
        return add(0, Datatype.require("addData", type), type.getExtent(), length);
    }

    // ---- views ----

    /**
     * A view without a buffer, of the class that the subclass has for it.
     *
     * @return the view
     */
    protected abstract Data newData();

    @SuppressWarnings("unchecked")
    private <T extends Data> T view(ByteBuffer buffer, int offset) {
        Data data = newData();
        data.buffer = buffer;
        data.offset = offset;
        return (T) data;
    }

    /**
     * The first struct of a buffer.
     *
     * @param <T> the class of the view
     * @param buffer the buffer
     * @return a view of it
     * @throws MPIException if the call fails
     */
    public final <T extends Data> T getData(ByteBuffer buffer) throws MPIException {
        return getData(buffer, 0);
    }

    /**
     * A struct of a buffer.
     *
     * @param <T> the class of the view
     * @param buffer the buffer
     * @param index which
     * @return a view of it
     * @throws MPIException if the call fails
     */
    public final <T extends Data> T getData(ByteBuffer buffer, int index) throws MPIException {
        complete();
        return view(buffer, index * end);
    }

    /**
     * The first struct of an array.
     *
     * @param <T> the class of the view
     * @param bytesArray the array
     * @return a view of it
     * @throws MPIException if the call fails
     */
    public final <T extends Data> T getData(byte[] bytesArray) throws MPIException {
        return getData(bytesArray, 0);
    }

    /**
     * A struct of an array.
     *
     * @param <T> the class of the view
     * @param bytesArray the array
     * @param index which
     * @return a view of it
     * @throws MPIException if the call fails
     */
    public final <T extends Data> T getData(byte[] bytesArray, int index) throws MPIException {
        return getData(ByteBuffer.wrap(bytesArray).order(ByteOrder.nativeOrder()), index);
    }

    /** A struct in a buffer: reads and writes its fields, which are known by where they are. */
    public abstract class Data {
        private ByteBuffer buffer;
        private int offset;

        /** A view yet without a buffer. */
        public Data() {
        }

        /**
         * The buffer that the struct is in.
         *
         * @return a view that begins with it
         */
        public final ByteBuffer getBuffer() {
            return offset == 0 ? buffer : MPI.slice(buffer, offset);
        }

        /**
         * The buffer of a field that is of a datatype.
         *
         * @param type what the elements are
         * @param field where the field is
         * @return a view that begins with it
         */
        protected final ByteBuffer getBuffer(Datatype type, int field) {
            return MPI.slice(buffer, offset + field);
        }

        /**
         * The buffer of an element of an array of a datatype.
         *
         * @param type what the elements are
         * @param field where the field is
         * @param index which
         * @return a view that begins with it
         * @throws MPIException if the call fails
         */
        protected final ByteBuffer getBuffer(Datatype type, int field, int index) throws MPIException {
            return MPI.slice(buffer, offset + field + index * type.getExtent());
        }

        /**
         * A field that is a struct.
         *
         * @param <D> the class of the view
         * @param struct the other
         * @param field where the field is
         * @return a view of it
         */
        protected final <D extends Data> D getData(Struct struct, int field) {
            return struct.view(buffer, offset + field);
        }

        /**
         * An element of an array of structs.
         *
         * @param <D> the class of the view
         * @param struct the other
         * @param field where the field is
         * @param index which
         * @return a view of it
         */
        protected final <D extends Data> D getData(Struct struct, int field, int index) {
            return struct.view(buffer, offset + field + index * struct.end);
        }

        /**
         * A field of type {@code byte}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final byte getByte(int field) {
            return buffer.get(offset + field);
        }

        /**
         * An element of an array of type {@code byte}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final byte getByte(int field, int index) {
            return buffer.get(offset + field + index);
        }

        /**
         * Sets a field of type {@code byte}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putByte(int field, byte v) {
            buffer.put(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code byte}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putByte(int field, int index, byte v) {
            buffer.put(offset + field + index, v);
        }

        /**
         * A field of type {@code char}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final char getChar(int field) {
            return buffer.getChar(offset + field);
        }

        /**
         * An element of an array of type {@code char}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final char getChar(int field, int index) {
            return buffer.getChar(offset + field + index * Character.BYTES);
        }

        /**
         * Sets a field of type {@code char}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putChar(int field, char v) {
            buffer.putChar(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code char}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putChar(int field, int index, char v) {
            buffer.putChar(offset + field + index * Character.BYTES, v);
        }

        /**
         * A field of type {@code short}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final short getShort(int field) {
            return buffer.getShort(offset + field);
        }

        /**
         * An element of an array of type {@code short}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final short getShort(int field, int index) {
            return buffer.getShort(offset + field + index * Short.BYTES);
        }

        /**
         * Sets a field of type {@code short}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putShort(int field, short v) {
            buffer.putShort(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code short}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putShort(int field, int index, short v) {
            buffer.putShort(offset + field + index * Short.BYTES, v);
        }

        /**
         * A field of type {@code int}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final int getInt(int field) {
            return buffer.getInt(offset + field);
        }

        /**
         * An element of an array of type {@code int}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final int getInt(int field, int index) {
            return buffer.getInt(offset + field + index * Integer.BYTES);
        }

        /**
         * Sets a field of type {@code int}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putInt(int field, int v) {
            buffer.putInt(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code int}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putInt(int field, int index, int v) {
            buffer.putInt(offset + field + index * Integer.BYTES, v);
        }

        /**
         * A field of type {@code long}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final long getLong(int field) {
            return buffer.getLong(offset + field);
        }

        /**
         * An element of an array of type {@code long}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final long getLong(int field, int index) {
            return buffer.getLong(offset + field + index * Long.BYTES);
        }

        /**
         * Sets a field of type {@code long}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putLong(int field, long v) {
            buffer.putLong(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code long}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putLong(int field, int index, long v) {
            buffer.putLong(offset + field + index * Long.BYTES, v);
        }

        /**
         * A field of type {@code float}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final float getFloat(int field) {
            return buffer.getFloat(offset + field);
        }

        /**
         * An element of an array of type {@code float}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final float getFloat(int field, int index) {
            return buffer.getFloat(offset + field + index * Float.BYTES);
        }

        /**
         * Sets a field of type {@code float}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putFloat(int field, float v) {
            buffer.putFloat(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code float}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putFloat(int field, int index, float v) {
            buffer.putFloat(offset + field + index * Float.BYTES, v);
        }

        /**
         * A field of type {@code double}.
         *
         * @param field where the field is
         * @return its value
         */
        protected final double getDouble(int field) {
            return buffer.getDouble(offset + field);
        }

        /**
         * An element of an array of type {@code double}.
         *
         * @param field where the field is
         * @param index which
         * @return its value
         */
        protected final double getDouble(int field, int index) {
            return buffer.getDouble(offset + field + index * Double.BYTES);
        }

        /**
         * Sets a field of type {@code double}.
         *
         * @param field where the field is
         * @param v its value
         */
        protected final void putDouble(int field, double v) {
            buffer.putDouble(offset + field, v);
        }

        /**
         * Sets an element of an array of type {@code double}.
         *
         * @param field where the field is
         * @param index which
         * @param v its value
         */
        protected final void putDouble(int field, int index, double v) {
            buffer.putDouble(offset + field + index * Double.BYTES, v);
        }
    }
}
