// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.Serializable;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** Sends itself objects that a filter may reject; the next message comes all the same. */
public final class Filtered {
    private static final class Secret implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private Filtered() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        int me = MPI.COMM_WORLD.Rank();
        Object[][] messages = {{new Secret()}, {new Object[] {1, new Secret()}}, {new java.util.Date(0)}, {"fine"}};
        for (Object[] out : messages) {
            Object[] in = new Object[1];
            Request send = MPI.COMM_WORLD.Isend(out, 0, 1, MPI.OBJECT, me, 1);
            try {
                MPI.COMM_WORLD.Recv(in, 0, 1, MPI.OBJECT, me, 1);
                System.out.println("received " + in[0].getClass().getSimpleName());
            } catch (MPIException e) {
                System.out.println("refused: " + e.getMessage());
            }
            send.Wait();
        }
        MPI.Finalize();
    }
}
