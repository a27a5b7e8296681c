package mpi;

import corunna.engine.Native;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The engine's own memory in which the ranks of a communicator on one machine exchange data. Java writes what the next
 * collective call sends straight there, and takes out of it what the last one received, with no copy in between and no
 * call back into the virtual machine. A call that only writes it makes without the engine.
 */
final class Lease {
    private static final VarHandle FLAGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle COUNTS =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** How many ranks may sleep: where the memory begins. */
    private static final int SLEEPERS = 0;

    private final long comm;
    /** By the LEASE_ numbers of {@link Native}. */
    private final LongBuffer terms;
    private final ByteBuffer bytes;
    /** The memory, of all ranks. */
    final Stage memory;

    private Lease(long comm, ByteBuffer terms, ByteBuffer bytes) {
        this.comm = comm;
        this.terms = terms.order(ByteOrder.nativeOrder()).asLongBuffer();
        this.bytes = bytes.order(ByteOrder.nativeOrder());
        this.memory = new Stage(bytes);
    }

    /** That of a communicator, or null if it has none, or none before its first call. */
    static Lease of(long comm) {
        ByteBuffer terms = Native.lease(comm);
        return terms == null ? null : new Lease(comm, terms, Native.leased(comm));
    }

    /** Where so many bytes that a call sends may be written, or 0. */
    long place(int primitive, long length) {
        if (length <= Native.LEAF_BYTES) {
            return terms.get(Native.LEASE_LEAF);
        }
        return primitive == Native.ALLTOALL && length <= Native.TRAY_BYTES ? terms.get(Native.LEASE_TRAY) : 0;
    }

    /**
     * Makes a call that only writes: BCAST at its root, REDUCE elsewhere. Returns false, and has done nothing, if it
     * must be made by the engine. To call that takes as long as all of this.
     */
    boolean post(int primitive, Object array, int kind, int at, int count, long length) {
        long line = terms.get(Native.LEASE_LINE);
        long most = terms.get(primitive == Native.BCAST ? Native.LEASE_BCAST_BYTES : Native.LEASE_REDUCE_BYTES);
        if (line == 0 || length > most) {
            return false;
        }
        int flag = (int) (line - memory.address);
        long place = length <= Native.LINE_BYTES ? line + Native.LINE_DATA : terms.get(Native.LEASE_LEAF);
        memory.put(place, array, kind, at, count);
        bytes.putLong(flag + Native.LINE_WORD, Native.lineWord(length));
        terms.put(Native.LEASE_POSTED, 1);
        terms.put(Native.LEASE_LEAF, 0);
        terms.put(Native.LEASE_TRAY, 0);
        terms.put(Native.LEASE_LINE, 0);
        // Volatile: the others see the flag after all this, and who goes to sleep sees it, or is seen here.
        FLAGS.setVolatile(bytes, flag, terms.get(Native.LEASE_FLAG));
        if ((int) COUNTS.getVolatile(bytes, SLEEPERS) != 0) {
            Native.wake(comm);
        }
        return true;
    }
}
