// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/** The numbers that go with the native methods of {@link Native}, and those that are several in one. */
class NativeNumbers {
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

    /** Sorts of windows. */
    public static final int WIN_CREATED = 0;
    public static final int WIN_ALLOCATED = 1;
    public static final int WIN_SHARED = 2;
    public static final int WIN_DYNAMIC = 3;

    /** Beside the sort of a window: the program promises not to lock it; parts need not be adjacent. */
    public static final int WIN_WITHOUT_LOCKS = 1 << 8;
    public static final int WIN_NONCONTIGUOUS = 1 << 9;

    /** Operations on windows, by the engine's numbers. */
    public static final int WIN_PUT = 0;
    public static final int WIN_GET = 1;
    public static final int WIN_ACCUMULATE = 2;
    public static final int WIN_GET_ACCUMULATE = 3;
    public static final int WIN_COMPARE_SWAP = 4;

    /** What describes an operation, each a long: of each buffer and of the target a unit and how many of them. */
    public static final int WIN_ORIGIN = 0;
    public static final int WIN_RESULT = 2;
    public static final int WIN_TARGET = 4;
    public static final int WIN_RANK = 6;
    public static final int WIN_DISPLACEMENT = 7;
    public static final int WIN_NUMBERS = 8;

    /** Synchronizations of windows, by {@link Native#winSync}. */
    public static final int WIN_FENCE = 0;
    public static final int WIN_COMPLETE = 1;
    public static final int WIN_WAIT = 2;
    public static final int WIN_TEST = 3;
    public static final int WIN_LOCK_EXCLUSIVE = 4;
    public static final int WIN_LOCK_SHARED = 5;
    public static final int WIN_LOCK_ALL = 6;
    public static final int WIN_UNLOCK = 7;
    public static final int WIN_UNLOCK_ALL = 8;
    public static final int WIN_FLUSH = 9;
    public static final int WIN_FLUSH_LOCAL = 10;
    public static final int WIN_SYNC = 11;
    /** As the rank of {@link #WIN_FLUSH} and {@link #WIN_FLUSH_LOCAL}: all. */
    public static final int WIN_ALL = -1;

    /** What {@link Native#fileNumber} is asked for. */
    public static final int FILE_SIZE = 0;
    public static final int FILE_POSITION = 1;
    public static final int FILE_POSITION_SHARED = 2;
    public static final int FILE_DISPLACEMENT = 3;
    public static final int FILE_ATOMICITY = 4;

    /** What {@link Native#fileSet} does; also {@link #FILE_SIZE} and {@link #FILE_ATOMICITY}. */
    public static final int FILE_ROOM = 5;
    public static final int FILE_SYNC = 6;

    /** What an access is, with one of the pointers: where it begins in the file. */
    public static final int FILE_WRITE = 1;
    public static final int FILE_COLLECTIVE = 2;
    public static final int FILE_EXPLICIT = 0;
    public static final int FILE_INDIVIDUAL = 1 << 3;
    public static final int FILE_SHARED = 2 << 3;

    /** What a file's pointers are moved from. */
    public static final int FILE_FROM_BEGIN = 0;
    public static final int FILE_FROM_HERE = 1;
    public static final int FILE_FROM_END = 2;

    /** How a file has its elements. */
    public static final int FILE_NATIVE = 0;
    public static final int FILE_INTERNAL = 1;
    public static final int FILE_EXTERNAL32 = 2;

    /** What stands in {@link Native#zeroCopy}, each a long. */
    public static final int ZCOPY_PLACE = 0;
    public static final int ZCOPY_BYTES = 1;
    public static final int ZCOPY_DISTANCE = 2;

    /** The three as one: the kinds of what is sent and received above the primitive, in a byte each. */
    public static int primitiveAndKinds(int primitive, int outKind, int inKind) {
        return primitive | outKind << Byte.SIZE | inKind << 2 * Byte.SIZE;
    }

    /** Beside operator and kind: for a call that the program did not ask for, no algorithm is forced. */
    public static final int UNFORCED = 1 << 2 * Byte.SIZE;

    /** The two as one: the operator above, the kind of the elements in the lowest byte. */
    public static int opAndKind(int op, int kind) {
        return op << Byte.SIZE | kind;
    }

    /** In a stream, in place of the bytes of a block. */
    public static final long IN_PARTS = -1;

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

    /** What {@link Native#mprobe} returns where no message is there. 0 is the message from no rank. */
    public static final long NO_MESSAGE = -1;

    /** As the extent of a new type: the bounds are those that its parts give it. */
    public static final long NATURAL = Long.MIN_VALUE;

    /** What {@link Native#typeBounds} writes, in bytes. */
    public static final int TYPE_SIZE = 0;
    public static final int TYPE_LB = 1;
    public static final int TYPE_UB = 2;
    public static final int TYPE_TRUE_LB = 3;
    public static final int TYPE_TRUE_UB = 4;
    public static final int TYPE_NUMBERS = 5;

    NativeNumbers() {
    }
}
