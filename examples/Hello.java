// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;
import mpi.Status;

/**
 * Every rank greets rank 0. Ranks are threads of one virtual machine with the first command that starts them, processes
 * with the second.
 *
 *     mpijavac Hello.java
 *     mpjrun -np 4 Hello
 *     mpirun -n 4 java Hello
 */
public class Hello {
    public static void main(String[] args) {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        if (rank == 0) {
            System.out.println("Hello from rank 0 of " + size + " on " + MPI.Get_processor_name());
            char[] text = new char[100];
            for (int source = 1; source < size; source++) {
                Status status = MPI.COMM_WORLD.Recv(text, 0, text.length, MPI.CHAR, source, 0);
                System.out.println(new String(text, 0, status.Get_count(MPI.CHAR)));
            }
        } else {
            char[] text = ("Hello from rank " + rank + " of " + size).toCharArray();
            MPI.COMM_WORLD.Send(text, 0, text.length, MPI.CHAR, 0, 0);
        }
        MPI.Finalize();
    }
}
