// SPDX-License-Identifier: Apache-2.0
package mpi;

/** One side of a call with a block for each rank, of any length and at any place, as the program passes it. */
final class VSide {
    /** What a rank does not have, whose arguments do not count. */
    static final VSide NONE = new VSide(null, 0, null, null, null);

    final Object buffer;
    final int offset;
    final int[] counts;
    final int[] displs;
    final Datatype type;

    VSide(Object buffer, int offset, int[] counts, int[] displs, Datatype type) {
        this.buffer = buffer;
        this.offset = offset;
        this.counts = counts;
        this.displs = displs;
        this.type = type;
    }

    /** This one, if it counts; then its datatype must not be null. */
    VSide given(String call, boolean isThere) {
        if (!isThere) {
            return NONE;
        }
        Datatype.require(call, type);
        return this;
    }
}
