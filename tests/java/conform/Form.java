// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.Datatype;

/** A datatype over a kind of buffer, where its elements lie, and buffers filled and verified by it. */
final class Form {
    /** What is in a buffer where nothing was written. */
    private static final long BACKGROUND = 77;

    final Kind kind;
    final Datatype type;
    private final int[] places;
    private final int extent;

    private Form(Kind kind, Datatype type, int[] places, int extent) {
        this.kind = kind;
        this.type = type;
        this.places = places;
        this.extent = extent;
    }

    static Form plain(Kind kind) {
        return new Form(kind, kind.type, new int[] {0}, 1);
    }

    static Form vector(Kind kind) {
        return new Form(kind, Datatype.Vector(2, 2, 3, kind.type), new int[] {0, 1, 3, 4}, 5);
    }

    /** In an order of its own, with data that does not begin at the beginning. */
    static Form indexed(Kind kind) {
        return new Form(kind, Datatype.Indexed(new int[] {1, 2}, new int[] {4, 1}, kind.type), new int[] {4, 1, 2}, 4);
    }

    /** In a row, in blocks with gaps, and in an order of its own with data that does not begin at the beginning. */
    static List<Form> all(Kind kind) {
        List<Form> forms = new ArrayList<>();
        forms.add(plain(kind));
        forms.add(new Form(kind, Datatype.Contiguous(3, kind.type), new int[] {0, 1, 2}, 3));
        forms.add(vector(kind));
        forms.add(indexed(kind));
        return forms;
    }

    /** Elements of the basic type in one of this. */
    int size() {
        return places.length;
    }

    /** The place of a basic element of the packed stream. */
    private int place(int index) {
        return index / places.length * extent + places[index % places.length];
    }

    /** How long a buffer for so many elements must be. */
    int length(int count) {
        return count == 0 ? 0 : (count - 1) * extent + Arrays.stream(places).max().getAsInt() + 1;
    }

    int extent() {
        return extent;
    }

    /** A buffer in which nothing was written. */
    Object empty(int length) {
        return kind.filled(length, BACKGROUND);
    }

    /** Writes the stream of this seed, from its basic element {@code first} on. */
    void fill(Object buffer, int offset, int count, long seed, int first) {
        for (int i = 0; i < count * size(); i++) {
            kind.put(buffer, offset + place(i), Kind.pattern(seed, first + i));
        }
    }

    /** Demands what {@link #fill} writes, and marks the places. */
    void verify(Object buffer, int offset, int count, long seed, int first, boolean[] isHit, String what) {
        for (int i = 0; i < count * size(); i++) {
            int at = offset + place(i);
            isHit[at] = true;
            if (!kind.has(buffer, at, Kind.pattern(seed, first + i))) {
                throw new AssertionError(what + ": element " + i + " of " + count * size() + " from " + seed
                        + " is wrong (" + type + ", " + kind + ")");
            }
        }
    }

    /** Demands that nothing was written where nothing was hit. */
    void verifyRest(Object buffer, boolean[] isHit, String what) {
        for (int i = 0; i < isHit.length; i++) {
            if (!isHit[i] && !kind.has(buffer, i, Kind.pattern(BACKGROUND, i))) {
                throw new AssertionError(what + ": place " + i + " was overwritten (" + type + ", " + kind + ")");
            }
        }
    }
}
