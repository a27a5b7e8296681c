// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;

/**
 * A socket whose bytes go through shared memory when its peer is on this host and has fast sockets too. It is a
 * {@link Socket} in all other respects, and speaks TCP with every other peer.
 *
 * <p>A program that is started with the agent needs none of these: there every {@code Socket} is fast.
 */
public class FastSocket extends Socket {
    /**
     * An unconnected socket.
     *
     * @throws SocketException if there is no socket
     */
    public FastSocket() throws SocketException {
        this(new FastSocketImpl(false));
    }

    FastSocket(FastSocketImpl impl) throws SocketException {
        super(impl);
    }

    /**
     * A socket connected to a port of a host.
     *
     * @param host a name or address; null: the loopback address
     * @param port the port
     * @throws UnknownHostException if the host is not known
     * @throws IOException if the connection fails
     */
    public FastSocket(String host, int port) throws UnknownHostException, IOException {
        this(host != null ? InetAddress.getByName(host) : InetAddress.getByName(null), port);
    }

    /**
     * A socket connected to a port of an address.
     *
     * @param address the address
     * @param port the port
     * @throws IOException if the connection fails
     */
    public FastSocket(InetAddress address, int port) throws IOException {
        this(address, port, null, 0);
    }

    /**
     * A socket connected to a port of an address, from an address and a port of this host.
     *
     * @param address the address
     * @param port the port
     * @param localAddress the address of this host; null: any
     * @param localPort the port of this host; 0: any
     * @throws IOException if the address of this host cannot be had or the connection fails
     */
    public FastSocket(InetAddress address, int port, InetAddress localAddress, int localPort) throws IOException {
        this();
        InetSocketAddress remote = new InetSocketAddress(address, port);
        try {
            if (localAddress != null || localPort != 0) {
                bind(new InetSocketAddress(localAddress, localPort));
            }
            connect(remote);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Do the bytes of this socket go through shared memory? Not before the first ones have gone: a connection begins on
     * TCP.
     *
     * @return true if they do in both directions
     */
    public boolean isFast() {
        return isFast(this);
    }

    /**
     * Do the bytes of a socket go through shared memory? For sockets of the JDK, which are fast where the agent is.
     *
     * @param socket any socket
     * @return true if they do in both directions
     */
    public static boolean isFast(Socket socket) {
        FastSocketImpl impl = FastSocketImpl.of(socket);
        return impl != null && impl.isFast();
    }
}
