// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * The engine as Java sees it: every native method of Corunna, in one class.
 *
 * <p>Ranks, communicators and requests are {@code long} handles. The methods trust their arguments: package
 * {@code mpi} checks them first. A failure comes back as an exception made by the rank's own {@link Failures}.
 *
 * <p>A buffer is four things: the array or direct buffer, offset and length in bytes, and one of the {@code KIND_}
 * numbers. A call with two buffers takes both kinds in one number: arguments beyond those that fit registers cost more
 * than the shifts. A status is written into a {@code long[]} as {@link #ENVELOPE_LONGS} numbers; where its source and
 * tag are known beforehand {@code null} is passed instead and the returned length says it all.
 *
 * <p>This class is loaded once in a JVM, also where every rank has a class loader of its own.
 */
public final class Native {
    /** A {@code byte[]}; the other array kinds follow in the order of the JNI glue. */
    public static final int KIND_BYTE = 0;
    public static final int KIND_CHAR = 1;
    public static final int KIND_SHORT = 2;
    public static final int KIND_BOOLEAN = 3;
    public static final int KIND_INT = 4;
    public static final int KIND_LONG = 5;
    public static final int KIND_FLOAT = 6;
    public static final int KIND_DOUBLE = 7;
    /** A direct {@code java.nio.ByteBuffer}. */
    public static final int KIND_DIRECT = 8;
    /** A {@link Store}: no buffer, the offset is its handle, and a length of -1 is room for any message. */
    public static final int KIND_STORE = 9;
    /** An array of any primitive type, offset and length in bytes whatever its elements are. */
    public static final int KIND_ANY_ARRAY = 10;
    /**
     * Beside an array kind or {@link #KIND_DIRECT}: under a datatype. The length is its handle, the offset has the
     * first element in its upper half (a byte of a direct buffer or of {@link #KIND_ANY_ARRAY}) and the count in its
     * lower half.
     */
    public static final int KIND_TYPED = 16;
    /** Beside the kind of what a collective call sends: it is received into the same array. */
    public static final int KIND_SHARED = 32;

    /**
     * Above the kind of a message stands what its elements are: the kind of array of their type, or
     * {@link #CLASS_OBJECT}. A receive that says another type fails. 0, as bytes have, fits everything.
     */
    public static final int CLASS_SHIFT = 8;
    public static final int CLASS_OBJECT = 8;

    /** Send modes. */
    public static final int STANDARD = 0;
    public static final int SYNCHRONOUS = 1;
    public static final int BUFFERED = 2;
    public static final int READY = 3;

    /** What a completion returns instead of a length. */
    public static final int CANCELLED = -1;
    public static final int PENDING = -2;

    /** Ways to complete several requests. */
    public static final int WAIT_ALL = 0;
    public static final int TEST_ALL = 1;
    public static final int WAIT_ANY = 2;
    public static final int TEST_ANY = 3;
    public static final int WAIT_SOME = 4;
    public static final int TEST_SOME = 5;
    /** Beside one of the {@code WAIT_} numbers: return {@link #PENDING}, or 0 of some, instead of waiting. */
    public static final int TRY = 8;

    /** The numbers of a status, in this order. */
    public static final int INDEX = 0;
    public static final int SOURCE = 1;
    public static final int TAG = 2;
    public static final int BYTES = 3;
    public static final int IS_CANCELLED = 4;
    public static final int ENVELOPE_LONGS = 5;

    /** Collective primitives, by the engine's numbers. */
    public static final int BCAST = 1;
    public static final int GATHER = 2;
    public static final int GATHERV = 3;
    public static final int SCATTER = 4;
    public static final int SCATTERV = 5;
    public static final int ALLGATHER = 6;
    public static final int ALLGATHERV = 7;
    public static final int ALLTOALL = 8;
    public static final int ALLTOALLV = 9;
    public static final int REDUCE = 11;
    public static final int ALLREDUCE = 12;
    public static final int REDUCE_SCATTER = 13;
    public static final int SCAN = 15;
    public static final int BARRIER = 0;
    public static final int ALLTOALLW = 10;
    public static final int EXSCAN = 16;
    public static final int NEIGHBOR_ALLGATHER = 17;
    public static final int NEIGHBOR_ALLGATHERV = 18;
    public static final int NEIGHBOR_ALLTOALL = 19;
    public static final int NEIGHBOR_ALLTOALLV = 20;

    /** Beside the kinds of arrays, for reductions: complex numbers, and a value with an {@code int} behind it. */
    public static final int REDUCE_FLOAT_COMPLEX = 8;
    public static final int REDUCE_DOUBLE_COMPLEX = 9;
    public static final int REDUCE_SHORT_INT = 10;
    public static final int REDUCE_LONG_INT = 11;
    public static final int REDUCE_FLOAT_INT = 12;
    public static final int REDUCE_DOUBLE_INT = 13;

    /** What stands in {@link #zeroCopy}, each a long. */
    public static final int ZCOPY_PLACE = 0;
    public static final int ZCOPY_BYTES = 1;
    public static final int ZCOPY_DISTANCE = 2;

    static {
        Library.load();
    }

    private Native() {
    }

    // ---- a job whose ranks are threads of this JVM ----

    /** Makes the team. It stays when all ranks have closed, because one may come back after Finalize. */
    public static native long teamCreate(int size, Failures failures);

    /** Gives a team back, and what remains of its ranks, once no thread can use the handle of one any more. */
    public static native void teamFree(long team);

    /** From here on the end of the JVM is told to {@code watch}, where the JVM offers it. For one that stays loaded. */
    public static native void watchExit(ExitWatch watch);

    // ---- a rank ----

    /** Opens a rank: number {@code number} of {@code team}, or, if that is 0, the one the environment names. */
    public static native long open(long team, int number, String[] overrides, Failures failures);

    /** Closes a rank; the handle is gone also when this throws. */
    public static native void close(long rank);

    /** Ends the whole job; returns only where the ranks are threads, and then the caller ends the JVM. */
    public static native void abort(long rank, int status, String reason);

    /** The JVM has begun to end: threads that learn only now that a rank is lost do not tell it any more. */
    public static native void ending(long rank);

    public static native String host(long rank);

    /** The nanoseconds of a rank whose time is not the clock's, because it is simulated; else -1. */
    public static native long clock(long rank);

    /** The rank a communicator belongs to. */
    public static native long rankOf(long comm);

    public static native long world(long rank);

    public static native long self(long rank);

    /** Attaches a direct buffer, or with {@code null} memory of the engine's own. */
    public static native void attach(long rank, Object buffer, long bytes);

    public static native void detach(long rank);

    // ---- communicators ----

    public static native int commRank(long comm);

    public static native int commSize(long comm);

    public static native int commCompare(long one, long other);

    public static native long commDup(long comm);

    public static native long commSplit(long comm, int colour, int key);

    public static native void commFree(long comm);

    public static native void barrier(long comm);

    // ---- collectives: both sides of a call; a side that this rank does not have is of 0 bytes ----

    /**
     * Moves data: {@link #BCAST} (in alone), GATHER, SCATTER, ALLGATHER, ALLTOALL. A side has all its blocks.
     *
     * @param what {@link #primitiveAndKinds}, here and below
     */
    public static native void collect(long comm, int what, int root, Object out, long outOffset, long outBytes,
            Object in, long inOffset, long inBytes);

    /**
     * The same on plain memory, given by address. Few arguments: for short arrays they are much of the cost. Returns
     * where the received data are: {@code in}, or, until the next call, where the first block is in the
     * {@link #zeroCopyMemory}; the others follow with the distance that {@link #zeroCopy} tells. The kinds are those
     * of the elements.
     */
    public static native long collectMemory(long comm, int what, int root, long out, long outBytes, long in,
            long inBytes);

    /** The three as one: the kinds of what is sent and received above the primitive, in a byte each. */
    public static int primitiveAndKinds(int primitive, int outKind, int inKind) {
        return primitive | outKind << Byte.SIZE | inKind << 2 * Byte.SIZE;
    }

    /** Combines plain memory of as many bytes on both sides; the address 0 is a side that this rank does not have. */
    public static native void reduceMemory(long comm, int primitive, int root, long out, long in, long bytes,
            int opAndKind);

    /** Beside operator and kind: for a call that the program did not ask for, no algorithm is forced. */
    public static final int UNFORCED = 1 << 2 * Byte.SIZE;

    /** The two as one: the operator above, the kind of the elements in the lowest byte. */
    public static int opAndKind(int op, int kind) {
        return op << Byte.SIZE | kind;
    }

    /**
     * The same with blocks of different length. A side has two numbers for each block: where it begins, in bytes (of a
     * {@link #KIND_TYPED} the first element, in bytes of a direct buffer), and how many elements it has. The unit is
     * the bytes of an element or the handle of a datatype. A side without blocks is one part; null: this rank does not
     * have it.
     */
    public static native void collectParts(long comm, int what, int root, Object out, long outUnit, long[] outParts,
            Object in, long inUnit, long[] inParts);

    /** The same with blocks that are {@link Store}s each. A length below 0 counts as 0. */
    public static native void collectStores(long comm, int primitive, int root, long[] out, long[] outLengths,
            long[] in, long[] inLengths);

    /**
     * Reduces.
     *
     * @param op {@link #opAndKind}, where the operator has its number in the MPI ABI and combines elements (or pairs,
     *     if it wants them) of a kind of array; or what {@link #combinerCreate} returned
     */
    public static native void reduce(long comm, int what, int root, Object out, long outOffset, long outBytes,
            Object in, long inOffset, long inBytes, long op);

    /**
     * {@link #REDUCE_SCATTER}.
     *
     * @param counts elements of each block of the result
     */
    public static native void reduceScatter(long comm, int what, Object out, long outOffset, long outBytes, Object in,
            long inOffset, long inBytes, int[] counts, long op);

    /**
     * An operator of the program's own, on elements of a datatype. 0: no memory. {@link #combinerFree} ends it, also
     * while a call that was started still uses it.
     */
    public static native long combinerCreate(Combiner combiner, boolean isCommutative, long type);

    public static native void combinerFree(long combiner);

    /** In a stream, in place of the bytes of a block. */
    public static final long IN_PARTS = -1;

    /**
     * Starts a call that moves data, of packed streams in plain memory. A stream is the bytes of a block, its address
     * and its bytes; or {@link #IN_PARTS}, and an address and a length for each block.
     *
     * @param isInPlace this rank has no data to send beside those in {@code in}; of a scatter: none to receive
     * @param kept stays reachable until the request is gone: the buffers that own the memory
     */
    public static native long startCollect(long comm, int primitive, int root, boolean isInPlace, long[] out,
            long[] in, Object kept, String call);

    /**
     * Starts a reduction of packed streams in one piece; see {@link #reduce} and {@link #startCollect}.
     *
     * @param counts for {@link #REDUCE_SCATTER}: elements of each block of the result
     */
    public static native long startReduce(long comm, int primitive, int root, boolean isInPlace, long[] out, long[] in,
            int[] counts, long op, Object kept, String call);

    /** Combines two packed streams in plain memory into the second, by one of the engine's operators. */
    public static native void combineMemory(long rank, long in, long inout, long bytes, long op, String call);

    // ---- point-to-point: with the kind goes the class of the elements, see CLASS_SHIFT ----

    public static native void send(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode);

    /** Returns the bytes received. */
    public static native long recv(long comm, Object buffer, long offset, long bytes, int kind, int source, int tag,
            long[] envelope);

    /**
     * Sends and receives.
     *
     * @param kinds {@link #kinds}
     * @param to {@link #partner}, as {@code from}
     */
    public static native long sendrecv(long comm, int kinds, long to, Object out, long outOffset, long outBytes,
            long from, Object in, long inOffset, long inBytes, long[] envelope);

    public static native long sendrecvReplace(long comm, Object buffer, long offset, long bytes, int kind, long to,
            long from, long[] envelope);

    /** The kinds of two messages as one, with their classes: that of the message received is above. */
    public static int kinds(int outKind, int inKind) {
        return outKind | inKind << Short.SIZE;
    }

    static int kindsOut(int kinds) {
        return kinds & 0xffff;
    }

    static int kindsIn(int kinds) {
        return kinds >> Short.SIZE;
    }

    /** The two as one: the rank at the other end is above the tag. */
    public static long partner(int rank, int tag) {
        return (long) rank << Integer.SIZE | tag & 0xffff_ffffL;
    }

    static int partnerRank(long partner) {
        return (int) (partner >> Integer.SIZE);
    }

    static int partnerTag(long partner) {
        return (int) partner;
    }

    /** A failure is told under the name of {@code call}, here and below: it may be a part of a blocking call. */
    public static native long isend(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode, String call);

    /** Sends a copy: the buffer may be used at once. */
    public static native long isendCopy(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            String call);

    public static native long irecv(long comm, Object buffer, long offset, long bytes, int kind, int source, int tag,
            String call);

    public static native long sendInit(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode);

    public static native long recvInit(long comm, Object buffer, long offset, long bytes, int kind, int source,
            int tag);

    public static native void probe(long comm, int source, int tag, long[] envelope);

    public static native boolean iprobe(long comm, int source, int tag, long[] envelope, String call);

    /** What {@link #mprobe} returns where no message is there. 0 is the message from no rank. */
    public static final long NO_MESSAGE = -1;

    /** Takes a message for {@link #mrecv} or {@link #imrecv}, which then must be called once, with its handle. */
    public static native long mprobe(long comm, int source, int tag, boolean isWaiting, long[] envelope, String call);

    public static native long mrecv(long comm, long message, Object buffer, long offset, long bytes, int kind,
            long[] envelope, String call);

    public static native long imrecv(long comm, long message, Object buffer, long offset, long bytes, int kind,
            String call);

    // ---- groups, intercommunicators, topologies ----

    /** The ranks that share a host; 0 for the colour UNDEFINED. */
    public static native long commSplitHost(long comm, int colour, int key);

    /** As {@link #commCreate}, but only the members call. */
    public static native long commCreateGroup(long comm, int[] members, int tag);

    /** Starts a dup, which is written into {@code made} and may be used when the request that is returned is done. */
    public static native long commIdup(long comm, long[] made);

    /** Waits until nothing is under way in the communicator. Collective. */
    public static native void commSettle(long comm);

    /** Weights are null, both of them, in a graph without weights. */
    public static native long distGraphAdjacent(long comm, int[] sources, int[] sourceWeights, int[] destinations,
            int[] destinationWeights);

    public static native long distGraph(long comm, int[] sources, int[] degrees, int[] destinations, int[] weights);

    /** The neighbours of this rank, of any topology. */
    public static native int[] neighbours(long comm, boolean isSource);

    /** Of a distributed graph; null if it has none. */
    public static native int[] neighbourWeights(long comm, boolean isSource);

    /** The numbers of a communicator's group, or of the other side's: in the job that the program began with, the ranks. */
    public static native int[] commPeers(long comm, boolean isRemote);

    /** A communicator of these members, by their numbers; 0 for a caller that is none of them. */
    public static native long commCreate(long comm, int[] members);

    /** How many ranks messages can go to. */
    public static native int commRemoteSize(long comm);

    public static native boolean commIsInter(long comm);

    public static native long intercommCreate(long local, int localLeader, long bridge, int remoteLeader, int tag);

    public static native long intercommMerge(long inter, boolean isHigh);

    // ---- jobs that meet ----

    /** Which of the job's programs the rank runs; 0 if there is one. */
    public static native int rankProgram(long rank);

    /** For how many processes the job's hosts have slots; 0: the launcher does not tell. */
    public static native int rankUniverse(long rank);

    /** A new port. */
    public static native String portOpen(long rank);

    public static native void portClose(long rank, String port);

    /** Publishes a name, or withdraws it. */
    public static native void nameSet(long rank, boolean isThere, String service, String port);

    /** The port that was published by this name. */
    public static native String nameFind(long rank, String service);

    /** The communicator with the job that has started this one; 0 if there is none. */
    public static native long parent(long rank);

    /** Accepts a connection, or makes one; the port is null but on the root. */
    public static native long commMeet(long comm, boolean accepts, String port, int root);

    /** The job that was met, of a communicator with all its members; else 0. */
    public static native long commJob(long comm);

    /** Leaves a job if none of its communicators is left. */
    public static native void jobLeave(long job);

    /**
     * Starts processes. All arrays are null but on the root. {@code numbers} has three numbers for each program: how many processes, how
     * many of the arguments and how many of the hints, which are keys and values in turn, are its own.
     */
    public static native long commSpawn(long comm, int root, String[] commands, String[] arguments, String[] hints,
            int[] numbers);

    /** The number package mpi has for the kind. */
    public static native int topologyKind(long comm);

    /** Fills in the zeros; false if that cannot be. */
    public static native boolean dimsCreate(int nodes, int[] dims);

    public static native long cartCreate(long comm, int[] dims, boolean[] periods);

    public static native long cartSub(long cart, boolean[] remain);

    public static native int[] cartDims(long cart);

    public static native boolean[] cartPeriods(long cart);

    public static native int[] cartCoords(long cart, int rank);

    /** Negative off the grid. */
    public static native int cartRank(long cart, int[] coords);

    /** Source and destination. */
    public static native int[] cartShift(long cart, int dim, int distance);

    public static native int cartMap(long comm, int[] dims);

    public static native long graphCreate(long comm, int[] index, int[] edges);

    public static native int[] graphIndex(long graph);

    public static native int[] graphEdges(long graph);

    public static native int[] graphNeighbours(long graph, int rank);

    public static native int graphMap(long comm, int nodeCount);

    // ---- datatypes: bounds, strides and displacements in bytes; 0 where there is no memory ----

    /** So many elements of a kind in a row. */
    public static native long typeRow(int kind, int elements);

    public static native long typeVector(int count, int length, long stride, long base, long lb, long extent);

    public static native long typeIndexed(int[] lengths, long[] displacements, long base, long lb, long extent);

    public static native long typeStruct(int[] lengths, long[] displacements, long[] types, long lb, long extent);

    /** Are its elements simply in a row? */
    public static native boolean typeIsRow(long type);

    /** How many elements can be received at once without writing a place twice. */
    public static native int typeReceiveMax(long type);

    public static native void typeFree(long type);

    /** As the extent of a new type: the bounds are those that its parts give it. */
    public static final long NATURAL = Long.MIN_VALUE;

    /** What {@link #typeBounds} writes, in bytes. */
    public static final int TYPE_SIZE = 0;
    public static final int TYPE_LB = 1;
    public static final int TYPE_UB = 2;
    public static final int TYPE_TRUE_LB = 3;
    public static final int TYPE_TRUE_UB = 4;
    public static final int TYPE_NUMBERS = 5;

    public static native void typeBounds(long type, long[] bounds);

    /** The basic elements in so many packed bytes, -1 if the last is not whole. */
    public static native long typeElements(long type, long bytes);

    public static native void pack(Object in, long offset, long bytes, int kind, byte[] packed, int position,
            long length);

    public static native void unpack(Object out, long offset, long bytes, int kind, byte[] packed, int position,
            long length);

    // ---- requests ----

    /** Starts a persistent request; false if it is active already. */
    public static native boolean start(long rank, long request);

    /** Waits; returns bytes or {@link #CANCELLED}. A request that is not persistent is gone, also on failure. */
    public static native long await(long rank, long request, long[] envelope);

    /** Like {@link #await}, or {@link #PENDING}, and then the request stays. */
    public static native long test(long rank, long request, long[] envelope, String call);

    /** Like {@link #test}, but the request stays in any case. */
    public static native long peek(long rank, long request, long[] envelope);

    /**
     * Completes several requests. Those that are gone become 0 in {@code requests}, also when this throws.
     *
     * @return how many envelopes were filled, {@link #PENDING}, or -1 if there was no active request
     */
    public static native int complete(long rank, int how, long[] requests, long[] envelopes);

    public static native void cancel(long request);

    public static native void requestFree(long request);

    /**
     * Where the caller may write what its next call on a communicator sends, by the {@code ZCOPY_} numbers: an address,
     * or 0, and the room there, for any call and for an alltoall that is longer; and how far the blocks are apart that
     * {@link #collectMemory} left in place. Every call renews it. Null: there is no such memory, or not yet.
     */
    public static native ByteBuffer zeroCopy(long comm);

    /** The memory that all these places are in; null with {@link #zeroCopy}. */
    public static native ByteBuffer zeroCopyMemory(long comm);

    /** Where the memory of a direct buffer is. */
    public static native long address(Buffer direct);

    // ---- memory for serialised objects ----

    public static native long storeTake(long rank);

    public static native void storeGive(long store);

    /** A direct buffer over the store's memory, which has grown to {@code bytes} if there was enough. */
    public static native ByteBuffer storeView(long store, long bytes);

    // ---- fast sockets ----

    /** Gives {@link NativeNet} its methods, which programs without sockets of ours need not load. */
    static native void registerNet(Class<?> type);
}
