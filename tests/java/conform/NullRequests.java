// SPDX-License-Identifier: Apache-2.0
package conform;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Arrays of requests with null references in them: programs fill only the places of the neighbours that they have. */
final class NullRequests {
    private static final int TRUNCATE = 15;
    /** Places of the array; those in between are null references. */
    private static final int[] FILLED = {1, 4, 5, 8};
    private static final int LENGTH = 10;

    private NullRequests() {
    }

    static void nullReferences(Intracomm comm) {
        nothing(new Request[0]);
        nothing(new Request[3]);
        nothing(new Request[] {null, MPI.REQUEST_NULL, null});
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int way = 0; way < 6; way++) {
            int[][] in = new int[LENGTH][20];
            Object[] text = new Object[1];
            Request[] requests = new Request[LENGTH];
            for (int i : FILLED) {
                requests[i] = i == 5 ? comm.Irecv(text, 0, 1, MPI.OBJECT, partner, i)
                        : comm.Irecv(in[i], 0, 20, MPI.INT, MPI.ANY_SOURCE, i);
            }
            if (way % 2 == 1) {
                Check.that(!isComplete(way, requests), "nothing has been sent yet");
                Sizes.meet(comm, partner);
            }
            for (int i : FILLED) {
                if (i == 5) {
                    comm.Send(new Object[] {"way " + way}, 0, 1, MPI.OBJECT, partner, i);
                } else {
                    comm.Send(Kind.INT.filled(i, way), 0, i, MPI.INT, partner, i);
                }
            }
            complete(way, requests, partner);
            for (int i = 0; i < LENGTH; i++) {
                Check.that(requests[i] == null || requests[i].Is_null(), "request " + i + " is complete");
            }
            Check.that(("way " + way).equals(text[0]), "the object");
            for (int i : new int[] {1, 4, 8}) {
                Kind.INT.verify(in[i], 0, i, way, "message " + i);
            }
            nothing(requests);
            Sizes.meet(comm, partner);
        }
        truncated(comm, partner);
        started(comm, partner);
    }

    /** Nothing is active. */
    private static void nothing(Request[] requests) {
        for (Status[] all : new Status[][] {Request.Waitall(requests), Request.Testall(requests)}) {
            Check.equal(requests.length, all.length, "a status for each");
            for (int i = 0; i < all.length; i++) {
                empty(all[i], i);
            }
        }
        Check.equal(MPI.UNDEFINED, Request.Waitany(requests).index, "Waitany of nothing");
        Check.equal(MPI.UNDEFINED, Request.Testany(requests).index, "Testany of nothing");
        Check.equal(0, Request.Waitsome(requests).length, "Waitsome of nothing");
        Check.equal(0, Request.Testsome(requests).length, "Testsome of nothing");
    }

    private static void empty(Status status, int index) {
        Check.equal(index, status.index, "index of an empty status");
        Check.equal(MPI.ANY_SOURCE, status.source, "source of an empty status");
        Check.equal(MPI.ANY_TAG, status.tag, "tag of an empty status");
        Check.equal(0, status.Get_count(MPI.INT), "count of an empty status");
        Check.that(!status.Test_cancelled(), "an empty status was not cancelled");
    }

    private static boolean isComplete(int way, Request[] requests) {
        return way == 1 ? Request.Testall(requests) != null
                : way == 3 ? Request.Testany(requests) != null : Request.Testsome(requests).length != 0;
    }

    private static void complete(int way, Request[] requests, int partner) {
        int left = FILLED.length;
        while (left > 0) {
            Status[] statuses;
            switch (way) {
            case 0:
                statuses = Request.Waitall(requests);
                break;
            case 1:
                statuses = Request.Testall(requests);
                break;
            case 2:
                statuses = new Status[] {Request.Waitany(requests)};
                break;
            case 3:
                Status any = Request.Testany(requests);
                statuses = any == null ? null : new Status[] {any};
                break;
            case 4:
                statuses = Request.Waitsome(requests);
                Check.that(statuses.length > 0, "Waitsome completes some");
                break;
            default:
                statuses = Request.Testsome(requests);
                break;
            }
            if (statuses == null) {
                continue;
            }
            Check.that(way > 1 || statuses.length == LENGTH, "a status for each");
            for (Status status : statuses) {
                left -= note(status, requests[status.index], partner);
            }
        }
    }

    private static int note(Status status, Request request, int partner) {
        if (request == null) {
            empty(status, status.index);
            return 0;
        }
        Check.equal(partner, status.source, "source");
        Check.equal(status.index, status.tag, "index and tag");
        Check.equal(status.index == 5 ? 1 : status.index, status.count, "count");
        return 1;
    }

    /** A failure is told, and what is beside it is complete. */
    private static void truncated(Intracomm comm, int partner) {
        Object[] text = new Object[1];
        Request[] requests = {null, comm.Irecv(new int[1], 0, 1, MPI.INT, partner, 1), null,
            comm.Irecv(text, 0, 1, MPI.OBJECT, partner, 2)};
        comm.Send(new int[2], 0, 2, MPI.INT, partner, 1);
        comm.Send(new Object[] {"beside"}, 0, 1, MPI.OBJECT, partner, 2);
        Check.fails(TRUNCATE, "Waitall: the message of 8 bytes from rank " + partner + " with tag 1 does not fit ",
                () -> Request.Waitall(requests));
        Check.that("beside".equals(text[0]), "the object beside a failure");
        nothing(requests);
    }

    private static void started(Intracomm comm, int partner) {
        int[] in = new int[1];
        Prequest[] both = {null, comm.Recv_init(in, 0, 1, MPI.INT, partner, 1), null,
            comm.Send_init(new int[] {7}, 0, 1, MPI.INT, partner, 1), null};
        Check.equal(0, Request.Waitsome(both).length, "Waitsome of persistent requests that are not active");
        Check.equal(0, Request.Testsome(both).length, "Testsome of persistent requests that are not active");
        Prequest.Startall(both);
        empty(Request.Waitall(both)[2], 2);
        Check.equal(7, in[0], "what a started receive got");
        both[1].Free();
        both[3].Free();
        Prequest.Startall(new Prequest[1]);
    }
}
