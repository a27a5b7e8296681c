// SPDX-License-Identifier: Apache-2.0
package conform;

import conform.Things.Colour;
import conform.Things.Custom;
import conform.Things.External;
import conform.Things.Matrix;
import conform.Things.Point;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Messages of objects: what they may be, and every call that moves them. */
final class ObjectMessages {
    private static final int TYPE = 3;
    private static final int TRUNCATE = 15;

    private ObjectMessages() {
    }

    /** Sends the array to ourselves and returns what comes back. */
    static Object[] echo(Intracomm comm, Object[] out) {
        int me = comm.Rank();
        Object[] in = new Object[out.length + 1];
        Status status = comm.Sendrecv(out, 0, out.length, MPI.OBJECT, me, 5, in, 0, in.length, MPI.OBJECT, me, 5);
        Check.equal(out.length, status.Get_count(MPI.OBJECT), "objects");
        Check.equal(out.length, status.count, "count field");
        Check.equal(out.length, status.numObj, "numObj field");
        Check.that(in[out.length] == null, "nothing behind the objects");
        return Arrays.copyOf(in, out.length);
    }

    private static void same(Intracomm comm, String what, Object... out) {
        Check.that(Arrays.deepEquals(out, echo(comm, out)), what);
    }

    /** Every form a message can have. */
    static void objects(Intracomm comm) {
        same(comm, "nothing");
        same(comm, "a null", (Object) null);
        same(comm, "nulls", null, null, null);
        same(comm, "strings", "", "a", null, "Gr\u00fc\u00dfe", "\u20ac und \ud83d\ude00", "a",
                "lone \ud800 half", "\0");
        char[] many = new char[10_000];
        Arrays.fill(many, 'x');
        String longText = new String(many);
        same(comm, "long strings", longText, longText + "\u20ac", longText);
        same(comm, "boxes", 1, 2L, 'c', 1.5, 2.5f, true, (byte) 3, (short) 4, new BigDecimal("1.23"), new Date(5));
        same(comm, "enums and classes", Colour.RED, Colour.GREEN, Colour.BLUE, Colour.RED, int.class, Point.class,
                int[].class, Map.class);
        same(comm, "records", new Point(1), null, new Point(2), new Point(3));
        same(comm, "objects that write themselves", new Custom(1, 2, 3), new External(99), new Custom());
        same(comm, "maps", Things.map(0), Things.map(1), Things.map(1000));
        same(comm, "arrays of one type", new int[] {1, 2}, new int[0], null, new int[] {3});
        same(comm, "arrays of several types", new int[] {1, 2}, new double[] {3}, "text", new String[] {"a", null});
        same(comm, "every primitive type", new byte[] {1}, new boolean[] {true, false}, new char[] {'\u20ac'},
                new short[] {-1}, new int[] {1 << 30}, new long[] {1L << 60}, new float[] {1.5f}, new double[] {-0.0});
        for (Object one : new Object[] {new byte[] {1, -1}, new boolean[] {true, false}, new char[] {'\u20ac', 'a'},
            new short[] {-1, 2}, new int[] {1 << 30}, new long[] {1L << 60}, new float[] {1.5f},
            new double[] {-0.0}}) {
            same(comm, one.getClass().getSimpleName(), one, null, one);
        }
        Object[] matrix = echo(comm, new Object[] {new Matrix(10), new Matrix(100)});
        ((Matrix) matrix[0]).verify(10);
        ((Matrix) matrix[1]).verify(100);
        double[][][] cube = new double[3][4][500];
        cube[2][3][499] = 7;
        same(comm, "a cube", (Object[]) cube);
        List<Integer> list = new ArrayList<>(Collections.nCopies(100, 42));
        same(comm, "lists", list, Arrays.asList("a", "b"), Collections.emptyMap(), List.of(1, 2, 3));
        Runnable proxy = (Runnable & java.io.Serializable) () -> { };
        Check.that(echo(comm, new Object[] {proxy})[0] instanceof Runnable, "a lambda");
        Object[] typed = new String[4];
        comm.Sendrecv(new String[] {"a", "b"}, 0, 2, MPI.OBJECT, comm.Rank(), 5, typed, 1, 3, MPI.OBJECT, comm.Rank(),
                5);
        Check.that(Arrays.equals(new String[] {null, "a", "b", null}, typed), "an offset");
    }

    /** What was one object is one object again, in all forms. */
    static void sharing(Intracomm comm) {
        Point point = new Point(1);
        point.next = point;
        Object[] in = echo(comm, new Object[] {point, "x", point, new Object[] {point}});
        Check.that(in[0] == in[2] && ((Object[]) in[3])[0] == in[0], "a shared object");
        Check.that(((Point) in[0]).next == in[0], "a circle");
        int[] row = {1, 2, 3};
        in = echo(comm, new Object[] {row, new int[] {1, 2, 3}, row, null, row});
        Check.that(in[0] == in[2] && in[0] == in[4] && in[0] != in[1], "a shared array");
        String text = "shared";
        in = echo(comm, new Object[] {text, "other", text});
        Check.that(in[0] == in[2], "a shared string");
        double[] large = new double[1000];
        in = echo(comm, new Object[] {Arrays.asList(large, large), large});
        Check.that(((List<?>) in[0]).get(0) == in[1] && ((List<?>) in[0]).get(1) == in[1], "a shared large array");
        // The next message knows nothing of the last one.
        in = echo(comm, new Object[] {point, point});
        Check.that(in[0] == in[1], "again");
    }

    /** The length of a message tells how many objects it has. */
    static void probed(Intracomm comm) {
        int me = comm.Rank();
        for (int count : new int[] {0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 100, 1023, 1024, 5000}) {
            Object[] out = new Object[count];
            for (int i = 0; i < count; i++) {
                out[i] = count % 2 == 0 ? (Object) ("object " + i) : new Point(i);
            }
            Request send = comm.Isend(out, 0, count, MPI.OBJECT, me, 9);
            Status status = comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG);
            Check.equal(count, status.Get_count(MPI.OBJECT), "probed objects");
            Check.equal(count, status.Get_elements(MPI.OBJECT), "probed elements");
            Object[] in = new Object[status.Get_count(MPI.OBJECT)];
            status = comm.Recv(in, 0, in.length, MPI.OBJECT, status.source, status.tag);
            Check.that(Arrays.equals(out, in), "probed and received");
            Check.equal(count, status.Get_count(MPI.OBJECT), "received");
            send.Wait();
        }
    }

    /** From nothing to megabytes, by every way a message may travel. */
    static void objectSizes(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int largest = comm.Size() <= 2 ? Integer.getInteger("test.object.bytes", 20_000_000) : 3_000_000;
        for (int bytes = 0; bytes <= largest; bytes = bytes == 0 ? 10 : bytes * 8) {
            sizes(comm, partner, bytes);
        }
        sizes(comm, partner, largest);
    }

    private static void sizes(Intracomm comm, int partner, int bytes) {
        byte[] raw = new byte[bytes];
        Arrays.fill(raw, (byte) 7);
        Object[] in = new Object[1];
        if (comm.Rank() % 2 == 0) {
            comm.Send(new Object[] {raw}, 0, 1, MPI.OBJECT, partner, 1);
            comm.Send(new Object[] {Arrays.asList(raw, "x")}, 0, 1, MPI.OBJECT, partner, 1);
        } else {
            comm.Recv(in, 0, 1, MPI.OBJECT, partner, 1);
            Check.that(Arrays.equals(raw, (byte[]) in[0]), "an array of " + bytes + " bytes");
            comm.Recv(in, 0, 1, MPI.OBJECT, partner, 1);
            Check.that(Arrays.equals(raw, (byte[]) ((List<?>) in[0]).get(0)), "a list with " + bytes + " bytes");
        }
    }

    /** Every call that sends, every call that receives. */
    static void objectCalls(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        MPI.Buffer_attach(ByteBuffer.allocateDirect(1 << 20));
        for (int count : new int[] {0, 1, 3, 500}) {
            Object[] out = new Object[count + 2];
            for (int i = 0; i < out.length; i++) {
                out[i] = new Point(i);
            }
            for (int way = 0; way < 8; way++) {
                calls(comm, partner, out, count, way);
            }
        }
        MPI.Buffer_detach();
    }

    private static void calls(Intracomm comm, int partner, Object[] out, int count, int way) {
        boolean isSender = comm.Rank() % 2 == 0;
        Object[] in = new Object[count + 5];
        Request request = null;
        if (isSender) {
            switch (way) {
            case 0:
                comm.Send(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 1:
                comm.Ssend(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 2:
                comm.Bsend(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 3:
                request = comm.Isend(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 4:
                request = comm.Issend(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 5:
                request = comm.Ibsend(out, 1, count, MPI.OBJECT, partner, way);
                break;
            case 6:
                Prequest persistent = comm.Send_init(out, 1, count, MPI.OBJECT, partner, way);
                Check.that(!persistent.Is_null(), "a persistent request is not null");
                for (int i = 0; i < 3; i++) {
                    persistent.Start();
                    persistent.Wait();
                }
                persistent.Free();
                Check.that(persistent.Is_null(), "a freed one is");
                return;
            default:
                in[0] = "back";
                Status status = comm.Sendrecv_replace(in, 0, 1, MPI.OBJECT, partner, way, partner, way);
                Check.equal(1, status.Get_count(MPI.OBJECT), "objects replaced");
                Check.that("forth".equals(in[0]), "replaced");
                return;
            }
            if (request != null) {
                out[1] = null; // what was sent was serialised at once
                request.Wait();
                out[1] = new Point(1);
            }
            return;
        }
        Status status;
        switch (way) {
        case 0:
            status = comm.Recv(in, 2, count, MPI.OBJECT, partner, way);
            break;
        case 1:
            status = comm.Recv(in, 2, count + 3, MPI.OBJECT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            break;
        case 2:
            status = comm.Irecv(in, 2, count, MPI.OBJECT, partner, way).Wait();
            break;
        case 3:
            request = comm.Irecv(in, 2, count, MPI.OBJECT, MPI.ANY_SOURCE, way);
            while ((status = request.Test()) == null) {
                Thread.yield();
            }
            break;
        case 4:
            request = comm.Irecv(in, 2, count, MPI.OBJECT, partner, way);
            while ((status = request.Get_status()) == null) {
                Thread.yield();
            }
            Check.that(count == 0 || in[2] != null, "there at Get_status");
            request.Wait();
            break;
        case 5:
            status = Request.Waitany(new Request[] {MPI.REQUEST_NULL,
                comm.Irecv(in, 2, count, MPI.OBJECT, partner, way)});
            Check.equal(1, status.index, "index");
            break;
        case 6:
            Prequest persistent = comm.Recv_init(in, 2, count, MPI.OBJECT, partner, way);
            status = persistent.Wait();
            Check.equal(MPI.ANY_SOURCE, status.source, "an inactive request has an empty status");
            for (int i = 0; i < 2; i++) {
                persistent.Start();
                Check.fails(7, "Start: the request is already active", persistent::Start);
                Check.equal(count, persistent.Wait().Get_count(MPI.OBJECT), "persistent");
            }
            persistent.Start();
            status = Request.Waitall(new Request[] {persistent})[0];
            persistent.Free();
            Check.fails(7, "Start: the request is null", persistent::Start);
            break;
        default:
            in[0] = "forth";
            comm.Sendrecv_replace(in, 0, 1, MPI.OBJECT, partner, way, partner, way);
            Check.that("back".equals(in[0]), "replaced");
            return;
        }
        Check.equal(partner, status.source, "source");
        Check.equal(way, status.tag, "tag");
        Check.equal(count, status.Get_count(MPI.OBJECT), "objects of way " + way);
        for (int i = 0; i < in.length; i++) {
            boolean isHit = i >= 2 && i < 2 + count;
            Check.that(isHit ? new Point(i - 1).equals(in[i]) : in[i] == null, "element " + i + " of way " + way);
        }
    }

    /** Receives of objects and of numbers are matched in the order in which they were posted. */
    static void objectOrder(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        Object[] first = new Object[1];
        Object[] third = new Object[1];
        int[] second = new int[1];
        Request[] receives = {
            comm.Irecv(first, 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, MPI.ANY_TAG),
            comm.Irecv(second, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG),
            comm.Irecv(third, 0, 1, MPI.OBJECT, partner, MPI.ANY_TAG),
        };
        Object[] never = new Object[1];
        Request cancelled = comm.Irecv(never, 0, 1, MPI.OBJECT, partner, 77);
        comm.Send(new Object[] {new byte[300_000]}, 0, 1, MPI.OBJECT, partner, 3);
        comm.Send(new int[] {4711}, 0, 1, MPI.INT, partner, 2);
        comm.Send(new Object[] {"third"}, 0, 1, MPI.OBJECT, partner, 1);
        Status[] statuses = Request.Waitall(receives);
        Check.equal(300_000, ((byte[]) first[0]).length, "first");
        Check.equal(4711, second[0], "second");
        Check.that("third".equals(third[0]), "third");
        Check.equal(3, statuses[0].tag, "tag of the first");
        Check.equal(1, statuses[2].tag, "tag of the third");
        cancelled.Cancel();
        Check.that(cancelled.Wait().Test_cancelled() && never[0] == null, "a receive of objects can be cancelled");
        Request forgotten = comm.Irecv(never, 0, 1, MPI.OBJECT, partner, 78);
        forgotten.Free();
        comm.Send(new Object[] {"to nobody"}, 0, 1, MPI.OBJECT, partner, 78);
        comm.Sendrecv(second, 0, 1, MPI.INT, partner, 79, second, 0, 1, MPI.INT, partner, 79);
        Check.that(never[0] == null, "nobody asked for what came");
    }

    /** What goes wrong is told, and the next message comes as if nothing had been. */
    static void objectFailures(Intracomm comm) {
        int me = comm.Rank();
        Object[] in = new Object[3];
        Check.fails(TYPE, "Send: object 1 of 2, a conform.Things\\$Stubborn, cannot be serialised: "
                + "java.io.NotSerializableException: conform.Things\\$Stubborn",
                () -> comm.Send(new Object[] {"a", new Things.Stubborn()}, 0, 2, MPI.OBJECT, me, 1));
        Check.fails(TYPE, "Isend: object 0 of 1, a conform.Things\\$Fragile, ",
                () -> comm.Isend(new Object[] {new Things.Fragile()}, 0, 1, MPI.OBJECT, me, 1));
        same(comm, "after a failure", new Point(1), "b");

        Request send = comm.Isend(new Object[] {"a", "b", "c"}, 0, 3, MPI.OBJECT, me, 1);
        Check.fails(TRUNCATE, "Recv: the message from rank " + me + " with tag 1 has 3 objects, more than the receive "
                + "buffer's 2", () -> comm.Recv(in, 0, 2, MPI.OBJECT, me, 1));
        send.Wait();
        Request numbers = comm.Isend(new byte[] {1, 2, 3, 4, 5}, 0, 5, MPI.BYTE, me, 1);
        Check.fails(TYPE, "Recv: the message from rank " + me + " with tag 1 is not one of objects",
                () -> comm.Recv(in, 0, 3, MPI.OBJECT, me, 1));
        numbers.Wait();
        Request strings = comm.Isend(new Object[] {"a"}, 0, 1, MPI.OBJECT, me, 1);
        Check.fails(TYPE, "Recv: the message .* has a java.lang.String, which does not fit a Integer\\[\\]",
                () -> comm.Recv(new Integer[1], 0, 1, MPI.OBJECT, me, 1));
        strings.Wait();
        Request[] both = {
            comm.Isend(new Object[] {"a", "b"}, 0, 2, MPI.OBJECT, me, 1),
            comm.Isend(new Object[] {"c"}, 0, 1, MPI.OBJECT, me, 2),
        };
        Object[] one = new Object[1];
        Object[] other = new Object[1];
        Request[] receives = {
            comm.Irecv(one, 0, 1, MPI.OBJECT, me, 1), comm.Irecv(other, 0, 1, MPI.OBJECT, me, 2),
        };
        Check.fails(TRUNCATE, "Waitall: the message .* has 2 objects", () -> Request.Waitall(receives));
        Check.that("c".equals(other[0]), "the other request is complete all the same");
        Request.Waitall(both);

        Check.fails(TYPE, "Send: the buffer is an int\\[\\], but the datatype MPI.OBJECT needs an array of objects",
                () -> comm.Send(new int[1], 0, 1, MPI.OBJECT, me, 1));
        Check.fails(TYPE, "Send: the buffer is a String, ", () -> comm.Send("text", 0, 1, MPI.OBJECT, me, 1));
        Check.fails(1, "Send: the buffer is null, but count is 1", () -> comm.Send(null, 0, 1, MPI.OBJECT, me, 1));
        Check.fails(1, "Recv: offset 2 and count 2 of MPI.OBJECT reach to element 4, but the buffer has 3",
                () -> comm.Recv(in, 2, 2, MPI.OBJECT, me, 1));
        Check.fails(2, "Send: count is -1; ", () -> comm.Send(in, 0, -1, MPI.OBJECT, me, 1));
        Check.fails(13, "Irecv: offset is -1; ", () -> comm.Irecv(in, -1, 1, MPI.OBJECT, me, 1));
        Check.fails(1, "Bsend: .*", () -> comm.Bsend(new Object[] {new byte[100]}, 0, 1, MPI.OBJECT, me, 1));
        Check.fails(6, "Send: dest is -1, ", () -> comm.Send(in, 0, 1, MPI.OBJECT, -1, 1));
        comm.Send(in, 0, 1, MPI.OBJECT, MPI.PROC_NULL, 1);
        Check.equal(MPI.PROC_NULL, comm.Recv(in, 0, 1, MPI.OBJECT, MPI.PROC_NULL, 1).source, "from nobody");
        same(comm, "after all", new Point(7));
    }

    /** Several threads of a rank at once. */
    static void objectThreads(Intracomm comm) throws InterruptedException {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        Throwable[] failure = new Throwable[1];
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            int tag = t;
            threads[t] = new Thread(() -> {
                try {
                    Object[] in = new Object[3];
                    for (int i = 0; i < Sizes.volume(100); i++) {
                        Object[] out = {new Point(i), "thread " + tag, Things.map(i)};
                        comm.Sendrecv(out, 0, 3, MPI.OBJECT, partner, tag, in, 0, 3, MPI.OBJECT, partner, tag);
                        Check.that(Arrays.equals(out, in), "message " + i + " of thread " + tag);
                    }
                } catch (Throwable e) {
                    failure[0] = e;
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure[0] != null) {
            throw new AssertionError(failure[0]);
        }
    }
}
