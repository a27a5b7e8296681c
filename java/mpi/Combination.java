// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Combiner;
import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An operator of the program's own at work in one call: takes elements out of the engine's memory into arrays, calls
 * the program's function and puts the result back. The first exception is kept, and from then on nothing is called;
 * {@link Agreement} then tells the others.
 */
final class Combination implements Combiner {
    private final Op op;
    private final Datatype type;
    private Object in;
    private Object inout;
    private int length = -1;
    private Throwable failure;
    /** The function threw it, not the engine. */
    private boolean isOperators;

    Combination(Op op, Datatype type) {
        this.op = op;
        this.type = type;
    }

    @Override
    public void combine(ByteBuffer inView, ByteBuffer inoutView, long count) {
        if (failure != null) {
            return;
        }
        try {
            combine(inView.order(ByteOrder.nativeOrder()), inoutView.order(ByteOrder.nativeOrder()), (int) count);
        } catch (Throwable e) {
            failure = e;
            isOperators = true;
        }
    }

    /** The first element of a vector is where the function is told it is; with gaps its data may begin elsewhere. */
    private void combine(ByteBuffer inView, ByteBuffer inoutView, int count) {
        Layout layout = type.layout();
        int span = layout == null ? 0 : (count - 1) * type.Extent();
        int dataBegin = layout == null ? 0 : layout.trueLb + Math.min(0, span);
        int low = Math.min(0, dataBegin);
        if (op.uf != null) {
            combineViews(inView, inoutView, count, (dataBegin - low) << type.shift());
            return;
        }
        int elements = inView.capacity() >> type.shift();
        makeRoom(dataBegin - low + elements);
        Arrays.get(inView, type.basicKind(), in, dataBegin - low, elements);
        Arrays.get(inoutView, type.basicKind(), inout, dataBegin - low, elements);
        op.Call(in, -low, inout, -low, count, type);
        Arrays.put(inoutView, type.basicKind(), inout, dataBegin - low, elements);
    }

    /** The function of a program for Open MPI works on buffers; the data begin so many bytes behind the first
     * element. */
    private void combineViews(ByteBuffer inView, ByteBuffer inoutView, int count, int gap) {
        if (gap == 0) {
            op.uf.call(inView, inoutView, count, type);
            return;
        }
        ByteBuffer one = MPI.newByteBuffer(gap + inView.capacity());
        ByteBuffer other = MPI.newByteBuffer(gap + inoutView.capacity());
        MPI.slice(one, gap).put(inView.duplicate());
        MPI.slice(other, gap).put(inoutView.duplicate());
        op.uf.call(one, other, count, type);
        inoutView.clear();
        other.clear();
        inoutView.put(MPI.slice(other, gap));
    }

    private void makeRoom(int newLength) {
        if (newLength != length) {
            in = Arrays.make(type.basicKind(), newLength);
            inout = Arrays.make(type.basicKind(), newLength);
            length = newLength;
        }
    }

    /** The engine failed; what the function threw before counts more. */
    void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** What the others are told. */
    String sentence(int rank) {
        String cause;
        try {
            cause = failure.toString();
        } catch (RuntimeException | Error e) {
            cause = failure.getClass().getName(); // an exception of the program that cannot even say what it is
        }
        return "the " + (isOperators ? "operator" : "call") + " failed on rank " + rank + ": " + cause;
    }

    /** Throws what failed, if anything did. */
    void tell() {
        if (failure instanceof RuntimeException) {
            throw (RuntimeException) failure;
        }
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        if (failure != null) {
            throw new MPIException(ErrorClass.OTHER, "the operation failed: " + failure, failure);
        }
    }

    /** Arrays by kind, and their elements in memory. */
    static final class Arrays {
        private Arrays() {
        }

        static Object make(int kind, int length) {
            switch (kind) {
            case Native.KIND_BYTE:
                return new byte[length];
            case Native.KIND_CHAR:
                return new char[length];
            case Native.KIND_SHORT:
                return new short[length];
            case Native.KIND_BOOLEAN:
                return new boolean[length];
            case Native.KIND_INT:
                return new int[length];
            case Native.KIND_LONG:
                return new long[length];
            case Native.KIND_FLOAT:
                return new float[length];
            default:
                return new double[length];
            }
        }

        static void get(ByteBuffer from, int kind, Object array, int at, int count) {
            switch (kind) {
            case Native.KIND_BYTE:
                from.duplicate().get((byte[]) array, at, count);
                break;
            case Native.KIND_CHAR:
                from.asCharBuffer().get((char[]) array, at, count);
                break;
            case Native.KIND_SHORT:
                from.asShortBuffer().get((short[]) array, at, count);
                break;
            case Native.KIND_BOOLEAN:
                for (int i = 0; i < count; i++) {
                    ((boolean[]) array)[at + i] = from.get(i) != 0;
                }
                break;
            case Native.KIND_INT:
                from.asIntBuffer().get((int[]) array, at, count);
                break;
            case Native.KIND_LONG:
                from.asLongBuffer().get((long[]) array, at, count);
                break;
            case Native.KIND_FLOAT:
                from.asFloatBuffer().get((float[]) array, at, count);
                break;
            default:
                from.asDoubleBuffer().get((double[]) array, at, count);
            }
        }

        static void put(ByteBuffer to, int kind, Object array, int at, int count) {
            switch (kind) {
            case Native.KIND_BYTE:
                to.duplicate().put((byte[]) array, at, count);
                break;
            case Native.KIND_CHAR:
                to.asCharBuffer().put((char[]) array, at, count);
                break;
            case Native.KIND_SHORT:
                to.asShortBuffer().put((short[]) array, at, count);
                break;
            case Native.KIND_BOOLEAN:
                for (int i = 0; i < count; i++) {
                    to.put(i, (byte) (((boolean[]) array)[at + i] ? 1 : 0));
                }
                break;
            case Native.KIND_INT:
                to.asIntBuffer().put((int[]) array, at, count);
                break;
            case Native.KIND_LONG:
                to.asLongBuffer().put((long[]) array, at, count);
                break;
            case Native.KIND_FLOAT:
                to.asFloatBuffer().put((float[]) array, at, count);
                break;
            default:
                to.asDoubleBuffer().put((double[]) array, at, count);
            }
        }
    }
}
