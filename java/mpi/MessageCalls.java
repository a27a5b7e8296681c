// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;

/**
 * The messages of {@link Comm} by the names of the Open MPI Java bindings.
 *
 * <p>A buffer is an array of a primitive type or a {@code java.nio} buffer; {@link MPI#slice(byte[], int)} and its like
 * stand for an offset. Where the elements of an array are not of the datatype's Java type, its bytes count. The
 * non-blocking calls take both as well.
 */
abstract class MessageCalls extends CommFacts {
    MessageCalls() {
    }

    // ---- blocking ----

    /**
     * Sends elements. When it returns the buffer may be used again.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @throws MPIException if the call fails
     */
    public final void send(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Messages.send(comm(), "send", Native.STANDARD, Places.array(buf, type), Places.offset(buf, type), count,
                type, dest, tag);
    }

    /**
     * As {@link #send}, through the buffer from {@link MPI#attachBuffer}.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @throws MPIException if the call fails
     */
    public final void bSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Messages.send(comm(), "bSend", Native.BUFFERED, Places.array(buf, type), Places.offset(buf, type), count,
                type, dest, tag);
    }

    /**
     * As {@link #send}, but returns only when the receive has begun.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @throws MPIException if the call fails
     */
    public final void sSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Messages.send(comm(), "sSend", Native.SYNCHRONOUS, Places.array(buf, type), Places.offset(buf, type), count,
                type, dest, tag);
    }

    /**
     * As {@link #send}, to a rank that already waits for the message.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @throws MPIException if the call fails
     */
    public final void rSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Messages.send(comm(), "rSend", Native.READY, Places.array(buf, type), Places.offset(buf, type), count,
                type, dest, tag);
    }

    /**
     * Receives elements.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return what is known of the message
     * @throws MPIException if the call fails
     */
    public final Status recv(Object recvbuf, int count, Datatype type, int source, int tag) throws MPIException {
        return Messages.recv(comm(), Places.array(recvbuf, type), Places.offset(recvbuf, type), count, type, source,
                tag);
    }

    /**
     * Sends and receives at once.
     *
     * @param sendbuf the array or buffer with what is sent
     * @param sendcount elements of the datatype to send
     * @param sendtype what the elements sent are
     * @param dest the rank to send to
     * @param sendtag the tag of what is sent
     * @param recvbuf the array or buffer for what is received
     * @param recvcount elements of the datatype to receive
     * @param recvtype what the elements received are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param recvtag the tag of what is received
     * @return what is known of the message received
     * @throws MPIException if the call fails
     */
    public final Status sendRecv(Object sendbuf, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvcount, Datatype recvtype, int source, int recvtag) throws MPIException {
        return Messages.sendrecv(comm(), Places.side(sendbuf, sendcount, sendtype), dest, sendtag,
                Places.side(recvbuf, recvcount, recvtype), source, recvtag);
    }

    /**
     * As {@link #sendRecv}, with what is received in the place of what was sent.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param sendtag the tag of what is sent
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param recvtag the tag of what is received
     * @return what is known of the message received
     * @throws MPIException if the call fails
     */
    public final Status sendRecvReplace(Object buf, int count, Datatype type, int dest, int sendtag, int source,
            int recvtag) throws MPIException {
        return Messages.sendrecvReplace(comm(), Places.side(buf, count, type), dest, sendtag, source, recvtag);
    }

    /**
     * Waits until there is a message to receive.
     *
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return what is known of the message
     * @throws MPIException if the call fails
     */
    public final Status probe(int source, int tag) throws MPIException {
        return comm().Probe(source, tag);
    }

    /**
     * Looks whether there is a message to receive.
     *
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return what is known of the message, or null if there is none
     * @throws MPIException if the call fails
     */
    public final Status iProbe(int source, int tag) throws MPIException {
        return comm().Iprobe(source, tag);
    }

    // ---- non-blocking ----

    /**
     * Starts to send elements.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("iSend", Native.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * Starts to send elements of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("iSend", Native.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * As {@link #iSend(Buffer, int, Datatype, int, int)}, through the buffer from {@link MPI#attachBuffer}.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request ibSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("ibSend", Native.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * As {@link #ibSend(Buffer, int, Datatype, int, int)}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request ibSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("ibSend", Native.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * As {@link #iSend(Buffer, int, Datatype, int, int)}, but complete only when the receive has begun.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request isSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("isSend", Native.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * As {@link #isSend(Buffer, int, Datatype, int, int)}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request isSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("isSend", Native.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * As {@link #iSend(Buffer, int, Datatype, int, int)}, to a rank that already waits for the message.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request irSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("irSend", Native.READY, buf, count, type, dest, tag);
    }

    /**
     * As {@link #irSend(Buffer, int, Datatype, int, int)}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request irSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return isend("irSend", Native.READY, buf, count, type, dest, tag);
    }

    private Request isend(String call, int mode, Object buf, int count, Datatype type, int dest, int tag) {
        return Messages.isend(comm(), call, mode, Places.array(buf, type), Places.offset(buf, type), count, type, dest,
                tag);
    }

    /**
     * Starts to receive elements.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iRecv(Buffer recvbuf, int count, Datatype type, int source, int tag) throws MPIException {
        return iRecv((Object) recvbuf, count, type, source, tag);
    }

    /**
     * Starts to receive elements into an array.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Request iRecv(Object recvbuf, int count, Datatype type, int source, int tag) throws MPIException {
        return Messages.irecv(comm(), Places.array(recvbuf, type), Places.offset(recvbuf, type), count, type, source,
                tag);
    }

    // ---- persistent ----

    /**
     * Prepares a send, which is started as often as wanted.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest sendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "sendInit", Native.STANDARD, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As {@link #sendInit}, through the buffer from {@link MPI#attachBuffer}.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest bSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "bSendInit", Native.BUFFERED, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As {@link #sendInit}, but complete only when the receive has begun.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest sSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "sSendInit", Native.SYNCHRONOUS, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As {@link #sendInit}, to a rank that already waits for the message.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest rSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "rSendInit", Native.READY, Places.side(buf, count, type), dest, tag);
    }

    /**
     * Prepares a receive, which is started as often as wanted.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest recvInit(Buffer recvbuf, int count, Datatype type, int source, int tag) throws MPIException {
        return Messages.recvInit(comm(), Places.side(recvbuf, count, type), source, tag);
    }

    /**
     * As the other {@code sendInit}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest sendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "sendInit", Native.STANDARD, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As the other {@code bSendInit}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest bSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "bSendInit", Native.BUFFERED, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As the other {@code sSendInit}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest sSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "sSendInit", Native.SYNCHRONOUS, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As the other {@code rSendInit}, of an array.
     *
     * @param buf the array or buffer
     * @param count how many
     * @param type what the elements are
     * @param dest the rank to send to
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest rSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return Messages.sendInit(comm(), "rSendInit", Native.READY, Places.side(buf, count, type), dest, tag);
    }

    /**
     * As the other {@code recvInit}, of an array.
     *
     * @param recvbuf the array or buffer for what is received
     * @param count how many
     * @param type what the elements are
     * @param source the rank to receive from, or {@link MPI#ANY_SOURCE}
     * @param tag the tag
     * @return the request
     * @throws MPIException if the call fails
     */
    public final Prequest recvInit(Object recvbuf, int count, Datatype type, int source, int tag) throws MPIException {
        return Messages.recvInit(comm(), Places.side(recvbuf, count, type), source, tag);
    }
}
