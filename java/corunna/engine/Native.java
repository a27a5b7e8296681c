package corunna.engine;

/**
 * The engine as Java sees it: every native method of Corunna, in one class.
 *
 * <p>Ranks, communicators and requests are {@code long} handles. The methods trust their arguments: package
 * {@code mpi} checks them first. A failure comes back as an exception made by the rank's own {@link Failures}.
 *
 * <p>A buffer is four things: the array or direct buffer, offset and length in bytes, and one of the {@code KIND_}
 * numbers. A status is written into a {@code long[]} as {@link #ENVELOPE_LONGS} numbers; where its source and tag are
 * known beforehand {@code null} is passed instead and the returned length says it all.
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

    /** The numbers of a status, in this order. */
    public static final int INDEX = 0;
    public static final int SOURCE = 1;
    public static final int TAG = 2;
    public static final int BYTES = 3;
    public static final int IS_CANCELLED = 4;
    public static final int ENVELOPE_LONGS = 5;

    static {
        Library.load();
    }

    private Native() {
    }

    // ---- a job whose ranks are threads of this JVM ----

    /** Makes the team. It lives as long as the JVM, because a rank may come back after Finalize. */
    public static native long teamCreate(int size, Failures failures);

    // ---- a rank ----

    /** Opens a rank: number {@code number} of {@code team}, or, if that is 0, the one the environment names. */
    public static native long open(long team, int number, String[] overrides, Failures failures);

    /** Closes a rank; the handle is gone also when this throws. */
    public static native void close(long rank);

    /** Ends the whole job; returns only where the ranks are threads, and then the caller ends the JVM. */
    public static native void abort(long rank, int status, String reason);

    public static native String host(long rank);

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

    // ---- point-to-point ----

    public static native void send(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode);

    /** Sends the lowest {@code bytes} of a word; see {@link Words}. */
    public static native void sendWord(long comm, long word, int bytes, int dest, int tag, int mode);

    /** Receives a word, as {@link Words#accept} takes it. The array is touched only if it cannot be returned. */
    public static native long recvWord(long comm, Object array, long offset, int bytes, int kind, int source, int tag);

    /** Returns the bytes received. */
    public static native long recv(long comm, Object buffer, long offset, long bytes, int kind, int source, int tag,
            long[] envelope);

    public static native long sendrecv(long comm, Object out, long outOffset, long outBytes, int outKind, int dest,
            int sendTag, Object in, long inOffset, long inBytes, int inKind, int source, int recvTag, long[] envelope);

    public static native long sendrecvReplace(long comm, Object buffer, long offset, long bytes, int kind, int dest,
            int sendTag, int source, int recvTag, long[] envelope);

    public static native long isend(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode);

    public static native long irecv(long comm, Object buffer, long offset, long bytes, int kind, int source, int tag);

    public static native long sendInit(long comm, Object buffer, long offset, long bytes, int kind, int dest, int tag,
            int mode);

    public static native long recvInit(long comm, Object buffer, long offset, long bytes, int kind, int source,
            int tag);

    public static native void probe(long comm, int source, int tag, long[] envelope);

    public static native boolean iprobe(long comm, int source, int tag, long[] envelope);

    // ---- requests ----

    /** Starts a persistent request; false if it is active already. */
    public static native boolean start(long rank, long request);

    /** Waits; returns bytes or {@link #CANCELLED}. A request that is not persistent is gone, also on failure. */
    public static native long await(long rank, long request, long[] envelope);

    /** Like {@link #await}, or {@link #PENDING}, and then the request stays. */
    public static native long test(long rank, long request, long[] envelope);

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
}
