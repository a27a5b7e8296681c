// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Blocking;
import corunna.engine.NativeNet;

/**
 * A wait of a thread for a socket, perhaps with a limit. A platform thread waits in native code; a virtual one would
 * keep its carrier there, so it only looks, and lets the carrier go in between.
 */
final class Waiting {
    private static final int SLICE_MS = 60_000;
    private static final long NS_A_MS = 1_000_000;

    private final boolean isVirtual = isVirtual();
    private final boolean hasLimit;
    private final long endNs;
    private int round;

    /** Limits are milliseconds; 0: none. */
    Waiting(int timeoutMs) {
        hasLimit = timeoutMs > 0;
        endNs = hasLimit ? System.nanoTime() + timeoutMs * NS_A_MS : 0;
    }

    static boolean isVirtual() {
        return Blocking.isVirtual();
    }

    boolean isOver() {
        return hasLimit && System.nanoTime() - endNs >= 0;
    }

    /** Lets a virtual thread's carrier go for a while, longer each time. */
    void pause() {
        Blocking.pause(round++);
    }

    /** Interrupting a virtual thread ends its wait, as in the JDK; a platform thread goes on. */
    boolean isInterrupted() {
        return isVirtual && Thread.currentThread().isInterrupted();
    }

    /** Waits, not beyond the limit: is there any of these events, or an error? */
    boolean poll(int fd, int events) {
        if (isVirtual) {
            boolean isThere = NativeNet.poll(fd, events, 0) != 0;
            if (!isThere) {
                pause();
            }
            return isThere;
        }
        int waitMs = SLICE_MS;
        if (hasLimit) {
            long left = (endNs - System.nanoTime() + NS_A_MS - 1) / NS_A_MS;
            waitMs = (int) Math.max(0, Math.min(SLICE_MS, left));
        }
        return NativeNet.poll(fd, events, waitMs) != 0;
    }
}
