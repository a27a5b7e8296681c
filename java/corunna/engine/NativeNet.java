// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/**
 * Fast sockets as Java sees them: the native methods over {@code src/net}, and the calls of TCP sockets beneath.
 *
 * <p>A socket is a descriptor and a connection: the handle of its fast half, 0 if it is plain TCP. Handles are used by
 * callers that keep {@link #close} away meanwhile. Unless said otherwise a method returns 0 or more, or an error of the
 * system as a negative number ({@link #error} has its text). {@link #EAGAIN} is that nothing could be done within the
 * time, or without waiting.
 */
public final class NativeNet {
    // The system's numbers, which are the same on all machines that Corunna runs on; the native half checks them.
    public static final int EPERM = 1;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EPIPE = 32;
    public static final int EPROTO = 71;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ECONNRESET = 104;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;
    public static final int EINPROGRESS = 115;

    /** What {@link #poll} waits for. */
    public static final int POLL_IN = 1;
    public static final int POLL_OUT = 4;

    /** How to read and write. */
    public static final int NO_WAIT = 1;
    /** Until all bytes are read, unless the stream ends or the time is over. */
    public static final int ALL = 2;

    public static final int SHUT_INPUT = 0;
    public static final int SHUT_OUTPUT = 1;

    /** Options, by the numbers of the native table. */
    public static final int NODELAY = 0;
    public static final int REUSEADDR = 1;
    public static final int REUSEPORT = 2;
    public static final int KEEPALIVE = 3;
    public static final int OOBINLINE = 4;
    public static final int SNDBUF = 5;
    public static final int RCVBUF = 6;
    public static final int LINGER = 7;
    public static final int TOS = 8;
    public static final int QUICKACK = 9;
    public static final int KEEPIDLE = 10;
    public static final int KEEPINTERVAL = 11;
    public static final int KEEPCOUNT = 12;
    public static final int NAPI_ID = 13;

    static {
        Native.registerNet(NativeNet.class);
    }

    private NativeNet() {
    }

    // ---- the process ----

    /** The fast sockets of this process, with knobs as {@code name=value}. Throws what {@code failures} makes. */
    public static native long open(String[] overrides, Failures failures);

    /** The process ends: no new fast connection, and names that no acceptor has found are removed. */
    public static native void leave(long net);

    public static native boolean hasIpv6();

    /** The system's words for an error. */
    public static native String error(int number);

    // ---- life ----

    public static native int socket(boolean isServer, boolean isIpv6);

    /** The connection, if there is one, is gone with the descriptor. */
    public static native void close(long net, int fd, long conn);

    /** Wakes threads that wait on this socket: it is about to be closed. Its peer sees the end. */
    public static native void stop(int fd, long conn);

    public static native int bind(int fd, byte[] address, int scope, int port);

    /** The socket has a port. */
    public static native int listen(long net, int fd, int backlog);

    /**
     * Connects, or begins to: {@link #EINPROGRESS}, and {@link #poll} for output tells when to ask {@link #connected}.
     *
     * @param made gets the connection, or 0; to be closed in any case
     */
    public static native int connect(long net, int fd, byte[] address, int scope, int port, long[] made);

    /** How an attempt to connect has ended. */
    public static native int connected(int fd);

    /** A new descriptor, without waiting. {@code made} gets its connection, or 0. */
    public static native int accept(long net, int fd, long[] made);

    /** Waits, -1: for ever. Returns what there is, 0 after the time. */
    public static native int poll(int fd, int events, int timeoutMs);

    /** An address of 4 or 16 bytes, two of the port, four of the scope, in network order; null: it has none. */
    public static native byte[] name(int fd, boolean isPeer);

    /** The number of the socket in the system's tables; 0: not known. */
    public static native long inode(int fd);

    // ---- bytes ----

    /** From a part of an array, by a {@code KIND_} of {@link Native}, in bytes. Fewer may have gone. */
    public static native long write(int fd, long conn, Object array, int kind, long offset, long bytes, int how);

    /** To a part of an array; 0 is the end of the stream. */
    public static native long read(int fd, long conn, Object array, int kind, long offset, long bytes, int how);

    public static native int available(int fd, long conn);

    public static native int shutdown(int fd, long conn, int how);

    /** Urgent data go by TCP, and with them all that this side writes later. */
    public static native int urgent(int fd, long conn, byte data);

    public static native boolean isFast(long conn);

    // ---- options ----

    /** How long {@link #read} waits; 0: for ever. */
    public static native int setTimeout(int fd, int timeoutMs);

    public static native int setOption(int fd, long conn, int option, int value);

    /** {@code value} gets one number; -1 for {@link #LINGER} that is off. */
    public static native int getOption(int fd, int option, int[] value);
}
