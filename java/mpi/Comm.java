package mpi;

import corunna.engine.Native;

/**
 * A communicator: a group of ranks and a space of messages of its own. Messages and collectives are here.
 *
 * <p>Buffers are arrays of the datatype's Java type, or {@code ByteBuffer}s, direct ones being the fastest. An offset
 * counts elements of the basic type from the beginning of the array or buffer.
 */
public class Comm extends Reducing {
    private String name;
    private Errhandler errhandler = MPI.ERRORS_ARE_FATAL;
    private final Attributes attributes = new Attributes();

    /** The group of this communicator, as {@link #Group} gives it; null while there is none. */
    public Group group;
    /** As MPJ Express has it: never anything here. */
    public mpjdev.Comm mpjdevComm;

    /** A communicator that {@link #bind} makes usable; until then it is the null communicator. */
    Comm(String name) {
        this.name = name;
    }

    /** Becomes the engine's communicator {@code bound}. */
    final void bind(Endpoint newEndpoint, long bound) {
        endpoint = newEndpoint;
        handle = bound;
        rank = Native.commRank(bound);
        size = Native.commSize(bound);
        peers = Native.commRemoteSize(bound);
        isInter = Native.commIsInter(bound);
        group = group(false);
        forgetZeroCopy();
    }

    /** Forgets the engine's communicator, which is about to go. */
    final void unbind() {
        handle = 0;
    }

    /** Gives the engine's communicator back. */
    final void release() {
        if (handle != 0) {
            Native.commFree(handle);
            handle = 0;
        }
    }

    final Endpoint endpoint() {
        return endpoint;
    }

    @Override
    final long handle(String call) {
        if (handle == 0) {
            throw unusable(call);
        }
        return handle;
    }

    private MPIException unusable(String call) {
        if (endpoint == null) {
            return new MPIException(ErrorClass.COMM, call + ": " + (this == MPI.COMM_NULL
                    ? "the communicator is MPI.COMM_NULL" : "MPI is not initialised"));
        }
        return new MPIException(ErrorClass.COMM, call + ": "
                + (endpoint.isOpen() ? "the communicator " + name + " has been freed" : "MPI has been finalised"));
    }

    // ---- who we are ----

    /**
     * The number of this rank in the communicator.
     *
     * @return 0 to {@link #Size} - 1
     * @throws MPIException if the communicator cannot be used
     */
    public int Rank() throws MPIException {
        handle("Rank");
        return rank;
    }

    /**
     * How many ranks there are in the communicator.
     *
     * @return at least 1
     * @throws MPIException if the communicator cannot be used
     */
    public int Size() throws MPIException {
        handle("Size");
        return size;
    }

    /**
     * Compares two communicators.
     *
     * @param comm1 one
     * @param comm2 the other
     * @return {@link MPI#IDENT}, {@link MPI#CONGRUENT}, {@link MPI#SIMILAR} or {@link MPI#UNEQUAL}
     * @throws MPIException if one of them cannot be used
     */
    public static int Compare(Comm comm1, Comm comm2) throws MPIException {
        if (comm1 == null || comm2 == null) {
            throw new MPIException(ErrorClass.COMM, "Compare: a communicator is a null reference");
        }
        return Native.commCompare(comm1.handle("Compare"), comm2.handle("Compare"));
    }

    /**
     * Is this the null communicator?
     *
     * @return true if no message can be sent with it
     */
    public boolean Is_null() {
        return handle == 0;
    }

    /**
     * Does this communicator join two groups?
     *
     * @return true of an {@link Intercomm}
     * @throws MPIException if the communicator cannot be used
     */
    public boolean Test_inter() throws MPIException {
        return Native.commIsInter(handle("Test_inter"));
    }

    /**
     * The kind of topology the communicator has.
     *
     * @return {@link MPI#CART}, {@link MPI#GRAPH} or, if it has none, {@link MPI#UNDEFINED}
     * @throws MPIException if the communicator cannot be used
     */
    public int Topo_test() throws MPIException {
        return Native.topologyKind(handle("Topo_test"));
    }

    /**
     * The communicator's name.
     *
     * @return the name
     * @throws MPIException if the communicator cannot be used
     */
    public String Get_name() throws MPIException {
        handle("Get_name");
        return name;
    }

    /**
     * Names the communicator.
     *
     * @param newName the name
     * @throws MPIException if the communicator cannot be used
     */
    public void Set_name(String newName) throws MPIException {
        handle("Set_name");
        name = newName;
    }

    /**
     * Says what shall happen on errors; see {@link Errhandler} for what that means in Java.
     *
     * @param newErrhandler the handler
     * @throws MPIException if the handler is null or the communicator cannot be used
     */
    public void Errhandler_set(Errhandler newErrhandler) throws MPIException {
        handle("Errhandler_set");
        if (newErrhandler == null) {
            throw new MPIException(ErrorClass.ARG, "Errhandler_set: the handler is null");
        }
        errhandler = newErrhandler;
    }

    /**
     * The handler that was set last.
     *
     * @return the handler
     * @throws MPIException if the communicator cannot be used
     */
    public Errhandler Errorhandler_get() throws MPIException {
        handle("Errorhandler_get");
        return errhandler;
    }

    /**
     * Frees the communicator. Collective.
     *
     * @throws MPIException if the communicator cannot be used or is one of the predefined ones
     */
    public void Free() throws MPIException {
        handle("Free");
        if (this == MPI.COMM_WORLD || this == MPI.COMM_SELF) {
            throw new MPIException(ErrorClass.COMM, "Free: " + name + " cannot be freed");
        }
        endpoint.remove(this);
        release();
    }

    /**
     * A communicator of the same ranks with a space of messages of its own. Collective.
     *
     * @return the new communicator
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Comm clone() throws MPIException {
        return adopt(new Comm(name), Native.commDup(handle("clone")));
    }

    /** A communicator just made by the engine, in the care of the same endpoint. */
    final <C extends Comm> C adopt(C comm, long made) {
        comm.bind(endpoint, made);
        endpoint.add(comm);
        return comm;
    }

    /**
     * Ends the whole job.
     *
     * @param errorcode the status the job shall end with
     * @throws MPIException if the communicator cannot be used
     */
    public void Abort(int errorcode) throws MPIException {
        handle("Abort");
        endpoint.abort(errorcode);
    }

    // ---- groups and other communicators ----

    /**
     * The ranks of the communicator; of an {@link Intercomm} those of this side.
     *
     * @return the group
     * @throws MPIException if the communicator cannot be used
     */
    public Group Group() throws MPIException {
        handle("Group");
        return group;
    }

    final Group group(boolean isRemote) {
        return new Group(Native.commPeers(handle, isRemote), endpoint.number());
    }

    /**
     * Joins a communicator and another that has none of its ranks. Collective over both; what the two leaders have
     * in common is {@code this}, which the others only pass.
     *
     * @param localComm the communicator of this side
     * @param localLeader the rank in it that speaks for it
     * @param remoteLeader the rank in {@code this} that speaks for the other side
     * @param tag a tag for what the leaders say to each other in {@code this}
     * @return the new communicator
     * @throws MPIException if an argument is wrong, or the two sides have a rank in common
     */
    public Intercomm Create_intercomm(Comm localComm, int localLeader, int remoteLeader, int tag) throws MPIException {
        return adopt(new Intercomm(Get_name() + " inter"),
                joined("Create_intercomm", localComm, localLeader, remoteLeader, tag));
    }

    /**
     * As {@link #Create_intercomm}, for programs that keep the number of a communicator.
     *
     * @param localComm as for {@link #Create_intercomm}
     * @param localLeader as for {@link #Create_intercomm}
     * @param remoteLeader as for {@link #Create_intercomm}
     * @param tag as for {@link #Create_intercomm}
     * @return the number of the new communicator, which lives until {@link MPI#Finalize}
     */
    public long GetIntercomm(Comm localComm, int localLeader, int remoteLeader, int tag) {
        return Create_intercomm(localComm, localLeader, remoteLeader, tag).handle("GetIntercomm");
    }

    private long joined(String call, Comm localComm, int localLeader, int remoteLeader, int tag) {
        long bridge = handle(call);
        if (localComm == null) {
            throw new MPIException(ErrorClass.COMM, call + ": the local communicator is a null reference");
        }
        long local = localComm.handle(call);
        if (localLeader < 0 || localLeader >= localComm.size) {
            throw new MPIException(ErrorClass.RANK, call + ": the local leader is " + localLeader
                    + ", but the local communicator has " + localComm.size + " ranks");
        }
        if (localComm.rank == localLeader && (remoteLeader < 0 || remoteLeader >= peers)) {
            throw new MPIException(ErrorClass.RANK, call + ": the remote leader is " + remoteLeader
                    + ", but the communicator has " + peers + " ranks");
        }
        if (tag < 0) {
            throw new MPIException(ErrorClass.TAG, call + ": tag is " + tag + "; it cannot be negative");
        }
        return Native.intercommCreate(local, localLeader, bridge, remoteLeader, tag);
    }

    // ---- attributes ----

    /**
     * Hangs a number on the communicator.
     *
     * @param keyval a key of the program's own choice
     * @param value the number
     */
    public void Attr_put(int keyval, int value) {
        handle("Attr_put");
        attributes.set("Attr_put", keyval, value);
    }

    /**
     * What {@link #Attr_put} hung on the communicator, or what is known of every one: {@link MPI#TAG_UB},
     * {@link MPI#HOST}, {@link MPI#IO}.
     *
     * @param keyval the key
     * @return the number, or null if there is none
     * @throws MPIException if the communicator cannot be used
     */
    @Override
    public Integer Attr_get(int keyval) throws MPIException {
        handle("Attr_get");
        Object value = attributes.get(keyval, endpoint);
        return value instanceof Integer ? (Integer) value : null;
    }

    /**
     * Takes a number off the communicator.
     *
     * @param keyval the key
     * @throws MPIException if the communicator cannot be used or the key is a predefined one
     */
    public void Attr_delete(int keyval) throws MPIException {
        handle("Attr_delete");
        attributes.delete("Attr_delete", keyval);
    }

    /**
     * Hangs an object on the communicator.
     *
     * @param keyval a key, from {@link MPI#Comm_create_keyval}
     * @param value the object
     * @throws MPIException if the communicator cannot be used, or the key is null, freed or predefined
     */
    public void Set_attr(Keyval keyval, Object value) throws MPIException {
        handle("Set_attr");
        attributes.set("Set_attr", Keyval.number("Set_attr", keyval), value);
    }

    /**
     * What {@link #Set_attr} hung on the communicator.
     *
     * @param keyval the key
     * @return the object, or null if there is none
     * @throws MPIException if the communicator cannot be used, or the key is null or freed
     */
    public Object Get_attr(Keyval keyval) throws MPIException {
        handle("Get_attr");
        return attributes.get(Keyval.number("Get_attr", keyval), endpoint);
    }

    /**
     * As the other {@link #Get_attr(Keyval)}, for the keys that are numbers here: {@link MPI#TAG_UB} and its like.
     *
     * @param keyval the key
     * @return the object, or null if there is none
     * @throws MPIException if the communicator cannot be used
     */
    public Object Get_attr(int keyval) throws MPIException {
        handle("Get_attr");
        return attributes.get(keyval, endpoint);
    }

    /**
     * Takes an object off the communicator.
     *
     * @param keyval the key
     * @throws MPIException if the communicator cannot be used, or the key is null, freed or predefined
     */
    public void Delete_attr(Keyval keyval) throws MPIException {
        handle("Delete_attr");
        attributes.delete("Delete_attr", Keyval.number("Delete_attr", keyval));
    }

    // ---- packing ----

    /**
     * Appends elements to packed data.
     *
     * @param inbuf the array or {@code ByteBuffer}
     * @param offset first element
     * @param incount elements of the datatype
     * @param datatype what the elements are
     * @param outbuf the packed data
     * @param position where in {@code outbuf} they shall stand, in bytes
     * @return the position behind them
     * @throws MPIException if an argument is wrong or there is not enough room
     */
    public int Pack(Object inbuf, int offset, int incount, Datatype datatype, byte[] outbuf, int position)
            throws MPIException {
        handle("Pack");
        return Packing.pack(endpoint, inbuf, offset, incount, datatype, outbuf, position);
    }

    /**
     * Takes elements out of packed data.
     *
     * @param inbuf the packed data
     * @param position where in {@code inbuf} they stand, in bytes
     * @param outbuf the array or {@code ByteBuffer}
     * @param offset first element to write
     * @param outcount elements of the datatype
     * @param datatype what the elements are
     * @return the position behind them
     * @throws MPIException if an argument is wrong or the packed data ends before
     */
    public int Unpack(byte[] inbuf, int position, Object outbuf, int offset, int outcount, Datatype datatype)
            throws MPIException {
        handle("Unpack");
        return Packing.unpack(endpoint, inbuf, position, outbuf, offset, outcount, datatype);
    }

    /**
     * Appends elements to a buffer, as a section of their own.
     *
     * @param inbuf the array
     * @param offset first element
     * @param incount elements of the datatype
     * @param datatype what the elements are
     * @param outbuf the buffer
     * @param position ignored: the section stands behind what is there
     * @return the position behind it, in bytes
     * @throws MPIException if an argument is wrong or there is not enough room
     */
    public int Pack(Object inbuf, int offset, int incount, Datatype datatype, mpjbuf.Buffer outbuf, int position)
            throws MPIException {
        handle("Pack");
        return Packing.pack(endpoint, inbuf, offset, incount, datatype, outbuf);
    }

    /**
     * Takes the next section out of a buffer.
     *
     * @param inbuf the buffer
     * @param position ignored: it is the section behind the one that was read last
     * @param outbuf the array
     * @param offset first element to write
     * @param outcount elements of the datatype
     * @param datatype what the elements are
     * @return the position behind it, in bytes
     * @throws MPIException if an argument is wrong or the section is another
     */
    public int Unpack(mpjbuf.Buffer inbuf, int position, Object outbuf, int offset, int outcount, Datatype datatype)
            throws MPIException {
        handle("Unpack");
        return Packing.unpack(endpoint, inbuf, outbuf, offset, outcount, datatype);
    }

    /**
     * The room that elements take when packed, in whichever kind of buffer.
     *
     * @param incount elements of the datatype
     * @param datatype what they are; how long objects will be is not known, use {@link #Pack_size(int, Object[])}
     * @return an upper bound in bytes
     * @throws MPIException if the count is negative, the type is null or so much room cannot be
     */
    public int Pack_size(int incount, Datatype datatype) throws MPIException {
        handle("Pack_size");
        return Packing.size(incount, datatype);
    }

    /**
     * The room that objects take when packed.
     *
     * @param incount how many of them, from the first
     * @param objects the objects
     * @return the bytes
     * @throws MPIException if there are not so many, or they cannot be serialised
     */
    public int Pack_size(int incount, Object[] objects) throws MPIException {
        handle("Pack_size");
        return Packing.size(endpoint, incount, objects);
    }

    /**
     * Objects as bytes, in the form in which they travel.
     *
     * @param buf the array of objects
     * @param offset the first
     * @param count elements of the datatype
     * @param type {@link MPI#OBJECT} or a type made of it
     * @return the bytes
     * @throws MPIException if an argument is wrong or one of the objects cannot be serialised
     */
    public byte[] Object_Serialize(Object buf, int offset, int count, Datatype type) throws MPIException {
        handle("Object_Serialize");
        return Packing.serialize(endpoint, buf, offset, count, type);
    }

    /**
     * The way back from {@link #Object_Serialize}.
     *
     * @param buf the array to fill
     * @param bytes the bytes
     * @param offset the first element to write
     * @param count elements of the datatype there is room for
     * @param type {@link MPI#OBJECT} or a type made of it
     * @throws MPIException if an argument is wrong or the bytes cannot be understood
     */
    public void Object_Deserialize(Object buf, byte[] bytes, int offset, int count, Datatype type)
            throws MPIException {
        handle("Object_Deserialize");
        Packing.deserialize(endpoint, buf, bytes, offset, count, type);
    }
}
