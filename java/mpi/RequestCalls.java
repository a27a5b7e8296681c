// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;

/** The completion of requests by the names of the Open MPI Java bindings; they are methods of {@link Request}. */
abstract class RequestCalls implements Freeable {
    /** A buffer that is received into, for subclasses; the engine keeps those it needs by itself. */
    protected Buffer recvBuf;
    /** A buffer that is sent, for subclasses; the engine keeps those it needs by itself. */
    protected Buffer sendBuf;

    RequestCalls() {
    }

    private Request request() {
        return (Request) this;
    }

    /**
     * Keeps a buffer reachable as long as the request is.
     *
     * @param buf the array or buffer
     */
    protected final void addSendBufRef(Buffer buf) {
        sendBuf = buf;
    }

    /**
     * Keeps a buffer reachable as long as the request is.
     *
     * @param buf the array or buffer
     */
    protected final void addRecvBufRef(Buffer buf) {
        recvBuf = buf;
    }

    /**
     * The number of the null request.
     *
     * @return 0
     */
    protected static long getNull() {
        return 0;
    }

    /**
     * The engine's numbers of requests.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a number for each
     */
    protected static long[] getHandles(Request[] requests) {
        long[] handles = new long[requests.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = requests[i] == null ? 0 : requests[i].handle;
        }
        return handles;
    }

    /**
     * Gives requests other numbers.
     *
     * @param requests the operations; null requests and null references count as complete
     * @param handles the numbers
     */
    protected static void setHandles(Request[] requests, long[] handles) {
        for (int i = 0; i < handles.length; i++) {
            if (requests[i] != null) {
                requests[i].handle = handles[i];
            }
        }
    }

    // ---- one request ----

    /**
     * Waits until the operation is complete.
     *
     * @throws MPIException if the call fails
     */
    public final void waitFor() throws MPIException {
        request().Wait();
    }

    /**
     * Waits until the operation is complete.
     *
     * @return what is known of the message
     * @throws MPIException if the call fails
     */
    public final Status waitStatus() throws MPIException {
        return request().Wait();
    }

    /**
     * Looks whether the operation is complete.
     *
     * @return true if so; then the request is null
     * @throws MPIException if the call fails
     */
    public final boolean test() throws MPIException {
        return request().Test() != null;
    }

    /**
     * Looks whether the operation is complete.
     *
     * @return what is known of the message, or null if it is still under way
     * @throws MPIException if the call fails
     */
    public final Status testStatus() throws MPIException {
        return request().Test();
    }

    /**
     * Looks whether the operation is complete and leaves the request as it is.
     *
     * @return what is known of the message, or null if it is still under way
     * @throws MPIException if the call fails
     */
    public final Status getStatus() throws MPIException {
        return request().Get_status();
    }

    /**
     * Asks for the operation to be cancelled. It must still be completed; {@link Status#isCancelled} then tells
     * whether the wish came in time.
     *
     * @throws MPIException if the call fails
     */
    public final void cancel() throws MPIException {
        request().Cancel();
    }

    /**
     * Forgets the request; an operation under way completes by itself.
     *
     * @throws MPIException if the call fails
     */
    @Override
    public void free() throws MPIException {
        request().Free();
    }

    /**
     * Is this the null request?
     *
     * @return true once completed or freed
     */
    public final boolean isNull() {
        return request().Is_null();
    }

    // ---- many requests ----

    /**
     * Waits until all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @throws MPIException if the call fails
     */
    public static void waitAll(Request[] requests) throws MPIException {
        Request.Waitall(requests);
    }

    /**
     * Waits until all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status for each
     * @throws MPIException if the call fails
     */
    public static Status[] waitAllStatus(Request[] requests) throws MPIException {
        return Request.Waitall(requests);
    }

    /**
     * Looks whether all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return true if so
     * @throws MPIException if the call fails
     */
    public static boolean testAll(Request[] requests) throws MPIException {
        return Request.Testall(requests) != null;
    }

    /**
     * Looks whether all operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status for each, or null if one of them is still under way
     * @throws MPIException if the call fails
     */
    public static Status[] testAllStatus(Request[] requests) throws MPIException {
        return Request.Testall(requests);
    }

    /**
     * Waits until one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return which it was, {@link MPI#UNDEFINED} if none was active
     * @throws MPIException if the call fails
     */
    public static int waitAny(Request[] requests) throws MPIException {
        return Request.Waitany(requests).index;
    }

    /**
     * Waits until one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return its status, with its index
     * @throws MPIException if the call fails
     */
    public static Status waitAnyStatus(Request[] requests) throws MPIException {
        return Request.Waitany(requests);
    }

    /**
     * Looks whether one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return which it was, {@link MPI#UNDEFINED} if none is, or none was active
     * @throws MPIException if the call fails
     */
    public static int testAny(Request[] requests) throws MPIException {
        Status status = Request.Testany(requests);
        return status == null ? MPI.UNDEFINED : status.index;
    }

    /**
     * Looks whether one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return its status, with its index, or null if none is
     * @throws MPIException if the call fails
     */
    public static Status testAnyStatus(Request[] requests) throws MPIException {
        return Request.Testany(requests);
    }

    /**
     * Waits until at least one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return which they were, or null if none was active
     * @throws MPIException if the call fails
     */
    public static int[] waitSome(Request[] requests) throws MPIException {
        return indices(Request.waitOrTestSome("waitSome", true, requests));
    }

    /**
     * Waits until at least one of the operations is complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status, with its index, for each, or null if none was active
     * @throws MPIException if the call fails
     */
    public static Status[] waitSomeStatus(Request[] requests) throws MPIException {
        return Request.waitOrTestSome("waitSomeStatus", true, requests);
    }

    /**
     * Looks which of the operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return which they are, or null if none was active
     * @throws MPIException if the call fails
     */
    public static int[] testSome(Request[] requests) throws MPIException {
        return indices(Request.waitOrTestSome("testSome", false, requests));
    }

    /**
     * Looks which of the operations are complete.
     *
     * @param requests the operations; null requests and null references count as complete
     * @return a status, with its index, for each, or null if none was active
     * @throws MPIException if the call fails
     */
    public static Status[] testSomeStatus(Request[] requests) throws MPIException {
        return Request.waitOrTestSome("testSomeStatus", false, requests);
    }

    private static int[] indices(Status[] statuses) {
        if (statuses == null) {
            return null;
        }
        int[] indices = new int[statuses.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = statuses[i].index;
        }
        return indices;
    }
}
