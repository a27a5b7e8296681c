// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Elements one after the other, in sections of one type each: what MPJ Express packs into and unpacks from.
 *
 * <p>A buffer is written first: {@link #putSectionHeader} begins a section, the {@code write} methods
 * append to it. After {@link #commit} it is read: {@link #getSectionHeader} goes to the next section, the {@code read}
 * methods take elements out of it. {@link #clear} begins anew.
 */
public class Buffer {
    /** Bytes that every section takes beside its elements. */
    public static final int SECTION_OVERHEAD = 8;
    /** Sections begin at multiples of so many bytes. */
    public static final int ALIGNMENT_UNIT = 8;

    /** The memory, where in it this buffer begins, and what is behind that. */
    private RawBuffer memory;
    private final int begin;
    private ByteBuffer bytes;
    private boolean isWritable = true;
    /** Where the section being written or read has its header, and what it is of; -1 when there is none. */
    private int section = -1;
    private Type type = Type.UNDEFINED;
    private int count;
    /** The end of what has been written. */
    private int size;

    /**
     * An empty buffer.
     *
     * @param capacity bytes to begin with; it grows
     */
    public Buffer(int capacity) {
        this(new NIOBuffer(Math.max(capacity, SECTION_OVERHEAD)), 0, Math.max(capacity, SECTION_OVERHEAD));
    }

    /**
     * An empty buffer in memory that is there already; once it is full, in other memory.
     *
     * @param memory the memory, as {@link BufferFactory} makes it
     * @param offset where in the memory the buffer begins
     * @param capacity where in the memory it ends
     */
    public Buffer(RawBuffer memory, int offset, int capacity) {
        this.memory = memory;
        this.begin = offset;
        this.bytes = memory instanceof NIOBuffer && offset <= memory.getCapacity()
                ? ((NIOBuffer) memory).part(offset, capacity) : ByteBuffer.allocate(0).order(ByteOrder.nativeOrder());
    }

    /**
     * The bytes that a section takes.
     *
     * @param elements bytes of its elements
     * @return bytes up to where the next section may begin
     */
    public static long sectionBytes(long elements) {
        return (SECTION_OVERHEAD + elements + ALIGNMENT_UNIT - 1) / ALIGNMENT_UNIT * ALIGNMENT_UNIT;
    }

    // ---- the whole buffer ----

    /** Gives the memory back. The buffer is empty then. */
    public void free() {
        NIOBuffer small = new NIOBuffer(begin + SECTION_OVERHEAD);
        memory = small;
        bytes = small.part(begin, small.getCapacity());
        restart(true);
    }

    /**
     * The memory the buffer is in.
     *
     * @return what it was made with, unless it has grown since
     */
    public RawBuffer getStaticBuffer() {
        return memory;
    }

    /**
     * Where in its memory the buffer begins.
     *
     * @return an offset in bytes
     */
    public int offset() {
        return begin;
    }

    /**
     * Ends writing and begins reading, or begins reading again.
     *
     * @throws BufferException never
     */
    public void commit() throws BufferException {
        restart(false);
    }

    /**
     * Forgets what was written and begins writing.
     *
     * @throws BufferException never
     */
    public void clear() throws BufferException {
        restart(true);
    }

    private void restart(boolean isToWrite) {
        isWritable = isToWrite;
        section = -1;
        type = Type.UNDEFINED;
        count = 0;
        size = isToWrite ? 0 : size;
        bytes.position(0);
    }

    /**
     * May it be written?
     *
     * @return true until {@link #commit}
     */
    public boolean isWritable() {
        return isWritable;
    }

    /**
     * How much has been written.
     *
     * @return bytes
     */
    public int getSize() {
        return size;
    }

    /**
     * How much there is room for before the buffer grows.
     *
     * @return bytes
     */
    public int getCapacity() {
        return bytes.capacity();
    }

    /**
     * The byte order of the elements.
     *
     * @return that of the machine, unless another was set
     */
    public ByteOrder getEncoding() {
        return bytes.order();
    }

    /**
     * Sets the byte order of the elements.
     *
     * @param order the order
     */
    public void setEncoding(ByteOrder order) {
        bytes.order(order);
    }

    /**
     * Where the next element will be written or read.
     *
     * @return an offset in bytes
     */
    public int position() {
        return bytes.position();
    }

    private void requireWritable(boolean isToBe) throws BufferException {
        if (isWritable != isToBe) {
            throw new BufferException(isToBe ? "the buffer has been committed and is being read"
                    : "the buffer is being written and has not been committed");
        }
    }

    private void align() {
        int position = (int) (((long) bytes.position() + ALIGNMENT_UNIT - 1) / ALIGNMENT_UNIT * ALIGNMENT_UNIT);
        bytes.position(Math.min(position, bytes.limit()));
    }

    private void ensure(long more) throws BufferException {
        if (bytes.remaining() >= more) {
            return;
        }
        long wanted = Math.max(bytes.position() + more, 2L * bytes.capacity());
        if (begin + bytes.position() + more > Integer.MAX_VALUE - ALIGNMENT_UNIT) {
            throw new BufferException("there is no room for " + more + " bytes more");
        }
        NIOBuffer larger = new NIOBuffer((int) Math.min(begin + wanted, Integer.MAX_VALUE - ALIGNMENT_UNIT));
        ByteBuffer all = larger.part(begin, larger.getCapacity()).order(bytes.order());
        int position = bytes.position();
        bytes.position(0);
        bytes.limit(position);
        all.put(bytes);
        bytes = all;
        memory = larger;
    }

    // ---- sections ----

    /**
     * Begins a section.
     *
     * @param newType what its elements will be
     * @throws BufferException if the buffer is being read
     */
    public void putSectionHeader(Type newType) throws BufferException {
        requireWritable(true);
        ensure(SECTION_OVERHEAD + ALIGNMENT_UNIT);
        align();
        section = bytes.position();
        type = newType;
        count = 0;
        bytes.putInt(newType.getCode()).putInt(0);
        size = bytes.position();
    }

    /**
     * Goes to the next section.
     *
     * @return what its elements are
     * @throws BufferException if the buffer is being written or has no further section
     */
    public Type getSectionHeader() throws BufferException {
        requireWritable(false);
        align();
        if (bytes.position() + SECTION_OVERHEAD > size) {
            throw new BufferException("the buffer has no further section");
        }
        section = bytes.position();
        type = Type.getType(bytes.getInt());
        count = bytes.getInt();
        return type;
    }

    /**
     * The elements of the section that are not yet read.
     *
     * @return how many
     * @throws BufferException if there is no section
     */
    public int getSectionSize() throws BufferException {
        if (section < 0) {
            throw new BufferException("the buffer is in no section");
        }
        return count;
    }

    /**
     * How much is left to be read.
     *
     * @return bytes
     * @throws BufferException if the buffer is being written
     */
    public int getRemaining() throws BufferException {
        requireWritable(false);
        return size - bytes.position();
    }

    /** So many elements of a type come into the section: its type must be that one. */
    private void beginWrite(Type wanted, int elements) throws BufferException {
        requireWritable(true);
        requireSection(wanted, elements);
        ensure((long) elements * wanted.bytes());
        count += elements;
        bytes.putInt(section + Integer.BYTES, count);
    }

    private void endWrite() {
        size = bytes.position();
    }

    private void beginRead(Type wanted, int elements) throws BufferException {
        requireWritable(false);
        requireSection(wanted, elements);
        if (elements > count) {
            throw new BufferException("the section has " + count + " elements left, not " + elements);
        }
        count -= elements;
    }

    private void requireSection(Type wanted, int elements) throws BufferException {
        if (section < 0 || type != wanted) {
            throw new BufferException(section < 0 ? "the buffer is in no section" : "the section is of " + type
                    + ", not of " + wanted);
        }
        if (elements < 0) {
            throw new BufferException("the number of elements is " + elements + "; it cannot be negative");
        }
    }

    // ---- the whole as a message ----

    /**
     * What has been written, to be sent. The buffer is committed by it.
     *
     * @return a view of the bytes
     */
    public ByteBuffer outgoing() {
        restart(false);
        ByteBuffer written = bytes.duplicate();
        written.clear();
        written.limit(size);
        return written;
    }

    /**
     * Takes over what was received. The buffer is committed then, and is read from its beginning.
     *
     * @param message the bytes
     * @throws BufferException if there is no room for them
     */
    public void incoming(ByteBuffer message) throws BufferException {
        clear();
        ensure(message.remaining());
        bytes.put(message);
        size = bytes.position();
        commit();
    }

    // ---- sections as a whole, for Pack and Unpack ----

    /**
     * Appends a section of elements that are packed already.
     *
     * @param code the number of their type as {@link mpi.Datatype#getType} tells it
     * @param elements how many they are
     * @param packed their bytes
     * @return the position behind the section
     * @throws BufferException if the buffer is being read
     */
    public int putPacked(int code, int elements, byte[] packed) throws BufferException {
        putSectionHeader(sectionType(code));
        ensure((long) packed.length + Integer.BYTES);
        count = elements;
        bytes.putInt(section + Integer.BYTES, elements);
        if (type == Type.OBJECT) {
            bytes.putInt(packed.length);
        }
        bytes.put(packed);
        size = bytes.position();
        return size;
    }

    /**
     * Takes out the next section as it was packed.
     *
     * @param code the number of the type it must be of
     * @param most how many elements it may have
     * @return the bytes
     * @throws BufferException if it is of another type or has more elements
     */
    public byte[] getPacked(int code, int most) throws BufferException {
        if (isWritable) {
            commit();
        }
        Type wanted = sectionType(code);
        if (getSectionHeader() != wanted || count > most) {
            throw new BufferException("the section is of " + count + " elements of " + type + ", not of " + most
                    + " of " + wanted);
        }
        byte[] packed = new byte[type == Type.OBJECT ? bytes.getInt() : count * type.bytes()];
        bytes.get(packed);
        align();
        return packed;
    }

    /** The numbers of datatypes begin with 1; packed data is bytes, as nothing is, and 12 is an object. */
    private static Type sectionType(int code) {
        return code == 12 ? Type.OBJECT : code == 9 || code < 1 ? Type.BYTE : Type.getType(code - 1);
    }

    // ---- objects ----

    private byte[] serialised(Object[] source, int offset, int elements) throws BufferException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new ObjectOutputStream(out)) {
            for (int i = 0; i < elements; i++) {
                stream.writeObject(source[offset + i]);
            }
        } catch (IOException e) {
            throw new BufferException("an object cannot be serialised: " + e, e);
        }
        return out.toByteArray();
    }

    private void writeObjects(Object[] source, int offset, int elements) throws BufferException {
        byte[] packed = serialised(source, offset, elements);
        beginWrite(Type.OBJECT, elements);
        ensure((long) packed.length + Integer.BYTES);
        bytes.putInt(packed.length).put(packed);
        endWrite();
    }

    private void readObjects(Object[] target, int offset, int elements) throws BufferException {
        beginRead(Type.OBJECT, elements);
        byte[] packed = new byte[bytes.getInt()];
        bytes.get(packed);
        try (ObjectInputStream stream = new ProgramStream(packed)) {
            for (int i = 0; i < elements; i++) {
                target[offset + i] = stream.readObject();
            }
        } catch (IOException | ClassNotFoundException e) {
            throw new BufferException("an object cannot be read: " + e, e);
        }
    }

    /** An object stream whose classes are the program's. */
    private static final class ProgramStream extends ObjectInputStream {
        ProgramStream(byte[] packed) throws IOException {
            super(new ByteArrayInputStream(packed));
            setObjectInputFilter(corunna.object.Gate.open());
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            try {
                return Class.forName(description.getName(), false, Thread.currentThread().getContextClassLoader());
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description);
            }
        }
    }

    // ---- elements ----

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(byte[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.BYTE, elements);
        bytes.put(source, offset, elements);
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(byte[] target, int offset, int elements) throws BufferException {
        beginRead(Type.BYTE, elements);
        bytes.get(target, offset, elements);
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(char[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.CHAR, elements);
        bytes.asCharBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.CHAR.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(char[] target, int offset, int elements) throws BufferException {
        beginRead(Type.CHAR, elements);
        bytes.asCharBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.CHAR.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(short[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.SHORT, elements);
        bytes.asShortBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.SHORT.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(short[] target, int offset, int elements) throws BufferException {
        beginRead(Type.SHORT, elements);
        bytes.asShortBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.SHORT.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(boolean[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.BOOLEAN, elements);
        for (int i = 0; i < elements; i++) {
            bytes.put((byte) (source[offset + i] ? 1 : 0));
        }
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(boolean[] target, int offset, int elements) throws BufferException {
        beginRead(Type.BOOLEAN, elements);
        for (int i = 0; i < elements; i++) {
            target[offset + i] = bytes.get() != 0;
        }
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(int[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.INT, elements);
        bytes.asIntBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.INT.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(int[] target, int offset, int elements) throws BufferException {
        beginRead(Type.INT, elements);
        bytes.asIntBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.INT.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(long[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.LONG, elements);
        bytes.asLongBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.LONG.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(long[] target, int offset, int elements) throws BufferException {
        beginRead(Type.LONG, elements);
        bytes.asLongBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.LONG.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(float[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.FLOAT, elements);
        bytes.asFloatBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.FLOAT.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(float[] target, int offset, int elements) throws BufferException {
        beginRead(Type.FLOAT, elements);
        bytes.asFloatBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.FLOAT.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(double[] source, int offset, int elements) throws BufferException {
        beginWrite(Type.DOUBLE, elements);
        bytes.asDoubleBuffer().put(source, offset, elements);
        bytes.position(bytes.position() + elements * Type.DOUBLE.bytes());
        endWrite();
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(double[] target, int offset, int elements) throws BufferException {
        beginRead(Type.DOUBLE, elements);
        bytes.asDoubleBuffer().get(target, offset, elements);
        bytes.position(bytes.position() + elements * Type.DOUBLE.bytes());
    }

    /**
     * Appends elements of an array to the section.
     *
     * @param source the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void write(Object[] source, int offset, int elements) throws BufferException {
        writeObjects(source, offset, elements);
    }

    /**
     * Takes elements of the section into an array.
     *
     * @param target the array
     * @param offset the first element
     * @param elements how many
     * @throws BufferException if the section is of another type or too short, or the buffer is in the other state
     */
    public void read(Object[] target, int offset, int elements) throws BufferException {
        readObjects(target, offset, elements);
    }
}
