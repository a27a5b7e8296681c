// SPDX-License-Identifier: Apache-2.0
package table;

/** A way to declare a method of a row: by which dialect, and what an array or buffer is declared as. */
enum Form {
    /** mpiJava: a buffer has an offset. */
    MPIJAVA("Object", true, "public"),
    /** The Open MPI Java bindings: an array or a buffer without an offset. */
    OPEN("Object", false, "public final"),
    /** The same, and a buffer is declared as one. */
    OPEN_BUFFER("Buffer", false, "public final");

    final String bufferType;
    final boolean hasOffsets;
    final String modifiers;

    Form(String bufferType, boolean hasOffsets, String modifiers) {
        this.bufferType = bufferType;
        this.hasOffsets = hasOffsets;
        this.modifiers = modifiers;
    }

    boolean has(Parameter parameter) {
        return hasOffsets || !parameter.type.equals(Kinds.OFFSET);
    }

    String type(Parameter parameter) {
        switch (parameter.type) {
        case Kinds.BUFFER:
            return bufferType;
        case Kinds.OFFSET:
            return "int";
        default:
            return parameter.type;
        }
    }
}
