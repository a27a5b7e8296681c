// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the Java heap that holds the serialised objects of one message. It grows as they are written; a
 * receive into it takes whatever comes. The engine keeps and recycles it, so that no message pays for fresh memory.
 */
public final class Store {
    private final long handle;
    private ByteBuffer view;
    /** The engine may have made the memory larger since; then the view is of memory that is gone. */
    private boolean isOutdated;

    /** A store from the pool of this rank; {@link #give} returns it. */
    public Store(long rank) {
        handle = Native.storeTake(rank);
        view = view(0);
    }

    private ByteBuffer view(long bytes) {
        return Native.storeView(handle, bytes).order(ByteOrder.nativeOrder());
    }

    /** What the natives take as the offset of a buffer of kind {@link Native#KIND_STORE} that they only read. */
    public long handle() {
        return handle;
    }

    /** The same where they may write: whatever comes, for which they make the memory larger. */
    public long receiver() {
        isOutdated = true;
        return handle;
    }

    /** The memory, from its beginning. Position and limit are the caller's. */
    public ByteBuffer memory() {
        if (isOutdated) {
            view = view(0);
            isOutdated = false;
        }
        return view;
    }

    /**
     * The same memory with room for {@code more} bytes behind the position of {@link #memory}, which is kept.
     *
     * @throws OutOfMemoryError if there is no such room, or it would be more than a message of objects can have
     */
    public ByteBuffer grow(int more) {
        int position = memory().position();
        long wanted = (long) position + more;
        view = view(wanted);
        if (view.capacity() < wanted) {
            throw new OutOfMemoryError("no room for a message of " + wanted + " bytes");
        }
        view.position(position);
        return view;
    }

    /**
     * The message of so many bytes that was received into the store.
     *
     * @return null if there was no memory for it
     */
    public ByteBuffer received(long bytes) {
        isOutdated = bytes > view.capacity(); // else it was long enough as it was
        if (bytes > memory().capacity()) {
            return null;
        }
        view.position(0);
        view.limit((int) bytes);
        return view;
    }

    /** The caller needs the store no longer. A request that still does keeps it until it is done. */
    public void give() {
        Native.storeGive(handle);
    }
}
