// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import java.net.SocketImpl;
import java.net.SocketImplFactory;

/**
 * Makes the implementations of sockets, or of server sockets, for {@link java.net.Socket#setSocketImplFactory} and
 * {@link java.net.ServerSocket#setSocketFactory}. Both must be set: a fast server socket cannot accept a connection
 * with a socket of the JDK's own.
 */
final class FastSocketFactory implements SocketImplFactory {
    private final boolean isServer;

    FastSocketFactory(boolean isServer) {
        this.isServer = isServer;
    }

    @Override
    public SocketImpl createSocketImpl() {
        return new FastSocketImpl(isServer);
    }
}
