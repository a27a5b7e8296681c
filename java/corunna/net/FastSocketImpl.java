package corunna.net;

import corunna.engine.Native;
import corunna.engine.NativeNet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP socket that goes through shared memory where it can. What it does, and which exceptions tell of it, is what the
 * JDK's own implementation does.
 *
 * <p>Locks. {@code readLock} belongs to the thread that reads, connects or accepts, {@code writeLock} to the one that
 * writes; either keeps the descriptor open. {@code stateLock} is held for a moment only, and is the last to be waited for.
 * {@link #close} ends the calls of the other threads, and the last one to leave closes the descriptor.
 */
final class FastSocketImpl extends SocketImpl {
    private static final int NEW = 0;
    private static final int UNCONNECTED = 1;
    private static final int CONNECTING = 2;
    private static final int CONNECTED = 3;
    private static final int CLOSED = 4;

    private static final int DEFAULT_BACKLOG = 50;

    private final boolean isServer;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ReentrantLock stateLock = new ReentrantLock();

    /** Written under {@code stateLock}. */
    private volatile int state = NEW;
    private volatile Link link;
    private volatile boolean isInputShut;
    private boolean isOutputShut;
    private final Options options = new Options(this);

    // Under readLock.
    private boolean isEnd;
    private boolean isReset;
    private int waitMs; // what the descriptor has been told

    /** Accepted by a {@link FastServerSocket}: the next connect finds it connected. */
    private boolean isAdopted;

    FastSocketImpl(boolean isServer) {
        this.isServer = isServer;
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

    // ---- state ----

    /** Under a lock that keeps the descriptor open. */
    private Link connected() throws SocketException {
        int now = state;
        if (now < CONNECTED) {
            throw new SocketException("Not connected");
        }
        if (now > CONNECTED) {
            throw Errors.closed();
        }
        return link;
    }

    /** Under stateLock. */
    Link open() throws SocketException {
        if (state == NEW) {
            throw new SocketException("Socket not created");
        }
        if (state == CLOSED) {
            throw Errors.closed();
        }
        return link;
    }

    ReentrantLock stateLock() {
        return stateLock;
    }

    boolean isServer() {
        return isServer;
    }

    boolean isFast() {
        stateLock.lock();
        try {
            return state == CONNECTED && NativeNet.isFast(link.conn());
        } finally {
            stateLock.unlock();
        }
    }

    // ---- life ----

    @Override
    protected void create(boolean isStream) throws IOException {
        if (!isStream) {
            throw new IOException("a fast socket is a stream; datagrams need a DatagramSocket");
        }
        stateLock.lock();
        try {
            if (isAdopted) {
                return;
            }
            if (state != NEW) {
                throw new IOException("Already created");
            }
            link = new Link(this, Errors.check(NativeNet.socket(isServer, FastNet.IS_IPV6)), 0);
            state = UNCONNECTED;
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        stateLock.lock();
        try {
            Link open = open();
            if (localport != 0) {
                throw new SocketException("Already bound");
            }
            Errors.check(NativeNet.bind(open.fd(), host.getAddress(), Addresses.scope(host), port));
            address = host;
            localport = Addresses.of(open.fd(), false).getPort();
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        stateLock.lock();
        try {
            Link open = open();
            if (localport == 0) {
                throw new SocketException("Not bound");
            }
            Errors.check(NativeNet.listen(open.fd(), backlog < 1 ? DEFAULT_BACKLOG : backlog));
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void close() {
        stateLock.lock();
        try {
            if (state == CLOSED) {
                return;
            }
            state = CLOSED;
            if (link != null && !release()) {
                NativeNet.stop(link.fd(), link.conn());
            }
        } finally {
            stateLock.unlock();
        }
    }

    /** Under stateLock, closed: gives the descriptor back, unless another thread uses it. */
    private boolean release() {
        if (!readLock.tryLock()) {
            return false;
        }
        try {
            if (!writeLock.tryLock()) {
                return false;
            }
            try {
                link.close();
                return true;
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
        }
    }

    /** Gives a lock up; what was closed meanwhile may have waited for that. */
    private void leave(ReentrantLock lock) {
        lock.unlock();
        if (state == CLOSED) {
            stateLock.lock();
            try {
                if (link != null) {
                    release();
                }
            } finally {
                stateLock.unlock();
            }
        }
    }

    // ---- connect ----

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int timeoutMs) throws IOException {
        if (isAdopted) {
            isAdopted = false;
            return;
        }
        if (!(remote instanceof InetSocketAddress)) {
            throw new IllegalArgumentException("Unsupported address type");
        }
        InetSocketAddress to = (InetSocketAddress) remote;
        if (to.isUnresolved()) {
            throw new UnknownHostException(to.getHostName());
        }
        InetAddress host = to.getAddress().isAnyLocalAddress() ? InetAddress.getLocalHost() : to.getAddress();
        try {
            connectTo(host, to.getPort(), timeoutMs);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private void connectTo(InetAddress host, int port, int timeoutMs) throws IOException {
        readLock.lock();
        try {
            int fd = beginConnect(host, port).fd();
            long[] made = new long[1];
            int result = NativeNet.connect(FastNet.HANDLE, fd, host.getAddress(), Addresses.scope(host), port, made);
            link.setConn(made[0]);
            if (result == -NativeNet.EINPROGRESS) {
                Waiting wait = new Waiting(timeoutMs);
                while (state == CONNECTING && !wait.poll(fd, NativeNet.POLL_OUT)) {
                    if (wait.isOver()) {
                        throw new SocketTimeoutException("Connect timed out");
                    }
                    closeIfInterrupted(wait);
                }
                result = state == CONNECTING ? NativeNet.connected(fd) : 0;
            }
            endConnect(result);
        } finally {
            leave(readLock);
        }
    }

    private Link beginConnect(InetAddress host, int port) throws IOException {
        stateLock.lock();
        try {
            Link open = open();
            if (state == CONNECTING) {
                throw new SocketException("Connection in progress");
            }
            if (state == CONNECTED) {
                throw new SocketException("Already connected");
            }
            state = CONNECTING;
            this.address = host;
            this.port = port;
            return open;
        } finally {
            stateLock.unlock();
        }
    }

    private void endConnect(int result) throws IOException {
        stateLock.lock();
        try {
            if (state == CLOSED) {
                throw Errors.closed();
            }
            Errors.check(result);
            localport = Addresses.of(link.fd(), false).getPort();
            state = CONNECTED;
        } finally {
            stateLock.unlock();
        }
    }

    // ---- accept ----

    @Override
    protected void accept(SocketImpl s) throws IOException {
        if (!(s instanceof FastSocketImpl)) {
            throw new IOException("a fast server socket cannot accept a connection with an instance of " + s.getClass()
                    + "; install the agent, or let FastServerSocket.accept make the socket");
        }
        FastSocketImpl accepted = (FastSocketImpl) s;
        if (accepted.state != NEW) {
            throw new SocketException("Not a newly created SocketImpl");
        }
        long[] made = new long[1];
        int fd = acceptDescriptor(made);
        accepted.adopt(fd, made[0]);
    }

    /** A connection of its own, which the next connect of its socket finds connected. */
    FastSocketImpl accept() throws IOException {
        FastSocketImpl accepted = new FastSocketImpl(false);
        accept(accepted);
        accepted.isAdopted = true;
        return accepted;
    }

    InetSocketAddress remote() {
        return new InetSocketAddress(address, port);
    }

    /** The address that was asked for. */
    InetAddress bound() {
        return address;
    }

    int boundPort() {
        return localport;
    }

    private int acceptDescriptor(long[] made) throws IOException {
        readLock.lock();
        try {
            int fd = beginAccept().fd();
            Waiting wait = new Waiting(options.timeoutMs());
            while (state != CLOSED) {
                int result = NativeNet.accept(FastNet.HANDLE, fd, made);
                if (result != -NativeNet.EAGAIN) {
                    if (result < 0 && state == CLOSED) {
                        break;
                    }
                    return Errors.check(result);
                }
                if (!wait.poll(fd, NativeNet.POLL_IN) && wait.isOver()) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                closeIfInterrupted(wait);
            }
            throw Errors.closed();
        } finally {
            leave(readLock);
        }
    }

    private Link beginAccept() throws IOException {
        stateLock.lock();
        try {
            Link open = open();
            if (localport == 0) {
                throw new SocketException("Not bound");
            }
            return open;
        } finally {
            stateLock.unlock();
        }
    }

    private void adopt(int fd, long conn) throws IOException {
        stateLock.lock();
        try {
            link = new Link(this, fd, conn);
            InetSocketAddress peer = Addresses.of(fd, true);
            address = peer.getAddress();
            port = peer.getPort();
            localport = Addresses.of(fd, false).getPort();
            state = CONNECTED;
        } catch (IOException e) {
            state = CLOSED;
            link.close(); // the peer is gone already
            throw e;
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
            NativeNet.setTimeout(open.fd(), timeoutMs);
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

    private void closeIfInterrupted(Waiting wait) throws IOException {
        if (wait.isInterrupted()) {
            close();
            throw new SocketException("Closed by interrupt");
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
