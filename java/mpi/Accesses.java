// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;
import java.nio.Buffer;

/**
 * The operations of {@link Win} on the memory of other ranks. Arguments are checked here, except whether the memory is
 * in the target's window, and whether it may be accessed now; these the engine knows.
 */
final class Accesses {
    private Accesses() {
    }

    /** Elements of a datatype at a target, as a program names them. */
    private static final class Target {
        final int rank;
        final int displacement;
        final int count;
        final Datatype type;

        Target(int rank, int displacement, int count, Datatype type) {
            this.rank = rank;
            this.displacement = displacement;
            this.count = count;
            this.type = type;
        }

        long bytes() {
            return type.bytes(count);
        }
    }

    // ---- the calls; those with a request return it, the others null ----

    static Request put(WinCore win, String call, boolean isAsked, Buffer origin, int orgCount, Datatype orgType,
            int targetRank, int targetDisp, int targetCount, Datatype targetType) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, targetCount, targetType);
        Side out = side(call, "origin", origin, orgCount, orgType);
        checkLength(call, out, target);
        checkKinds(call, orgType, targetType);
        checkApart(call, targetCount, targetType);
        return start(win, handle, Native.WIN_PUT, 0, isAsked, out, Side.NONE, null, target);
    }

    static Request get(WinCore win, String call, boolean isAsked, Buffer origin, int orgCount, Datatype orgType,
            int targetRank, int targetDisp, int targetCount, Datatype targetType) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, targetCount, targetType);
        Side in = side(call, "origin", origin, orgCount, orgType);
        checkLength(call, in, target);
        checkKinds(call, orgType, targetType);
        checkApart(call, orgCount, orgType);
        return start(win, handle, Native.WIN_GET, 0, isAsked, Side.NONE, in, null, target);
    }

    static Request accumulate(WinCore win, String call, boolean isAsked, Buffer origin, int orgCount,
            Datatype orgType, int targetRank, int targetDisp, int targetCount, Datatype targetType, Op op) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, targetCount, targetType);
        Side out = side(call, "origin", origin, orgCount, orgType);
        checkLength(call, out, target);
        checkElements(call, orgType, targetType);
        checkApart(call, targetCount, targetType);
        int operator = operator(call, op, targetType, false);
        return update(win, handle, Native.WIN_ACCUMULATE, operator, isAsked, out, Side.NONE, target);
    }

    /** With {@link MPI#NO_OP} the origin does not count. */
    static Request getAccumulate(WinCore win, String call, boolean isAsked, Buffer origin, int orgCount,
            Datatype orgType, Buffer result, int resultCount, Datatype resultType, int targetRank, int targetDisp,
            int targetCount, Datatype targetType, Op op) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, targetCount, targetType);
        int operator = operator(call, op, targetType, true);
        Side out = Side.NONE;
        if (!op.isNoOp()) {
            out = side(call, "origin", origin, orgCount, orgType);
            checkLength(call, out, target);
            checkElements(call, orgType, targetType);
            checkApart(call, targetCount, targetType);
        }
        Side in = side(call, "result", result, resultCount, resultType);
        checkLength(call, in, target);
        checkElements(call, resultType, targetType);
        checkApart(call, resultCount, resultType);
        return update(win, handle, Native.WIN_GET_ACCUMULATE, operator, isAsked, out, in, target);
    }

    static void fetchAndOp(WinCore win, String call, Buffer origin, Buffer result, Datatype type, int targetRank,
            int targetDisp, Op op) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, 1, type);
        checkOne(call, type);
        int operator = operator(call, op, type, true);
        Side out = op.isNoOp() ? Side.NONE : side(call, "origin", origin, 1, type);
        update(win, handle, Native.WIN_GET_ACCUMULATE, operator, false, out, side(call, "result", result, 1, type),
                target);
    }

    static void compareAndSwap(WinCore win, String call, Buffer origin, Buffer compare, Buffer result, Datatype type,
            int targetRank, int targetDisp) {
        long handle = win.handle(call);
        Target target = target(win, call, targetRank, targetDisp, 1, type);
        checkOne(call, type);
        int kind = type.basicKind();
        if (type.Size() != 1 || type.reduceKind() != kind || kind == Native.KIND_FLOAT || kind == Native.KIND_DOUBLE) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype is " + type
                    + "; what is compared is an integer, a char, a boolean or a byte");
        }
        Side out = side(call, "origin", origin, 1, type);
        side(call, "compare", compare, 1, type);
        start(win, handle, Native.WIN_COMPARE_SWAP, Native.opAndKind(0, kind), false, out,
                side(call, "result", result, 1, type), compare, target);
    }

    // ---- checks ----

    private static Target target(WinCore win, String call, int rank, int displacement, int count, Datatype type) {
        win.checkTarget(call, rank);
        requireValues(call, type);
        if (count < 0) {
            throw new MPIException(ErrorClass.COUNT, call + ": targetCount is " + count + "; it cannot be negative");
        }
        if (displacement < 0 && rank != MPI.PROC_NULL) {
            throw new MPIException(ErrorClass.DISP, call + ": targetDisp is " + displacement
                    + "; it cannot be negative");
        }
        if (win.isDynamic && rank != MPI.PROC_NULL) {
            throw new MPIException(ErrorClass.DISP, call + ": targetDisp is " + displacement
                    + ", but in a dynamic window it is an address, which no int can be");
        }
        return new Target(rank, displacement, count, type);
    }

    private static void requireValues(String call, Datatype type) {
        Datatype.require(call, type);
        if (type.isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": elements of " + type + " cannot be in a window");
        }
    }

    /** A direct buffer; what it is called is for the message. */
    private static Side side(String call, String what, Buffer buffer, int count, Datatype type) {
        requireValues(call, type);
        if (buffer != null && !buffer.isDirect()) {
            throw new MPIException(ErrorClass.BUFFER, call + ": the " + what + " is "
                    + Datatype.a("heap " + Views.name(buffer))
                    + "; operations on windows take direct buffers, as MPI.newByteBuffer makes them");
        }
        Side side = new Side(buffer, 0, count, type);
        side.check(call);
        return side;
    }

    private static void checkLength(String call, Side side, Target target) {
        if (side.bytes() != target.bytes() && target.rank != MPI.PROC_NULL) {
            throw new MPIException(ErrorClass.TRUNCATE, call + ": " + side.count + " of " + side.type + " are "
                    + side.bytes() + " bytes, but " + target.count + " of " + target.type + " at the target are "
                    + target.bytes());
        }
    }

    /** Bytes go with everything, as in messages. */
    private static void checkKinds(String call, Datatype type, Datatype targetType) {
        if (type.basicKind() != Native.KIND_BYTE && targetType.basicKind() != Native.KIND_BYTE) {
            checkElements(call, type, targetType);
        }
    }

    private static void checkElements(String call, Datatype type, Datatype targetType) {
        if (type.reduceKind() != targetType.reduceKind()) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatypes " + type + " and " + targetType
                    + " have different elements");
        }
    }

    private static void checkApart(String call, int count, Datatype type) {
        if (type.layout() != null && count > type.layout().receiveMax()) {
            throw new MPIException(ErrorClass.TYPE, call + ": " + count + " elements of the datatype " + type
                    + " overlap, so they cannot be written");
        }
    }

    private static void checkOne(String call, Datatype type) {
        if (type.isDerived()) {
            throw new MPIException(ErrorClass.TYPE, call + ": " + type
                    + " is a derived datatype; this call takes predefined ones");
        }
    }

    /** The engine's operator and the elements. */
    private static int operator(String call, Op op, Datatype type, boolean isFetched) {
        if (op == null) {
            throw new MPIException(ErrorClass.OP, call + ": the operator is a null reference");
        }
        return Native.opAndKind(op.windowNumber(call, type, isFetched), type.reduceKind());
    }

    // ---- the start ----

    /** What has no elements updates nothing. */
    private static Request update(WinCore win, long handle, int kind, int operator, boolean isAsked, Side out, Side in,
            Target target) {
        if (target.bytes() == 0) {
            return start(win, handle, Native.WIN_PUT, 0, isAsked, Side.NONE, Side.NONE, null, target);
        }
        return start(win, handle, kind, operator, isAsked, out, in, null, target);
    }

    private static Request start(WinCore win, long handle, int kind, int operator, boolean isAsked, Side out, Side in,
            Buffer compare, Target target) {
        long[] numbers = new long[Native.WIN_NUMBERS];
        describe(numbers, Native.WIN_ORIGIN, out.type, out.count);
        describe(numbers, Native.WIN_RESULT, in.type, in.count);
        describe(numbers, Native.WIN_TARGET, target.type, target.count);
        numbers[Native.WIN_RANK] = target.rank;
        numbers[Native.WIN_DISPLACEMENT] = target.displacement;
        Object[] kept = isAsked ? new Object[] {out.buffer, in.buffer} : null;
        if (!isAsked) {
            win.keep(target.rank, out.buffer, in.buffer);
        }
        long request = Native.winStart(handle, kind, operator, (Buffer) out.buffer, (Buffer) in.buffer, compare,
                numbers, kept);
        Reference.reachabilityFence(out.type);
        Reference.reachabilityFence(in.type);
        Reference.reachabilityFence(target.type);
        return isAsked ? new Request(win.endpoint, request, MPI.BYTE, true, MPI.ANY_SOURCE, MPI.ANY_TAG) : null;
    }

    /** Elements in a row are counted as those of the basic type. */
    private static void describe(long[] numbers, int at, Datatype type, int count) {
        if (type != null) {
            boolean isRow = type.layout() == null;
            numbers[at] = isRow ? type.basicKind() : type.layout().handle();
            numbers[at + 1] = isRow ? (long) count * type.Size() : count;
        }
    }
}
