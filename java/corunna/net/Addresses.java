// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Addresses between Java and the system. */
final class Addresses {
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int PORT_AND_SCOPE_BYTES = 6;

    private Addresses() {
    }

    static int scope(InetAddress address) {
        return address instanceof Inet6Address ? ((Inet6Address) address).getScopeId() : 0;
    }

    /** The address and port of a descriptor, or of its peer. */
    static InetSocketAddress of(int fd, boolean isPeer) throws SocketException {
        byte[] name = NativeNet.name(fd, isPeer);
        if (name == null) {
            throw new SocketException(isPeer ? "Not connected" : "the socket has no address");
        }
        ByteBuffer buffer = ByteBuffer.wrap(name);
        byte[] address = new byte[name.length - PORT_AND_SCOPE_BYTES == IPV4_BYTES ? IPV4_BYTES : IPV6_BYTES];
        buffer.get(address);
        int port = buffer.getShort() & 0xffff;
        int scope = buffer.getInt();
        try {
            boolean isScoped = scope != 0 && address.length == IPV6_BYTES;
            InetAddress host = isScoped ? Inet6Address.getByAddress(null, address, scope)
                    : InetAddress.getByAddress(address);
            return new InetSocketAddress(host, port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // of other lengths only
        }
    }
}
