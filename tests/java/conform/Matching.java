// SPDX-License-Identifier: Apache-2.0
package conform;

import mpi.Comm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Which message goes to which receive. */
final class Matching {
    private Matching() {
    }

    /** Messages with one tag arrive in the order sent, whatever their size. */
    static void ordering(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int count = 400;
        if (comm.Rank() % 2 == 0) {
            Request[] sends = new Request[count];
            for (int i = 0; i < count; i++) {
                int[] words = new int[1 + Sizes.FEW[i % Sizes.FEW.length] / 4];
                words[0] = i;
                sends[i] = comm.Isend(words, 0, words.length, MPI.INT, partner, 1);
            }
            Request.Waitall(sends);
        } else {
            int[] words = new int[1 + 300000 / 4];
            for (int i = 0; i < count; i++) {
                boolean isWild = i % 3 == 0;
                Status status = comm.Recv(words, 0, words.length, MPI.INT, isWild ? MPI.ANY_SOURCE : partner,
                        isWild ? MPI.ANY_TAG : 1);
                Check.equal(i, words[0], "order of messages");
                int length = 1 + Sizes.FEW[i % Sizes.FEW.length] / 4;
                Check.equal(length, status.Get_count(MPI.INT), "length of message " + i);
            }
        }
    }

    /** Rank 0 takes from any rank, and from each rank what it sent comes in order. */
    static void wildcards(Intracomm comm) {
        int each = 300;
        if (comm.Rank() != 0) {
            for (int i = 0; i < each; i++) {
                comm.Send(new long[] {comm.Rank(), i}, 0, 2, MPI.LONG, 0, i % 7);
            }
            return;
        }
        int[] next = new int[comm.Size()];
        long[] words = new long[2];
        for (int i = 0; i < each * (comm.Size() - 1); i++) {
            Status status = comm.Recv(words, 0, 2, MPI.LONG, MPI.ANY_SOURCE, MPI.ANY_TAG);
            Check.equal(words[0], status.source, "source told and source written");
            Check.equal(next[status.source]++, words[1], "order from rank " + status.source);
            Check.equal(words[1] % 7, status.tag, "tag");
        }
    }

    /** Receives ask for the tags backwards; an early wildcard takes the first. */
    static void tagsOutOfOrder(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int count = 200;
        Request[] sends = new Request[count];
        for (int i = 0; i < count; i++) {
            int bytes = i % 10 == 0 ? 40000 : i;
            sends[i] = comm.Isend(Kind.BYTE.filled(bytes, i), 0, bytes, MPI.BYTE, partner, i);
        }
        byte[] in = new byte[40000];
        Status first = comm.Recv(in, 0, in.length, MPI.BYTE, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal(0, first.tag, "the wildcard takes the first message");
        for (int i = count - 1; i > 0; i--) {
            Status status = comm.Recv(in, 0, in.length, MPI.BYTE, i % 2 == 0 ? partner : MPI.ANY_SOURCE, i);
            Check.equal(i % 10 == 0 ? 40000 : i, status.Get_count(MPI.BYTE), "length of tag " + i);
            Kind.BYTE.verify(in, 0, status.Get_count(MPI.BYTE), i, "tag " + i);
        }
        Request.Waitall(sends);
    }

    static void probes(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        Check.that(comm.Iprobe(partner, 99) == null, "nothing there");
        Sizes.meet(comm, partner);
        for (int bytes : Sizes.FEW) {
            Request send = comm.Isend(Kind.BYTE.filled(bytes, bytes), 0, bytes, MPI.BYTE, partner, 2);
            Status found = bytes % 16 == 0 ? comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG) : comm.Probe(partner, 2);
            Check.equal(partner, found.source, "probed source");
            Check.equal(2, found.tag, "probed tag");
            Check.equal(bytes, found.Get_count(MPI.BYTE), "probed length");
            Status again = comm.Iprobe(found.source, found.tag);
            Check.that(again != null && again.Get_count(MPI.BYTE) == bytes, "the message stays until it is received");
            byte[] in = new byte[found.Get_count(MPI.BYTE)];
            comm.Recv(in, 0, in.length, MPI.BYTE, found.source, found.tag);
            Kind.BYTE.verify(in, 0, bytes, bytes, "probed message");
            send.Wait();
        }
        Check.that(comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG) == null, "nothing left");
    }

    /** The same tag on several communicators does not mix, and split ones number their ranks anew. */
    static void communicators(Intracomm comm) {
        Intracomm copy = comm.clone();
        Check.equal(MPI.CONGRUENT, Comm.Compare(comm, copy), "clone");
        Check.equal(MPI.IDENT, Comm.Compare(comm, comm), "itself");
        int me = comm.Rank();
        int size = comm.Size();
        int next = (me + 1) % size;
        int previous = (me + size - 1) % size;
        int[] one = {1000 + me};
        int[] two = {2000 + me};
        int[] in = new int[1];
        Request[] sends = {
            comm.Isend(one, 0, 1, MPI.INT, next, 1), copy.Isend(two, 0, 1, MPI.INT, next, 1),
        };
        copy.Recv(in, 0, 1, MPI.INT, previous, 1);
        Check.equal(2000 + previous, in[0], "from the clone");
        comm.Recv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal(1000 + previous, in[0], "from the original");
        Request.Waitall(sends);
        copy.Free();
        Check.that(copy.Is_null(), "a freed communicator is null");
        Check.fails(5, "Rank: the communicator .* has been freed", copy::Rank);

        Intracomm backwards = comm.Split(0, -me);
        Check.equal(size - 1 - me, backwards.Rank(), "rank in the reverse communicator");
        Check.equal(size == 1 ? MPI.CONGRUENT : MPI.SIMILAR, Comm.Compare(comm, backwards), "reverse");
        Request toFirst = backwards.Isend(one, 0, 1, MPI.INT, 0, 1);
        if (backwards.Rank() == 0) {
            for (int i = 0; i < size; i++) {
                Status status = backwards.Recv(in, 0, 1, MPI.INT, i, 1);
                Check.equal(i, status.source, "source in the reverse communicator");
                Check.equal(1000 + size - 1 - i, in[0], "word in the reverse communicator");
            }
        }
        toFirst.Wait();
        backwards.Free();

        Intracomm half = comm.Split(me % 2 == 0 ? MPI.UNDEFINED : 7, 0);
        Check.that((half == null) == (me % 2 == 0), "the even ranks have no part");
        if (half != null) {
            Check.equal(size / 2, half.Size(), "size of the half");
            half.Barrier();
            half.Free();
        }
    }

    /** A contiguous type is so many elements; what does not come out even is UNDEFINED. */
    static void derived(Intracomm comm) {
        Datatype triple = Datatype.Contiguous(3, MPI.INT);
        triple.Commit();
        Check.equal(3, triple.Extent(), "extent");
        Check.equal(3, triple.Size(), "size");
        int me = comm.Rank();
        int[] out = {0, 1, 2, 3, 4, 5, 6};
        int[] in = new int[7];
        Status status = comm.Sendrecv(out, 1, 2, triple, me, 1, in, 1, 2, triple, me, 1);
        Check.equal(2, status.Get_count(triple), "triples");
        Check.equal(6, status.Get_elements(triple), "ints");
        Check.equal(2, status.count, "count field");
        for (int i = 0; i < 7; i++) {
            Check.equal(i, in[i], "element");
        }
        status = comm.Sendrecv(out, 0, 4, MPI.INT, me, 1, in, 0, 7, MPI.INT, me, 1);
        Check.equal(MPI.UNDEFINED, status.Get_count(triple), "four ints are no triples");
        Check.equal(4, status.Get_elements(triple), "but four ints");
        status = comm.Sendrecv(new byte[5], 0, 5, MPI.BYTE, me, 1, in, 0, 7, MPI.INT, me, 1);
        Check.equal(MPI.UNDEFINED, status.Get_count(MPI.INT), "five bytes are no ints");
        Check.equal(5, status.Get_count(MPI.BYTE), "but five bytes");
    }
}
