package corunna.rmi;

import corunna.net.FastServerSocket;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.rmi.server.RMIServerSocketFactory;

/**
 * Ports that serve ordinary and fast clients. RMI accepts a connection and reads from it; a fast client has begun
 * with a hello of its own ({@link Frame}), and is served in that read, by the thread that RMI has for the connection.
 * When it is done RMI reads the end of the stream.
 */
final class SharedPorts implements RMIServerSocketFactory {
    private final Exports exports;

    SharedPorts(Exports exports) {
        this.exports = exports;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        try {
            return new Listener(port);
        } catch (LinkageError e) {
            System.err.println("corunna: port " + port + " serves ordinary RMI only: " + e.getMessage());
            return new ServerSocket(port);
        }
    }

    private final class Listener extends FastServerSocket {
        Listener(int port) throws IOException {
            super(port);
        }

        @Override
        public Socket accept() throws IOException {
            Socket accepted = super.accept();
            return new SharedSocket(accepted, new FirstWords(accepted));
        }
    }

    /** The bytes of a connection, of which the first tell what kind of client it is. */
    private final class FirstWords extends FilterInputStream {
        private static final int BYTES = 6;

        private final Socket socket;
        private byte[] words;
        private int at;

        FirstWords(Socket socket) throws IOException {
            super(socket.getInputStream());
            this.socket = socket;
        }

        /** How many of the first bytes RMI has yet to see; -1: the stream has ended, for RMI. */
        private int left() throws IOException {
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

        /** Fast calls are for this host, whatever the clients of another one say. */
        private boolean isHello() throws IOException {
            return words.length == BYTES && ByteBuffer.wrap(words).getInt() == Frame.HELLO
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
}
