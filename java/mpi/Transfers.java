// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;
import java.nio.Buffer;

/**
 * Reading and writing a {@link File}. Buffers are checked here, before anything is moved; offsets, and whether the file
 * may be read or written, by the engine.
 */
final class Transfers {
    /** Where in the file: at an offset, at the rank's own pointer, or at the one that all ranks share. */
    static final int AT = Native.FILE_EXPLICIT;
    static final int AT_ALL = Native.FILE_EXPLICIT | Native.FILE_COLLECTIVE;
    static final int OWN = Native.FILE_INDIVIDUAL;
    static final int ALL = Native.FILE_INDIVIDUAL | Native.FILE_COLLECTIVE;
    static final int SHARED = Native.FILE_SHARED;
    static final int ORDERED = Native.FILE_SHARED | Native.FILE_COLLECTIVE;
    /** Beside one of these. */
    static final int WRITE = Native.FILE_WRITE;

    private Transfers() {
    }

    /** A split collective access between its two calls, which keeps the buffer. */
    static final class Split {
        /** The call that began it. */
        final String begin;
        private final int what;
        private final Object program;
        private final Datatype type;

        Split(String begin, int what, Object program, Datatype type) {
            this.begin = begin;
            this.what = what;
            this.program = program;
            this.type = type;
        }
    }

    // ---- the calls ----

    static Status run(FileCore file, String call, int what, long offset, Side side) {
        boolean isCollective = (what & Native.FILE_COLLECTIVE) != 0;
        long handle = file.enter(call, isCollective);
        try {
            Cargo memory = memory(file, call, what, side);
            long moved = Native.fileRun(handle, what, offset, memory.target, memory.at, memory.bytes,
                    memory.kind, element(side.type));
            return new Status(MPI.ANY_SOURCE, MPI.ANY_TAG, moved, side.type);
        } finally {
            file.leave(isCollective);
            Reference.reachabilityFence(side);
        }
    }

    /** In the background, and so with a direct buffer, as the dialect has it. */
    static Request start(FileCore file, String call, int what, long offset, Buffer buffer, int count, Datatype type) {
        boolean isCollective = (what & Native.FILE_COLLECTIVE) != 0;
        long handle = file.enter(call, isCollective);
        try {
            if (buffer != null && !buffer.isDirect()) {
                throw new MPIException(ErrorClass.BUFFER, file.at(call) + "the buffer is "
                        + Datatype.a("heap " + Views.name(buffer))
                        + "; accesses in the background take direct buffers, as MPI.newByteBuffer makes them");
            }
            Cargo memory = memory(file, call, what, new Side(buffer, 0, count, type));
            long request = Native.fileStart(handle, what, offset, (Buffer) memory.target, memory.at,
                    memory.bytes, memory.kind, element(type));
            return new Request(file.endpoint, request, type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        } finally {
            file.leave(isCollective);
            Reference.reachabilityFence(type);
        }
    }

    /** Arrays are buffers here, too: the engine holds them, and works on a copy. */
    static void begin(FileCore file, String call, int what, long offset, Object program, Side side) {
        long handle = file.enter(call, true);
        try {
            if (file.split != null) {
                throw new MPIException(ErrorClass.IO, file.at(call) + file.split.begin
                        + " has not been ended; a file has one split access at a time");
            }
            Cargo memory = memory(file, call, what, side);
            Native.fileBegin(handle, what, offset, memory.target, memory.at, memory.bytes, memory.kind,
                    element(side.type));
            file.split = new Split(call, what, program, side.type);
        } finally {
            file.leave(true);
            Reference.reachabilityFence(side);
        }
    }

    static Status end(FileCore file, String call, int what, Object program) {
        long handle = file.enter(call, true);
        try {
            Split split = file.split;
            if (split == null) {
                throw new MPIException(ErrorClass.IO, file.at(call) + "no split access has begun");
            }
            if (split.what != what) {
                throw new MPIException(ErrorClass.IO, file.at(call) + "the split access that has begun is that of "
                        + split.begin);
            }
            if (split.program != program) {
                throw new MPIException(ErrorClass.BUFFER, file.at(call) + "the buffer is not that of " + split.begin);
            }
            file.split = null;
            long moved = Native.fileEnd(handle, what);
            return new Status(MPI.ANY_SOURCE, MPI.ANY_TAG, moved, split.type);
        } finally {
            file.leave(true);
        }
    }

    // ---- buffers ----

    /** The buffer as the engine takes it, once it was found to be long enough. */
    private static Cargo memory(FileCore file, String call, int what, Side side) {
        String where = file.at(call);
        FileCore.requireValues(where, side.type);
        String named = where.substring(0, where.length() - ": ".length());
        side.type.checkNoSections(named, side.buffer);
        if ((what & WRITE) != 0) {
            return Cargo.out(named, file.endpoint, side);
        }
        Cargo memory = Cargo.in(named, file.endpoint, side);
        if (side.type.layout() != null && side.count > side.type.layout().receiveMax()) {
            throw new MPIException(ErrorClass.TYPE, where + side.count + " elements of the datatype " + side.type
                    + " overlap; they can be written to a file, but not read from one");
        }
        return memory;
    }

    /** What elements in a row are. */
    private static int element(Datatype type) {
        return type.layout() == null ? type.reduceKind() : type.basicKind();
    }
}
