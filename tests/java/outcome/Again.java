// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** Init and Finalize, several times, and what the calls say in between. */
public final class Again {
    private Again() {
    }

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            MPI.Init(args);
            Intracomm world = MPI.COMM_WORLD;
            Intracomm copy = world.clone();
            int next = (world.Rank() + 1) % world.Size();
            int[] out = {100 * round + world.Rank()};
            int[] in = new int[1];
            copy.Sendrecv(out, 0, 1, MPI.INT, next, 1, in, 0, 1, MPI.INT, MPI.ANY_SOURCE, 1);
            require(in[0] == 100 * round + (world.Rank() + world.Size() - 1) % world.Size(), "word in round " + round);
            Request forgotten = world.Irecv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, 99);
            forgotten.Cancel();
            MPI.Finalize();
            require(MPI.Initialized() && MPI.Finalized(), "finalised");
            requireFinalised(world::Rank);
            requireFinalised(copy::Rank);
            requireFinalised(forgotten::Wait);
            requireFinalised(MPI::Finalize);
            requireFinalised(MPI::Get_processor_name);
        }
        System.out.println("three times");
    }

    private static void requireFinalised(Runnable call) {
        try {
            call.run();
        } catch (MPIException e) {
            require(e.getMessage().endsWith("MPI has been finalised"), e.getMessage());
            return;
        }
        throw new AssertionError("a call worked after Finalize");
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }
}
