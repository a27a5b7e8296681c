// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The life of a socket: create, bind, connect, accept, close.
 *
 * <p>Locks. {@code readLock} belongs to the thread that reads, connects or accepts, {@code writeLock} to the one that
 * writes; either keeps the descriptor open. {@code stateLock} is held for a moment only, and is the last to be waited
 * for. {@link #close} ends the calls of the other threads, and the last one to leave closes the descriptor.
 */
abstract class SocketLife extends SocketImpl {
    static final int CONNECTED = 3;
    static final int CLOSED = 4;
    private static final int NEW = 0;
    private static final int UNCONNECTED = 1;
    private static final int CONNECTING = 2;

    private static final int DEFAULT_BACKLOG = 50;

    final ReentrantLock readLock = new ReentrantLock();
    final ReentrantLock writeLock = new ReentrantLock();
    final ReentrantLock stateLock = new ReentrantLock();
    final boolean isServer;
    final Options options = new Options(this);

    /** Written under {@code stateLock}. */
    volatile int state = NEW;
    volatile Link link;

    /** Accepted by a {@link FastServerSocket}: the next connect finds it connected. */
    boolean isAdopted;

    SocketLife(boolean isServer) {
        this.isServer = isServer;
    }

    // ---- state ----

    /** Under a lock that keeps the descriptor open. */
    final Link connected() throws SocketException {
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
            Errors.check(NativeNet.listen(FastNet.HANDLE, open.fd(), backlog < 1 ? DEFAULT_BACKLOG : backlog));
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
    final void leave(ReentrantLock lock) {
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
        if (!(s instanceof SocketLife)) {
            throw new IOException("a fast server socket cannot accept a connection with an instance of " + s.getClass()
                    + "; install the agent, or let FastServerSocket.accept make the socket");
        }
        SocketLife accepted = (SocketLife) s;
        if (accepted.state != NEW) {
            throw new SocketException("Not a newly created SocketImpl");
        }
        long[] made = new long[1];
        int fd = acceptDescriptor(made);
        accepted.adopt(fd, made[0]);
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

    /** Interrupting a virtual thread that waits closes its socket. */
    final void closeIfInterrupted(Waiting wait) throws IOException {
        if (wait.isInterrupted()) {
            close();
            throw new SocketException("Closed by interrupt");
        }
    }
}
