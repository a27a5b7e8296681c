// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * What a communicator is and has, by the names of the Open MPI Java bindings. {@link Comm} inherits the calls of this
 * dialect from a row of classes, one for each family of calls; this is the first.
 */
abstract class CommFacts implements Freeable, Cloneable {
    /** {@link Intracomm#splitType}: the ranks that share memory. */
    public static final int TYPE_SHARED = 0;
    /** {@link #setType}: this rank alone. */
    protected static final int SELF = 1;
    /** {@link #setType}: all ranks. */
    protected static final int WORLD = 2;

    private Info info;
    private Request request;

    CommFacts() {
    }

    /** This communicator. Not by a cast: the virtual machine checks a class below so many others slowly. */
    abstract Comm comm();

    // ---- rank, size, name ----

    /**
     * The number of this rank in the communicator.
     *
     * @return 0 to {@link #getSize} - 1
     * @throws MPIException if the call fails
     */
    public final int getRank() throws MPIException {
        return comm().Rank();
    }

    /**
     * How many ranks there are in the communicator, of an {@link Intercomm} on this side.
     *
     * @return at least 1
     * @throws MPIException if the call fails
     */
    public final int getSize() throws MPIException {
        return comm().Size();
    }

    /**
     * Compares two communicators.
     *
     * @param comm1 one
     * @param comm2 the other
     * @return {@link MPI#IDENT}, {@link MPI#CONGRUENT}, {@link MPI#SIMILAR} or {@link MPI#UNEQUAL}
     * @throws MPIException if the call fails
     */
    public static int compare(Comm comm1, Comm comm2) throws MPIException {
        return Comm.Compare(comm1, comm2);
    }

    /**
     * Does this communicator join two groups?
     *
     * @return true of an {@link Intercomm}
     * @throws MPIException if the call fails
     */
    public final boolean isInter() throws MPIException {
        return comm().Test_inter();
    }

    /**
     * Is this the null communicator?
     *
     * @return true if no message can be sent with it
     */
    public final boolean isNull() {
        return comm().Is_null();
    }

    /**
     * The kind of topology.
     *
     * @return {@link MPI#CART}, {@link MPI#GRAPH}, {@link MPI#DIST_GRAPH} or {@link MPI#UNDEFINED}
     * @throws MPIException if the call fails
     */
    public final int getTopology() throws MPIException {
        return comm().Topo_test();
    }

    /**
     * The communicator's name.
     *
     * @return the name
     * @throws MPIException if the call fails
     */
    public final String getName() throws MPIException {
        return comm().Get_name();
    }

    /**
     * Names the communicator.
     *
     * @param name the name
     * @throws MPIException if the call fails
     */
    public final void setName(String name) throws MPIException {
        comm().Set_name(name);
    }

    /**
     * The ranks of the communicator; of an {@link Intercomm} those of this side.
     *
     * @return the group
     * @throws MPIException if the call fails
     */
    public final Group getGroup() throws MPIException {
        return comm().Group();
    }

    // ---- life ----

    /**
     * A communicator of the same ranks with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public Comm dup() throws MPIException {
        return comm().dupOf(Native.commDup(comm().handle("dup")));
    }

    /**
     * As {@link #dup()}, with hints of its own.
     *
     * @param info hints
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public Comm dupWithInfo(Info info) throws MPIException {
        Comm dup = dup();
        dup.setInfo(info);
        return dup;
    }

    /**
     * Starts a {@link #dup()}. The new communicator may be used when the request that it has is complete.
     *
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public Comm iDup() throws MPIException {
        long[] made = new long[1];
        long started = Native.commIdup(comm().handle("iDup"), made);
        Comm dup = comm().dupOf(made[0]);
        ((CommFacts) dup).request = new Request(comm().endpoint, started, MPI.BYTE, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        return dup;
    }

    /**
     * The request that tells when this communicator, from {@link #iDup()}, may be used.
     *
     * @return the request, a null request of any other communicator
     */
    public final Request getRequest() {
        if (request == null) {
            request = Request.none();
        }
        return request;
    }

    /**
     * Makes a communicator in the engine.
     *
     * @param comm the communicator
     * @return its number
     * @throws MPIException if the call fails
     */
    protected final long dup(long comm) throws MPIException {
        return Native.commDup(comm);
    }

    /**
     * Makes a communicator in the engine; hints change nothing there.
     *
     * @param comm the communicator
     * @param info hints
     * @return its number
     * @throws MPIException if the call fails
     */
    protected final long dupWithInfo(long comm, long info) throws MPIException {
        return Native.commDup(comm);
    }

    /**
     * Starts to make a communicator in the engine.
     *
     * @param comm the communicator
     * @return the numbers of the communicator and of the request
     * @throws MPIException if the call fails
     */
    protected final long[] iDup(long comm) throws MPIException {
        long[] made = new long[2];
        made[1] = Native.commIdup(comm, made);
        return made;
    }

    /**
     * Becomes one of the two communicators that every job has.
     *
     * @param type what the elements are
     */
    protected final void setType(int type) {
        Comm like = type == SELF ? MPI.COMM_SELF : MPI.COMM_WORLD;
        comm().bind(like.endpoint, like.handle("setType"));
    }

    /**
     * Frees the communicator. Collective.
     *
     * @throws MPIException if the call fails
     */
    @Override
    public final void free() throws MPIException {
        comm().Free();
    }

    /**
     * Waits until nothing is under way in the communicator, then frees it. Collective.
     *
     * @throws MPIException if the call fails
     */
    public final void disconnect() throws MPIException {
        long handle = comm().handle("disconnect");
        Native.commSettle(handle);
        long job = Native.commJob(handle);
        comm().Free();
        if (job != 0) {
            Native.jobLeave(job);
        }
    }

    /**
     * Ends the whole job.
     *
     * @param errorcode the error
     * @throws MPIException if the call fails
     */
    public final void abort(int errorcode) throws MPIException {
        comm().Abort(errorcode);
    }

    /**
     * Joins a communicator and another that has none of its ranks; see {@link Comm#Create_intercomm}.
     *
     * @param localComm the communicator of this side
     * @param localLeader the rank in it that speaks for it
     * @param remoteLeader the rank in this communicator that speaks for the other side
     * @param tag the tag
     * @return the new communicator
     * @throws MPIException if the call fails
     */
    public final Intercomm createIntercomm(Comm localComm, int localLeader, int remoteLeader, int tag)
            throws MPIException {
        return comm().Create_intercomm(localComm, localLeader, remoteLeader, tag);
    }

    // ---- errors and hints ----

    /**
     * Says what shall happen on errors; see {@link Errhandler} for what that means in Java.
     *
     * @param errhandler the handler
     * @throws MPIException if the call fails
     */
    public final void setErrhandler(Errhandler errhandler) throws MPIException {
        comm().Errhandler_set(errhandler);
    }

    /**
     * The handler that was set last.
     *
     * @return the handler
     * @throws MPIException if the call fails
     */
    public final Errhandler getErrhandler() throws MPIException {
        return comm().Errorhandler_get();
    }

    /**
     * Calls the handler that was set last: {@link MPI#ERRORS_RETURN} does nothing, the others throw the error.
     *
     * @param errorcode the error
     * @throws MPIException the error, or if the call fails
     */
    public void callErrhandler(int errorcode) throws MPIException {
        if (getErrhandler().isReturn()) {
            return;
        }
        throw new MPIException(errorcode, "callErrhandler: the program reports error " + errorcode);
    }

    /**
     * Keeps hints with the communicator; the engine does not use them.
     *
     * @param info hints
     * @throws MPIException if the call fails
     */
    public final void setInfo(Info info) throws MPIException {
        comm().handle("setInfo");
        this.info = Info.require("setInfo", info).dup();
    }

    /**
     * The hints that are kept with the communicator.
     *
     * @return a copy
     * @throws MPIException if the call fails
     */
    public final Info getInfo() throws MPIException {
        comm().handle("getInfo");
        return info == null ? new Info() : info.dup();
    }

    // ---- attributes ----

    /**
     * A key for attributes. Where a communicator has a value for it, its dups have it too.
     *
     * @return the key
     * @throws MPIException if the call fails
     */
    public static int createKeyval() throws MPIException {
        return Keyval.createNumber();
    }

    /**
     * Frees a key: it cannot be used any more.
     *
     * @param keyval the key
     * @throws MPIException if the call fails
     */
    public static void freeKeyval(int keyval) throws MPIException {
        Keyval.freeNumber("freeKeyval", keyval);
    }

    /**
     * Sets an attribute of the communicator.
     *
     * @param keyval the key
     * @param value the value
     * @throws MPIException if the call fails
     */
    public final void setAttr(int keyval, Object value) throws MPIException {
        comm().handle("setAttr");
        comm().attributes.set("setAttr", Keyval.requireNumber("setAttr", keyval), value);
    }

    /**
     * An attribute that was set, or one that every communicator has, such as {@link MPI#TAG_UB}.
     *
     * @param keyval the key
     * @return the value, null if there is none; a {@code Boolean} of {@link MPICalls#WTIME_IS_GLOBAL}, an
     *     {@code Integer} of the other keys that every communicator has
     * @throws MPIException if the call fails
     */
    public final Object getAttr(int keyval) throws MPIException {
        comm().handle("getAttr");
        Object value = comm().attributes.get(keyval, comm().endpoint);
        return keyval == Keyval.WTIME_IS_GLOBAL_NUMBER ? Boolean.valueOf((Integer) value != 0) : value;
    }

    /**
     * As {@link #getAttr(int)}, for {@link MPI#UNIVERSE_SIZE} and {@link MPI#WTIME_IS_GLOBAL}.
     *
     * @param keyval the key
     * @return the value, null if there is none
     * @throws MPIException if the call fails
     */
    public final Object getAttr(Keyval keyval) throws MPIException {
        return comm().Get_attr(keyval);
    }

    /**
     * Deletes an attribute.
     *
     * @param keyval the key
     * @throws MPIException if the call fails
     */
    public final void deleteAttr(int keyval) throws MPIException {
        comm().handle("deleteAttr");
        comm().attributes.delete("deleteAttr", Keyval.requireNumber("deleteAttr", keyval));
    }

    // ---- packing ----

    /**
     * Appends elements to packed data.
     *
     * @param inbuf the array or buffer with the elements
     * @param incount elements of the datatype
     * @param type what the elements are
     * @param outbuf the packed data
     * @param position where in the packed data, in bytes
     * @return the position behind them
     * @throws MPIException if the call fails
     */
    public final int pack(Object inbuf, int incount, Datatype type, byte[] outbuf, int position) throws MPIException {
        comm().handle("pack");
        return Packing.pack(comm().endpoint, Places.array(inbuf, type), Places.offset(inbuf, type), incount, type,
                outbuf, position);
    }

    /**
     * Takes elements out of packed data.
     *
     * @param packed the packed data
     * @param position where in the packed data, in bytes
     * @param recvbuf the array or buffer for what is received
     * @param outcount elements of the datatype
     * @param type what the elements are
     * @return the position behind them
     * @throws MPIException if the call fails
     */
    public final int unpack(byte[] packed, int position, Object recvbuf, int outcount, Datatype type)
            throws MPIException {
        comm().handle("unpack");
        return Packing.unpack(comm().endpoint, packed, position, Places.array(recvbuf, type),
                Places.offset(recvbuf, type), outcount, type);
    }

    /**
     * The room that packed elements need at most.
     *
     * @param incount elements of the datatype
     * @param type what the elements are
     * @return bytes
     * @throws MPIException if the call fails
     */
    public final int packSize(int incount, Datatype type) throws MPIException {
        return comm().Pack_size(incount, type);
    }
}
