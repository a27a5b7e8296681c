// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * Collectives on objects. First the lengths of the serialised objects are exchanged, then the objects, each block
 * from a store into a store. What cannot be serialised has a length that says so; what cannot be understood is told
 * when everything has arrived. So no rank waits for one that fails.
 */
final class ObjectSharing {
    /** The length of what could not be serialised. */
    private static final long FAILED = -1;

    private final Comm comm;
    private final String call;
    private final Cargo[] out;
    private final Cargo[] in;
    private final long[] outLengths;
    private final long[] inLengths;
    private Throwable failure;

    /** Objects of a buffer, whose bounds have been checked. */
    static final class Piece {
        final Side side;
        /** All of its objects must come; else fewer may, and the rest of the buffer stays as it was. */
        final boolean isWhole;

        Piece(Side side, boolean isWhole) {
            this.side = side;
            this.isWhole = isWhole;
        }

        Cargo cargo(String call, Endpoint endpoint, boolean isOut) {
            if (!isOut) {
                Cargo.checkApart(call, side.count, side.type);
            }
            return Cargo.part(call, endpoint, isOut, side);
        }
    }

    private ObjectSharing(Comm comm, String call, int outCount, int inCount) {
        this.comm = comm;
        this.call = call;
        out = new Cargo[outCount];
        in = new Cargo[inCount];
        outLengths = new long[outCount];
        inLengths = new long[inCount];
    }

    // ---- what a side has ----

    /** One block, if this rank has the side. */
    static Piece[] piece(String call, Side side) {
        if (side.type == null) {
            return new Piece[0];
        }
        side.check(call);
        return new Piece[] {new Piece(side, false)};
    }

    /** A block of as many elements as the side has for each rank. */
    static Piece[] blocks(String call, int ranks, Side side) {
        if (side.type == null) {
            return new Piece[0];
        }
        int count = side.count;
        long all = (long) count * ranks;
        side.type.checkBuffer(call, side.buffer, side.offset, all > Integer.MAX_VALUE ? Integer.MAX_VALUE : (int) all);
        Piece[] pieces = new Piece[ranks];
        for (int i = 0; i < ranks; i++) {
            int begin = count == 0 ? side.offset : side.offset + i * count * side.type.Extent();
            pieces[i] = new Piece(new Side(side.buffer, begin, count, side.type), false);
        }
        return pieces;
    }

    /** A block for each rank; the arguments have been checked. */
    static Piece[] parts(int ranks, VSide side) {
        if (side.type == null) {
            return new Piece[0];
        }
        Piece[] pieces = new Piece[ranks];
        for (int i = 0; i < ranks; i++) {
            int count = side.counts[i];
            int begin = count == 0 ? 0 : side.offset + side.displs[i] * side.type.Extent();
            pieces[i] = new Piece(new Side(side.buffer, begin, count, side.type), false);
        }
        return pieces;
    }

    // ---- calls ----

    /**
     * Sends and receives blocks as {@code primitive} does, one of GATHER, SCATTER, ALLGATHER, ALLTOALL. A block to
     * receive that is null arrives and is dropped.
     */
    static void exchange(Comm comm, String call, int primitive, int root, Piece[] send, Piece[] receive) {
        ObjectSharing sharing = new ObjectSharing(comm, call, send.length, receive.length);
        try {
            sharing.makeRoom(receive);
            sharing.encode(send);
            Native.collect(comm.handle, Native.primitiveAndKinds(primitive, Native.KIND_LONG, Native.KIND_LONG), root,
                    sharing.outLengths, 0, (long) send.length * Long.BYTES, sharing.inLengths, 0,
                    (long) receive.length * Long.BYTES);
            int withCounts = primitive + 1;
            Native.collectStores(comm.handle, withCounts, root, handles(sharing.out), sharing.outLengths,
                    handles(sharing.in), sharing.inLengths);
            sharing.decode(receive);
        } finally {
            sharing.close();
        }
        sharing.tell();
    }

    static void bcast(Comm comm, Side side, int root) {
        Piece[] piece = piece("Bcast", side);
        boolean isRoot = comm.isRoot(root);
        Piece[] send = isRoot ? piece : new Piece[0];
        Piece[] receive = isRoot ? new Piece[0] : piece;
        ObjectSharing sharing = new ObjectSharing(comm, "Bcast", send.length, receive.length);
        try {
            sharing.makeRoom(receive);
            sharing.encode(send);
            long[] lengths = isRoot ? sharing.outLengths : sharing.inLengths;
            long[] nothing = {};
            Native.collect(comm.handle, Native.primitiveAndKinds(Native.BCAST, 0, Native.KIND_LONG), root, null, 0, 0,
                    lengths, 0, (long) lengths.length * Long.BYTES);
            Native.collectStores(comm.handle, Native.BCAST, root, nothing, nothing,
                    handles(isRoot ? sharing.out : sharing.in), lengths);
            if (receive.length > 0) {
                sharing.decode(0, root, receive[0]);
            }
        } finally {
            sharing.close();
        }
        sharing.tell();
    }

    // ---- steps ----

    private void makeRoom(Piece[] pieces) {
        for (int i = 0; i < pieces.length; i++) {
            Piece piece = pieces[i];
            in[i] = piece == null ? Cargo.in(call, comm.endpoint, new Side(null, 0, 0, MPI.OBJECT))
                    : piece.cargo(call, comm.endpoint, false);
        }
    }

    private void encode(Piece[] pieces) {
        for (int i = 0; i < pieces.length; i++) {
            outLengths[i] = FAILED;
            if (failure != null) {
                continue;
            }
            try {
                out[i] = pieces[i].cargo(call, comm.endpoint, true);
                outLengths[i] = out[i].bytes;
            } catch (RuntimeException | Error e) {
                failure = e; // the other ranks are told before the caller is
            }
        }
    }

    private void decode(Piece[] pieces) {
        for (int i = 0; i < pieces.length; i++) {
            if (pieces[i] != null) {
                decode(i, pieces.length == 1 ? -1 : i, pieces[i]);
            }
        }
    }

    /** What a rank sent; its number is below 0 if it was the root and need not be named. */
    private void decode(int index, int source, Piece piece) {
        String from = call + ": what " + (source < 0 ? "the root" : "rank " + source) + " sent ";
        try {
            if (inLengths[index] == FAILED) {
                throw new MPIException(ErrorClass.OTHER, from + "has objects that could not be serialised there");
            }
            int got = in[index].unload(call, from, inLengths[index]);
            int wanted = in[index].objects(call);
            if (piece.isWhole && got < wanted) {
                throw new MPIException(ErrorClass.TRUNCATE, from + "has " + got + (got == 1 ? " object" : " objects")
                        + " where this rank expects " + wanted);
            }
        } catch (RuntimeException | Error e) {
            if (failure == null) {
                failure = e;
            }
        }
    }

    private static long[] handles(Cargo[] cargos) {
        long[] handles = new long[cargos.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = cargos[i] == null ? 0 : cargos[i].at;
        }
        return handles;
    }

    private void close() {
        for (Cargo cargo : out) {
            if (cargo != null) {
                cargo.close();
            }
        }
        for (Cargo cargo : in) {
            if (cargo != null) {
                cargo.close();
            }
        }
    }

    private void tell() {
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
