// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Buffers as the Open MPI dialect passes them, without an offset: an array, a direct buffer, or a view of an array,
 * which stands for the array and the offset at which the view begins. The position of a buffer does not count. An array
 * may have elements of any primitive type, whatever the datatype is: its memory is what counts.
 */
final class Places {
    private Places() {
    }

    /** What the calls with offsets are given: an array of the datatype's, {@link ArrayBytes}, or a direct buffer. */
    static Object array(Object buf, Datatype type) {
        if (type == null || type.isArray(buf)) {
            return buf;
        }
        if (!isView(buf)) {
            return type.isForeign(buf) ? ArrayBytes.of(buf, 0) : buf;
        }
        Buffer view = (Buffer) buf;
        if (view instanceof ByteBuffer) {
            return type.isObject() ? buf : ArrayBytes.of((ByteBuffer) view);
        }
        return type.isForeign(view.array()) ? ArrayBytes.of(view.array(), view.arrayOffset()) : view.array();
    }

    /** Where the data begin in it. */
    static int offset(Object buf, Datatype type) {
        boolean isView = isView(buf) && !(buf instanceof ByteBuffer) && type != null;
        return isView && !type.isForeign(((Buffer) buf).array()) ? ((Buffer) buf).arrayOffset() : 0;
    }

    private static boolean isView(Object buf) {
        return buf instanceof Buffer && ((Buffer) buf).hasArray();
    }

    static Side side(Object buf, int count, Datatype type) {
        return new Side(array(buf, type), offset(buf, type), count, type);
    }

    /** The block of a rank, where each rank has one of as many elements. */
    static Side block(Object buf, int count, Datatype type, int rank) {
        long begin = offset(buf, type) + (type == null ? 0 : (long) rank * count * type.Extent());
        return new Side(array(buf, type), (int) Math.min(begin, Integer.MAX_VALUE), count, type);
    }

    static VSide parts(Object buf, int[] counts, int[] displs, Datatype type) {
        return new VSide(array(buf, type), offset(buf, type), counts, displs, type);
    }

    /** One of such parts. */
    static Side part(Object buf, int[] counts, int[] displs, Datatype type, int rank) {
        if (type == null || counts == null || displs == null || rank >= counts.length || rank >= displs.length) {
            return new Side(array(buf, type), offset(buf, type), 0, type); // the check of all parts tells
        }
        long begin = offset(buf, type) + (long) displs[rank] * type.Extent();
        return new Side(array(buf, type), (int) Math.min(begin, Integer.MAX_VALUE), counts[rank], type);
    }
}
