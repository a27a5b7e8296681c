// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.function.LongBinaryOperator;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.User_Function;
import mpi.User_function;

/** The collectives that combine. */
final class Reductions {
    private Reductions() {
    }

    /** An operation and what it must do. */
    private static final class Rule {
        final Op op;
        final boolean isForReals;
        final LongBinaryOperator function;

        Rule(Op op, boolean isForReals, LongBinaryOperator function) {
            this.op = op;
            this.isForReals = isForReals;
            this.function = function;
        }
    }

    private static final Rule[] RULES = {
        new Rule(MPI.SUM, true, (a, b) -> a + b),
        new Rule(MPI.PROD, true, (a, b) -> a * b),
        new Rule(MPI.MAX, true, Math::max),
        new Rule(MPI.MIN, true, Math::min),
        new Rule(MPI.LAND, false, (a, b) -> a != 0 && b != 0 ? 1 : 0),
        new Rule(MPI.LOR, false, (a, b) -> a != 0 || b != 0 ? 1 : 0),
        new Rule(MPI.LXOR, false, (a, b) -> a != 0 != (b != 0) ? 1 : 0),
        new Rule(MPI.BAND, false, (a, b) -> a & b),
        new Rule(MPI.BOR, false, (a, b) -> a | b),
        new Rule(MPI.BXOR, false, (a, b) -> a ^ b),
    };

    private static boolean isReal(Kind kind) {
        return kind == Kind.FLOAT || kind == Kind.DOUBLE || kind == Kind.DIRECT_DOUBLE;
    }

    /** The value of a rank: small, sometimes 0, negative where the kind has it; products stay exact. */
    private static long value(Kind kind, Op op, int rank, int at) {
        if (kind == Kind.BOOLEAN) {
            return (rank + at) % 3 == 0 ? 0 : 1;
        }
        if (op == MPI.PROD) {
            return 1 + (rank * 5 + at) % 2;
        }
        return (rank * 7 + at * 3) % 11 - (kind == Kind.CHAR ? 0 : 4);
    }

    private static long expected(Kind kind, Rule rule, int first, int ranks, int at) {
        long result = value(kind, rule.op, first, at);
        for (int rank = first + 1; rank < first + ranks; rank++) {
            result = rule.function.applyAsLong(result, value(kind, rule.op, rank, at));
        }
        // Booleans: whatever is not false is true.
        return kind == Kind.BOOLEAN && result != 0 ? 1 : result;
    }

    // ---- predefined operations ----

    /** Every operation on every kind that has it, in every call. */
    static void predefined(Intracomm comm) {
        for (Kind kind : Kind.values()) {
            if (kind == Kind.PACKED) {
                continue;
            }
            for (Rule rule : RULES) {
                if (rule.isForReals || !isReal(kind)) {
                    calls(comm, kind, rule, 5, 1);
                }
            }
        }
        Rule sum = RULES[0];
        int largest = comm.Size() > 4 ? 2000 : 50_000;
        for (int count : new int[] {0, 1, 33, 300, 2000, 50_000}) {
            if (count <= largest) {
                calls(comm, Kind.INT, sum, count, 0);
                calls(comm, Kind.DOUBLE, sum, count, 3);
                calls(comm, Kind.DIRECT_DOUBLE, sum, count, 0);
            }
        }
    }

    private static Object values(Kind kind, Rule rule, int rank, int count, int offset) {
        Object buffer = kind.make(count + offset);
        for (int i = 0; i < count; i++) {
            kind.put(buffer, offset + i, value(kind, rule.op, rank, i));
        }
        return buffer;
    }

    private static void verify(Kind kind, Rule rule, Object buffer, int offset, int count, int ranks, int first,
            String what) {
        for (int i = 0; i < count; i++) {
            long wanted = expected(kind, rule, 0, ranks, first + i);
            if (!kind.has(buffer, offset + i, wanted)) {
                throw new AssertionError(what + " with " + rule.op + ": element " + i + " of " + count + " is not "
                        + wanted + " (" + kind + ")");
            }
        }
    }

    private static void calls(Intracomm comm, Kind kind, Rule rule, int count, int offset) {
        int size = comm.Size();
        int me = comm.Rank();
        Object send = values(kind, rule, me, count, offset);
        for (int root : size == 1 ? new int[] {0} : new int[] {0, size - 1}) {
            Object result = me == root ? kind.make(count) : null;
            comm.Reduce(send, offset, result, 0, count, kind.type, rule.op, root);
            if (me == root) {
                verify(kind, rule, result, 0, count, size, 0, "Reduce");
            }
        }
        Object result = kind.make(count + offset);
        comm.Allreduce(send, offset, result, offset, count, kind.type, rule.op);
        verify(kind, rule, result, offset, count, size, 0, "Allreduce");
        comm.Scan(send, offset, result, offset, count, kind.type, rule.op);
        verify(kind, rule, result, offset, count, me + 1, 0, "Scan");

        int[] counts = new int[size];
        int before = 0;
        for (int i = 0; i < size; i++) {
            counts[i] = i % 3 == 1 ? 0 : count;
            before += i < me ? counts[i] : 0;
        }
        Object much = values(kind, rule, me, size * count, offset);
        comm.Reduce_scatter(much, offset, result, offset, counts, kind.type, rule.op);
        verify(kind, rule, result, offset, counts[me], size, before, "Reduce_scatter");

        Object both = values(kind, rule, me, count, offset);
        comm.Allreduce(both, offset, both, offset, count, kind.type, rule.op);
        verify(kind, rule, both, offset, count, size, 0, "Allreduce in one array");
        both = values(kind, rule, me, count, offset);
        comm.Scan(both, offset, both, offset, count, kind.type, rule.op);
        verify(kind, rule, both, offset, count, me + 1, 0, "Scan in one array");
        both = values(kind, rule, me, count + 1, offset);
        comm.Allreduce(both, offset, both, offset + 1, count, kind.type, rule.op);
        verify(kind, rule, both, offset + 1, count, size, 0, "Allreduce across one array");
        both = values(kind, rule, me, count, offset);
        comm.Reduce(both, offset, both, offset, count, kind.type, rule.op, size - 1);
        verify(kind, rule, both, offset, count, me == size - 1 ? size : 0, 0, "Reduce in one array", me);
    }

    /** On ranks that are not the root the values are still there. */
    private static void verify(Kind kind, Rule rule, Object buffer, int offset, int count, int ranks, int first,
            String what, int me) {
        if (ranks > 0) {
            verify(kind, rule, buffer, offset, count, ranks, first, what);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (!kind.has(buffer, offset + i, value(kind, rule.op, me, i))) {
                throw new AssertionError(what + ": the values are gone");
            }
        }
    }

    /** Derived types: what is in the gaps stays. */
    static void derived(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        Datatype vector = Datatype.Vector(2, 2, 3, MPI.INT); // places 0 1 3 4, extent 5
        for (int count : new int[] {1, 10, 2000}) {
            int[] send = new int[5 * count];
            for (int i = 0; i < send.length; i++) {
                send[i] = me + i;
            }
            int[] result = new int[5 * count];
            comm.Allreduce(send, 0, result, 0, count, vector, MPI.SUM);
            for (int i = 0; i < result.length; i++) {
                int wanted = i % 5 == 2 ? 0 : size * i + size * (size - 1) / 2;
                Check.equal(wanted, result[i], "a vector", i);
            }
            int[] counts = new int[size];
            counts[size - 1] = count;
            result = new int[5 * count];
            comm.Reduce_scatter(send, 0, result, 0, counts, vector, MPI.MAX);
            for (int i = 0; me == size - 1 && i < result.length; i++) {
                Check.equal(i % 5 == 2 ? 0 : size - 1 + i, result[i], "a vector dealt out", i);
            }
            Op op = new Op(new Plus(), true);
            result = new int[5 * count];
            comm.Scan(send, 0, result, 0, count, vector, op);
            for (int i = 0; i < result.length; i++) {
                Check.equal(i % 5 == 2 ? 0 : (me + 1) * i + me * (me + 1) / 2, result[i],
                        "a vector combined by the program", i);
            }
        }
        Datatype shifted = Datatype.Indexed(new int[] {1, 1}, new int[] {3, 1}, MPI.INT);
        int[] out = {9, me, 9, 1, me, 9, 1, 9};
        int[] in = new int[8];
        comm.Reduce(out, 0, in, 0, 1, shifted, new Op(new Plus(), true), 0);
        Check.that(me != 0 || in[1] == size * (size - 1) / 2 && in[3] == size && in[0] == 0 && in[2] == 0,
                "elements that do not begin at the beginning");
    }

    /** Adds ints, at the places that the datatype names. */
    private static final class Plus extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
            int[] places = type.Size() == 1 ? new int[] {0} : type.Size() == 4 ? new int[] {0, 1, 3, 4}
                    : new int[] {3, 1};
            for (int i = 0; i < count; i++) {
                for (int place : places) {
                    ((int[]) inout)[at + i * type.Extent() + place] += ((int[]) in)[inAt + i * type.Extent() + place];
                }
            }
        }
    }

    // ---- pairs ----

    /** The largest and the smallest value, and the lowest place that has it. */
    static void pairs(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        Kind[] kinds = {Kind.SHORT, Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE};
        Datatype[] types = {MPI.SHORT2, MPI.INT2, MPI.LONG2, MPI.FLOAT2, MPI.DOUBLE2};
        for (int k = 0; k < kinds.length; k++) {
            for (int count : new int[] {1, 3, 700}) {
                Object send = kinds[k].make(2 * count);
                for (int i = 0; i < count; i++) {
                    kinds[k].put(send, 2 * i, (me + i) % 3 - 1);
                    kinds[k].put(send, 2 * i + 1, me);
                }
                for (Op op : new Op[] {MPI.MAXLOC, MPI.MINLOC}) {
                    Object result = kinds[k].make(2 * count);
                    comm.Allreduce(send, 0, result, 0, count, types[k], op);
                    for (int i = 0; i < count; i++) {
                        int best = 0;
                        for (int rank = 1; rank < size; rank++) {
                            int difference = (rank + i) % 3 - (best + i) % 3;
                            best = (op == MPI.MAXLOC ? difference > 0 : difference < 0) ? rank : best;
                        }
                        Check.that(kinds[k].has(result, 2 * i, (best + i) % 3 - 1)
                                && kinds[k].has(result, 2 * i + 1, best), op + " of " + types[k] + ", pair " + i);
                    }
                }
            }
        }
    }

    // ---- operations of the program's own ----

    /** Concatenates in a way: (a, b) is a * 10^length(b) + b; the order matters. */
    static final class Concatenate extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
            for (int i = 0; i < 2 * count; i += 2) {
                long[] first = (long[]) in;
                long[] second = (long[]) inout;
                second[at + i] += first[inAt + i] * second[at + i + 1];
                second[at + i + 1] *= first[inAt + i + 1];
            }
        }
    }

    static void userOperations(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        Op ordered = new Op(new Concatenate(), false);
        for (int count : new int[] {1, 4, 300, 5000}) {
            long[] send = new long[2 * count];
            for (int i = 0; i < count; i++) {
                send[2 * i] = (me + i) % 7;
                send[2 * i + 1] = 7;
            }
            long[] result = new long[2 * count];
            comm.Allreduce(send, 0, result, 0, count, MPI.LONG2, ordered);
            verifyDigits(result, count, size, "Allreduce");
            comm.Scan(send, 0, result, 0, count, MPI.LONG2, ordered);
            verifyDigits(result, count, me + 1, "Scan");
            for (int root = 0; root < size; root++) {
                comm.Reduce(send, 0, me == root ? result : null, 0, count, MPI.LONG2, ordered, root);
                if (me == root) {
                    verifyDigits(result, count, size, "Reduce");
                }
            }
            int[] counts = new int[size];
            counts[size / 2] = count;
            comm.Reduce_scatter(send, 0, result, 0, counts, MPI.LONG2, ordered);
            if (me == size / 2) {
                verifyDigits(result, count, size, "Reduce_scatter");
            }
        }
        everyKind(comm);
    }

    private static void verifyDigits(long[] result, int count, int ranks, String what) {
        String values = what + " in the order of the ranks";
        String weights = values + ", weight";
        for (int i = 0; i < count; i++) {
            long wanted = 0;
            long weight = 1;
            for (int rank = 0; rank < ranks; rank++) {
                wanted = wanted * 7 + (rank + i) % 7;
                weight *= 7;
            }
            Check.equal(wanted, result[2 * i], values, i);
            Check.equal(weight, result[2 * i + 1], weights, i);
        }
    }

    /** The function gets arrays of the buffer's own kind. */
    private static void everyKind(Intracomm comm) {
        int size = comm.Size();
        for (Kind kind : Kind.values()) {
            Kind inside = kind == Kind.DIRECT_DOUBLE ? Kind.DOUBLE : kind == Kind.HEAP_INT ? Kind.INT
                    : kind.type == MPI.BYTE || kind == Kind.PACKED ? Kind.BYTE : kind;
            Op last = new Op(new User_Function() {
                @Override
                public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                    Check.that(in.getClass() == inside.make(0).getClass() && type == kind.type, "arrays of " + kind);
                    for (int i = 0; i < count; i++) {
                        // The first operand is the result, if it knows it is from rank 0.
                        if (inside.has(in, inAt + i, 1)) {
                            inside.put(inout, at + i, 1);
                        }
                    }
                }
            }, false);
            Object send = kind.make(40);
            for (int i = 0; i < 40; i++) {
                kind.put(send, i, comm.Rank() == i % size ? 1 : 0);
            }
            Object result = kind.make(40);
            comm.Allreduce(send, 0, result, 0, 40, kind.type, last);
            for (int i = 0; i < 40; i++) {
                Check.that(kind.has(result, i, 1), "a program's operation on " + kind);
            }
        }
    }

    /** What the program's function throws comes out of the call where it was thrown, and all the others hear of it. */
    static void userFailures(Intracomm comm) {
        int size = comm.Size();
        Op failing = new Op(new User_function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                throw new IllegalStateException("no sum today");
            }
        }, false);
        for (int count : new int[] {1, 5000}) {
            int[] hasFailed = {0};
            try {
                comm.Allreduce(new int[count], 0, new int[count], 0, count, MPI.INT, failing);
            } catch (IllegalStateException e) {
                Check.that(e.getMessage().equals("no sum today"), "the program's own exception");
                hasFailed[0] = 1;
            } catch (MPIException e) {
                Check.that(e.getMessage().endsWith(": java.lang.IllegalStateException: no sum today"), e.getMessage());
                hasFailed[0] = 1;
            }
            int[] failed = {0};
            comm.Allreduce(hasFailed, 0, failed, 0, 1, MPI.INT, MPI.SUM);
            Check.equal(size == 1 ? 0 : size, failed[0], "ranks that hear of it");
        }
        Object[] objects = new Object[1];
        try {
            comm.Allreduce(new Object[] {"a"}, 0, objects, 0, 1, MPI.OBJECT, failing);
            Check.equal(1, size, "ranks that combine nothing");
        } catch (IllegalStateException e) {
            Check.that(size > 1, "one rank combines nothing");
        }
        comm.Barrier();
    }

    /** Two vectors of one rank. */
    static void local(Intracomm comm) {
        int[] inout = {1, 2, 3};
        comm.Reduce_local(new int[] {10, 20, 30}, inout, 2, MPI.INT, MPI.SUM);
        Check.that(inout[0] == 11 && inout[1] == 22 && inout[2] == 3, "Reduce_local");
        comm.Reduce_local(new int[] {10, 20, 30}, inout, 3, MPI.INT, new Op(new Plus(), true));
        Check.that(inout[0] == 21 && inout[1] == 42 && inout[2] == 33, "Reduce_local by the program's function");
        Check.fails(1, "Reduce_local: offset 0 and count 4 of MPI.INT reach to element 4, but the buffer has 3",
                () -> comm.Reduce_local(new int[3], inout, 4, MPI.INT, MPI.SUM));
    }
}
