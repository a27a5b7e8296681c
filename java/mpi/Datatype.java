package mpi;

import corunna.engine.Native;
import corunna.engine.Words;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * What the elements of a buffer are. The basic types are the fields of {@link MPI}; in this dialect sizes and extents
 * count elements of the basic type, not bytes.
 */
public class Datatype {
    /** The basic type as the engine calls it, and its bytes as a power of two. */
    private final int kind;
    private final int shift;
    private final Class<?> arrayClass;
    /** Messages of so many bytes in an array travel as a word; -1 if none does. */
    private final int wordBytes;
    private final String name;
    /** How many elements of the basic type make one of this. */
    private final int elements;

    private Datatype(String name, int kind, int shift, Class<?> arrayClass, int elements) {
        this.name = name;
        this.kind = kind;
        this.shift = shift;
        this.arrayClass = arrayClass;
        this.wordBytes = Words.length(kind);
        this.elements = elements;
    }

    static Datatype basic(String name, int kind, int shift, Class<?> arrayClass) {
        return new Datatype(name, kind, shift, arrayClass, 1);
    }

    /**
     * A type of {@code count} elements of another in a row.
     *
     * @param count how many
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the count is negative or too large, or the type is null
     */
    public static Datatype Contiguous(int count, Datatype oldtype) throws MPIException {
        require("Contiguous", oldtype);
        long elements = (long) count * oldtype.elements;
        if (count < 0 || elements > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, "Contiguous: count is " + count + " of " + oldtype.name
                    + "; a type has 0 to " + Integer.MAX_VALUE + " elements");
        }
        return new Datatype("Contiguous(" + count + ", " + oldtype.name + ")", oldtype.kind, oldtype.shift,
                oldtype.arrayClass, (int) elements);
    }

    /**
     * Makes a derived type ready for use. There is nothing to do here.
     *
     * @throws MPIException never
     */
    public void Commit() throws MPIException {
    }

    /**
     * The elements of the basic type in one element of this.
     *
     * @return 1 for a basic type
     * @throws MPIException never
     */
    public int Size() throws MPIException {
        return elements;
    }

    /**
     * The distance from one element to the next, in elements of the basic type.
     *
     * @return 1 for a basic type
     * @throws MPIException never
     */
    public int Extent() throws MPIException {
        return elements;
    }

    /**
     * The lower bound, in elements of the basic type.
     *
     * @return 0
     * @throws MPIException never
     */
    public int Lb() throws MPIException {
        return 0;
    }

    /**
     * The upper bound, in elements of the basic type.
     *
     * @return the same as {@link #Extent}
     * @throws MPIException never
     */
    public int Ub() throws MPIException {
        return elements;
    }

    /** The name, for example {@code MPI.INT}. */
    @Override
    public String toString() {
        return name;
    }

    // ---- how a buffer under this type is handed to the engine ----

    static Datatype require(String call, Datatype type) {
        if (type == null) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype is null");
        }
        return type;
    }

    /** Bytes of {@code count} elements. */
    long bytes(int count) {
        return (long) count * elements << shift;
    }

    /** Whole elements of this type in so many bytes, or UNDEFINED if they do not come out even. */
    int count(long bytes) {
        if (elements == 1 && (bytes & ((1L << shift) - 1)) == 0) {
            return (int) (bytes >> shift);
        }
        long one = bytes(1);
        if (one == 0) {
            return bytes == 0 ? 0 : MPI.UNDEFINED;
        }
        return bytes % one == 0 ? (int) (bytes / one) : MPI.UNDEFINED;
    }

    /** Elements of the basic type in so many bytes, or UNDEFINED. */
    int basicCount(long bytes) {
        return (bytes & ((1L << shift) - 1)) == 0 ? (int) (bytes >> shift) : MPI.UNDEFINED;
    }

    /**
     * Checks the buffer of a call and returns the byte offset at which the data begins in {@link #target}. The common
     * case, an array of the right class, is two comparisons; everything else is looked at in {@link #locateSlowly}.
     */
    long locate(String call, Object buffer, int offset, int count) {
        if (buffer != null && buffer.getClass() == arrayClass) {
            if ((offset | count) < 0 || offset + (long) count * elements > Array.getLength(buffer)) {
                throw outOfBounds(call, offset, count, Array.getLength(buffer));
            }
            return (long) offset << shift;
        }
        return locateSlowly(call, buffer, offset, count);
    }

    /** What the engine shall take hold of: an array, or a direct buffer. */
    Object target(Object buffer) {
        boolean isWrapped = buffer instanceof ByteBuffer && ((ByteBuffer) buffer).hasArray();
        return isWrapped ? ((ByteBuffer) buffer).array() : buffer;
    }

    /** The kind of {@link #target}. */
    int kind(Object buffer) {
        if (buffer instanceof ByteBuffer) {
            return ((ByteBuffer) buffer).hasArray() ? Native.KIND_BYTE : Native.KIND_DIRECT;
        }
        return kind;
    }

    /** Is a message of so many bytes in this buffer a word? */
    boolean isWord(Object buffer, long bytes) {
        return bytes == wordBytes && buffer != null && buffer.getClass() == arrayClass;
    }

    long word(Object buffer, int at) {
        return Words.get(buffer, kind, at);
    }

    int accept(long word, Object buffer, int at) {
        return Words.accept(word, buffer, kind, at);
    }

    private long locateSlowly(String call, Object buffer, int offset, int count) {
        if (buffer == null) {
            if (count != 0) {
                throw new MPIException(ErrorClass.BUFFER, call + ": the buffer is null, but count is " + count);
            }
            return 0;
        }
        if (!(buffer instanceof ByteBuffer)) {
            throw new MPIException(ErrorClass.TYPE, call + ": the buffer is a " + buffer.getClass().getSimpleName()
                    + ", but the datatype " + name + " needs a " + arrayClass.getSimpleName() + " or a ByteBuffer");
        }
        ByteBuffer bytes = (ByteBuffer) buffer;
        if ((offset | count) < 0 || (offset + (long) count * elements) << shift > bytes.capacity()) {
            throw outOfBounds(call, offset, count, bytes.capacity() >> shift);
        }
        if (bytes.isReadOnly()) {
            throw new MPIException(ErrorClass.BUFFER, call + ": the ByteBuffer is read-only");
        }
        return ((long) offset << shift) + (bytes.hasArray() ? bytes.arrayOffset() : 0);
    }

    private MPIException outOfBounds(String call, int offset, int count, int length) {
        if (count < 0) {
            return new MPIException(ErrorClass.COUNT, call + ": count is " + count + "; it cannot be negative");
        }
        if (offset < 0) {
            return new MPIException(ErrorClass.ARG, call + ": offset is " + offset + "; it cannot be negative");
        }
        return new MPIException(ErrorClass.BUFFER, call + ": offset " + offset + " and count " + count + " of " + name
                + " reach to element " + (offset + (long) count * elements) + ", but the buffer has " + length);
    }
}
