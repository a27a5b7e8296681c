// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * Datatypes by the names of the Open MPI Java bindings; they are methods of {@link Datatype}. Sizes, bounds and the
 * displacements of {@link #createHVector}, {@link #createHIndexed} and {@link #createStruct} count bytes.
 */
abstract class DatatypeCalls implements Freeable, Cloneable {
    private Attributes attributes;

    DatatypeCalls() {
    }

    private Datatype type() {
        return (Datatype) this;
    }

    // ---- derived types ----

    /**
     * A type of elements of another in a row.
     *
     * @param count how many
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createContiguous(int count, Datatype oldtype) throws MPIException {
        return Datatype.Contiguous(count, oldtype);
    }

    /**
     * A type of blocks with a distance from one to the next, in extents of the old type.
     *
     * @param count how many
     * @param blocklength elements in each block
     * @param stride from the beginning of a block to the next
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createVector(int count, int blocklength, int stride, Datatype oldtype) throws MPIException {
        return Datatype.Vector(count, blocklength, stride, oldtype);
    }

    /**
     * As {@link #createVector}, but the distance counts bytes.
     *
     * @param count how many
     * @param blocklength elements in each block
     * @param stride from the beginning of a block to the next
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createHVector(int count, int blocklength, int stride, Datatype oldtype)
            throws MPIException {
        int shift = Datatype.require("createHVector", oldtype).shift();
        if (isMultiple(stride, shift)) {
            return Datatype.Hvector(count, blocklength, stride >> shift, oldtype);
        }
        String name = "createHVector(" + count + ", " + blocklength + ", " + stride + ", " + oldtype + ")";
        return Datatype.ofBytes(name, Layouts.bytesVector(name, count, blocklength, stride, oldtype));
    }

    /**
     * A type of blocks at any places, in extents of the old type.
     *
     * @param blocklengths elements in each block
     * @param displacements where each block begins
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createIndexed(int[] blocklengths, int[] displacements, Datatype oldtype)
            throws MPIException {
        return Datatype.Indexed(blocklengths, displacements, oldtype);
    }

    /**
     * As {@link #createIndexed}, but displacements count bytes.
     *
     * @param blocklengths elements in each block
     * @param displacements where each block begins
     * @param oldtype of what
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createHIndexed(int[] blocklengths, int[] displacements, Datatype oldtype)
            throws MPIException {
        int shift = Datatype.require("createHIndexed", oldtype).shift();
        boolean areMultiples = true;
        int[] elements = displacements == null ? null : displacements.clone();
        for (int i = 0; elements != null && i < elements.length; i++) {
            areMultiples &= isMultiple(elements[i], shift);
            elements[i] >>= shift;
        }
        if (areMultiples) {
            return Datatype.Hindexed(blocklengths, elements, oldtype);
        }
        Datatype[] types = new Datatype[displacements.length];
        java.util.Arrays.fill(types, oldtype);
        String name = "createHIndexed(" + oldtype + ")";
        return Datatype.ofBytes(name, Layouts.bytesStruct(name, blocklengths, displacements, types));
    }

    /**
     * A type of blocks of several types, whose basic types may differ. Its buffers are of bytes. {@link MPI#LB} and
     * {@link MPI#UB} among the types say where the new type begins and ends, wherever its data lie.
     *
     * @param blocklengths elements in each block
     * @param displacements where each block begins
     * @param types of what each block is
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createStruct(int[] blocklengths, int[] displacements, Datatype[] types)
            throws MPIException {
        if (types == null || blocklengths != null && types.length != blocklengths.length) {
            throw new MPIException(ErrorClass.ARG, "createStruct: there are "
                    + (blocklengths == null ? "no" : "" + blocklengths.length) + " blocklengths, but "
                    + (types == null ? "the array of types is null" : types.length + " types"));
        }
        for (Datatype each : types) {
            boolean isBound = each != null && each.isBound();
            if (!isBound && Datatype.require("createStruct", each).isObject()) {
                throw new MPIException(ErrorClass.TYPE, "createStruct: " + each + " is not a type of bytes");
            }
        }
        String name = "createStruct(" + java.util.Arrays.toString(types) + ")";
        return Datatype.ofBytes(name, Layouts.bytesStruct(name, blocklengths, displacements, types));
    }

    /**
     * The same type with other bounds, in bytes.
     *
     * @param oldtype of what
     * @param lb the lower bound
     * @param extent from one element to the next
     * @return the new type
     * @throws MPIException if the call fails
     */
    public static Datatype createResized(Datatype oldtype, int lb, int extent) throws MPIException {
        int shift = Datatype.require("createResized", oldtype).shift();
        String name = "createResized(" + oldtype + ", " + lb + ", " + extent + ")";
        if (oldtype.isObject()) {
            throw new MPIException(ErrorClass.TYPE, "createResized: " + oldtype + " is not a type of bytes");
        }
        if (isMultiple(lb, shift) && isMultiple(extent, shift)) {
            return oldtype.resized(name, lb >> shift, (lb >> shift) + (extent >> shift));
        }
        return Datatype.ofBytes(name, Layouts.bytesResized(name, oldtype, lb, extent));
    }

    private static boolean isMultiple(int bytes, int shift) {
        return (bytes & ((1 << shift) - 1)) == 0;
    }

    /**
     * Makes a derived type ready for use. It is ready without it; the call is kept for the programs that have it.
     *
     * @throws MPIException if the call fails
     */
    public void commit() throws MPIException {
        type().Commit();
    }

    /**
     * The same type, to be freed on its own.
     *
     * @return the new type
     * @throws MPIException if the call fails
     */
    public Datatype dup() throws MPIException {
        Datatype.require("dup", type());
        Datatype dup = type().duplicate();
        if (attributes != null) {
            ((DatatypeCalls) dup).attributes = new Attributes();
            attributes.copyTo(((DatatypeCalls) dup).attributes);
        }
        return dup;
    }

    /**
     * The same type, to be freed on its own.
     *
     * @return the new type
     */
    @Override
    public Datatype clone() {
        return dup();
    }

    // ---- what a type is like ----

    /**
     * The bytes of data in one element.
     *
     * @return the bytes
     * @throws MPIException if the call fails
     */
    public int getSize() throws MPIException {
        return (int) type().bytes(1);
    }

    /**
     * The distance from one element to the next.
     *
     * @return bytes
     * @throws MPIException if the call fails
     */
    public int getExtent() throws MPIException {
        return type().Extent() << type().shift();
    }

    /**
     * The lower bound.
     *
     * @return bytes
     * @throws MPIException if the call fails
     */
    public int getLb() throws MPIException {
        return type().Lb() << type().shift();
    }

    /**
     * Where the data begin, whatever the bounds are.
     *
     * @return bytes
     * @throws MPIException if the call fails
     */
    public int getTrueLb() throws MPIException {
        return (int) type().low(1) << type().shift();
    }

    /**
     * The distance from the first byte of data to the last, whatever the bounds are.
     *
     * @return bytes
     * @throws MPIException if the call fails
     */
    public int getTrueExtent() throws MPIException {
        return (int) (type().high(1) - type().low(1)) << type().shift();
    }

    /**
     * Is this the null datatype?
     *
     * @return true also of a derived type that was freed
     */
    public boolean isNull() {
        return type().isNone();
    }

    /**
     * The type's name.
     *
     * @return for example {@code MPI.INT}
     * @throws MPIException if the call fails
     */
    public String getName() throws MPIException {
        return type().Get_name();
    }

    /**
     * Names the type.
     *
     * @param name the name
     * @throws MPIException if the call fails
     */
    public void setName(String name) throws MPIException {
        type().Set_name(name);
    }

    // ---- attributes ----

    /**
     * A key for attributes. Where a type has a value for it, its dups have it too.
     *
     * @return the key
     * @throws MPIException if the call fails
     */
    public static int createKeyval() throws MPIException {
        return Keyval.createNumber();
    }

    /**
     * Frees a key: it cannot be used any more.
     *
     * @param keyval the key
     * @throws MPIException if the call fails
     */
    public static void freeKeyval(int keyval) throws MPIException {
        Keyval.freeNumber("freeKeyval", keyval);
    }

    /**
     * Sets an attribute of the type.
     *
     * @param keyval the key
     * @param value the value
     * @throws MPIException if the call fails
     */
    public void setAttr(int keyval, Object value) throws MPIException {
        attributes = attributes == null ? new Attributes() : attributes;
        attributes.set("setAttr", Keyval.requireNumber("setAttr", keyval), value);
    }

    /**
     * An attribute that was set.
     *
     * @param keyval the key
     * @return the value, null if there is none
     * @throws MPIException if the call fails
     */
    public Object getAttr(int keyval) throws MPIException {
        Keyval.requireNumber("getAttr", keyval);
        return attributes == null || Keyval.isPredefined(keyval) ? null : attributes.get(keyval, null);
    }

    /**
     * Deletes an attribute.
     *
     * @param keyval the key
     * @throws MPIException if the call fails
     */
    public void deleteAttr(int keyval) throws MPIException {
        Keyval.requireNumber("deleteAttr", keyval);
        if (attributes != null) {
            attributes.delete("deleteAttr", keyval);
        }
    }
}
