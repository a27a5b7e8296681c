// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The native half of a socket: its descriptor and, if it may be fast, its connection. It is closed once, by its owner
 * or, when that was forgotten, by the cleaner. The owner keeps other threads away while it closes.
 */
final class Link {
    private final State state;
    private final Cleaner.Cleanable cleanable;

    Link(Object owner, int fd, long conn) {
        state = new State(fd, conn);
        cleanable = FastNet.CLEANER.register(owner, state);
    }

    int fd() {
        return state.fd;
    }

    long conn() {
        return state.conn;
    }

    /** Before any thread reads or writes. */
    void setConn(long conn) {
        state.conn = conn;
    }

    void close() {
        cleanable.clean();
    }

    /** Knows nothing of the owner, which could never be forgotten otherwise. */
    private static final class State implements Runnable {
        private final int fd;
        private volatile long conn;
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        State(int fd, long conn) {
            this.fd = fd;
            this.conn = conn;
        }

        @Override
        public void run() {
            if (isOpen.getAndSet(false)) {
                NativeNet.close(FastNet.HANDLE, fd, conn);
            }
        }
    }
}
