// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection whose calls block, for a reader and a writer thread at a time. */
interface BlockingLink {
    /** As a channel's: at least a byte, or -1. */
    int read(ByteBuffer bytes) throws IOException;

    void write(ByteBuffer bytes) throws IOException;

    void endOutput() throws IOException;

    void close() throws IOException;

    /** A socket, whose reads have time-outs now and then. */
    static BlockingLink of(Socket socket, Dice dice) {
        return new BlockingLink() {
            @Override
            public int read(ByteBuffer bytes) throws IOException {
                if (dice.below(4) == 0) {
                    socket.setSoTimeout(dice.below(2) == 0 ? 0 : 1 + dice.below(10));
                }
                for (;;) {
                    try {
                        int got = socket.getInputStream().read(bytes.array(), bytes.position(), bytes.remaining());
                        bytes.position(bytes.position() + Math.max(got, 0));
                        return got;
                    } catch (SocketTimeoutException e) {
                        continue; // no byte is lost by it
                    }
                }
            }

            @Override
            public void write(ByteBuffer bytes) throws IOException {
                socket.getOutputStream().write(bytes.array(), bytes.position(), bytes.remaining());
                bytes.position(bytes.limit());
            }

            @Override
            public void endOutput() throws IOException {
                socket.shutdownOutput();
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        };
    }

    /** A blocking channel, which reads into several buffers now and then. */
    static BlockingLink of(SocketChannel channel, Dice dice) {
        return new BlockingLink() {
            @Override
            public int read(ByteBuffer bytes) throws IOException {
                if (dice.below(3) > 0) {
                    return channel.read(bytes);
                }
                ByteBuffer first = bytes.slice();
                first.limit(dice.below(first.capacity()));
                ByteBuffer second = bytes.slice();
                second.position(first.limit());
                int got = (int) channel.read(new ByteBuffer[] {first, second});
                bytes.position(bytes.position() + Math.max(got, 0));
                return got;
            }

            @Override
            public void write(ByteBuffer bytes) throws IOException {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }

            @Override
            public void endOutput() throws IOException {
                channel.shutdownOutput();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }
}
