// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;

/** A message that a probe has matched: it is received by this object, and by no other receive. */
public final class Message {
    /** Null when there is no message. */
    private Comm comm;
    /** The engine's message; 0 of none. */
    protected long handle;
    /** A message from no rank, which has no data. */
    private boolean isNoProc;

    /** No message yet. */
    public Message() {
    }

    /**
     * Waits until there is a message to receive, and takes it.
     *
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @param comm the communicator
     * @return what is known of the message
     * @throws MPIException if the call fails
     */
    public Status mProbe(int source, int tag, Comm comm) throws MPIException {
        return probe("mProbe", source, tag, comm, true);
    }

    /**
     * Looks whether there is a message to receive, and takes it.
     *
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @param comm the communicator
     * @return what is known of the message, or null if there is none
     * @throws MPIException if the call fails
     */
    public Status imProbe(int source, int tag, Comm comm) throws MPIException {
        return probe("imProbe", source, tag, comm, false);
    }

    private Status probe(String call, int source, int tag, Comm from, boolean isWaiting) {
        if (from == null) {
            throw new MPIException(ErrorClass.COMM, call + ": the communicator is a null reference");
        }
        if (!isNull()) {
            throw new MPIException(ErrorClass.REQUEST, call + ": this object has a message that is not received yet");
        }
        long at = from.handle(call);
        Messages.checkSource(from, call, source, tag);
        long[] envelope = Status.envelopes(1);
        long taken = Native.mprobe(at, source, tag, isWaiting, envelope, call);
        if (taken == Native.NO_MESSAGE) {
            return null;
        }
        comm = from;
        handle = taken;
        isNoProc = taken == 0;
        return Status.of(envelope, 0, MPI.BYTE);
    }

    /**
     * Receives the message.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @return what is known of it
     * @throws MPIException if the call fails
     */
    public Status mRecv(Object recvbuf, int count, Datatype type) throws MPIException {
        Comm from = checked("mRecv", type);
        Side side = Places.side(recvbuf, count, type);
        if (isNoProc) {
            clear();
            return Messages.recv(from, side.buffer, side.offset, count, type, MPI.PROC_NULL, MPI.ANY_TAG);
        }
        long[] envelope = Status.envelopes(1);
        Cargo cargo = cargo("mRecv", from, side);
        long taken = handle;
        clear();
        try {
            Native.mrecv(from.handle, taken, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), envelope,
                    "mRecv");
            Status status = Status.of(envelope, 0, type);
            cargo.unload("mRecv", status);
            return status;
        } finally {
            cargo.close();
        }
    }

    /**
     * Starts to receive the message.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @return the request
     * @throws MPIException if the call fails
     */
    public Request imRecv(Buffer recvbuf, int count, Datatype type) throws MPIException {
        Comm from = checked("imRecv", type);
        Side side = Places.side(recvbuf, count, type);
        if (isNoProc) {
            clear();
            return Messages.irecv(from, side.buffer, side.offset, count, type, MPI.PROC_NULL, MPI.ANY_TAG);
        }
        Cargo cargo = cargo("imRecv", from, side);
        long taken = handle;
        clear();
        long request = Native.imrecv(from.handle, taken, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(),
                "imRecv");
        cargo.leave();
        return new Request(from.endpoint, request, type, null);
    }

    private static Cargo cargo(String call, Comm from, Side side) {
        if (side.isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": objects are received by Recv and Irecv");
        }
        return Cargo.in(call, from.endpoint, side);
    }

    /** The communicator of the message, which is there to receive. */
    private Comm checked(String call, Datatype type) {
        if (isNull()) {
            throw new MPIException(ErrorClass.REQUEST, call + ": there is no message; mProbe and imProbe take one");
        }
        Datatype.require(call, type);
        comm.handle(call);
        return comm;
    }

    private void clear() {
        comm = null;
        handle = 0;
        isNoProc = false;
    }

    /**
     * Is there no message?
     *
     * @return true before a probe and after the receive
     */
    public boolean isNull() {
        return comm == null;
    }

    /**
     * Is it the message from no rank, {@link MPI#PROC_NULL}?
     *
     * @return true if so
     */
    public boolean isNoProc() {
        return isNoProc;
    }
}
