// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.util.ArrayList;
import java.util.List;
import mpi.MPI;
import mpjbuf.BufferFactory;
import mpjbuf.RawBuffer;

/** Each rank in turn has memory of {@code mpjbuf} and gives it back. Argument: how many MiB. */
public final class KeptBuffers {
    private static final int MIB = 1 << 20;

    private KeptBuffers() {
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(MPI.Init(args)[0]);
        int rank = MPI.COMM_WORLD.Rank();
        for (int turn = 0; turn < MPI.COMM_WORLD.Size(); turn++) {
            if (turn == rank) {
                use(count);
            }
            MPI.COMM_WORLD.Barrier();
        }
        MPI.Finalize();
        System.out.println("rank " + rank + ": done");
    }

    private static void use(int count) {
        List<RawBuffer> used = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            used.add(BufferFactory.create(MIB));
        }
        used.forEach(BufferFactory::destroy);
    }
}
