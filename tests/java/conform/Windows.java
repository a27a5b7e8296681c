// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Win;

/** Every operation of windows in every kind of epoch, on every sort of window. */
final class Windows {
    /** Elements of a window: a few, and more than a packet has. */
    private static final int FEW = 5;
    private static final int MANY = 4500;

    private static final int ERR_RMA_SHARED = 49;

    private Windows() {
    }

    /** A window of ints, with the means to fill and read the memory of this rank. */
    private static final class Area {
        final Win win;
        final int me;
        /** The memory where the program has it, else null. */
        final IntBuffer own;
        private final IntBuffer copy;

        Area(Intracomm comm, int sort, int count) {
            me = comm.getRank();
            copy = MPI.newIntBuffer(count);
            own = sort == 0 ? MPI.newIntBuffer(count) : null;
            win = sort == 0 ? new Win(own, count, 1, MPI.INFO_NULL, comm)
                    : new Win(count, 1, MPI.INFO_NULL, comm, copy,
                            sort == 1 ? Win.FLAVOR_PRIVATE : Win.FLAVOR_SHARED);
        }

        void fill(int value) {
            IntBuffer memory = own == null ? copy : own;
            for (int i = 0; i < memory.capacity(); i++) {
                memory.put(i, value + i);
            }
            win.lock(MPI.LOCK_EXCLUSIVE, me, 0);
            if (own == null) {
                win.put(copy, copy.capacity(), MPI.INT, me, 0, copy.capacity(), MPI.INT);
            }
            win.unlock(me);
        }

        IntBuffer read() {
            win.lock(MPI.LOCK_EXCLUSIVE, me, 0);
            if (own == null) {
                win.get(copy, copy.capacity(), MPI.INT, me, 0, copy.capacity(), MPI.INT);
            }
            win.unlock(me);
            return own == null ? copy : own;
        }
    }

    /** An operation of {@code count} ints on the target's memory, which holds 1000 * target + i. */
    private interface Operation {
        void run(Win win, IntBuffer origin, IntBuffer result, int target);
    }

    private static void complete(Request request) {
        Check.that(!request.isNull(), "a request");
        request.waitFor();
        Check.that(request.isNull(), "a request is complete");
    }

    /** Name, operation, what becomes of an element, and whether the old one is fetched. */
    private static final class Row {
        final String name;
        final Operation operation;
        final char effect;
        final boolean isFetched;

        Row(String name, char effect, boolean isFetched, Operation operation) {
            this.name = name;
            this.operation = operation;
            this.effect = effect;
            this.isFetched = isFetched;
        }
    }

    private static final Row[] ROWS = {
        new Row("put", '=', false, (win, out, in, at) ->
                win.put(out, out.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT)),
        new Row("get", ' ', true, (win, out, in, at) ->
                win.get(in, in.capacity(), MPI.INT, at, 0, in.capacity(), MPI.INT)),
        new Row("accumulate", '+', false, (win, out, in, at) ->
                win.accumulate(out, out.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.SUM)),
        new Row("replace", '=', false, (win, out, in, at) ->
                win.accumulate(out, out.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.REPLACE)),
        new Row("getAccumulate", '+', true, (win, out, in, at) -> win.getAccumulate(out, out.capacity(), MPI.INT, in,
                in.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.SUM)),
        new Row("no operator", ' ', true, (win, out, in, at) -> win.getAccumulate(null, 0, MPI.INT, in,
                in.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.NO_OP)),
        new Row("fetchAndOp", '+', true, (win, out, in, at) -> {
            for (int i = 0; i < Math.min(FEW, out.capacity()); i++) {
                win.fetchAndOp(MPI.slice(out, i), MPI.slice(in, i), MPI.INT, at, i, MPI.SUM);
            }
        }),
        new Row("compareAndSwap", '=', true, (win, out, in, at) -> {
            for (int i = 0; i < Math.min(FEW, out.capacity()); i++) {
                IntBuffer compare = MPI.newIntBuffer(1).put(0, 1000 * at + i);
                win.compareAndSwap(MPI.slice(out, i), compare, MPI.slice(in, i), MPI.INT, at, i);
            }
        }),
        new Row("compareAndSwap of others", ' ', true, (win, out, in, at) -> {
            for (int i = 0; i < Math.min(FEW, out.capacity()); i++) {
                win.compareAndSwap(MPI.slice(out, i), MPI.newIntBuffer(1).put(0, -9), MPI.slice(in, i), MPI.INT, at, i);
            }
        }),
    };

    private static final Row[] REQUESTS = {
        new Row("rPut", '=', false, (win, out, in, at) ->
                complete(win.rPut(out, out.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT))),
        new Row("rGet", ' ', true, (win, out, in, at) ->
                complete(win.rGet(in, in.capacity(), MPI.INT, at, 0, in.capacity(), MPI.INT))),
        new Row("rAccumulate", '+', false, (win, out, in, at) -> complete(
                win.rAccumulate(out, out.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.SUM))),
        new Row("rGetAccumulate", '+', true, (win, out, in, at) -> complete(win.rGetAccumulate(out, out.capacity(),
                MPI.INT, in, in.capacity(), MPI.INT, at, 0, out.capacity(), MPI.INT, MPI.SUM))),
    };

    static void operations(Intracomm comm) throws MPIException {
        Map<String, Epochs.Epoch> two = new LinkedHashMap<>(Epochs.ALL);
        two.keySet().retainAll(Set.of("fence", "lock"));
        boolean isSmall = comm.getSize() <= 4; // the ranks of larger jobs share the CPUs of a machine
        for (int sort = 0; sort < (canShare(comm) ? 3 : 2); sort++) {
            inEpochs(comm, new Area(comm, sort, FEW), FEW, isSmall || sort == 0 ? Epochs.ALL : two);
        }
        inEpochs(comm, new Area(comm, 0, MANY), MANY, two);
    }

    private static void inEpochs(Intracomm comm, Area area, int count, Map<String, Epochs.Epoch> epochs) {
        for (Map.Entry<String, Epochs.Epoch> epoch : epochs.entrySet()) {
            for (Row row : ROWS) {
                run(comm, area, epoch, row, count);
            }
            boolean isPassive = epoch.getKey().contains("lock") || epoch.getKey().contains("flush");
            for (Row row : isPassive ? REQUESTS : new Row[0]) {
                run(comm, area, epoch, row, count);
            }
        }
        area.win.free();
    }

    /** Is there memory that all ranks share? All of them hear the same. */
    static boolean canShare(Intracomm comm) {
        try {
            new Win(0, 1, MPI.INFO_NULL, comm, MPI.newByteBuffer(0), Win.FLAVOR_SHARED).free();
            return true;
        } catch (MPIException e) {
            Check.equal(ERR_RMA_SHARED, e.getErrorClass(), e.getMessage());
            return false;
        }
    }

    private static void run(Intracomm comm, Area area, Map.Entry<String, Epochs.Epoch> epoch, Row row, int count) {
        int me = comm.getRank();
        int target = (me + 1) % comm.getSize();
        int origin = (me + comm.getSize() - 1) % comm.getSize();
        IntBuffer out = MPI.newIntBuffer(count);
        IntBuffer in = MPI.newIntBuffer(count);
        for (int i = 0; i < count; i++) {
            out.put(i, 7 + me + i);
            in.put(i, -1);
        }
        area.fill(1000 * me);
        comm.barrier();
        epoch.getValue().run(comm, area.win, target, () -> row.operation.run(area.win, out, in, target));
        String what = row.name + " in " + epoch.getKey();
        IntBuffer now = area.read();
        boolean isOne = row.name.startsWith("fetch") || row.name.startsWith("compare");
        for (int i = 0; i < (isOne ? Math.min(FEW, count) : count); i += count == MANY && i > FEW ? 11 : 1) {
            int old = 1000 * me + i;
            int given = 7 + origin + i;
            int expected = row.effect == '=' ? given : row.effect == '+' ? old + given : old;
            Check.equal(expected, now.get(i), what, i);
            Check.equal(row.isFetched ? 1000 * target + i : -1, in.get(i), "result of " + what, i);
        }
        comm.barrier();
    }

    // ---- all ranks on one element ----

    static void contention(Intracomm comm) throws MPIException {
        final int rounds = 200;
        int size = comm.getSize();
        Win win = new Win(2, 1, MPI.INFO_NULL, comm, MPI.newIntBuffer(1), Win.FLAVOR_PRIVATE);
        IntBuffer one = MPI.newIntBuffer(1).put(0, 1);
        IntBuffer zero = MPI.newIntBuffer(1);
        IntBuffer old = MPI.newIntBuffer(1);
        IntBuffer value = MPI.newIntBuffer(1);
        int[] seen = new int[rounds * size];
        win.lockAll(0);
        for (int i = 0; i < rounds; i++) {
            win.fetchAndOp(one, old, MPI.INT, 0, 0, MPI.SUM);
            win.flush(0);
            seen[old.get(0)]++;
        }
        int[] all = new int[seen.length];
        comm.allReduce(seen, all, seen.length, MPI.INT, MPI.SUM);
        for (int i = 0; i < all.length; i++) {
            Check.equal(1, all[i], "each number is drawn once", i);
        }
        // An element as a lock, around an addition that is not atomic.
        for (int i = 0; i < 20; i++) {
            do {
                win.compareAndSwap(one, zero, old, MPI.INT, 0, 1);
                win.flush(0);
            } while (old.get(0) != 0);
            win.get(value, 1, MPI.INT, 0, 0, 1, MPI.INT);
            win.flush(0);
            value.put(0, value.get(0) + 1);
            win.put(value, 1, MPI.INT, 0, 0, 1, MPI.INT);
            win.flush(0);
            win.accumulate(zero, 1, MPI.INT, 0, 1, 1, MPI.INT, MPI.REPLACE);
            win.flush(0);
        }
        comm.barrier();
        win.get(value, 1, MPI.INT, 0, 0, 1, MPI.INT);
        win.unlockAll();
        Check.equal(size * (rounds + 20), value.get(0), "what all have added");
        win.free();
    }

    // ---- buffers that nobody else knows any more ----

    static void garbage(Intracomm comm) throws MPIException {
        final int count = 20_000;
        final int parts = 3;
        int size = comm.getSize();
        int me = comm.getRank();
        int target = (me + 1) % size;
        int origin = (me + size - 1) % size;
        Win win = new Win(MPI.newByteBuffer(parts * count), parts * count, count, MPI.INFO_NULL, comm);
        collect(me);
        win.fence(0);
        for (int i = 0; i < parts; i++) {
            win.put(bytes(count, me + i), count, MPI.BYTE, target, i, count, MPI.BYTE);
        }
        collect(me);
        for (int i = 0; i < parts; i++) {
            bytes(count, -1); // in the place of what was collected
        }
        win.fence(0);
        win.lock(MPI.LOCK_SHARED, target, 0);
        ByteBuffer back = MPI.newByteBuffer(count);
        Request[] requests = new Request[parts];
        for (int i = 0; i < parts; i++) {
            requests[i] = win.rAccumulate(bytes(count, 1), count, MPI.BYTE, target, i, count, MPI.BYTE, MPI.SUM);
        }
        collect(me);
        Request.waitAll(requests);
        win.unlock(target);
        comm.barrier();
        for (int i = 0; i < parts; i++) {
            win.lock(MPI.LOCK_SHARED, me, 0);
            win.get(back, count, MPI.BYTE, me, i, count, MPI.BYTE);
            win.unlock(me);
            for (int k = 0; k < count; k++) {
                Check.equal((byte) (origin + i + k + 1 + k), back.get(k), "part " + i, k);
            }
        }
        comm.barrier();
        win.free();
    }

    /** A few ranks are enough: they may all be threads of this JVM. */
    private static void collect(int me) {
        if (me < 2) {
            System.gc();
        }
    }

    private static ByteBuffer bytes(int count, int begin) {
        ByteBuffer bytes = MPI.newByteBuffer(count);
        for (int k = 0; k < count; k++) {
            bytes.put(k, (byte) (begin + k));
        }
        return bytes;
    }
}
