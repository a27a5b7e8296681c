// SPDX-License-Identifier: Apache-2.0
package conform;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Non-blocking operations and all the ways to complete them. */
final class Requests {
    private Requests() {
    }

    static void requests(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (Kind kind : Kind.values()) {
            for (int bytes : Sizes.FEW) {
                int count = bytes / kind.bytes;
                Object in = kind.make(count);
                Request receive = comm.Irecv(in, 0, count, kind.type, bytes % 16 == 0 ? partner : MPI.ANY_SOURCE, 1);
                Request send = comm.Isend(kind.filled(count, bytes), 0, count, kind.type, partner, 1);
                Status status = receive.Wait();
                send.Wait();
                kind.verify(in, 0, count, bytes, "Irecv");
                Check.equal(partner, status.source, "source");
                Check.equal(count, status.count, "count");
                Check.that(receive.Is_null(), "a completed request is null");
                Check.equal(MPI.ANY_SOURCE, receive.Wait().source, "waiting again gives the empty status");
                receive.finalize();
                receive.finalize();
            }
        }
    }

    /** Each family, on messages of many sizes, some of them already there and some not. */
    static void waitAndTest(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int way = 0; way < 8; way++) {
            int count = 60;
            int[][] in = new int[count][];
            Request[] receives = new Request[count];
            Request[] sends = new Request[count];
            for (int i = 0; i < count; i++) {
                in[i] = new int[length(i)];
                if (i < count / 2) {
                    receives[i] = comm.Irecv(in[i], 0, length(i), MPI.INT, partner, i);
                }
                sends[i] = comm.Isend(Kind.INT.filled(length(i), way * 100 + i), 0, length(i), MPI.INT, partner, i);
            }
            for (int i = count / 2; i < count; i++) {
                receives[i] = comm.Irecv(in[i], 0, length(i), MPI.INT, MPI.ANY_SOURCE, i);
            }
            complete(way, receives, partner);
            Request.Waitall(sends);
            for (int i = 0; i < count; i++) {
                Check.that(receives[i].Is_null(), "request " + i + " is null");
                Kind.INT.verify(in[i], 0, length(i), way * 100 + i, "way " + way + ", message " + i);
            }
        }
    }

    private static int length(int i) {
        return i % 6 == 5 ? 20000 : i * 3;
    }

    private static void complete(int way, Request[] requests, int partner) {
        boolean[] isDone = new boolean[requests.length];
        int left = requests.length;
        while (left > 0) {
            switch (way) {
            case 0:
                left -= note(Request.Waitall(requests), isDone, partner);
                break;
            case 1:
                left -= note(Request.Testall(requests), isDone, partner);
                break;
            case 2:
                left -= note(new Status[] {Request.Waitany(requests)}, isDone, partner);
                break;
            case 3:
                Status any = Request.Testany(requests);
                left -= any == null ? 0 : note(new Status[] {any}, isDone, partner);
                break;
            case 4:
                left -= note(Request.Waitsome(requests), isDone, partner);
                break;
            case 5:
                left -= note(Request.Testsome(requests), isDone, partner);
                break;
            default:
                left -= one(way, requests, requests.length - left, partner);
                break;
            }
        }
        Check.equal(0, Request.Waitsome(requests).length, "Waitsome of nothing");
        Check.equal(MPI.UNDEFINED, Request.Waitany(requests).index, "Waitany of nothing");
        Check.equal(requests.length, Request.Testall(requests).length, "Testall of nothing");
    }

    private static int one(int way, Request[] requests, int at, int partner) {
        Status status;
        if (way == 6) {
            status = requests[at].Test();
        } else {
            status = requests[at].Get_status();
            Check.that(!requests[at].Is_null(), "Get_status leaves the request");
            if (status != null) {
                status = requests[at].Wait();
            }
        }
        if (status == null) {
            return 0;
        }
        Check.equal(partner, status.source, "source");
        Check.equal(at, status.tag, "tag");
        Check.equal(length(at), status.count, "count");
        return 1;
    }

    private static int note(Status[] statuses, boolean[] isDone, int partner) {
        if (statuses == null) {
            return 0;
        }
        for (Status status : statuses) {
            Check.that(!isDone[status.index], "request " + status.index + " completes once");
            isDone[status.index] = true;
            Check.equal(status.index, status.tag, "index and tag");
            Check.equal(partner, status.source, "source");
            Check.equal(length(status.index), status.Get_count(MPI.INT), "count");
        }
        return statuses.length;
    }

    static void persistent(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int bytes : Sizes.FEW) {
            Object out = Kind.BYTE.make(bytes);
            Object in = Kind.BYTE.make(bytes);
            Prequest[] both = {
                comm.Recv_init(in, 0, bytes, MPI.BYTE, partner, 1),
                bytes % 16 == 0 ? comm.Send_init(out, 0, bytes, MPI.BYTE, partner, 1)
                        : comm.Ssend_init(out, 0, bytes, MPI.BYTE, partner, 1),
            };
            Check.equal(MPI.ANY_SOURCE, both[0].Wait().source, "an inactive request completes at once");
            for (int round = 0; round < Sizes.volume(20); round++) {
                Kind.BYTE.fill(out, 0, bytes, round);
                Prequest.Startall(both);
                if (round == 0) {
                    Check.fails(7, "Start: the request is already active", both[0]::Start);
                }
                Status[] statuses = Request.Waitall(both);
                Check.equal(bytes, statuses[0].Get_count(MPI.BYTE), "length in round " + round);
                Kind.BYTE.verify(in, 0, bytes, round, "round " + round);
                Check.that(!both[0].Is_null(), "a persistent request stays");
                if (round % 10 == 0) {
                    System.gc();
                }
            }
            both[0].Free();
            both[1].Free();
            Check.that(both[0].Is_null(), "a freed request is null");
        }
    }

    static void cancel(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int bytes : Sizes.FEW) {
            Object in = Kind.BYTE.filled(bytes, 1);
            Request receive = comm.Irecv(in, 0, bytes, MPI.BYTE, partner, 1);
            receive.Cancel();
            Status status = receive.Wait();
            Check.that(status.Test_cancelled(), "the receive was cancelled");
            Sizes.meet(comm, partner);
            Object other = Kind.BYTE.make(bytes);
            comm.Sendrecv(Kind.BYTE.filled(bytes, 2), 0, bytes, MPI.BYTE, partner, 1, other, 0, bytes, MPI.BYTE,
                    partner, 1);
            Kind.BYTE.verify(other, 0, bytes, 2, "the receive after the cancelled one");
            Kind.BYTE.verify(in, 0, bytes, 1, "the buffer of the cancelled receive");
        }
        // One that has been matched cannot be cancelled any more.
        int[] word = new int[1];
        Request late = comm.Irecv(word, 0, 1, MPI.INT, partner, 2);
        comm.Send(new int[] {5}, 0, 1, MPI.INT, partner, 2);
        Sizes.meet(comm, partner);
        while (late.Get_status() == null) {
            Thread.onSpinWait();
        }
        late.Cancel();
        Status status = late.Wait();
        Check.that(!status.Test_cancelled() && word[0] == 5, "too late to cancel");
        Check.fails(7, "Cancel: the request is null", late::Cancel);

        // A send may be cancelled or not; its status and the receiver agree on which it was.
        Request send = comm.Issend(new int[] {6}, 0, 1, MPI.INT, partner, 3);
        send.Cancel();
        Sizes.meet(comm, partner);
        Status found = comm.Iprobe(partner, 3);
        if (found != null) {
            comm.Recv(word, 0, 1, MPI.INT, partner, 3);
        }
        boolean wasCancelled = send.Wait().Test_cancelled();
        boolean[] theirs = new boolean[1];
        comm.Sendrecv(new boolean[] {wasCancelled}, 0, 1, MPI.BOOLEAN, partner, 4, theirs, 0, 1, MPI.BOOLEAN, partner,
                4);
        Check.that(theirs[0] == (found == null), "a cancelled send is not received, another is");
    }

    /** A request that is freed goes on by itself. */
    static void free(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int bytes : Sizes.FEW) {
            Request send = comm.Isend(Kind.BYTE.filled(bytes, 3), 0, bytes, MPI.BYTE, partner, 1);
            send.Free();
            send.Free();
            Check.that(send.Is_null(), "freed");
            Object in = Kind.BYTE.make(bytes);
            comm.Recv(in, 0, bytes, MPI.BYTE, partner, 1);
            Kind.BYTE.verify(in, 0, bytes, 3, "after Free");
        }
        Sizes.meet(comm, partner);
    }

    /** Thousands of receives are posted, and answered backwards. */
    static void manyPending(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int count = Sizes.volume(5000);
        int[][] in = new int[count][2];
        Request[] receives = new Request[count];
        for (int i = 0; i < count; i++) {
            receives[i] = comm.Irecv(in[i], 0, 2, MPI.INT, i % 5 == 0 ? MPI.ANY_SOURCE : partner, i);
        }
        Request[] sends = new Request[count];
        for (int i = count - 1; i >= 0; i--) {
            sends[i] = comm.Isend(new int[] {i, partner}, 0, 2, MPI.INT, partner, i);
        }
        Request.Waitall(receives);
        Request.Waitall(sends);
        for (int i = 0; i < count; i++) {
            Check.equal(i, in[i][0], "word of receive " + i);
        }
    }
}
