// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;

/** An accepted socket with an input stream of our own. It has what RMI calls, and no more. */
final class SharedSocket extends Socket {
    private final Socket accepted;
    private final Exports exports;

    /** The exports are what fast clients may call; null: none is served. */
    SharedSocket(Socket accepted, Exports exports) throws SocketException {
        super((SocketImpl) null);
        this.accepted = accepted;
        this.exports = exports;
    }

    /** Called once for a connection. */
    @Override
    public InputStream getInputStream() throws IOException {
        return new FirstWords(accepted, exports);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return accepted.getOutputStream();
    }

    @Override
    public void close() throws IOException {
        accepted.close();
    }

    @Override
    public boolean isClosed() {
        return accepted.isClosed();
    }

    @Override
    public boolean isConnected() {
        return accepted.isConnected();
    }

    @Override
    public boolean isBound() {
        return accepted.isBound();
    }

    @Override
    public InetAddress getInetAddress() {
        return accepted.getInetAddress();
    }

    @Override
    public int getPort() {
        return accepted.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return accepted.getRemoteSocketAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return accepted.getLocalAddress();
    }

    @Override
    public int getLocalPort() {
        return accepted.getLocalPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return accepted.getLocalSocketAddress();
    }

    @Override
    public void setTcpNoDelay(boolean isOn) throws SocketException {
        accepted.setTcpNoDelay(isOn);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return accepted.getTcpNoDelay();
    }

    @Override
    public void setKeepAlive(boolean isOn) throws SocketException {
        accepted.setKeepAlive(isOn);
    }

    @Override
    public void setSoTimeout(int timeoutMs) throws SocketException {
        accepted.setSoTimeout(timeoutMs);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return accepted.getSoTimeout();
    }

    @Override
    public String toString() {
        return accepted.toString();
    }
}
