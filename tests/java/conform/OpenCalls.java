// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;

/** By the calls of the Open MPI dialect: an offset is a slice, and a request is waited for. */
final class OpenCalls extends Calls {
    private final boolean isStarted;

    OpenCalls(Intracomm comm, boolean isStarted) {
        super(comm);
        this.isStarted = isStarted;
    }

    /** There is no slice of booleans: they go by the other dialect. */
    private static boolean hasSlices(Object one, Object other) {
        return !(one instanceof boolean[]) && !(other instanceof boolean[]);
    }

    /** The buffer from an offset on, which counts elements of the basic type. */
    static Buffer slice(Object buf, int offset, Datatype type) {
        if (buf instanceof ByteBuffer) {
            return MPI.slice((ByteBuffer) buf, offset * (type.getSize() / type.Size()));
        }
        if (buf instanceof byte[]) {
            return MPI.slice((byte[]) buf, offset);
        }
        if (buf instanceof char[]) {
            return MPI.slice((char[]) buf, offset);
        }
        if (buf instanceof short[]) {
            return MPI.slice((short[]) buf, offset);
        }
        if (buf instanceof int[]) {
            return MPI.slice((int[]) buf, offset);
        }
        if (buf instanceof long[]) {
            return MPI.slice((long[]) buf, offset);
        }
        if (buf instanceof float[]) {
            return MPI.slice((float[]) buf, offset);
        }
        return buf == null ? null : MPI.slice((double[]) buf, offset);
    }

    @Override
    void Bcast(Object buf, int offset, int count, Datatype type, int root) {
        if (!hasSlices(buf, null)) {
            super.Bcast(buf, offset, count, type, root);
            return;
        }
        Buffer view = slice(buf, offset, type);
        if (isStarted) {
            comm.iBcast(view, count, type, root).waitFor();
        } else {
            comm.bcast(view, count, type, root);
        }
    }

    @Override
    void Gather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Gather(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcount, recvtype, root);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iGather(out, sendcount, sendtype, in, recvcount, recvtype, root).waitFor();
        } else {
            comm.gather(out, sendcount, sendtype, in, recvcount, recvtype, root);
        }
    }

    @Override
    void Gatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int[] recvcounts, int[] displs, Datatype recvtype, int root) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Gatherv(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcounts, displs,
                    recvtype, root);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iGatherv(out, sendcount, sendtype, in, recvcounts, displs, recvtype, root).waitFor();
        } else {
            comm.gatherv(out, sendcount, sendtype, in, recvcounts, displs, recvtype, root);
        }
    }

    @Override
    void Scatter(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Scatter(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcount, recvtype, root);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iScatter(out, sendcount, sendtype, in, recvcount, recvtype, root).waitFor();
        } else {
            comm.scatter(out, sendcount, sendtype, in, recvcount, recvtype, root);
        }
    }

    @Override
    void Scatterv(Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Scatterv(sendbuf, sendoffset, sendcounts, displs, sendtype, recvbuf, recvoffset, recvcount,
                    recvtype, root);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iScatterv(out, sendcounts, displs, sendtype, in, recvcount, recvtype, root).waitFor();
        } else {
            comm.scatterv(out, sendcounts, displs, sendtype, in, recvcount, recvtype, root);
        }
    }

    @Override
    void Allgather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Allgather(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcount, recvtype);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iAllGather(out, sendcount, sendtype, in, recvcount, recvtype).waitFor();
        } else {
            comm.allGather(out, sendcount, sendtype, in, recvcount, recvtype);
        }
    }

    @Override
    void Allgatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Allgatherv(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcounts, displs,
                    recvtype);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iAllGatherv(out, sendcount, sendtype, in, recvcounts, displs, recvtype).waitFor();
        } else {
            comm.allGatherv(out, sendcount, sendtype, in, recvcounts, displs, recvtype);
        }
    }

    @Override
    void Alltoall(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Alltoall(sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset, recvcount, recvtype);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iAllToAll(out, sendcount, sendtype, in, recvcount, recvtype).waitFor();
        } else {
            comm.allToAll(out, sendcount, sendtype, in, recvcount, recvtype);
        }
    }

    @Override
    void Alltoallv(Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype) {
        if (!hasSlices(sendbuf, recvbuf)) {
            super.Alltoallv(sendbuf, sendoffset, sendcounts, sdispls, sendtype, recvbuf, recvoffset, recvcounts,
                    rdispls, recvtype);
            return;
        }
        Buffer out = slice(sendbuf, sendoffset, sendtype);
        Buffer in = slice(recvbuf, recvoffset, recvtype);
        if (isStarted) {
            comm.iAllToAllv(out, sendcounts, sdispls, sendtype, in, recvcounts, rdispls, recvtype).waitFor();
        } else {
            comm.allToAllv(out, sendcounts, sdispls, sendtype, in, recvcounts, rdispls, recvtype);
        }
    }
}
