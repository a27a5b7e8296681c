// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.Set;

/**
 * A server socket whose connections go through shared memory when the client is on this host and has fast sockets too.
 * Other clients find an ordinary TCP server.
 *
 * <p>Every method of {@link ServerSocket} is here anew: before Java 12 no subclass can bring an implementation along. A
 * subclass that accepts sockets of its own overrides {@link #accept}; {@code implAccept} is not for it.
 *
 * <p>A program that is started with the agent needs none of these: there every {@code ServerSocket} is fast.
 */
public class FastServerSocket extends ServerSocket {
    private static final int DEFAULT_BACKLOG = 50;
    private static final int PORT_MAX = 65535;

    private final FastSocketImpl impl = new FastSocketImpl(true);
    private volatile boolean isOpened;
    private volatile boolean isBound;
    private volatile boolean isShut;

    /**
     * An unbound server socket.
     *
     * @throws IOException if there is no socket
     */
    public FastServerSocket() throws IOException {
        super();
        impl.create(true);
        isOpened = true;
    }

    /**
     * A server socket on a port of all addresses.
     *
     * @param port the port; 0: any
     * @throws IOException if the port cannot be had
     */
    public FastServerSocket(int port) throws IOException {
        this(port, DEFAULT_BACKLOG, null);
    }

    /**
     * A server socket on a port of all addresses.
     *
     * @param port the port; 0: any
     * @param backlog how many connections may wait to be accepted
     * @throws IOException if the port cannot be had
     */
    public FastServerSocket(int port, int backlog) throws IOException {
        this(port, backlog, null);
    }

    /**
     * A server socket on a port of an address.
     *
     * @param port the port; 0: any
     * @param backlog how many connections may wait to be accepted
     * @param address the address; null: all
     * @throws IOException if the port cannot be had
     */
    public FastServerSocket(int port, int backlog, InetAddress address) throws IOException {
        this();
        try {
            if (port < 0 || port > PORT_MAX) {
                throw new IllegalArgumentException("Port value out of range: " + port);
            }
            bind(new InetSocketAddress(address, port), backlog);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    // ---- life ----

    @Override
    public void bind(SocketAddress endpoint) throws IOException {
        bind(endpoint, DEFAULT_BACKLOG);
    }

    @Override
    public void bind(SocketAddress endpoint, int backlog) throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (isBound) {
            throw new SocketException("Already bound");
        }
        SocketAddress address = endpoint == null ? new InetSocketAddress(0) : endpoint;
        if (!(address instanceof InetSocketAddress)) {
            throw new IllegalArgumentException("Unsupported address type");
        }
        InetSocketAddress here = (InetSocketAddress) address;
        if (here.isUnresolved()) {
            throw new SocketException("Unresolved address");
        }
        impl.bind(here.getAddress(), here.getPort());
        impl.listen(backlog);
        isBound = true;
    }

    @Override
    public Socket accept() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isBound) {
            throw new SocketException("Socket is not bound yet");
        }
        FastSocketImpl accepted = impl.accept();
        FastSocket socket = new FastSocket(accepted);
        socket.connect(accepted.remote()); // which finds it connected, and tells the socket
        return socket;
    }

    @Override
    public void close() throws IOException {
        isShut = true;
        if (isOpened) {
            impl.close();
        }
        super.close();
    }

    @Override
    public boolean isBound() {
        return isBound;
    }

    @Override
    public boolean isClosed() {
        return isShut;
    }

    // ---- addresses ----

    @Override
    public InetAddress getInetAddress() {
        return isBound ? impl.bound() : null;
    }

    @Override
    public int getLocalPort() {
        return isBound ? impl.boundPort() : -1;
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return isBound ? new InetSocketAddress(getInetAddress(), getLocalPort()) : null;
    }

    @Override
    public String toString() {
        return isBound ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]"
                : "ServerSocket[unbound]";
    }

    // ---- options ----

    private void checkOpen() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
    }

    @Override
    public void setSoTimeout(int timeoutMs) throws SocketException {
        checkOpen();
        if (timeoutMs < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        impl.setOption(SocketOptions.SO_TIMEOUT, timeoutMs);
    }

    @Override
    public int getSoTimeout() throws IOException {
        checkOpen();
        return (Integer) impl.getOption(SocketOptions.SO_TIMEOUT);
    }

    @Override
    public void setReuseAddress(boolean isOn) throws SocketException {
        checkOpen();
        impl.setOption(SocketOptions.SO_REUSEADDR, isOn);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        checkOpen();
        return (Boolean) impl.getOption(SocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("negative receive size");
        }
        checkOpen();
        impl.setOption(SocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        checkOpen();
        return (Integer) impl.getOption(SocketOptions.SO_RCVBUF);
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> option, T value) throws IOException {
        checkOpen();
        impl.setOption(option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
        checkOpen();
        return impl.getOption(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return impl.supportedOptions();
    }
}
