// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Derived datatypes: exactly their elements travel. */
final class DerivedTypes {
    private static final int BUFFER = 1;
    private static final int TYPE = 3;

    private DerivedTypes() {
    }

    /** A type and what it must do: the places of its elements, in their order, and its extent. */
    private static final class Sample {
        final Datatype type;
        final int[] places;
        final int extent;

        Sample(Datatype type, int[] places, int extent) {
            this.type = type;
            this.places = places;
            this.extent = extent;
        }

        /** The places of several elements of the type. */
        int[] places(int count) {
            int[] all = new int[count * places.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = i / places.length * extent + places[i % places.length];
            }
            return all;
        }
    }

    /** A random type over a basic one, without overlaps, and its places found in the plainest way. */
    private static Sample random(Random random, Datatype basic, int depth) {
        if (depth == 0) {
            return new Sample(basic, new int[] {0}, 1);
        }
        Sample inner = random(random, basic, depth - 1);
        int count = 1 + random.nextInt(3);
        int[] lengths = new int[count];
        int[] at = new int[count];
        int next = 0;
        boolean isEven = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            lengths[i] = isEven && i > 0 ? lengths[0] : 1 + random.nextInt(3);
            at[i] = isEven && i > 1 ? i * at[1] : next + random.nextInt(3);
            at[0] = isEven ? 0 : at[0];
            next = at[i] + lengths[i];
        }
        List<Integer> places = new ArrayList<>();
        boolean isBackwards = random.nextInt(4) == 0;
        for (int k = 0; k < count; k++) {
            int i = isBackwards ? count - 1 - k : k;
            for (int element = 0; element < lengths[i]; element++) {
                for (int place : inner.places) {
                    places.add((at[i] + element) * inner.extent + place);
                }
            }
        }
        if (isBackwards) {
            reverse(lengths);
            reverse(at);
        }
        int[] found = places.stream().mapToInt(Integer::intValue).toArray();
        return sample(random, inner, isEven && !isBackwards, lengths, at, found);
    }

    private static void reverse(int[] values) {
        for (int i = 0, k = values.length - 1; i < k; i++, k--) {
            int value = values[i];
            values[i] = values[k];
            values[k] = value;
        }
    }

    private static Sample sample(Random random, Sample inner, boolean isVector, int[] lengths, int[] at,
            int[] places) {
        int[] scaled = at.clone();
        for (int i = 0; i < at.length; i++) {
            scaled[i] *= inner.extent;
        }
        int stride = at.length > 1 ? at[1] : lengths[0];
        Datatype type;
        switch (random.nextInt(isVector ? 2 : 4)) {
        case 0:
            type = isVector ? Datatype.Vector(at.length, lengths[0], stride, inner.type)
                    : Datatype.Indexed(lengths, at, inner.type);
            break;
        case 1:
            type = isVector ? Datatype.Hvector(at.length, lengths[0], stride * inner.extent, inner.type)
                    : Datatype.Hindexed(lengths, scaled, inner.type);
            break;
        case 2:
            Datatype[] types = new Datatype[at.length];
            Arrays.fill(types, inner.type);
            type = Datatype.Struct(lengths, scaled, types);
            break;
        default:
            return padded(inner, lengths, scaled, places);
        }
        type.Commit();
        Check.equal(places.length, type.Size(), "size of " + type);
        return new Sample(type, places, type.Extent());
    }

    /** With a hole behind, by UB. */
    private static Sample padded(Sample inner, int[] lengths, int[] scaled, int[] places) {
        int count = lengths.length;
        int end = Arrays.stream(places).max().getAsInt() + 3;
        Datatype[] types = new Datatype[count + 2];
        Arrays.fill(types, inner.type);
        types[count] = MPI.LB;
        types[count + 1] = MPI.UB;
        int[] allLengths = Arrays.copyOf(lengths, count + 2);
        allLengths[count] = 1;
        allLengths[count + 1] = 1;
        int[] displacements = Arrays.copyOf(scaled, count + 2);
        displacements[count + 1] = end;
        Datatype type = Datatype.Struct(allLengths, displacements, types);
        Check.equal(end, type.Extent(), "extent of a padded type");
        return new Sample(type, places, end);
    }

    /** Random types, sent as they are and received in a row, and the other way round. */
    static void randomTypes(Intracomm comm) {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed + comm.Rank());
        try {
            for (int i = 0; i < Sizes.volume(300); i++) {
                for (Kind kind : new Kind[] {Kind.INT, Kind.BYTE, Kind.DOUBLE, Kind.DIRECT_BYTE}) {
                    exchange(comm, kind, random(random, kind.type, 1 + random.nextInt(3)), 1 + random.nextInt(5),
                            random.nextInt(4));
                }
                exchangeObjects(comm, random(random, MPI.OBJECT, 1 + random.nextInt(3)), 1 + random.nextInt(3),
                        random.nextInt(4));
            }
        } catch (AssertionError e) {
            throw new AssertionError("with -Dtest.seed=" + seed, e);
        }
    }

    private static void exchange(Intracomm comm, Kind kind, Sample sample, int count, int offset) {
        int me = comm.Rank();
        int[] places = sample.places(count);
        int length = offset + Arrays.stream(places).max().getAsInt() + 1;
        Object full = kind.filled(length, 1);
        Object row = kind.filled(places.length, 2);
        Status status = comm.Sendrecv(full, offset, count, sample.type, me, 1, row, 0, places.length, kind.type, me,
                1);
        Check.equal(places.length, status.Get_count(kind.type), "elements of " + sample.type);
        Check.equal(count, status.Get_count(sample.type), "count of " + sample.type);
        Check.equal(places.length, status.Get_elements(sample.type), "elements of " + sample.type);
        for (int i = 0; i < places.length; i++) {
            if (!kind.has(row, i, Kind.pattern(1, offset + places[i]))) {
                throw new AssertionError("element " + i + " of " + sample.type);
            }
        }
        Object back = kind.filled(length, 3);
        comm.Sendrecv(row, 0, places.length, kind.type, me, 1, back, offset, count, sample.type, me, 1);
        boolean[] isHit = new boolean[length];
        for (int place : places) {
            isHit[offset + place] = true;
        }
        for (int i = 0; i < length; i++) {
            if (!kind.has(back, i, Kind.pattern(isHit[i] ? 1 : 3, i))) {
                throw new AssertionError("place " + i + " of " + sample.type
                        + (isHit[i] ? " was not written" : " was overwritten"));
            }
        }
    }

    private static void exchangeObjects(Intracomm comm, Sample sample, int count, int offset) {
        int me = comm.Rank();
        int[] places = sample.places(count);
        int length = offset + Arrays.stream(places).max().getAsInt() + 1;
        Object[] full = new Object[length];
        Object[] back = new Object[length];
        for (int i = 0; i < length; i++) {
            full[i] = i % 3 == 0 ? (Object) ("object " + i) : Integer.valueOf(i);
        }
        Object[] row = new Object[places.length];
        Status status = comm.Sendrecv(full, offset, count, sample.type, me, 1, row, 0, row.length, MPI.OBJECT, me, 1);
        Check.equal(count, status.Get_count(sample.type), "count of " + sample.type);
        for (int i = 0; i < places.length; i++) {
            if (!full[offset + places[i]].equals(row[i])) {
                throw new AssertionError("object " + i + " of " + sample.type);
            }
        }
        comm.Sendrecv(row, 0, row.length, MPI.OBJECT, me, 1, back, offset, count, sample.type, me, 1);
        int written = 0;
        for (int i = 0; i < length; i++) {
            if (back[i] != null && !back[i].equals(full[i])) {
                throw new AssertionError("object at place " + i + " of " + sample.type);
            }
            written += back[i] == null ? 0 : 1;
        }
        Check.equal(places.length, written, "objects written");
    }

    /** Columns of a matrix by every way a message may travel, blocking, not blocking and persistent. */
    static void columns(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int size : new int[] {4, 40, 400, 1000}) {
            double[] matrix = new double[size * size];
            for (int i = 0; i < matrix.length; i++) {
                matrix[i] = i;
            }
            Datatype column = Datatype.Vector(size, 1, size, MPI.DOUBLE);
            Datatype one = Datatype.Struct(new int[] {1, 1}, new int[] {0, 1}, new Datatype[] {column, MPI.UB});
            one.Commit();
            double[] transposed = new double[size * size];
            Request send = comm.Isend(matrix, 0, size, one, partner, 1);
            Status status = comm.Recv(transposed, 0, size * size, MPI.DOUBLE, partner, 1);
            send.Wait();
            Check.equal(size, status.Get_count(one), "columns");
            for (int i = 0; i < matrix.length; i++) {
                if (transposed[i] != matrix[i % size * size + i / size]) {
                    throw new AssertionError("transposed element " + i);
                }
            }
            ByteBuffer direct = ByteBuffer.allocateDirect(size * size * 8).order(ByteOrder.nativeOrder());
            Prequest receive = comm.Recv_init(direct, 0, size, one, partner, 2);
            Prequest persistent = comm.Send_init(transposed, 0, size * size, MPI.DOUBLE, partner, 2);
            one.finalize(); // what is under way keeps what it needs
            for (int i = 0; i < 2; i++) {
                Prequest.Startall(new Prequest[] {receive, persistent});
                Request.Waitall(new Request[] {receive, persistent});
            }
            receive.Free();
            persistent.Free();
            for (int i = 0; i < matrix.length; i++) {
                if (direct.getDouble(i * 8) != matrix[i]) {
                    throw new AssertionError("element " + i + " transposed twice");
                }
            }
            Datatype again = Datatype.Vector(size, 1, size, MPI.DOUBLE);
            Request irecv = comm.Irecv(matrix, 1, 1, again, MPI.ANY_SOURCE, MPI.ANY_TAG);
            comm.Send(transposed, 0, 1, again, partner, 3);
            Check.equal(size, irecv.Wait().Get_elements(again), "elements of a column");
            for (int i = 0; i < size; i++) {
                Check.that(matrix[i * size + 1] == transposed[i * size], "element " + i + " of a column");
            }
            comm.Sendrecv_replace(matrix, 0, 1, again, partner, 4, partner, 4);
            Check.that(matrix[size] == size, "a column replaced by itself");
        }
    }

    static void wrongTypes(Intracomm comm) {
        int me = comm.Rank();
        int[] ints = new int[20];
        Datatype vector = Datatype.Vector(3, 2, 4, MPI.INT);
        Check.fails(BUFFER, "Send: offset 11 and count 1 of Vector\\(3, 2, 4, MPI.INT\\) reach to element 21, but the "
                + "buffer has 20", () -> comm.Send(ints, 11, 1, vector, me, 0));
        Check.fails(BUFFER, "Recv: offset 0 and count 3 of Vector.* reach to element 30, ",
                () -> comm.Recv(ints, 0, 3, vector, me, 0));
        Datatype backwards = Datatype.Vector(2, 1, -3, MPI.INT);
        Check.fails(BUFFER, "Send: offset 2 and count 1 of Vector.* reach to element -1, before the buffer begins",
                () -> comm.Send(ints, 2, 1, backwards, me, 0));
        Check.fails(TYPE, "Send: the buffer is a double\\[\\], but the datatype Vector.* needs an int\\[\\] or a "
                + "ByteBuffer", () -> comm.Send(new double[20], 0, 1, vector, me, 0));
        Check.fails(TYPE, "Send: no buffer is of the datatype MPI.NULL", () -> comm.Send(ints, 0, 1, MPI.NULL, me, 0));
        vector.free();
        vector.free();
        Check.fails(TYPE, "Send: the datatype Vector.* has been freed", () -> comm.Send(ints, 0, 1, vector, me, 0));
        MPI.INT.free();
        comm.Sendrecv(ints, 0, 1, MPI.INT, me, 0, ints, 10, 4, MPI.INT, me, 0);
    }
}
