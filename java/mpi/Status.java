package mpi;

import corunna.engine.Native;

/** What is known of a message: its source, its tag, its length. Made by the calls that receive, probe or complete. */
public class Status extends mpjdev.Status {
    /** Objects received, if the message was one of {@link MPI#OBJECT}; else 0. */
    public int numObj;

    private final long bytes;
    private final boolean isCancelled;

    /** The empty status: from any source, with any tag, of no length. */
    public Status() {
        this.source = MPI.ANY_SOURCE;
        this.tag = MPI.ANY_TAG;
        this.bytes = 0;
        this.isCancelled = false;
    }

    /**
     * A status with the fields of another.
     *
     * @param status the other; it may be one of ours
     */
    public Status(mpjdev.Status status) {
        this.source = status.source;
        this.tag = status.tag;
        this.index = status.index;
        this.count = status.count;
        this.countInBytes = status.countInBytes;
        this.numEls = status.numEls;
        this.type = status.type;
        this.srcID = status.srcID;
        boolean isOurs = status instanceof Status;
        this.bytes = isOurs ? ((Status) status).bytes : status.countInBytes;
        this.numObj = isOurs ? ((Status) status).numObj : 0;
        this.isCancelled = isOurs && ((Status) status).isCancelled;
    }

    Status(int source, int tag, long bytes, Datatype type) {
        this.source = source;
        this.tag = tag;
        this.bytes = bytes;
        this.isCancelled = false;
        fill(type);
    }

    private Status(long[] envelopes, int at, Datatype type) {
        this.index = (int) envelopes[at + Native.INDEX];
        this.source = (int) envelopes[at + Native.SOURCE];
        this.tag = (int) envelopes[at + Native.TAG];
        this.bytes = envelopes[at + Native.BYTES];
        this.isCancelled = envelopes[at + Native.IS_CANCELLED] != 0;
        fill(type);
    }

    private void fill(Datatype type) {
        count = type.count(bytes);
        countInBytes = (int) Math.min(bytes, Integer.MAX_VALUE);
        numEls = type.isPlain ? count : type.basicCount(bytes);
        numObj = type.isObject() ? numEls : 0;
    }

    /** Room for the numbers of {@code count} statuses. */
    static long[] envelopes(int count) {
        return new long[count * Native.ENVELOPE_LONGS];
    }

    /** The status the engine wrote into envelope number {@code at}; its elements are those of {@code type}. */
    static Status of(long[] envelopes, int at, Datatype type) {
        return new Status(envelopes, at * Native.ENVELOPE_LONGS, type);
    }

    /** Which request envelope number {@code at} speaks of. */
    static int index(long[] envelopes, int at) {
        return (int) envelopes[at * Native.ENVELOPE_LONGS + Native.INDEX];
    }

    long bytes() {
        return bytes;
    }

    /** Was there no message at all? */
    boolean isNothing() {
        return isCancelled || source < 0;
    }

    /**
     * The elements received. Of a message of objects that was only probed the number of objects is known as well.
     *
     * @param datatype the type to count in
     * @return how many, or {@link MPI#UNDEFINED} if the message is not a whole number of them
     * @throws MPIException if the datatype is null
     */
    public int Get_count(Datatype datatype) throws MPIException {
        return Datatype.require("Get_count", datatype).count(bytes);
    }

    /**
     * The elements of the basic type received.
     *
     * @param datatype the type whose basic type is counted in
     * @return how many, or {@link MPI#UNDEFINED} if the message is not a whole number of them
     * @throws MPIException if the datatype is null
     */
    public int Get_elements(Datatype datatype) throws MPIException {
        return Datatype.require("Get_elements", datatype).basicCount(bytes);
    }

    /**
     * Was the operation cancelled?
     *
     * @return true if so; then the other fields say nothing
     * @throws MPIException never
     */
    public boolean Test_cancelled() throws MPIException {
        return isCancelled;
    }

    /** Gives nothing back, because a status holds nothing; programs call it. */
    public void free() {
    }

    /** Does nothing; programs call it. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() throws MPIException {
        // Must stay empty: with a single statement here every status would burden the garbage collector.
    }
}
