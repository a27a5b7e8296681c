// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** A reduction: how two vectors are combined into one. The predefined ones are fields of {@link MPI}. */
public class Op implements Freeable {
    /** The engine's numbers of the predefined ones, by {@link #opCode}. */
    private static final int[] NUMBERS =
            {0, 0x23, 0x22, 0x21, 0x24, 0x30, 0x28, 0x31, 0x29, 0x32, 0x2A, 0x39, 0x38, 0x3c, 0x3d};
    /** For elements without data, of which nothing is combined. */
    static final int SUM_NUMBER = NUMBERS[Reduction.SUM];
    /** Booleans are combined logically, whatever the operation: what is not false is true. */
    private static final int[] LOGICAL = {0, 0x31, 0x30, 0x31, 0x30, 0x30, 0x30, 0x31, 0x31, 0x32, 0x32, 0, 0, 0, 0};

    /** The number of a predefined reduction, from 1 on; 0 of a program's own. */
    public int opCode;
    /** The engine's number; 0 of a program's own. */
    final int number;
    private final int code;
    private final String name;
    private final User_function function;
    private final boolean isCommutative;
    /** The function of a program for Open MPI; else null. */
    protected final UserFunction uf;
    private boolean isFreed;

    private Op(String name, int code, int opCode, User_function function, boolean isCommutative) {
        this.name = name;
        this.code = code;
        this.number = NUMBERS[code];
        this.opCode = opCode;
        this.function = function;
        this.isCommutative = isCommutative;
        this.uf = function instanceof ViewFunction ? ((ViewFunction) function).function() : null;
    }

    static Op predefined(String name, int code) {
        return new Op(name, code, code, new Reduction(name, code), true);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @throws MPIException if the function is null
     */
    public Op(User_function function, boolean commute) throws MPIException {
        this("user function", 0, 0, require(function), commute);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @param opCode the number it shall have
     * @throws MPIException if the function is null
     */
    public Op(User_function function, boolean commute, int opCode) throws MPIException {
        this("user function", 0, opCode, require(function), commute);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @throws MPIException if the function is null
     */
    public Op(User_Function function, boolean commute) throws MPIException {
        this(require(function) == null ? null : new User_function() {
            @Override
            public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count,
                    Datatype datatype) {
                function.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
            }
        }, commute);
    }

    /**
     * A reduction of the program's own, as programs for Open MPI define it.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     */
    public Op(UserFunction function, boolean commute) {
        this("user function", 0, 0, new ViewFunction(require(function)), commute);
    }

    private static <F> F require(F function) {
        if (function == null) {
            throw new MPIException(ErrorClass.OP, "Op: the function is null");
        }
        return function;
    }

    /**
     * Combines two vectors, element by element, into the second.
     *
     * @param invec the first vector, an array
     * @param inoffset its first element
     * @param inoutvec the second vector, an array, and the result
     * @param inoutoffset its first element
     * @param count how many elements of the datatype
     * @param datatype what they are
     */
    public final void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count,
            Datatype datatype) {
        function.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
    }

    /** The engine's operator that does this to elements of a type. */
    int number(String call, Datatype type) {
        int kind = type.basicKind();
        if (code > Reduction.MINLOC) {
            throw new MPIException(ErrorClass.OP, call + ": " + name + " is for windows; it does not combine ranks");
        }
        if (type.reduceKind() != kind) {
            return special(call, type);
        }
        boolean isReal = kind == Native.KIND_FLOAT || kind == Native.KIND_DOUBLE;
        if (code == Reduction.MAXLOC || code == Reduction.MINLOC) {
            boolean isNumber = isReal || kind == Native.KIND_SHORT || kind == Native.KIND_INT
                    || kind == Native.KIND_LONG;
            if (!isNumber || type.Size() % 2 != 0) {
                throw new MPIException(ErrorClass.OP, call + ": " + name + " combines pairs, which " + type
                        + " is not");
            }
        } else if (isReal && code > Reduction.PROD) {
            throw new MPIException(ErrorClass.OP, call + ": " + name + " cannot combine elements of " + type);
        }
        return kind == Native.KIND_BOOLEAN ? LOGICAL[code] : number;
    }

    /** The engine's operator for elements of a window. */
    int windowNumber(String call, Datatype type, boolean isFetched) {
        if (number == 0) {
            throw new MPIException(ErrorClass.OP, call
                    + ": the operator is one of the program; operations on windows take predefined ones only");
        }
        if (code == Reduction.NO_OP && !isFetched) {
            throw new MPIException(ErrorClass.OP, call + ": " + name
                    + " is only for operations that return the old value");
        }
        if (code > Reduction.MINLOC) {
            return number;
        }
        int kind = type.basicKind();
        boolean isPair = code > Reduction.BXOR && type.reduceKind() == kind;
        if (isPair && (kind == Native.KIND_SHORT || kind == Native.KIND_LONG)) {
            throw new MPIException(ErrorClass.OP, call + ": " + name + " has no pairs of " + type
                    + " in a window; MPI.SHORT_INT and MPI.LONG_INT are values with a place, too");
        }
        return number(call, type);
    }

    boolean isNoOp() {
        return code == Reduction.NO_OP;
    }

    /** As {@link #number}, for complex numbers, of which there are sums and products, and for values with a place. */
    private int special(String call, Datatype type) {
        boolean isComplex = type.reduceKind() <= Native.REDUCE_DOUBLE_COMPLEX;
        boolean isDefined = isComplex ? code == Reduction.SUM || code == Reduction.PROD
                : code == Reduction.MAXLOC || code == Reduction.MINLOC;
        if (!isDefined) {
            throw new MPIException(ErrorClass.OP, call + ": " + name + " cannot combine elements of " + type);
        }
        return number;
    }

    /**
     * Does the order of the vectors not matter?
     *
     * @return true if they may be combined in any order
     */
    public boolean isCommutative() {
        return isCommutative;
    }

    /**
     * Was this reduction freed?
     *
     * @return true after {@link #free}, but never of a predefined one
     */
    public boolean isNull() {
        return isFreed;
    }

    /**
     * Makes {@link #isNull} true, unless the reduction is predefined. It holds nothing that would be given back.
     *
     * @throws MPIException never
     */
    @Override
    public void free() throws MPIException {
        isFreed = code == 0;
    }

    /** Does nothing: a reduction holds nothing. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() throws MPIException {
        // Empty, so that reductions do not burden the garbage collector.
    }

    /** The name, for example {@code MPI.SUM}. */
    @Override
    public String toString() {
        return name;
    }
}
