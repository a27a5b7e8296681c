// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Native;
import corunna.engine.NativeNet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.util.Set;

/**
 * A TCP socket that goes through shared memory where it can: its bytes and options; {@link SocketLife} has the rest.
 * What it does, and which exceptions tell of it, is what the JDK's own implementation does.
 */
final class FastSocketImpl extends SocketLife {
    private volatile boolean isInputShut;
    private boolean isOutputShut; // under stateLock

    // Under readLock.
    private boolean isEnd;
    private boolean isReset;
    private int waitMs; // what the descriptor has been told

    FastSocketImpl(boolean isServer) {
        super(isServer);
    }

    /** The implementation of a socket whose streams are those of the implementation; null: it has another. */
    static FastSocketImpl of(Socket socket) {
        if (socket.getClass() != Socket.class && socket.getClass() != FastSocket.class) {
            return null; // it may do more to the bytes, as TLS does
        }
        try {
            return socket.getOption(Self.OPTION);
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    /** A connection of its own, which the next connect of its socket finds connected. */
    FastSocketImpl accept() throws IOException {
        FastSocketImpl accepted = new FastSocketImpl(false);
        accept(accepted);
        accepted.isAdopted = true;
        return accepted;
    }

    boolean isFast() {
        stateLock.lock();
        try {
            return state == CONNECTED && NativeNet.isFast(link.conn());
        } finally {
            stateLock.unlock();
        }
    }

    /** The number of the socket in Linux's tables. */
    long inode() throws SocketException {
        stateLock.lock();
        try {
            return NativeNet.inode(open().fd());
        } finally {
            stateLock.unlock();
        }
    }

    // ---- bytes ----

    /**
     * Reads into a part of an array, by its {@code KIND_} in {@link Native}, in bytes.
     *
     * @param how 0, or {@link NativeNet#ALL}, with which fewer may come too
     * @return how many, or -1 at the end
     */
    long read(Object array, int kind, long offset, long bytes, int how) throws IOException {
        readLock.lock();
        try {
            if (isEnd) {
                return -1; // also when it is closed, as ever
            }
            Link open = connected();
            if (isReset) {
                throw new SocketException("Connection reset");
            }
            if (isInputShut) {
                return -1;
            }
            long got = Waiting.isVirtual() ? readInTurns(open, array, kind, offset, bytes)
                    : readWaiting(open, array, kind, offset, bytes, how);
            return got > 0 ? got : readNothing(got);
        } finally {
            leave(readLock);
        }
    }

    private long readWaiting(Link open, Object array, int kind, long offset, long bytes, int how) {
        int timeoutMs = options.timeoutMs();
        if (timeoutMs != waitMs) {
            NativeNet.setTimeout(open.fd(), open.conn(), timeoutMs);
            waitMs = timeoutMs;
        }
        return NativeNet.read(open.fd(), open.conn(), array, kind, offset, bytes, how);
    }

    /** A virtual thread lets its carrier go between looks. */
    private long readInTurns(Link open, Object array, int kind, long offset, long bytes) throws IOException {
        Waiting wait = new Waiting(options.timeoutMs());
        for (;;) {
            long got = NativeNet.read(open.fd(), open.conn(), array, kind, offset, bytes, NativeNet.NO_WAIT);
            if (got != -NativeNet.EAGAIN || state == CLOSED || wait.isOver()) {
                return got;
            }
            wait.pause();
            closeIfInterrupted(wait);
        }
    }

    /** Under readLock: why there is nothing. */
    private long readNothing(long result) throws IOException {
        if (state == CLOSED) {
            throw Errors.closed();
        }
        if (result == 0) {
            isEnd = true;
            return -1;
        }
        if (result == -NativeNet.EAGAIN) {
            throw new SocketTimeoutException("Read timed out");
        }
        if (result == -NativeNet.ECONNRESET || result == -NativeNet.EPIPE) {
            isReset = true;
            throw new SocketException("Connection reset");
        }
        throw Errors.ofBytes(result);
    }

    /** Writes a part of an array, all of it. */
    void write(Object array, int kind, long offset, long bytes) throws IOException {
        writeLock.lock();
        try {
            Link open = connected();
            Waiting wait = Waiting.isVirtual() ? new Waiting(0) : null;
            int how = wait == null ? 0 : NativeNet.NO_WAIT;
            for (long done = 0; done < bytes;) {
                long sent = NativeNet.write(open.fd(), open.conn(), array, kind, offset + done, bytes - done, how);
                if (state == CLOSED && sent < bytes - done) {
                    throw Errors.closed();
                }
                if (sent > 0) {
                    done += sent;
                } else if (sent == -NativeNet.EAGAIN && wait != null) {
                    wait.pause();
                    closeIfInterrupted(wait);
                } else {
                    throw Errors.ofBytes(sent);
                }
            }
        } finally {
            leave(writeLock);
        }
    }

    @Override
    protected int available() throws IOException {
        stateLock.lock();
        try {
            Link open = open();
            return isInputShut || state != CONNECTED ? 0
                    : Errors.check(NativeNet.available(open.fd(), open.conn()));
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected InputStream getInputStream() {
        return new FastInput(this);
    }

    @Override
    protected OutputStream getOutputStream() {
        return new FastOutput(this);
    }

    @Override
    protected void shutdownInput() throws IOException {
        stateLock.lock();
        try {
            Link open = connected();
            if (!isInputShut) {
                Errors.check(NativeNet.shutdown(open.fd(), open.conn(), NativeNet.SHUT_INPUT));
                isInputShut = true;
            }
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        stateLock.lock();
        try {
            Link open = connected();
            if (!isOutputShut) {
                Errors.check(NativeNet.shutdown(open.fd(), open.conn(), NativeNet.SHUT_OUTPUT));
                isOutputShut = true;
            }
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        writeLock.lock();
        try {
            Link open = connected();
            int result = NativeNet.urgent(open.fd(), open.conn(), (byte) data);
            if (result == -NativeNet.EAGAIN) {
                throw new SocketException("No buffer space available");
            }
            if (result < 0) {
                throw state == CLOSED ? Errors.closed() : Errors.ofBytes(result);
            }
        } finally {
            leave(writeLock);
        }
    }

    // ---- options ----

    @Override
    public void setOption(int number, Object value) throws SocketException {
        options.set(number, value);
    }

    @Override
    public Object getOption(int number) throws SocketException {
        return options.get(number);
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        options.set(option, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return option == Self.OPTION ? option.type().cast(this) : options.get(option);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return Options.supported(isServer);
    }

    /** An option that no other implementation knows: how to get from a {@link Socket} to its implementation. */
    private static final class Self implements SocketOption<FastSocketImpl> {
        static final Self OPTION = new Self();

        @Override
        public String name() {
            return "corunna.net.FastSocketImpl";
        }

        @Override
        public Class<FastSocketImpl> type() {
            return FastSocketImpl.class;
        }
    }
}
