// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a window is: the engine's handle, the memory that belongs to it, its life, its synchronizations and its
 * properties. {@link Accesses} has the operations, and {@link Win}, which programs see, is made from the table
 * {@code java/table/Win.api}.
 *
 * <p>The engine writes to direct buffers by their addresses. So the buffers must stay reachable: those of the window by
 * the endpoint, which has all windows, until the window is freed; those of operations until they are complete.
 */
abstract class WinCore implements Freeable {
    private static final int FENCE_ASSERTIONS = MPI.MODE_NOSTORE | MPI.MODE_NOPUT | MPI.MODE_NOPRECEDE
            | MPI.MODE_NOSUCCEED;
    private static final int POST_ASSERTIONS = MPI.MODE_NOCHECK | MPI.MODE_NOSTORE | MPI.MODE_NOPUT;
    /** What {@link #lock} and the like take. */
    private static final int LOCK_ASSERTIONS = MPI.MODE_NOCHECK;

    /** The engine's window, 0 once freed. */
    private long handle;
    private volatile boolean isUsable;
    Endpoint endpoint;
    Group group;
    int size;
    boolean isDynamic;
    String name = "";
    Errhandler errhandler = MPI.ERRORS_ARE_FATAL;
    final Attributes attributes = new Attributes();
    private Info info;
    private long bytes;
    private long unit = 1;
    /** The ranks on whose memory an operation is complete when it has begun. */
    private boolean[] isDirect;
    /** The window's memory, or what is attached to it. */
    private final List<Buffer> memory = Collections.synchronizedList(new ArrayList<>());
    /** Buffers of operations that may not be complete, by their target. */
    private final Map<Integer, List<Object>> underWay = new HashMap<>();

    // ---- life ----

    /** Over memory of the program. */
    final void create(String call, Buffer base, int elements, int dispUnit, Info newInfo, Comm comm) {
        checkSizes(call, elements, dispUnit);
        checkMemory(call, base, elements);
        int elementBytes = Views.elementBytes(base);
        make(call, Native.WIN_CREATED, base, (long) elements * elementBytes, (long) dispUnit * elementBytes, newInfo,
                comm);
        memory.add(base);
    }

    /** With new memory; the buffer says what an element is, and gets the address if there is room for it. */
    final void allocate(String call, int flavor, Buffer base, int elements, int dispUnit, Info newInfo, Comm comm) {
        checkSizes(call, elements, dispUnit);
        checkMemory(call, base, 0);
        if (flavor != Win.FLAVOR_PRIVATE && flavor != Win.FLAVOR_SHARED) {
            throw new MPIException(ErrorClass.ARG, call + ": flavor is " + flavor
                    + "; it is Win.FLAVOR_PRIVATE or Win.FLAVOR_SHARED");
        }
        int elementBytes = Views.elementBytes(base);
        Buffer address = base == null || Views.bytes(base) < Long.BYTES ? null : base;
        make(call, flavor == Win.FLAVOR_SHARED ? Native.WIN_SHARED : Native.WIN_ALLOCATED, address,
                (long) elements * elementBytes, (long) dispUnit * elementBytes, newInfo, comm);
    }

    final void createDynamic(String call, Info newInfo, Comm comm) {
        isDynamic = true;
        make(call, Native.WIN_DYNAMIC, null, 0, 1, newInfo, comm);
    }

    private void make(String call, int sort, Buffer base, long newBytes, long newUnit, Info newInfo, Comm comm) {
        Info hints = Info.require(call, newInfo);
        if (comm == null) {
            throw new MPIException(ErrorClass.COMM, call + ": the communicator is a null reference");
        }
        long over = comm.handle(call);
        if (comm.isInter) {
            throw new MPIException(ErrorClass.COMM, call + ": " + comm.name
                    + " is an intercommunicator; a window is of one group of ranks");
        }
        info = hints.isNull() ? new Info() : hints.dup();
        int what = sort | (isHinted("no_locks") ? Native.WIN_WITHOUT_LOCKS : 0)
                | (isHinted("alloc_shared_noncontig") ? Native.WIN_NONCONTIGUOUS : 0);
        handle = Native.winMake(over, what, base, newBytes, newUnit, alignment());
        isDirect = Native.winDirect(handle);
        endpoint = comm.endpoint;
        group = comm.group;
        size = comm.size;
        bytes = newBytes;
        unit = newUnit;
        isUsable = true;
        endpoint.add(this);
    }

    private boolean isHinted(String key) {
        return "true".equals(info.get(key));
    }

    /** A value that is no power of two is ignored, as hints are that nobody knows. */
    private long alignment() {
        String value = info.get("mpi_minimum_memory_alignment");
        if (value == null || !value.matches("[0-9]{1,9}")) {
            return 0;
        }
        long wanted = Long.parseLong(value);
        return Long.bitCount(wanted) == 1 ? wanted : 0;
    }

    private static void checkSizes(String call, int elements, int dispUnit) {
        if (elements < 0) {
            throw new MPIException(ErrorClass.SIZE, call + ": size is " + elements + "; it cannot be negative");
        }
        if (dispUnit <= 0) {
            throw new MPIException(ErrorClass.DISP, call + ": dispUnit is " + dispUnit + "; it is at least 1");
        }
    }

    /** A direct buffer with so many elements; null has none. */
    private static void checkMemory(String call, Buffer base, int elements) {
        if (base == null) {
            if (elements != 0) {
                throw new MPIException(ErrorClass.BASE, call + ": the base is null, but size is " + elements);
            }
            return;
        }
        if (!base.isDirect() || base.isReadOnly()) {
            throw new MPIException(ErrorClass.BASE, call + ": the base is "
                    + Datatype.a((base.isDirect() ? "read-only " : "heap ") + Views.name(base))
                    + "; the memory of a window is a direct buffer, as MPI.newByteBuffer makes it");
        }
        if (elements > base.capacity()) {
            throw new MPIException(ErrorClass.SIZE, call + ": size is " + elements + ", but the base has "
                    + base.capacity() + " elements");
        }
    }

    final void free(String call) {
        long freed = handle(call);
        try {
            Native.winFree(freed);
        } catch (MPIException e) {
            if (e.getErrorClass() == ErrorClass.RMA_SYNC) {
                throw e; // an epoch is open: the window stays
            }
            release();
            throw e;
        }
        release();
    }

    private void release() {
        handle = 0;
        isUsable = false;
        endpoint.remove(this);
        memory.clear();
        synchronized (underWay) {
            underWay.clear();
        }
    }

    /** MPI is being finalised. */
    final void unbind() {
        isUsable = false;
    }

    /** The engine's window for a call of this name. */
    final long handle(String call) {
        if (!isUsable) {
            throw new MPIException(ErrorClass.WIN, call + ": " + (handle == 0 ? "the window " + name
                    + (name.isEmpty() ? "" : " ") + "has been freed" : "MPI has been finalised"));
        }
        return handle;
    }

    // ---- attached memory ----

    final void attachMemory(String call, Buffer base, int elements) {
        long win = dynamic(call);
        if (elements < 0) {
            throw new MPIException(ErrorClass.SIZE, call + ": size is " + elements + "; it cannot be negative");
        }
        checkMemory(call, base, elements);
        Native.winAttach(win, base, (long) elements * Views.elementBytes(base));
        if (base != null) {
            memory.add(base);
        }
    }

    final void detachMemory(String call, Buffer base) {
        long win = dynamic(call);
        checkMemory(call, base, 0);
        Native.winDetach(win, base);
        memory.removeIf(each -> each == base);
    }

    private long dynamic(String call) {
        long win = handle(call);
        if (!isDynamic) {
            throw new MPIException(ErrorClass.RMA_FLAVOR, call
                    + ": the window has its memory already; only one that Win(info, comm) made gets more");
        }
        return win;
    }

    // ---- buffers of operations ----

    /** They stay reachable until a synchronization with the target. */
    final void keep(int target, Object first, Object second) {
        if (target == MPI.PROC_NULL || isDirect[target]) {
            return;
        }
        synchronized (underWay) {
            List<Object> kept = underWay.computeIfAbsent(target, none -> new ArrayList<>());
            keepOnce(kept, first);
            keepOnce(kept, second);
        }
    }

    /** Most programs use one buffer again and again. */
    private static void keepOnce(List<Object> kept, Object buffer) {
        int count = kept.size();
        if (buffer != null && (count < 1 || kept.get(count - 1) != buffer)
                && (count < 2 || kept.get(count - 2) != buffer)) {
            kept.add(buffer);
        }
    }

    // ---- synchronization ----

    /** One that completes operations here: on one target, or on all. */
    private void complete(long win, int how, int target, int assertion) {
        Map<Integer, List<Object>> completed = taken(target);
        boolean isFine = false;
        try {
            Native.winSync(win, how, target, assertion);
            isFine = true;
        } finally {
            if (!isFine) {
                completed.forEach((rank, buffers) -> buffers.forEach(each -> keep(rank, each, null)));
            }
        }
        Reference.reachabilityFence(completed);
    }

    /** The buffers of operations that have begun before; another thread may begin others during the call. */
    private Map<Integer, List<Object>> taken(int target) {
        synchronized (underWay) {
            Map<Integer, List<Object>> taken = new HashMap<>();
            if (target == Native.WIN_ALL) {
                taken.putAll(underWay);
                underWay.clear();
            } else if (underWay.containsKey(target)) {
                taken.put(target, underWay.remove(target));
            }
            return taken;
        }
    }

    final void fenceAll(String call, int assertion) {
        long win = handle(call);
        checkAssertion(call, assertion, FENCE_ASSERTIONS, "made of MPI.MODE_NOSTORE, MODE_NOPUT, MODE_NOPRECEDE and "
                + "MODE_NOSUCCEED");
        complete(win, Native.WIN_FENCE, Native.WIN_ALL, assertion);
    }

    final void completeAll(String call, int how) {
        complete(handle(call), how, Native.WIN_ALL, 0);
    }

    /** On one target; no rank is never locked. */
    final void completeAt(String call, int how, int target) {
        long win = handle(call);
        checkTarget(call, target);
        if (target != MPI.PROC_NULL) {
            complete(win, how, target, 0);
        }
    }

    final boolean testExposure(String call) {
        return Native.winSync(handle(call), Native.WIN_TEST, 0, 0);
    }

    /** Waits until the origins are done, or orders loads and stores: no operation of this rank completes. */
    final void synchronise(String call, int how) {
        Native.winSync(handle(call), how, 0, 0);
    }

    final void lockOne(String call, int lockType, int target, int assertion) {
        long win = handle(call);
        if (lockType != MPI.LOCK_EXCLUSIVE && lockType != MPI.LOCK_SHARED) {
            throw new MPIException(ErrorClass.LOCKTYPE, call + ": lockType is " + lockType
                    + "; it is MPI.LOCK_EXCLUSIVE or MPI.LOCK_SHARED");
        }
        checkTarget(call, target);
        checkLockAssertion(call, assertion);
        if (target != MPI.PROC_NULL) {
            boolean isExclusive = lockType == MPI.LOCK_EXCLUSIVE;
            Native.winSync(win, isExclusive ? Native.WIN_LOCK_EXCLUSIVE : Native.WIN_LOCK_SHARED, target, assertion);
        }
    }

    final void lockEach(String call, int assertion) {
        long win = handle(call);
        checkLockAssertion(call, assertion);
        Native.winSync(win, Native.WIN_LOCK_ALL, 0, assertion);
    }

    final void beginPost(String call, Group origins, int assertion) {
        long win = handle(call);
        checkAssertion(call, assertion, POST_ASSERTIONS, "made of MPI.MODE_NOCHECK, MODE_NOSTORE and MODE_NOPUT");
        Native.winGroup(win, true, members(call, origins), assertion);
    }

    final void beginStart(String call, Group targets, int assertion) {
        long win = handle(call);
        checkLockAssertion(call, assertion);
        Native.winGroup(win, false, members(call, targets), assertion);
    }

    private int[] members(String call, Group part) {
        Subsets.checkMembers(group, "window", call, part);
        return part.members();
    }

    private static void checkLockAssertion(String call, int assertion) {
        checkAssertion(call, assertion, LOCK_ASSERTIONS, "MPI.MODE_NOCHECK");
    }

    private static void checkAssertion(String call, int assertion, int allowed, String right) {
        if ((assertion & ~allowed) != 0) {
            throw new MPIException(ErrorClass.ASSERT, call + ": assertion is " + assertion + "; it is 0 or " + right);
        }
    }

    final void checkTarget(String call, int target) {
        if (target != MPI.PROC_NULL && (target < 0 || target >= size)) {
            throw new MPIException(ErrorClass.RANK, call + ": rank " + target + " is not in the window, which has "
                    + size + (size == 1 ? " rank" : " ranks"));
        }
    }

    // ---- properties ----

    final Group ranks(String call) {
        handle(call);
        return group;
    }

    final void rename(String call, String newName) {
        handle(call);
        if (newName == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the name is null");
        }
        name = newName;
    }

    final void setHandler(String call, Errhandler newErrhandler) {
        handle(call);
        if (newErrhandler == null) {
            throw new MPIException(ErrorClass.ARG, call + ": the handler is null");
        }
        errhandler = newErrhandler;
    }

    final void callHandler(String call, int errorcode) {
        handle(call);
        if (!errhandler.isReturn()) {
            throw new MPIException(errorcode, call + ": the program reports error " + errorcode);
        }
    }

    final void hint(String call, Info newInfo) {
        handle(call);
        Info hints = Info.require(call, newInfo);
        info = hints.isNull() ? new Info() : hints.dup();
    }

    final Info hints(String call) {
        handle(call);
        return info.dup();
    }

    /** The address and the sizes in bytes are attributes that every window has. */
    final Object valueUnder(String call, int keyval) {
        long win = handle(call);
        switch (keyval) {
        case MPI.WIN_BASE:
            return Native.winBase(win);
        case MPI.WIN_SIZE:
            return clamped(bytes);
        case MPI.WIN_DISP_UNIT:
            return clamped(unit);
        default:
            Keyval.requireNumber(call, keyval);
            return Keyval.isPredefined(keyval) ? null : attributes.get(keyval, endpoint);
        }
    }

    private static Integer clamped(long number) {
        return (int) Math.min(number, Integer.MAX_VALUE);
    }

    /** A key of the program's own. */
    final int own(String call, int keyval) {
        handle(call);
        if (keyval == MPI.WIN_BASE || keyval == MPI.WIN_SIZE || keyval == MPI.WIN_DISP_UNIT) {
            throw new MPIException(ErrorClass.KEYVAL, call + ": the key " + keyval
                    + " is predefined and cannot be changed");
        }
        return Keyval.requireNumber(call, keyval);
    }
}
