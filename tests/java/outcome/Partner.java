// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/** Rank 1 of a job whose rank 0 is in C (c_partner.c). */
public final class Partner {
    private static final int MANY = 50000;

    private Partner() {
    }

    public static void main(String[] args) {
        MPI.Init(args);
        for (int count = 1; count <= MANY; count += MANY - 1) {
            int[] ints = new int[count];
            float[] floats = new float[count];
            MPI.COMM_WORLD.Recv(ints, 0, count, MPI.INT, 0, 1);
            MPI.COMM_WORLD.Recv(floats, 0, count, MPI.FLOAT, 0, 2);
            if (ints[count - 1] != count || Float.floatToRawIntBits(floats[count - 1]) != count) {
                throw new AssertionError("the last of " + count + " is " + ints[count - 1]);
            }
            MPI.COMM_WORLD.Send(ints, 0, count, MPI.INT, 0, 3);
        }
        System.out.println("Java has received");
        MPI.Finalize();
    }
}
