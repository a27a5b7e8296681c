// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One side of a collective call in the background: a packed stream in memory outside of the heap, in one piece or in
 * parts. Elements in a row in a direct buffer are such a stream already; all others are packed when the call begins,
 * and unpacked when it is complete.
 */
final class Stream {
    /** What a rank does not have. */
    static final Stream NONE = new Stream(null, 0, 0, 0);

    /** What owns the memory, to be kept while the call needs it. */
    final Object kept;
    final long address;
    final long bytes;
    /** Bytes of one block, or IN_PARTS. */
    private final long block;
    /** Where the packed data of {@link #kept} belong; null: they are there. */
    private Side unpacked;
    private List<Stream> pieces = List.of();

    private Stream(Object kept, long address, long bytes, long block) {
        this.kept = kept;
        this.address = address;
        this.bytes = bytes;
        this.block = block;
    }

    /** What native code is given. */
    long[] numbers() {
        if (block != Native.IN_PARTS) {
            return new long[] {block, address, bytes};
        }
        long[] numbers = new long[1 + 2 * pieces.size()];
        int at = 0;
        numbers[at++] = block;
        for (Stream piece : pieces) {
            numbers[at++] = piece.address;
            numbers[at++] = piece.bytes;
        }
        return numbers;
    }

    /** What is sent, with a block for each of so many ranks. */
    static Stream out(Comm comm, String call, Side side, int blocks) {
        return of(comm.endpoint, call, side.times(call, blocks), blocks, false);
    }

    /** The same of what is received. It may stay as it is, in part, so it is read as well. */
    static Stream in(Comm comm, String call, Side side, int blocks) {
        Side all = side.times(call, blocks);
        Datatype.require(call, side.type);
        Stream stream = of(comm.endpoint, call, all, blocks, false);
        Cargo.checkApart(call, all.count, all.type);
        if (stream.kept != all.buffer) {
            stream.unpacked = all;
        }
        return stream;
    }

    /** A copy, whatever the buffer is. */
    static Stream copy(Endpoint endpoint, String call, Side side) {
        return of(endpoint, call, side, 1, true);
    }

    /** A copy that {@link #unpack} brings back. */
    static Stream copyOfResult(Endpoint endpoint, String call, Side side) {
        Stream stream = of(endpoint, call, side, 1, true);
        stream.unpacked = side;
        return stream;
    }

    /** In parts, one a side. */
    static Stream parts(Comm comm, String call, Side[] sides, boolean isReceived) {
        Stream[] pieces = new Stream[sides.length];
        Object[] kept = new Object[sides.length];
        for (int i = 0; i < sides.length; i++) {
            pieces[i] = isReceived ? in(comm, call, sides[i], 1) : out(comm, call, sides[i], 1);
            kept[i] = pieces[i].kept;
        }
        Stream stream = new Stream(kept, 0, 0, Native.IN_PARTS);
        stream.pieces = List.of(pieces);
        return stream;
    }

    private static Stream of(Endpoint endpoint, String call, Side side, int blocks, boolean isCopy) {
        Datatype type = Datatype.require(call, side.type);
        if (type.isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": elements of " + type
                    + " go in blocking calls with an offset only");
        }
        side.check(call);
        type.checkNoSections(call, side.buffer);
        long length = side.bytes();
        long block = length / Math.max(1, blocks);
        if (length == 0) {
            return new Stream(side.buffer, 0, 0, 0);
        }
        boolean isDirect = side.buffer instanceof Buffer && ((Buffer) side.buffer).isDirect();
        if (isDirect && type.layout() == null && !isCopy) {
            long begin = Native.address((Buffer) side.buffer) + ((long) side.offset << type.shift());
            return new Stream(side.buffer, begin, length, block);
        }
        if (length > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, call + ": " + length
                    + " bytes outside of a direct buffer are too many; there are at most " + Integer.MAX_VALUE);
        }
        byte[] packed = new byte[(int) length];
        Packing.pack(endpoint, side.buffer, side.offset, side.count, type, packed, 0);
        ByteBuffer memory = MPI.newByteBuffer(packed.length);
        memory.put(packed);
        return new Stream(memory, Native.address(memory), length, block);
    }

    /** The call is complete. */
    void unpack(Endpoint endpoint, String call) {
        for (Stream piece : pieces) {
            piece.unpack(endpoint, call);
        }
        if (unpacked != null && bytes > 0) {
            byte[] packed = new byte[(int) bytes];
            ByteBuffer memory = (ByteBuffer) kept;
            memory.clear();
            memory.get(packed);
            Packing.unpack(endpoint, packed, 0, unpacked.buffer, unpacked.offset, unpacked.count, unpacked.type);
        }
    }

    /** Is there something to {@link #unpack}? */
    boolean isPacked() {
        if (unpacked != null && bytes > 0) {
            return true;
        }
        for (Stream piece : pieces) {
            if (piece.isPacked()) {
                return true;
            }
        }
        return false;
    }
}
