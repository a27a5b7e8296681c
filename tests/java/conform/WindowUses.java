// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import mpi.Datatype;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Win;

/** What windows know of themselves, and wrong use of them. */
final class WindowUses {
    private static final int ERR_RMA_ATTACH = 46;
    private static final int ERR_RMA_RANGE = 48;
    private static final int ERR_RMA_FLAVOR = 57;

    private WindowUses() {
    }

    static void uses(Intracomm comm) throws MPIException {
        IntBuffer memory = MPI.newIntBuffer(5);
        Win win = new Win(memory, 5, 2, MPI.INFO_NULL, comm);
        properties(comm, win);
        attributes(win);
        nobody(comm, win);
        win.free();
        Win none = new Win(null, 0, 1, MPI.INFO_NULL, comm);
        none.fence(0);
        none.free();
        allocated(comm);
        dynamic(comm);
    }

    private static void properties(Intracomm comm, Win win) {
        Check.that(win.getName().isEmpty(), "a window has no name at first");
        win.setName("halo");
        Check.that(win.getName().equals("halo"), "the name");
        Check.that(win.getGroup().getSize() == comm.getSize()
                && win.getGroup().getRank() == comm.getRank(), "the group");
        Check.that(win.getErrhandler() == MPI.ERRORS_ARE_FATAL, "the handler");
        Check.fails(MPI.ERR_OTHER, "callErrhandler: ", () -> win.callErrhandler(MPI.ERR_OTHER));
        win.setErrhandler(MPI.ERRORS_RETURN);
        win.callErrhandler(MPI.ERR_OTHER);
        Check.that(win.getErrhandler() == MPI.ERRORS_RETURN, "the new handler");
        Check.equal(0, win.getInfo().size(), "hints");
        Info info = new Info();
        info.set("accumulate_ops", "same_op");
        win.setInfo(info);
        info.free();
        Check.that("same_op".equals(win.getInfo().get("accumulate_ops")), "a hint");
        win.setInfo(MPI.INFO_NULL);
        Check.equal(0, win.getInfo().size(), "hints that were withdrawn");
    }

    private static void attributes(Win win) {
        Check.that(win.getAttr(MPI.WIN_SIZE).equals(20) && win.getAttr(MPI.WIN_DISP_UNIT).equals(8)
                && (Long) win.getAttr(MPI.WIN_BASE) != 0, "attributes that every window has");
        int key = Win.createKeyval();
        Check.that(win.getAttr(key) == null, "an attribute that is not set");
        win.setAttr(key, "kept");
        Check.that("kept".equals(win.getAttr(key)), "an attribute");
        win.deleteAttr(key);
        Check.that(win.getAttr(key) == null, "an attribute that was deleted");
        Win.freeKeyval(key);
        Check.fails(MPI.ERR_KEYVAL, "setAttr: the key .* is none", () -> win.setAttr(key, 1));
        Check.fails(MPI.ERR_KEYVAL, "freeKeyval: the key ", () -> Win.freeKeyval(key));
        Check.fails(MPI.ERR_KEYVAL, "setAttr: the key .* is predefined", () -> win.setAttr(MPI.WIN_SIZE, 1));
        Check.fails(MPI.ERR_KEYVAL, "deleteAttr: the key .* is predefined", () -> win.deleteAttr(MPI.WIN_BASE));
    }

    /** MPI.PROC_NULL as the target. */
    private static void nobody(Intracomm comm, Win win) {
        IntBuffer out = MPI.newIntBuffer(1).put(0, 3);
        IntBuffer in = MPI.newIntBuffer(1).put(0, 4);
        int nobody = MPI.PROC_NULL;
        win.lock(MPI.LOCK_SHARED, nobody, 0);
        win.lockAll(0);
        win.put(out, 1, MPI.INT, nobody, 0, 1, MPI.INT);
        win.get(in, 1, MPI.INT, nobody, 99, 1, MPI.INT);
        win.fetchAndOp(out, in, MPI.INT, nobody, 0, MPI.SUM);
        win.compareAndSwap(out, out, in, MPI.INT, nobody, 0);
        Request[] requests = {win.rPut(out, 1, MPI.INT, nobody, 0, 1, MPI.INT),
            win.rGet(in, 1, MPI.INT, nobody, 0, 1, MPI.INT),
            win.rAccumulate(out, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM),
            win.rGetAccumulate(out, 1, MPI.INT, in, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM)};
        Request.waitAll(requests);
        win.flush(nobody);
        win.flushLocal(nobody);
        // Nothing at all, of a rank that is there.
        win.put(null, 0, MPI.INT, 0, 0, 0, MPI.INT);
        win.accumulate(null, 0, MPI.INT, 0, 0, 0, MPI.INT, MPI.SUM);
        win.unlockAll();
        win.unlock(nobody);
        Check.equal(4, in.get(0), "nothing comes from nobody");
        comm.barrier();
    }

    /** The address of new memory, hints, and parts of the ranks of a host in a row. */
    private static void allocated(Intracomm comm) {
        Intracomm host = comm.splitType(Intracomm.TYPE_SHARED, 0, MPI.INFO_NULL);
        LongBuffer address = MPI.newLongBuffer(1);
        Info info = new Info();
        info.set("mpi_minimum_memory_alignment", "4096");
        info.set("alloc_shared_noncontig", "true");
        info.set("no_locks", "false");
        Win win = new Win(6, 1, info, host, address, Windows.canShare(host) ? Win.FLAVOR_SHARED : Win.FLAVOR_PRIVATE);
        Check.that(win.getAttr(MPI.WIN_BASE).equals(address.get(0)) && address.get(0) % 4096 == 0, "the address");
        Check.that("4096".equals(win.getInfo().get("mpi_minimum_memory_alignment")), "a hint");
        win.free();
        Win tiny = new Win(8192 + host.getRank(), 1, MPI.INFO_NULL, host, MPI.newCharBuffer(0), Win.FLAVOR_PRIVATE);
        Check.that(tiny.getAttr(MPI.WIN_SIZE).equals(2 * (8192 + host.getRank())), "a size in chars");
        tiny.free();
        Check.that(host.getSize() == comm.getSize() || !Windows.canShare(comm), "hosts do not share memory");
        host.free();
    }

    private static void dynamic(Intracomm comm) {
        Win win = new Win(MPI.INFO_NULL, comm);
        IntBuffer memory = MPI.newIntBuffer(10);
        win.attach(memory, 10);
        Check.fails(ERR_RMA_ATTACH, "attach: .* overlap memory that is attached",
                () -> win.attach(MPI.slice(memory, 2), 3));
        Check.fails(ERR_RMA_ATTACH, "detach: no memory that begins at", () -> win.detach(MPI.newIntBuffer(1)));
        win.lockAll(0);
        Check.fails(MPI.ERR_DISP, "put: targetDisp is 0, but in a dynamic window it is an address",
                () -> win.put(memory, 1, MPI.INT, 0, 0, 1, MPI.INT));
        win.put(memory, 1, MPI.INT, MPI.PROC_NULL, 0, 1, MPI.INT);
        win.unlockAll();
        win.detach(memory);
        win.attach(memory, 10);
        win.free();
    }

    // ---- wrong use ----

    static void wrong(Intracomm comm) throws MPIException {
        making(comm);
        IntBuffer memory = MPI.newIntBuffer(4);
        Win win = new Win(memory, 4, 1, MPI.INFO_NULL, comm);
        win.setErrhandler(MPI.ERRORS_RETURN);
        outside(comm, win);
        win.lockAll(0);
        buffers(win);
        targets(comm, win);
        win.unlockAll();
        sync(comm, win);
        comm.barrier();
        win.free();
        Check.fails(MPI.ERR_WIN, "fence: the window has been freed", () -> win.fence(0));
        Check.fails(MPI.ERR_WIN, "free: the window has been freed", win::free);
        Check.fails(MPI.ERR_WIN, "put: the window has been freed",
                () -> win.put(memory, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_WIN, "getName: the window has been freed", win::getName);
        withoutLocks(comm);
    }

    private static void making(Intracomm comm) {
        IntBuffer four = MPI.newIntBuffer(4);
        Check.fails(MPI.ERR_SIZE, "Win: size is -1", () -> new Win(four, -1, 1, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_SIZE, "Win: size is 5, but the base has 4 elements",
                () -> new Win(four, 5, 1, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_DISP, "Win: dispUnit is 0", () -> new Win(four, 4, 0, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_BASE, "Win: the base is a heap IntBuffer",
                () -> new Win(IntBuffer.allocate(4), 4, 1, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_BASE, "Win: the base is a read-only IntBuffer",
                () -> new Win(four.asReadOnlyBuffer(), 4, 1, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_BASE, "Win: the base is null, but size is 4",
                () -> new Win(null, 4, 1, MPI.INFO_NULL, comm));
        Check.fails(MPI.ERR_INFO, "Win: the hints are a null reference", () -> new Win(four, 4, 1, null, comm));
        Check.fails(MPI.ERR_COMM, "Win: the communicator is a null reference",
                () -> new Win(four, 4, 1, MPI.INFO_NULL, null));
        Check.fails(MPI.ERR_ARG, "Win: flavor is 2", () -> new Win(4, 1, MPI.INFO_NULL, comm, four, 2));
        Intracomm dup = comm.dup();
        dup.free();
        Check.fails(MPI.ERR_COMM, "Win: the communicator .* has been freed",
                () -> new Win(four, 4, 1, MPI.INFO_NULL, dup));
        if (comm.getSize() > 1) {
            Intracomm half = comm.split(comm.getRank() % 2, 0);
            Intercomm inter = comm.createIntercomm(half, 0, (comm.getRank() + 1) % 2, 5);
            Check.fails(MPI.ERR_COMM, "Win: .* is an intercommunicator",
                    () -> new Win(four, 4, 1, MPI.INFO_NULL, inter));
            inter.free();
            half.free();
        }
    }

    /** Operations and synchronizations without an epoch. */
    private static void outside(Intracomm comm, Win win) {
        IntBuffer one = MPI.newIntBuffer(1);
        Check.fails(MPI.ERR_RMA_SYNC, "put: rank 0 is accessed outside of an epoch",
                () -> win.put(one, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_RMA_SYNC, "rGet: ", () -> win.rGet(one, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_RMA_SYNC, "unlock: ", () -> win.unlock(0));
        Check.fails(MPI.ERR_RMA_SYNC, "unlockAll: ", win::unlockAll);
        Check.fails(MPI.ERR_RMA_SYNC, "complete: ", win::complete);
        Check.fails(MPI.ERR_RMA_SYNC, "waitFor: ", win::waitFor);
        Check.fails(MPI.ERR_RMA_SYNC, "test: ", win::test);
        Check.fails(MPI.ERR_RMA_SYNC, "flush: ", () -> win.flush(0));
        win.lock(MPI.LOCK_SHARED, comm.getRank(), 0);
        Check.fails(MPI.ERR_RMA_SYNC, "lock: ", () -> win.lock(MPI.LOCK_SHARED, comm.getRank(), 0));
        Check.fails(MPI.ERR_RMA_SYNC, "free: ", win::free);
        win.unlock(comm.getRank());
    }

    private static void buffers(Win win) {
        IntBuffer one = MPI.newIntBuffer(1);
        IntBuffer heap = IntBuffer.allocate(1);
        Check.fails(MPI.ERR_BUFFER, "put: the origin is a heap IntBuffer",
                () -> win.put(heap, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "rGet: the origin is a heap IntBuffer",
                () -> win.rGet(heap, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "fetchAndOp: the result is a heap IntBuffer",
                () -> win.fetchAndOp(one, heap, MPI.INT, 0, 0, MPI.SUM));
        Check.fails(MPI.ERR_BUFFER, "compareAndSwap: the compare is a heap IntBuffer",
                () -> win.compareAndSwap(one, heap, one, MPI.INT, 0, 0));
        Check.fails(MPI.ERR_BUFFER, "put: the buffer is null, but count is 1",
                () -> win.put(null, 1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_BUFFER, "put: .* reach to element 2, but the buffer has 1",
                () -> win.put(one, 2, MPI.INT, 0, 0, 2, MPI.INT));
        Check.fails(MPI.ERR_COUNT, "put: count is -1", () -> win.put(one, -1, MPI.INT, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_TYPE, "put: the datatype is null", () -> win.put(one, 1, null, 0, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_TYPE, "put: elements of MPI.OBJECT cannot be in a window",
                () -> win.put(one, 1, MPI.OBJECT, 0, 0, 1, MPI.OBJECT));
        Check.fails(MPI.ERR_TYPE, "put: the datatypes MPI.INT and MPI.FLOAT have different elements",
                () -> win.put(one, 1, MPI.INT, 0, 0, 1, MPI.FLOAT));
        Check.fails(MPI.ERR_TRUNCATE, "put: 1 of MPI.INT are 4 bytes, but 2 of MPI.INT at the target are 8",
                () -> win.put(one, 1, MPI.INT, 0, 0, 2, MPI.INT));
        Check.fails(MPI.ERR_OP, "accumulate: the operator is a null reference",
                () -> win.accumulate(one, 1, MPI.INT, 0, 0, 1, MPI.INT, null));
        Check.fails(MPI.ERR_OP, "accumulate: MPI.NO_OP is only for operations that return the old value",
                () -> win.accumulate(one, 1, MPI.INT, 0, 0, 1, MPI.INT, MPI.NO_OP));
        Datatype two = Datatype.createContiguous(1, MPI.INT);
        Check.fails(MPI.ERR_TYPE, "fetchAndOp: .* is a derived datatype",
                () -> win.fetchAndOp(one, one, two, 0, 0, MPI.SUM));
        Datatype twice = Datatype.createIndexed(new int[] {1, 1}, new int[] {0, 0}, MPI.INT);
        Check.fails(MPI.ERR_TYPE, "put: 1 elements of the datatype .* overlap",
                () -> win.put(MPI.newIntBuffer(2), 2, MPI.INT, 0, 0, 1, twice));
        two.free();
        Check.fails(MPI.ERR_TYPE, "put: the datatype .* has been freed", () -> win.put(one, 1, two, 0, 0, 1, MPI.INT));
    }

    private static void targets(Intracomm comm, Win win) {
        ByteBuffer one = MPI.newByteBuffer(16);
        int size = comm.getSize();
        Check.fails(MPI.ERR_RANK, "put: rank " + size + " is not in the window",
                () -> win.put(one, 1, MPI.INT, size, 0, 1, MPI.INT));
        Check.fails(MPI.ERR_RANK, "flush: rank -1 is not in the window", () -> win.flush(-1));
        Check.fails(MPI.ERR_DISP, "put: targetDisp is -1", () -> win.put(one, 1, MPI.INT, 0, -1, 1, MPI.INT));
        Check.fails(MPI.ERR_COUNT, "put: targetCount is -1", () -> win.put(one, 1, MPI.INT, 0, 0, -1, MPI.INT));
        for (int target = 0; target < size; target++) {
            int at = target;
            Check.fails(ERR_RMA_RANGE, "get: .* are not inside the 16 bytes of rank " + at,
                    () -> win.get(one, 2, MPI.INT, at, 3, 2, MPI.INT));
            Check.fails(ERR_RMA_RANGE, "rAccumulate: ",
                    () -> win.rAccumulate(one, 1, MPI.INT, at, Integer.MAX_VALUE, 1, MPI.INT, MPI.SUM));
        }
    }

    private static void sync(Intracomm comm, Win win) {
        Check.fails(MPI.ERR_ASSERT, "fence: assertion is 1024", () -> win.fence(MPI.MODE_NOCHECK));
        Check.fails(MPI.ERR_ASSERT, "post: assertion is 2048",
                () -> win.post(comm.getGroup(), MPI.MODE_NOPRECEDE));
        Check.fails(MPI.ERR_ASSERT, "start: assertion is 4096", () -> win.start(comm.getGroup(), MPI.MODE_NOPUT));
        Check.fails(MPI.ERR_ASSERT, "lock: assertion is 1;", () -> win.lock(MPI.LOCK_SHARED, 0, 1));
        Check.fails(MPI.ERR_ASSERT, "lockAll: assertion is 1;", () -> win.lockAll(1));
        Check.fails(MPI.ERR_LOCKTYPE, "lock: lockType is 7", () -> win.lock(7, 0, 0));
        Check.fails(MPI.ERR_RANK, "lock: rank -7 is not in the window", () -> win.lock(MPI.LOCK_SHARED, -7, 0));
        Check.fails(MPI.ERR_GROUP, "post: the group is a null reference", () -> win.post(null, 0));
        Intracomm part = comm.split(comm.getRank(), 0);
        Win own = new Win(MPI.newIntBuffer(1), 1, 1, MPI.INFO_NULL, part);
        if (comm.getSize() > 1) {
            Check.fails(MPI.ERR_GROUP, "start: the group has a rank that is not in the window",
                    () -> own.start(comm.getGroup(), 0));
        }
        own.free();
        part.free();
        Check.fails(ERR_RMA_FLAVOR, "attach: the window has its memory already", () -> win.attach(null, 0));
        Check.fails(MPI.ERR_ARG, "setName: the name is null", () -> win.setName(null));
        Check.fails(MPI.ERR_ARG, "setErrhandler: the handler is null", () -> win.setErrhandler(null));
        Check.fails(MPI.ERR_INFO, "setInfo: the hints are a null reference", () -> win.setInfo(null));
    }

    /** The program promised not to lock. */
    private static void withoutLocks(Intracomm comm) {
        Info info = new Info();
        info.set("no_locks", "true");
        Win win = new Win(MPI.newIntBuffer(1), 1, 1, info, comm);
        Check.fails(MPI.ERR_RMA_SYNC, "lock: ", () -> win.lock(MPI.LOCK_SHARED, 0, 0));
        win.fence(0);
        win.free();
    }
}
