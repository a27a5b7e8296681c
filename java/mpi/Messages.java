package mpi;

import corunna.engine.Blocking;
import corunna.engine.Native;

/** Point-to-point: the half of {@link Comm} that moves messages. */
abstract class Messages extends CommBase {
    /** The engine's communicator, 0 when there is none: not yet initialised, freed, finalised. */
    long handle;
    /** The engine's rank this communicator belongs to. */
    Endpoint endpoint;
    /** Whom messages can go to: so many ranks. */
    int peers;
    /** This rank, and how many there are on its side. */
    int rank;
    int size;
    /** Does it join two groups? */
    boolean isInter;

    Messages() {
    }

    /** The engine's communicator for a call of this name. */
    abstract long handle(String call);

    // ---- checks ----

    /** A rank of this communicator, of whatever it is. */
    final void checkRank(String call, int rank) {
        if (rank < 0 || rank >= peers) {
            throw noRank(call, "rank", rank);
        }
    }

    private void checkDest(String call, int dest, int tag) {
        if (dest < 0 || dest >= peers) {
            throw noRank(call, "dest", dest);
        }
        if (tag < 0) {
            throw noTag(call, tag);
        }
    }

    private void checkSource(String call, int source, int tag) {
        if ((source < 0 || source >= peers) && source != MPI.ANY_SOURCE && source != MPI.PROC_NULL) {
            throw noRank(call, "source", source);
        }
        if (tag < 0 && tag != MPI.ANY_TAG) {
            throw noTag(call, tag);
        }
    }

    private MPIException noRank(String call, String argument, int value) {
        return new MPIException(ErrorClass.RANK, call + ": " + argument + " is " + value
                + ", but the communicator has " + peers
                + (peers == 1 ? " rank (0)" : " ranks (0.." + (peers - 1) + ")"));
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
        if (!Datatype.require(call, type).isPlain) {
            sendCargo(call, comm, mode, buf, offset, count, type, dest, tag);
            return;
        }
        long at = type.locate(call, buf, offset, count);
        if (dest == MPI.PROC_NULL) {
            return;
        }
        checkDest(call, dest, tag);
        long bytes = type.bytes(count);
        if (type.isWord(buf, bytes) && !Blocking.isVirtual()) {
            Native.sendWord(comm, type.word(buf, offset), (int) bytes | type.typeClass(), dest, tag, mode);
        } else {
            Blocking.send(comm, type.target(buf), at, bytes, type.messageKind(buf), dest, tag, mode);
        }
    }

    private void sendCargo(String call, long comm, int mode, Object buf, int offset, int count, Datatype type,
            int dest, int tag) {
        if (dest == MPI.PROC_NULL) {
            type.checkBuffer(call, buf, offset, count);
            return;
        }
        checkDest(call, dest, tag);
        Cargo cargo = Cargo.out(call, endpoint, buf, offset, count, type);
        try {
            Blocking.send(comm, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), dest, tag, mode);
        } finally {
            cargo.close();
        }
    }

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
        long comm = handle("Recv");
        if (!Datatype.require("Recv", datatype).isPlain) {
            return recvCargo(comm, buf, offset, count, datatype, source, tag);
        }
        long at = datatype.locate("Recv", buf, offset, count);
        checkSource("Recv", source, tag);
        long room = datatype.bytes(count);
        if (!isKnown(source, tag)) {
            long[] envelope = Status.envelopes(1);
            Blocking.recv(comm, datatype.target(buf), at, room, datatype.messageKind(buf), source, tag, envelope);
            return Status.of(envelope, 0, datatype);
        }
        long bytes;
        if (datatype.isWord(buf, room) && !Blocking.isVirtual()) {
            long word = Native.recvWord(comm, buf, at, (int) room, datatype.messageKind(buf), source, tag);
            bytes = datatype.accept(word, buf, offset);
        } else {
            bytes = Blocking.recv(comm, datatype.target(buf), at, room, datatype.messageKind(buf), source, tag, null);
        }
        return new Status(source, tag, bytes, datatype);
    }

    private Status recvCargo(long comm, Object buf, int offset, int count, Datatype type, int source, int tag) {
        checkSource("Recv", source, tag);
        long[] envelope = Status.envelopes(1);
        Cargo cargo = Cargo.in("Recv", endpoint, buf, offset, count, type);
        try {
            Blocking.recv(comm, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), source, tag, envelope);
            Status status = Status.of(envelope, 0, type);
            cargo.unload("Recv", status);
            return status;
        } finally {
            cargo.close();
        }
    }

    // ---- non-blocking ----

    private Request isend(String call, int mode, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        long comm = handle(call);
        Datatype.require(call, type);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, tag);
        }
        if (!type.isPlain) {
            return isendCargo(call, comm, mode, buf, offset, count, type, dest, tag);
        }
        long at = type.locate(call, buf, offset, count);
        long request = Native.isend(comm, type.target(buf), at, type.bytes(count), type.messageKind(buf), dest, tag,
                mode, call);
        return new Request(endpoint, request, type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
    }

    private Request isendCargo(String call, long comm, int mode, Object buf, int offset, int count, Datatype type,
            int dest, int tag) {
        Cargo cargo = Cargo.out(call, endpoint, buf, offset, count, type);
        try {
            long request = Native.isend(comm, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), dest, tag,
                    mode, call);
            return new Request(endpoint, request, type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        } finally {
            cargo.leave();
        }
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
        Datatype.require("Irecv", datatype);
        checkSource("Irecv", source, tag);
        if (!datatype.isPlain) {
            return irecvCargo(comm, buf, offset, count, datatype, source, tag);
        }
        long at = datatype.locate("Irecv", buf, offset, count);
        long request = Native.irecv(comm, datatype.target(buf), at, datatype.bytes(count), datatype.messageKind(buf),
                source, tag, "Irecv");
        return new Request(endpoint, request, datatype, isKnown(source, tag), source, tag);
    }

    private Request irecvCargo(long comm, Object buf, int offset, int count, Datatype type, int source, int tag) {
        Cargo cargo = Cargo.in("Irecv", endpoint, buf, offset, count, type);
        boolean isStarted = false;
        try {
            long request = Native.irecv(comm, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), source, tag,
                    "Irecv");
            isStarted = true;
            return new Request(endpoint, request, type, cargo);
        } finally {
            if (!isStarted) {
                cargo.close();
            }
        }
    }

    // ---- persistent ----

    private Prequest sendInit(String call, int mode, Object buf, int offset, int count, Datatype type, int dest,
            int tag) {
        long comm = handle(call);
        Datatype.require(call, type);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, tag);
        }
        if (!type.isPlain) {
            return Prequest.send(this, call, mode, buf, offset, count, type, dest, tag);
        }
        long at = type.locate(call, buf, offset, count);
        long request = Native.sendInit(comm, type.target(buf), at, type.bytes(count), type.messageKind(buf), dest, tag,
                mode);
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
        Datatype.require("Recv_init", datatype);
        checkSource("Recv_init", source, tag);
        if (!datatype.isPlain) {
            return Prequest.receive(this, buf, offset, count, datatype, source, tag);
        }
        long at = datatype.locate("Recv_init", buf, offset, count);
        long request = Native.recvInit(comm, datatype.target(buf), at, datatype.bytes(count), datatype.messageKind(buf),
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
        Datatype.require(call, sendtype);
        Datatype.require(call, recvtype);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, sendtag);
        }
        checkSource(call, source, recvtag);
        if (!sendtype.isPlain || !recvtype.isPlain) {
            return sendrecvCargo(comm, sendbuf, sendoffset, sendcount, sendtype, dest, sendtag, recvbuf, recvoffset,
                    recvcount, recvtype, source, recvtag);
        }
        long out = sendtype.locate(call, sendbuf, sendoffset, sendcount);
        long in = recvtype.locate(call, recvbuf, recvoffset, recvcount);
        long[] envelope = Status.envelopes(1);
        Blocking.sendrecv(comm, sendtype.target(sendbuf), out, sendtype.bytes(sendcount),
                sendtype.messageKind(sendbuf), dest, sendtag, recvtype.target(recvbuf), in, recvtype.bytes(recvcount),
                recvtype.messageKind(recvbuf), source, recvtag, envelope);
        return Status.of(envelope, 0, recvtype);
    }

    private Status sendrecvCargo(long comm, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, int dest,
            int sendtag, Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int source, int recvtag) {
        String call = "Sendrecv";
        long[] envelope = Status.envelopes(1);
        Cargo in = Cargo.in(call, endpoint, recvbuf, recvoffset, recvcount, recvtype);
        Cargo out = null;
        try {
            out = Cargo.out(call, endpoint, sendbuf, sendoffset, sendcount, sendtype);
            Blocking.sendrecv(comm, out.target, out.at, out.bytes, out.messageKind(), dest, sendtag, in.target, in.at,
                    in.bytes, in.messageKind(), source, recvtag, envelope);
            Status status = Status.of(envelope, 0, recvtype);
            in.unload(call, status);
            return status;
        } finally {
            in.close();
            if (out != null) {
                out.close();
            }
        }
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
        Datatype.require(call, datatype);
        if (dest != MPI.PROC_NULL) {
            checkDest(call, dest, sendtag);
        }
        checkSource(call, source, recvtag);
        if (!datatype.isPlain && (datatype.isObject() || datatype.isSections(buf))) {
            return sendrecvCargo(comm, buf, offset, count, datatype, dest, sendtag, buf, offset, count, datatype,
                    source, recvtag);
        }
        long[] envelope = Status.envelopes(1);
        if (!datatype.isPlain) {
            Cargo cargo = Cargo.in(call, endpoint, buf, offset, count, datatype);
            Blocking.sendrecvReplace(comm, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), dest, sendtag,
                    source, recvtag, envelope);
            cargo.close();
            return Status.of(envelope, 0, datatype);
        }
        long at = datatype.locate(call, buf, offset, count);
        Blocking.sendrecvReplace(comm, datatype.target(buf), at, datatype.bytes(count), datatype.messageKind(buf), dest,
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
        Blocking.probe(comm, source, tag, envelope);
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
        return Native.iprobe(comm, source, tag, envelope, "Iprobe") ? Status.of(envelope, 0, MPI.BYTE) : null;
    }
}
