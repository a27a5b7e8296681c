// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * The bytes of an accepted connection, as RMI reads them; none of a client that may not connect ({@link Users}), and
 * RMI closes the connection then. The first ones tell what kind of client it is: a fast one has said hello ({@link
 * Frame}), and is served in this read, by the thread that RMI has for the connection. When it is done RMI reads the end
 * of the stream.
 */
final class FirstWords extends FilterInputStream {
    private static final int BYTES = 6;

    private final Socket socket;
    private final Exports exports;
    private byte[] words;
    private int at;

    FirstWords(Socket socket, Exports exports) throws IOException {
        super(socket.getInputStream());
        this.socket = socket;
        this.exports = exports;
    }

    /** How many of the first bytes RMI has yet to see. */
    private int left() throws IOException {
        if (words == null && !Users.mayConnect(socket)) {
            words = new byte[0];
            in = InputStream.nullInputStream();
        }
        if (words == null) {
            words = in.readNBytes(BYTES);
            if (isHello()) {
                serve();
                in = InputStream.nullInputStream();
                at = words.length;
            }
        }
        return words.length - at;
    }

    /** Fast calls are for this host, whatever the clients of another one say. Without exports none is served. */
    private boolean isHello() throws IOException {
        return exports != null && words.length == BYTES && ByteBuffer.wrap(words).getInt() == Frame.HELLO
                && words[Integer.BYTES] == Frame.VERSION && Peer.isHere(socket.getInetAddress());
    }

    private void serve() throws IOException {
        socket.getOutputStream().write(Frame.WELCOME | Connection.features());
        new Server(new Connection(socket, exports, words[BYTES - 1]), exports).run();
    }

    @Override
    public int read() throws IOException {
        return left() > 0 ? words[at++] & 0xFF : in.read();
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int count = Math.min(left(), length);
        if (count == 0) {
            return in.read(to, offset, length);
        }
        System.arraycopy(words, at, to, offset, count);
        at += count;
        return count;
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
