// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whose the other end of a TCP connection within this host is. Linux tells in its table of TCP sockets. The native
 * library is not needed for it; with it, a fast socket also shows that the connection is still its own.
 */
public final class PeerUser {
    /** The user is not known: the peer has gone, is on another host, or its user has no number in this user
     * namespace. */
    public static final long UNKNOWN = -1;

    private static final TcpTable TABLE =
            new TcpTable(name -> Files.newBufferedReader(Path.of("/proc", name), StandardCharsets.ISO_8859_1));

    private PeerUser() {
    }

    /**
     * The user who made the socket at the other end.
     *
     * @param connected a connected socket
     * @return the number of the user, or {@link #UNKNOWN}
     * @throws IOException if the table cannot be read
     */
    public static long of(Socket connected) throws IOException {
        FastSocketImpl impl = FastSocketImpl.of(connected);
        return TABLE.userOf(new InetSocketAddress(connected.getInetAddress(), connected.getPort()),
                new InetSocketAddress(connected.getLocalAddress(), connected.getLocalPort()),
                impl == null ? 0 : impl.inode());
    }
}
