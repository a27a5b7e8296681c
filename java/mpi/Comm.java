// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * A communicator: a group of ranks and a space of messages of its own. Messages and collectives are here.
 *
 * <p>Buffers are arrays of the datatype's Java type, or {@code ByteBuffer}s, direct ones being the fastest. An offset
 * counts elements of the basic type from the beginning of the array or buffer.
 */
public class Comm extends CommBase {
    /** The engine's communicator, 0 when there is none: not yet initialised, freed. It stays when MPI is finalised. */
    protected long handle;
    /** May calls begin? */
    private boolean isUsable;
    /** The engine's rank this communicator belongs to. */
    Endpoint endpoint;
    /** How many ranks messages can go to. */
    int peers;
    /** This rank, and how many there are on its side. */
    int rank;
    int size;
    /** Does it join two groups? */
    boolean isInter;
    /** What short arrays are copied through in collective calls. */
    final Staging staging = new Staging(this);

    private String name;
    private Errhandler errhandler = MPI.ERRORS_ARE_FATAL;
    final Attributes attributes = new Attributes();

    /** The group of this communicator, as {@link #Group} gives it; null while there is none. */
    public Group group;
    /** As MPJ Express has it: never anything here. */
    public mpjdev.Comm mpjdevComm;

    /** A communicator that {@link #bind} makes usable; until then it is the null communicator. */
    Comm(String name) {
        this.name = name;
    }

    /** A communicator that cannot be used yet. */
    protected Comm() {
        this("communicator");
    }

    /**
     * The engine's communicator of this number.
     *
     * @param handle the number; 0 for the null communicator
     */
    protected Comm(long handle) {
        this("communicator");
        if (handle != 0) {
            bind(MPI.current("Comm"), handle);
        }
    }

    /**
     * A communicator and the request that tells when it may be used, as {@link #iDup(long)} makes them.
     *
     * @param handles the two numbers
     */
    protected Comm(long[] handles) {
        this(handles[0]);
    }

    /** Becomes the engine's communicator {@code bound}. */
    final void bind(Endpoint newEndpoint, long bound) {
        endpoint = newEndpoint;
        handle = bound;
        isUsable = true;
        rank = Native.commRank(bound);
        size = Native.commSize(bound);
        peers = Native.commRemoteSize(bound);
        isInter = Native.commIsInter(bound);
        group = group(false);
        staging.open();
    }

    /** Becomes the engine's communicator {@code bound}, of the same ranks as another; it may not be used yet. */
    private void bindLike(Comm other, long bound) {
        endpoint = other.endpoint;
        handle = bound;
        isUsable = true;
        rank = other.rank;
        size = other.size;
        peers = other.peers;
        isInter = other.isInter;
        group = other.group;
    }

    /** MPI is being finalised. Other threads may have begun a call; what the handle names hears them even after that. */
    final void unbind() {
        isUsable = false;
    }

    /** Gives the engine's communicator back. */
    final void release() {
        if (handle != 0) {
            staging.close();
            Native.commFree(handle);
            handle = 0;
            isUsable = false;
        }
    }

    final Endpoint endpoint() {
        return endpoint;
    }

    @Override
    final Comm comm() {
        return this;
    }

    /** The engine's communicator for a call of this name. */
    final long handle(String call) {
        if (!isUsable) {
            throw unusable(call);
        }
        return handle;
    }

    /** A rank of this communicator, of whatever it is. */
    final void checkRank(String call, int which) {
        if (which < 0 || which >= peers) {
            throw Messages.noRank(this, call, "rank", which);
        }
    }

    /** The root of a call, and that the communicator can be used. */
    final void checkRoot(String call, int root) {
        handle(call);
        boolean isOther = isInter && (root == MPI.ROOT || root == MPI.PROC_NULL);
        if ((root < 0 || root >= peers) && !isOther) {
            throw new MPIException(ErrorClass.ROOT, call + ": root is " + root + ", but the "
                    + (isInter ? "other side" : "communicator") + " has " + peers + (peers == 1 ? " rank" : " ranks"));
        }
    }

    /** Does the root's side of the arguments count here? */
    final boolean isRoot(int root) {
        return isInter ? root == MPI.ROOT : root == rank;
    }

    /** Does the side that is not the root's count here? In one group all ranks have it, the root included. */
    final boolean isMember(int root) {
        return !isInter || root >= 0;
    }

    private MPIException unusable(String call) {
        if (endpoint == null) {
            return new MPIException(ErrorClass.COMM, call + ": " + (this == MPI.COMM_NULL
                    ? "the communicator is MPI.COMM_NULL" : "MPI is not initialised"));
        }
        return new MPIException(ErrorClass.COMM, call + ": "
                + (handle == 0 && endpoint.isOpen() ? "the communicator " + name + " has been freed" : "MPI has been finalised"));
    }

    // ---- rank, size and name ----

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
        return !isUsable;
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
     * @return {@link MPI#CART}, {@link MPI#GRAPH}, {@link MPI#DIST_GRAPH} or, if it has none, {@link MPI#UNDEFINED}
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
        Comm clone = adopt(sibling(name + " clone"), Native.commDup(handle("clone")));
        attributes.copyTo(clone.attributes);
        return clone;
    }

    /** An object of the same class, which is the null communicator yet. */
    Comm sibling(String newName) {
        return new Comm(newName);
    }

    /** The dup that the engine has made, or begun to make. */
    final Comm dupOf(long made) {
        Comm dup = sibling(name);
        dup.bindLike(this, made);
        dup.errhandler = errhandler;
        endpoint.add(dup);
        attributes.copyTo(dup.attributes);
        return dup;
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
     * Sets an attribute of the communicator that is a number.
     *
     * @param keyval a key of the program's own choice
     * @param value the number
     */
    public void Attr_put(int keyval, int value) {
        handle("Attr_put");
        attributes.set("Attr_put", keyval, value);
    }

    /**
     * The attribute that {@link #Attr_put} set, or one that every communicator has: {@link MPI#TAG_UB},
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
     * Deletes an attribute that is a number.
     *
     * @param keyval the key
     * @throws MPIException if the communicator cannot be used or the key is a predefined one
     */
    public void Attr_delete(int keyval) throws MPIException {
        handle("Attr_delete");
        attributes.delete("Attr_delete", keyval);
    }

    /**
     * Sets an attribute of the communicator that is an object.
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
     * The attribute that {@link #Set_attr} set.
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
     * Deletes an attribute that is an object.
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

    // ---- messages ----

    /**
     * Sends a message. The buffer may be used again as soon as this returns.
     *
     * @param buf the array or {@code ByteBuffer}; for {@link MPI#PACKED} also a {@link mpjbuf.Buffer}, which goes as a
     *     whole, whatever offset and count say
     * @param offset first element to send
     * @param count elements of the datatype to send
     * @param datatype what the elements are
     * @param dest rank to send to, or {@link MPI#PROC_NULL}
     * @param tag tag of the message, not negative
     * @throws MPIException if an argument is wrong or the message cannot be sent
     */
    public void Send(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        Messages.send(this, "Send", Native.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Sends a message from room that was attached with {@code MPI.Buffer_attach}, without waiting for the receiver.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @throws MPIException also if there is not enough room
     */
    public void Bsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        Messages.send(this, "Bsend", Native.BUFFERED, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Sends a message and returns only when its receive has begun.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @throws MPIException as for {@link #Send}
     */
    public void Ssend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        Messages.send(this, "Ssend", Native.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Sends a message whose receive, the program promises, has been posted.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @throws MPIException as for {@link #Send}
     */
    public void Rsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        Messages.send(this, "Rsend", Native.READY, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Receives a message.
     *
     * @param buf the array or {@code ByteBuffer}; for {@link MPI#PACKED} also a {@link mpjbuf.Buffer}, which takes what
     *     comes in place of what it had, whatever offset and count say
     * @param offset first element to write
     * @param count elements of the datatype there is room for
     * @param datatype what the elements are
     * @param source rank to receive from, {@link MPI#ANY_SOURCE} or {@link MPI#PROC_NULL}
     * @param tag tag to receive, or {@link MPI#ANY_TAG}
     * @return what is known of the message
     * @throws MPIException if an argument is wrong or the message is longer than the room
     */
    public Status Recv(Object buf, int offset, int count, Datatype datatype, int source, int tag) throws MPIException {
        return Messages.recv(this, buf, offset, count, datatype, source, tag);
    }

    /**
     * Starts to send. The buffer must be left alone until the request is complete.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to complete
     * @throws MPIException if an argument is wrong
     */
    public Request Isend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        return Messages.isend(this, "Isend", Native.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Starts a {@link #Bsend}.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to complete
     * @throws MPIException also if there is not enough room
     */
    public Request Ibsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.isend(this, "Ibsend", Native.BUFFERED, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Starts an {@link #Ssend}: the request completes only when the receive has begun.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to complete
     * @throws MPIException if an argument is wrong
     */
    public Request Issend(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.isend(this, "Issend", Native.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Starts an {@link #Rsend}.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to complete
     * @throws MPIException if an argument is wrong
     */
    public Request Irsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.isend(this, "Irsend", Native.READY, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Starts to receive. The buffer must be left alone until the request is complete.
     *
     * @param buf as for {@link #Recv}
     * @param offset as for {@link #Recv}
     * @param count as for {@link #Recv}
     * @param datatype as for {@link #Recv}
     * @param source as for {@link #Recv}
     * @param tag as for {@link #Recv}
     * @return the request to complete
     * @throws MPIException if an argument is wrong
     */
    public Request Irecv(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        return Messages.irecv(this, buf, offset, count, datatype, source, tag);
    }

    /**
     * Prepares a {@link #Send} that can be started many times.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to start
     * @throws MPIException if an argument is wrong
     */
    public Prequest Send_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.sendInit(this, "Send_init", Native.STANDARD, new Side(buf, offset, count, datatype), dest,
                tag);
    }

    /**
     * Prepares a {@link #Bsend} that can be started many times.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to start
     * @throws MPIException if an argument is wrong
     */
    public Prequest Bsend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.sendInit(this, "Bsend_init", Native.BUFFERED, new Side(buf, offset, count, datatype), dest,
                tag);
    }

    /**
     * Prepares an {@link #Ssend} that can be started many times.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to start
     * @throws MPIException if an argument is wrong
     */
    public Prequest Ssend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.sendInit(this, "Ssend_init", Native.SYNCHRONOUS, new Side(buf, offset, count, datatype), dest,
                tag);
    }

    /**
     * Prepares an {@link #Rsend} that can be started many times.
     *
     * @param buf as for {@link #Send}
     * @param offset as for {@link #Send}
     * @param count as for {@link #Send}
     * @param datatype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param tag as for {@link #Send}
     * @return the request to start
     * @throws MPIException if an argument is wrong
     */
    public Prequest Rsend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return Messages.sendInit(this, "Rsend_init", Native.READY, new Side(buf, offset, count, datatype), dest,
                tag);
    }

    /**
     * Prepares a {@link #Recv} that can be started many times.
     *
     * @param buf as for {@link #Recv}
     * @param offset as for {@link #Recv}
     * @param count as for {@link #Recv}
     * @param datatype as for {@link #Recv}
     * @param source as for {@link #Recv}
     * @param tag as for {@link #Recv}
     * @return the request to start
     * @throws MPIException if an argument is wrong
     */
    public Prequest Recv_init(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        return Messages.recvInit(this, new Side(buf, offset, count, datatype), source, tag);
    }

    /**
     * Sends one message and receives another, without the danger of two ranks waiting for each other.
     *
     * @param sendbuf as for {@link #Send}
     * @param sendoffset as for {@link #Send}
     * @param sendcount as for {@link #Send}
     * @param sendtype as for {@link #Send}
     * @param dest as for {@link #Send}
     * @param sendtag as for {@link #Send}
     * @param recvbuf as for {@link #Recv}
     * @param recvoffset as for {@link #Recv}
     * @param recvcount as for {@link #Recv}
     * @param recvtype as for {@link #Recv}
     * @param source as for {@link #Recv}
     * @param recvtag as for {@link #Recv}
     * @return what is known of the message received
     * @throws MPIException if an argument is wrong or the message is longer than the room
     */
    public Status Sendrecv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int source, int recvtag)
            throws MPIException {
        return Messages.sendrecv(this, new Side(sendbuf, sendoffset, sendcount, sendtype), dest, sendtag,
                new Side(recvbuf, recvoffset, recvcount, recvtype), source, recvtag);
    }

    /**
     * Sends a message and receives another into the same buffer.
     *
     * @param buf as for {@link #Recv}
     * @param offset as for {@link #Recv}
     * @param count as for {@link #Recv}
     * @param datatype as for {@link #Recv}
     * @param dest as for {@link #Send}
     * @param sendtag as for {@link #Send}
     * @param source as for {@link #Recv}
     * @param recvtag as for {@link #Recv}
     * @return what is known of the message received
     * @throws MPIException if an argument is wrong or the message is longer than the room
     */
    public Status Sendrecv_replace(Object buf, int offset, int count, Datatype datatype, int dest, int sendtag,
            int source, int recvtag) throws MPIException {
        return Messages.sendrecvReplace(this, new Side(buf, offset, count, datatype), dest, sendtag, source,
                recvtag);
    }

    /**
     * Waits until there is a message to receive.
     *
     * @param source as for {@link #Recv}
     * @param tag as for {@link #Recv}
     * @return what is known of the message
     * @throws MPIException if an argument is wrong
     */
    public Status Probe(int source, int tag) throws MPIException {
        return Messages.probe(this, source, tag);
    }

    /**
     * Looks whether there is a message to receive.
     *
     * @param source as for {@link #Recv}
     * @param tag as for {@link #Recv}
     * @return what is known of the message, or null if there is none
     * @throws MPIException if an argument is wrong
     */
    public Status Iprobe(int source, int tag) throws MPIException {
        return Messages.iprobe(this, source, tag);
    }

    // ---- collectives that move data ----

    /**
     * Waits until every rank of the communicator has come here.
     *
     * @throws MPIException if the communicator cannot be used
     */
    public void Barrier() throws MPIException {
        Native.barrier(handle("Barrier"));
    }

    /**
     * Gives every rank what the root has.
     *
     * @param buf the array or {@code ByteBuffer}: of the root what is sent, of the others where it goes
     * @param offset first element
     * @param count elements of the datatype
     * @param type what the elements are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Bcast(Object buf, int offset, int count, Datatype type, int root) throws MPIException {
        Sharing.bcast(this, new Side(buf, offset, count, type), root);
    }

    /**
     * Brings the same number of elements of every rank to the root, in the order of the ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go; only the root's counts
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @param root the rank that gets them
     * @throws MPIException if an argument is wrong
     */
    public void Gather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        Sharing.gather(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new Side(recvbuf, recvoffset, recvcount, recvtype), root);
    }

    /**
     * Brings elements of every rank to the root.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go; only the root's counts
     * @param recvoffset what the displacements are counted from
     * @param recvcounts elements of each rank
     * @param displs where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @param root the rank that gets them
     * @throws MPIException if an argument is wrong
     */
    public void Gatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root) throws MPIException {
        Sharing.gatherv(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new VSide(recvbuf, recvoffset, recvcounts, displs, recvtype), root);
    }

    /**
     * Deals elements of the root out to all ranks, the same number to each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in; only the root's counts
     * @param sendoffset where those for rank 0 begin
     * @param sendcount elements for each rank
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset first element to write
     * @param recvcount elements of the datatype to receive
     * @param recvtype what they are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Scatter(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        Sharing.scatter(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new Side(recvbuf, recvoffset, recvcount, recvtype), root);
    }

    /**
     * Deals elements of the root out to all ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in; only the root's counts
     * @param sendoffset what the displacements are counted from
     * @param sendcounts elements for each rank
     * @param displs where those for each rank begin, in extents of {@code sendtype}
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset first element to write
     * @param recvcount elements of the datatype to receive
     * @param recvtype what they are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Scatterv(Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        Sharing.scatterv(this, new VSide(sendbuf, sendoffset, sendcounts, displs, sendtype),
                new Side(recvbuf, recvoffset, recvcount, recvtype), root);
    }

    /**
     * Brings the same number of elements of every rank to all ranks, in the order of the ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Allgather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype) throws MPIException {
        Sharing.allgather(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new Side(recvbuf, recvoffset, recvcount, recvtype));
    }

    /**
     * Brings elements of every rank to all ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset what the displacements are counted from
     * @param recvcounts elements of each rank
     * @param displs where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Allgatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        Sharing.allgatherv(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new VSide(recvbuf, recvoffset, recvcounts, displs, recvtype));
    }

    /**
     * Every rank sends the same number of elements to each, and receives as many from each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset where those for rank 0 begin
     * @param sendcount elements for each rank
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Alltoall(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype) throws MPIException {
        Sharing.alltoall(this, new Side(sendbuf, sendoffset, sendcount, sendtype),
                new Side(recvbuf, recvoffset, recvcount, recvtype));
    }

    /**
     * Every rank sends elements to each and receives elements from each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset what {@code sdispls} are counted from
     * @param sendcounts elements for each rank
     * @param sdispls where those for each rank begin, in extents of {@code sendtype}
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset what {@code rdispls} are counted from
     * @param recvcounts elements of each rank
     * @param rdispls where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Alltoallv(Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        Sharing.alltoallv(this, new VSide(sendbuf, sendoffset, sendcounts, sdispls, sendtype),
                new VSide(recvbuf, recvoffset, recvcounts, rdispls, recvtype));
    }

    // ---- collectives that combine ----

    /**
     * Combines the values of all ranks, element by element, and gives the result to the root.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; only the root's counts
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined; it and the datatype may be null on a rank that has neither values nor the result
     * @param root the rank that gets the result
     * @throws MPIException if an argument is wrong
     */
    public void Reduce(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype,
            Op op, int root) throws MPIException {
        Reducing.reduce(this, new Side(sendbuf, sendoffset, count, datatype),
                new Side(recvbuf, recvoffset, count, datatype), op, root);
    }

    /**
     * Combines the values of all ranks, element by element, and gives the result to all.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; it may be {@code sendbuf}
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Allreduce(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count,
            Datatype datatype, Op op) throws MPIException {
        Reducing.allreduce(this, new Side(sendbuf, sendoffset, count, datatype),
                new Side(recvbuf, recvoffset, count, datatype), op);
    }

    /**
     * Combines the values of all ranks, element by element, and deals the result out to them.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values, as many as all counts together
     * @param sendoffset the first
     * @param recvbuf where this rank's part of the result goes
     * @param recvoffset its first element
     * @param recvcounts elements of the datatype for each rank
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Reduce_scatter(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts,
            Datatype datatype, Op op) throws MPIException {
        Reducing.reduceScatter(this, sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, datatype, op);
    }

    /**
     * Combines the values of this rank and of all with lower numbers, element by element.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; it may be {@code sendbuf}
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong, or the communicator joins two groups
     */
    public void Scan(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype,
            Op op) throws MPIException {
        Reducing.scan(this, new Side(sendbuf, sendoffset, count, datatype),
                new Side(recvbuf, recvoffset, count, datatype), op);
    }

    /**
     * Combines two vectors of this rank alone, element by element, into the second.
     *
     * @param inbuf the first, an array
     * @param inoutbuf the second, an array, and the result
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Reduce_local(Object inbuf, Object inoutbuf, int count, Datatype datatype, Op op) throws MPIException {
        handle("Reduce_local");
        Reducing.reduceLocal(inbuf, inoutbuf, count, datatype, op);
    }
}
