// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.Serializable;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.User_function;

/** Objects that a filter rejects in collective calls: a rank that receives one says so, and all go on. */
public final class Refused {
    private static final class Secret implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private Refused() {
    }

    private static void attempt(Runnable call) {
        try {
            call.run();
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + ": accepted");
        } catch (MPIException e) {
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + ": " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int me = world.Rank();
        int size = world.Size();
        Object[] one = {me == 0 ? new Secret() : "open"};
        Object[] all = new Object[size];
        Op first = new Op(new User_function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                ((Object[]) inout)[at] = ((Object[]) in)[inAt];
            }
        }, false);
        attempt(() -> world.Bcast(one, 0, 1, MPI.OBJECT, 0));
        attempt(() -> world.Gather(one, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT, 1));
        attempt(() -> world.Alltoall(all, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT));
        attempt(() -> world.Scan(one, 0, all, 0, 1, MPI.OBJECT, first));
        all[0] = "open";
        world.Bcast(all, 0, 1, MPI.OBJECT, size - 1);
        System.out.println("rank " + me + " goes on with " + all[0]);
        MPI.Finalize();
    }
}
