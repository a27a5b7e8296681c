// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** What is known of a message: its source, its tag, its length. Made by the calls that receive, probe or complete. */
public class Status extends mpjdev.Status {
    /** Objects received, if the message was one of {@link MPI#OBJECT}; else 0. */
    public int numObj;

    private long bytes;
    private boolean isCancelled;

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
     * @return how many, or {@link MPI#UNDEFINED} if it is no whole number of them, or more than an int can say
     * @throws MPIException if the datatype is null
     */
    public int Get_count(Datatype datatype) throws MPIException {
        return Datatype.require("Get_count", datatype).count(bytes);
    }

    /**
     * The elements of the basic type received.
     *
     * @param datatype the type whose basic type is counted in
     * @return how many, or {@link MPI#UNDEFINED} if it is no whole number of them, or more than an int can say
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

    // ---- by the names of the Open MPI Java bindings ----

    /**
     * The rank that sent the message.
     *
     * @return its number
     */
    public int getSource() {
        return source;
    }

    /**
     * The message's tag.
     *
     * @return the tag
     */
    public int getTag() {
        return tag;
    }

    /**
     * Which of several requests this is the status of.
     *
     * @return its place in the array
     */
    public int getIndex() {
        return index;
    }

    /**
     * The error of the operation: none, for errors are thrown.
     *
     * @return {@link MPI#SUCCESS}
     */
    public int getError() {
        return MPI.SUCCESS;
    }

    /**
     * The elements received.
     *
     * @param datatype the type to count in
     * @return how many, or {@link MPI#UNDEFINED} if it is no whole number of them, or more than an int can say
     * @throws MPIException if the datatype is null
     */
    public int getCount(Datatype datatype) throws MPIException {
        return Get_count(datatype);
    }

    /**
     * The elements of basic types received.
     *
     * @param datatype the type that was received
     * @return how many, or {@link MPI#UNDEFINED} if the last is not whole, or they are more than an int can say
     * @throws MPIException if the datatype is null
     */
    public int getElements(Datatype datatype) throws MPIException {
        long elements = elements("getElements", datatype);
        return elements == (int) elements ? (int) elements : MPI.UNDEFINED;
    }

    /**
     * The elements of basic types received.
     *
     * @param datatype the type that was received
     * @return how many, or {@link MPI#UNDEFINED} if the last is not whole
     * @throws MPIException if the datatype is null
     */
    public Count getElementsX(Datatype datatype) throws MPIException {
        return new Count(elements("getElementsX", datatype));
    }

    private long elements(String call, Datatype datatype) {
        Layout layout = Datatype.require(call, datatype).layout();
        if (datatype.isObject() || layout == null) {
            return datatype.basics(bytes);
        }
        return Native.typeElements(layout.handle(), bytes);
    }

    /**
     * Says how many elements there are.
     *
     * @param datatype what they are
     * @param elements how many of its basic type
     * @throws MPIException if the datatype is null or the number negative
     */
    public void setElements(Datatype datatype, int elements) throws MPIException {
        setElementsX(datatype, new Count(elements));
    }

    /**
     * Says how many elements there are.
     *
     * @param datatype what they are
     * @param elements how many of its basic type
     * @throws MPIException if the datatype is null or the number negative
     */
    public void setElementsX(Datatype datatype, Count elements) throws MPIException {
        Datatype.require("setElements", datatype);
        if (elements == null || elements.getCount() < 0) {
            throw new MPIException(ErrorClass.COUNT, "setElements: the number of elements "
                    + (elements == null ? "is a null reference" : "is " + elements.getCount()
                            + "; it cannot be negative"));
        }
        bytes = elements.getCount() << datatype.shift();
        fill(datatype);
    }

    /**
     * Was the operation cancelled?
     *
     * @return true if so
     * @throws MPIException never
     */
    public boolean isCancelled() throws MPIException {
        return isCancelled;
    }

    /**
     * Says whether the operation was cancelled.
     *
     * @param flag true if so
     * @throws MPIException never
     */
    public void setCancelled(boolean flag) throws MPIException {
        isCancelled = flag;
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
