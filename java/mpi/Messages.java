// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Blocking;
import corunna.engine.Native;

/** The messages of {@link Comm}, from one rank to another. */
final class Messages {
    private Messages() {
    }

    // ---- checks ----

    private static void checkDest(Comm comm, String call, int dest, int tag) {
        if (dest < 0 || dest >= comm.peers) {
            throw noRank(comm, call, "dest", dest);
        }
        if (tag < 0) {
            throw noTag(call, tag);
        }
    }

    static void checkSource(Comm comm, String call, int source, int tag) {
        if ((source < 0 || source >= comm.peers) && source != MPI.ANY_SOURCE && source != MPI.PROC_NULL) {
            throw noRank(comm, call, "source", source);
        }
        if (tag < 0 && tag != MPI.ANY_TAG) {
            throw noTag(call, tag);
        }
    }

    static MPIException noRank(Comm comm, String call, String argument, int value) {
        return new MPIException(ErrorClass.RANK, call + ": " + argument + " is " + value
                + ", but the communicator has " + comm.peers
                + (comm.peers == 1 ? " rank (0)" : " ranks (0.." + (comm.peers - 1) + ")"));
    }

    private static MPIException noTag(String call, int tag) {
        return new MPIException(ErrorClass.TAG, call + ": tag is " + tag + "; it cannot be negative");
    }

    /** Source and tag are what the message will have: the engine need not tell. */
    private static boolean isKnown(int source, int tag) {
        return (source | tag) >= 0;
    }

    // ---- blocking sends ----

    // Flat arguments, no Side: messages of a few bytes are the shortest calls there are.

    static void send(Comm comm, String call, int mode, Object buf, int offset, int count, Datatype type, int dest,
            int tag) {
        long handle = comm.handle(call);
        if (!Datatype.require(call, type).isPlain) {
            sendCargo(comm, call, mode, new Side(buf, offset, count, type), dest, tag);
            return;
        }
        long at = type.locate(call, buf, offset, count);
        if (dest == MPI.PROC_NULL) {
            return;
        }
        checkDest(comm, call, dest, tag);
        Blocking.send(handle, type.target(buf), at, type.bytes(count), type.messageKind(buf), dest, tag, mode);
    }

    private static void sendCargo(Comm comm, String call, int mode, Side side, int dest, int tag) {
        if (dest == MPI.PROC_NULL) {
            side.check(call);
            return;
        }
        checkDest(comm, call, dest, tag);
        Cargo cargo = Cargo.out(call, comm.endpoint, side);
        try {
            Blocking.send(comm.handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), dest, tag, mode);
        } finally {
            cargo.close();
        }
    }

    // ---- blocking receive ----

    static Status recv(Comm comm, Object buf, int offset, int count, Datatype type, int source, int tag) {
        long handle = comm.handle("Recv");
        if (!Datatype.require("Recv", type).isPlain) {
            return recvCargo(comm, new Side(buf, offset, count, type), source, tag);
        }
        long at = type.locate("Recv", buf, offset, count);
        checkSource(comm, "Recv", source, tag);
        long room = type.bytes(count);
        if (!isKnown(source, tag)) {
            long[] envelope = Status.envelopes(1);
            Blocking.recv(handle, type.target(buf), at, room, type.messageKind(buf), source, tag, envelope);
            return Status.of(envelope, 0, type);
        }
        long bytes = Blocking.recv(handle, type.target(buf), at, room, type.messageKind(buf), source, tag, null);
        return new Status(source, tag, bytes, type);
    }

    private static Status recvCargo(Comm comm, Side side, int source, int tag) {
        checkSource(comm, "Recv", source, tag);
        long[] envelope = Status.envelopes(1);
        Cargo cargo = Cargo.in("Recv", comm.endpoint, side);
        try {
            Blocking.recv(comm.handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), source, tag, envelope);
            Status status = Status.of(envelope, 0, side.type);
            cargo.unload("Recv", status);
            return status;
        } finally {
            cargo.close();
        }
    }

    // ---- non-blocking ----

    static Request isend(Comm comm, String call, int mode, Object buf, int offset, int count, Datatype type, int dest,
            int tag) {
        long handle = comm.handle(call);
        Datatype.require(call, type);
        if (dest != MPI.PROC_NULL) {
            checkDest(comm, call, dest, tag);
        }
        if (!type.isPlain) {
            return isendCargo(comm, call, mode, new Side(buf, offset, count, type), dest, tag);
        }
        long at = type.locate(call, buf, offset, count);
        long request = Native.isend(handle, type.target(buf), at, type.bytes(count), type.messageKind(buf), dest, tag,
                mode, call);
        return new Request(comm.endpoint, request, type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
    }

    private static Request isendCargo(Comm comm, String call, int mode, Side side, int dest, int tag) {
        Cargo cargo = Cargo.out(call, comm.endpoint, side);
        try {
            long request = Native.isend(comm.handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), dest,
                    tag, mode, call);
            return new Request(comm.endpoint, request, side.type, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        } finally {
            cargo.leave();
        }
    }

    static Request irecv(Comm comm, Object buf, int offset, int count, Datatype type, int source, int tag) {
        long handle = comm.handle("Irecv");
        Datatype.require("Irecv", type);
        checkSource(comm, "Irecv", source, tag);
        if (!type.isPlain) {
            return irecvCargo(comm, new Side(buf, offset, count, type), source, tag);
        }
        long at = type.locate("Irecv", buf, offset, count);
        long request = Native.irecv(handle, type.target(buf), at, type.bytes(count), type.messageKind(buf), source,
                tag, "Irecv");
        return new Request(comm.endpoint, request, type, isKnown(source, tag), source, tag);
    }

    private static Request irecvCargo(Comm comm, Side side, int source, int tag) {
        Cargo cargo = Cargo.in("Irecv", comm.endpoint, side);
        boolean isStarted = false;
        try {
            long request = Native.irecv(comm.handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), source,
                    tag, "Irecv");
            isStarted = true;
            return new Request(comm.endpoint, request, side.type, cargo);
        } finally {
            if (!isStarted) {
                cargo.close();
            }
        }
    }

    // ---- persistent ----

    static Prequest sendInit(Comm comm, String call, int mode, Side side, int dest, int tag) {
        long handle = comm.handle(call);
        Datatype.require(call, side.type);
        if (dest != MPI.PROC_NULL) {
            checkDest(comm, call, dest, tag);
        }
        if (!side.isPlain()) {
            return Prequest.send(comm, call, mode, side, dest, tag);
        }
        long at = side.locate(call);
        long request = Native.sendInit(handle, side.target(), at, side.bytes(), side.messageKind(), dest, tag, mode);
        return new Prequest(comm.endpoint, request, side.type);
    }

    static Prequest recvInit(Comm comm, Side side, int source, int tag) {
        long handle = comm.handle("Recv_init");
        Datatype.require("Recv_init", side.type);
        checkSource(comm, "Recv_init", source, tag);
        if (!side.isPlain()) {
            return Prequest.receive(comm, side, source, tag);
        }
        long at = side.locate("Recv_init");
        long request = Native.recvInit(handle, side.target(), at, side.bytes(), side.messageKind(), source, tag);
        return new Prequest(comm.endpoint, request, side.type);
    }

    // ---- send and receive at once ----

    static Status sendrecv(Comm comm, Side send, int dest, int sendtag, Side recv, int source, int recvtag) {
        String call = "Sendrecv";
        long handle = comm.handle(call);
        Datatype.require(call, send.type);
        Datatype.require(call, recv.type);
        if (dest != MPI.PROC_NULL) {
            checkDest(comm, call, dest, sendtag);
        }
        checkSource(comm, call, source, recvtag);
        long to = Native.partner(dest, sendtag);
        long from = Native.partner(source, recvtag);
        if (!send.isPlain() || !recv.isPlain()) {
            return sendrecvCargo(comm, send, to, recv, from);
        }
        long out = send.locate(call);
        long in = recv.locate(call);
        long[] envelope = Status.envelopes(1);
        Blocking.sendrecv(handle, Native.kinds(send.messageKind(), recv.messageKind()), to, send.target(), out,
                send.bytes(), from, recv.target(), in, recv.bytes(), envelope);
        return Status.of(envelope, 0, recv.type);
    }

    private static Status sendrecvCargo(Comm comm, Side send, long to, Side recv, long from) {
        String call = "Sendrecv";
        long[] envelope = Status.envelopes(1);
        Cargo in = Cargo.in(call, comm.endpoint, recv);
        Cargo out = null;
        try {
            out = Cargo.out(call, comm.endpoint, send);
            Blocking.sendrecv(comm.handle, Native.kinds(out.messageKind(), in.messageKind()), to, out.target, out.at,
                    out.bytes, from, in.target, in.at, in.bytes, envelope);
            Status status = Status.of(envelope, 0, recv.type);
            in.unload(call, status);
            return status;
        } finally {
            in.close();
            if (out != null) {
                out.close();
            }
        }
    }

    static Status sendrecvReplace(Comm comm, Side both, int dest, int sendtag, int source, int recvtag) {
        String call = "Sendrecv_replace";
        long handle = comm.handle(call);
        Datatype type = Datatype.require(call, both.type);
        if (dest != MPI.PROC_NULL) {
            checkDest(comm, call, dest, sendtag);
        }
        checkSource(comm, call, source, recvtag);
        long to = Native.partner(dest, sendtag);
        long from = Native.partner(source, recvtag);
        if (!type.isPlain && (type.isObject() || type.isSections(both.buffer))) {
            return sendrecvCargo(comm, both, to, both, from);
        }
        long[] envelope = Status.envelopes(1);
        if (!type.isPlain) {
            Cargo cargo = Cargo.in(call, comm.endpoint, both);
            Blocking.sendrecvReplace(handle, cargo.target, cargo.at, cargo.bytes, cargo.messageKind(), to, from,
                    envelope);
            cargo.close();
            return Status.of(envelope, 0, type);
        }
        long at = both.locate(call);
        Blocking.sendrecvReplace(handle, both.target(), at, both.bytes(), both.messageKind(), to, from, envelope);
        return Status.of(envelope, 0, type);
    }

    // ---- probes ----

    static Status probe(Comm comm, int source, int tag) {
        long handle = comm.handle("Probe");
        checkSource(comm, "Probe", source, tag);
        long[] envelope = Status.envelopes(1);
        Blocking.probe(handle, source, tag, envelope);
        return Status.of(envelope, 0, MPI.BYTE);
    }

    static Status iprobe(Comm comm, int source, int tag) {
        long handle = comm.handle("Iprobe");
        checkSource(comm, "Iprobe", source, tag);
        long[] envelope = Status.envelopes(1);
        return Native.iprobe(handle, source, tag, envelope, "Iprobe") ? Status.of(envelope, 0, MPI.BYTE) : null;
    }
}
