// SPDX-License-Identifier: Apache-2.0
package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Direct buffers and views as Open MPI has them. */
class ViewTest {
    @Test
    void newBuffersAreDirectAndNative() {
        assertTrue(MPI.newByteBuffer(10).isDirect() && MPI.newByteBuffer(10).capacity() == 10, "bytes");
        assertEquals(ByteOrder.nativeOrder(), MPI.newByteBuffer(1).order());
        assertTrue(MPI.newIntBuffer(10).isDirect() && MPI.newIntBuffer(10).capacity() == 10, "ints");
        assertEquals(7, MPI.newCharBuffer(7).capacity());
        assertEquals(0, MPI.newShortBuffer(0).capacity());
        assertEquals(4, MPI.newLongBuffer(4).capacity());
        assertEquals(5, MPI.newFloatBuffer(5).capacity());
        assertEquals(ByteOrder.nativeOrder(), MPI.newDoubleBuffer(3).order());
    }

    @Test
    void sliceOfArraySharesIt() {
        double[] doubles = {1, 2, 3, 4};
        MPI.slice(doubles, 2).put(0, 9);
        assertEquals(9, doubles[2]);
        assertEquals(3, MPI.slice(doubles, 1).capacity());
        assertEquals(9, MPI.slice(MPI.slice(doubles, 1), 1).get(0), "a view of a view");
    }

    @Test
    void sliceOfDirectBufferSharesIt() {
        ByteBuffer bytes = MPI.newByteBuffer(16);
        MPI.slice(bytes, 8).putLong(0, 42);
        assertEquals(42, bytes.getLong(8));
    }
}
