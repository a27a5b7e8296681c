// SPDX-License-Identifier: Apache-2.0
package mpi;

import static mpi.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** {@link Op#Call} on arrays of one rank. */
class OpTest {
    private static final int OP = 10;

    private final int[] in = {5, -3, 6};

    /** Two arrays are combined as {@code wanted}; the second gets the result. */
    private static void assertCombined(Op op, Object in, Object inout, Datatype type, int count, Object wanted) {
        op.Call(in, 0, inout, 0, count, type);
        assertArrayEquals(new Object[] {wanted}, new Object[] {inout}, () -> op + " of " + type);
    }

    private void assertInts(Op op, int[] inout, int count, int... wanted) {
        assertCombined(op, in, inout, MPI.INT, count, wanted);
    }

    @Test
    void combinesInts() {
        assertInts(MPI.MAX, new int[] {1, 2, 3}, 3, 5, 2, 6);
        assertInts(MPI.MIN, new int[] {1, 2, 3}, 3, 1, -3, 3);
        assertInts(MPI.PROD, new int[] {1, 2, 3}, 3, 5, -6, 18);
        assertInts(MPI.BAND, new int[] {1, 2, 3}, 3, 1, 0, 2);
        assertInts(MPI.BOR, new int[] {1, 2, 3}, 3, 5, -1, 7);
        assertInts(MPI.BXOR, new int[] {1, 2, 3}, 3, 4, -1, 5);
        assertInts(MPI.LAND, new int[] {0, 2, 3}, 3, 0, 1, 1);
    }

    @Test
    void leavesWhatIsBehindTheCount() {
        assertInts(MPI.SUM, new int[] {1, 2, 3}, 2, 6, -1, 3);
    }

    @Test
    void combinesBooleans() {
        boolean[] flags = {true, false, true, false};
        assertCombined(MPI.LAND, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {true, false, false, false});
        assertCombined(MPI.LOR, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {true, true, true, false});
        assertCombined(MPI.LXOR, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {false, true, true, false});
    }

    @Test
    void combinesEveryKindOfNumber() {
        assertCombined(MPI.SUM, new double[] {1.5}, new double[] {2}, MPI.DOUBLE, 1, new double[] {3.5});
        assertCombined(MPI.MAX, new float[] {1.5f}, new float[] {2}, MPI.FLOAT, 1, new float[] {2});
        assertCombined(MPI.SUM, new byte[] {100}, new byte[] {100}, MPI.BYTE, 1, new byte[] {-56});
        assertCombined(MPI.MAX, new char[] {'a'}, new char[] {'b'}, MPI.CHAR, 1, new char[] {'b'});
        assertCombined(MPI.PROD, new short[] {3}, new short[] {4}, MPI.SHORT, 1, new short[] {12});
        assertCombined(MPI.SUM, new long[] {1L << 40}, new long[] {1}, MPI.LONG, 1, new long[] {(1L << 40) + 1});
    }

    @Test
    void combinesPairs() {
        assertCombined(MPI.MAXLOC, new int[] {5, 1, 7, 9}, new int[] {5, 0, 8, 2}, MPI.INT2, 2,
                new int[] {5, 0, 8, 2});
        assertCombined(MPI.MINLOC, new double[] {5, 1, 7, 9}, new double[] {5, 3, 8, 2}, MPI.DOUBLE2, 2,
                new double[] {5, 1, 7, 9});
        assertCombined(new Op(new Maxloc(), true), new float[] {2, 1}, new float[] {1, 0}, MPI.FLOAT2, 1,
                new float[] {2, 1});
        assertCombined(new Op(new Minloc(), true, 12), new long[] {2, 1}, new long[] {1, 0}, MPI.LONG2, 1,
                new long[] {1, 0});
    }

    @Test
    void callsFunctionsOfBothDialects() {
        User_function minus = new User_function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inout)[at + i] -= ((int[]) in)[inAt + i];
                }
            }
        };
        User_Function alike = new User_Function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                minus.Call(in, inAt, inout, at, count, type);
            }
        };
        assertInts(new Op(minus, false), new int[] {1, 2, 3}, 3, -4, 5, -3);
        assertInts(new Op(alike, false), new int[] {1, 2, 3}, 3, -4, 5, -3);
    }

    @Test
    void predefinedOnesCannotBeFreed() {
        MPI.SUM.free();
        assertEquals(3, MPI.SUM.opCode, "number of the sum");
        assertInts(MPI.SUM, new int[] {1, 2, 3}, 3, 6, -1, 9);
    }

    @Test
    void refusesWhatCannotBeCombined() {
        assertRefused(OP, "Op: the function is null", () -> new Op((User_function) null, true));
        assertRefused(OP, "Op: the function is null", () -> new Op((User_Function) null, true));
        assertRefused(OP, "MPI.BAND cannot combine elements of MPI.DOUBLE",
                () -> MPI.BAND.Call(new double[1], 0, new double[1], 0, 1, MPI.DOUBLE));
        assertRefused(OP, "MPI.SUM cannot combine elements of MPI.OBJECT",
                () -> MPI.SUM.Call(new Object[1], 0, new Object[1], 0, 1, MPI.OBJECT));
        assertRefused(OP, "MPI.MAXLOC combines pairs, which MPI.INT is not",
                () -> MPI.MAXLOC.Call(new int[1], 0, new int[1], 0, 1, MPI.INT));
    }
}
