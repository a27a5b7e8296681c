package mpi;

/**
 * The collectives that are there so far, as messages of a communicator of their own: what programs send on the
 * communicator itself is never mixed up with them.
 */
final class Trees {
    private static final int TAG = 0;

    private Trees() {
    }

    /** From the root down a binomial tree: in each round as many ranks send as have the data. */
    static void bcast(Intracomm comm, Object buf, int offset, int count, Datatype type, int root) {
        int size = comm.Size();
        int place = (comm.Rank() - root + size) % size; // as if the root were 0
        int bit = 1;
        while (bit < size && (place & bit) == 0) {
            bit <<= 1;
        }
        if (place != 0) {
            comm.Recv(buf, offset, count, type, (place - bit + root) % size, TAG);
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (place + bit < size) {
                comm.Send(buf, offset, count, type, (place + bit + root) % size, TAG);
            }
        }
    }

    /** Everybody to the root, which takes them in the order of their ranks. */
    static void gatherv(Intracomm comm, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root) {
        Request send = comm.Isend(sendbuf, sendoffset, sendcount, sendtype, root, TAG);
        if (comm.Rank() == root) {
            for (int i = 0; i < comm.Size(); i++) {
                comm.Recv(recvbuf, recvoffset + displs[i] * recvtype.Extent(), recvcounts[i], recvtype, i, TAG);
            }
        }
        send.Wait();
    }
}
