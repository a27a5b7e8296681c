// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Blocking;
import corunna.engine.Native;

/**
 * An operation under way. While it is, the engine keeps the buffer reachable, also when the program forgets the
 * request. Once completed the request is null, as {@link #Is_null} tells, and completing it again yields an empty
 * status.
 */
public class Request extends RequestCalls {
    private final Endpoint endpoint;
    private final Datatype type;
    /** Source and tag are certain beforehand, so that the engine need not be asked: no wildcards, no null process. */
    private final boolean isKnown;
    private final int source;
    private final int tag;
    /** The engine's request, 0 when there is none. */
    protected long handle;
    /** What is to be done once the data are here; else null. */
    private Unloading cargo;

    /** As MPJ Express has it: never anything here. */
    public mpjdev.Request req;

    Request(Endpoint endpoint, long handle, Datatype type, boolean isKnown, int source, int tag) {
        this.endpoint = endpoint;
        this.handle = handle;
        this.type = type;
        this.isKnown = isKnown;
        this.source = source;
        this.tag = tag;
    }

    /** A receive whose message is to be unloaded, or started again and again. */
    Request(Endpoint endpoint, long handle, Datatype type, Unloading cargo) {
        this(endpoint, handle, type, false, MPI.ANY_SOURCE, MPI.ANY_TAG);
        this.cargo = cargo;
    }

    /**
     * A request of nothing; there are no requests of package {@code mpjdev} that could be under way.
     *
     * @param request ignored
     */
    public Request(mpjdev.Request request) {
        this(null, 0, MPI.BYTE, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
        this.req = request;
    }

    /**
     * The engine's request of this number.
     *
     * @param handle the number; 0 for the null request
     */
    protected Request(long handle) {
        this(handle == 0 ? null : MPI.current("Request"), handle, MPI.BYTE, false, MPI.ANY_SOURCE, MPI.ANY_TAG);
    }

    /** The null request. */
    static Request none() {
        return new Request(null, 0, MPI.BYTE, true, MPI.ANY_SOURCE, MPI.ANY_TAG);
    }

    /** Does the engine's request outlive its completion? */
    boolean isPersistent() {
        return false;
    }

    final long active(String call) {
        if (handle == 0) {
            throw new MPIException(ErrorClass.REQUEST, call + ": the request is null");
        }
        return handle;
    }

    final long rank(String call) {
        leaveIfFinalised();
        return endpoint.handle(call);
    }

    /** After Finalize nothing will be unloaded any more. */
    private void leaveIfFinalised() {
        if (cargo != null && !endpoint.isOpen()) {
            cargo.leave();
            cargo = null;
        }
    }

    // ---- one request ----

    /**
     * Waits until the operation is complete.
     *
     * @return what is known of the message
     * @throws MPIException if the operation failed
     */
    public Status Wait() throws MPIException {
        long waited = handle;
        if (waited == 0) {
            return new Status();
        }
        if (cargo != null) {
            return waitForCargo();
        }
        long rank = rank("Wait");
        if (!isPersistent()) {
            handle = 0; // the engine's request is gone whatever comes
        }
        if (isKnown) {
            long bytes = Blocking.await(rank, waited, null);
            if (bytes >= 0) {
                return new Status(source, tag, bytes, type);
            }
            return cancelled();
        }
        long[] envelope = Status.envelopes(1);
        Blocking.await(rank, waited, envelope);
        return Status.of(envelope, 0, type);
    }

    /**
     * Looks whether the operation is complete.
     *
     * @return what is known of the message, or null if it is still under way
     * @throws MPIException if the operation failed
     */
    public Status Test() throws MPIException {
        long tested = handle;
        if (tested == 0) {
            return new Status();
        }
        long rank = rank("Test");
        long[] envelope = Status.envelopes(1);
        boolean isGone = true; // also when the call throws
        try {
            isGone = Native.test(rank, tested, envelope, "Test") != Native.PENDING;
        } finally {
            if (isGone && !isPersistent()) {
                handle = 0;
            }
        }
        if (!isGone) {
            return null;
        }
        Status status = Status.of(envelope, 0, type);
        if (cargo != null) {
            unload("Test", status);
        }
        return status;
    }

    /**
     * Looks whether the operation is complete and leaves the request as it is.
     *
     * @return what is known of the message, or null if it is still under way
     * @throws MPIException if the operation failed
     */
    public Status Get_status() throws MPIException {
        if (handle == 0) {
            return new Status();
        }
        long[] envelope = Status.envelopes(1);
        long bytes = Native.peek(rank("Get_status"), handle, envelope);
        if (bytes == Native.PENDING) {
            return null;
        }
        Status status = Status.of(envelope, 0, type);
        if (cargo != null) {
            unloadEarly(status);
        }
        return status;
    }

    /**
     * Asks for the operation to be cancelled. It must still be completed; {@link Status#Test_cancelled} then tells
     * whether the wish came in time.
     *
     * @throws MPIException if the request is null
     */
    public void Cancel() throws MPIException {
        long cancelled = active("Cancel");
        rank("Cancel");
        Native.cancel(cancelled);
    }

    /**
     * Forgets the request; an operation under way completes by itself.
     *
     * @throws MPIException if MPI has been finalised
     */
    public void Free() throws MPIException {
        if (handle != 0) {
            rank("Free");
            Native.requestFree(handle);
            handle = 0;
            if (cargo != null) {
                cargo.leave();
                cargo = null;
            }
        }
    }

    /**
     * Is this the null request?
     *
     * @return true once completed or freed
     */
    public boolean Is_null() {
        return handle == 0;
    }

    /** Does nothing: an operation under way goes on, and what it needs is given back when it is complete. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() {
        // Must stay empty: with a single statement here every request would burden the garbage collector.
    }

    // ---- messages that are to be unloaded ----

    /** This request is now under way again, on behalf of a persistent one. */
    final void restart(long newHandle, Unloading newCargo) {
        handle = newHandle;
        cargo = newCargo;
    }

    private Status waitForCargo() {
        long waited = handle;
        long rank = rank("Wait");
        long[] envelope = Status.envelopes(1);
        boolean isFine = false;
        handle = 0;
        try {
            Blocking.await(rank, waited, envelope);
            isFine = true;
        } finally {
            if (!isFine) {
                dropCargo();
            }
        }
        Status status = Status.of(envelope, 0, type);
        unload("Wait", status);
        return status;
    }

    /** The message is here and the engine's request gone. */
    private void unload(String call, Status status) {
        Unloading unloaded = cargo;
        cargo = null;
        try {
            unloaded.unload(call, status);
        } finally {
            unloaded.close();
        }
    }

    /** The message is here, but the engine's request is to stay. */
    private void unloadEarly(Status status) {
        Unloading unloaded = cargo;
        cargo = null;
        try {
            unloaded.unload("Get_status", status);
        } finally {
            unloaded.leave();
        }
    }

    private void dropCargo() {
        if (cargo != null) {
            cargo.close();
            cargo = null;
        }
    }

    /** One of several requests has failed, which is about to be told; those that are complete are unloaded quietly. */
    private static void unloadWhatIsThere(String call, Request[] requests, long[] envelopes) {
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request == null || request.cargo == null) {
                continue;
            }
            if (request.handle != 0) {
                request.leaveIfFinalised();
                continue;
            }
            for (int at = 0; at * Native.ENVELOPE_LONGS < envelopes.length && request.cargo != null; at++) {
                Status status = Status.of(envelopes, at, request.type);
                if (status.index == i && (status.bytes() > 0 || request.cargo.isAlways())) {
                    try {
                        request.unload(call, status);
                    } catch (MPIException e) {
                        request.cargo = null; // the failure that came first is the one that is told
                    }
                }
            }
            request.dropCargo();
        }
    }

    private static Status cancelled() {
        long[] envelope = Status.envelopes(1);
        envelope[Native.SOURCE] = MPI.ANY_SOURCE;
        envelope[Native.TAG] = MPI.ANY_TAG;
        envelope[Native.IS_CANCELLED] = 1;
        return Status.of(envelope, 0, MPI.BYTE);
    }

    // ---- many requests: null references stand for null requests ----

    /**
     * Waits until all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status for each; the empty status for what counts as complete, never a null reference
     * @throws MPIException if one of them failed
     */
    public static Status[] Waitall(Request[] requests) throws MPIException {
        return completeAll("Waitall", Native.WAIT_ALL, requests);
    }

    /**
     * Looks whether all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status for each, as {@link #Waitall}, or null if one of them is still under way
     * @throws MPIException if one of them failed
     */
    public static Status[] Testall(Request[] requests) throws MPIException {
        return completeAll("Testall", Native.TEST_ALL, requests);
    }

    /**
     * Waits until one of the operations is complete.
     *
     * @param requests the operations; null requests and null references are passed over
     * @return its status, whose {@code index} tells which it was: {@link MPI#UNDEFINED} if none was active
     * @throws MPIException if it failed
     */
    public static Status Waitany(Request[] requests) throws MPIException {
        return completeAny("Waitany", Native.WAIT_ANY, requests);
    }

    /**
     * Looks whether one of the operations is complete.
     *
     * @param requests the operations; null requests and null references are passed over
     * @return its status, as {@link #Waitany}, or null if none is
     * @throws MPIException if it failed
     */
    public static Status Testany(Request[] requests) throws MPIException {
        return completeAny("Testany", Native.TEST_ANY, requests);
    }

    /**
     * Waits until at least one of the operations is complete.
     *
     * @param requests the operations; null requests and null references are passed over
     * @return a status, with its {@code index}, for each that is; an array of length 0 if none was active
     * @throws MPIException if one of them failed
     */
    public static Status[] Waitsome(Request[] requests) throws MPIException {
        return completeSome("Waitsome", Native.WAIT_SOME, requests);
    }

    /**
     * Looks which of the operations are complete.
     *
     * @param requests the operations; null requests and null references are passed over
     * @return a status, with its {@code index}, for each that is; an array of length 0 if none is, or none was active
     * @throws MPIException if one of them failed
     */
    public static Status[] Testsome(Request[] requests) throws MPIException {
        return completeSome("Testsome", Native.TEST_SOME, requests);
    }

    /** As Waitsome or Testsome, but null if no operation was active. */
    static Status[] waitOrTestSome(String call, boolean isWaiting, Request[] requests) {
        long[] envelopes = envelopesFor(call, requests);
        int done = complete(call, isWaiting ? Native.WAIT_SOME : Native.TEST_SOME, requests, envelopes);
        return done == MPI.UNDEFINED ? null : statuses(call, requests, envelopes, Math.max(0, done));
    }

    private static Status[] completeAll(String call, int how, Request[] requests) {
        long[] envelopes = envelopesFor(call, requests);
        int done = complete(call, how, requests, envelopes);
        return done == Native.PENDING ? null : statuses(call, requests, envelopes, requests.length);
    }

    private static Status completeAny(String call, int how, Request[] requests) {
        long[] envelopes = envelopesFor(call, requests);
        int done = complete(call, how, requests, envelopes);
        if (done == Native.PENDING) {
            return null;
        }
        int index = Status.index(envelopes, 0);
        return index < 0 ? Status.of(envelopes, 0, MPI.BYTE) : statuses(call, requests, envelopes, 1)[0];
    }

    private static Status[] completeSome(String call, int how, Request[] requests) {
        long[] envelopes = envelopesFor(call, requests);
        int done = complete(call, how, requests, envelopes);
        return statuses(call, requests, envelopes, Math.max(0, done));
    }

    /** The statuses of so many envelopes; what has come is unloaded, and the first failure told after all is done. */
    private static Status[] statuses(String call, Request[] requests, long[] envelopes, int count) {
        Status[] statuses = new Status[count];
        MPIException failure = null;
        for (int i = 0; i < count; i++) {
            Request request = requests[Status.index(envelopes, i)];
            statuses[i] = Status.of(envelopes, i, request == null ? MPI.BYTE : request.type);
            if (request != null && request.cargo != null) {
                try {
                    request.unload(call, statuses[i]);
                } catch (MPIException e) {
                    failure = failure == null ? e : failure;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return statuses;
    }

    private static long[] envelopesFor(String call, Request[] requests) {
        if (requests == null) {
            throw new MPIException(ErrorClass.REQUEST, call + ": the array of requests is null");
        }
        return Status.envelopes(Math.max(1, requests.length));
    }

    /** Hands all requests to the engine and takes back which of them are gone. */
    private static int complete(String call, int how, Request[] requests, long[] envelopes) {
        long[] handles = new long[requests.length];
        Endpoint endpoint = null;
        for (int i = 0; i < requests.length; i++) {
            Request request = requests[i];
            if (request != null && request.handle != 0) {
                handles[i] = request.handle;
                endpoint = request.endpoint;
            }
        }
        if (endpoint == null) {
            return completeNothing(how, envelopes, requests.length);
        }
        boolean isFine = false;
        try {
            int done = Blocking.complete(endpoint.handle(call), how, handles, envelopes);
            isFine = true;
            return done;
        } finally {
            for (int i = 0; i < requests.length; i++) {
                if (requests[i] != null) {
                    requests[i].handle = handles[i];
                }
            }
            if (!isFine) {
                unloadWhatIsThere(call, requests, envelopes);
            }
        }
    }

    /** Every request is null: all have an empty status, and there is nothing to pick. */
    private static int completeNothing(int how, long[] envelopes, int count) {
        boolean isAll = how == Native.WAIT_ALL || how == Native.TEST_ALL;
        for (int at = 0; at * Native.ENVELOPE_LONGS < envelopes.length; at++) {
            envelopes[at * Native.ENVELOPE_LONGS + Native.INDEX] = isAll ? at : MPI.UNDEFINED;
            envelopes[at * Native.ENVELOPE_LONGS + Native.SOURCE] = MPI.ANY_SOURCE;
            envelopes[at * Native.ENVELOPE_LONGS + Native.TAG] = MPI.ANY_TAG;
        }
        return isAll ? count : MPI.UNDEFINED;
    }
}
