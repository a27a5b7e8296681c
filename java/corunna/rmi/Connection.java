// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;

/** A connection that has said hello, at either side. One call at a time goes over it. */
final class Connection implements Closeable {
    private final Socket socket;
    private final Output out;
    private final Input in;
    private final CallFilter filter = CallFilter.of(null);
    private long usedAt = System.nanoTime();

    /** The socket belongs to the connection. The features are the peer's ({@link Frame}). */
    Connection(Socket socket, Exports exports, int features) throws IOException {
        this.socket = socket;
        out = new Output(socket, exports, (features & Frame.WHOLE_STREAMS) != 0);
        in = new Input(socket);
    }

    /** What this side says of itself. */
    static int features() {
        return CallInput.isWatched() ? Frame.WHOLE_STREAMS : 0;
    }

    Output out() {
        return out;
    }

    Input in() {
        return in;
    }

    /** What may come if the receiver says no more: the filter that the JVM had when the connection was made, or
     * null. */
    CallFilter filter() {
        return filter;
    }

    /** Nanoseconds since the last call. */
    long idleNs() {
        return System.nanoTime() - usedAt;
    }

    void touch() {
        usedAt = System.nanoTime();
    }

    /** Does the other side answer? */
    boolean isAlive() {
        try {
            out.begin(Frame.PING);
            out.end();
            boolean isAnswered = in.begin() == Frame.PING;
            in.end();
            return isAnswered;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone all the same
        }
    }
}
