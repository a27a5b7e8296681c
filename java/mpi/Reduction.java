// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;

/** The predefined reductions on Java arrays. Integers are combined as longs and reals as doubles. */
final class Reduction extends User_function {
    static final int MAX = 1;
    static final int MIN = 2;
    static final int SUM = 3;
    static final int PROD = 4;
    static final int LAND = 5;
    static final int BAND = 6;
    static final int LOR = 7;
    static final int BOR = 8;
    static final int LXOR = 9;
    static final int BXOR = 10;
    static final int MAXLOC = 11;
    static final int MINLOC = 12;
    /** Of windows only. */
    static final int REPLACE = 13;
    static final int NO_OP = 14;

    private final String name;
    private final int code;

    Reduction(String name, int code) {
        this.name = name;
        this.code = code;
    }

    @Override
    public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype) {
        Datatype.require(name, datatype);
        int kind = datatype.basicKind();
        if (code > MINLOC || datatype.reduceKind() != kind || datatype.layout() != null || datatype.isObject()
                || invec instanceof ByteBuffer || inoutvec instanceof ByteBuffer) {
            throw new MPIException(ErrorClass.OP, name + " cannot combine elements of " + datatype
                    + (datatype.isPlain ? " outside of arrays" : ""));
        }
        datatype.checkBuffer(name, invec, inoffset, count);
        datatype.checkBuffer(name, inoutvec, inoutoffset, count);
        int elements = count * datatype.Size();
        if (code == MAXLOC || code == MINLOC) {
            locations(kind, invec, inoffset, inoutvec, inoutoffset, elements, datatype);
        } else if (kind == Native.KIND_FLOAT || kind == Native.KIND_DOUBLE) {
            for (int i = 0; i < elements; i++) {
                double one = real(invec, kind, inoffset + i);
                double other = real(inoutvec, kind, inoutoffset + i);
                setReal(inoutvec, kind, inoutoffset + i, combine(one, other, datatype));
            }
        } else {
            for (int i = 0; i < elements; i++) {
                long one = whole(invec, kind, inoffset + i);
                long other = whole(inoutvec, kind, inoutoffset + i);
                setWhole(inoutvec, kind, inoutoffset + i, combine(one, other));
            }
        }
    }

    private long combine(long one, long other) {
        switch (code) {
        case MAX:
            return Math.max(one, other);
        case MIN:
            return Math.min(one, other);
        case SUM:
            return one + other;
        case PROD:
            return one * other;
        case LAND:
            return one != 0 && other != 0 ? 1 : 0;
        case LOR:
            return one != 0 || other != 0 ? 1 : 0;
        case LXOR:
            return one != 0 != (other != 0) ? 1 : 0;
        case BAND:
            return one & other;
        case BOR:
            return one | other;
        default:
            return one ^ other;
        }
    }

    private double combine(double one, double other, Datatype type) {
        switch (code) {
        case MAX:
            return Math.max(one, other);
        case MIN:
            return Math.min(one, other);
        case SUM:
            return one + other;
        case PROD:
            return one * other;
        default:
            throw new MPIException(ErrorClass.OP, name + " cannot combine elements of " + type);
        }
    }

    /** Pairs of a value and where it is; of equal values the lower place counts. */
    private void locations(int kind, Object in, int inAt, Object inout, int inoutAt, int elements, Datatype type) {
        if (type.Size() % 2 != 0) {
            throw new MPIException(ErrorClass.OP, name + " combines pairs, which " + type + " is not");
        }
        boolean isReal = kind == Native.KIND_FLOAT || kind == Native.KIND_DOUBLE;
        for (int i = 0; i < elements; i += 2) {
            int order = isReal ? Double.compare(real(in, kind, inAt + i), real(inout, kind, inoutAt + i))
                    : Long.compare(whole(in, kind, inAt + i), whole(inout, kind, inoutAt + i));
            boolean isLower = isReal ? real(in, kind, inAt + i + 1) < real(inout, kind, inoutAt + i + 1)
                    : whole(in, kind, inAt + i + 1) < whole(inout, kind, inoutAt + i + 1);
            boolean isBetter = code == MAXLOC ? order > 0 : order < 0;
            if (isBetter) {
                System.arraycopy(in, inAt + i, inout, inoutAt + i, 2);
            } else if (order == 0 && isLower) {
                System.arraycopy(in, inAt + i + 1, inout, inoutAt + i + 1, 1);
            }
        }
    }

    // ---- elements of arrays ----

    private static double real(Object array, int kind, int at) {
        return kind == Native.KIND_DOUBLE ? ((double[]) array)[at] : ((float[]) array)[at];
    }

    private static void setReal(Object array, int kind, int at, double value) {
        if (kind == Native.KIND_DOUBLE) {
            ((double[]) array)[at] = value;
        } else {
            ((float[]) array)[at] = (float) value;
        }
    }

    private static long whole(Object array, int kind, int at) {
        switch (kind) {
        case Native.KIND_BYTE:
            return ((byte[]) array)[at];
        case Native.KIND_CHAR:
            return ((char[]) array)[at];
        case Native.KIND_SHORT:
            return ((short[]) array)[at];
        case Native.KIND_BOOLEAN:
            return ((boolean[]) array)[at] ? 1 : 0;
        case Native.KIND_INT:
            return ((int[]) array)[at];
        default:
            return ((long[]) array)[at];
        }
    }

    private static void setWhole(Object array, int kind, int at, long value) {
        switch (kind) {
        case Native.KIND_BYTE:
            ((byte[]) array)[at] = (byte) value;
            break;
        case Native.KIND_CHAR:
            ((char[]) array)[at] = (char) value;
            break;
        case Native.KIND_SHORT:
            ((short[]) array)[at] = (short) value;
            break;
        case Native.KIND_BOOLEAN:
            ((boolean[]) array)[at] = value != 0;
            break;
        case Native.KIND_INT:
            ((int[]) array)[at] = (int) value;
            break;
        default:
            ((long[]) array)[at] = value;
        }
    }
}
