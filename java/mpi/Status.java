package mpi;

import corunna.engine.Native;

/** What is known of a message: its source, its tag, its length. Made by the calls that receive, probe or complete. */
public class Status {
    /** Rank of the sender in the communicator. */
    public int source = MPI.ANY_SOURCE;
    /** Tag of the message. */
    public int tag = MPI.ANY_TAG;
    /** Which of several requests was completed. */
    public int index;
    /**
     * Whole elements received, counted in the datatype given to the receive; of a probed message, whose datatype is
     * not known, bytes.
     */
    public int count;

    private final long bytes;
    private final boolean isCancelled;

    /** The empty status: from any source, with any tag, of no length. */
    public Status() {
        this.bytes = 0;
        this.isCancelled = false;
    }

    Status(int source, int tag, long bytes, Datatype type) {
        this.source = source;
        this.tag = tag;
        this.bytes = bytes;
        this.count = type.count(bytes);
        this.isCancelled = false;
    }

    private Status(long[] envelopes, int at, Datatype type) {
        this.index = (int) envelopes[at + Native.INDEX];
        this.source = (int) envelopes[at + Native.SOURCE];
        this.tag = (int) envelopes[at + Native.TAG];
        this.bytes = envelopes[at + Native.BYTES];
        this.count = type.count(bytes);
        this.isCancelled = envelopes[at + Native.IS_CANCELLED] != 0;
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

    /**
     * The elements received.
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
}
