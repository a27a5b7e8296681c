// SPDX-License-Identifier: Apache-2.0
package mpi;

import static mpi.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What derived datatypes are like, before anything is sent. */
class DatatypeTest {
    private static final int COUNT = 2;
    private static final int TYPE = 3;
    private static final int ARG = 13;

    private static void assertLike(Datatype type, int size, int lb, int ub) {
        assertEquals(size, type.Size(), () -> "size of " + type);
        assertEquals(lb, type.Lb(), () -> "lower bound of " + type);
        assertEquals(ub, type.Ub(), () -> "upper bound of " + type);
        assertEquals(ub - lb, type.Extent(), () -> "extent of " + type);
    }

    static Stream<Datatype> basicTypes() {
        return Stream.of(MPI.INT, MPI.BYTE, MPI.DOUBLE, MPI.OBJECT);
    }

    @Test
    void basicTypesHaveNoGaps() {
        assertLike(MPI.INT, 1, 0, 1);
        assertLike(MPI.OBJECT, 1, 0, 1);
        assertLike(MPI.DOUBLE2, 2, 0, 2);
    }

    /** Whatever a type is made of, and whether it has gaps. */
    @ParameterizedTest
    @MethodSource("basicTypes")
    void whatIsFreedIsNull(Datatype basic) {
        for (Datatype type : new Datatype[] {Datatype.Contiguous(3, basic), Datatype.Vector(3, 1, 2, basic)}) {
            Datatype dup = type.dup();
            dup.free();
            assertTrue(dup.isNull(), () -> "a dup of " + type);
            assertFalse(type.isNull(), () -> type + " outlives its dup");
            type.free();
            assertTrue(type.isNull(), type::toString);
            assertRefused(TYPE, "Contiguous: the datatype ", () -> Datatype.Contiguous(1, type));
        }
        basic.free();
        assertFalse(basic.isNull(), "what is predefined stays");
    }

    /** Sizes and bounds count elements of the basic type. */
    @ParameterizedTest
    @MethodSource("basicTypes")
    void boundsCountElements(Datatype basic) {
        Datatype triple = Datatype.Contiguous(3, basic);
        assertLike(triple, 3, 0, 3);
        assertLike(Datatype.Vector(3, 2, 4, basic), 6, 0, 10);
        assertLike(Datatype.Vector(3, 2, 4, triple), 18, 0, 30);
        assertLike(Datatype.Hvector(3, 2, 4, triple), 18, 0, 14);
        assertLike(Datatype.Vector(2, 1, -3, basic), 2, -3, 1);
        assertLike(Datatype.Indexed(new int[] {2, 1}, new int[] {5, 1}, basic), 3, 1, 7);
        assertLike(Datatype.Indexed(new int[] {2, 1}, new int[] {5, 1}, triple), 9, 3, 21);
        assertLike(Datatype.Hindexed(new int[] {2, 1}, new int[] {5, 1}, triple), 9, 1, 11);
        assertLike(Datatype.Struct(new int[] {1, 2}, new int[] {4, 0}, new Datatype[] {triple, basic}), 5, 0, 7);
        assertLike(Datatype.Vector(0, 2, 4, basic), 0, 0, 0);
        assertLike(Datatype.Contiguous(0, basic), 0, 0, 0);
    }

    @ParameterizedTest
    @MethodSource("basicTypes")
    void markersMoveBounds(Datatype basic) {
        Datatype wide = Datatype.Struct(new int[] {1, 2, 1}, new int[] {-1, 3, 10},
                new Datatype[] {MPI.LB, basic, MPI.UB});
        assertLike(wide, 2, -1, 10);
        assertLike(Datatype.Contiguous(2, wide), 4, -1, 21);
        assertLike(Datatype.Struct(new int[] {1, 1}, new int[] {100, 0}, new Datatype[] {basic, wide}), 3, -1, 10);
    }

    @Test
    void hasNameNumberAndBytes() {
        Datatype named = Datatype.Vector(2, 1, 2, MPI.INT);
        assertEquals("Vector(2, 1, 2, MPI.INT)", named.Get_name());
        named.Set_name("every other");
        assertEquals("every other", named.toString());
        assertEquals(5, named.baseType, "number of the basic type");
        assertEquals(5, named.getType(), "number of the basic type");
        assertEquals(8, named.getByteSize(), "bytes");
        assertEquals(16, MPI.DOUBLE2.getByteSize(), "bytes of a pair");
    }

    @Test
    void refusesWrongCounts() {
        assertRefused(COUNT, "Vector: count is -1; ", () -> Datatype.Vector(-1, 1, 1, MPI.INT));
        assertRefused(COUNT, "Hvector: blocklength is -2; ", () -> Datatype.Hvector(1, -2, 1, MPI.INT));
        assertRefused(COUNT, "Indexed: blocklength 1 is -1; ",
                () -> Datatype.Indexed(new int[] {1, -1}, new int[] {0, 0}, MPI.INT));
        assertRefused(COUNT, "Contiguous\\(2000000000, .*\\) is too large: ",
                () -> Datatype.Contiguous(2_000_000_000, MPI.DOUBLE2));
        assertRefused(COUNT, "Vector\\(.*\\) is too large: ",
                () -> Datatype.Vector(2, 1, Integer.MAX_VALUE, MPI.INT2));
    }

    @Test
    void refusesArraysThatDoNotFit() {
        assertRefused(ARG, "Hindexed: there are 1 blocklengths, but 2 displacements",
                () -> Datatype.Hindexed(new int[1], new int[2], MPI.INT));
        assertRefused(ARG, "Indexed: the array of displacements is null",
                () -> Datatype.Indexed(new int[1], null, MPI.INT));
        assertRefused(ARG, "Struct: there are 2 blocklengths, but 1 types",
                () -> Datatype.Struct(new int[2], new int[2], new Datatype[] {MPI.INT}));
    }

    @Test
    void refusesWrongTypes() {
        assertRefused(TYPE, "Vector: the datatype is null", () -> Datatype.Vector(1, 1, 1, null));
        assertRefused(TYPE, "Vector: no buffer is of the datatype MPI.LB", () -> Datatype.Vector(1, 1, 1, MPI.LB));
        assertRefused(TYPE, "Struct: MPI.INT and MPI.DOUBLE have different basic types; an array has one",
                () -> Datatype.Struct(new int[] {1, 1}, new int[] {0, 1}, new Datatype[] {MPI.INT, MPI.DOUBLE}));
    }
}
