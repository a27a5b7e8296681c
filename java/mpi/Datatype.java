// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import corunna.object.Decoder;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * What the elements of a buffer are. The basic types are the fields of {@link MPI}; in this dialect sizes, extents and
 * displacements count elements of the basic type, not bytes. All parts of a derived type have the same basic type.
 *
 * <p>A derived type can be used as soon as it is made; {@link #Commit} may be called but need not.
 */
public class Datatype extends DatatypeCalls {
    /** The basic type as the engine calls it, and its bytes as a power of two. */
    private final int kind;
    private final int shift;
    private final Class<?> arrayClass;
    /** What reductions know the elements by: the kind, unless they are complex numbers or of two types. */
    private final int reduceKind;
    /** What messages of it say that they are of, as {@link Native#CLASS_SHIFT} tells. */
    private final int typeClass;
    private String name;
    /** How many elements of the basic type make one of this. */
    private final int elements;
    /** How they lie; null for elements in a row. */
    private final Layout layout;
    /**
     * Are elements of a basic type in a row in an array or buffer, so that the shortest ways can be gone? Not if they
     * are packed, because then they may be in a {@link mpjbuf.Buffer}, nor once freed.
     */
    boolean isPlain;
    /** The program has made it, and may free it. */
    private boolean isOwn;
    private boolean isFreed;
    /** Null until one is set. */
    private Attributes attributes;

    /** The number of the basic type; programs written for MPJ Express look at it. */
    public int baseType;

    private Datatype(String name, int baseType, int kind, int shift, Class<?> arrayClass, int elements,
            Layout layout) {
        this(name, baseType, kind, shift, arrayClass, elements, layout, kind);
    }

    private Datatype(String name, int baseType, int kind, int shift, Class<?> arrayClass, int elements,
            Layout layout, int reduceKind) {
        this.name = name;
        this.baseType = baseType;
        this.kind = kind;
        this.shift = shift;
        this.arrayClass = arrayClass;
        this.layout = layout;
        this.reduceKind = reduceKind;
        this.isPlain = kind >= 0 && layout == null && arrayClass != null && baseType != PACKED_TYPE
                && reduceKind == kind;
        this.typeClass = (kind == OBJECT_KIND ? Native.CLASS_OBJECT : Math.max(0, kind)) << Native.CLASS_SHIFT;
        this.elements = elements;
    }

    /** The null datatype, as {@link MPI#NULL}: no buffer is of it. */
    public Datatype() {
        this("MPI.NULL", 0, NO_KIND, 0, null, 1, null);
    }

    /** The kinds of what the engine does not know. */
    private static final int OBJECT_KIND = -1;
    private static final int NO_KIND = -2;
    /** The number of a bound that is no type. */
    private static final int NO_TYPE = -1;
    private static final int BYTE_TYPE = 1;
    private static final int PACKED_TYPE = 9;

    /** What a {@link #Struct} without elements is made of: it goes with every buffer, and with every basic type. */
    static final Datatype NOTHING = new Datatype("nothing", NO_TYPE, Native.KIND_BYTE, 0, null, 0, null);

    static Datatype basic(String name, int baseType, int kind, int shift, Class<?> arrayClass) {
        return new Datatype(name, baseType, kind, shift, arrayClass, 1, null);
    }

    static Datatype packed(String name) {
        return new Datatype(name, PACKED_TYPE, Native.KIND_BYTE, 0, byte[].class, 1, null);
    }

    static Datatype object(String name, int baseType) {
        return new Datatype(name, baseType, OBJECT_KIND, 0, Object[].class, 1, null);
    }

    /** Two elements of this basic type in a row. */
    Datatype pair() {
        return new Datatype(name + "2", baseType, kind, shift, arrayClass, 2, null);
    }

    /** Complex numbers: two reals in a row each. */
    static Datatype complex(String name, boolean isDouble) {
        return isDouble
                ? new Datatype(name, 8, Native.KIND_DOUBLE, 3, double[].class, 2, null, Native.REDUCE_DOUBLE_COMPLEX)
                : new Datatype(name, 7, Native.KIND_FLOAT, 2, float[].class, 2, null, Native.REDUCE_FLOAT_COMPLEX);
    }

    /** A value and the int behind it, in bytes. */
    static Datatype valueAndPlace(String name, int valueBytes, int reduceKind) {
        Layout layout = Layout.ofValueAndPlace(valueBytes, reduceKind);
        boolean isRow = layout.size == layout.ub;
        return new Datatype(name, BYTE_TYPE, Native.KIND_BYTE, 0, byte[].class, layout.size, isRow ? null : layout,
                reduceKind);
    }

    /** Elements of any types, in bytes. */
    static Datatype ofBytes(String name, Layout layout) {
        return own(new Datatype(name, BYTE_TYPE, Native.KIND_BYTE, 0, byte[].class, layout.size, layout));
    }

    private static Datatype own(Datatype made) {
        made.isOwn = true;
        return made;
    }

    /** The same elements with other bounds, in elements of the basic type. */
    Datatype resized(String newName, int newLb, int newUb) {
        return own(new Datatype(newName, baseType, kind, shift, arrayClass, elements,
                Layouts.resized(newName, this, newLb, newUb), reduceKind));
    }

    /** The same type once more, to be freed on its own. */
    Datatype duplicate() {
        if (layout == null || isObject()) {
            return own(new Datatype(name, baseType, kind, shift, arrayClass, elements, layout, reduceKind));
        }
        return resized(name, layout.lb, layout.ub);
    }

    /** The same, with the attributes. */
    final Datatype dupOf(String call) {
        Datatype dup = require(call, this).duplicate();
        if (attributes != null) {
            dup.attributes = new Attributes();
            attributes.copyTo(dup.attributes);
        }
        return dup;
    }

    final void setAttribute(String call, int keyval, Object value) {
        attributes = attributes == null ? new Attributes() : attributes;
        attributes.set(call, Keyval.requireNumber(call, keyval), value);
    }

    final Object attribute(String call, int keyval) {
        Keyval.requireNumber(call, keyval);
        return attributes == null || Keyval.isPredefined(keyval) ? null : attributes.get(keyval, null);
    }

    final void deleteAttribute(String call, int keyval) {
        Keyval.requireNumber(call, keyval);
        if (attributes != null) {
            attributes.delete(call, keyval);
        }
    }

    /** A mark for {@link #Struct}: the lower or the upper bound. */
    static Datatype bound(String name) {
        return new Datatype(name, NO_TYPE, NO_KIND, 0, null, 0, null);
    }

    private Datatype derived(String newName, Layout newLayout) {
        return own(new Datatype(newName, baseType, kind, shift, arrayClass, newLayout.size, newLayout.isRow(kind)
                ? null : newLayout));
    }

    // ---- derived types ----

    /**
     * A type of {@code count} elements of another in a row.
     *
     * @param count how many
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the count is negative or too large, or the type is null
     */
    public static Datatype Contiguous(int count, Datatype oldtype) throws MPIException {
        part("Contiguous", oldtype);
        String described = "Contiguous(" + count + ", " + oldtype.name + ")";
        return oldtype.derived(described, Layouts.contiguous(described, count, oldtype));
    }

    /**
     * A type of blocks with a distance from one to the next.
     *
     * @param count how many blocks
     * @param blocklength elements of {@code oldtype} in each
     * @param stride from the beginning of a block to the next, in extents of {@code oldtype}
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if a count is negative, the type is null, or the result too large
     */
    public static Datatype Vector(int count, int blocklength, int stride, Datatype oldtype) throws MPIException {
        part("Vector", oldtype);
        String described = "Vector(" + count + ", " + blocklength + ", " + stride + ", " + oldtype.name + ")";
        long distance = (long) stride * oldtype.Extent();
        return oldtype.derived(described, Layouts.vector(described, count, blocklength, distance, oldtype));
    }

    /**
     * As {@link #Vector}, but the distance counts elements of the basic type.
     *
     * @param count how many blocks
     * @param blocklength elements of {@code oldtype} in each
     * @param stride from the beginning of a block to the next, in elements of the basic type
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if a count is negative, the type is null, or the result too large
     */
    public static Datatype Hvector(int count, int blocklength, int stride, Datatype oldtype) throws MPIException {
        part("Hvector", oldtype);
        String described = "Hvector(" + count + ", " + blocklength + ", " + stride + ", " + oldtype.name + ")";
        return oldtype.derived(described, Layouts.vector(described, count, blocklength, stride, oldtype));
    }

    /**
     * A type of blocks at any places.
     *
     * @param blocklengths elements of {@code oldtype} in each block
     * @param displacements where each block begins, in extents of {@code oldtype}
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the arrays are null or of different length, a length is negative, the type is null, or
     *     the result too large
     */
    public static Datatype Indexed(int[] blocklengths, int[] displacements, Datatype oldtype) throws MPIException {
        part("Indexed", oldtype);
        String described = "Indexed(" + oldtype.name + ")";
        return oldtype.derived(described,
                Layouts.indexed(described, blocklengths, displacements, oldtype.Extent(), oldtype));
    }

    /**
     * As {@link #Indexed}, but displacements count elements of the basic type.
     *
     * @param blocklengths elements of {@code oldtype} in each block
     * @param displacements where each block begins, in elements of the basic type
     * @param oldtype of what
     * @return the new type
     * @throws MPIException as {@link #Indexed}
     */
    public static Datatype Hindexed(int[] blocklengths, int[] displacements, Datatype oldtype) throws MPIException {
        part("Hindexed", oldtype);
        String described = "Hindexed(" + oldtype.name + ")";
        return oldtype.derived(described, Layouts.indexed(described, blocklengths, displacements, 1, oldtype));
    }

    /**
     * A type of blocks of several types, all of the same basic type. {@link MPI#LB} and {@link MPI#UB} among them say
     * where the new type begins and ends, wherever its elements lie. Without a block of anything else the new type has
     * size 0, and any buffer is one of it.
     *
     * @param blocklengths elements in each block
     * @param displacements where each block begins, in elements of the basic type
     * @param oldtypes of what each block is
     * @return the new type
     * @throws MPIException if the arrays are null or of different length, a length is negative, the types have
     *     different basic types, or the result is too large
     */
    public static Datatype Struct(int[] blocklengths, int[] displacements, Datatype[] oldtypes) throws MPIException {
        Datatype basic = Layouts.basicOf(blocklengths, displacements, oldtypes);
        return basic.derived("Struct(" + basic.basicName() + ")",
                Layouts.struct(blocklengths, displacements, oldtypes, basic));
    }

    /**
     * Makes a derived type ready for use. It is ready without it; the call is kept for the programs that have it.
     *
     * @throws MPIException if the type has been freed
     */
    public void Commit() throws MPIException {
        require("Commit", this);
    }

    /** Frees the type, as {@link #free}; the garbage collector does it else. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() throws MPIException {
        free();
    }

    /** Frees the type: it cannot be used any more. Messages under way are not disturbed. Predefined types stay. */
    @Override
    public void free() {
        if (!isOwn) {
            return;
        }
        isFreed = true;
        isPlain = false;
        if (layout != null) {
            layout.free();
        }
    }

    // ---- what a type is like ----

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
        return layout == null ? elements : layout.ub - layout.lb;
    }

    /**
     * The lower bound, in elements of the basic type.
     *
     * @return 0 for a basic type
     * @throws MPIException never
     */
    public int Lb() throws MPIException {
        return layout == null ? 0 : layout.lb;
    }

    /**
     * The upper bound, in elements of the basic type.
     *
     * @return 1 for a basic type
     * @throws MPIException never
     */
    public int Ub() throws MPIException {
        return layout == null ? elements : layout.ub;
    }

    /**
     * The bytes of data in one element.
     *
     * @return the bytes; 0 if the elements are objects or packed data
     */
    public int getByteSize() {
        return kind < 0 || this == MPI.PACKED ? 0 : elements << shift;
    }

    /**
     * The number of the basic type.
     *
     * @return as {@link #baseType}
     */
    public int getType() {
        return baseType;
    }

    /**
     * The type's name.
     *
     * @return for example {@code MPI.INT}
     * @throws MPIException never
     */
    public String Get_name() throws MPIException {
        return name;
    }

    /**
     * Names the type.
     *
     * @param newName the name
     * @throws MPIException if the name is null
     */
    public void Set_name(String newName) throws MPIException {
        if (newName == null) {
            throw new MPIException(ErrorClass.ARG, "Set_name: the name is null");
        }
        name = newName;
    }

    /** The name, for example {@code MPI.INT}. */
    @Override
    public String toString() {
        return name;
    }

    boolean isObject() {
        return kind == OBJECT_KIND;
    }

    /** Is it {@link MPI#LB} or {@link MPI#UB}? */
    boolean isBound() {
        return kind == NO_KIND && baseType == NO_TYPE;
    }

    /** The layout; null for elements in a row. */
    Layout layout() {
        return layout;
    }

    int shift() {
        return shift;
    }

    int basicKind() {
        return kind;
    }

    int reduceKind() {
        return reduceKind;
    }

    /** Is it a value and an int behind it, one of the predefined ones? */
    boolean isPair() {
        return reduceKind >= Native.REDUCE_SHORT_INT;
    }

    /** Has the program made it? */
    boolean isDerived() {
        return isOwn;
    }

    /** Is it the null datatype, or freed? */
    boolean isNone() {
        return kind == NO_KIND || isFreed;
    }

    /** Does it have no basic type, as what is made of {@link #NOTHING}? */
    boolean isNothing() {
        return arrayClass == null && kind >= 0;
    }

    /** What the elements of the basic type are called. */
    private String basicName() {
        return isNothing() ? "" : isObject() ? "MPI.OBJECT" : arrayClass.getComponentType().getSimpleName();
    }

    // ---- how a buffer under this type is handed to the engine ----

    static Datatype require(String call, Datatype type) {
        if (type == null) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype is null");
        }
        if (!type.isPlain) {
            type.requireUsable(call);
        }
        return type;
    }

    private void requireUsable(String call) {
        if (kind == NO_KIND) {
            throw new MPIException(ErrorClass.TYPE, call + ": no buffer is of the datatype " + name);
        }
        if (isFreed) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype " + name + " has been freed");
        }
    }

    /** A type that another shall be made of. */
    private static void part(String call, Datatype type) {
        require(call, type);
    }

    /** Bytes of {@code count} elements. */
    long bytes(int count) {
        return (long) count * elements << shift;
    }

    /** Whole elements of this type in so many bytes, or UNDEFINED if they do not come out even or do not fit an int. */
    int count(long bytes) {
        if (elements == 1 && kind >= 0 && (bytes & ((1L << shift) - 1)) == 0) {
            return toInt(bytes >> shift);
        }
        long basics = basics(bytes);
        if (elements == 0 || basics < 0) {
            return basics == 0 ? 0 : MPI.UNDEFINED;
        }
        return basics % elements == 0 ? toInt(basics / elements) : MPI.UNDEFINED;
    }

    /** Elements of the basic type in so many bytes, or UNDEFINED. */
    int basicCount(long bytes) {
        return toInt(basics(bytes));
    }

    /** The same where an int may not be able to say it. */
    long basics(long bytes) {
        if (kind < 0) {
            return bytes == 0 ? 0 : Decoder.count(bytes);
        }
        return (bytes & ((1L << shift) - 1)) == 0 ? bytes >> shift : MPI.UNDEFINED;
    }

    private static int toInt(long number) {
        return number == (int) number ? (int) number : MPI.UNDEFINED;
    }

    /**
     * Checks the buffer of a call and returns the byte offset at which the data begins in {@link #target}. The common
     * case, an array of the right class, is two comparisons; everything else is looked at in {@link #locateSlowly}.
     */
    long locate(String call, Object buffer, int offset, int count) {
        if (buffer != null && buffer.getClass() == arrayClass) {
            if ((offset | count) < 0 || offset + (long) count * elements > Array.getLength(buffer)) {
                throw outOfBounds(call, buffer, offset, count);
            }
            return (long) offset << shift;
        }
        return locateSlowly(call, buffer, offset, count);
    }

    /** What the engine shall take hold of: an array, or a direct buffer. */
    Object target(Object buffer) {
        if (buffer instanceof ArrayBytes) {
            return ((ArrayBytes) buffer).array;
        }
        boolean isWrapped = buffer instanceof Buffer && ((Buffer) buffer).hasArray();
        return isWrapped ? ((Buffer) buffer).array() : buffer;
    }

    /** The kind of {@link #target}. */
    int kind(Object buffer) {
        if (buffer instanceof ArrayBytes) {
            return isArray(((ArrayBytes) buffer).array) ? kind : Native.KIND_ANY_ARRAY; // of bytes both, or of others
        }
        if (buffer instanceof Buffer) {
            return ((Buffer) buffer).hasArray() ? Native.KIND_BYTE : Native.KIND_DIRECT;
        }
        return kind;
    }

    /** The same with what its elements are, for messages. */
    int messageKind(Object buffer) {
        return kind(buffer) | typeClass;
    }

    int typeClass() {
        return typeClass;
    }

    /** A function of the program's own works on a derived type's elements where they are, in an array of the type's. */
    void checkElements(String call, Object buffer) {
        if (buffer instanceof ArrayBytes) {
            throw wrongBuffer(call, buffer);
        }
    }

    /** Is it a buffer of sections, which goes as a whole? */
    boolean isSections(Object buffer) {
        return this == MPI.PACKED && buffer instanceof mpjbuf.Buffer;
    }

    /** Collective calls and packing take no buffers of sections. */
    void checkNoSections(String call, Object buffer) {
        if (isSections(buffer)) {
            throw wrongBuffer(call, buffer);
        }
    }

    /** Is it an array of the basic type, not a {@code ByteBuffer}? */
    boolean isArray(Object buffer) {
        return buffer != null && buffer.getClass() == arrayClass;
    }

    /** Is it an array of another primitive type, whose bytes may be of this datatype? */
    boolean isForeign(Object buffer) {
        return buffer != null && kind >= 0 && arrayClass != null && buffer.getClass() != arrayClass
                && buffer.getClass().isArray() && buffer.getClass().getComponentType().isPrimitive();
    }

    private long locateSlowly(String call, Object buffer, int offset, int count) {
        if (buffer == null) {
            if (count != 0) {
                throw new MPIException(ErrorClass.BUFFER, call + ": the buffer is null, but count is " + count);
            }
            return 0;
        }
        checkBuffer(call, buffer, offset, count);
        return ((long) offset << shift) + Views.base(buffer);
    }

    /** A buffer that the engine can take hold of, and write to. */
    private Buffer memory(String call, Object buffer) {
        if (!(buffer instanceof Buffer)) {
            throw wrongBuffer(call, buffer);
        }
        Buffer memory = (Buffer) buffer;
        if (memory.isReadOnly()) {
            throw new MPIException(ErrorClass.BUFFER, call + ": the " + Views.name(memory) + " is read-only");
        }
        if (!memory.isDirect() && !(memory instanceof ByteBuffer)) {
            throw wrongBuffer(call, buffer);
        }
        return memory;
    }

    private MPIException wrongBuffer(String call, Object buffer) {
        return new MPIException(ErrorClass.TYPE, call + ": the buffer is " + a(Views.nameOf(buffer))
                + ", but the datatype " + name + " needs "
                + (isObject() ? "an array of objects" : isNothing() ? "an array or a ByteBuffer"
                        : a(arrayClass.getSimpleName()) + " or a ByteBuffer"));
    }

    /** With its article. */
    static String a(String noun) {
        return ("AEIOUaeiou".indexOf(noun.charAt(0)) < 0 ? "a " : "an ") + noun;
    }

    /** Checks a buffer under a type that is not plain. */
    void checkBuffer(String call, Object buffer, int offset, int count) {
        int length = length(call, buffer, count);
        if ((offset | count) < 0 || offset + low(count) < -before(buffer) || offset + high(count) > length) {
            throw outOfBounds(call, buffer, offset, count);
        }
    }

    /** How many elements of the basic type a buffer has, which must be one for this type. */
    int length(String call, Object buffer, int count) {
        if (buffer == null) {
            if (count != 0) {
                throw new MPIException(ErrorClass.BUFFER, call + ": the buffer is null, but count is " + count);
            }
            return 0;
        }
        if (Views.isInBytes(buffer) && !isObject()) {
            return (int) Math.min(room(call, buffer) >> shift, Integer.MAX_VALUE);
        }
        if (isSections(buffer)) {
            return Integer.MAX_VALUE; // it goes as it is
        }
        if (isObject() ? buffer instanceof Object[] : isNothing() ? buffer.getClass().isArray()
                : buffer.getClass() == arrayClass) {
            return Array.getLength(buffer);
        }
        throw wrongBuffer(call, buffer);
    }

    /** The bytes of what is not an array of the basic type. */
    private long room(String call, Object buffer) {
        return buffer instanceof ArrayBytes ? ((ArrayBytes) buffer).end - ((ArrayBytes) buffer).begin
                : Views.bytes(memory(call, buffer));
    }

    /** How many elements of the basic type a buffer has before it begins: those of the array that it is a part of. */
    long before(Object buffer) {
        return buffer instanceof ArrayBytes ? ((ArrayBytes) buffer).begin >> shift : 0;
    }

    /** Where the data of so many elements begin, seen from where the first is said to be. */
    long low(int count) {
        if (layout == null || count == 0 || elements == 0) {
            return 0;
        }
        return layout.trueLb + Math.min(0, (long) (count - 1) * Extent());
    }

    /** The same for the place behind their end. */
    long high(int count) {
        if (count == 0 || elements == 0) {
            return 0;
        }
        return (layout == null ? elements : layout.trueUb) + Math.max(0, (long) (count - 1) * Extent());
    }

    private MPIException outOfBounds(String call, Object buffer, int offset, int count) {
        if (count < 0) {
            return new MPIException(ErrorClass.COUNT, call + ": count is " + count + "; it cannot be negative");
        }
        if (offset < 0) {
            return new MPIException(ErrorClass.ARG, call + ": offset is " + offset + "; it cannot be negative");
        }
        String what = "offset " + offset + " and count " + count;
        return outOfBounds(call, what, buffer, offset + low(count), offset + high(count), length(call, buffer, count));
    }

    /** The data that {@code what} tells of lie from element {@code low} to {@code high}, and not all in the buffer. */
    MPIException outOfBounds(String call, String what, Object buffer, long low, long high, int length) {
        String reach = call + ": " + what + " of " + name + " reach to ";
        boolean isBefore = low < -before(buffer);
        if (buffer instanceof ArrayBytes) {
            ArrayBytes bytes = (ArrayBytes) buffer;
            long place = bytes.begin + ((isBefore ? low : high) << shift);
            return new MPIException(ErrorClass.BUFFER, reach + "byte " + place + (isBefore
                    ? ", before the " + bytes + " begins" : ", but the " + bytes + " has " + bytes.end + " bytes"));
        }
        return new MPIException(ErrorClass.BUFFER, reach + "element " + (isBefore ? low + ", before the buffer begins"
                : high + ", but the buffer has " + length));
    }
}
