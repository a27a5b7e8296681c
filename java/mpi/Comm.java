package mpi;

import corunna.engine.Native;

/**
 * A communicator: a group of ranks and a space of messages of its own. All of point-to-point is here.
 *
 * <p>Buffers are arrays of the datatype's Java type, or {@code ByteBuffer}s, direct ones being the fastest. An offset
 * counts elements of the basic type from the beginning of the array or buffer.
 */
public class Comm {
    /** The engine's communicator, 0 when there is none: not yet initialised, freed, finalised. */
    private long handle;
    private int rank;
    private int size;
    private Endpoint endpoint;
    private String name;
    private Errhandler errhandler = MPI.ERRORS_ARE_FATAL;

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

    /** The engine's communicator for a call of this name. */
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
     * @return false
     * @throws MPIException if the communicator cannot be used
     */
    public boolean Test_inter() throws MPIException {
        handle("Test_inter");
        return false;
    }

    /**
     * The kind of topology the communicator has.
     *
     * @return {@link MPI#UNDEFINED}, which is none
     * @throws MPIException if the communicator cannot be used
     */
    public int Topo_test() throws MPIException {
        handle("Topo_test");
        return MPI.UNDEFINED;
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

    // ---- checks ----

    private void checkDest(String call, int dest, int tag) {
        if (dest < 0 || dest >= size) {
            throw noRank(call, "dest", dest);
        }
        if (tag < 0) {
            throw noTag(call, tag);
        }
    }

    private void checkSource(String call, int source, int tag) {
        if ((source < 0 || source >= size) && source != MPI.ANY_SOURCE && source != MPI.PROC_NULL) {
            throw noRank(call, "source", source);
        }
        if (tag < 0 && tag != MPI.ANY_TAG) {
            throw noTag(call, tag);
        }
    }

    private MPIException noRank(String call, String argument, int value) {
        return new MPIException(ErrorClass.RANK, call + ": " + argument + " is " + value
                + ", but the communicator has " + size + (size == 1 ? " rank (0)" : " ranks (0.." + (size - 1) + ")"));
    }

    private static MPIException noTag(String call, int tag) {
        return new MPIException(ErrorClass.TAG, call + ": tag is " + tag + "; it cannot be negative");
    }

    /** Source and tag are what the message will have: the engine need not tell. */
    private static boolean isKnown(int source, int tag) {
        return (source | tag) >= 0;
    }

    // ---- blocking sends ----

    private void send(String call, int mode, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        long comm = handle(call);
        long at = Datatype.require(call, type).locate(call, buf, offset, count);
        if (dest == MPI.PROC_NULL) {
            return;
        }
        checkDest(call, dest, tag);
        long bytes = type.bytes(count);
        if (type.isWord(buf, bytes)) {
            Native.sendWord(comm, type.word(buf, offset), (int) bytes, dest, tag, mode);
        } else {
            Native.send(comm, type.target(buf), at, bytes, type.kind(buf), dest, tag, mode);
        }
    }

    /**
     * Sends a message. The buffer may be used again as soon as this returns.
     *
     * @param buf the array or {@code ByteBuffer}
     * @param offset first element to send
     * @param count elements of the datatype to send
     * @param datatype what the elements are
     * @param dest rank to send to, or {@link MPI#PROC_NULL}
     * @param tag tag of the message, not negative
     * @throws MPIException if an argument is wrong or the message cannot be sent
     */
    public void Send(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        send("Send", Native.STANDARD, buf, offset, count, datatype, dest, tag);
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
        send("Bsend", Native.BUFFERED, buf, offset, count, datatype, dest, tag);
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
        send("Ssend", Native.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
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
        send("Rsend", Native.READY, buf, offset, count, datatype, dest, tag);
    }

    // ---- blocking receive ----

    /**
     * Receives a message.
     *
     * @param buf the array or {@code ByteBuffer}
     * @param offset first element to write
     * @param count elements of the datatype there is room for
     * @param datatype what the elements are
     * @param source rank to receive from, {@link MPI#ANY_SOURCE} or {@link MPI#PROC_NULL}
     * @param tag tag to receive, or {@link MPI#ANY_TAG}
     * @return what is known of the message
     * @throws MPIException if an argument is wrong or the message is longer than the room
     */
    public Status Recv(Object buf, int offset, int count, Datatype datatype, int source, int tag) throws MPIException {
        long comm = handle("Recv");
        long at = Datatype.require("Recv", datatype).locate("Recv", buf, offset, count);
        checkSource("Recv", source, tag);
        long room = datatype.bytes(count);
        if (!isKnown(source, tag)) {
            long[] envelope = Status.envelopes(1);
            Native.recv(comm, datatype.target(buf), at, room, datatype.kind(buf), source, tag, envelope);
            return Status.of(envelope, 0, datatype);
        }
        long bytes;
        if (datatype.isWord(buf, room)) {
            long word = Native.recvWord(comm, buf, at, (int) room, datatype.kind(buf), source, tag);
            bytes = datatype.accept(word, buf, offset);
        } else {
            bytes = Native.recv(comm, datatype.target(buf), at, room, datatype.kind(buf), source, tag, null);
        }
        return new Status(source, tag, bytes, datatype);
    }

    // ---- non-blocking ----

    private Request isend(String call, int mode, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        long comm = handle(call);
        long at = Datatype.require(call, type).locate(call, buf, offset, count);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, tag);
        }
        long request = Native.isend(comm, type.target(buf), at, type.bytes(count), type.kind(buf), dest, tag, mode);
        return new Request(endpoint, request, type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
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
        return isend("Isend", Native.STANDARD, buf, offset, count, datatype, dest, tag);
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
        return isend("Ibsend", Native.BUFFERED, buf, offset, count, datatype, dest, tag);
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
        return isend("Issend", Native.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
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
        return isend("Irsend", Native.READY, buf, offset, count, datatype, dest, tag);
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
        long comm = handle("Irecv");
        long at = Datatype.require("Irecv", datatype).locate("Irecv", buf, offset, count);
        checkSource("Irecv", source, tag);
        long request = Native.irecv(comm, datatype.target(buf), at, datatype.bytes(count), datatype.kind(buf), source,
                tag);
        return new Request(endpoint, request, datatype, isKnown(source, tag), source, tag);
    }

    // ---- persistent ----

    private Prequest sendInit(String call, int mode, Object buf, int offset, int count, Datatype type, int dest,
            int tag) {
        long comm = handle(call);
        long at = Datatype.require(call, type).locate(call, buf, offset, count);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, tag);
        }
        long request = Native.sendInit(comm, type.target(buf), at, type.bytes(count), type.kind(buf), dest, tag, mode);
        return new Prequest(endpoint, request, type);
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
        return sendInit("Send_init", Native.STANDARD, buf, offset, count, datatype, dest, tag);
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
        return sendInit("Bsend_init", Native.BUFFERED, buf, offset, count, datatype, dest, tag);
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
        return sendInit("Ssend_init", Native.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
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
        return sendInit("Rsend_init", Native.READY, buf, offset, count, datatype, dest, tag);
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
        long comm = handle("Recv_init");
        long at = Datatype.require("Recv_init", datatype).locate("Recv_init", buf, offset, count);
        checkSource("Recv_init", source, tag);
        long request = Native.recvInit(comm, datatype.target(buf), at, datatype.bytes(count), datatype.kind(buf),
                source, tag);
        return new Prequest(endpoint, request, datatype);
    }

    // ---- send and receive at once ----

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
        String call = "Sendrecv";
        long comm = handle(call);
        long out = Datatype.require(call, sendtype).locate(call, sendbuf, sendoffset, sendcount);
        long in = Datatype.require(call, recvtype).locate(call, recvbuf, recvoffset, recvcount);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, sendtag);
        }
        checkSource(call, source, recvtag);
        long[] envelope = Status.envelopes(1);
        Native.sendrecv(comm, sendtype.target(sendbuf), out, sendtype.bytes(sendcount), sendtype.kind(sendbuf), dest,
                sendtag, recvtype.target(recvbuf), in, recvtype.bytes(recvcount), recvtype.kind(recvbuf), source,
                recvtag, envelope);
        return Status.of(envelope, 0, recvtype);
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
        String call = "Sendrecv_replace";
        long comm = handle(call);
        long at = Datatype.require(call, datatype).locate(call, buf, offset, count);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, sendtag);
        }
        checkSource(call, source, recvtag);
        long[] envelope = Status.envelopes(1);
        Native.sendrecvReplace(comm, datatype.target(buf), at, datatype.bytes(count), datatype.kind(buf), dest,
                sendtag, source, recvtag, envelope);
        return Status.of(envelope, 0, datatype);
    }

    // ---- probes ----

    /**
     * Waits until there is a message to receive.
     *
     * @param source as for {@link #Recv}
     * @param tag as for {@link #Recv}
     * @return what is known of the message
     * @throws MPIException if an argument is wrong
     */
    public Status Probe(int source, int tag) throws MPIException {
        long comm = handle("Probe");
        checkSource("Probe", source, tag);
        long[] envelope = Status.envelopes(1);
        Native.probe(comm, source, tag, envelope);
        return Status.of(envelope, 0, MPI.BYTE);
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
        long comm = handle("Iprobe");
        checkSource("Iprobe", source, tag);
        long[] envelope = Status.envelopes(1);
        return Native.iprobe(comm, source, tag, envelope) ? Status.of(envelope, 0, MPI.BYTE) : null;
    }
}
