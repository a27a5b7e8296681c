// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

/** The numbers that go with the native methods of {@link NativeNet}. */
class NetNumbers {
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

    /** What {@link NativeNet#poll} waits for. */
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

    NetNumbers() {
    }
}
