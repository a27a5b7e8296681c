package conform;

import conform.Things.Point;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;

/** The collectives that are there so far. */
final class Collectives {
    private static final int ROOT = 8;
    private static final int ARG = 13;

    private Collectives() {
    }

    static void bcast(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        for (int root = 0; root < size; root++) {
            for (int count : new int[] {0, 1, 3, 1000, 100_000}) {
                int[] numbers = new int[count + 2];
                if (me == root) {
                    for (int i = 0; i < count; i++) {
                        numbers[i + 1] = i + root;
                    }
                }
                comm.Bcast(numbers, 1, count, MPI.INT, root);
                for (int i = 0; i < count; i++) {
                    Check.equal(i + root, numbers[i + 1], "number " + i + " of " + count + " from " + root);
                }
                Check.that(numbers[0] == 0 && numbers[count + 1] == 0, "before and behind");
            }
            Object[] objects = me == root ? new Object[] {new Point(root), "text", null} : new Object[3];
            comm.Bcast(objects, 0, 3, MPI.OBJECT, root);
            Check.that(Arrays.equals(new Object[] {new Point(root), "text", null}, objects), "objects");
        }
        Datatype column = Datatype.Vector(3, 1, 3, MPI.INT);
        int[] matrix = me == 0 ? new int[] {1, 9, 9, 2, 9, 9, 3, 9, 9} : new int[9];
        comm.Bcast(matrix, 0, 1, column, 0);
        Check.that(matrix[0] == 1 && matrix[3] == 2 && matrix[6] == 3 && matrix[1] == (me == 0 ? 9 : 0), "a column");
        // What a program sends itself does not come between, whatever its tag.
        comm.Send(new int[] {4}, 0, 1, MPI.INT, me, 0);
        int[] one = {me == 0 ? 5 : 0};
        comm.Bcast(one, 0, 1, MPI.INT, 0);
        Check.equal(5, one[0], "the broadcast");
        comm.Recv(one, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal(4, one[0], "the message");
        Check.fails(ROOT, "Bcast: root is " + size + ", but the communicator has " + size + " ranks",
                () -> comm.Bcast(one, 0, 1, MPI.INT, size));
    }

    static void gather(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        for (int root = 0; root < size; root++) {
            int[] all = new int[2 * size + 1];
            comm.Gather(new int[] {7, me, -me}, 1, 2, MPI.INT, me == root ? all : null, 1, 2, MPI.INT, root);
            for (int i = 0; me == root && i < size; i++) {
                Check.that(all[2 * i + 1] == i && all[2 * i + 2] == -i, "numbers of " + i);
            }
            Object[] objects = me == root ? new Object[size] : null;
            comm.Gather(new Object[] {new Point(me)}, 0, 1, MPI.OBJECT, objects, 0, 1, MPI.OBJECT, root);
            for (int i = 0; me == root && i < size; i++) {
                Check.that(new Point(i).equals(objects[i]), "object of " + i);
            }
            gatherv(comm, root);
        }
        Check.fails(ROOT, "Gather: root is -1, ", () -> comm.Gather(new int[1], 0, 1, MPI.INT, null, 0, 1, MPI.INT,
                -1));
        if (size == 1) {
            Check.fails(ARG, "Gatherv: recvcounts and displs need a number for each of the 1 ranks",
                    () -> comm.Gatherv(new int[1], 0, 1, MPI.INT, new int[1], 0, null, new int[1], MPI.INT, 0));
        }
    }

    /** Rank i gives i numbers, which stand backwards with a gap between. */
    private static void gatherv(Intracomm comm, int root) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] out = new int[size];
        Arrays.fill(out, me);
        int[] counts = new int[size];
        int[] displs = new int[size];
        int total = 0;
        for (int i = size - 1; i >= 0; i--) {
            counts[i] = i;
            displs[i] = total;
            total += i + 1;
        }
        int[] in = new int[total];
        Arrays.fill(in, -1);
        comm.Gatherv(out, 0, me, MPI.INT, in, 0, counts, displs, MPI.INT, root);
        for (int i = 0; me == root && i < size; i++) {
            for (int k = 0; k < i; k++) {
                Check.equal(i, in[displs[i] + k], "number " + k + " of " + i);
            }
            Check.equal(-1, in[displs[i] + i], "the gap behind " + i);
        }
    }
}
