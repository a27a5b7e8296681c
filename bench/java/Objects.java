import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import mpi.MPI;

/**
 * Ping-pong of objects between two ranks: half of the round trip is what it takes to serialise, move and rebuild them.
 * ObjectStrings, ObjectMap, ObjectRecords and ObjectMatrix say what is sent, all with MPI.OBJECT. Arguments: sizes.
 */
final class Objects {
    private static final int TAG = 4;
    private static final int SYNC = 4;
    private static final int WARM_UP_ITERATIONS = 20_000;
    private static final double WARM_UP_SECONDS = 4;

    /** A small record, as programs send them by the thousand. */
    static final class Particle implements Serializable {
        private static final long serialVersionUID = 1L;
        final int number;
        final double x;
        final double y;
        final double mass;

        Particle(int number) {
            this.number = number;
            this.x = number * 0.5;
            this.y = number * 0.25;
            this.mass = 1.0 / (number + 1);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Particle && ((Particle) other).number == number && ((Particle) other).x == x
                    && ((Particle) other).y == y && ((Particle) other).mass == mass;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    private final Bench bench;
    private final Object[] outgoing;
    private final Object[] incoming;

    private Objects(Bench bench, String what, int count) {
        this.bench = bench;
        outgoing = make(what, count);
        incoming = new Object[outgoing.length];
    }

    private static Object[] make(String what, int count) {
        switch (what) {
        case "strings":
            String[] strings = new String[count];
            for (int i = 0; i < count; i++) {
                strings[i] = "string number " + i;
            }
            return strings;
        case "map":
            Map<String, Integer> map = new HashMap<>();
            for (int i = 0; i < count; i++) {
                map.put("key " + i, i);
            }
            return new Object[] {map};
        case "records":
            Object[] records = new Object[count];
            for (int i = 0; i < count; i++) {
                records[i] = new Particle(i);
            }
            return records;
        case "matrix":
            double[][] matrix = new double[count][count];
            for (int i = 0; i < count; i++) {
                Arrays.fill(matrix[i], i + 0.5);
            }
            return matrix;
        default:
            throw new IllegalArgumentException("cannot send '" + what + "'; there are strings, map, records, matrix");
        }
    }

    private void rounds(int rounds) {
        int count = outgoing.length;
        if (bench.rank() == 0) {
            for (int i = 0; i < rounds; i++) {
                MPI.COMM_WORLD.Send(outgoing, 0, count, MPI.OBJECT, 1, TAG);
                MPI.COMM_WORLD.Recv(incoming, 0, count, MPI.OBJECT, 1, TAG);
            }
        } else {
            for (int i = 0; i < rounds; i++) {
                MPI.COMM_WORLD.Recv(incoming, 0, count, MPI.OBJECT, 0, TAG);
                MPI.COMM_WORLD.Send(outgoing, 0, count, MPI.OBJECT, 0, TAG);
            }
        }
    }

    private double batch(int rounds) {
        rounds(SYNC);
        double start = Bench.now();
        rounds(rounds);
        return Bench.now() - start;
    }

    static void main(String what, String[] arguments) throws Exception {
        String[] sizes = MPI.Init(arguments);
        Bench bench = new Bench();
        for (String text : sizes) {
            int count = Integer.parseInt(text);
            Objects objects = new Objects(bench, what, count);
            double half = bench.measure(objects::batch, WARM_UP_ITERATIONS, WARM_UP_SECONDS) / 2;
            if (!Arrays.deepEquals(objects.outgoing, objects.incoming)) {
                throw new IllegalStateException("rank " + bench.rank() + " received other " + what
                        + " than were sent");
            }
            bench.print("java-objects-" + what, count, half * 1e6, "us");
        }
        MPI.Finalize();
    }
}
