// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Buffers as the Open MPI dialect passes them, without an offset: an array, a direct buffer, or a view of an array,
 * which stands for the array and the offset at which the view begins. The position of a buffer does not count.
 */
final class Places {
    private Places() {
    }

    /** What the calls with offsets are given. A {@code ByteBuffer} goes as it is, whatever it is over. */
    static Object array(Object buf, Datatype type) {
        if (buf instanceof Buffer) {
            boolean isView = !(buf instanceof ByteBuffer) && ((Buffer) buf).hasArray();
            return isView ? ((Buffer) buf).array() : buf;
        }
        // The two ints of a pair are a struct in this dialect, and a struct is made of bytes.
        return type == MPI.INT2 && buf instanceof byte[] ? ByteBuffer.wrap((byte[]) buf) : buf;
    }

    /** Where the data begin in it. */
    static int offset(Object buf) {
        boolean isView = buf instanceof Buffer && !(buf instanceof ByteBuffer) && ((Buffer) buf).hasArray();
        return isView ? ((Buffer) buf).arrayOffset() : 0;
    }

    static Side side(Object buf, int count, Datatype type) {
        return new Side(array(buf, type), offset(buf), count, type);
    }

    /** The block of a rank, where each rank has one of as many elements. */
    static Side block(Object buf, int count, Datatype type, int rank) {
        long begin = offset(buf) + (type == null ? 0 : (long) rank * count * type.Extent());
        return new Side(array(buf, type), (int) Math.min(begin, Integer.MAX_VALUE), count, type);
    }

    static VSide parts(Object buf, int[] counts, int[] displs, Datatype type) {
        return new VSide(array(buf, type), offset(buf), counts, displs, type);
    }

    /** One of such parts. */
    static Side part(Object buf, int[] counts, int[] displs, Datatype type, int rank) {
        if (type == null || counts == null || displs == null || rank >= counts.length || rank >= displs.length) {
            return new Side(array(buf, type), offset(buf), 0, type); // the check of all parts tells
        }
        long begin = offset(buf) + (long) displs[rank] * type.Extent();
        return new Side(array(buf, type), (int) Math.min(begin, Integer.MAX_VALUE), counts[rank], type);
    }
}
