// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** One side of a collective call with a part for each rank, as {@link Native#collectParts} takes it. */
final class Parts {
    /** The side that a rank does not have. */
    private static final Parts NONE = new Parts(null, 0, 0, null, MPI.BYTE);

    final Object target;
    /** Bytes of an element, or a datatype's handle. */
    final long unit;
    final int kind;
    /** Where each part begins, and its elements. */
    final long[] parts;
    final Datatype type;

    private Parts(Object target, long unit, int kind, long[] parts, Datatype type) {
        this.target = target;
        this.unit = unit;
        this.kind = kind;
        this.parts = parts;
        this.type = type;
    }

    /** In one piece: the elements of a datatype, or else all bytes as one element. */
    private Parts(Cargo cargo, Datatype type) {
        this(cargo.target, cargo.bytes, cargo.kind, (cargo.kind & Native.KIND_TYPED) == 0 ? new long[] {cargo.at, 1}
                : new long[] {cargo.at >> Integer.SIZE, (int) cargo.at}, type);
    }

    /** What is sent or received in one piece; a datatype that is null: nothing. */
    static Cargo cargo(Endpoint endpoint, String call, boolean isOut, Side side) {
        if (side.type == null) {
            return Cargo.out(call, endpoint, new Side(null, 0, 0, MPI.BYTE));
        }
        side.type.checkNoSections(call, side.buffer);
        if (isOut) {
            return Cargo.out(call, endpoint, side);
        }
        Cargo cargo = Cargo.in(call, endpoint, side);
        Cargo.checkApart(call, side.count, side.type);
        return cargo;
    }

    /** To be sent, in one piece; a datatype that is null: nothing. */
    static Parts out(Endpoint endpoint, String call, Side side) {
        return side.type == null ? NONE : new Parts(cargo(endpoint, call, true, side), side.type);
    }

    /** To be received into, in one piece; a datatype that is null: nothing. */
    static Parts in(Endpoint endpoint, String call, Side side) {
        return side.type == null ? NONE : new Parts(cargo(endpoint, call, false, side), side.type);
    }

    /** With a part for each of so many ranks; {@link #check} has been called. */
    static Parts of(VSide side, int ranks) {
        Object buffer = side.buffer;
        Datatype type = side.type;
        if (type == null) {
            return NONE;
        }
        Object target = buffer == null || type.Size() == 0 ? null : type.target(buffer);
        int kind = type.kind(buffer);
        long begin = ((long) side.offset << type.shift()) + Views.base(buffer);
        long extent = (long) type.Extent() << type.shift();
        if (type.layout() == null || type.Size() == 0) {
            return new Parts(target, type.bytes(1), kind, places(side, ranks, begin, extent), type);
        }
        int toElements = Views.isInBytes(buffer) ? 0 : type.shift();
        return new Parts(target, type.layout().handle(), kind | Native.KIND_TYPED,
                places(side, ranks, begin >> toElements, extent >> toElements), type);
    }

    /** Where the parts are, if displacement 0 is at {@code begin} and 1 is so much further. */
    private static long[] places(VSide side, int ranks, long begin, long extent) {
        long[] places = new long[2 * ranks];
        for (int i = 0; i < ranks; i++) {
            places[2 * i] = begin + side.displs[i] * extent;
            places[2 * i + 1] = side.counts[i];
        }
        return places;
    }

    /** Checks the arguments of a side with a part for each of so many ranks. */
    static void check(String call, boolean isOut, int ranks, VSide side) {
        if (side.type == null) {
            return;
        }
        Object buffer = side.buffer;
        Datatype type = side.type;
        int offset = side.offset;
        int[] counts = side.counts;
        int[] displs = side.displs;
        checkCounts(call, counts, ranks);
        type.checkNoSections(call, buffer);
        if (displs == null || displs.length < ranks) {
            throw new MPIException(ErrorClass.ARG, call + ": displacements need a number for each of the " + ranks
                    + " ranks, but there are " + (displs == null ? "none" : "" + displs.length));
        }
        for (int i = 0; i < ranks; i++) {
            if (counts[i] == 0) {
                continue;
            }
            long begin = offset + (long) displs[i] * type.Extent();
            long place = Cargo.place(buffer, begin, type);
            if (begin != (int) begin || place != (int) place) {
                throw new MPIException(ErrorClass.ARG, call + ": displacement " + displs[i] + " for rank " + i
                        + " is out of range");
            }
            int length = type.length(call, buffer, counts[i]);
            long low = begin + type.low(counts[i]);
            long high = begin + type.high(counts[i]);
            if (low < -type.before(buffer) || high > length) {
                String what = (offset == 0 ? "" : "offset " + offset + ", ") + "displacement " + displs[i]
                        + " for rank " + i + " and count " + counts[i];
                throw type.outOfBounds(call, what, buffer, low, high, length);
            }
            if (!isOut) {
                Cargo.checkApart(call, counts[i], type);
            }
        }
    }

    static void checkCounts(String call, int[] counts, int ranks) {
        if (counts == null || counts.length < ranks) {
            throw new MPIException(ErrorClass.ARG, call + ": counts need a number for each of the " + ranks
                    + " ranks, but there are " + (counts == null ? "none" : "" + counts.length));
        }
        for (int i = 0; i < ranks; i++) {
            if (counts[i] < 0) {
                throw new MPIException(ErrorClass.COUNT, call + ": the count for rank " + i + " is " + counts[i]
                        + "; it cannot be negative");
            }
        }
    }
}
