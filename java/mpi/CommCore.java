// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * What a communicator is: the engine's handle and what is known of it, its life, its hints and attributes, and the
 * checks of calls. {@link Comm}, which programs see, is made from the table {@code java/table/Comm.api} and has a
 * method for each name of each dialect. Those methods are in the subclass, and not in a superclass of this one, because
 * one that is not final, in a superclass that programs cannot name, is called through a bridge that javac writes.
 */
abstract class CommCore implements Freeable, Cloneable {
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
    final Staging staging = new Staging(self());

    String name;
    Errhandler errhandler = MPI.ERRORS_ARE_FATAL;
    final Attributes attributes = new Attributes();
    private Info info;
    /** Tells when this communicator, which was begun in the background, may be used. */
    private Request request;

    /** A communicator that {@link #bind} makes usable; until then it is the null communicator. */
    CommCore(String name) {
        this.name = name;
    }

    private Comm self() {
        return (Comm) this;
    }

    /** An object of the same class, which is the null communicator yet. */
    abstract Comm sibling(String newName);

    /** Becomes the engine's communicator {@code bound}. */
    final void bind(Endpoint newEndpoint, long bound) {
        endpoint = newEndpoint;
        handle = bound;
        isUsable = true;
        rank = Native.commRank(bound);
        size = Native.commSize(bound);
        peers = Native.commRemoteSize(bound);
        isInter = Native.commIsInter(bound);
        self().group = group(false);
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
        self().group = other.group;
    }

    /** MPI is being finalised. Other threads may have begun a call: the handle stays good for them. */
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
            throw Messages.noRank(self(), call, "rank", which);
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
                + (handle == 0 && endpoint.isOpen() ? "the communicator " + name + " has been freed"
                        : "MPI has been finalised"));
    }

    // ---- what it is ----

    static int comparison(String call, Comm comm1, Comm comm2) {
        if (comm1 == null || comm2 == null) {
            throw new MPIException(ErrorClass.COMM, call + ": a communicator is a null reference");
        }
        return Native.commCompare(comm1.handle(call), comm2.handle(call));
    }

    final boolean isNullComm() {
        return !isUsable;
    }

    final Group group(boolean isRemote) {
        return new Group(Native.commPeers(handle, isRemote), endpoint.number());
    }

    // ---- life ----

    final void free(String call) {
        handle(call);
        if (this == MPI.COMM_WORLD || this == MPI.COMM_SELF) {
            throw new MPIException(ErrorClass.COMM, call + ": " + name + " cannot be freed");
        }
        endpoint.remove(self());
        release();
    }

    final void disconnect(String call) {
        long comm = handle(call);
        Native.commSettle(comm);
        long job = Native.commJob(comm);
        free(call);
        if (job != 0) {
            Native.jobLeave(job);
        }
    }

    final Comm cloneOf(String call) {
        Comm clone = adopt(sibling(name + " clone"), Native.commDup(handle(call)));
        attributes.copyTo(clone.attributes);
        return clone;
    }

    /** The dup that the engine has made, or begun to make. */
    final Comm dupOf(long made) {
        CommCore dup = sibling(name);
        dup.bindLike(self(), made);
        dup.errhandler = errhandler;
        endpoint.add(dup.self());
        attributes.copyTo(dup.attributes);
        return dup.self();
    }

    final Comm startDup(String call) {
        long[] made = new long[1];
        long started = Native.commIdup(handle(call), made);
        CommCore dup = dupOf(made[0]);
        dup.request = new Request(endpoint, started, MPI.BYTE, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        return dup.self();
    }

    /** The numbers of a communicator that the engine has begun to make, and of the request. */
    static long[] startedDup(long comm) {
        long[] made = new long[2];
        made[1] = Native.commIdup(comm, made);
        return made;
    }

    final Request dupRequest() {
        if (request == null) {
            request = Request.none();
        }
        return request;
    }

    /** Becomes one of the communicators that every job has. */
    final void become(Comm like, String call) {
        bind(like.endpoint, like.handle(call));
    }

    /** A communicator just made by the engine, in the care of the same endpoint. */
    final <C extends Comm> C adopt(C comm, long made) {
        comm.bind(endpoint, made);
        endpoint.add(comm);
        return comm;
    }

    /** The same, or the null communicator if the engine has made none for this rank. */
    final <C extends Comm> C adoptIfAny(C comm, long made) {
        return made == 0 ? comm : adopt(comm, made);
    }

    /** The engine's communicator of two groups. */
    final long joined(String call, Comm localComm, int localLeader, int remoteLeader, int tag) {
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

    // ---- errors, hints and attributes ----

    final void setHandler(String call, Errhandler newErrhandler) {
        handle(call);
        if (newErrhandler == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the handler is null");
        }
        errhandler = newErrhandler;
    }

    final void callHandler(String call, int errorcode) {
        handle(call);
        if (!errhandler.isReturn()) {
            throw new MPIException(errorcode, call + ": the program reports error " + errorcode);
        }
    }

    /** Keeps a copy of these hints. */
    final Comm with(String call, Info newInfo) {
        handle(call);
        info = Info.require(call, newInfo).dup();
        return self();
    }

    final Info info(String call) {
        handle(call);
        return info == null ? new Info() : info.dup();
    }

    final Integer numberUnder(String call, int keyval) {
        handle(call);
        Object value = attributes.get(keyval, endpoint);
        return value instanceof Integer ? (Integer) value : null;
    }

    /** An attribute as the Open MPI dialect has it: one that every communicator has is a {@code Boolean}. */
    final Object valueUnder(String call, int keyval) {
        handle(call);
        Object value = attributes.get(keyval, endpoint);
        return keyval == Keyval.WTIME_IS_GLOBAL_NUMBER ? Boolean.valueOf((Integer) value != 0) : value;
    }
}
