// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** One side of a call, as the program passes it: so many elements of a datatype, from an offset of a buffer on. */
final class Side {
    /** What a rank does not have, whose arguments do not count. */
    static final Side NONE = new Side(null, 0, 0, null);

    final Object buffer;
    final int offset;
    final int count;
    final Datatype type;

    Side(Object buffer, int offset, int count, Datatype type) {
        this.buffer = buffer;
        this.offset = offset;
        this.count = count;
        this.type = type;
    }

    /** This one, if it counts; then its datatype must not be null. */
    Side given(String call, boolean isThere) {
        if (!isThere) {
            return NONE;
        }
        Datatype.require(call, type);
        return this;
    }

    /** With a block of as many elements for each of so many ranks. */
    Side times(String call, int ranks) {
        if (type == null) {
            return this;
        }
        long all = (long) count * ranks;
        if (all > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, call + ": " + count + " elements for each of " + ranks
                    + " ranks are too many");
        }
        return new Side(buffer, offset, count < 0 ? count : (int) all, type);
    }

    /** Checks buffer, bounds and count. */
    void check(String call) {
        type.checkBuffer(call, buffer, offset, count);
    }

    boolean isPlain() {
        return type == null || type.isPlain;
    }

    boolean isObject() {
        return type != null && type.isObject();
    }

    // ---- of a side that is plain ----

    /** Checks the bounds; returns where in the buffer it begins, in bytes. */
    long locate(String call) {
        return type == null ? 0 : type.locate(call, buffer, offset, count);
    }

    long bytes() {
        return type == null ? 0 : type.bytes(count);
    }

    /** What native code is given. */
    Object target() {
        return type == null ? null : type.target(buffer);
    }

    int kind() {
        return type == null ? 0 : type.kind(buffer);
    }

    /** The kind, and the class of the elements. */
    int messageKind() {
        return type.messageKind(buffer);
    }

    /** The kind of the elements; of nothing any will do. */
    int basicKind() {
        return type == null ? Native.KIND_BYTE : type.basicKind();
    }

    /** Can it be copied through a {@link Stage}, however long it is? */
    boolean suitsStage() {
        return type == null || type.isArray(buffer) && type.basicKind() != Native.KIND_BOOLEAN;
    }

    /** Is it also short enough for one? */
    boolean fitsStage() {
        return bytes() <= Stage.BYTES && suitsStage();
    }
}
