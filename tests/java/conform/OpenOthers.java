// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import mpi.Comm;
import mpi.Count;
import mpi.Datatype;
import mpi.Freeable;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;
import mpi.Status;
import mpi.UserFunction;

/** What else programs for Open MPI call, and both dialects in one program. */
final class OpenOthers {
    /** What compilers see as MPI.WTIME_IS_GLOBAL in mpi.jar; in corunna.jar, with which this is compiled, a Keyval
     * hides it. */
    private static final int WTIME_IS_GLOBAL = 0x7FFF_FF05;

    private OpenOthers() {
    }

    static void others(Intracomm comm) {
        int key = Comm.createKeyval();
        comm.setAttr(key, "kept");
        Intracomm dup = comm.dup();
        Check.that("kept".equals(dup.getAttr(key)), "a dup has the attribute");
        dup.deleteAttr(key);
        Check.that(dup.getAttr(key) == null && comm.getAttr(key) != null, "each has its own");
        dup.free();
        Check.that(comm.getAttr(MPI.TAG_UB).equals(Integer.MAX_VALUE), "the highest tag");
        Integer slots = (Integer) comm.getAttr(MPI.UNIVERSE_SIZE);
        Check.that(slots == null || slots >= MPI.COMM_WORLD.getSize(), "the slots, where the launcher tells");
        Check.that(Boolean.FALSE.equals(comm.getAttr(WTIME_IS_GLOBAL)), "the clocks");
        Check.that(Integer.valueOf(0).equals(comm.getAttr(MPI.APPNUM)), "the number of the program");
        Check.that(comm.getAttr(MPI.LASTUSEDCODE) instanceof Integer && comm.getAttr(MPI.HOST).equals(MPI.PROC_NULL)
                && comm.getAttr(MPI.IO).equals(MPI.ANY_SOURCE), "other attributes that every communicator has");
        Comm.freeKeyval(key);
        Check.fails(MPI.ERR_KEYVAL, "setAttr: the key .* is none", () -> comm.setAttr(key, 1));

        Info info = new Info();
        info.set("one", "1");
        info.set("two", "2");
        info.set("one", "11");
        Check.that(info.size() == 2 && info.getKey(1).equals("two") && info.get("one").equals("11")
                && info.get("three") == null, "hints");
        Intracomm hinted = comm.dupWithInfo(info);
        info.delete("one");
        Check.that(hinted.getInfo().size() == 2 && info.size() == 1, "hints of a communicator are its own");
        hinted.free();
        info.free();
        Check.that(info.isNull() && MPI.INFO_NULL.isNull() && !MPI.INFO_ENV.isNull(), "hints that are none");
        Check.fails(MPI.ERR_INFO, "get: the hints are MPI.INFO_NULL", () -> info.get("two"));
        Check.fails(MPI.ERR_INFO_NOKEY, "delete: there is no key x", () -> new Info().delete("x"));
        known();
        freed();

        comm.setErrhandler(MPI.ERRORS_RETURN);
        Check.that(comm.getErrhandler() == MPI.ERRORS_RETURN, "the handler");
        comm.callErrhandler(MPI.ERR_OTHER);
        comm.setErrhandler(MPI.ERRORS_ARE_FATAL);
        Check.fails(MPI.ERR_OTHER, "callErrhandler: ", () -> comm.callErrhandler(MPI.ERR_OTHER));
        Check.that(MPI.isInitialized() && !MPI.isFinalized() && MPI.isThreadMain()
                && MPI.queryThread() == MPI.THREAD_MULTIPLE, "life");
        Check.that(MPI.wtime() > 0 && MPI.wtick() > 0 && MPI.getVersion().getVersion() == MPI.VERSION
                && !MPI.getLibVersion().isEmpty() && !MPI.getProcessorName().isEmpty(), "environment");
        MPI.pControl(1, null);
        Check.that(new Count(5).equals(new Count(5)) && new Count(5).compareTo(new Count(6)) < 0, "counts");

        byte[] packed = new byte[comm.packSize(3, MPI.INT) + comm.packSize(1, MPI.DOUBLE)];
        int at = comm.pack(new int[] {1, 2, 3}, 3, MPI.INT, packed, 0);
        at = comm.pack(MPI.slice(new double[] {0, 4}, 1), 1, MPI.DOUBLE, packed, at);
        int[] ints = new int[3];
        double[] doubles = new double[1];
        Check.equal(at, comm.unpack(packed, comm.unpack(packed, 0, ints, 3, MPI.INT), doubles, 1, MPI.DOUBLE),
                "where the packed data end");
        Check.that(ints[2] == 3 && doubles[0] == 4, "what was packed");
        Status status = new Status();
        status.setElements(MPI.INT, 7);
        status.setCancelled(true);
        Check.that(status.getCount(MPI.INT) == 7 && status.isCancelled() && status.getError() == MPI.SUCCESS, "status");
        status.setElementsX(MPI.BYTE, new Count(3L << 30));
        Check.that(status.getCount(MPI.BYTE) == MPI.UNDEFINED && status.Get_elements(MPI.BYTE) == MPI.UNDEFINED
                && status.getElements(MPI.BYTE) == MPI.UNDEFINED, "more bytes than an int can say");
        Check.that(status.getElementsX(MPI.BYTE).getCount() == 3L << 30 && status.getCount(MPI.INT) == 3 << 28,
                "the same in ways that can");
        Datatype row = Datatype.createContiguous(3, MPI.BYTE);
        Check.that(status.getCount(row) == 1 << 30 && status.Get_count(row) == 1 << 30, "the same in threes");
    }

    /** What is known of how the rank was started. */
    private static void known() {
        Info env = MPI.INFO_ENV;
        for (String key : new String[] {"command", "argv", "host", "arch", "wdir", "thread_level"}) {
            Check.that(env.get(key) != null && !env.get(key).isEmpty(), "INFO_ENV has " + key);
        }
        Check.that(env.get("maxprocs").equals(Integer.toString(MPI.COMM_WORLD.getSize())), "the number of ranks");
        Check.that(env.get("wdir").equals(System.getProperty("user.dir")), "the folder");
        Check.fails(MPI.ERR_INFO, "set: the hints are MPI.INFO_ENV, which cannot be changed", () -> env.set("a", "b"));
        Check.that(env.dup().size() == env.size() && !env.isNull(), "a copy of INFO_ENV");
        for (int i = 0; i < env.size(); i++) {
            Check.that(env.get(env.getKey(i)) != null, "INFO_ENV by number");
        }
    }

    private static void freed() {
        Group group = MPI.COMM_WORLD.getGroup();
        Op op = new Op(new UserFunction() { }, true);
        Datatype row = Datatype.createContiguous(3, MPI.INT);
        Datatype again = MPI.INT.dup();
        Check.that(!group.isNull() && !op.isNull() && !row.isNull() && !again.isNull(), "before they are freed");
        for (Freeable each : new Freeable[] {group, op, row, again, MPI.GROUP_EMPTY, MPI.SUM, MPI.INT}) {
            each.free();
        }
        Check.that(group.isNull() && op.isNull() && row.isNull() && again.isNull(), "after they were freed");
        Check.that(!MPI.GROUP_EMPTY.isNull() && !MPI.SUM.isNull() && !MPI.INT.isNull(), "what is predefined stays");
        Check.fails(MPI.ERR_TYPE, "send: the datatype .* has been freed",
                () -> MPI.COMM_WORLD.send(new int[3], 1, row, 0, 1));
    }

    /** A message that one dialect sends and the other receives, objects beside buffers, requests of both in one
     * array. */
    static void mixed(Intracomm comm) throws MPIException {
        int me = comm.Rank();
        int right = (me + 1) % comm.getSize();
        int left = (me + comm.Size() - 1) % comm.Size();
        double[] values = {0, me, 0};
        ByteBuffer room = MPI.newByteBuffer(8);
        Object[] words = new Object[1];
        Request[] requests = {comm.Irecv(words, 0, 1, MPI.OBJECT, left, 1), comm.iRecv(room, 1, MPI.DOUBLE, left, 2)};
        comm.Send(new Object[] {"from " + me}, 0, 1, MPI.OBJECT, right, 1);
        comm.Send(values, 1, 1, MPI.DOUBLE, right, 2);
        Status[] statuses = Request.waitAllStatus(requests);
        Check.that(words[0].equals("from " + left) && statuses[0].getCount(MPI.OBJECT) == 1, "objects");
        Check.that(room.getDouble(0) == left && statuses[1].count == 1, "Send and iRecv");
        Request send = comm.iSend(room, 1, MPI.DOUBLE, right, 3);
        Status status = comm.Recv(values, 2, 1, MPI.DOUBLE, left, 3);
        send.Wait();
        Check.that(values[2] == (left + comm.Size() - 1) % comm.Size() && status.getSource() == left, "iSend and Recv");
        Datatype column = Datatype.Vector(2, 1, 2, MPI.DOUBLE);
        comm.bcast(values, 1, column, 0);
        Request barrier = comm.iBarrier();
        Object[] all = new Object[comm.Size()];
        comm.Allgather(new Object[] {me}, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
        Request.Waitall(new Request[] {barrier});
        Check.that(all[left].equals(left) && barrier.isNull() && barrier.Is_null(), "objects beside a barrier");
        Check.equal(MPI.IDENT, Comm.compare(comm, comm), "the same");
    }
}
